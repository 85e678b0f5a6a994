// Which values instructions meet: every value that the interpreter has is within, and where it matters nothing else is.

#include "sim/mapfile/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/mapfile/compile.hpp"

namespace tri::mapfile {
namespace {

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

}  // namespace
}  // namespace tri::mapfile
