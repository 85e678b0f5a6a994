// A simulation on several ranks: the same bits for any number of them, and what happens when one fails. What every
// backend does is tested on three ranks in tests/sim/backend.

#include <gtest/gtest.h>

#include "sim/backends.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/ranks/cluster_backend.hpp"
#include "sim/ranks/packet.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri {
namespace {

std::unique_ptr<Backend> ranks_of(u32 size) { return make_local_cluster(size, "cpu", make_rank_backend); }

EngineConfig ordered(Precision precision, PairSearch pairs = PairSearch::automatic) {
  EngineConfig config;
  config.precision = precision;
  config.accumulate = Accumulate::ordered;
  config.pairs = pairs;
  if (pairs == PairSearch::tree) config.tolerance = Tolerance::e_3;
  return config;
}

/// What a run ends with, bit for bit.
struct End {
  u64 hash = 0;
  double energy = 0, virial = 0, triples = 0, time = 0;

  friend bool operator==(const End&, const End&) = default;
};

End end_of(Simulation& simulation) {
  const DiagnosticsRow row = simulation.diagnostics();
  return {simulation.engine().state_hash(), row.values.energy(), row.values.virial, row.values.triple_potential,
          row.time};
}

// Every law, scheme and precision; the shares of the ranks cut tiles' order differently for each number of them.
TEST(Cluster, AnyNumberOfRanksHasTheSameBits) {
  struct Run {
    const char* scene;
    Precision precision;
    PairSearch pairs = PairSearch::automatic;
  };
  const Run runs[] = {{"plummer:n=700", Precision::fp32},
                      {"plummer:n=3000", Precision::fp32, PairSearch::tree},
                      {"plummer:n=300,integrator=yoshida4", Precision::fp64},
                      {"plummer:n=60,eps=0,integrator=hermite", Precision::fp64},
                      {"gas:n=300", Precision::fp32},
                      {"argon-droplet:n=70", Precision::fp64},
                      {"falling-pile:n=200", Precision::fp32},
                      {"falling-pile:n=200,response=impulses", Precision::fp32},
                      {"sphere-box:n=2500", Precision::fp32},
                      {"kepler", Precision::fp64}};
  for (const auto& [scene, precision, pairs] : runs) {
    const auto alone = make_backend("cpu");
    Simulation expected(make_scene(scene), *alone, ordered(precision, pairs));
    expected.advance(12);
    const End end = end_of(expected);
    for (const u32 size : {1u, 2u, 3u, 5u}) {
      const auto backend = ranks_of(size);
      for (const TriangleMapId map : {TriangleMapId::lambda, TriangleMapId::bb, TriangleMapId::lambda_stream}) {
        EngineConfig config = ordered(precision, pairs);
        config.pair_map = map;
        config.threads = size == 2 ? 2 : 1;
        Simulation simulation(make_scene(scene), *backend, config);
        simulation.advance(12);
        EXPECT_EQ(end_of(simulation), end) << scene << ", " << size << " ranks";
      }
    }
  }
}

TEST(Cluster, ChargesGoToEveryRankAndComeBack) {
  Bodies b = make_scene("salt:n=37").bodies;
  b.group.assign(37, 3), b.species.assign(37, 11), b.rest.assign(3 * 37, 0.5);
  Packet packet;
  packet.put(b), packet.put(u32{7});
  const auto back = packet.take<Bodies>();
  EXPECT_EQ(back.q, b.q);
  EXPECT_EQ(back.rest, b.rest);
  EXPECT_EQ(back.species, b.species);
  EXPECT_EQ(packet.take<u32>(), 7u) << "and nothing is left of them";
  ForceField field;
  set_pair_law(field, "k*r^2; k = 2");
  field.typed_pair.values[0] = 1 / 3.0;
  field.box.high[2] = 8, field.contact.shear = 0.5;
  packet.put(field), packet.put(u32{8});
  const auto same = packet.take<ForceField>();
  EXPECT_EQ(same.pair, PairLaw::typed);
  EXPECT_EQ(same.typed_pair.law->text(), "k*r^2; k = 2");
  EXPECT_EQ(same.typed_pair.values, field.typed_pair.values);
  EXPECT_FALSE(same.typed_triple);
  EXPECT_EQ(same.box.high, field.box.high);
  EXPECT_EQ(same.contact.shear, 0.5);
  EXPECT_EQ(packet.take<u32>(), 8u);
  Scene scene = make_scene("plummer:n=37");
  scene.bodies.q = b.q;
  const auto three = ranks_of(3);
  Simulation simulation(scene, *three, ordered(Precision::fp64));
  simulation.advance(4);
  EXPECT_EQ(simulation.bodies().q, b.q);
}

TEST(Cluster, ASnapshotOfThreeRanksGoesOnWithFive) {
  const test::TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  for (const char* scene : {"plummer:n=400", "plummer:n=40,eps=0,integrator=hermite,eta=0.02"}) {
    const Precision precision = std::string(scene).find("eta") != std::string::npos ? Precision::fp64 : Precision::fp32;
    const auto alone = make_backend("cpu"), three = ranks_of(3), five = ranks_of(5);
    Simulation whole(make_scene(scene), *alone, ordered(precision));
    whole.advance(40);
    Simulation first(make_scene(scene), *three, ordered(precision));
    first.advance(17);
    first.save(path);
    Simulation rest(read_snapshot(path), *five, ordered(precision));
    rest.advance(23);
    EXPECT_EQ(rest.engine().state_hash(), whole.engine().state_hash()) << scene;
  }
}

TEST(Cluster, ARankWithoutMemorySaysSo) {
  bool full = true;
  const auto maker = [&](const std::string& name, Communicator& ranks) {
    if (full && ranks.rank() == 2) throw MemoryError("a simulation needs 3 GiB, and 2 GiB are free");
    return make_rank_backend(name, ranks);
  };
  const auto backend = make_local_cluster(3, "cpu", maker);
  const Scene scene = make_scene("plummer:n=64");
  try {
    backend->make_engine(scene.bodies, scene.field, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::out_of_memory);
    EXPECT_EQ(std::string(error.what()), "rank 2 on this process: a simulation needs 3 GiB, and 2 GiB are free");
  }
  full = false;
  EXPECT_NO_THROW(backend->make_engine(scene.bodies, scene.field, {})->advance(Integrator::kdk, 1e-3, 3));
}

TEST(Cluster, RanksOfOneProcessShareItsMemory) {
  const u64 alone = available_memory();
  {
    const auto backend = ranks_of(4);
    EXPECT_LT(available_memory(), alone / 3);
  }
  EXPECT_GT(available_memory(), alone / 2);
}

TEST(Cluster, TheBackendSaysHowManyRanksItHas) {
  EXPECT_NE(ranks_of(3)->info().detail.find("3 ranks"), std::string::npos);
  EXPECT_FALSE(ranks_of(3)->info().fast_repeats);
}

}  // namespace
}  // namespace tri

// Benches on several ranks: all of them share the work of a run, the slowest has its time, and each output is checked.

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
  spec.pairs = BenchPairs::tree, spec.tolerance = Tolerance::e_4;
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
    EXPECT_EQ(rank.spec.pairs, BenchPairs::tree);
    EXPECT_EQ(rank.spec.tolerance, Tolerance::e_4);
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

// Ranks on CPUs; tests/sim/backend has the benches of three of them.

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
