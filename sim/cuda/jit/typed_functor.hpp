#pragma once
/// A typed law as the text of a functor that kernels take in place of one of sim/laws, and as the bytes of its value,
/// which they get as an argument: parameters are data, and changing one changes no text.
///
/// Pure functions: any thread may call them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/expression/law.hpp"
#include "sim/laws/box.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

struct TypedFunctor {
  std::string text;              ///< defines tri::cuda::TypedLaw
  std::vector<std::byte> value;  ///< an object of that type
};

/// The functor of a law's forces in Real. Near the largest numbers of Real, where kernels put bodies that there are not
/// (pair_bodies.cuh), it gives exactly 0. box: pairs act between nearest images if its walls are periodic.
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

}  // namespace tri::cuda
