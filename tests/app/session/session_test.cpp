// The session: requests at step boundaries, maps that fit, and failures that change nothing.

#include <cmath>
#include <exception>
#include <set>

#include "app/session/session_model.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/app/session/session_support.hpp"

namespace tri::app {
namespace {

TEST(Session, TakesExactlyTheRequestedSteps) {
  Session s(cpu(), {"plummer:n=64"}, {});
  s.advance(1);
  EXPECT_EQ(s.model().steps, 0u) << "a session opens paused";
  steps(s, 7);
  EXPECT_EQ(s.model().steps, 7u);
  EXPECT_DOUBLE_EQ(s.model().time, 7 * s.model().scene.dt);
  s.apply(Requests{ask::StepsPerFrame{3}, ask::Run{true}});
  s.advance(1e9);
  s.advance(1e9);
  EXPECT_EQ(s.model().steps, 13u);
  s.apply(ask::Run{false});
  s.advance(1e9);
  EXPECT_EQ(s.model().steps, 13u);
}

TEST(Session, AFrameTakesAtLeastOneStepAndKeepsItsBudget) {
  Session s(cpu(), {"plummer:n=64"}, {});
  s.apply(Requests{ask::StepsPerFrame{1000}, ask::Run{true}});
  s.advance(0);
  EXPECT_EQ(s.model().steps, 1u);
}

TEST(Session, RemainingStepsAreTakenInTheNextFrame) {
  Session s(cpu(), {"plummer:n=64"}, {});
  s.apply(ask::Take{5});
  for (u64 frame = 1; frame <= 8; ++frame) {
    s.advance(0);
    EXPECT_EQ(s.model().steps, std::min<u64>(frame, 5)) << frame;
  }
  s.apply(ask::Take{5});
  s.advance(0);
  s.apply(ask::Reset{});
  s.advance(0);
  EXPECT_EQ(s.model().steps, 0u) << "a reset drops pending steps";
}

TEST(Session, InspectsAChargeWhereBodiesHaveSome) {
  Session salt(cpu(), {"salt:n=8"}, {}), stars(cpu(), {"plummer:n=8"}, {});
  salt.inspect(1, 0), stars.inspect(1, 0);
  ASSERT_TRUE(salt.model().inspected && stars.model().inspected);
  EXPECT_EQ(salt.model().inspected->charge, -1);
  EXPECT_FALSE(stars.model().inspected->charge);
}

TEST(Session, InspectsABodyOfTheState) {
  EngineOverrides exact;
  exact.precision = Precision::fp64;
  Session s(cpu(), {"plummer:n=37"}, exact);
  s.inspect(36, 0);
  ASSERT_TRUE(s.model().inspected);
  const Inspected first = *s.model().inspected;
  EXPECT_FALSE(first.acceleration) << "no forces were evaluated yet";
  steps(s, 3);
  // Read again once reading costs at most a tenth of the time; another body at once.
  s.inspect(36, 1e-12);
  EXPECT_EQ(s.model().inspected->step, 0u);
  s.inspect(36, 1e6);
  Inspected now = *s.model().inspected;
  EXPECT_EQ(now.step, 3u);
  EXPECT_NE(now.place, first.place);
  s.inspect(12, 1e6);
  now = *s.model().inspected;
  EXPECT_EQ(now.body, 12u);
  const Instance shown = s.drawn()[12];
  EXPECT_EQ(shown.id, 12u);
  EXPECT_FLOAT_EQ(shown.x, static_cast<float>(now.place[0]));
  EXPECT_FLOAT_EQ(shown.y, static_cast<float>(now.place[1]));
  EXPECT_FLOAT_EQ(shown.z, static_cast<float>(now.place[2]));
  EXPECT_FLOAT_EQ(shown.speed, static_cast<float>(std::hypot(now.velocity[0], now.velocity[1], now.velocity[2])));
  EXPECT_FLOAT_EQ(shown.mass, static_cast<float>(now.mass));
  EXPECT_EQ(shown.acceleration, static_cast<float>(now.acceleration.value_or(-1)));
  EXPECT_GT(now.acceleration.value_or(0), 0);
  EXPECT_TRUE(s.model().publish.empty()) << "inspecting does not publish";
  s.apply(ask::Reset{});
  EXPECT_FALSE(s.model().inspected);
  s.inspect(36, 2e6);
  EXPECT_EQ(s.model().inspected->place, first.place);
  s.inspect(37, 3e6);
  EXPECT_FALSE(s.model().inspected) << "there is no such body";
}

TEST(Session, ReverseReturnsToTheStart) {
  EngineOverrides exact;
  exact.precision = Precision::fp64;
  Session s(cpu(), {"kepler"}, exact);
  std::vector<Instance> before(2), after(2);
  InstanceSink one{InstanceSink::Place::host, before}, two{InstanceSink::Place::host, after};
  s.publish(one);
  steps(s, 200);
  s.apply(ask::Reverse{});
  steps(s, 200);
  s.publish(two);
  EXPECT_NEAR(s.model().time, 0, 1e-12);
  EXPECT_EQ(s.model().steps, 400u);
  for (int k : {0, 1}) EXPECT_NEAR(before[static_cast<u32>(k)].x, after[static_cast<u32>(k)].x, 1e-5);
}

TEST(Session, ResetRestoresTheStartBitForBit) {
  Session s(cpu(), {"plummer:n=100"}, {});
  const u64 start = hash_of(s);
  steps(s, 5);
  EXPECT_NE(hash_of(s), start);
  s.apply(Requests{ask::TimeStep{0.001}, ask::Reset{}});
  EXPECT_EQ(hash_of(s), start);
  EXPECT_EQ(s.model().steps, 0u);
  EXPECT_EQ(s.model().scene.dt, 0.001) << "settings survive a reset";
}

TEST(Session, EveryFittingMapRunsAndTheOthersGiveAReason) {
  Session s(cpu(), {"plummer:n=5000"}, {});
  ASSERT_EQ(s.model().pair_maps.size(), triangle_maps().size());
  EXPECT_TRUE(s.model().triple_maps.empty());
  u32 fitting = 0;
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const MapRow& row = s.model().pair_maps[id];
    EXPECT_EQ(row.reason, refusal(triangle_maps()[id], 5000, s.model().engine.pair_block)) << row.name;
    if (!row.fits()) {
      s.apply(ask::PairMap{static_cast<TriangleMapId>(id)});
      EXPECT_NE(static_cast<u32>(s.model().asked.pair_map), id);
      EXPECT_TRUE(s.model().notices.back().error);
      continue;
    }
    ++fitting;
    s.apply(ask::PairMap{static_cast<TriangleMapId>(id)});
    EXPECT_EQ(static_cast<u32>(s.model().engine.pair_map), id);
  }
  EXPECT_EQ(fitting, kTriangleMapCount - 1) << "utm in float32 ends at 4097";
}

TEST(Session, AMapThatDoesNotFitAnotherSceneIsReplaced) {
  EngineOverrides given;
  given.pair_map = TriangleMapId::utm, given.threads = 1;
  Session s(cpu(), {"plummer:n=4000"}, given);
  EXPECT_EQ(s.model().engine.pair_map, TriangleMapId::utm);
  s.apply(ask::Open{"plummer:n=5000"});
  EXPECT_EQ(s.model().asked.pair_map, EngineConfig{}.pair_map);
  EXPECT_EQ(s.model().engine.pair_map, EngineConfig{}.pair_map);
  EXPECT_EQ(s.model().asked.threads, 1u) << "the rest of the configuration is kept";
}

/// The cpu backend; counts the calls to its engines.
class CountingBackend final : public test::ForwardingBackend {
 public:
  explicit CountingBackend(u32& calls) : calls_(calls) {}

 private:
  struct Counting final : test::ForwardingEngine {
    Counting(std::unique_ptr<Engine> engine, u32& count) : ForwardingEngine(std::move(engine)), calls(count) {}
    void configure(const EngineConfig& c) override { ++calls, ForwardingEngine::configure(c); }
    Bodies read() const override { return ++calls, ForwardingEngine::read(); }
    u32& calls;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return std::make_unique<Counting>(std::move(engine), calls_);
  }
  u32& calls_;
};

TEST(Session, EvaluatesMapsWithoutTheEngine) {
  u32 calls = 0;
  Session s(std::make_unique<CountingBackend>(calls), {"argon-droplet:n=30"}, {});
  EXPECT_EQ(s.model().triple_maps.size(), tetra_maps().size());
  EXPECT_EQ(calls, 0u);
  s.apply(ask::Blocks{8, 8});
  EXPECT_EQ(calls, 1u) << "the change itself";
}

TEST(Session, EverySceneOpensWithTheCommandLine) {
  EngineOverrides given;
  given.pair_map = TriangleMapId::fold, given.threads = 2;
  Session s(cpu(), {"plummer:n=64"}, given);
  EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::fold);
  EngineOverrides exact;
  exact.precision = Precision::fp64, exact.pair_map = TriangleMapId::bb;
  s.apply(ask::Open{"plummer:n=32", exact});
  EXPECT_EQ(s.model().engine.precision, Precision::fp64);
  EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::bb);
  EXPECT_EQ(s.model().asked.threads, 2u);
  s.apply(ask::Sums{Accumulate::ordered});
  s.apply(ask::Open{"plummer:n=16"});
  EngineConfig expected;
  expected.pair_map = TriangleMapId::fold, expected.threads = 2;
  EXPECT_EQ(s.model().asked, expected);
}

TEST(Session, OrderedSumsDoNotDependOnTheMap) {
  std::vector<u64> hashes;
  for (const TriangleMapId map : {TriangleMapId::bb, TriangleMapId::lambda, TriangleMapId::circulant}) {
    Session s(cpu(), {"plummer:n=200"}, {});
    s.apply(Requests{ask::Sums{Accumulate::ordered}, ask::PairMap{map}});
    steps(s, 3);
    hashes.push_back(hash_of(s));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(Session, CompareTimesEveryFittingMap) {
  Session s(cpu(), {"plummer:n=128"}, {});
  s.apply(ask::Compare{true});
  for (u32 frame = 0; frame < 3 * fitting(s.model().pair_maps); ++frame) s.advance(1e9);
  for (const MapRow& row : s.model().pair_maps) EXPECT_EQ(row.force.values().size(), row.fits() ? 3u : 0u) << row.name;
  s.apply(ask::Blocks{64, 0});
  for (const MapRow& row : s.model().pair_maps) EXPECT_TRUE(row.force.empty()) << "times of another block";
}

TEST(Session, TurnsOfAllMapsGiveBackTheMapThatWasInUse) {
  for (const char* scene : {"plummer:n=128", "argon-crystal"}) {
    Session s(cpu(), {scene}, {});
    const EngineConfig own = s.model().asked;
    s.apply(ask::Compare{true});
    const std::size_t undoable = s.model().undoable;
    for (int frame = 0; frame < 4; ++frame) s.advance(1e9);
    EXPECT_NE(s.model().asked, own) << "another one has its turn";
    s.apply(ask::Compare{false});
    EXPECT_EQ(s.model().asked, own);
    EXPECT_EQ(s.model().undoable, undoable);
    s.apply(ask::Compare{true});
    for (int frame = 0; frame < 3; ++frame) s.advance(1e9);
    s.apply(ask::PairMap{TriangleMapId::bb});
    s.advance(1e9);
    s.apply(ask::Compare{false});
    EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::bb) << "chosen meanwhile";
  }
}

TEST(Session, ALawThatReadsWhatNoBodyHasSaysSo) {
  Session s(cpu(), {"plummer:n=16"}, {});
  ForceField field = s.model().scene.field;
  set_pair_law(field, "(ri + rj)*r");
  s.apply(ask::Field{field});
  ASSERT_FALSE(s.model().notices.empty());
  EXPECT_NE(s.model().notices.back().text.find("reads the radii (ri, rj), and every one is 0"), std::string::npos);
  set_pair_law(field, "qi*qj/r");
  s.apply(ask::Field{field});
  EXPECT_NE(s.model().notices.back().text.find("reads the charges (qi, qj), and no body has one"), std::string::npos);
  EXPECT_FALSE(s.model().notices.back().error);
}

TEST(Session, FailedRequestsChangeNothing) {
  Session s(cpu(), {"plummer:n=64"}, {});
  steps(s, 2);
  const u64 before = hash_of(s);
  const std::string text = session_text(s.model());
  ForceField bad = s.model().scene.field;
  bad.gravity.softening = -1;
  for (const Request& r : {Request{ask::Open{"no such scene"}}, Request{ask::Open{"./no_such_file.csv"}},
                           Request{ask::Field{bad}}, Request{ask::TimeStep{0}}, Request{ask::TimeStep{NAN}},
                           Request{ask::Save{"/no/such/folder/a.csv"}}, Request{ask::Save{"a.nonsense"}}}) {
    const u32 undoable = static_cast<u32>(s.model().undoable);
    s.apply(Request{ask::Undo{}});  // nothing to undo
    s.apply(r);
    EXPECT_TRUE(s.model().notices.back().error) << r.index();
    EXPECT_EQ(session_text(s.model()), text) << r.index();
    EXPECT_EQ(s.model().undoable, undoable);
    EXPECT_EQ(hash_of(s), before);
  }
}

TEST(Session, ANumericalFaultStopsTheRunUntilReset) {
  Session s(cpu(), {"lagrange"}, {});
  s.apply(Requests{ask::TimeStep{1e300}, ask::Run{true}});
  s.advance(1);
  EXPECT_TRUE(s.model().broken);
  EXPECT_FALSE(s.model().running);
  EXPECT_THROW(std::rethrow_exception(s.failure()), NumericalError);
  EXPECT_NE(s.model().notices.back().text.find("step 1"), std::string::npos) << s.model().notices.back().text;
  s.apply(ask::Run{true});
  EXPECT_FALSE(s.model().running);
  s.apply(Requests{ask::TimeStep{0.001}, ask::Reset{}, ask::Run{true}});
  s.advance(1e9);
  EXPECT_EQ(s.model().steps, 1u);
  EXPECT_FALSE(s.model().broken);
  EXPECT_EQ(s.failure(), nullptr);
}

TEST(Session, APositionIsThatOfTheState) {
  Session s(cpu(), {"plummer:n=64"}, {});
  steps(s, 3);
  std::vector<Instance> instances(64);
  InstanceSink sink{InstanceSink::Place::host, instances};
  s.publish(sink);
  for (const Instance& i : instances) {
    const auto place = s.place_of(i.id);
    EXPECT_EQ(static_cast<float>(place[0]), i.x);
    EXPECT_EQ(static_cast<float>(place[1]), i.y);
    EXPECT_EQ(static_cast<float>(place[2]), i.z);
  }
}

TEST(Session, ContactsArePublishedInsteadOfTheMassAndInspected) {
  Session s(cpu(), {"sphere-box:n=500"}, {});
  EXPECT_EQ(s.model().groups, 0u);
  steps(s, 200);
  std::vector<Instance> instances(500);
  InstanceSink sink{InstanceSink::Place::host, instances};
  s.set_scalar(InstanceScalar::contacts);
  s.publish(sink);
  const auto most =
      std::max_element(instances.begin(), instances.end(), [](auto& a, auto& b) { return a.mass < b.mass; });
  ASSERT_GE(most->mass, 1) << "spheres collided";
  s.inspect(most->id, 0);
  ASSERT_TRUE(s.model().inspected && s.model().inspected->contacts);
  EXPECT_EQ(static_cast<float>(*s.model().inspected->contacts), most->mass);
  EXPECT_FALSE(s.model().inspected->group);
  s.set_scalar(InstanceScalar::mass);
  s.publish(sink);
  EXPECT_EQ(static_cast<double>(most->mass), s.model().inspected->mass);
}

TEST(Session, ScenesWithTriplesHaveMapsOfBothDomains) {
  Session s(cpu(), {"plummer:n=64"}, {});
  const u64 generation = s.generation();
  s.apply(ask::Open{"argon-droplet:n=30"});
  EXPECT_EQ(s.generation(), generation + 1);
  EXPECT_EQ(s.model().n, 30u);
  EXPECT_EQ(s.model().triple_maps.size(), tetra_maps().size());
  s.apply(ask::TripleMap{TetraMapId::tetra_stream});
  steps(s, 2);
  EXPECT_EQ(s.model().engine.triple_map, TetraMapId::tetra_stream);
  EXPECT_DOUBLE_EQ(s.model().work_items(), 30 * 29 / 2 + 30 * 29 * 28 / 6);
  // Triples dominate the cost of a step, so their maps are compared.
  s.apply(Requests{ask::Compare{true}, ask::Run{true}});
  const TriangleMapId pairs = s.model().engine.pair_map;
  std::set<TetraMapId> seen;
  for (u32 frame = 0; frame < 2 * fitting(s.model().triple_maps); ++frame) {
    s.advance(1.0 / 60);
    seen.insert(s.model().engine.triple_map);
    EXPECT_EQ(s.model().engine.pair_map, pairs);
  }
  EXPECT_EQ(seen.size(), fitting(s.model().triple_maps));
}

TEST(Session, SessionTextRestoresASession) {
  EngineOverrides given;
  given.precision = Precision::fp64, given.threads = 3, given.slice_ms = 2.5;
  Session s(cpu(), {"sphere-box:n=40,seed=7"}, given);
  ForceField field = s.model().scene.field;
  field.contact.damping = 0.1 + 0.2;  // needs all 17 digits
  field.contact.impulse = true;
  field.field = {0, 0, -1e-3};
  s.apply(Requests{ask::Field{field}, ask::TimeStep{1.0 / 3}, ask::Scheme{Integrator::symplectic_euler},
                   ask::PairMap{TriangleMapId::h}, ask::Blocks{16, 0}, ask::Sums{Accumulate::ordered}, ask::Reverse{},
                   ask::Contacts{BroadPhase::all_pairs}, ask::StepsPerFrame{5}});
  Session other(cpu(), {"kepler"}, {});
  other.apply(session_requests(session_text(s.model())));
  EXPECT_EQ(session_text(other.model()), session_text(s.model()));
  EXPECT_EQ(other.model().asked, s.model().asked) << "including precision, threads and slices";
  EXPECT_EQ(other.model().scene.field.contact.damping, field.contact.damping);
  EXPECT_TRUE(other.model().scene.field.contact.impulse);
  steps(s, 3);
  steps(other, 3);
  EXPECT_EQ(hash_of(other), hash_of(s));
}

TEST(Session, InvalidSessionTextIsRejected) {
  for (const char* text :
       {"", "n = 3\n", "scene = plummer\ncolour = red\n", "scene = plummer\ndt = fast\n", "scene\n"}) {
    EXPECT_THROW(session_requests(text), ConfigError) << text;
  }
}

TEST(Session, DiagnosticsAreThinnedEvenly) {
  Session s(cpu(), {"kepler"}, {});
  double clock = 0;
  for (u32 k = 0; k < 5000; ++k) {
    steps(s, 1);
    s.diagnose(clock += 1e6);
  }
  const auto& rows = s.model().diagnostics;
  EXPECT_LE(rows.size(), SessionModel::kMaxRows);
  EXPECT_GE(rows.size(), SessionModel::kMaxRows / 2);
  EXPECT_EQ(rows.front().step, 0u);
  EXPECT_GE(rows.back().step, 4900u);
  for (std::size_t k = 2; k + 1 < rows.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(rows[k + 1].step - rows[k].step),
                static_cast<double>(rows[k].step - rows[k - 1].step), 2);
  }
  EXPECT_LT(std::abs(rows.back().energy_error), 1e-2);
}

TEST(Session, TheViewIgnoresOutliers) {
  Session s(cpu(), {"plummer:n=4000"}, {});
  const Box box = s.view_box();
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_LT(box.low[a], -0.5);
    EXPECT_GT(box.high[a], 0.5);
    EXPECT_LT(box.high[a] - box.low[a], 12) << "a Plummer sphere is unbounded";
  }
}

/// Walls that are put up between the bodies are told, those around them are not.
TEST(Session, WallsThatLeaveBodiesOutsideAreNoted) {
  Session s(cpu(), ask::Open{"plummer:n=50"}, {});
  const std::size_t before = s.model().notices.size();
  ForceField field = s.model().scene.field;
  field.box = Box{{-100, -100, -100}, {100, 100, 100}, Boundary::reflecting};
  s.apply(ask::Field{field});
  EXPECT_EQ(s.model().notices.size(), before);
  field.box.low = {0, 0, 0}, field.box.high = {1, 1, 1};
  s.apply(ask::Field{field});
  ASSERT_EQ(s.model().notices.size(), before + 1);
  EXPECT_NE(s.model().notices.back().text.find("of 50 bodies are outside the reflecting walls from (0, 0, 0)"),
            std::string::npos);
  field.gravity.G = 2;
  s.apply(ask::Field{field});
  EXPECT_EQ(s.model().notices.size(), before + 1) << "the walls have not moved";
}

// A session whose device fails continues on the cpu backend, bit for bit.

/// The cpu backend under another name. Its engines fail from a given step on; if `blind`, they cannot be read either.
class Failing final : public test::ForwardingBackend {
 public:
  Failing(u64 fails_at, bool blind, std::exception_ptr error)
      : fails_at_(fails_at), blind_(blind), error_(std::move(error)) {}
  BackendInfo info() const override { return {"cuda", "a card that breaks", ""}; }

 private:
  struct Broken final : test::ForwardingEngine {
    Broken(std::unique_ptr<tri::Engine> engine, u64 at, bool blindly, std::exception_ptr with)
        : ForwardingEngine(std::move(engine)), fails_at(at), blind(blindly), error(std::move(with)) {}
    void fail() const {
      if (step >= fails_at) std::rethrow_exception(error);
    }
    void advance(Integrator i, double dt, u64 steps) override {
      for (; steps > 0; --steps, ++step) fail(), ForwardingEngine::advance(i, dt, 1);
    }
    Bodies read() const override {
      if (blind) fail();
      return ForwardingEngine::read();
    }
    void publish(InstanceSink& sink) override { fail(), ForwardingEngine::publish(sink); }
    u64 fails_at, step = 0;
    bool blind;
    std::exception_ptr error;
  };
  std::unique_ptr<tri::Engine> wrap(std::unique_ptr<tri::Engine> engine, const ForceField&) override {
    return std::make_unique<Broken>(std::move(engine), fails_at_, blind_, error_);
  }
  u64 fails_at_;
  bool blind_;
  std::exception_ptr error_;
};

std::unique_ptr<Backend> failing(u64 at, bool blind) {
  return std::make_unique<Failing>(
      at, blind,
      std::make_exception_ptr(Error(ExitCode::numerical, "cudaGraphLaunch failed: unspecified launch failure.")));
}

TEST(Session, ALostDeviceIsReplacedAndTheStateIsKept) {
  Session s(failing(5, false), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  EXPECT_EQ(s.model().backend.name, "cuda");
  s.apply(ask::Run{true});
  s.apply(ask::StepsPerFrame{2});
  for (int k = 0; k < 6; ++k) s.advance(1e9);
  EXPECT_EQ(s.failure(), nullptr);
  EXPECT_EQ(s.model().backend.name, "cpu");
  EXPECT_EQ(s.backends(), 1u);
  EXPECT_EQ(s.generation(), whole.generation()) << "the same scene";
  EXPECT_TRUE(s.model().running);
  ASSERT_EQ(s.model().notices.size(), 1u);
  EXPECT_NE(s.model().notices[0].text.find("goes on with the cpu backend at step"), std::string::npos)
      << s.model().notices[0].text;
  steps(whole, s.model().steps);
  EXPECT_GE(s.model().steps, 8u);
  EXPECT_EQ(hash_of(s), hash_of(whole)) << "bit for bit, as if nothing had happened";
  s.apply(ask::Reset{});
  s.apply(ask::Open{"plummer:n=32"});
  EXPECT_EQ(s.model().backend.name, "cpu") << "the device is not tried again";
}

TEST(Session, AnUnreadableStateContinuesFromTheLastCopy) {
  Session s(failing(5, true), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  steps(s, 1);  // the first copy is made at once, the next a second later
  s.apply(ask::Take{9});
  for (int k = 0; k < 4; ++k) s.advance(1e9);
  EXPECT_EQ(s.model().backend.name, "cpu");
  EXPECT_EQ(s.model().steps, 10u) << "the requested steps are caught up";
  EXPECT_NEAR(s.model().time, 10 * s.model().scene.dt, 1e-12);
  EXPECT_NE(s.model().notices.back().text.find("from step 1, the last that could be kept"), std::string::npos)
      << s.model().notices.back().text;
  steps(whole, 10);
  EXPECT_EQ(hash_of(s), hash_of(whole));
}

TEST(Session, OtherErrorsKeepTheDevice) {
  for (const std::exception_ptr& error :
       {std::make_exception_ptr(ConfigError("no map.")), std::make_exception_ptr(FileError("no file.")),
        std::make_exception_ptr(MemoryError("no room.")), std::make_exception_ptr(NumericalError("no number.", 1))}) {
    Session s(std::make_unique<Failing>(2, false, error), {"plummer:n=64"}, {});
    steps(s, 5);
    EXPECT_NE(s.failure(), nullptr);
    EXPECT_EQ(s.model().backend.name, "cuda");
  }
}

TEST(Session, ADeviceThatFailsWhilePublishingIsReplacedToo) {
  Session s(failing(2, false), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  steps(s, 2);
  std::vector<Instance> instances(64);
  InstanceSink sink{InstanceSink::Place::host, instances};
  s.publish(sink);
  EXPECT_EQ(s.backends(), 1u);
  steps(whole, 2);
  EXPECT_EQ(hash_of(s), hash_of(whole));
}

TEST(Session, ACompareOnALostDeviceKeepsItsStep) {
  Session s(cpu(), {"plummer:n=64"}, {}), whole(cpu(), {"plummer:n=64"}, {});
  steps(s, 3);
  s.apply(ask::LoseDevice{4});
  for (int k = 0; k < 2; ++k) steps(s, 4);
  EXPECT_EQ(s.backends(), 1u);
  EXPECT_EQ(s.model().steps, 7u);
  s.advance(1e9);
  EXPECT_EQ(s.model().steps, 11u);
  steps(whole, 11);
  EXPECT_EQ(hash_of(s), hash_of(whole));
}

}  // namespace
}  // namespace tri::app
