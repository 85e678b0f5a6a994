#include "sim/cuda/jit/kernel_texts.hpp"

#include "typed_cells_cuh.hpp"
#include "typed_collisions_cuh.hpp"
#include "typed_counts_cuh.hpp"
#include "typed_distances_cuh.hpp"
#include "typed_elements_cuh.hpp"
#include "typed_jerks_cuh.hpp"
#include "typed_pair_cuh.hpp"
#include "typed_tile_pairs_cuh.hpp"
#include "typed_triple_cuh.hpp"

namespace tri::cuda {

std::string_view typed_cells_text() { return embedded::typed_cells_cuh; }
std::string_view typed_collisions_text() { return embedded::typed_collisions_cuh; }
std::string_view typed_counts_text() { return embedded::typed_counts_cuh; }
std::string_view typed_distances_text() { return embedded::typed_distances_cuh; }
std::string_view typed_elements_text() { return embedded::typed_elements_cuh; }
std::string_view typed_jerks_text() { return embedded::typed_jerks_cuh; }
std::string_view typed_pair_text() { return embedded::typed_pair_cuh; }
std::string_view typed_tile_pairs_text() { return embedded::typed_tile_pairs_cuh; }
std::string_view typed_triple_text() { return embedded::typed_triple_cuh; }

}  // namespace tri::cuda
