#pragma once
/// A typed law's program as the interpreter runs it: steps over few buffers, and the values that are the same for all
/// pairs. Made once an evaluation; no tile depends on how it was made.

#include <span>
#include <vector>

#include "sim/cpu/kernels/memory.hpp"
#include "sim/expression/program.hpp"

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

}  // namespace tri::cpu
