// What a dry run finds without a backend.

#include "app/bench/dry_run.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "app/options/options.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

BenchPlan dry_plan(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "bench"});
  return bench_plan(parse_options(arguments));
}

BenchSpec spec(BenchKernel kernel, const std::string& map, u64 n, u32 block) {
  BenchSpec s;
  s.kernel = kernel, s.map = map, s.n = n, s.block = block, s.form = info(kernel).default_form();
  return s;
}

/// Replaces line ends and indentation by one space.
std::string flat(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += word + " ";
  return out;
}

TEST(DryRun, ListsEveryCombination) {
  const std::string text = flat(dry_run_text(dry_plan({"--kernel", "dummy,edm", "--n", "1000,8192", "--features", "2",
                                                       "--map", "lambda,utm", "--samples", "7"}),
                                             100));
  EXPECT_NE(text.find("7 sample rounds"), std::string::npos) << text;
  EXPECT_NE(text.find("dummy, n = 1,000, the backend's block bb, lambda, utm dummy, n = 8,192"), std::string::npos)
      << text;
  EXPECT_NE(text.find("dummy, n = 8,192, the backend's block bb, lambda skipped utm: --map utm is exact to n = 4097"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("edm, n = 1,000, 2 features, condensed, the backend's block, 2.006 MB a map"), std::string::npos)
      << text;
  // Pairs at 1000 and 8192: three maps at the small size and two at the large one, twice, in seven rounds.
  const double items = 7 * 2 * (3 * 499500.0 + 2 * 33550336.0);
  EXPECT_NEAR(items, 0.9604e9, 1e6);
  EXPECT_NE(text.find("4 groups of 12 combinations, 2 of them certain to be skipped; 960.4 M items"), std::string::npos)
      << text;
}

TEST(DryRun, APresetShowsItsHours) {
  const std::string text = dry_run_text(dry_plan({"--preset", "paper-ltm"}), 80);
  const std::string words = flat(text);
  EXPECT_NE(words.find("150 groups of 2,100 combinations"), std::string::npos) << words.substr(words.size() - 300);
  EXPECT_EQ(words.rfind("paper-ltm: dummy, and edm of 1 to 4 features", 0), 0u) << words.substr(0, 200);
  EXPECT_NE(words.find("synchronised launches, compared with bb"), std::string::npos);
  EXPECT_NE(words.find("hours"), std::string::npos);
  EXPECT_NE(text.find("\n  skipped utm: "), std::string::npos);
  EXPECT_NE(words.find("n = 30,720, 4 features, condensed, block 16, 1.888 GB a map"), std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(DryRun, RejectsOnlyWhatIsCertain) {
  using K = BenchKernel;
  EXPECT_NE(certain_refusal(spec(K::dummy, "utm", 5000, 0)), "");        // threads: no block matters
  EXPECT_EQ(certain_refusal(spec(K::dummy, "lambda-n", 40000, 0)), "");  // exact with a large block
  EXPECT_NE(certain_refusal(spec(K::dummy, "lambda-n", 40000, 16)), "");
  EXPECT_EQ(certain_refusal(spec(K::dummy, "lambda-n", 40000, 32)), "");
  EXPECT_NE(certain_refusal(spec(K::gasket, "bb", 1000, 0)), "");
  EXPECT_EQ(certain_refusal(spec(K::gasket, "bb", 1024, 0)), "");
  EXPECT_NE(certain_refusal(spec(K::gasket, "bb", 1024, 24)), "");
  EXPECT_EQ(certain_refusal(spec(K::edm, "fill", 1 << 20, 16)), "");
  EXPECT_NE(certain_refusal(spec(K::triplet, "tetra-r", 5000, 16)), "");
  BenchSpec carpet = spec(K::gasket, "bb", 9, 0);
  carpet.fractal = "carpet";
  EXPECT_EQ(certain_refusal(carpet), "");
  carpet.n = 64;
  EXPECT_NE(certain_refusal(carpet), "");
}

}  // namespace
}  // namespace tri::app
