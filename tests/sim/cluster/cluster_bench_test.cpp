// Benches on several ranks: all of them share the work of a run, the slowest has its time, and each output is checked.

#include "sim/cluster/cluster_bench.hpp"

#include <gtest/gtest.h>

#include "sim/backend_ranks.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "tests/sim/backend/bench_exercise.hpp"
#include "tests/support/error_messages.hpp"
#include "tests/support/fake_backend.hpp"

namespace tri::test {
namespace {

/// What a rank's fake backend does, and what became of it.
struct FakeRank {
  FakeScript script;
  std::string without_memory;  ///< if not empty, the sentence with which it makes no bench
  u64 made = 0, runs = 0, corrupted = 0, alive = 0;
  double seconds = 0;
  BenchSpec spec;
};

class FakeRankBackend final : public Backend {
 public:
  explicit FakeRankBackend(FakeRank& rank) : rank_(rank) {}
  BackendInfo info() const override { return {"cuda", "a device", ""}; }
  std::unique_ptr<Engine> make_engine(const Bodies&, const ForceField&, const EngineConfig&) override {
    throw std::logic_error("not asked for");
  }
  CollisionResult collisions(const Bodies&, const EngineConfig&, const Box&) override { return {}; }
  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    if (!rank_.without_memory.empty()) throw MemoryError(rank_.without_memory);
    if (!rank_.script.refusal.empty()) throw ConfigError(rank_.script.refusal);
    rank_.spec = spec;
    ++rank_.made;
    return std::make_unique<Case>(rank_);
  }

 private:
  class Case final : public BenchCase {
   public:
    explicit Case(FakeRank& rank) : rank_(rank) { ++rank_.alive; }
    ~Case() override { --rank_.alive; }
    double run() override {
      ++rank_.runs;
      return rank_.script.ms;
    }
    u64 run_for(double seconds) override {
      rank_.seconds = seconds;
      return 20;
    }
    BenchCheck check() override { return {rank_.script.passes, rank_.script.passes ? 1e-7 : 0.5, "a reference"}; }
    void corrupt_output() override { ++rank_.corrupted; }
    u64 work_items() const override { return 1000; }
    u64 bytes() const override { return 8; }
    u64 blocks_launched() const override { return 16; }
    u64 blocks_useful() const override { return 10; }
    u32 block() const override { return 256; }

   private:
    FakeRank& rank_;
  };

  FakeRank& rank_;
};

/// Ranks that take 1, 2, ... ms a run.
class ClusterBench : public testing::Test {
 protected:
  ClusterBench() : ranks_(3) {
    for (std::size_t r = 0; r < ranks_.size(); ++r) ranks_[r].script.ms = 1.0 + static_cast<double>(r);
    backend_ = make_local_cluster(3, "cuda", [this](const std::string&, Communicator& at) {
      return std::make_unique<FakeRankBackend>(ranks_[at.rank()]);
    });
  }
  /// One number of every rank, once no rank works any more.
  template <class Number>
  std::vector<Number> each(Number FakeRank::*member) {
    std::vector<Number> all;
    for (const FakeRank& rank : ranks_) all.push_back(rank.*member);
    return all;
  }

  std::vector<FakeRank> ranks_;
  std::unique_ptr<Backend> backend_;
};

using Counts = std::vector<u64>;

TEST_F(ClusterBench, EveryCallReachesEveryRank) {
  BenchSpec spec = spec_of(BenchKernel::gravity, "fold", 300, 64);
  spec.precision = Precision::fp64, spec.accumulate = Accumulate::ordered, spec.arithmetic = BenchArithmetic::tensor;
  spec.seed = 7, spec.timing = LaunchTiming::averaged, spec.fractal = "carpet", spec.dimensions = 1;
  const auto bench = backend_->make_bench(spec);
  EXPECT_EQ(each(&FakeRank::made), (Counts{1, 1, 1}));
  for (const FakeRank& rank : ranks_) {
    EXPECT_EQ(rank.spec.kernel, spec.kernel);
    EXPECT_EQ(rank.spec.map, "fold");
    EXPECT_EQ(rank.spec.n, 300u);
    EXPECT_EQ(rank.spec.block, 64u);
    EXPECT_EQ(rank.spec.precision, Precision::fp64);
    EXPECT_EQ(rank.spec.accumulate, Accumulate::ordered);
    EXPECT_EQ(rank.spec.arithmetic, BenchArithmetic::tensor);
    EXPECT_EQ(rank.spec.seed, 7u);
    EXPECT_EQ(rank.spec.timing, LaunchTiming::averaged);
    EXPECT_EQ(rank.spec.fractal, "carpet");
    EXPECT_EQ(rank.spec.dimensions, 1u);
  }
  EXPECT_EQ(bench->run(), 3.0) << "that of the slowest rank";
  EXPECT_EQ(each(&FakeRank::runs), (Counts{1, 1, 1}));
  EXPECT_EQ(bench->run_for(0.25), 20u);
  EXPECT_EQ(each(&FakeRank::seconds), (std::vector<double>{0.25, 0.25, 0.25}));
  bench->corrupt_output();
  EXPECT_EQ(each(&FakeRank::corrupted), (Counts{1, 1, 1}));
  EXPECT_EQ(bench->work_items(), 1000u);
  EXPECT_EQ(bench->blocks_launched(), 16u) << "all of them once";
  EXPECT_EQ(bench->blocks_useful(), 10u);
  EXPECT_EQ(bench->bytes(), 8u);
  EXPECT_EQ(bench->block(), 256u);
}

TEST_F(ClusterBench, AWrongOutputOfAnyRankFailsTheCheck) {
  const auto bench = backend_->make_bench(spec_of(BenchKernel::triplet, "tetra", 100));
  bench->run();
  BenchCheck check = bench->check();
  EXPECT_TRUE(check.passed);
  EXPECT_EQ(check.max_rel_err, 1e-7);
  EXPECT_EQ(check.reference, "a reference");
  for (FakeRank& rank : ranks_) {
    rank.script.passes = false;
    check = bench->check();
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.max_rel_err, 0.5);
    rank.script.passes = true;
  }
  EXPECT_TRUE(bench->check().passed);
}

TEST_F(ClusterBench, CasesEndOnEveryRank) {
  auto one = backend_->make_bench(spec_of(BenchKernel::gravity, "lambda", 100));
  auto two = backend_->make_bench(spec_of(BenchKernel::gravity, "bb", 100));
  one.reset();
  EXPECT_EQ(two->run(), 3.0) << "the orders before it were carried out";
  EXPECT_EQ(each(&FakeRank::alive), (Counts{1, 1, 1}));
}

TEST_F(ClusterBench, WhatIsNotSharedHasTheFirstRank) {
  for (const BenchKernel kernel :
       {BenchKernel::dummy, BenchKernel::edm, BenchKernel::collision, BenchKernel::dummy3, BenchKernel::gasket}) {
    const auto bench = backend_->make_bench(spec_of(kernel, "bb", 100));
    EXPECT_EQ(bench->run(), 1.0);
  }
  backend_->make_bench(spec_of(BenchKernel::gravity, "plain", 100))->run();
  EXPECT_EQ(each(&FakeRank::made), (Counts{6, 0, 0}));
  EXPECT_EQ(each(&FakeRank::runs), (Counts{6, 0, 0}));
}

TEST_F(ClusterBench, ARankWithoutMemoryIsAMemoryError) {
  const BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", 100);
  ranks_[2].without_memory = "the card is full";
  EXPECT_EQ(message_of<MemoryError>([&] { backend_->make_bench(spec); }), "rank 2 on this process: the card is full");
  ranks_[0].without_memory = "the first card is full";
  EXPECT_EQ(message_of<MemoryError>([&] { backend_->make_bench(spec); }), "the first card is full");
  ranks_[0].without_memory.clear(), ranks_[2].without_memory.clear();
  for (FakeRank& rank : ranks_) rank.script.refusal = "--block 7 is no tile";
  EXPECT_EQ(message_of<ConfigError>([&] { backend_->make_bench(spec); }), "--block 7 is no tile");
  for (FakeRank& rank : ranks_) rank.script.refusal.clear();
  EXPECT_EQ(backend_->make_bench(spec)->run(), 3.0);
  EXPECT_EQ(backend_->make_bench(spec)->run(), 3.0);
}

// Ranks on CPUs.

void exercise_on_ranks(BenchKernel kernel, const std::vector<std::string>& maps, const std::vector<u64>& sizes) {
  const auto alone = make_backend("cpu");
  for (const u32 size : {1u, 2u, 3u}) {
    const auto ranks = make_local_cluster(size, "cpu", make_rank_backend);
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      for (const Precision precision : kPrecisions) {
        for (const std::string& map : maps) {
          for (const u64 n : sizes) {
            SCOPED_TRACE(std::to_string(size) + " ranks");
            BenchSpec spec = spec_of(kernel, map, n, 16);
            spec.precision = precision, spec.accumulate = accumulate;
            exercise(*ranks, spec);
            const auto shared = ranks->make_bench(spec), whole = alone->make_bench(spec);
            EXPECT_EQ(shared->work_items(), whole->work_items());
            EXPECT_EQ(shared->block(), whole->block());
            EXPECT_EQ(shared->blocks_useful() > 0, whole->blocks_useful() > 0);
            if (map.find("stream") != std::string::npos) continue;  // has as many blocks as workers
            EXPECT_EQ(shared->blocks_launched(), whole->blocks_launched());
            EXPECT_EQ(shared->blocks_useful(), whole->blocks_useful());
          }
        }
      }
    }
  }
}

TEST(ClusterBenchOnCpus, GravityIsShared) {
  exercise_on_ranks(BenchKernel::gravity, {"lambda", "bb", "lambda-stream", "utm"}, {2, 65, 301});
}

TEST(ClusterBenchOnCpus, TripletIsShared) {
  exercise_on_ranks(BenchKernel::triplet, {"tetra", "bb", "tetra-stream"}, {3, 50});
}

TEST(ClusterBenchOnCpus, EveryRankHasAPartOfTheSums) {
  for (const u32 odd : {0u, 1u, 2u}) {
    const auto ranks =
        make_local_cluster(3, "cpu", [odd](const std::string& name, Communicator& at) -> std::unique_ptr<Backend> {
          auto real = make_rank_backend(name, at);
          if (at.rank() == odd) return std::make_unique<OtherBodies>(std::move(real));
          return real;
        });
    for (const BenchKernel kernel : {BenchKernel::gravity, BenchKernel::triplet}) {
      const auto bench = ranks->make_bench(spec_of(kernel, "bb", 100, 16));
      bench->run();
      EXPECT_FALSE(bench->check().passed) << "rank " << odd << " adds the terms of other bodies";
    }
  }
}

// Without the agreement of the ranks some would wait for a run that others do not make.
TEST(ClusterBenchOnCpus, ALongRunEndsOnAllRanks) {
  const auto ranks = make_local_cluster(3, "cpu", make_rank_backend);
  const auto bench = ranks->make_bench(spec_of(BenchKernel::gravity, "lambda", 200));
  for (const double seconds : {0.0, 0.001, 0.05}) EXPECT_GE(bench->run_for(seconds), 1u);
  EXPECT_TRUE(bench->check().passed);
}

}  // namespace
}  // namespace tri::test
