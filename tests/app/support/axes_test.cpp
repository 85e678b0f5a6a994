// Axes of a bench: ranges, lists, maps of kernels, bounds.

#include "app/support/axes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

using Sizes = std::vector<u64>;

TEST(Axes, Sizes) {
  EXPECT_EQ(parse_sizes("--n", "1000"), Sizes{1000});
  EXPECT_EQ(parse_sizes("--n", "2^10"), Sizes{1024});
  EXPECT_EQ(parse_sizes("--n", "1024:4096:1024"), (Sizes{1024, 2048, 3072, 4096}));
  EXPECT_EQ(parse_sizes("--n", "10:30:8"), (Sizes{10, 18, 26}));
  EXPECT_EQ(parse_sizes("--n", "7:7:1"), Sizes{7});
  EXPECT_EQ(parse_sizes("--n", "2^10:2^15"), (Sizes{1024, 2048, 4096, 8192, 16384, 32768}));
  EXPECT_EQ(parse_sizes("--n", "5,2^3:2^4,100:102:2"), (Sizes{5, 8, 16, 100, 102}));
  EXPECT_EQ(parse_sizes("--n", "2^10:2^11:512"), (Sizes{1024, 1536, 2048}));
}

TEST(Axes, BadSizes) {
  for (const char* text : {"", "0", "-1", "a", "1:2", "4:2:1", "1:2:0", "2^40", "1,1", "1,,2", "2^2:9", "1:100000:1",
                           "1:2:3:4", ":", "1e-3", "1.5e0", " 1"}) {
    EXPECT_THROW(parse_sizes("--n", text), ConfigError) << text;
  }
  EXPECT_THROW(parse_small_sizes("--features", "17", 1, 16), ConfigError);
  EXPECT_EQ(parse_small_sizes("--features", "1:16:5", 1, 16), (std::vector<u32>{1, 6, 11, 16}));
}

TEST(Axes, SidesOfAProof) {
  EXPECT_EQ(side_list("--n", "3..6,10,2^4"), (std::vector<u64>{3, 4, 5, 6, 10, 16}));
  EXPECT_EQ(side_list("--n", "7..7"), (std::vector<u64>{7}));
  EXPECT_EQ(side_list("--n", "1..2^16").size(), 65536u);
  for (const char* text : {"", "6..3", "1..", "..4", "1...4", "0..3", "1..65537", "1..65536,70000", "a..b"}) {
    EXPECT_THROW(side_list("--n", text), ConfigError) << text;
  }
}

TEST(Axes, TooManySizesAreRejectedAtOnce) {
  EXPECT_EQ(parse_sizes("--n", "1:4096:1").size(), 4096u);
  EXPECT_THROW(parse_sizes("--n", "1:4096:1,5000"), ConfigError);
  std::string text = "1:4096:1";  // 20 million values from a command line of 100 KB
  for (u64 k = 1; k < 5000; ++k)
    text += "," + std::to_string(4096 * k + 1) + ":" + std::to_string(4096 * k + 4096) + ":1";
  EXPECT_THROW(parse_sizes("--n", text), ConfigError);
}

TEST(Axes, Kernels) {
  EXPECT_EQ(parse_kernels("all").size(), 7u);
  EXPECT_EQ(parse_kernels("gasket,edm"), (std::vector<BenchKernel>{BenchKernel::gasket, BenchKernel::edm}));
  EXPECT_THROW(parse_kernels("edm,edm"), ConfigError);
  EXPECT_THROW(parse_kernels("eddm"), ConfigError);
}

TEST(Axes, MapsOfKernels) {
  EXPECT_EQ(maps_of_kernel(BenchKernel::edm, {"all"}).size(), kTriangleMapCount);
  EXPECT_EQ(maps_of_kernel(BenchKernel::triplet, {"all"}).size(), kTetraMapCount);
  EXPECT_EQ(maps_of_kernel(BenchKernel::dummy3, {"all"}).size(), kTetraMapCount);
  EXPECT_EQ(maps_of_kernel(BenchKernel::gasket, {"all"}).size(), kGasketMapCount);
  const std::vector<std::string> wanted{"lambda", "tetra", "bb", "plain"};
  EXPECT_EQ(maps_of_kernel(BenchKernel::gravity, wanted), (std::vector<std::string>{"lambda", "bb", "plain"}));
  EXPECT_EQ(maps_of_kernel(BenchKernel::triplet, wanted), (std::vector<std::string>{"tetra", "bb", "plain"}));
  EXPECT_EQ(maps_of_kernel(BenchKernel::edm, wanted), (std::vector<std::string>{"lambda", "bb"}));
  EXPECT_NO_THROW(check_maps({BenchKernel::gravity, BenchKernel::triplet}, wanted));
  EXPECT_THROW(check_maps({BenchKernel::gravity}, {"tetra"}), ConfigError);
  EXPECT_THROW(check_maps({BenchKernel::edm}, {"plain"}), ConfigError);
}

TEST(Axes, RepeatedSizesAndAllBesideOthersAreRejected) {
  EXPECT_NE(test::message_of<ConfigError>([] { parse_sizes("--n", "4,2^2"); }).find("holds 4 twice"),
            std::string::npos);
  EXPECT_NE(test::message_of<ConfigError>([] {
              check_maps({BenchKernel::gravity}, {"all", "bb"});
            }).find("stands alone"),
            std::string::npos);
  EXPECT_NO_THROW(check_maps({BenchKernel::gravity}, {"all"}));
}

TEST(Axes, BaselinesMustBeNamedAndAllExcludesThem) {
  const std::vector<std::string> wanted{"fill", "lambda", "lambda-alone", "bb"};
  EXPECT_EQ(maps_of_kernel(BenchKernel::edm, wanted), wanted);
  EXPECT_EQ(maps_of_kernel(BenchKernel::collision, wanted), (std::vector<std::string>{"lambda", "lambda-alone", "bb"}));
  EXPECT_EQ(maps_of_kernel(BenchKernel::dummy, wanted), (std::vector<std::string>{"lambda", "bb"}));
  EXPECT_NO_THROW(check_maps({BenchKernel::dummy, BenchKernel::edm}, wanted));
  EXPECT_THROW(check_maps({BenchKernel::collision}, {"fill"}), ConfigError);
  EXPECT_THROW(check_maps({BenchKernel::gravity}, {"lambda-alone"}), ConfigError);
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    for (const std::string& name : maps_of_kernel(kernel.id, {"all"})) EXPECT_FALSE(find_baseline(name)) << name;
  }
}

std::vector<BenchForm> parse_forms(std::string_view text) { return parse_list("--form", text, kForms); }

/// Each name parses to its own enumerator.
TEST(Axes, NamesOfForms) {
  EXPECT_EQ(parse_forms("automaton,hold"), (std::vector{BenchForm::automaton, BenchForm::hold}));
  EXPECT_EQ(forms_of_kernel(BenchKernel::gasket, parse_forms("compact,hold,automaton")),
            (std::vector{BenchForm::compact, BenchForm::automaton}));
  EXPECT_EQ(forms_of_kernel(BenchKernel::dummy3, parse_forms("compact,store,hold")),
            (std::vector{BenchForm::store, BenchForm::hold}));
  EXPECT_TRUE(forms_of_kernel(BenchKernel::edm, parse_forms("hold")).empty());
  EXPECT_EQ(parse_list("--layout", "condensed,lower,square", kLayouts),
            (std::vector<DistanceLayout>{DistanceLayout::condensed, DistanceLayout::lower, DistanceLayout::square}));
  EXPECT_EQ(parse_dimensions("3,1"), (std::vector<u32>{3, 1}));
  for (const char* name : {"hold", "store", "write", "automaton", "reduce", "compact"}) {
    EXPECT_STREQ(to_string(parse_forms(name).at(0)), name);
  }
  for (const char* name : {"condensed", "square", "lower"}) EXPECT_STREQ(to_string(kLayouts.from(name)), name);
  for (const char* name : {"launches", "graph", "device"}) EXPECT_STREQ(to_string(kRecForms.from(name)), name);
  for (const char* name : {"work", "synchronised", "averaged"}) EXPECT_STREQ(to_string(kTimings.from(name)), name);
  for (const char* name : {"subbox", "lut", "unroll", "sectors"}) {
    EXPECT_STREQ(to_string(kPlacements.from(name)), name);
  }
  EXPECT_EQ(kRecForms.from("device"), RecForm::device);
  EXPECT_EQ(kTimings.from("synchronised"), LaunchTiming::synchronised);
  EXPECT_EQ(parse_list("--placement", "unroll,subbox", kPlacements),
            (std::vector<GasketPlacement>{GasketPlacement::unroll, GasketPlacement::subbox}));
  EXPECT_THROW(parse_forms("hold,hold"), ConfigError);
  EXPECT_THROW(parse_forms("redcue"), ConfigError);
  EXPECT_THROW(parse_dimensions("2"), ConfigError);
}

}  // namespace
}  // namespace tri::app
