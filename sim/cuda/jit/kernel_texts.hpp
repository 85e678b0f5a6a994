#pragma once
/// The texts of the kernels that are compiled at run time: each a file of sim/cuda/kernels, joined by the build with
/// all that it includes (cmake/join_sources.cmake). What comes after a text is a typed law (typed_functor.hpp), a typed
/// map (map_text.hpp) or both, and the instance of a kernel for them.

#include <string_view>

namespace tri::cuda {

std::string_view typed_cells_text();       ///< of the cells of the gasket, and steps of automata on them
std::string_view typed_collisions_text();  ///< of overlapping pairs
std::string_view typed_counts_text();      ///< of triples by their sides
std::string_view typed_distances_text();   ///< of all-pairs distances
std::string_view typed_elements_text();    ///< of single pairs and triples
std::string_view typed_jerks_text();       ///< of gravity with its jerks
std::string_view typed_pair_text();        ///< of forces of pairs, and their energy
std::string_view typed_tile_pairs_text();  ///< of the lists of tile pairs for tensor cores
std::string_view typed_triple_text();      ///< of forces of triples, and their energy

}  // namespace tri::cuda
