// Options of device reports: --compare and --threshold, formats by the name of the file, kinds of figures.

#include <gtest/gtest.h>

#include <string>

#include "sim/base/error.hpp"
#include "tests/app/options/options_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

TEST(ReportOptions, OfABenchThatIsCompared) {
  const BenchOptions bench =
      parsed("bench --preset device-report --compare old.json --threshold 1.1 -o new.json").bench;
  EXPECT_EQ(bench.preset, "device-report");
  EXPECT_EQ(bench.compare, "old.json");
  EXPECT_DOUBLE_EQ(bench.threshold, 1.1);
  EXPECT_DOUBLE_EQ(parsed("bench --compare old.json").bench.threshold, 1.05);
  EXPECT_DOUBLE_EQ(parsed("bench --compare old.json --threshold 1").bench.threshold, 1);
}

TEST(ReportOptions, OfFigures) {
  for (const char* name : {"f.svg", "f.html", "f.png", "f.pdf"}) {
    EXPECT_EQ(parsed(std::string("plot a.json -o ") + name).plot.output, name);
  }
  EXPECT_EQ(parsed("plot a.json -o f.svg").plot.kind, PlotKind::automatic);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind report").plot.kind, PlotKind::report);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind both").plot.kind, PlotKind::both);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind rate").plot.kind, PlotKind::rate);
}

TEST(ReportOptions, AreRefusedWithAReason) {
  const std::pair<const char*, const char*> refused[] = {
      {"bench --threshold 1.1", "--threshold is read by --compare"},
      {"bench --compare a.json --threshold 0.9", "--threshold 0.9 is below 1"},
      {"bench --compare a.json --threshold x", "--threshold"},
      {"bench --dry-run --compare a.json", "leave --compare out"},
      {"bench --tune --compare a.json", "leave --compare out"},
      {"bench --preset device-reports", "Did you mean 'device-report'?"},
      {"plot a.json -o f.gif", "a figure is written as .svg, .html, .png or .pdf"},
      {"plot a.json -o f.svg --kind page", "--kind takes"},
  };
  for (const auto& each : refused) {
    test::expect_parts(test::message_of<ConfigError>([&] { parsed(each.first); }), {each.second});
  }
}

}  // namespace
}  // namespace tri::app
