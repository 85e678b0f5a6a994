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
    const i64 a = r[i.a], b = r[i.b];
    i64& to = r[i.to];
    FaultKind fault = FaultKind::none;
    switch (i.op) {
      case Op::copy:
        to = a;
        break;
      case Op::add:
        fault = overflow_if(__builtin_add_overflow(a, b, &to));
        break;
      case Op::subtract:
        fault = overflow_if(__builtin_sub_overflow(a, b, &to));
        break;
      case Op::multiply:
        fault = overflow_if(__builtin_mul_overflow(a, b, &to));
        break;
      case Op::divide:
      case Op::remainder:
        fault = divided(i, a, b, to);
        break;
      case Op::negate:
        fault = overflow_if(__builtin_sub_overflow(i64{0}, a, &to));
        break;
      case Op::shift_left:
      case Op::shift_right:
        fault = shifted(i, a, b, to);
        break;
      case Op::bit_and:
        to = a & b;
        break;
      case Op::bit_or:
        to = a | b;
        break;
      case Op::bit_xor:
        to = a ^ b;
        break;
      case Op::bit_not:
        to = ~a;
        break;
      case Op::logical_not:
        to = a == 0;
        break;
      case Op::equal:
        to = a == b;
        break;
      case Op::not_equal:
        to = a != b;
        break;
      case Op::less:
        to = a < b;
        break;
      case Op::less_equal:
        to = a <= b;
        break;
      case Op::min:
        to = std::min(a, b);
        break;
      case Op::max:
        to = std::max(a, b);
        break;
      case Op::abs:
        fault = overflow_if(a == kLeast), to = a < 0 && !(a == kLeast) ? -a : a;
        break;
      case Op::isqrt:
      case Op::icbrt:
        fault = rooted(i, a, to);
        break;
      case Op::clz:
        to = leading_zeros(static_cast<u64>(a));
        break;
      case Op::ctz:
        to = trailing_zeros(static_cast<u64>(a));
        break;
      case Op::popcount:
        to = bit_count(static_cast<u64>(a));
        break;
      case Op::mulhi:
        to = upper_product(a, b);
        break;
      case Op::table: {
        const std::vector<i64>& values = (*tables)[i.target].values;
        if (a < 0 || static_cast<u64>(a) >= values.size()) {
          fault = FaultKind::index;
        } else {
          to = values[static_cast<std::size_t>(a)];
        }
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
        if (a < 0 || a > i64{i.limit}) {
          fault = FaultKind::rounds;
        } else if ((to = a) == 0) {
          at = i.target - 1;
        }
        break;
      case Op::next_round:
        if (--to != 0) at = i.target - 1;
        break;
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
