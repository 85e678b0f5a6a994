// The language of map files: every operation against C++, what has no value, what is evaluated, repeats, and errors.

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "sim/mapfile/compile.hpp"
#include "sim/maps/integer_math.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kLeast = std::numeric_limits<i64>::min(), kMost = std::numeric_limits<i64>::max();

std::shared_ptr<const std::vector<Table>> some_tables() {
  return std::make_shared<std::vector<Table>>(std::vector<Table>{{"odd", {1, 3, 5}}, {"wild", {kLeast, 0, kMost}}});
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
    kLeast, kLeast + 1, -4294967297, -65536,     -3,         -1,           0,         1,    2, 3, 7, 8, 63, 64,
    65535,  4294967295, 4294967296,  3037000499, 3037000500, i64{1} << 62, kMost - 1, kMost};

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
      want = a == kLeast ? 0 : -a;
      expect("-a", a == kLeast);
      want = a == kLeast ? 0 : std::abs(a);
      expect("abs(a)", a == kLeast);
      if (b == 0) {
        EXPECT_EQ(eval("a / b", a, b).fault, FaultKind::divide_by_zero);
        EXPECT_EQ(eval("a % b", a, b).fault, FaultKind::divide_by_zero);
      } else if (a == kLeast && b == -1) {
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
      const bool fits = scaled >= static_cast<Wide>(kLeast) && scaled <= static_cast<Wide>(kMost);
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
  EXPECT_EQ(eval("wild[odd[a] - 1]", 0).value, kLeast);
  EXPECT_EQ(eval("wild[odd[a] - 1]", 1).value, kMost);
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

}  // namespace
}  // namespace tri::mapfile
