/// Progress of file work: every reader and writer reports to the sink, and stops when the sink throws.

#include "sim/base/progress.hpp"

#include <chrono>
#include <thread>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

constexpr std::size_t kBodies = 130'000;  // some megabytes in every format

struct Seen {
  ProgressKind kind;
  std::string name;
  double done, whole;
};

/// Records all reports, and throws at a fraction of the work.
class Recorder final : public ProgressSink {
 public:
  explicit Recorder(double end_at = 2) : end_at_(end_at) {}
  void report(const ProgressReport& r) override {
    seen.push_back({r.kind, r.name, r.done, r.total});
    if (r.done >= end_at_ * r.total) throw InterruptedError("stopped by the test.");
  }
  std::vector<Seen> seen;

 private:
  double end_at_;
};

class ProgressOfFormats : public testing::TestWithParam<const char*> {};

TEST_P(ProgressOfFormats, IsReported) {
  TempFolder folder;
  const std::string path = folder.at(std::string("a") + GetParam());
  Bodies bodies = awkward_narrow_bodies(kBodies);
  make_storable(path, bodies, 0);
  Recorder recorder;
  {
    const ScopedProgressSink scope(recorder);
    write_bodies(path, bodies);
    expect_same_bodies(read_bodies(path), bodies);
  }
  for (const ProgressKind kind : {ProgressKind::writing, ProgressKind::reading}) {
    std::vector<Seen> of_kind;
    for (const Seen& one : recorder.seen) {
      if (one.kind == kind) of_kind.push_back(one);
    }
    ASSERT_GE(of_kind.size(), 3u);
    double before = 0;
    for (const Seen& one : of_kind) {
      EXPECT_EQ(one.name, path);
      EXPECT_EQ(one.whole, of_kind[0].whole);
      EXPECT_LE(before, one.done);
      before = one.done;
    }
    EXPECT_LE(of_kind.front().done, 0.5 * of_kind[0].whole);
    EXPECT_GE(before, 0.5 * of_kind[0].whole);
    EXPECT_LE(before, of_kind[0].whole);
  }
  const std::size_t reports = recorder.seen.size();
  read_bodies(path);
  EXPECT_EQ(recorder.seen.size(), reports) << "the scope has ended";
}

TEST_P(ProgressOfFormats, SinkCanStopTheWork) {
  TempFolder folder;
  const std::string path = folder.file(std::string("a") + GetParam(), "an earlier file");
  Bodies bodies = awkward_narrow_bodies(kBodies);
  make_storable(path, bodies, 0);
  Recorder stopper(0.4);
  const std::string before = content_of(path);
  {
    const ScopedProgressSink scope(stopper);
    EXPECT_THROW(write_bodies(path, bodies), InterruptedError);
  }
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(folder.names().size(), 1u) << "no temporary file";
  write_bodies(path, bodies);
  {
    const ScopedProgressSink scope(stopper);
    EXPECT_THROW(read_bodies(path), InterruptedError);
  }
  expect_same_bodies(read_bodies(path), bodies);  // a file left open would block this
}

INSTANTIATE_TEST_SUITE_P(Every, ProgressOfFormats,
                         testing::Values(".tab", ".csv", ".npy", ".hdf5", ".tipsy", ".tipsy-le", ".tipsy-64", ".xyz",
                                         ".ply", ".vtp"),
                         [](const auto& one) {
                           std::string name = one.param + 1;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ScopedProgressSink, RestoresTheOuterSink) {
  Recorder outer, inner;
  const std::string name = "work";
  const ScopedProgressSink first(outer);
  {
    const ScopedProgressSink second(inner);
    report_progress(ProgressKind::computing, name, 1, 2);
  }
  report_progress(ProgressKind::computing, name, 2, 2);
  ASSERT_EQ(inner.seen.size(), 1u);
  ASSERT_EQ(outer.seen.size(), 1u);
  EXPECT_EQ(outer.seen[0].done, 2);
}

TEST(LoopProgress, ReportsNamedWorkAboutAHundredTimes) {
  Recorder recorder;
  const ScopedProgressSink scope(recorder);
  LoopProgress nameless(1000);
  for (u64 i = 1; i <= 1000; ++i) nameless.at(i);
  EXPECT_TRUE(recorder.seen.empty());
  const ScopedTask name("counting");
  for (const u64 whole : {u64{5}, u64{1000}, u64{1'000'000}}) {
    recorder.seen.clear();
    LoopProgress loop(whole);
    for (u64 i = 1; i <= whole; ++i) loop.at(i);
    EXPECT_GE(recorder.seen.size(), std::min<u64>(whole, 100));
    EXPECT_LE(recorder.seen.size(), 150u);
    EXPECT_EQ(recorder.seen[0].name, "counting");
    EXPECT_EQ(recorder.seen.back().whole, static_cast<double>(whole));
    EXPECT_GE(recorder.seen.back().done, 0.98 * static_cast<double>(whole));
  }
}

/// Work of hours is not told a hundred times, but so often that it can be cancelled soon.
TEST(LoopProgress, LongWorkIsReportedEveryTenthOfASecond) {
  Recorder recorder;
  const ScopedProgressSink scope(recorder);
  const ScopedTask name("waiting");
  LoopProgress loop(1'000'000'000);
  for (u64 i = 1; i <= 300; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    loop.at(20 * i);
  }
  EXPECT_GE(recorder.seen.size(), 8u) << "in 0.6 s";
}

}  // namespace
}  // namespace tri::test
