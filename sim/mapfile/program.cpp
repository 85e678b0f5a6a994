// The interpreter of map files.

#include "sim/mapfile/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/wide.hpp"
#include "sim/maps/integer_math.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kLeast = std::numeric_limits<i64>::min();

/// floor(v / 2^bits), with the sign.
i64 shifted_right(i64 v, i64 bits) { return v >> bits; }

FaultKind shifted_left(i64 v, i64 bits, i64& to) {
  const Wide wide = static_cast<Wide>(v) * (static_cast<Wide>(1) << bits);
  to = static_cast<i64>(wide);
  return static_cast<Wide>(to) == wide ? FaultKind::none : FaultKind::overflow;
}

FaultKind divided(const Instruction& i, i64 a, i64 b, i64& to) {
  if (a >= 0 && b > 0 && (b & (b - 1)) == 0) {  // a division takes as long as ten other instructions
    to = i.op == Op::divide ? a >> trailing_zeros(static_cast<u64>(b)) : a & (b - 1);
    return FaultKind::none;
  }
  if (((a | b) >> 32) == 0 && b != 0) {
    const u32 x = static_cast<u32>(a), y = static_cast<u32>(b);
    to = i.op == Op::divide ? x / y : x % y;
    return FaultKind::none;
  }
  if (b == 0) return FaultKind::divide_by_zero;
  if (a == kLeast && b == -1) return FaultKind::overflow;
  to = i.op == Op::divide ? a / b : a % b;
  return FaultKind::none;
}

FaultKind shifted(const Instruction& i, i64 a, i64 b, i64& to) {
  if (b < 0 || b > 63) return FaultKind::shift;
  if (i.op == Op::shift_left) return shifted_left(a, b, to);
  to = shifted_right(a, b);
  return FaultKind::none;
}

FaultKind rooted(const Instruction& i, i64 a, i64& to) {
  if (a < 0) return FaultKind::negative_root;
  const u64 v = static_cast<u64>(a);
  to = static_cast<i64>(i.op == Op::isqrt ? floor_sqrt(v) : floor_cbrt(v));
  return FaultKind::none;
}

FaultKind overflow_if(bool passed) { return passed ? FaultKind::overflow : FaultKind::none; }

FaultKind given(i64& to, i64 value) {
  to = value;
  return FaultKind::none;
}

/// A function of one or two values.
FaultKind called(const Instruction& i, i64 a, i64 b, i64& to) {
  switch (i.op) {
    case Op::min:
      return given(to, std::min(a, b));
    case Op::max:
      return given(to, std::max(a, b));
    case Op::abs:
      return a == kLeast ? FaultKind::overflow : given(to, a < 0 ? -a : a);
    case Op::isqrt:
    case Op::icbrt:
      return rooted(i, a, to);
    case Op::clz:
      return given(to, leading_zeros(static_cast<u64>(a)));
    case Op::ctz:
      return given(to, trailing_zeros(static_cast<u64>(a)));
    case Op::popcount:
      return given(to, bit_count(static_cast<u64>(a)));
    default:
      return given(to, upper_product(a, b));
  }
}

/// An operator, else a function.
FaultKind calculated(const Instruction& i, i64 a, i64 b, i64& to) {
  switch (i.op) {
    case Op::add:
      return overflow_if(__builtin_add_overflow(a, b, &to));
    case Op::subtract:
      return overflow_if(__builtin_sub_overflow(a, b, &to));
    case Op::multiply:
      return overflow_if(__builtin_mul_overflow(a, b, &to));
    case Op::negate:
      return overflow_if(__builtin_sub_overflow(i64{0}, a, &to));
    case Op::bit_and:
      return given(to, a & b);
    case Op::bit_or:
      return given(to, a | b);
    case Op::bit_xor:
      return given(to, a ^ b);
    case Op::bit_not:
      return given(to, ~a);
    case Op::logical_not:
      return given(to, a == 0);
    case Op::equal:
      return given(to, a == b);
    case Op::not_equal:
      return given(to, a != b);
    case Op::less:
      return given(to, a < b);
    case Op::less_equal:
      return given(to, a <= b);
    case Op::copy:
      return given(to, a);
    case Op::divide:
    case Op::remainder:
      return divided(i, a, b, to);
    case Op::shift_left:
    case Op::shift_right:
      return shifted(i, a, b, to);
    default:
      return called(i, a, b, to);
  }
}

}  // namespace

std::string_view name_of(Op op) {
  static constexpr std::string_view kNames[] = {
      "copy",    "+",     "-",     "*",          "/",       "%",     "-",    "<<",    ">>",    "&",      "|",
      "^",       "~",     "!",     "==",         "!=",      "<",     "<=",   "min()", "max()", "abs()",  "isqrt()",
      "icbrt()", "clz()", "ctz()", "popcount()", "mulhi()", "table", "jump", "?",     "idle",  "repeat", "repeat"};
  return kNames[static_cast<std::size_t>(op)];
}

void Program::fill(Frame& frame, const i64* values) const {
  std::copy(values, values + inputs, frame.begin());
  std::copy(start.begin() + inputs, start.end(), frame.begin() + inputs);
}

Fault Program::run(Frame& r, bool& idle) const {
  idle = false;
  const u32 count = static_cast<u32>(code.size());
  for (u32 at = 0; at < count; ++at) {
    const Instruction& i = code[at];
    const i64 a = r[i.a];
    i64& to = r[i.to];
    FaultKind fault = FaultKind::none;
    switch (i.op) {
      case Op::table: {
        const std::vector<i64>& values = (*tables)[i.target].values;
        const bool inside = a >= 0 && static_cast<u64>(a) < values.size();
        fault = inside ? given(to, values[static_cast<std::size_t>(a)]) : FaultKind::index;
        break;
      }
      case Op::jump:
        at = i.target - 1;
        break;
      case Op::jump_if_zero:
        if (a == 0) at = i.target - 1;
        break;
      case Op::end_if:
        if (a != 0) return idle = true, Fault{};
        break;
      case Op::repeat:
        fault = a < 0 || a > i64{i.limit} ? FaultKind::rounds : given(to, a);
        if (a == 0) at = i.target - 1;
        break;
      case Op::next_round:
        if (--to != 0) at = i.target - 1;
        break;
      default:
        fault = calculated(i, a, r[i.b], to);
    }
    if (fault != FaultKind::none) [[unlikely]]
      return {fault, at};
  }
  return {};
}

std::string Program::text_of(const Fault& fault) const {
  const Instruction& i = code[fault.at];
  const std::string_view before = std::string_view(text).substr(0, i.offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::string_view name = name_of(i.op);
  std::string what;
  switch (fault.kind) {
    case FaultKind::none:
      return {};
    case FaultKind::overflow:
      what = fmt::format("'{}' passes 64 bits", name);
      break;
    case FaultKind::divide_by_zero:
      what = fmt::format("'{}' by 0", name);
      break;
    case FaultKind::shift:
      what = fmt::format("'{}' by less than 0 or more than 63 bits", name);
      break;
    case FaultKind::negative_root:
      what = fmt::format("{} of a number below 0", name);
      break;
    case FaultKind::index: {
      const Table& table = (*tables)[i.target];
      what = fmt::format("an index outside the {} entries of the table {}", table.values.size(), table.name);
      break;
    }
    case FaultKind::rounds:
      what = fmt::format("a repeat of less than 0 or more than {} rounds", i.limit);
      break;
  }
  return fmt::format("{} in line {}", what, line);
}

}  // namespace tri::mapfile
