// Programs of map files: operations, intervals, text for a device.
//
// The language of map files: every operation against C++, what has no value, what is evaluated, repeats, and errors.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "sim/maps/integer_math.hpp"
#include "sim/text/map_file.hpp"
#include "sim/text/map_program.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kMin = std::numeric_limits<i64>::min(), kMax = std::numeric_limits<i64>::max();

std::shared_ptr<const std::vector<Table>> some_tables() {
  return std::make_shared<std::vector<Table>>(std::vector<Table>{{"odd", {1, 3, 5}}, {"wild", {kMin, 0, kMax}}});
}

struct Result {
  std::optional<i64> value;
  FaultKind fault = FaultKind::none;
  bool idle = false;
  u64 most_steps = 0;
};

Result run(const Program& program, std::vector<i64> inputs) {
  Program::Frame frame;
  frame.fill(77);  // what no instruction wrote must not be read
  program.fill(frame, inputs.data());
  Result r;
  const Fault fault = program.run(frame, r.idle);
  r.fault = fault.kind, r.most_steps = program.most_steps;
  if (!fault && !r.idle) r.value = frame[program.outputs[0]];
  return r;
}

/// An expression of a and b.
Result eval(const std::string& text, i64 a = 0, i64 b = 0) {
  return run(compile_expression({"test", text}, {{"a", "b"}, {}, false, false, some_tables()}), {a, b});
}

/// Statements of a and b that assign r.
Result state(const std::string& text, i64 a = 0, i64 b = 0) {
  return run(compile({"test", text}, {{"a", "b"}, {"r"}, true, false, some_tables()}).program, {a, b});
}

const i64 kValues[] = {
    kMin,  kMin + 1,   -4294967297, -65536,     -3,         -1,           0,        1,   2, 3, 7, 8, 63, 64,
    65535, 4294967295, 4294967296,  3037000499, 3037000500, i64{1} << 62, kMax - 1, kMax};

using Wide = long double;  // only to compare ranges

TEST(MapLanguage, ArithmeticIsThatOfIntegersAndOverflowIsAFault) {
  for (const i64 a : kValues) {
    for (const i64 b : kValues) {
      SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(b));
      i64 want = 0;
      const auto expect = [&](const char* text, bool overflows) {
        const Result r = eval(text, a, b);
        EXPECT_EQ(r.fault, overflows ? FaultKind::overflow : FaultKind::none) << text;
        EXPECT_EQ(r.value.value_or(want), want) << text;
      };
      bool over = __builtin_add_overflow(a, b, &want);
      expect("a + b", over);
      over = __builtin_sub_overflow(a, b, &want);
      expect("a - b", over);
      over = __builtin_mul_overflow(a, b, &want);
      expect("a * b", over);
      want = a == kMin ? 0 : -a;
      expect("-a", a == kMin);
      want = a == kMin ? 0 : std::abs(a);
      expect("abs(a)", a == kMin);
      if (b == 0) {
        EXPECT_EQ(eval("a / b", a, b).fault, FaultKind::divide_by_zero);
        EXPECT_EQ(eval("a % b", a, b).fault, FaultKind::divide_by_zero);
      } else if (a == kMin && b == -1) {
        EXPECT_EQ(eval("a / b", a, b).fault, FaultKind::overflow);
      } else {
        EXPECT_EQ(eval("a / b", a, b).value, a / b);
        EXPECT_EQ(eval("a % b", a, b).value, a % b);
      }
    }
  }
}

TEST(MapLanguage, BitsComparisonsAndChoices) {
  for (const i64 a : kValues) {
    for (const i64 b : kValues) {
      SCOPED_TRACE(std::to_string(a) + ", " + std::to_string(b));
      EXPECT_EQ(eval("a & b", a, b).value, a & b);
      EXPECT_EQ(eval("a | b", a, b).value, a | b);
      EXPECT_EQ(eval("a ^ b", a, b).value, a ^ b);
      EXPECT_EQ(eval("~a", a).value, ~a);
      EXPECT_EQ(eval("!a", a).value, !a);
      EXPECT_EQ(eval("a == b", a, b).value, a == b);
      EXPECT_EQ(eval("a != b", a, b).value, a != b);
      EXPECT_EQ(eval("a < b", a, b).value, a < b);
      EXPECT_EQ(eval("a <= b", a, b).value, a <= b);
      EXPECT_EQ(eval("a > b", a, b).value, a > b);
      EXPECT_EQ(eval("a >= b", a, b).value, a >= b);
      EXPECT_EQ(eval("a && b", a, b).value, a && b);
      EXPECT_EQ(eval("a || b", a, b).value, a || b);
      EXPECT_EQ(eval("min(a, b)", a, b).value, std::min(a, b));
      EXPECT_EQ(eval("max(a, b)", a, b).value, std::max(a, b));
      EXPECT_EQ(eval("a ? b : 5", a, b).value, a ? b : 5);
      if (b < 0 || b > 63) {
        EXPECT_EQ(eval("a << b", a, b).fault, FaultKind::shift);
        EXPECT_EQ(eval("a >> b", a, b).fault, FaultKind::shift);
        continue;
      }
      EXPECT_EQ(eval("a >> b", a, b).value, a >> b);
      // a 2^b as long double is exact in range, and out of range it is out of range.
      const Wide scaled = std::ldexp(static_cast<Wide>(a), static_cast<int>(b));
      const bool fits = scaled >= static_cast<Wide>(kMin) && scaled <= static_cast<Wide>(kMax);
      EXPECT_EQ(eval("a << b", a, b).fault, fits ? FaultKind::none : FaultKind::overflow);
      const i64 shifted = static_cast<i64>(static_cast<u64>(a) << b);
      EXPECT_EQ(eval("a << b", a, b).value.value_or(shifted), shifted);
    }
  }
}

TEST(MapLanguage, RootsAndBits) {
  for (const i64 a : kValues) {
    SCOPED_TRACE(a);
    EXPECT_EQ(eval("clz(a)", a).value, a == 0 ? 64 : __builtin_clzll(static_cast<u64>(a)));
    EXPECT_EQ(eval("ctz(a)", a).value, a == 0 ? 64 : __builtin_ctzll(static_cast<u64>(a)));
    EXPECT_EQ(eval("popcount(a)", a).value, __builtin_popcountll(static_cast<u64>(a)));
    for (const i64 b : kValues) {
      __extension__ using Whole = __int128;
      EXPECT_EQ(eval("mulhi(a, b)", a, b).value, static_cast<i64>((static_cast<Whole>(a) * b) >> 64)) << b;
    }
    if (a < 0) {
      EXPECT_EQ(eval("isqrt(a)", a).fault, FaultKind::negative_root);
      EXPECT_EQ(eval("icbrt(a)", a).fault, FaultKind::negative_root);
      continue;
    }
    const u64 v = static_cast<u64>(a), root = static_cast<u64>(*eval("isqrt(a)", a).value);
    EXPECT_TRUE(root * root <= v && (root + 1) * (root + 1) > v) << root;
    const u64 third = static_cast<u64>(*eval("icbrt(a)", a).value);
    EXPECT_TRUE(third * third * third <= v && (third + 1) * (third + 1) * (third + 1) > v) << third;
  }
  for (const u64 k : {1ull, 2ull, 1000ull, 94906265ull, 94906267ull, 3037000498ull}) {
    for (const u64 v : {k * k - 1, k * k, k * k + 1}) EXPECT_EQ(floor_sqrt(v), v < k * k ? k - 1 : k) << v;
  }
  for (u64 k = 1; k <= 65537; ++k) {
    ASSERT_EQ(floor_sqrt(k * k - 1), k - 1);
    ASSERT_EQ(floor_sqrt(k * k), k);
    ASSERT_EQ(floor_sqrt(k * k + 2 * k), k);
  }
  for (u32 k = 1; k <= 1625; ++k) {
    ASSERT_EQ(floor_cbrt(k * k * k - 1), k - 1);
    ASSERT_EQ(floor_cbrt(k * k * k), k);
    ASSERT_EQ(floor_cbrt(k * k * k + (k < 1625 ? 3 * k * (k + 1) : 0)), k);
  }
  for (const u32 v : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu}) {
    EXPECT_EQ(floor_sqrt(v), floor_sqrt(u64{v})) << v;
    EXPECT_EQ(floor_cbrt(v), v < 2 ? v : v <= 0x80000000u ? 1290 : 1625) << v;
  }
  EXPECT_EQ(floor_sqrt(0xffffffffu), 65535u);
  for (const u64 k : {1ull, 2ull, 1000ull, 208063ull, 2097150ull, 2097151ull}) {
    for (const u64 v : {k * k * k - 1, k * k * k, k * k * k + 1})
      EXPECT_EQ(floor_cbrt(v), v < k * k * k ? k - 1 : k) << v;
  }
}

TEST(MapLanguage, PrecedenceIsThatOfC) {
  const i64 a = 13, b = 5;
  EXPECT_EQ(eval("a + b << 2 & 7 | 8 ^ 3", a, b).value, (((a + b) << 2) & 7) | (8 ^ 3));
  EXPECT_EQ(eval("a < b == b > a", a, b).value, (a < b) == (b > a));
  EXPECT_EQ(eval("-a % b * 2 - 1", a, b).value, ((-a % b) * 2) - 1);
  EXPECT_EQ(eval("a > 3 && b > 9 || a & 1 ? 10 : 20", a, b).value, 10);
  EXPECT_EQ(eval("a ? 0 ? 1 : 2 : 3", a).value, 2);
  EXPECT_EQ(eval("0x10 + 010").value, 26);  // 010 is ten
}

TEST(MapLanguage, OnlyWhatIsNeededIsEvaluated) {
  EXPECT_EQ(eval("a == 0 ? 7 : b / a", 0, 3).value, 7);
  EXPECT_EQ(eval("a == 0 || b / a > 1", 0, 3).value, 1);
  EXPECT_EQ(eval("a != 0 && b / a > 1", 0, 3).value, 0);
  EXPECT_EQ(eval("a < 3 ? odd[a] : -1", 9).value, -1);
  EXPECT_EQ(eval("b / a", 0, 3).fault, FaultKind::divide_by_zero);
  EXPECT_TRUE(state("idle = a == 0\n r = b / a", 0, 3).idle);
  EXPECT_EQ(state("idle = a == 0\n r = b / a", 2, 6).value, 3);
  EXPECT_TRUE(state("r = 1\n idle = a", 5).idle);
}

TEST(MapLanguage, Tables) {
  for (i64 k = -2; k < 6; ++k) {
    const Result r = eval("odd[a]", k);
    if (k >= 0 && k < 3) {
      EXPECT_EQ(r.value, 2 * k + 1);
    } else {
      EXPECT_EQ(r.fault, FaultKind::index) << k;
    }
  }
  EXPECT_EQ(eval("wild[odd[a] - 1]", 0).value, kMin);
  EXPECT_EQ(eval("wild[odd[a] - 1]", 1).value, kMax);
}

TEST(MapLanguage, NamesAreAssignedAgainAndRepeatsAreBounded) {
  EXPECT_EQ(state("r = a; r = r + 1; r = r*r", 4).value, 25);
  EXPECT_EQ(state("r = a\n t = r\n r = t > 3 ? t - 1 : r", 4).value, 3);
  const std::string sum = "r = 0; k = 0\n repeat a up to 10 {\n  k = k + 1\n  r = r + k\n }\n";
  for (i64 a = 0; a <= 10; ++a) EXPECT_EQ(state(sum, a).value, a * (a + 1) / 2) << a;
  EXPECT_EQ(state(sum, 11).fault, FaultKind::rounds);
  EXPECT_EQ(state(sum, -1).fault, FaultKind::rounds);
  const std::string twice = "r = 0\nrepeat a up to 9 {\n repeat b + r % 2 up to 9 { # some\n r = r + 1\n }\n}";
  EXPECT_EQ(state(twice, 3, 2).value, [] {
    i64 r = 0;
    for (int i = 0; i < 3; ++i) {
      for (i64 k = 2 + r % 2; k > 0; --k) ++r;
    }
    return r;
  }());
  EXPECT_TRUE(state("r = 0\nrepeat 5 up to 5 {\n r = r + 1\n idle = r == a\n}", 3).idle);
  EXPECT_EQ(state("r = 0\nrepeat 5 up to 5 {\n r = r + 1\n idle = r == a\n}", 6).value, 5);
}

TEST(MapLanguage, StepsAreBoundedBeforehand) {
  EXPECT_EQ(state("r = a + b").most_steps, 1u);
  const Result r = state("r = 0\nrepeat 3 up to 100 {\n r = r + 1\n}");
  EXPECT_GE(r.most_steps, 200u);
  EXPECT_LE(r.most_steps, 300u);
  const std::string deep = "r = 0\nrepeat 9 up to 4096 {\nrepeat 9 up to 4096 {\n r = r + 1\n}\n}";
  test::expect_parts(test::message_of([&] { state(deep); }), {"line 2, column 1", "steps for one position", "1000000"});
}

TEST(MapLanguage, RegistersAreUsedAgain) {
  std::string text = "r = 0\n";
  for (int k = 0; k < 60; ++k) text += "r = (r + a)*(b + 1) - (r*(b + 1) + a*(b + 1)) + r + 1\n";
  EXPECT_EQ(state(text, 3, 4).value, 60);
  std::string names = "r = 0\n";
  for (int k = 0; k < 260; ++k) names += "n" + std::to_string(k) + " = a\n";
  test::expect_parts(test::message_of([&] { state(names); }), {"more than 200 statements"});
}

TEST(MapLanguage, ErrorsPointAtTheirPlace) {
  const std::pair<const char*, std::vector<std::string>> faults[] = {
      {"r = rwo + 1", {"test, line 1, column 5", "there is no name 'rwo'", "\n      ^"}},
      {"r = a\ns = 1.5", {"line 2, column 5", "integers below 2^63"}},
      {"r = 9223372036854775808", {"integers below 2^63"}},
      {"r = sqrt(a)", {"column 5", "isqrt()"}},
      {"r = min(a)", {"min() takes 2 arguments"}},
      {"r = iqsrt(a)", {"no function 'iqsrt'", "Did you mean 'isqrt'?"}},
      {"r = odds[a]", {"no table 'odds'", "Did you mean 'odd'?"}},
      {"a = 1; r = 2", {"column 1", "'a' is given, and cannot be assigned"}},
      {"s = a", {"'r' is not assigned"}},
      {"", {"'r' is not assigned"}},
      {"repeat a up to 3 {\n t = a\n}\nr = t", {"line 4, column 5", "there is no name 't'"}},
      {"repeat a {\n r = 1\n}", {"line 1, column 1", "repeat ROUNDS up to LIMIT"}},
      {"repeat a up to b {\n r = 1\n}", {"the bound of a repeat is a number from 1 to 4096"}},
      {"repeat a up to 5000 {\n r = 1\n}", {"the bound of a repeat is a number"}},
      {"r = 1\nrepeat a up to 3 {\n r = 2", {"line 2, column 1", "no '}'"}},
      {"r = 1\n}", {"line 2, column 1", "closes nothing"}},
      {"r = 1 }", {"repeat ROUNDS up to LIMIT"}},
      {"r = a +", {"a value is expected"}},
      {"r = (a", {"')' is missing"}},
      {"1 + 2", {"name = expression"}},
  };
  for (const auto& [text, parts] : faults) {
    const std::string message = test::message_of<ConfigError>([&] { state(text); });
    EXPECT_FALSE(message.empty()) << text;
    test::expect_parts(message, parts);
  }
}

TEST(MapLanguage, FaultsAreWords) {
  const Program p = compile_expression({"test", "\n\n a << b"}, {{"a", "b"}, {}, false, false, nullptr});
  Program::Frame frame;
  const i64 inputs[] = {1, 64};
  p.fill(frame, inputs);
  bool idle = false;
  const Fault fault = p.run(frame, idle);
  EXPECT_EQ(p.text_of(fault), "'<<' by less than 0 or more than 63 bits in line 3");
}

// Which values instructions meet: every value that the interpreter has is within, and where it matters nothing else is.

Program program_of(const std::string& text) {
  Interface interface;
  interface.inputs = {"a", "b"};
  interface.outputs = {"row"};
  return compile({"test", text}, interface).program;
}

/// What the last instruction writes.
Range last(const std::string& text, Range a, Range b = {0, 0}) {
  return ranges_of(program_of("row = " + text), {a, b}).back().to;
}

/// The smallest range of its results, from all inputs that have no fault.
Range seen(const Program& program, Range a, Range b) {
  Range range;
  for (i64 x = a.low; x <= a.high; ++x) {
    for (i64 y = b.low; y <= b.high; ++y) {
      Program::Frame frame{};
      const i64 inputs[] = {x, y};
      program.fill(frame, inputs);
      bool idle = false;
      if (program.run(frame, idle)) continue;
      const i64 value = frame[program.outputs[0]];
      range = {std::min(range.low, value), std::max(range.high, value)};
    }
  }
  return range;
}

TEST(MapRanges, HoldAllValuesOfEveryOperation) {
  const Range ranges[] = {{0, 0}, {0, 9}, {1, 6}, {-7, -2}, {-5, 4}, {3, 3}, {-1, 70}};
  u32 exact = 0, all = 0;
  for (const char* text : {"a + b",
                           "a - b",
                           "a*b",
                           "a/b",
                           "a % b",
                           "a << b",
                           "a >> b",
                           "a & b",
                           "a | b",
                           "a ^ b",
                           "a < b",
                           "a <= b",
                           "a == b",
                           "a != b",
                           "min(a, b)",
                           "max(a, b)",
                           "-a",
                           "~a",
                           "!a",
                           "abs(a)",
                           "isqrt(a)",
                           "icbrt(a)",
                           "clz(a)",
                           "ctz(a)",
                           "popcount(a)",
                           "mulhi(a << 61, b << 61)",
                           "a ? b : a + 5",
                           "a && b",
                           "a || b"}) {
    const Program program = program_of("row = " + std::string(text));
    for (const Range& a : ranges) {
      for (const Range& b : ranges) {
        const Range met = seen(program, a, b);
        if (met.empty()) continue;
        Range found;
        for (const Ranges& each : ranges_of(program, {a, b})) {
          if (!each.to.empty()) found = {std::min(found.low, each.to.low), std::max(found.high, each.to.high)};
        }
        EXPECT_LE(found.low, met.low) << text << " of " << a.low << ".." << a.high << ", " << b.low << ".." << b.high;
        EXPECT_GE(found.high, met.high) << text << " of " << a.low << ".." << a.high << ", " << b.low << ".." << b.high;
        exact += found == met, ++all;
      }
    }
  }
  EXPECT_GT(exact, all / 2) << all;
}

TEST(MapRanges, AreExactWhereNothingIsLost) {
  const auto [low, high] = kAnyValue;
  EXPECT_EQ(last("a*(a + 1)/2", {0, 4095}), (Range{0, 4095 * 4096 / 2}));
  EXPECT_EQ(last("(isqrt(8*a + 1) - 1)/2", {0, 8390655}), (Range{0, 4095}));
  EXPECT_EQ(last("a*b", {-3, 5}, {-7, 2}), (Range{-35, 21}));
  EXPECT_EQ(last("a/b", {-9, 20}, {-2, 3}), (Range{-20, 20}));
  EXPECT_EQ(last("a % 243", {0, 1000}), (Range{0, 242}));
  EXPECT_EQ(last("a % 243", {0, 100}), (Range{0, 100}));
  EXPECT_EQ(last("a % b", {-100, 5}, {-4, 3}), (Range{-3, 3}));
  EXPECT_EQ(last("a << b", {-1, 3}, {0, 4}), (Range{-16, 48}));
  EXPECT_EQ(last("a >> b", {-9, 3}, {1, 40}), (Range{-5, 1}));
  EXPECT_EQ(last("a & 31", {-100, 100}), (Range{0, 31}));
  EXPECT_EQ(last("a | b", {0, 5}, {0, 8}), (Range{0, 15}));
  EXPECT_EQ(last("a ^ b", {-9, 5}, {0, 8}), (Range{-16, 15}));
  EXPECT_EQ(last("abs(a)", {-9, 5}), (Range{0, 9}));
  EXPECT_EQ(last("clz(a)", {0, 4096}), (Range{51, 64}));
  EXPECT_EQ(last("popcount(a)", {4095, 4095}), (Range{12, 12}));
  EXPECT_EQ(last("ctz(a)", {4096, 4096}), (Range{12, 12}));
  // The ends of 64 bits, beyond which there are only faults.
  EXPECT_EQ(last("a + b", {0, high}, {1, 1}), (Range{1, high}));
  EXPECT_EQ(last("-a", {low, 0}), (Range{0, high}));
  EXPECT_EQ(last("a/b", {low, low}, {-1, -1}), (Range{high, high}));
  EXPECT_EQ(last("a << b", {low, high}, {0, 63}), kAnyValue);
  EXPECT_EQ(last("a*b", {low, high}, {low, high}), kAnyValue);
}

TEST(MapRanges, WaysThroughTheTextAreJoined) {
  const auto of = [](const std::string& text, Range a, Range b = {0, 0}) {
    return ranges_of(program_of(text + "\nrow = c + 0"), {a, b}).back().to;
  };
  EXPECT_EQ(of("c = a ? 7 : 3", {-2, 2}), (Range{3, 7}));
  EXPECT_EQ(of("c = a ? 7 : 3", {1, 2}), (Range{7, 7}));
  EXPECT_EQ(of("c = a ? 7 : 3", {0, 0}), (Range{3, 3}));
  EXPECT_EQ(of("c = a && b ? 7 : 3", {1, 1}, {0, 1}), (Range{3, 7}));
  EXPECT_EQ(of("c = 1\nrepeat 5 up to 9 {\n c = 3*c\n}", {0, 0}), (Range{243, 243}));
  EXPECT_EQ(of("c = 1\nrepeat a up to 9 {\n c = 3*c\n}", {2, 4}), (Range{9, 81}));
  EXPECT_EQ(of("c = 1\nrepeat a up to 9 {\n c = 3*c\n}", {0, 1000}), (Range{1, 19683}));
  EXPECT_EQ(of("c = 1\nrepeat 2 up to 2 {\n repeat a up to 3 {\n c = c + 1\n}\n}", {0, 3}), (Range{1, 7}));
}

TEST(MapRanges, WhatIsNeverRunIsEmpty) {
  const auto ranges = ranges_of(program_of("row = a ? b : 5*b"), {{1, 1}, {0, 9}});
  EXPECT_EQ(std::count_if(ranges.begin(), ranges.end(), [](const Ranges& r) { return r.a.empty(); }), 2);
  EXPECT_TRUE(last("a/0", {0, 9}).empty());
  EXPECT_TRUE(last("isqrt(a)", {-9, -1}).empty());
}

TEST(MapRanges, AreUnknownForVeryLongLoops) {
  const std::string loop = "c = 1\nrepeat a up to 200 {\n repeat b up to 200 {\n c = c ^ 1\n }\n}\nrow = c";
  for (const Ranges& r : ranges_of(program_of(loop), {{0, 200}, {0, 200}})) EXPECT_EQ(r.to, kAnyValue);
}

// The C++ text of map files: compiled with the compiler of this build, it answers what the bytecode answers.

namespace fs = std::filesystem;

test::MapInProgram in_program(std::size_t k, const test::MapAt& at) {
  const std::string name = "Typed" + std::to_string(k);
  const DeviceMap values = device_map(*at.map, at.side);
  std::string fill;
  const auto put = [&](const char* member, const auto& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      fill += "    map." + std::string(member) + "[" + std::to_string(i) + "] = " + std::to_string(from[i]) + ";\n";
    }
  };
  put("once", values.once), put("wide", values.wide), put("high", values.high);
  return {cuda_text(*at.map, at.side, name), name, fill};
}

TEST(CudaText, AnswersWhatTheBytecodeAnswers) {
  std::vector<test::MapAt> cases;
  for (const auto& entry : fs::directory_iterator(TRI_MAP_FILES)) {
    const auto map = MapFile::open(entry.path().string());
    const bool gasket = map->info().domain == Domain::gasket;
    for (const u32 side : {1u, gasket ? 2u : 7u, gasket ? 32u : 21u, gasket ? 64u : 40u}) cases.push_back({map, side});
  }
  // What no shipped map has: every other operation.
  const std::string all =
      "a = w - 5\nb = ~a ^ -a\nc = abs(a) + min(a, 3) - max(a, 2) + clz(a) + ctz(a) + popcount(b)\n"
      "d = mulhi(a << 40, b << 30) + (a != b) + (a == 5) + (a <= b && c > 0) + (a < 3 || !c)\n"
      "e = odd[w % 3] - -9223372036854775807 / 4\nidle = w % 7 == 3\nk = 0\nrepeat w % 4 up to 3 {\n k = k + d % 3 + "
      "icbrt(w)\n}\n"
      "row = k + d + e & 0xffff; col = c + isqrt(w) | 1; col = col & 0xffff";
  cases.push_back({test::map_of("pairs", "[[\"3\", \"4\", \"5\"], [\"m\"]]", all,
                                "once = \"q = 3*m\"\ntables = {odd = [-1, 3, 500]}"),
                   30});
  const std::string want = test::answers_of(cases);
  EXPECT_GT(want.size(), 10000u);
  test::expect_same_lines(test::output_of(test::map_program(cases, in_program)), want);
}

/// Expressions of w, y, a value of the side and earlier names, with numbers near the ends of 32 bits.
class RandomTile {
 public:
  explicit RandomTile(u32 seed) : random_(seed) {}

  std::string text() {
    std::string text;
    for (const char* name : {"a", "b", "c", "d"}) {
      text += std::string(name) + " = " + expression(3) + "\n";
      names_.push_back(name);
    }
    return text + "repeat w % 4 up to 3 {\n a = " + expression(1) + " >> 1\n}\nrow = (" + expression(2) +
           ") & 0xffff\ncol = (a ^ b ^ c ^ d) & 0xffff";
  }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  std::string leaf() {
    static const char* const kNumbers[] = {"0",          "1",          "3",          "7",     "31",    "40",     "243",
                                           "2147483647", "2147483648", "4294967295", "65535", "46341", "1000003"};
    return below(3) == 0 ? kNumbers[below(13)] : names_[below(static_cast<u32>(names_.size()))];
  }
  std::string expression(u32 depth) {
    if (depth == 0) return leaf();
    const std::string a = expression(depth - 1), b = expression(below(depth));
    static const char* const kInfix[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "=="};
    switch (below(8)) {
      case 0:
        return "(" + leaf() + " < " + b + " ? " + a + " : " + b + ")";
      case 1:
        return "-" + std::string("(") + a + ")";
      case 2: {
        static const char* const kCalls[] = {"isqrt", "icbrt", "clz", "ctz", "popcount", "abs"};
        return kCalls[below(6)] + ("(" + a + ")");
      }
      case 3:
        return std::string(below(2) == 0 ? "min(" : "max(") + a + ", " + b + ")";
      default:
        return "(" + a + " " + kInfix[below(12)] + " " + b + ")";
    }
  }

  std::mt19937 random_;
  std::vector<std::string> names_ = {"w", "y", "m", "big", "(w - 77)", "(w*97612893)"};
};

TEST(CudaText, ComputesAtTheEndsOf32Bits) {
  std::vector<test::MapAt> cases;
  u32 narrow = 0, wide = 0;
  for (u32 seed = 0; cases.size() < 300 && seed < 100000; ++seed) {
    const auto map = test::map_of("pairs", "[\"m\", \"2\"]", RandomTile(seed).text(), "once = \"big = m << 29\"");
    bool faulty = false;
    for_each_answer(*map, 11, [&](const MetAt&, bool, bool fault) { return !(faulty |= fault); });
    if (faulty) continue;
    cases.push_back({map, 11});
    const std::string text = cuda_text(*map, 11, "Typed");
    narrow += text.find("tri::i32 r") != std::string::npos, wide += text.find("tri::i64 r") != std::string::npos;
  }
  EXPECT_EQ(cases.size(), 300u);
  EXPECT_GT(narrow, 200u);
  EXPECT_GT(wide, 200u);
  const std::string want = test::answers_of(cases);
  // Without warnings: nobody would type `3 < 3`.
  test::expect_same_lines(test::output_of(test::map_program(cases, in_program), "-w"), want);
}

TEST(CudaText, TakesAsFewBitsAsTheSideNeeds) {
  const auto lambda = MapFile::open(TRI_MAP_FILES "/lambda.toml");
  // 8w + 1 is below 2^31 up to 23,169 tiles a side, and below 2^32, where a root of 32 bits does, up to 32,767.
  const auto has = [&](u32 side, const char* part) {
    return cuda_text(*lambda, side, "Typed").find(part) != std::string::npos;
  };
  EXPECT_FALSE(has(23169, "tri::i64 r"));
  EXPECT_TRUE(has(23170, "tri::i64 r"));
  EXPECT_TRUE(has(32767, "floor_sqrt(static_cast<tri::u32>"));
  EXPECT_TRUE(has(32768, "floor_sqrt(static_cast<tri::u64>"));
  EXPECT_EQ(cuda_text(*lambda, 2, "Typed"), cuda_text(*lambda, 23169, "Typed"));
}

TEST(CudaText, MorePassesThanADeviceTakesAreRefused) {
  const auto map = test::map_of("pairs", "[\"m\"]", "row = x; col = 0", "passes = \"m\"");
  EXPECT_EQ(device_map(*map, 64).wide.size(), 64u);
  test::expect_parts(test::message_of<ConfigError>([&] { device_map(*map, 65); }), {"65 passes", "--backend cpu"});
  test::expect_parts(
      test::message_of<ConfigError>([&] { device_map(*test::map_of("pairs", "[\"1/0\"]", "row=0;col=0"), 3); }),
      {"by 0"});
}

}  // namespace
}  // namespace tri::mapfile
