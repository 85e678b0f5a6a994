// Commands: result files, distances, runs.
//
// Result files: shapes, order, and exact round trips.

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/commands/compute.hpp"
#include "app/commands/run.hpp"
#include "app/options/options.hpp"
#include "app/support/console.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/io/format.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app {
namespace {

using test::content_of;
using test::expect_parts;

using ComputeOutput = test::InFolder;

TEST_F(ComputeOutput, Triplets) {
  TripleCounts r{2, {0, 7, 0, 3, 0, 0, 0, 0}, 0, 10, 0};  // bins (0, 0, 1) and (0, 1, 1)
  const SideBins bins{{0, 0.5, 2}};
  write_triple_counts(path("t.csv"), bins, r);
  EXPECT_EQ(content_of(path("t.csv")),
            "low1,high1,low2,high2,low3,high3,count\n0,0.5,0,0.5,0.5,2,7\n0,0.5,0.5,2,0.5,2,3\n");
  write_triple_counts(path("t.npy"), bins, r);
  const std::string bytes = content_of(path("t.npy"));
  expect_parts(bytes, {"'shape': (2, 2, 2), ", "'descr': '<i8'"});
  std::vector<i64> values(8);
  ASSERT_GE(bytes.size(), 64u);
  std::memcpy(values.data(), bytes.data() + bytes.size() - 64, 64);
  EXPECT_EQ(values, (std::vector<i64>{0, 7, 0, 3, 0, 0, 0, 0}));
  r.counts[1] = (u64{1} << 53) + 1;  // no float64
  write_triple_counts(path("t.npy"), bins, r);
  const std::string exact = content_of(path("t.npy"));
  std::memcpy(values.data(), exact.data() + exact.size() - 64, 64);
  EXPECT_EQ(values[1], (i64{1} << 53) + 1);
  r.counts[1] = u64{1} << 63;
  EXPECT_THROW(write_triple_counts(path("t.npy"), bins, r), FileError);
  EXPECT_EQ(content_of(path("t.npy")), exact) << "the earlier file stays";
}

TEST_F(ComputeOutput, PairsCountsAndForces) {
  write_pairs(path("p.csv"), {{0, 1}, {7, 4000000000u}});
  EXPECT_EQ(content_of(path("p.csv")), "i,j\n0,1\n7,4000000000\n");
  write_pairs(path("none.csv"), {});
  EXPECT_EQ(content_of(path("none.csv")), "i,j\n");
  write_pairs(path("p.npy"), {{0, 1}, {7, 4000000000u}});
  EXPECT_NE(content_of(path("p.npy")).find("'descr': '<i8'"), std::string::npos);
  write_counts(path("c.npy"), {2, 0, 1});
  EXPECT_NE(content_of(path("c.npy")).find("'descr': '<i8'"), std::string::npos);
  write_counts(path("c.csv"), {2, 0, 1});
  EXPECT_EQ(content_of(path("c.csv")), "body,contacts\n0,2\n1,0\n2,1\n");
  const std::vector<double> fx{1, 2}, fy{3, 4}, fz{5, 6.25};
  write_forces(path("f.csv"), fx, fy, fz);
  EXPECT_EQ(content_of(path("f.csv")), "fx,fy,fz\n1,3,5\n2,4,6.25\n");
  write_forces(path("f.npy"), fx, fy, fz);
  const PointSet back = read_points(path("f.npy"));
  EXPECT_EQ(back.features, 3u);
  EXPECT_EQ(back.values, (std::vector<double>{1, 3, 5, 2, 4, 6.25}));
}

// More rows than one chunk of the writer holds.
TEST_F(ComputeOutput, ManyRowsInChunks) {
  constexpr u32 kRows = 24001;
  std::vector<double> fx, fy, fz;
  std::vector<u32> counts;
  std::vector<std::pair<u32, u32>> pairs;
  for (u32 i = 0; i < kRows; ++i) {
    fx.push_back(i / 7.0), fy.push_back(-i / 3.0), fz.push_back(1e300 / (i + 1));
    counts.push_back(i * 2654435761u), pairs.emplace_back(i, i + 4000000000u - kRows);
  }
  for (const char* name : {"f.npy", "f.csv"}) {
    write_forces(path(name), fx, fy, fz);
    const PointSet read = read_points(path(name));
    ASSERT_EQ(read.n, kRows);
    ASSERT_EQ(read.features, 3u);
    for (u32 i = 0; i < kRows; ++i) {
      ASSERT_TRUE(read.values[3 * i] == fx[i] && read.values[3 * i + 1] == fy[i] && read.values[3 * i + 2] == fz[i])
          << i;
    }
  }
  for (const char* name : {"p.npy", "p.csv"}) {
    write_pairs(path(name), pairs);
    const PointSet read = read_points(path(name));
    ASSERT_EQ(read.values.size(), 2 * std::size_t{kRows});
    for (u32 i = 0; i < kRows; ++i) {
      ASSERT_TRUE(read.values[2 * i] == pairs[i].first && read.values[2 * i + 1] == pairs[i].second) << i;
    }
  }
  write_counts(path("c.npy"), counts);
  const PointSet read = read_points(path("c.npy"));
  ASSERT_EQ(read.values, std::vector<double>(counts.begin(), counts.end()));
}

// Distances to files: the same bytes whatever the blocks, the backends and the interruptions.

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

class Distances : public test::InFolder {
 protected:
  void SetUp() override {
    for (int b = 0; b < 3; ++b) backends_.push_back(make_backend("cpu"));
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

  std::vector<std::unique_ptr<Backend>> backends_;
};

DistanceJob job_of(const PointSet& points, DistanceLayout layout, const std::string& output, u32 at_once = 0,
                   Precision precision = Precision::fp64) {
  DistanceJob job{points, layout, {}, output, at_once, {}};
  job.engine.precision = precision, job.engine.threads = 2;
  return job;
}

TEST_F(Distances, AsTextAndAsArrays) {
  const PointSet line{3, 1, {0, 0.1, 2}};
  run(job_of(line, DistanceLayout::condensed, path("d.csv")));
  EXPECT_EQ(content_of(path("d.csv")), "0.1\n2\n1.9\n");
  run(job_of(line, DistanceLayout::square, path("s.csv"), 2));
  EXPECT_EQ(content_of(path("s.csv")), "0,0.1,2\n0.1,0,1.9\n2,1.9,0\n");
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
          const std::string whole = content_of(path(name));
          for (const u32 at_once : {1u, 7u, n, n + 9}) {
            for (const std::size_t backends : {1, 3}) {
              std::filesystem::remove(path(name));
              run(job_of(p, layout, path(name), at_once, precision), backends);
              ASSERT_TRUE(content_of(path(name)) == whole)
                  << name << ", n " << n << ", " << at_once << ", " << backends;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"d.csv", "d.h5", "d.npy"}));
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
      ASSERT_EQ(shape.dimensions, layout == DistanceLayout::square || layout == DistanceLayout::blocks ? 2u : 1u);
      EXPECT_EQ(shape.columns == 1024, layout == DistanceLayout::blocks);
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
      const std::string whole = content_of(path("whole_") + name);
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
          expect_parts(message, {"interrupted after ", " of 120 rows", "which are kept", "same command"});
          reached = part * count;
          EXPECT_FALSE(std::filesystem::exists(path(name)));
        }
        ASSERT_TRUE(content_of(path(name)) == whole)
            << name << ", layout " << static_cast<int>(layout) << ", " << at_once;
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
  const std::string resumed = content_of(path("d.npy"));
  run(job_of(p, DistanceLayout::condensed, path("d.npy")));
  EXPECT_TRUE(content_of(path("d.npy")) == resumed);
  EXPECT_EQ(folder_.names(), (std::vector<std::string>{"d.npy"}));
}

TEST_F(Distances, WhatIsNotFiniteLeavesNothing) {
  PointSet p = points(40);
  p.values[3 * 30] = -1e308, p.values[0] = 1e308;
  expect_parts(message_of<NumericalError>([&] { run(job_of(p, DistanceLayout::lower, path("d.npy"), 4)); }),
               {"distance 465 (from 0", "fp64", "smaller units"});
  EXPECT_EQ(folder_.names(), std::vector<std::string>());
  EXPECT_THROW(run(job_of(p, DistanceLayout::lower, path("d.npy"))), NumericalError);
  EXPECT_EQ(folder_.names(), std::vector<std::string>());
}

TEST_F(Distances, SmallOutputsLeaveNothingWhenInterrupted) {
  const PointSet p = points(2000);
  EXPECT_THROW(run(job_of(p, DistanceLayout::condensed, path("d.npy")), 1, 1), InterruptedError);
  EXPECT_EQ(folder_.names(), std::vector<std::string>());
}

// The parts of a headless run: its scene, file names, orbits, summary.

Scene scene(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "run"});
  return scene_of(parse_options(arguments));
}

TEST(RunScene, OptionsAreKeysOfANamedScene) {
  const Scene s = scene({"plummer:n=50", "--steps", "1", "--seed", "9", "--dt", "0.125", "--eps", "0.5", "--G", "2",
                         "--integrator", "yoshida4"});
  const Scene same = make_scene("plummer:n=50,seed=9,G=2,eps=0.5");
  EXPECT_EQ(s.bodies.x, same.bodies.x);
  EXPECT_EQ(s.bodies.vx, same.bodies.vx);
  EXPECT_EQ(s.dt, 0.125);
  EXPECT_EQ(s.field.gravity.softening, 0.5);
  EXPECT_EQ(s.field.gravity.G, 2.0);
  EXPECT_EQ(s.integrator, Integrator::yoshida4);
  EXPECT_NE(scene({"plummer:n=50", "--steps", "1", "--seed", "8"}).bodies.x, same.bodies.x);
}

TEST(RunScene, AKeyAfterABareName) {
  EXPECT_EQ(scene({"kepler", "--steps", "1", "--dt", "0.5"}).dt, 0.5);
  EXPECT_EQ(scene({"kepler:e=0.25", "--steps", "1", "--dt", "0.5"}).dt, 0.5);
}

TEST(RunScene, NothingIsIgnoredOrRepeated) {
  EXPECT_THROW(scene({"kepler", "--steps", "1", "--seed", "3"}), ConfigError);     // has no seed
  EXPECT_THROW(scene({"sphere-box", "--steps", "1", "--eps", "3"}), ConfigError);  // has no softening
  EXPECT_THROW(scene({"plummer:seed=1", "--steps", "1", "--seed", "3"}), ConfigError);
  EXPECT_THROW(scene({"plumer", "--steps", "1"}), ConfigError);
  EXPECT_THROW(scene({"nothing.csv", "--steps", "1"}), FileError);
}

TEST(RunScene, ParametersOfLawsGoToKeysOfTheSceneOrToItsLaws) {
  const std::string file = TRI_TEST_DATA "/solar_system.tab";
  const auto field = [&](std::vector<std::string> options) {
    options.insert(options.begin() + 1, {"--steps", "1"});
    return scene(options).field;
  };
  const ForceField lj = field({file, "--law", "lj", "--sigma", "0.5", "--epsilon", "2", "--cutoff", "3", "--shifted"});
  EXPECT_EQ(lj.lennard_jones.sigma, 0.5);
  EXPECT_EQ(lj.lennard_jones.epsilon, 2);
  EXPECT_EQ(lj.lennard_jones.cutoff, 3);
  EXPECT_TRUE(lj.lennard_jones.shifted);
  EXPECT_EQ(field({"plummer:n=9", "--law", "lj", "--sigma", "0.25"}).lennard_jones.sigma, 0.25);
  EXPECT_EQ(field({"argon-droplet:n=9", "--nu", "0"}).triple, make_scene("argon-droplet:n=9,nu=0").field.triple);
  EXPECT_EQ(field({"argon-droplet:n=9", "--law", "gravity", "--eps", "0.5"}).gravity.softening, 0.5);
  const ForceField hard = field({file, "--law", "contact", "--response", "impulses", "--restitution", "0.5"});
  EXPECT_TRUE(hard.contact.impulse && hard.contact.restitution == 0.5);
  EXPECT_TRUE(field({"falling-pile:n=9", "--response", "impulses"}).contact.impulse);
  for (const std::vector<std::string>& idle :
       std::vector<std::vector<std::string>>{{file, "--sigma", "0.5"},
                                             {"plummer:n=9", "--law", "lj", "--eps", "0.5"},
                                             {"argon-droplet:n=9", "--eps", "0.5"},
                                             {file, "--law", "lj", "--shifted"},
                                             {file, "--law", "contact", "--restitution", "0.5"},
                                             {file, "--law", "contact", "--response", "impulses", "--stiffness", "5"},
                                             {file, "--law", "-mi*mj/r", "--nu", "1"}}) {
    EXPECT_THROW(field(idle), ConfigError) << idle.back();
  }
}

TEST(RunScene, AFileAcceptsTheSameOptions) {
  const Scene s = scene({TRI_TEST_DATA "/solar_system.tab", "--steps", "1", "--eps", "0.25", "--dt", "0.5"});
  EXPECT_EQ(s.bodies.size(), 9u);
  EXPECT_EQ(s.field.gravity.softening, 0.25);
  EXPECT_EQ(s.dt, 0.5);
}

TEST(Snapshots, FileNumbersHaveTheDigitsOfTheLastStep) {
  EXPECT_EQ(snapshot_name("a_{step}.csv", 7, 1000), "a_0007.csv");
  EXPECT_EQ(snapshot_name("{step}/{step}.npy", 12, 99), "12/12.npy");
}

/// The due steps among 1 .. last.
std::vector<u64> due_steps(const SaveEvery& every, double dt, u64 last) {
  const SaveSchedule schedule(every, dt, 0);
  std::vector<u64> steps;
  for (u64 step = 1; step <= last; ++step) {
    if (schedule.due(step, static_cast<double>(step) * dt, 1e9)) steps.push_back(step);
  }
  return steps;
}

TEST(SaveSchedule, ByStepsAndByTime) {
  using By = SaveEvery::By;
  EXPECT_EQ(due_steps({By::never, 0, 0}, 0.1, 20), (std::vector<u64>{}));
  EXPECT_EQ(due_steps({By::steps, 7, 0}, 0.1, 20), (std::vector<u64>{7, 14}));
  EXPECT_EQ(due_steps({By::time, 0, 0.1}, 0.1, 5), (std::vector<u64>{1, 2, 3, 4, 5}));
  EXPECT_EQ(due_steps({By::time, 0, 0.25}, 0.1, 12), (std::vector<u64>{3, 5, 8, 10}));  // 2.5 and 7.5 round up
  EXPECT_EQ(due_steps({By::time, 0, 0.3}, 0.01, 100), (std::vector<u64>{30, 60, 90}));
  EXPECT_THROW(SaveSchedule({By::time, 0, 0.09}, 0.1, 0), ConfigError);
}

TEST(SaveSchedule, NextFindsTheDueStepFromAnyStep) {
  using By = SaveEvery::By;
  for (const SaveEvery& every : {SaveEvery{By::steps, 6, 0}, SaveEvery{By::time, 0, 0.0617}}) {
    const SaveSchedule schedule(every, 0.01, 0);
    const std::vector<u64> due = due_steps(every, 0.01, 200);
    ASSERT_GT(due.size(), 30u);
    for (u64 step = 0; step < due[30]; ++step) {
      const u64 next = *std::upper_bound(due.begin(), due.end(), step);
      ASSERT_EQ(schedule.steps_to_next(step), next - step) << step;
    }
  }
  EXPECT_EQ(SaveSchedule({By::wall, 0, 3}, 0.1, 0).steps_to_next(5), SaveSchedule::kNever);
}

TEST(SaveSchedule, ATimeBeyondAllStepsIsNeverDue) {
  for (const double amount : {1e17, 1e25, 1e300, 1.7e308}) {
    const SaveEvery every{SaveEvery::By::time, 0, amount};
    const SaveSchedule schedule(every, 0.01, 0);
    EXPECT_GT(schedule.steps_to_next(0), u64{1} << 53) << amount;
    EXPECT_GT(schedule.steps_to_next(1000), u64{1} << 53) << amount;
    EXPECT_EQ(due_steps(every, 0.01, 50), (std::vector<u64>{})) << amount;
  }
}

TEST(SaveSchedule, AutomaticStepsMeetEveryTime) {
  const SaveSchedule schedule({SaveEvery::By::time, 0, 0.1}, 0, 0);
  double time = 0;
  for (int k = 1; k <= 1000; ++k) {
    EXPECT_FALSE(schedule.due(7, time + 0.03, 0));
    time = schedule.next_time(time);
    ASSERT_EQ(time, k * 0.1);
    ASSERT_TRUE(schedule.due(7, time, 0));
  }
  EXPECT_FALSE(schedule.due(0, 0, 0)) << "the first state";
  EXPECT_EQ(schedule.steps_to_next(5), SaveSchedule::kNever);
  EXPECT_EQ(SaveSchedule({SaveEvery::By::time, 0, 1e-300}, 0, 0).next_time(1), HUGE_VAL);
  EXPECT_EQ(SaveSchedule({SaveEvery::By::steps, 5, 0}, 0, 0).next_time(1), HUGE_VAL);
}

TEST(SaveSchedule, ByWallClockSinceTheLastOne) {
  SaveSchedule schedule({SaveEvery::By::wall, 0, 10}, 0.1, 100);
  EXPECT_FALSE(schedule.due(3, 0, 109.9));
  EXPECT_TRUE(schedule.due(3, 0, 110));
  schedule.saved(113);
  EXPECT_FALSE(schedule.due(4, 0, 122.9));
  EXPECT_TRUE(schedule.due(4, 0, 123));
}

TEST(Progress, OfAutomaticStepsGoesByTime) {
  EXPECT_EQ(progress_text(7.0, 70.0, 1200, 0, 0), "t = 7 of 70 (10 %), step 1,200");
  EXPECT_EQ(progress_text(35.0, 70.0, 1200, 500, 2), "t = 35 of 70 (50 %), step 1,200, 250 steps/s");
}

TEST(Progress, ReportsTheTimeLeft) {
  EXPECT_EQ(progress_text(0, 1000, 0, 0), "step 0 of 1,000 (0 %)");
  EXPECT_EQ(progress_text(2500, 10000, 500, 2), "step 2,500 of 10,000 (25 %), 250 steps/s, 30 s left");
  EXPECT_EQ(progress_text(999, 1000, 999, 999), "step 999 of 1,000 (99 %), 1 steps/s, 1 s left");
  EXPECT_EQ(wall_text(59.4), "59 s");
  EXPECT_EQ(wall_text(200), "3 min 20 s");
  EXPECT_EQ(wall_text(5 * 3600 + 12 * 60 + 3), "5 h 12 min");
  EXPECT_EQ(wall_text(3 * 86400 + 4.5 * 3600), "3 d 4 h");
}

TEST(Orbits, KnownEllipse) {
  // a = 2, e = 0.5 about a mass of 3 with a companion of 1, mu = G 4 = 8: at pericentre r = 1, v^2 = mu (1+e)/(a(1-e))
  // = 12.
  Bodies b;
  b.add(1, 2, 3, 0.5, 0, 0, 3);
  b.add(1, 3, 3, 0.5, 0, std::sqrt(12.0), 1);
  const auto orbits = osculating_orbits(b, 2.0);
  ASSERT_EQ(orbits.size(), 1u);
  EXPECT_EQ(orbits[0].body, 1u);
  EXPECT_NEAR(orbits[0].semi_major_axis.value(), 2.0, 1e-13);
  EXPECT_NEAR(orbits[0].eccentricity.value(), 0.5, 1e-13);
  EXPECT_NEAR(orbits[0].period.value(), 2 * std::numbers::pi, 1e-12);  // 2 pi sqrt(8 / 8)
}

TEST(Orbits, SolarSystem) {
  const Scene s = scene({TRI_TEST_DATA "/solar_system.tab", "--steps", "1"});
  const double known[] = {0.3871, 0.72333, 1.00001, 1.52367, 5.20223, 9.57493, 19.29163, 30.2869};
  const auto orbits = osculating_orbits(s.bodies, 1.0);
  ASSERT_EQ(orbits.size(), 8u);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(orbits[i].semi_major_axis.value(), known[i], 6e-6 * known[i]) << i;
}

TEST(Orbits, AnEscapeHasNoPeriod) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1);
  b.add(1, 0, 0, 0, 3, 0, 0);
  const auto orbits = osculating_orbits(b, 1.0);
  EXPECT_LT(orbits[0].semi_major_axis.value(), 0);
  EXPECT_GT(orbits[0].eccentricity.value(), 1);
  EXPECT_FALSE(orbits[0].period);
}

TEST(Orbits, WhereThereIsNoneWordsSayWhy) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 0.5);
  b.add(1, 0, 0, 0, std::sqrt(2.0), 0, 0.5);  // a parabola
  b.add(0, 0, 0, 1, 0, 0, 1);
  b.add(1, 0, 0, 0, 3, 0, 0);
  const std::string of_mass = orbits_table(osculating_orbits(b, 1.0), 9, nullptr);
  test::expect_parts(of_mass, {"parabola       1.00000", "at body 0", "-0.0625 ", "unbound"});
  b.m = {0, 1, 0, 0};
  const auto none = osculating_orbits(b, 1.0);
  EXPECT_TRUE(none[0].semi_major_axis.has_value() || none[0].eccentricity.has_value()) << "a companion has mass";
  EXPECT_FALSE(none[2].semi_major_axis || none[2].eccentricity || none[2].period);
  const std::string massless = orbits_table(none, 9, nullptr);
  test::expect_parts(massless, {"no mass"});
  for (const std::string& text : {of_mass, massless}) {
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  }
}

TEST(Orbits, TheTableSaysItsUnits) {
  const std::vector<Orbit> orbits{{1, 2.5, 0.25, 12.345}, {2, 30, 0.5, 678}, {3, 1, 0, 1}};
  const std::string plain = orbits_table(orbits, 2, nullptr);
  EXPECT_EQ(plain, orbits_table(orbits, 2, find_unit_system("nbody")));
  EXPECT_EQ(plain,
            "osculating orbits about body 0\nbody  semi-major axis  eccentricity  period\n"
            "   1          2.50000       0.25000  12.345\n   2         30.00000       0.50000     678\nand 1 more\n");
  const std::string au = orbits_table(orbits, 3, find_unit_system("au-yr-msun"));
  EXPECT_EQ(au.find("and"), std::string::npos) << au;
  test::expect_parts(au, {"body  semi-major axis, AU  eccentricity  period, yr\n", "2.50000", "12.345"});
  test::expect_parts(orbits_table(orbits, 3, find_unit_system("kpc-kms-msun")),
                     {"semi-major axis, kpc", "period, Myr"});
}

TEST(Summary, MomentumDriftIsRelativeToTheKineticScale) {
  DiagnosticsRow first, last;
  first.values.mass = last.values.mass = 2;
  first.values.kinetic = 1, last.values.kinetic = 4;  // sqrt(2 * 4 * 2) = 4
  last.values.momentum = {0, 3e-3, 4e-3};
  EXPECT_NEAR(momentum_drift(first, last), 5e-3 / 4, 1e-15);
  first.values.kinetic = last.values.kinetic = 0;
  EXPECT_NEAR(momentum_drift(first, last), 5e-3, 1e-15);
}

TEST(Summary, EndsWithTheHash) {
  RunSummary s;
  s.scene = make_scene("kepler");
  s.n = 2;
  s.hash = 0xABCDull;
  const std::string text = summary_text(s);
  EXPECT_EQ(text.substr(text.rfind('\n', text.size() - 2) + 1), "state hash 000000000000abcd\n");
  EXPECT_EQ(nlohmann::json::parse(summary_json(s))["state_hash"], "000000000000abcd");
}

TEST(Summary, ReportsTheThreeBodyShareAndMolecularUnits) {
  RunSummary s;
  s.scene = make_scene("argon-crystal:n=11,temperature=0,units=lj");
  s.n = 11, s.time = 2;
  s.first.values.kinetic = 15, s.last.values.kinetic = 7.5;  // 3/2 (n - 1) = 15
  s.last.values.potential = -40, s.last.values.triple_potential = 2;
  expect_parts(summary_text(s), {"2 at last, -5.000 % of the potential energy", "119.80 K at first, 59.90 K at last",
                                 "-353.95 K of energy, 21.78 K of it three-body, after 4.312 ps"});
  const auto j = nlohmann::json::parse(summary_json(s));
  EXPECT_EQ(j["triple_energy"], 2.0);
  EXPECT_NEAR(j["temperature_K"]["last"].get<double>(), 59.9, 1e-12);
  EXPECT_NEAR(j["time_ps"].get<double>(), 4.312, 1e-12);
  s.scene = make_scene("kepler");
  EXPECT_EQ(summary_text(s).find("three-body"), std::string::npos);
  EXPECT_EQ(summary_text(s).find("temperature"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(summary_json(s))["triple_energy"].is_null());
}

TEST(Summary, NamesTheUnits) {
  RunSummary s;
  s.scene = make_scene("kepler:units=au-yr-msun,dt=0.25");
  s.n = 2, s.time = 2;
  expect_parts(summary_text(s), {"units           au-yr-msun: length AU, mass Msun, time yr, G = 39.4769\n",
                                 "with dt = 0.25 yr, to t = 2 yr\n", "at last, in Msun AU^2/yr^2\n"});
  const auto units = nlohmann::json::parse(summary_json(s))["units"];
  EXPECT_EQ(units["system"], "au-yr-msun");
  EXPECT_EQ(units["time"], "yr");
  s.scene = make_scene("argon-crystal:n=11,temperature=0");
  s.n = 11, s.first.values.kinetic = 15;
  expect_parts(summary_text(s), {"120.27 K at first", "after 2 ps"});
  s.scene = make_scene("kepler");
  EXPECT_NE(summary_text(s).find("to t = 2\n"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(summary_json(s))["units"]["system"].is_null());
}

TEST(Summary, NamesEveryLaw) {
  ForceField f = make_scene("argon-droplet").field;
  expect_parts(laws_text(f), {"lennard-jones", "axilrod-teller, nu = 0.072"});
  f.pair = PairLaw::none, f.triple = TripleLaw::none;
  EXPECT_EQ(laws_text(f), "none");
  f.pair = PairLaw::contact;
  f.contact = {.stiffness = 50, .damping = 3};
  EXPECT_EQ(laws_text(f), "contact, stiffness 50, damping 3");
  f.contact.shear = 2;
  EXPECT_EQ(laws_text(f), "contact, stiffness 50, damping 3, shear 2");
}

}  // namespace
}  // namespace tri::app
