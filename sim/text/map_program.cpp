// Programs of map files: the interpreter, and intervals.

#include "sim/text/map_program.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "sim/base/numbers.hpp"
#include "sim/maps/integer_math.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kMin = std::numeric_limits<i64>::min();

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
  if (a == kMin && b == -1) return FaultKind::overflow;
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
      return a == kMin ? FaultKind::overflow : given(to, a < 0 ? -a : a);
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

// A program on intervals. Rounds of a loop run one after another, as in the interpreter; where two ways through the
// text meet, their states are joined.

namespace {

constexpr i64 kLowest = kAnyValue.low, kHighest = kAnyValue.high;

i64 clamped(Wide v) { return static_cast<i64>(std::clamp<Wide>(v, kLowest, kHighest)); }

/// The smallest range with all of these; a run in which one passes 64 bits has a fault.
Range around(std::initializer_list<Wide> values) {
  const auto [low, high] = std::minmax(values);
  return {clamped(low), clamped(high)};
}

Range point(i64 value) { return {value, value}; }
Range joined(const Range& x, const Range& y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }
Range cut(const Range& x, i64 least, i64 most) { return {std::max(x.low, least), std::min(x.high, most)}; }

/// Without 0 at its ends.
Range without_zero(const Range& x) { return {x.low == 0 ? 1 : x.low, x.high == 0 ? -1 : x.high}; }

/// The largest of 2^k - 1 that has all bits of values from 0 to v.
i64 all_bits(i64 v) { return v <= 0 ? 0 : static_cast<i64>(~u64{0} >> std::countl_zero(static_cast<u64>(v))); }

/// x op y at the corners, for an op that is monotonic in each of them.
template <class F>
Range at_corners(const Range& x, const Range& y, const F& op) {
  return around({op(x.low, y.low), op(x.low, y.high), op(x.high, y.low), op(x.high, y.high)});
}

/// Rounded towards 0: monotonic in each on either side of the divisor 0.
Range quotient(const Range& x, const Range& y) {
  const auto divide = [](i64 a, i64 b) { return static_cast<Wide>(a) / b; };
  Range result;
  for (const Range& part : {cut(y, 1, kHighest), cut(y, kLowest, -1)}) {
    if (!part.empty()) result = joined(result, at_corners(x, part, divide));
  }
  return result;
}

/// It has the sign of x, is not larger than x, and smaller than y.
Range rest_of(const Range& x, const Range& y) {
  const Wide most = std::max(-static_cast<Wide>(y.low), static_cast<Wide>(y.high)) - 1;
  const Wide least = y.low > 0 ? y.low : y.high < 0 ? -static_cast<Wide>(y.high) : 1;
  if (x.low >= 0 && x.high < least) return x;
  const Range bound = around({-most, most});
  return {x.low >= 0 ? 0 : std::max(x.low, bound.low), x.high <= 0 ? 0 : std::min(x.high, bound.high)};
}

/// Of &, | and ^: no bit beyond those of both.
Range of_bits(Op op, const Range& x, const Range& y) {
  if (op == Op::bit_and && (x.low >= 0 || y.low >= 0)) {
    return {0, x.low < 0 ? y.high : y.low < 0 ? x.high : std::min(x.high, y.high)};
  }
  const i64 largest = std::max({x.high, y.high, ~x.low, ~y.low});
  return {x.low >= 0 && y.low >= 0 ? 0 : ~all_bits(largest), all_bits(largest)};
}

Range magnitude(const Range& x) {
  const Range ends =
      around({x.low < 0 ? -static_cast<Wide>(x.low) : x.low, x.high < 0 ? -static_cast<Wide>(x.high) : x.high});
  return {x.low <= 0 && x.high >= 0 ? 0 : ends.low, ends.high};
}

/// Of a function that grows with its argument, from 0 on.
template <class F>
Range growing(const Range& x, const F& f) {
  return {static_cast<i64>(f(static_cast<u64>(x.low))), static_cast<i64>(f(static_cast<u64>(x.high)))};
}

/// The values of an operand with which an operation has no fault.
Range without_fault(Op op, const Range& x, bool first) {
  if ((op == Op::divide || op == Op::remainder) && !first) return without_zero(x);
  if ((op == Op::shift_left || op == Op::shift_right) && !first) return cut(x, 0, 63);
  if (op == Op::isqrt || op == Op::icbrt) return cut(x, 0, kHighest);
  return x;
}

Range range_of(Op op, const Range& x, const Range& y) {
  switch (op) {
    case Op::copy:
      return x;
    case Op::add:
      return around({static_cast<Wide>(x.low) + y.low, static_cast<Wide>(x.high) + y.high});
    case Op::subtract:
      return around({static_cast<Wide>(x.low) - y.high, static_cast<Wide>(x.high) - y.low});
    case Op::multiply:
      return at_corners(x, y, [](i64 a, i64 b) { return static_cast<Wide>(a) * b; });
    case Op::divide:
      return quotient(x, y);
    case Op::remainder:
      return rest_of(x, y);
    case Op::negate:
      return around({-static_cast<Wide>(x.low), -static_cast<Wide>(x.high)});
    case Op::shift_left:
      return at_corners(x, y, [](i64 a, i64 b) { return static_cast<Wide>(a) * (static_cast<Wide>(1) << b); });
    case Op::shift_right:
      return at_corners(x, y, [](i64 a, i64 b) { return static_cast<Wide>(a >> b); });
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      return of_bits(op, x, y);
    case Op::bit_not:
      return {~x.high, ~x.low};
    case Op::logical_not:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
      return {0, 1};
    case Op::min:
      return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case Op::max:
      return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case Op::abs:
      return magnitude(x);
    case Op::isqrt:
      return growing(x, [](u64 v) { return floor_sqrt(v); });
    case Op::icbrt:
      return growing(x, [](u64 v) { return floor_cbrt(v); });
    case Op::clz:
      if (x.low < 0) return {0, 64};
      return {leading_zeros(static_cast<u64>(x.high)), leading_zeros(static_cast<u64>(x.low))};
    case Op::ctz:
      return x.low == x.high ? point(trailing_zeros(static_cast<u64>(x.low))) : Range{0, 64};
    case Op::popcount:
      return x.low == x.high ? point(bit_count(static_cast<u64>(x.low))) : Range{0, 64};
    case Op::mulhi:
      return at_corners(x, y, [](i64 a, i64 b) { return (static_cast<Wide>(a) * b) >> 64; });
    default:
      return kAnyValue;
  }
}

/// Whether an operation reads r[b], too.
bool has_two(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::remainder:
    case Op::shift_left:
    case Op::shift_right:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::min:
    case Op::max:
    case Op::mulhi:
      return true;
    default:
      return false;
  }
}

class RunOnRanges {
 public:
  RunOnRanges(const Program& program, const std::vector<Range>& inputs) : program_(program), met_(program.code.size()) {
    State start(program.registers, Range{0, 0});
    for (u32 k = 0; k < program.inputs; ++k) start[k] = inputs[k];
    for (std::size_t k = program.inputs; k < program.start.size(); ++k) start[k] = point(program.start[k]);
    now_ = std::move(start);
    if (program.tables) {
      for (const Table& table : *program.tables) {
        Range values;
        for (const i64 v : table.values) values = joined(values, point(v));
        tables_.push_back(values);
      }
    }
  }

  std::vector<Ranges> ranges() {
    u32 steps = 0;
    for (at_ = 0; at_ < program_.code.size(); ++at_) {
      if (const auto waits = waiting_.find(at_); waits != waiting_.end()) {
        join(waits->second);
        waiting_.erase(waits);
      }
      if (!now_) continue;
      if (++steps > kMaxRangeSteps) return std::vector<Ranges>(met_.size(), {kAnyValue, kAnyValue, kAnyValue});
      step(program_.code[at_]);
    }
    return std::move(met_);
  }

 private:
  using State = std::vector<Range>;  // [registers]

  void join(const State& other) {
    if (!now_) {
      now_ = other;
      return;
    }
    for (std::size_t k = 0; k < other.size(); ++k) (*now_)[k] = joined((*now_)[k], other[k]);
  }

  /// This way through the text goes on at a later instruction.
  void go_on_at(u32 target, const State& state) {
    const auto [at, added] = waiting_.try_emplace(target, state);
    if (added) return;
    for (std::size_t k = 0; k < state.size(); ++k) at->second[k] = joined(at->second[k], state[k]);
  }

  void step(const Instruction& i) {
    State& r = *now_;
    Ranges& met = met_[at_];
    const auto take = [&](Range& seen, const Range& range) { seen = joined(seen, range); };
    switch (i.op) {
      case Op::jump:
        go_on_at(i.target, r);
        now_.reset();
        return;
      case Op::jump_if_zero:
        take(met.a, r[i.a]);
        branch(i.target, i.a);
        return;
      case Op::end_if:
        take(met.a, r[i.a]);
        if (cut(r[i.a], 0, 0).empty()) now_.reset();
        return;
      case Op::repeat: {
        const Range rounds = cut(r[i.a], 0, i.limit);
        take(met.a, rounds), take(met.to, rounds);
        r[i.to] = rounds;
        branch(i.target, i.to);
        return;
      }
      case Op::next_round: {
        const Range left = range_of(Op::subtract, r[i.to], {1, 1});
        take(met.a, r[i.to]), take(met.to, left);
        r[i.to] = left;
        const u32 next = at_ + 1;
        branch(next, i.to);
        if (now_) at_ = i.target - 1;
        return;
      }
      default:
        break;
    }
    const Range a = without_fault(i.op, r[i.a], true);
    const Range b = has_two(i.op) ? without_fault(i.op, r[i.b], false) : Range{};
    if (a.empty() || (has_two(i.op) && b.empty())) {  // only runs with a fault come here
      now_.reset();
      return;
    }
    const Range to = i.op == Op::table ? tables_[i.target] : range_of(i.op, a, b);
    take(met.a, a), take(met.b, b), take(met.to, to);
    r[i.to] = to;
  }

  /// Where r[k] is 0 on at the target, else here.
  void branch(u32 target, Register k) {
    const Range value = (*now_)[k];
    if (!cut(value, 0, 0).empty()) {
      State zero = *now_;
      zero[k] = {0, 0};
      go_on_at(target, zero);
    }
    (*now_)[k] = without_zero(value);
    if ((*now_)[k].empty()) now_.reset();
  }

  const Program& program_;
  std::vector<Ranges> met_;
  std::vector<Range> tables_;
  std::optional<State> now_;      ///< none where no run comes
  std::map<u32, State> waiting_;  ///< at instructions to which ways jumped
  u32 at_ = 0;
};

}  // namespace

std::vector<Ranges> ranges_of(const Program& program, const std::vector<Range>& inputs) {
  return RunOnRanges(program, inputs).ranges();
}

}  // namespace tri::mapfile
