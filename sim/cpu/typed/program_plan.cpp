#include "sim/cpu/typed/program_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/base/contracts.hpp"

namespace tri::cpu {
namespace {

using expression::Instruction;
using expression::Op;
using expression::Program;

constexpr u32 kNever = 0, kAlways = std::numeric_limits<u32>::max();

/// The instruction after which the result of each one is not read again; kNever: nothing reads it.
std::vector<u32> last_readers(const Program& program) {
  std::vector<u32> last(program.code.size(), kNever);
  for (const u32 output : program.outputs) last[output] = kAlways;
  for (std::size_t k = program.code.size(); k-- > 0;) {
    if (last[k] == kNever) continue;
    const Instruction& step = program.code[k];
    const u32 operands[3] = {step.a, step.b, step.c};
    for (u32 o = 0; o < expression::operand_count(step.op); ++o) {
      last[operands[o]] = std::max(last[operands[o]], static_cast<u32>(k));
    }
  }
  return last;
}

}  // namespace

ProgramPlan::ProgramPlan(const Program& program, std::span<const double> uniforms, u32 inputs) : inputs_(inputs) {
  TRI_EXPECTS(inputs <= 32);
  const std::vector<u32> last = last_readers(program);
  std::vector<double> scalars;
  std::vector<u32> place(program.code.size()), idle;
  // Buffers are numbered before the scalars are counted; scalars get their places at the end.
  constexpr u32 kScalar = u32{1} << 31;
  const auto add_scalar = [&](double value) {
    const auto same = [&](double v) { return std::bit_cast<u64>(v) == std::bit_cast<u64>(value); };
    const auto known = std::find_if(scalars.begin(), scalars.end(), same);
    const auto index = static_cast<u32>(known - scalars.begin());
    if (known == scalars.end()) scalars.push_back(value);
    return kScalar | index;
  };
  for (u32 k = 0; k < program.code.size(); ++k) {
    if (last[k] == kNever) continue;
    const Instruction& code = program.code[k];
    if (code.op == Op::input) {
      TRI_EXPECTS(code.a < inputs);
      place[k] = code.a, read_ |= u32{1} << code.a;
      continue;
    }
    if (code.op == Op::uniform || code.op == Op::number) {
      place[k] = add_scalar(code.op == Op::uniform ? uniforms[code.a] : program.numbers[code.a]);
      continue;
    }
    const u32 count = expression::operand_count(code.op);
    Step step{code.op, 0, 0, 0, 0};
    const u32 from[3] = {code.a, code.b, code.c};
    u32* const to[3] = {&step.a, &step.b, &step.c};
    for (u32 o = 0; o < count; ++o) {
      *to[o] = place[from[o]];
      // A step reads an element before it writes it, so its result may lie where an operand did.
      const bool buffer = place[from[o]] >= inputs && place[from[o]] < kScalar;
      const bool seen = std::find(from, from + o, from[o]) != from + o;
      if (buffer && !seen && last[from[o]] == k) idle.push_back(place[from[o]]);
    }
    if (idle.empty()) idle.push_back(inputs + buffers_++);
    step.to = place[k] = idle.back();
    idle.pop_back();
    steps_.push_back(step);
  }
  for (const u32 output : program.outputs) outputs_.push_back(place[output]);
  const u32 first_scalar = inputs + buffers_;
  const auto settle = [&](u32& p) {
    if (p >= kScalar) p = first_scalar + (p - kScalar);
  };
  for (Step& step : steps_) settle(step.a), settle(step.b), settle(step.c);
  for (u32& output : outputs_) settle(output);
  for (const double value : scalars) {
    scalars32_.insert(scalars32_.end(), kLanes<float>, static_cast<float>(value));
    scalars64_.insert(scalars64_.end(), kLanes<double>, value);
  }
}

}  // namespace tri::cpu
