// Distances to files: the same bytes whatever the blocks, the backends and the interruptions.

#include "app/commands/distance_job.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "app/support/axes.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/format.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

using test::expect_parts;
using test::message_of;

/// Ends the work when so many values are done; never for 0.
class StopAt final : public ProgressSink {
 public:
  explicit StopAt(double values) : values_(values) {}
  void report(const ProgressReport& report) override {
    if (report.kind != ProgressKind::computing) return;
    EXPECT_GE(report.done, last_);
    last_ = report.done;
    if (values_ > 0 && report.done >= values_) throw InterruptedError("stopped");
  }

 private:
  double values_, last_ = 0;
};

class Distances : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tri-distances-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    for (int b = 0; b < 3; ++b) backends_.push_back(make_backend("cpu"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string text(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  static PointSet points(u32 n) {
    PointSet p{n, 3, std::vector<double>(std::size_t{n} * 3)};
    SplitMix64 random{n};
    for (double& v : p.values) v = random.uniform();
    return p;
  }
  /// Returns the milliseconds; stops at so many values.
  double run(const DistanceJob& job, std::size_t backends = 1, double stop_at = 0) {
    std::FILE* const nowhere = std::fopen("/dev/null", "w");
    double ms = 0;
    try {
      Console console(nowhere, nowhere, Console::Level::normal);
      StopAt sink(stop_at);
      const ScopedProgressSink watching(sink);
      ms = compute_distances(job, std::span(backends_).first(backends), console);
    } catch (...) {
      std::fclose(nowhere);
      throw;
    }
    std::fclose(nowhere);
    return ms;
  }

  std::filesystem::path folder_;
  std::vector<std::unique_ptr<Backend>> backends_;
};

DistanceJob job_of(const PointSet& points, DistanceLayout layout, const std::string& output, u32 at_once = 0,
                   Precision precision = Precision::fp64) {
  DistanceJob job{points, layout, {}, output, at_once};
  job.engine.precision = precision, job.engine.threads = 2;
  return job;
}

TEST_F(Distances, AsTextAndAsArrays) {
  const PointSet line{3, 1, {0, 0.1, 2}};
  run(job_of(line, DistanceLayout::condensed, path("d.csv")));
  EXPECT_EQ(text(path("d.csv")), "0.1\n2\n1.9\n");
  run(job_of(line, DistanceLayout::square, path("s.csv"), 2));
  EXPECT_EQ(text(path("s.csv")), "0,0.1,2\n0.1,0,1.9\n2,1.9,0\n");
  run(job_of(line, DistanceLayout::condensed, path("d.npy")));
  const PointSet back = read_points(path("d.npy"));
  EXPECT_EQ(back.n, 3u);
  EXPECT_EQ(back.features, 1u);
  EXPECT_EQ(back.values, (std::vector<double>{0.1, 2, 1.9}));
  run(job_of(line, DistanceLayout::square, path("s.npy"), 1));
  EXPECT_EQ(read_points(path("s.npy")).features, 3u);
}

TEST_F(Distances, BytesDependNeitherOnBlocksNorOnBackends) {
  for (const u32 n : {1u, 2u, 3u, 101u}) {
    const PointSet p = points(n);
    for (const DistanceLayout layout : kDistanceLayouts) {
      for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        for (const char* name : {"d.npy", "d.h5", "d.csv"}) {
          run(job_of(p, layout, path(name), 0, precision));
          const std::string whole = text(path(name));
          for (const u32 at_once : {1u, 7u, n, n + 9}) {
            for (const std::size_t backends : {1, 3}) {
              std::filesystem::remove(path(name));
              run(job_of(p, layout, path(name), at_once, precision), backends);
              ASSERT_TRUE(text(path(name)) == whole) << name << ", n " << n << ", " << at_once << ", " << backends;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"d.csv", "d.h5", "d.npy"}));
}

TEST_F(Distances, Hdf5HasTheValuesOfTheReference) {
  const PointSet p = points(300);
  for (const DistanceLayout layout : kDistanceLayouts) {
    const std::vector<double> expected = reference_distances(p, layout);
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      run(job_of(p, layout, path("d.hdf5"), 11, precision));
      const io::Hdf5Input file(path("d.hdf5"));
      EXPECT_EQ(file.integer("distances", "points"), 300u);
      EXPECT_EQ(file.text("distances", "layout"), to_string(layout));
      const io::Hdf5Shape shape = file.shape("distances");
      ASSERT_EQ(shape.rows * shape.columns, expected.size());
      ASSERT_EQ(shape.dimensions, layout == DistanceLayout::square ? 2u : 1u);
      const u64 step = 4000 / shape.columns;
      for (u64 first = 0; first < shape.rows; first += step) {
        const auto got = file.rows("distances", first, std::min(step, shape.rows - first));
        for (std::size_t k = 0; k < got.size(); ++k) {
          ASSERT_NEAR(got[k], expected[first * shape.columns + k], precision == Precision::fp32 ? 1e-6 : 1e-14);
        }
      }
    }
  }
}

// Many chunks of HDF5, in one and in two dimensions: their index has its room before the values.
TEST_F(Distances, Hdf5OfManyChunks) {
  for (const auto& [shape, name] :
       {std::pair{io::Hdf5Shape{u64{1} << 40, 1, 1}, "line.h5"},
        std::pair{io::Hdf5Shape{1000003, 1000003, 2}, "square.h5"},
        std::pair{io::Hdf5Shape{4096, 262144, 2}, "wide.h5"}, std::pair{io::Hdf5Shape{131073, 1, 1}, "two.h5"}}) {
    io::OutputFile file(path(name));
    io::Hdf5Output output(file, shape);
    const u64 begin = output.reserve("distances", io::Hdf5Type::real64, shape);
    output.attribute("distances", "points", u64{7});
    output.close();
    EXPECT_GT(begin, 0u);
    EXPECT_LT(begin, u64{1} << 20) << name;
  }
  io::OutputFile file(path("huge.h5"));
  const io::Hdf5Shape huge{u64{1} << 31, u64{1} << 31, 2};
  io::Hdf5Output output(file, huge);
  expect_parts(message_of<FileError>([&] { output.reserve("distances", io::Hdf5Type::real64, huge); }),
               {"huge.h5", "4 GiB", ".npy"});
}

TEST_F(Distances, InterruptedAnywhereTheSameBytes) {
  const PointSet p = points(120);
  for (const DistanceLayout layout : kDistanceLayouts) {
    const auto count = static_cast<double>(distance_count(p.n, layout));
    for (const char* name : {"d.npy", "d.h5", "d.csv"}) {
      run(job_of(p, layout, path("whole_") + name, 0));
      const std::string whole = text(path("whole_") + name);
      for (const u32 at_once : {1u, 7u, 500u}) {
        double reached = 0;
        for (const double part : {1e-9, 0.2, 0.5, 0.51, 0.9, 0.0}) {
          const DistanceJob job = job_of(p, layout, path(name), at_once);
          if (part == 0) {
            run(job, 3);
            break;
          }
          if (at_once == 500 && part > 1e-8) continue;  // one block
          const std::string message =
              message_of<InterruptedError>([&] { run(job, 2, std::max(1.0, std::max(part * count, reached))); });
          expect_parts(message, {"interrupted after ", " of 120 rows", std::string(name) + ".part", "same command"});
          reached = part * count;
          EXPECT_FALSE(std::filesystem::exists(path(name)));
        }
        ASSERT_TRUE(text(path(name)) == whole) << name << ", layout " << static_cast<int>(layout) << ", " << at_once;
        std::filesystem::remove(path(name));
      }
    }
  }
}

TEST_F(Distances, AnotherJobDoesNotGoOn) {
  const PointSet p = points(50);
  const auto half = 50.0 * 49 / 4;
  DistanceJob job = job_of(p, DistanceLayout::condensed, path("d.npy"), 5);
  EXPECT_THROW(run(job, 1, half), InterruptedError);
  const auto refused = [&](const DistanceJob& other, const char* what) {
    expect_parts(message_of<FileError>([&] { run(other); }), {"cannot go on with", "d.npy.part", what, "delete"});
  };
  PointSet moved = p;
  moved.values.back() = std::nextafter(moved.values.back(), 2);
  refused(job_of(moved, DistanceLayout::condensed, path("d.npy"), 5), "points");
  refused(job_of(p, DistanceLayout::lower, path("d.npy"), 5), "layout condensed, and this is lower");
  refused(job_of(p, DistanceLayout::condensed, path("d.npy"), 5, Precision::fp32), "precision fp64, and this is fp32");
  // Blocks and maps have no part in the bits; and without the option the part is found all the same.
  job.rows_at_once = 0, job.engine.pair_map = TriangleMapId::bb;
  run(job);
  const std::string resumed = text(path("d.npy"));
  run(job_of(p, DistanceLayout::condensed, path("d.npy")));
  EXPECT_TRUE(text(path("d.npy")) == resumed);
  EXPECT_EQ(names(), (std::vector<std::string>{"d.npy"}));
}

TEST_F(Distances, WhatIsNotFiniteLeavesNothing) {
  PointSet p = points(40);
  p.values[3 * 30] = -1e308, p.values[0] = 1e308;
  expect_parts(message_of<NumericalError>([&] { run(job_of(p, DistanceLayout::lower, path("d.npy"), 4)); }),
               {"distance 465 (from 0", "fp64", "smaller units"});
  EXPECT_EQ(names(), std::vector<std::string>());
  EXPECT_THROW(run(job_of(p, DistanceLayout::lower, path("d.npy"))), NumericalError);
  EXPECT_EQ(names(), std::vector<std::string>());
}

TEST_F(Distances, SmallOutputsLeaveNothingWhenInterrupted) {
  const PointSet p = points(2000);
  EXPECT_THROW(run(job_of(p, DistanceLayout::condensed, path("d.npy")), 1, 1), InterruptedError);
  EXPECT_EQ(names(), std::vector<std::string>());
}

}  // namespace
}  // namespace tri::app
