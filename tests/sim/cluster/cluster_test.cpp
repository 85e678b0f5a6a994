// A simulation on several ranks: the same bits for any number of them, and what happens when one fails.

#include "sim/cluster/cluster_backend.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "sim/backend_ranks.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/progress.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "sim/cluster/packet.hpp"
#include "sim/laws/typed_text.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "sim/snapshot.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

std::unique_ptr<Backend> ranks_of(u32 size) { return make_local_cluster(size, "cpu", make_rank_backend); }

EngineConfig ordered(Precision precision) {
  EngineConfig config;
  config.precision = precision;
  config.accumulate = Accumulate::ordered;
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
  const std::pair<const char*, Precision> runs[] = {{"plummer:n=700", Precision::fp32},
                                                    {"plummer:n=300,integrator=yoshida4", Precision::fp64},
                                                    {"plummer:n=60,eps=0,integrator=hermite", Precision::fp64},
                                                    {"gas:n=300", Precision::fp32},
                                                    {"argon-droplet:n=70", Precision::fp64},
                                                    {"falling-pile:n=200", Precision::fp32},
                                                    {"falling-pile:n=200,response=impulses", Precision::fp32},
                                                    {"sphere-box:n=2500", Precision::fp32},
                                                    {"kepler", Precision::fp64}};
  for (const auto& [scene, precision] : runs) {
    const auto alone = make_backend("cpu");
    Simulation expected(make_scene(scene), *alone, ordered(precision));
    expected.advance(12);
    const End end = end_of(expected);
    for (const u32 size : {1u, 2u, 3u, 5u}) {
      const auto backend = ranks_of(size);
      for (const TriangleMapId map : {TriangleMapId::lambda, TriangleMapId::bb, TriangleMapId::lambda_stream}) {
        EngineConfig config = ordered(precision);
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

TEST(Cluster, FastSumsAgreeWithOneRankAndBetweenRanks) {
  const auto alone = make_backend("cpu"), three = ranks_of(3);
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    EngineConfig config;
    config.precision = precision;
    Simulation expected(make_scene("plummer:n=900"), *alone, config),
        shared(make_scene("plummer:n=900"), *three, config);
    const ForceResult a = expected.engine().forces(), b = shared.engine().forces();
    double error = 0, square = 0;
    for (std::size_t i = 0; i < a.fx.size(); ++i) {
      error += std::pow(a.fx[i] - b.fx[i], 2), square += std::pow(a.fx[i], 2);
    }
    EXPECT_LT(std::sqrt(error / square), precision == Precision::fp32 ? 1e-6 : 1e-14);
    EXPECT_EQ(a.potential, b.potential) << "energies are added in the order of the tiles";
    EXPECT_EQ(a.work_items, b.work_items);
    shared.advance(30);  // diagnostics compare the states of all ranks
    EXPECT_NO_THROW(shared.diagnostics());
  }
}

TEST(Cluster, ASnapshotOfThreeRanksGoesOnWithFive) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tri-ranks-" + std::to_string(::getpid()) + ".hdf5")).string();
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
    std::filesystem::remove(path);
  }
}

TEST(Cluster, EnginesAndStatesOfTheirOwn) {
  const auto backend = ranks_of(3);
  Simulation a(make_scene("plummer:n=200"), *backend, ordered(Precision::fp32));
  Simulation b(make_scene("gas:n=100"), *backend, ordered(Precision::fp32));
  const auto begin = a.engine().keep();
  const u64 hash = a.engine().state_hash();
  a.advance(5), b.advance(3);
  const u64 later = a.engine().state_hash();
  EXPECT_NE(later, hash);
  a.engine().bring_back(*begin);
  EXPECT_EQ(a.engine().state_hash(), hash);
  a.engine().advance(a.scene().integrator, a.scene().dt, 5);
  EXPECT_EQ(a.engine().state_hash(), later);
}

/// Ends work at a report.
class Ending final : public ProgressSink {
 public:
  explicit Ending(u32 last) : last_(last) {}
  void report(const ProgressReport& /*report*/) override {
    if (++reports_ >= last_) throw InterruptedError("interrupted");
  }

 private:
  u32 last_, reports_ = 0;
};

TEST(Cluster, CtrlCEndsAStepOnAllRanks) {
  const auto backend = ranks_of(3);
  for (const char* scene : {"plummer:n=3000", "argon-droplet:n=150"}) {
    EngineConfig config = ordered(Precision::fp32);
    config.pair_block = 16;
    Simulation simulation(make_scene(scene), *backend, config);
    Engine& engine = simulation.engine();
    engine.advance(Integrator::kdk, 1e-3, 1);
    const u64 hash = engine.state_hash();
    for (const u32 last : {1u, 2u, 5u}) {
      Ending sink(last);
      const ScopedProgressSink watching(sink);
      const ScopedTask task("steps");
      EXPECT_THROW(engine.advance(Integrator::kdk, 1e-3, 50), InterruptedError);
      EXPECT_EQ(engine.state_hash(), hash) << "as before the call";
    }
    engine.advance(Integrator::kdk, 1e-3, 1);
    EXPECT_NO_THROW(engine.diagnose()) << "the states of all ranks are the same";
    EXPECT_NE(engine.state_hash(), hash);
  }
}

// A body that goes out of range is bad on every rank.
TEST(Cluster, ANumericalErrorNamesTheBody) {
  const auto alone = make_backend("cpu"), three = ranks_of(3);
  std::string texts[2];
  for (int k = 0; k < 2; ++k) {
    Scene scene = make_scene("plummer:n=64");
    scene.bodies.vx[7] = 3e38;
    Simulation simulation(scene, k == 0 ? *alone : *three, ordered(Precision::fp32));
    texts[k] = test::message_of<NumericalError>([&] { simulation.engine().advance(Integrator::kdk, 1e30, 2); });
  }
  EXPECT_FALSE(texts[0].empty());
  EXPECT_EQ(texts[1], texts[0]);
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
