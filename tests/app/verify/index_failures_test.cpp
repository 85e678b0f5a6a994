// Published index formulas: the index found really fails, what is below it is right, and the search itself.

#include "app/verify/index_failures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/verify/index_search.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/tetra_r.hpp"
#include "sim/maps/triangle_lambda_historical.hpp"

namespace tri::app {
namespace {

const IndexFormula& formula(const std::string& name) {
  for (const IndexFormula& f : index_formulas()) {
    if (name == f.name) return f;
  }
  ADD_FAILURE() << name;
  return index_formulas()[0];
}

/// Row of index k of n elements in the condensed order, without a root.
i64 condensed_row(u64 n, u64 k) {
  u64 i = 0;
  while (first_of_condensed_row(n, i + 1) <= k) ++i;
  return static_cast<i64>(i);
}

using Row = i64 (*)(u64 n, u64 k);
struct BySide {
  const char* name;
  Row row;
};
constexpr BySide kBySide[] = {
    {"utm", index_rows::utm},
    {"pytorch-pdist", index_rows::pytorch_float},
    {"pytorch-pdist-int", index_rows::pytorch_int},
    {"sunplin", index_rows::sunplin},
    {"condensed-numpy", index_rows::condensed_numpy},
    {"condensed-r", index_rows::condensed_r},
};

/// Whether every end of a row of n is right; all rows, or about 4,000 of a large n.
bool ends_are_right(Row row, u64 n) {
  const u64 step = std::max<u64>(1, n / 4000);
  for (u64 i = 0; i + 1 < n; i += step) {
    const u64 first = first_of_condensed_row(n, i), last = first_of_condensed_row(n, i + 1) - 1;
    if (row(n, first) != static_cast<i64>(i) || row(n, last) != static_cast<i64>(i)) return false;
  }
  return true;
}

TEST(IndexFailures, EachFormulaOfASideIsRightAtEveryIndexOfSmallSides) {
  for (const BySide& f : kBySide) {
    for (u64 n = 2; n <= 150; ++n) {
      for (u64 k = 0; k < n * (n - 1) / 2; ++k)
        ASSERT_EQ(f.row(n, k), condensed_row(n, k)) << f.name << " " << n << " " << k;
    }
  }
}

TEST(IndexFailures, TheSideFoundFailsAndThoseBelowDoNot) {
  for (const BySide& f : kBySide) {
    const IndexFailure at = formula(f.name).find();
    ASSERT_TRUE(at.found && at.given) << f.name << ": " << at.scanned;
    EXPECT_EQ(f.row(at.side, at.index), *at.given) << f.name;
    const u64 first = first_of_condensed_row(at.side, at.right), end = first_of_condensed_row(at.side, at.right + 1);
    ASSERT_TRUE(first <= at.index && at.index < end) << f.name << ": the right row is not that of the index";
    EXPECT_NE(*at.given, static_cast<i64>(at.right)) << f.name;
    for (u64 k = at.index - std::min<u64>(at.index, 2000); k < at.index; ++k) {  // those before it, where there are any
      const u64 row = k < first ? at.right - 1 : at.right;
      if (k + (at.side - at.right) < first) continue;  // two rows back
      ASSERT_EQ(f.row(at.side, k), static_cast<i64>(row)) << f.name << " index " << k;
    }
    for (u64 less = 1; less <= 60; ++less) {
      ASSERT_TRUE(ends_are_right(f.row, at.side - less)) << f.name << " n = " << at.side - less;
    }
    for (u64 n = 2; n < at.side; n = n * 9 / 8 + 1) ASSERT_TRUE(ends_are_right(f.row, n)) << f.name << " n = " << n;
  }
}

/// The numbers that the headers of the maps and the papers' successors know.
TEST(IndexFailures, KnownLimits) {
  EXPECT_EQ(formula("lambda-x").find().index, triangular(4608) - 1);
  EXPECT_EQ(formula("lambda-n").find().index, triangular(1949));
  EXPECT_EQ(formula("lambda-r").find().index, triangular(2054));
  EXPECT_EQ(formula("tetra-r").find().index, tetrahedral(204) - 1);
  EXPECT_EQ(formula("utm").find().side, 4098u);
  EXPECT_EQ(formula("pytorch-pdist").find().side, 3074u);
  // 2 k leaves 32 bits: the first n with an index of 2^30.
  const IndexFailure wraps = formula("pytorch-pdist-int").find();
  EXPECT_EQ(wraps.index, u64{1} << 30);
  EXPECT_TRUE(wraps.side * (wraps.side - 1) / 2 > wraps.index &&
              (wraps.side - 1) * (wraps.side - 2) / 2 <= wraps.index);
}

TEST(IndexFailures, CutlassIsRightUntil2TWraps) {
  const IndexFailure at = formula("cutlass-rank2k").find();
  ASSERT_TRUE(at.found);
  EXPECT_EQ(at.index, u64{1} << 30);
  EXPECT_FALSE(at.given) << "the root of a negative number";
  EXPECT_TRUE(row_is_right(at.index, static_cast<u32>(at.right)));
  for (u64 t = 0; t < 3'000'000; ++t) ASSERT_TRUE(row_is_right(t, static_cast<u32>(index_rows::cutlass(t)))) << t;
  for (u64 t = 0; t < at.index; t += 997) ASSERT_TRUE(row_is_right(t, static_cast<u32>(index_rows::cutlass(t)))) << t;
  for (u64 t = at.index - 100'000; t < at.index; ++t) {
    ASSERT_TRUE(row_is_right(t, static_cast<u32>(index_rows::cutlass(t)))) << t;
  }
}

TEST(IndexFailures, NamesSourcesAndCommands) {
  std::set<std::string> names;
  for (const IndexFormula& f : index_formulas()) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_NE(std::string(f.project), "");
    EXPECT_NE(std::string(f.place), "");
    const IndexFailure example{true, 4098, 17, 3, 2, "by hand"};
    const std::string command = f.command(example);
    EXPECT_TRUE(command.starts_with("python3 -c '") && command.ends_with("'")) << command;
    EXPECT_EQ(std::count(command.begin(), command.end(), '\''), 2) << command;
    EXPECT_NE(command.find("=17;"), std::string::npos) << command;
  }
}

/// A formula that is wrong from one index on, at either end of a row and in the middle.
TEST(IndexSearch, FindsTheFirstWrongIndex) {
  const auto first_of = [](u64 row) { return triangular(row); };
  for (u64 wrong = 0; wrong < 300; ++wrong) {
    for (const u64 every : {u64{0}, u64{20}, u64{1000}}) {
      const auto late = [&](u64 w) { return i64{triangular_root(w)} + (w >= wrong ? 1 : 0); };
      const auto found = first_wrong_row_of(late, first_of, every, 100);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->index, wrong);
      EXPECT_EQ(found->row, triangular_root(wrong));
    }
  }
  const auto exact = [](u64 w) { return i64{triangular_root(w)}; };
  EXPECT_FALSE(first_wrong_row_of(exact, first_of, 100, 1000));
  for (u64 wrong = 0; wrong < 45; ++wrong) {
    const auto late = [&](u64 k) { return condensed_row(10, k) + (k >= wrong ? 1 : 0); };
    const auto found = first_wrong_condensed(late, 10);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->index, wrong);
  }
  EXPECT_FALSE(first_wrong_condensed([](u64 k) { return condensed_row(10, k); }, 10));
}

}  // namespace
}  // namespace tri::app
