#pragma once
/// Kernels of typed laws and maps: their texts, arguments and launches.
///
/// Arguments of kernels that are launched by their addresses.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cuda/jit/nvrtc.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/text/law.hpp"

namespace tri::cuda {

/// The address of a kernel's argument, which the launch copies.
template <class T>
void* argument(const T& value) {
  return const_cast<void*>(static_cast<const void*>(&value));
}

/// The name of the number type in texts.
constexpr const char* real_name(Precision precision) { return precision == Precision::fp32 ? "float" : "double"; }

// The texts of the kernels that are compiled at run time: each a file of sim/cuda/kernels, joined by the build with
// all that it includes (cmake/join_sources.cmake). What comes after a text is a typed law, a typed map or both, and the
// instance of a kernel for them.

std::string_view typed_pair_text();    ///< of forces of pairs, and their energy
std::string_view typed_triple_text();  ///< of forces of triples, and their energy

// Maps in the text of kernels that are compiled at run time: built-in ones by types, typed ones by the text of
// their files (sim/text/map_file.hpp). Pure functions; no device is needed.

struct MapText {
  std::string type;        ///< as the text names it, within tri::cuda
  std::string definition;  ///< what comes before its use; empty for a built-in map
};

/// Of a map of the list (map_registry.hpp). One kernel serves all built-in maps but two: a kernel of lambda, which is
/// the first that most users need, is compiled in two thirds of the time, and a persistent map has its own as always
/// (AnyTriangleMap). side: of the domain with its diagonal, on which the text of a typed map depends. Throws
/// ConfigError for a typed map that is no file, and as cuda_text() of sim/text.
MapText map_text(TriangleMapId id, u32 side);
MapText map_text(TetraMapId id, u32 side);
/// Of a typed map.
MapText map_text(GasketMapId id, u32 side);

/// An object of that type for a typed map: its base class, then the values of this side (of the
/// domain with its diagonal). Throws ConfigError as device_map() of sim/text.
std::vector<std::byte> map_value(const MapInfo& map, u32 side);

// The kernels that typed maps drive, as texts: all but those of forces, which also have a law (typed_kernels.hpp).
// Pure functions.

/// An instance of a kernel template: name, template arguments and parameters, where KernelMap is the map. Its first
/// parameters are the map by value and a GridPiece.
struct MapKernel {
  std::string_view text;  ///< with the template
  std::string instance;
};

/// The text of that kernel for a map of this type.
KernelText text_on(const MapText& map, const MapKernel& kernel);

/// element_kernel of kernels/element_work.cuh, for one of its works; triples: element3_kernel.
MapKernel element_map_kernel(bool triples, const std::string& work);
/// cells_kernel of sim/cuda/kernels/fractal.cuh, for one of its works, on the gasket; and sectors_kernel.
MapKernel cells_map_kernel(const std::string& work);
MapKernel sectors_map_kernel();
/// compact_kernel of sim/cuda/kernels/fractal.cuh, on the gasket.
MapKernel compact_map_kernel();
/// distance_tile_kernel of sim/cuda/kernels/distances.cuh; layout: AnyLayout, or an instance of FixedLayout.
MapKernel distance_tile_map_kernel(Precision precision, u32 quads, const std::string& layout);
MapKernel distance_element_map_kernel(Precision precision);
/// collision_tile_kernel of sim/cuda/kernels/collisions.cuh.
MapKernel collision_tile_map_kernel(Precision precision, u32 dimensions, u32 rows, u32 threads);
MapKernel collision_element_map_kernel(Precision precision, u32 dimensions);
/// jerk_tile_kernel of sim/cuda/kernels/pair_tile.cuh.
MapKernel jerk_map_kernel(Accumulate accumulate);
/// tile_pairs_kernel of sim/cuda/kernels/tile_pairs.cuh.
MapKernel tile_pairs_map_kernel();
/// tree_squares_kernel of the same file.
MapKernel tree_squares_map_kernel();
/// triple_counts_kernel of sim/cuda/kernels/triple_count_tile.cuh.
MapKernel triple_counts_map_kernel(bool shared);

// A typed law as the text of a functor that kernels take in place of one of sim/laws, and as the bytes of its value,
// which they get as an argument: parameters are data, and changing one changes no text.
//
// Pure functions: any thread may call them.

struct TypedFunctor {
  std::string text;              ///< defines tri::cuda::TypedLaw
  std::vector<std::byte> value;  ///< an object of that type
};

/// The functor of a law's forces in Real. Near the largest numbers of Real, where kernels put bodies that there are not
/// (terms.cuh), it gives exactly 0. box: pairs act between nearest images if its walls are periodic.
template <class Real>
TypedFunctor typed_force_functor(const expression::TypedLaw& typed, const Box& box);

/// The same for a law of sim/laws, gravity or lennard_jones; of the type that its kernels have.
template <class Real>
TypedFunctor built_in_force_functor(const ForceField& field);

/// The functor of its energy and virial, in float64.
TypedFunctor typed_energy_functor(const expression::TypedLaw& typed, const Box& box);

/// The functor of a triple law in Real, for forces; with_energy: in float64, whose strengths() returns the energy.
template <class Real>
TypedFunctor typed_triple_functor(const expression::TypedLaw& typed, bool with_energy);

/// The same for the triple law of sim/laws, axilrod_teller, for forces.
template <class Real>
TypedFunctor built_in_triple_functor(const ForceField& field);

/// What comes after functor and map: the instance of pair_tile_kernel, for a map of this type.
std::string force_instance(Precision precision, u32 rows, u32 warps, Accumulate accumulate,
                           const std::string& map_type);
/// The same of energy_kernel, for bodies in this precision.
std::string energy_instance(Precision precision);
/// The same of typed_triple_kernel and typed_triple_energy_kernel.
std::string triple_instance(Precision precision, Accumulate accumulate, const std::string& map_type);
std::string triple_energy_instance(Precision precision);

// How much work a typed law is, for launches that are cut by time (launches.hpp).

/// Instructions of a pair or triple of the law, in those that launches.cpp allows for one; at least 1. Pure.
inline double typed_work(const expression::Law& law) {
  constexpr double kAllowed = 40, kOfSums = 15, kOfFunction = 30;
  double instructions = kOfSums;
  for (const expression::Instruction& code : law.strength().code) {
    instructions += code.op >= expression::Op::power && code.op <= expression::Op::erfc ? kOfFunction : 1;
  }
  return std::max(1.0, instructions / kAllowed);
}

}  // namespace tri::cuda
