#pragma once
/// Tiles of typed laws: the plan of a program, and its buffers of rows.
///
/// A typed law's program as the interpreter runs it: steps over few buffers, and the values that are the same for all
/// pairs. Made once an evaluation; no tile depends on how it was made.

#include <span>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/text/law_program.hpp"

namespace tri::cpu {

/// Operands and results are *places*: first the inputs, then the buffers, then the scalars.
///
/// A result takes the buffer of an operand that is not read again, so that few buffers are in use at a time and all of
/// them stay in L1. Instructions that no output needs have no step. Immutable; any thread may read it.
class ProgramPlan {
 public:
  struct Step {
    expression::Op op{};
    u32 to = 0;
    u32 a = 0, b = 0, c = 0;  ///< as many as the operation has
  };

  ProgramPlan() = default;
  /// inputs: how many the program may read. uniforms: of the law for its parameters.
  ProgramPlan(const expression::Program& program, std::span<const double> uniforms, u32 inputs);

  std::span<const Step> steps() const { return steps_; }
  std::span<const u32> outputs() const { return outputs_; }  ///< places
  u32 inputs() const { return inputs_; }
  u32 buffers() const { return buffers_; }
  u32 scalars() const { return static_cast<u32>(scalars32_.size() / kLanes<float>); }
  u32 places() const { return inputs_ + buffers_ + scalars(); }
  bool reads(u32 input) const { return (read_ >> input & 1) != 0; }

  /// Elements of a scalar: as many as the widest vector has lanes, all with the same value.
  template <class Real>
  static constexpr std::size_t kLanes = kAlignment / sizeof(Real);
  /// The scalars in this precision, one behind the other.
  template <class Real>
  const Real* scalar_values() const;

 private:
  std::vector<Step> steps_;
  std::vector<u32> outputs_;
  u32 inputs_ = 0, buffers_ = 0;
  u32 read_ = 0;  ///< bits of the inputs that are read
  AlignedVector<float> scalars32_;
  AlignedVector<double> scalars64_;
};

template <>
inline const float* ProgramPlan::scalar_values<float>() const {
  return scalars32_.data();
}
template <>
inline const double* ProgramPlan::scalar_values<double>() const {
  return scalars64_.data();
}

// The memory in which the interpreter works: rows of numbers, one row a body against up to `pitch` columns.

/// Where the numbers of a place are: element (row, column) at data[row * rows + column * columns].
template <class Real>
struct Place {
  Real* data = nullptr;
  std::size_t rows = 0;     ///< elements from row to row; 0: the same in all rows
  std::size_t columns = 0;  ///< 1; 0: the same in all columns, and then a whole vector of the value
};

/// The places of a plan for tiles of up to `rows` x `pitch`, in memory of the calling thread: one at a time. Inputs are
/// the caller's to bind and to fill.
template <class Real>
class RowBuffers {
 public:
  static constexpr std::size_t kLanes = ProgramPlan::kLanes<Real>;

  RowBuffers(const ProgramPlan& plan, std::size_t rows, std::size_t pitch) : rows_(rows), pitch_(pitch) {
    Memory& memory = thread_memory();
    const std::size_t buffer = rows * pitch, inputs = plan.inputs(), buffers = plan.buffers();
    const std::size_t needed = (inputs + buffers) * buffer;
    if (memory.values.size() < needed) memory.values.resize(needed);
    if (memory.places.size() < plan.places()) memory.places.resize(plan.places());
    places_ = std::span(memory.places).first(plan.places());
    for (std::size_t p = 0; p < inputs + buffers; ++p) places_[p] = {memory.values.data() + p * buffer, pitch, 1};
    // No step writes a scalar.
    Real* const scalars = const_cast<Real*>(plan.scalar_values<Real>());
    for (std::size_t s = 0; s < plan.scalars(); ++s) places_[inputs + buffers + s] = {scalars + s * kLanes, 0, 0};
  }

  std::span<const Place<Real>> places() const { return places_; }
  const Place<Real>& operator[](std::size_t place) const { return places_[place]; }
  std::size_t pitch() const { return pitch_; }

  /// An input that is the same in all rows: `columns` numbers that stay where they are.
  void bind_columns(u32 input, const Real* columns) { places_[input] = {const_cast<Real*>(columns), 0, 1}; }
  /// An input that is the same in all columns: set_row() gives its values.
  void bind_rows(u32 input) { places_[input].rows = kLanes, places_[input].columns = 0; }
  /// An input that is 0 everywhere.
  void bind_zero(u32 input) {
    places_[input].rows = places_[input].columns = 0;
    set_row(input, 0, 0);
  }
  void set_row(u32 input, std::size_t row, Real value) {
    Real* const to = places_[input].data + row * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) to[lane] = value;
  }

 private:
  struct Memory {
    AlignedVector<Real> values;
    std::vector<Place<Real>> places;
  };
  static Memory& thread_memory() {
    static thread_local Memory memory;
    return memory;
  }

  std::span<Place<Real>> places_;
  std::size_t rows_, pitch_;
};

/// Runs a plan over the first `rows` rows of `columns` columns, and what follows them up to a whole vector. exact: with
/// IEEE roots and divisions, whatever the precision.
void interpret(const ProgramPlan& plan, const RowBuffers<float>& buffers, std::size_t rows, std::size_t columns,
               bool exact);
void interpret(const ProgramPlan& plan, const RowBuffers<double>& buffers, std::size_t rows, std::size_t columns,
               bool exact);

/// A typed law has no functor: its kernels take the law as it is made (tile_common.hpp).
template <class Real, class Law, class F>
void visit_typed_law(const Law& law, const F& f) {
  f(law);
}

// The work on one tile of pairs or triples under a typed law, as that of kernels.hpp: SIMD kernels chosen
// at run time, which interpret the law's program.
//
// For rows of bodies against up to 256 columns, native code computes the squared distances, the interpreter the
// strengths, and native code adds strength times distance to the sums of rows and columns.

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

/// Sums of a tile by laws that are made without energy, its energy by laws that are made with it.
TRI_DECLARE_TILES(TypedPairs, PairTile)
TRI_DECLARE_TILES(TypedTriples, TripleTile)

}  // namespace tri::cpu
