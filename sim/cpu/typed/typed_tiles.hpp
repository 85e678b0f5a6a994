#pragma once
/// The work on one tile of pairs or triples under a typed law, as that of kernels/pair_kernels.hpp: SIMD kernels chosen
/// at run time, which interpret the law's program.
///
/// For rows of bodies against up to 256 columns, native code computes the squared distances, the interpreter the
/// strengths, and native code adds strength times distance to the sums of rows and columns.

#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/cpu/typed/program_plan.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::cpu {

/// A typed pair law with the values of its parameters, ready for tiles: made once an evaluation. The field holds its
/// law, and outlives it. Any thread may read it.
struct TypedPairs {
  TypedPairs() = default;
  explicit TypedPairs(const ForceField& field, bool with_energy = false);

  ProgramPlan plan;
  double factor = 1;    ///< of every strength
  bool weighs = false;  ///< sums are accelerations: each term times the other body's mass
  Box box;
};

/// The same for a typed triple law.
struct TypedTriples {
  TypedTriples() = default;
  explicit TypedTriples(const ForceField& field, bool with_energy = false);

  ProgramPlan plan;
};

/// Sums of a tile. The laws are made without energy.
void add_tile(const TypedPairs& law, const BodyView<float>& bodies, const PairTile& tile, FastSums& sums);
void add_tile(const TypedPairs& law, const BodyView<double>& bodies, const PairTile& tile, FastSums& sums);
void add_tile(const TypedPairs& law, const BodyView<float>& bodies, const PairTile& tile, OrderedSums& sums);
void add_tile(const TypedPairs& law, const BodyView<double>& bodies, const PairTile& tile, OrderedSums& sums);
void add_tile(const TypedTriples& law, const BodyView<float>& bodies, const TripleTile& tile, FastSums& sums);
void add_tile(const TypedTriples& law, const BodyView<double>& bodies, const TripleTile& tile, FastSums& sums);
void add_tile(const TypedTriples& law, const BodyView<float>& bodies, const TripleTile& tile, OrderedSums& sums);
void add_tile(const TypedTriples& law, const BodyView<double>& bodies, const TripleTile& tile, OrderedSums& sums);

/// Energy and virial of a tile. The laws are made with energy.
void add_tile(const TypedPairs& law, const BodyView<double>& bodies, const PairTile& tile, TileEnergy& sum);
void add_tile(const TypedTriples& law, const BodyView<double>& bodies, const TripleTile& tile, TileEnergy& sum);

}  // namespace tri::cpu
