// verify fails if one map or one law is broken on purpose, with exit code 1, and only then.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/bench/verify.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/maps/tetra_r.hpp"
#include "sim/maps/triangle_lambda_historical.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"

namespace tri::app {
namespace {

/// lambda without the correction of the root on one row: the last tile of row 20 becomes the first of row 21.
class BrokenLambda : public TriangleLambda {
 public:
  using TriangleLambda::TriangleLambda;
  auto begin(Position p) const {
    auto tiles = TriangleLambda::begin(p);
    if (tiles.valid() && tiles.tile() == Tile2{20, 19}) {
      Position wrong = p;
      wrong.x += 1;
      return TriangleLambda::begin(wrong);
    }
    return tiles;
  }
};

/// The cpu backend, with a small error in the force on one body and, under gravity, in its jerk.
class PerturbedBackend final : public test::ForwardingBackend {
 public:
  explicit PerturbedBackend(double factor) : factor_(factor) {}

 private:
  struct PerturbedEngine final : test::ForwardingEngine {
    PerturbedEngine(std::unique_ptr<Engine> real, PairLaw law, double by)
        : ForwardingEngine(std::move(real)), lennard_jones(law == PairLaw::lennard_jones), factor(by) {}
    ForceResult forces(bool energies) override {
      ForceResult result = ForwardingEngine::forces(energies);
      if (lennard_jones) result.fx.back() *= factor;
      return result;
    }
    JerkResult jerks() override {
      JerkResult result = ForwardingEngine::jerks();
      result.jz.back() *= factor;
      return result;
    }
    bool lennard_jones;
    double factor;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField& field) override {
    return std::make_unique<PerturbedEngine>(std::move(engine), field.pair, factor_);
  }
  double factor_;
};

struct Ran {
  int code = 0;
  std::string text;
};

Ran run_all(const std::vector<VerifyCheck>& checks, bool json = false) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  Ran ran;
  {
    Console console(out, stderr, Console::Level::quiet);
    const std::atomic<bool> never{false};
    ran.code = run_checks(checks, json, console, never);
  }
  std::fclose(out);
  ran.text.assign(text, size);
  std::free(text);
  return ran;
}

std::vector<VerifyCheck> named(std::vector<VerifyCheck> checks, const std::string& part) {
  std::erase_if(checks, [&](const VerifyCheck& c) { return c.name.find(part) == std::string::npos; });
  return checks;
}

TEST(Verify, EveryMapPassesAndTheBrokenOneFails) {
  VerifyPlan plan;
  plan.maps = all_maps();
  ASSERT_EQ(plan.maps.size(), kTriangleMapCount + kTetraMapCount + kGasketMapCount);
  std::erase_if(plan.maps, [](const MapUnderTest& m) { return m.info.historical; });  // slow; they have their own test
  const Ran good = run_all(make_checks(plan));
  EXPECT_EQ(good.code, static_cast<int>(ExitCode::ok)) << good.text;
  EXPECT_NE(good.text.find("all passed"), std::string::npos);

  plan.maps.push_back({info(TriangleMapId::lambda), [](u32 side, Diagonal diagonal, u32) {
                         return check_triangle_map(BrokenLambda(side, diagonal));
                       }});
  const Ran bad = run_all(make_checks(plan));
  EXPECT_EQ(bad.code, static_cast<int>(ExitCode::check_failed));
  test::expect_parts(bad.text, {"1 FAILED", "(20, 19) is never met"});
}

/// Checks named by their number; some run beside others, and each failed one says who ran it.
std::vector<VerifyCheck> numbered_checks(std::vector<std::atomic<int>>& runs) {
  std::vector<VerifyCheck> checks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto run = [&runs, i] {
      ++runs[i];
      if (i == 3) throw ConfigError("the fourth");
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 5 == 0 ? 5 : 0));
      VerifyOutcome outcome;
      outcome.add(0.125 * static_cast<double>(i), 1e3, "");
      return outcome;
    };
    checks.push_back({std::to_string(i), "", 1e3, run, i % 3 != 2});
  }
  return checks;
}

TEST(Verify, ChecksThatRunBesideOthersComeInOrderAndOnce) {
  std::vector<std::atomic<int>> ran(40);
  const std::vector<VerifyCheck> checks = numbered_checks(ran);
  CheckRuns runs(checks);
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const VerifyRow row = runs.next();
    EXPECT_EQ(row.check.name, std::to_string(i));
    EXPECT_EQ(row.outcome.passed, i != 3) << row.outcome.note;
    EXPECT_EQ(row.outcome.worst, i == 3 ? 0 : 0.125 * static_cast<double>(i));
  }
  for (const std::atomic<int>& count : ran) EXPECT_EQ(count, 1);
}

TEST(Verify, EndsEarlyWithChecksBegun) {
  std::vector<std::atomic<int>> ran(40);
  const std::vector<VerifyCheck> checks = numbered_checks(ran);
  { EXPECT_EQ(CheckRuns(checks).next().check.name, "0"); }
  const auto begun = std::count(ran.begin(), ran.end(), 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(std::count(ran.begin(), ran.end(), 1), begun);
}

TEST(Verify, AHistoricalMapMustFailBeyondItsLimit) {
  VerifyPlan plan;
  for (const MapUnderTest& map : all_maps()) {
    if (std::string(map.info.name) == "lambda-n") plan.maps.push_back(map);
  }
  ASSERT_EQ(plan.maps.size(), 1u);
  EXPECT_EQ(run_all(make_checks(plan)).code, 0);
  plan.maps[0].info.max_side -= 1;  // a limit stated too low
  EXPECT_EQ(run_all(make_checks(plan)).code, 1);
  plan.maps[0].info.max_side += 2;  // and one too high
  EXPECT_EQ(run_all(make_checks(plan)).code, 1);
}

TEST(Verify, TheBrokenLawFailsAndTheOthersPass) {
  PerturbedBackend broken(1.001);
  VerifyPlan plan;
  plan.backends = {&broken};
  const auto checks = make_checks(plan);
  const Ran gravity = run_all(named(checks, "gravity fp32 fast"));
  EXPECT_EQ(gravity.code, 0) << gravity.text;
  for (const char* name : {"lennard-jones fp32 fast", "lennard-jones fp64 ordered"}) {
    const Ran ran = run_all(named(checks, name));
    EXPECT_EQ(ran.code, 1) << ran.text;
    test::expect_parts(ran.text, {"FAILED", "force error"});
  }
}

TEST(Verify, ABrokenJerkFails) {
  const auto real = make_backend("cpu");
  PerturbedBackend broken(1 + 1e-11), gone(NAN);
  VerifyPlan plan;
  for (Backend* const backend : std::initializer_list<Backend*>{real.get(), &broken, &gone}) {
    plan.backends = {backend};
    for (const char* way : {"jerk fp64 fast", "jerk fp64 ordered"}) {
      const Ran ran = run_all(named(make_checks(plan), way));
      EXPECT_EQ(ran.code, backend == real.get() ? 0 : 1) << ran.text;
      EXPECT_EQ(ran.text.find("largest error of a jerk") != std::string::npos, backend != real.get()) << ran.text;
    }
  }
  plan.backends = {real.get()};
  EXPECT_EQ(run_all(named(make_checks(plan), "jerk fp64 bits")).code, 0);
}

TEST(Verify, ANaNFails) {
  PerturbedBackend broken(NAN);
  VerifyPlan plan;
  plan.backends = {&broken};
  EXPECT_EQ(run_all(named(make_checks(plan), "lennard-jones fp64 fast")).code, 1);
}

TEST(Verify, AnExceptionAndAnEmptyCheckFail) {
  const std::vector<VerifyCheck> checks = {
      {"throws", "", 0, []() -> VerifyOutcome { throw ConfigError("it broke."); }},
      {"looks at nothing", "", 0, [] { return VerifyOutcome{}; }},
  };
  const Ran ran = run_all(checks);
  EXPECT_EQ(ran.code, 1);
  test::expect_parts(ran.text, {"it broke.", "2 checks, 2 FAILED"});
  EXPECT_NE(run_all(checks, true).text.find("\"passed\": false"), std::string::npos);
}

TEST(Verify, EveryLawAndPrecisionHasItsRow) {
  const auto real = make_backend("cpu");
  VerifyPlan plan;
  plan.backends = {real.get()};
  const auto checks = make_checks(plan);
  for (const char* law : {"gravity", "lennard-jones", "contact", "axilrod-teller", "typed", "typed-triples"}) {
    for (const char* way : {"fp32 fast", "fp32 ordered", "fp64 fast", "fp64 ordered", "fp32 bits", "fp64 bits"}) {
      EXPECT_EQ(named(checks, std::string(law) + " " + way).size(), 1u) << law << " " << way;
    }
  }
}

TEST(Verify, OfATypedLawChecksItAlone) {
  const auto real = make_backend("cpu");
  VerifyPlan plan;
  plan.backends = {real.get()};
  plan.law = "D*(1 - exp(-a*(r - d)))^2 + qi*qj/r; D = 1; a = 1; d = 1";
  EXPECT_EQ(make_checks(plan).size(), 6u);
  EXPECT_EQ(run_all(make_checks(plan)).code, 0);
  plan.triple_law = "k*exp(-(a + b + c)); k = 1";
  EXPECT_EQ(make_checks(plan).size(), 12u);
}

TEST(Verify, SkipsFloat32WhereItCannotHoldATypedLaw) {
  const auto real = make_backend("cpu");
  VerifyPlan plan;
  plan.backends = {real.get()};
  plan.law = "-G*mi*mj/r; G = 6.674e-50";
  const auto ran = run_all(make_checks(plan));
  EXPECT_EQ(ran.code, 0) << ran.text;
  test::expect_parts(ran.text, {"6 checks, 3 skipped, the others passed", "lost in float32"});
  plan.law = "-G*mi*mj/r; G = 1e-320";  // neither
  EXPECT_EQ(run_all(make_checks(plan)).code, 1);
}

// Published index formulas: the index found really fails, what is below it is right, and the search itself.

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
    {"mujoco-warp-nxn", index_rows::mujoco_warp},
    {"newton-nxn", index_rows::newton_bisection},
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
  EXPECT_EQ(formula("quack-triangular").find().index, triangular(4096));
  EXPECT_EQ(formula("float32-root").find().index, triangular(4608) - 1);
  EXPECT_EQ(formula("mujoco-warp-nxn").find().side, 4609u);
  EXPECT_EQ(formula("newton-nxn").find().side, 46342u);  // the first n(n - 1) beyond an int
  EXPECT_EQ(formula("coacd-merge").find().index, u64{1} << 28);
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
