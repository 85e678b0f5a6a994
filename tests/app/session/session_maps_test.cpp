// Maps in a session: turns, traces, sketches, faults.
//
// Turns of the map in use with bb: times of the same moment, of the domain alone, and a state that they do not touch.

#include <chrono>
#include <set>
#include <thread>
#include <tuple>

#include "app/session/puzzles.hpp"
#include "app/session/sketches.hpp"
#include "app/support/measurement.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/map_file.hpp"
#include "tests/app/session/session_support.hpp"

namespace tri::app {
namespace {

/// A machine that becomes slower with every call: each evaluation takes a tenth longer than the one before. All maps
/// are alike, but those of `slow_pairs` and `slow_triples` take three times as long.
class TiringBackend final : public test::ForwardingBackend {
 public:
  TriangleMapId slow_pairs = TriangleMapId::circulant;
  TetraMapId slow_triples = TetraMapId::tetra_lut;

 private:
  struct TiringEngine final : test::ForwardingEngine {
    TiringEngine(std::unique_ptr<Engine> real, const TiringBackend& owner, bool with_triples)
        : ForwardingEngine(std::move(real)), backend(owner), triples(with_triples) {}
    void advance(Integrator integrator, double dt, u64 steps) override {
      ForwardingEngine::advance(integrator, dt, steps);
      ms *= 1.1;
    }
    Timing timing() const override {
      const double of_pairs = config().pair_map == backend.slow_pairs ? 3 * ms : ms;
      const double of_triples = !triples ? 0 : config().triple_map == backend.slow_triples ? 300 * ms : 100 * ms;
      return {of_pairs + of_triples, 0, 0, of_triples, {}, {}, {}, {}, {}};
    }
    const TiringBackend& backend;
    bool triples;
    double ms = 1;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField& field) override {
    return std::make_unique<TiringEngine>(std::move(engine), *this, field.triple != TripleLaw::none);
  }
};

/// Remembers the calls of its engine. Each step takes a millisecond, is said to take 1 ms, and 1000 after steps of no
/// length. Those are turns, and may fail.
class WatchedBackend final : public test::ForwardingBackend {
 public:
  struct Call {
    TriangleMapId map;
    double dt;
    u64 steps;
    double seconds;
  };
  using Calls = std::vector<Call>;
  explicit WatchedBackend(Calls& to) : calls(to) {}
  Calls& calls;
  bool fails = false, timeless = false;

 private:
  struct WatchedEngine final : test::ForwardingEngine {
    WatchedEngine(std::unique_ptr<Engine> real, const WatchedBackend& owner)
        : ForwardingEngine(std::move(real)), backend(owner) {}
    void advance(Integrator integrator, double dt, u64 steps) override {
      const Stopwatch watch;
      backend.calls.push_back({config().pair_map, dt, steps, 0});
      if (dt == 0 && backend.fails) throw BackendError("the device is gone.");
      std::this_thread::sleep_for(std::chrono::milliseconds(steps));
      ForwardingEngine::advance(integrator, dt, steps);
      backend.calls.back().seconds = watch.ms() / 1e3;
      force_ms = backend.timeless ? 0 : after_turn && dt != 0 ? 1000 : 1;
      after_turn = dt == 0;
    }
    Timing timing() const override { return {force_ms, 0, 0, 0, {}, {}, {}, {}, {}}; }
    const WatchedBackend& backend;
    bool after_turn = false;
    double force_ms = 1;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return std::make_unique<WatchedEngine>(std::move(engine), *this);
  }
};

/// Frames of one step each, watched, by the map: until there are so many more calls of turns, and then five.
void run_frames(Session& s, const WatchedBackend::Calls& calls, std::size_t more,
                TriangleMapId map = TriangleMapId::fold) {
  s.compare_with_bb();
  s.apply(Requests{ask::PairMap{map}, ask::StepsPerFrame{1}, ask::Run{true}});
  const auto of_turns = [&] {
    return static_cast<std::size_t>(std::count_if(calls.begin(), calls.end(), [](auto& call) { return call.dt == 0; }));
  };
  const std::size_t wanted = of_turns() + more;
  for (const Stopwatch watch; of_turns() < wanted && watch.ms() < 30e3;) s.advance(1e9);
  ASSERT_GE(of_turns(), wanted);
  for (int frame = 0; frame < 5; ++frame) s.advance(1e9);
}

const MapRow& row(const Session& s, TriangleMapId map) { return s.model().pair_maps[static_cast<u32>(map)]; }
const MapRow& row(const Session& s, TetraMapId map) { return s.model().triple_maps[static_cast<u32>(map)]; }

Improvement over_bb(const MapRow& map) { return improvement(map.turns.baseline.values(), map.turns.own.values()); }

TEST(SessionTurns, AMachineThatTiresMakesNoDifference) {
  Session s(std::make_unique<TiringBackend>(), {"plummer:n=40"}, {});
  s.apply(ask::Compare{true});
  for (u32 frame = 0; frame < 8 * fitting(s.model().pair_maps); ++frame) s.advance(1e9);
  const double medians = row(s, TriangleMapId::bb).force.median() / row(s, TriangleMapId::fold).force.median();
  EXPECT_GT(std::abs(medians - 1), 0.5) << "their samples are of different times";
  for (const TriangleMapId map : {TriangleMapId::lambda, TriangleMapId::fold, TriangleMapId::utm_block}) {
    ASSERT_EQ(row(s, map).turns.own.values().size(), 8u);
    ASSERT_EQ(row(s, map).turns.baseline.values().size(), 8u);
    EXPECT_TRUE(over_bb(row(s, map)).decided());
    EXPECT_FALSE(over_bb(row(s, map)).differs()) << row(s, map).name;
  }
  const Improvement slow = over_bb(row(s, TriangleMapId::circulant));
  EXPECT_TRUE(slow.differs());
  EXPECT_NEAR(slow.ratio, 1.0 / 3, 0.05);
  EXPECT_TRUE(row(s, TriangleMapId::bb).turns.own.empty()) << "nobody takes turns with himself";
}

TEST(SessionTurns, PairsAndTriplesHaveTheirOwnTimes) {
  Session s(std::make_unique<TiringBackend>(), {"argon-droplet:n=20"}, {});
  s.apply(Requests{ask::PairMap{TriangleMapId::circulant}, ask::TripleMap{TetraMapId::tetra_stream}});
  s.apply(ask::Compare{true});  // of the triples
  for (u32 frame = 0; frame < 8 * fitting(s.model().triple_maps); ++frame) s.advance(1e9);
  const MapRow &pairs = row(s, TriangleMapId::circulant), &triples = row(s, TetraMapId::tetra_lut);
  EXPECT_NEAR(over_bb(pairs).ratio, 1.0 / 3, 0.05);
  EXPECT_NEAR(over_bb(triples).ratio, 1.0 / 3, 0.05) << "of the sum of both it would be 0.33 by chance: see the next";
  EXPECT_FALSE(over_bb(row(s, TetraMapId::tetra)).differs()) << "the slow map of pairs is none of its business";
  const double ratio = pairs.force.last() / row(s, TetraMapId::tetra).force.last();
  EXPECT_LT(ratio, 0.3) << "three units against a hundred, whatever the machine is like";
}

TEST(SessionTurns, TheyLeaveTheBodiesAsTheyAre) {
  for (const char* scene : {"plummer:n=200", "falling-pile:n=60", "argon-droplet:n=40"}) {
    Session watched(cpu(), {scene}, {}), plain(cpu(), {scene}, {});
    watched.compare_with_bb();
    for (Session* s : {&watched, &plain}) s->apply(Requests{ask::StepsPerFrame{2}, ask::Run{true}});
    const auto turns = [&] {
      std::size_t count = 0;
      for (const auto* rows : {&watched.model().pair_maps, &watched.model().triple_maps}) {
        for (const MapRow& map : *rows) count += map.turns.own.values().size();
      }
      return count;
    };
    for (int frame = 0; frame < 100000 && turns() < 8; ++frame) watched.advance(1e9), plain.advance(1e9);
    EXPECT_GE(turns(), 8u) << scene;
    EXPECT_EQ(watched.model().steps, plain.model().steps);
    EXPECT_EQ(hash_of(watched), hash_of(plain)) << scene;
    EXPECT_EQ(watched.model().time, plain.model().time);
  }
}

TEST(SessionTurns, GoToTheMapWithTheFewestAndToSlowOnesLast) {
  std::vector<MapRow> rows;
  for (const char* name : {"bb", "lambda", "none", "utm", "fold"}) rows.push_back({name, "", "", {}});
  rows[2].reason = "it does not fit";
  std::string order;
  for (int turn = 0; turn < 36; ++turn) {
    const std::size_t next = map_to_time(rows, 4);
    order += static_cast<char>('0' + next);
    rows[next].turns.add(1, next == 3 ? 9 : next == 1 && turn < 3 ? 100 : 1);  // the first of lambda is disturbed
  }
  EXPECT_EQ(order, "413413413414141414141414141333333333");
  EXPECT_EQ(map_to_time(rows, 4), 4u) << "all have had enough";
  EXPECT_EQ(map_to_time(rows, 0), 0u);
  rows[1].turns.clear(), rows[1].failed = 12;
  EXPECT_EQ(map_to_time(rows, 4), 4u) << "it gives no times";
}

/// The page that says what idle blocks cost had one turn after a minute: slow maps went before.
TEST(SessionTurns, TheMapThatSomebodyWaitsForGoesFirst) {
  Session s(cpu(), {"plummer:n=40"}, {});
  s.compare_with_bb(), s.time_first(6);
  s.apply(Requests{ask::StepsPerFrame{1}, ask::Run{true}});
  const auto& rows = s.model().pair_maps;
  const auto turns = [&](std::size_t k) { return rows[k].turns.own.values().size(); };
  for (const Stopwatch watch; turns(6) < 12 && watch.ms() < 30e3;) s.advance(1e9);
  EXPECT_EQ(turns(6), 12u);
  EXPECT_EQ(turns(1) + turns(2), 0u) << "they wait";
  for (const Stopwatch watch; turns(1) < 1 && watch.ms() < 30e3;) s.advance(1e9);
  EXPECT_EQ(turns(1), 1u) << "it has had enough";
}

/// One of 16 maps had a time after a minute: that in use.
TEST(SessionTurns, EveryMapIsTimedUnaskedAndThenTheMapInUse) {
  for (const auto& [scene, in_use] : {std::pair{"plummer:n=40", 1u}, std::pair{"plummer:n=40", 0u}}) {
    Session s(cpu(), {scene}, {});
    s.compare_with_bb();
    s.apply(Requests{ask::PairMap{static_cast<TriangleMapId>(in_use)}, ask::StepsPerFrame{1}, ask::Run{true}});
    const auto& rows = s.model().pair_maps;
    const auto turns = [&](std::size_t k) { return rows[k].turns.own.values().size(); };
    std::vector<std::size_t> first;  // the maps in the order of their first times
    const auto frame = [&] {
      s.advance(1e9);
      for (std::size_t k = 1; k < rows.size(); ++k) {
        if (turns(k) == 1 && std::count(first.begin(), first.end(), k) == 0) first.push_back(k);
      }
    };
    const auto whole = [&] {
      for (std::size_t k = 1; k < rows.size(); ++k) {
        if (rows[k].fits() && turns(k) < 12) return false;
      }
      return true;
    };
    for (const Stopwatch watch; !whole() && watch.ms() < 30e3;) frame();
    ASSERT_TRUE(whole());
    EXPECT_EQ(first.size(), fitting(rows) - 1) << "all but bb";
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end())) << "one by one, lambda first";
    EXPECT_TRUE(over_bb(rows[5]).decided());
    EXPECT_EQ(static_cast<u32>(s.model().asked.pair_map), in_use) << "unasked, and unnoticed";
    for (const Stopwatch watch; turns(1) < 15 && watch.ms() < (in_use == 1 ? 30e3 : 200);) s.advance(1e9);
    EXPECT_EQ(turns(1), in_use == 1 ? 15u : 12u);
    EXPECT_EQ(turns(5), 12u) << "it has had enough";
  }
}

TEST(SessionTurns, EachIsTwoEvaluationsByBothAndTheMapInUseStays) {
  WatchedBackend::Calls calls;
  Session s(std::make_unique<WatchedBackend>(calls), {"plummer:n=40"}, {});
  const Stopwatch watch;
  run_frames(s, calls, 2 * 32);
  const double whole = watch.ms() / 1e3;
  std::map<TriangleMapId, std::vector<bool>> bb_first;  // in the turns of a map
  double turns_but_last = 0, last = 0;
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (calls[k].dt != 0) {
      EXPECT_EQ(calls[k].map, TriangleMapId::fold) << "call " << k;
      continue;
    }
    ASSERT_LT(k + 1, calls.size());
    const auto& [map, dt, steps, seconds] = calls[k + 1];
    turns_but_last += std::exchange(last, calls[k].seconds + seconds);
    EXPECT_EQ(dt, 0);
    EXPECT_EQ(steps, 2u) << "the first evaluation after a change is not timed";
    EXPECT_EQ(calls[k].steps, 2u);
    const bool bb = calls[k++].map == TriangleMapId::bb;
    EXPECT_NE(bb, map == TriangleMapId::bb) << "call " << k;
    bb_first[bb ? map : calls[k - 1].map].push_back(bb);
  }
  EXPECT_GE(bb_first.size(), 11u);
  for (const auto& [map, firsts] : bb_first) {
    for (std::size_t k = 1; k < firsts.size(); ++k) EXPECT_NE(firsts[k], firsts[k - 1]) << "they take turns at that";
    EXPECT_EQ(row(s, map).turns.own.values().size(), firsts.size());
  }
  EXPECT_GE(bb_first[TriangleMapId::fold].size(), 2u);
  EXPECT_LE(turns_but_last, whole / 4) << "each is a fifth of the time up to the next at most";
  for (const double ms : row(s, TriangleMapId::fold).force.values()) EXPECT_EQ(ms, 1) << "of the step after a turn";
}

TEST(SessionTurns, TakeATenthOfTheTimeOnceEachMapHasHadOne) {
  WatchedBackend::Calls calls;
  Session s(std::make_unique<WatchedBackend>(calls), {"plummer:n=40"}, {});
  s.compare_with_bb();
  s.apply(ask::Run{true});
  const auto all_had = [&](std::size_t turns) {
    return std::all_of(s.model().pair_maps.begin() + 1, s.model().pair_maps.end(),
                       [&](const MapRow& map) { return !map.fits() || map.turns.own.values().size() >= turns; });
  };
  for (const Stopwatch watch; !all_had(1) && watch.ms() < 30e3;) s.advance(1e9);
  ASSERT_TRUE(all_had(1));
  const std::size_t from = calls.size();
  const Stopwatch watch;
  while (!all_had(4) && watch.ms() < 30e3) s.advance(1e9);
  const double whole = watch.ms() / 1e3;
  ASSERT_TRUE(all_had(4));
  double turns = 0, last = 0;
  for (std::size_t k = from; k + 1 < calls.size(); ++k) {
    if (calls[k].dt == 0) turns += std::exchange(last, calls[k].seconds + calls[k + 1].seconds), ++k;
  }
  EXPECT_GT(turns, 0);
  EXPECT_LE(turns, whole / 7);
}

/// Rows with a time, of pairs and of triples.
std::size_t timed(const Session& s) {
  std::size_t rows = 0;
  for (const auto* maps : {&s.model().pair_maps, &s.model().triple_maps}) {
    for (const MapRow& map : *maps) rows += !map.force.empty() || !map.turns.own.empty() || !map.turns.baseline.empty();
  }
  return rows + !s.model().force.empty() + !s.model().integrate.empty();
}

/// A second typed law kept the times of the first: its rows mixed both.
TEST(SessionTurns, TimesAreOfOneWork) {
  constexpr const char* kYukawa = "energy = A*exp(-k*r)/r; A = 1; k = 2";
  Session s(std::make_unique<TiringBackend>(), {"plummer:n=40"}, {});
  const auto act = [&](const auto& edit) {
    ForceField field = s.model().scene.field;
    edit(field);
    s.apply(ask::Field{field});
  };
  const auto pairs = [&](const char* law) { act([&](ForceField& f) { set_pair_law(f, law); }); };
  const auto triples = [&](const char* law) { act([&](ForceField& f) { set_triple_law(f, law); }); };
  u64 work = 0;
  const auto time_all = [&] {
    s.apply(ask::Compare{true});
    for (int frame = 0; frame < 24; ++frame) s.advance(1e9);
    s.apply(ask::Compare{false});
    s.advance(1e9), s.advance(1e9);
    EXPECT_GT(timed(s), 6u);
    work = s.model().work;
  };
  const auto expect_none = [&](const char* after) {
    EXPECT_EQ(timed(s), 0u) << after;
    EXPECT_NE(s.model().work, work) << after;
  };
  pairs(kYukawa), time_all();
  act([](ForceField& f) { f.typed_pair.values[0] = 2; });
  EXPECT_GT(timed(s), 6u) << "a factor takes no time";
  EXPECT_EQ(s.model().work, work);
  pairs("energy = k/2*(r - 1)^2; k = 1"), expect_none("another typed law");
  time_all(), s.apply(ask::Undo{}), expect_none("undo of it");
  pairs("energy = k/2*(r - 1)^2; k = 1; cutoff = 2"), time_all();
  act([](ForceField& f) { f.typed_pair.values[1] = 3; }), expect_none("a cut-off");
  triples("energy = A*exp(-(a^2 + b^2 + c^2)/w^2); A = 0.1; w = 1.5"), time_all();
  triples("energy = A*(a^2 + b^2 + c^2); A = 0.1"), expect_none("a typed law of triples");
  time_all(), s.apply(ask::Sums{Accumulate::ordered}), expect_none("sums");
  time_all(), s.apply(ask::Blocks{32, 0}), expect_none("blocks");
  time_all(), s.apply(ask::AddBodies{{{{9, 0, 0}, {}, 1, 0}}}), expect_none("bodies");
  triples("none"), pairs("gravity"), time_all();
  s.apply(ask::Accuracy{.pairs = PairSearch::tree}), expect_none("a tree");
  time_all(), s.apply(ask::Scheme{Integrator::symplectic_euler});
  EXPECT_TRUE(s.model().integrate.empty()) << "of another scheme";
}

/// Steps that are taken again change the law on the way, and the last of them is still of the old one.
TEST(SessionTurns, AStepOfTheOldLawIsNoTimeOfTheNew) {
  Session s(cpu(), {"plummer:n=40"}, {});
  s.keep_timeline();
  steps(s, 3);
  ForceField field = s.model().scene.field;
  set_pair_law(field, "lennard-jones");
  s.apply(ask::Field{field});
  steps(s, 3);
  s.apply(ask::GoTo{0});
  while (s.asked_for_steps()) s.advance(1e9);
  ASSERT_EQ(s.model().scene.field.pair, PairLaw::gravity);
  steps(s, 3);
  ASSERT_EQ(s.model().scene.field.pair, PairLaw::lennard_jones);
  EXPECT_EQ(timed(s), 0u);
}

TEST(SessionTurns, ATypedMapTakesThem) {
  constexpr const char* kLine =
      "name = \"turns-line\"\ndomain = \"pairs\"\nlaunch = [\"m*(m + 1)/2\"]\n"
      "tile = \"row = (isqrt(8*w + 1) - 1)/2; col = w - row*(row + 1)/2\"\n";
  WatchedBackend::Calls calls;
  Session s(std::make_unique<WatchedBackend>(calls), {"plummer:n=40"}, {});
  s.apply(ask::AddMap{mapfile::MapFile::from_text(kLine, "turns-line.toml")});
  const TriangleMapId line = *find_triangle_map("turns-line");
  run_frames(s, calls, 2, line);
  EXPECT_FALSE(row(s, line).turns.own.empty());
}

TEST(SessionTurns, ADeviceThatFailsInOneLeavesNoTimes) {
  for (const bool fails : {true, false}) {
    WatchedBackend::Calls calls;
    auto backend = std::make_unique<WatchedBackend>(calls);
    backend->fails = fails, backend->timeless = !fails;
    Session s(std::move(backend), {"plummer:n=40"}, {});
    run_frames(s, calls, 2);
    for (const MapRow& map : s.model().pair_maps) EXPECT_TRUE(map.turns.own.empty()) << map.name;
    EXPECT_GT(s.model().steps, 5u);
    EXPECT_TRUE(s.model().running);
  }
}

TEST(SessionTurns, OtherWorkForgetsThem) {
  WatchedBackend::Calls calls;
  Session s(std::make_unique<WatchedBackend>(calls), {"plummer:n=40"}, {});
  run_frames(s, calls, 2);
  const auto turns = [&] {
    const Turns& of_fold = row(s, TriangleMapId::fold).turns;
    EXPECT_EQ(of_fold.own.values().size(), of_fold.baseline.values().size());
    return of_fold.own.values().size();
  };
  ASSERT_GT(turns(), 0u);
  s.apply(ask::PairMap{TriangleMapId::lambda});
  EXPECT_GT(turns(), 0u) << "the same work by another map";
  s.apply(ask::Reset{});
  EXPECT_GT(turns(), 0u) << "the same work from the start";
  s.apply(ask::Blocks{16, 0});
  EXPECT_EQ(turns(), 0u) << "other tiles";
}

TEST(SessionTurns, ThereAreNoneWithImpulsesOrWhenNobodyWatches) {
  Session impulses(cpu(), {"gas:n=60"}, {}), alone(cpu(), {"plummer:n=40"}, {});
  impulses.compare_with_bb();
  for (Session* s : {&impulses, &alone}) {
    s->apply(Requests{ask::StepsPerFrame{50}, ask::Run{true}});
    for (int frame = 0; frame < 200; ++frame) s->advance(1e9);
    for (const MapRow& map : s->model().pair_maps) EXPECT_TRUE(map.turns.own.empty());
  }
}

/// What its engine was asked for last, at each call: of turns and of steps.
class AskedBackend final : public test::ForwardingBackend {
 public:
  std::vector<Arithmetic> in_turns, in_steps;

 private:
  struct AskedEngine final : test::ForwardingEngine {
    AskedEngine(std::unique_ptr<Engine> real, AskedBackend& owner)
        : ForwardingEngine(std::move(real)), backend(owner) {}
    void configure(const EngineConfig& config) override {
      ForwardingEngine::configure(config);
      asked = config.arithmetic;
    }
    void advance(Integrator integrator, double dt, u64 steps) override {
      (dt == 0 ? backend.in_turns : backend.in_steps).push_back(asked);
      ForwardingEngine::advance(integrator, dt, steps);
    }
    AskedBackend& backend;
    Arithmetic asked = Arithmetic::automatic;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return std::make_unique<AskedEngine>(std::move(engine), *this);
  }
};

// Products of triples on tensor cores are driven by a map of pairs, and would win against every map of triples.
TEST(SessionTurns, MapsOfTriplesAreComparedInTilesOfTriples) {
  for (const auto& [scene, in_turns] :
       {std::pair{"argon-droplet:n=40", Arithmetic::float32}, {"plummer:n=40", Arithmetic::automatic}}) {
    auto backend = std::make_unique<AskedBackend>();
    const AskedBackend& seen = *backend;
    Session s(std::move(backend), {scene}, {});
    s.compare_with_bb();
    s.apply(Requests{ask::StepsPerFrame{1}, ask::Run{true}});
    for (const Stopwatch watch; seen.in_turns.size() < 8 && watch.ms() < 30e3;) s.advance(1e9);
    for (int frame = 0; frame < 5; ++frame) s.advance(1e9);
    ASSERT_GE(seen.in_turns.size(), 8u) << scene;
    for (const Arithmetic a : seen.in_turns) EXPECT_EQ(a, in_turns) << scene;
    for (const Arithmetic a : seen.in_steps) EXPECT_EQ(a, Arithmetic::automatic) << scene;
  }
  EngineConfig products;
  products.arithmetic = Arithmetic::tensor, products.triple_block = 192;
  EXPECT_EQ(in_tiles_of_triples(products).triple_block, 0u);
  products.arithmetic = Arithmetic::automatic, products.triple_block = 64;
  EXPECT_EQ(in_tiles_of_triples(products).triple_block, 64u);
}

// Traces of maps: each tile of the domain once, at the launch position that the map gives, for every map and side.

void check(const MapTrace& p, u64 tiles, const std::string& name) {
  EXPECT_EQ(p.tiles.size(), tiles) << name;
  std::set<std::tuple<u32, u32, u32>> seen;
  for (const TraceTile& t : p.tiles) seen.insert({t.x, t.y, t.z});
  EXPECT_EQ(seen.size(), tiles) << name << ": a tile twice";
  u64 launched = 0, counted = 0;
  for (const Launch& l : p.launches) launched += positions(l);
  EXPECT_EQ(p.cells.size(), launched) << name;
  for (u32 k = 0; k < p.cells.size(); ++k) {
    const TracePosition& c = p.cells[k];
    // x runs fastest, then y, then z, then the launches: the order in which blocks are numbered.
    const Launch& l = p.launches[c.at.pass];
    u64 omega = c.at.x + l.x * (c.at.y + u64{l.y} * c.at.z);
    for (u32 pass = 0; pass < c.at.pass; ++pass) omega += positions(p.launches[pass]);
    EXPECT_EQ(omega, k) << name;
    EXPECT_EQ(c.first, counted) << name << ": tiles are in the order of their positions";
    for (u32 t = c.first; t < c.first + c.count; ++t) EXPECT_EQ(p.tiles[t].cell, k) << name;
    counted += c.count;
  }
  EXPECT_EQ(counted, tiles) << name;
}

TEST(MapTrace, EveryTileOfTheTriangleOnce) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    for (const u32 side : {1u, 2u, 3u, 7u, 12u, 33u, kMaxTriangleSide}) {
      const auto map = static_cast<TriangleMapId>(id);
      const MapTrace p = trace_map(map, side);
      check(p, u64{side} * (side + 1) / 2, std::string(info(map).name) + " " + std::to_string(side));
      u32 diagonal = 0;
      for (const TraceTile& t : p.tiles) {
        EXPECT_LE(t.x, t.y);
        EXPECT_LT(t.y, side);
        diagonal += t.diagonal;
      }
      EXPECT_EQ(diagonal, side);
      visit_triangle_map(map, side, Diagonal::with, 4,
                         [&](const auto& m) { EXPECT_EQ(p.useful(), launch_counts(m).useful); });
    }
  }
}

TEST(MapTrace, AWrongTypedMapStaysInsideAndEnds) {
  const auto trace_of = [](const std::string& name, const std::string& launch, const std::string& tile) {
    const std::string text =
        "name = \"" + name + "\"\ndomain = \"pairs\"\nlaunch = [\"" + launch + "\"]\ntile = \"" + tile + "\"";
    mapfile::add_map(mapfile::MapFile::from_text(text, name));
    return trace_map(*find_triangle_map(name), 5);
  };
  const MapTrace right = trace_of("trace-right", "m*(m+1)/2", "row = (isqrt(8*w+1)-1)/2; col = w - row*(row+1)/2");
  check(right, 15, "typed");
  const MapTrace outside = trace_of("trace-outside", "8", "row = x; col = x < 4 ? 0 : 4000000000");
  EXPECT_EQ(outside.tiles.size(), 4u);
  EXPECT_EQ(outside.cells.size(), 8u);
  EXPECT_EQ(outside.useful(), 4u);
  const MapTrace huge = trace_of("trace-huge", "1 << 60", "row = 0; col = 0");
  EXPECT_EQ(huge.cells.size(), std::size_t{1} << 20);
}

TEST(MapTrace, EveryTileOfTheTetrahedronOnce) {
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    for (const u32 side : {1u, 2u, 5u, kMaxTetraSide}) {
      const auto map = static_cast<TetraMapId>(id);
      const MapTrace p = trace_map(map, side);
      check(p, u64{side} * (side + 1) * (side + 2) / 6, std::string(info(map).name) + " " + std::to_string(side));
      for (const TraceTile& t : p.tiles) {
        EXPECT_TRUE(t.x <= t.y && t.y <= t.z && t.z < side);
        EXPECT_EQ(t.diagonal, t.x == t.y || t.y == t.z);
      }
    }
  }
}

TEST(MapTrace, EveryCellOfTheGasketOnce) {
  u64 cells = 1;
  for (u32 levels = 0; levels <= kMaxLevels; ++levels, cells *= 3) {
    for (u32 id = 0; id < kGasketMapCount; ++id) {
      const MapTrace p = trace_map(static_cast<GasketMapId>(id), levels);
      check(p, cells, info(static_cast<GasketMapId>(id)).name);
      EXPECT_EQ(p.side, u32{1} << levels);
    }
  }
}

TEST(MapTrace, IdlePositionsMatchTheClosedForms) {
  EXPECT_EQ(trace_map(TriangleMapId::bb, 12).cells.size() - trace_map(TriangleMapId::bb, 12).useful(), 66u);
  EXPECT_EQ(trace_map(TriangleMapId::lambda, 12).cells.size(), 78u);
  EXPECT_EQ(trace_map(TriangleMapId::lambda_stream, 12).cells.size(), 4u) << "four positions, each with its run";
  EXPECT_EQ(trace_map(TetraMapId::bb, 4).cells.size(), 64u);
}

// What the editor of maps shows: who meets each tile, at sides that are right and wrong.

constexpr const char* kLambda = R"(name = "sketched"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = """
  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
"""
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kLambda;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(MapSketch, EveryTileOfAGoodMapIsMetOnceInOrder) {
  const MapSketch sketch = sketch_map(kLambda, 9);
  ASSERT_EQ(sketch.error, "");
  EXPECT_TRUE(sketch.proof.passed());
  ASSERT_EQ(sketch.tiles.size(), 45u);
  for (std::size_t k = 0; k < sketch.tiles.size(); ++k) {
    EXPECT_EQ(sketch.tiles[k].times, 1u);
    EXPECT_EQ(sketch.tiles[k].omega, k) << "row by row";
  }
}

TEST(MapSketch, MissedTilesAndThoseMetAgainAreMarked) {
  const MapSketch sketch = sketch_map(with("col = w - row*(row + 1)/2", "col = 0"), 4);
  ASSERT_EQ(sketch.error, "");
  EXPECT_FALSE(sketch.proof.passed());
  for (const SketchTile& t : sketch.tiles) EXPECT_EQ(t.times, t.col == 0 ? t.row + 1 : 0) << t.row << " " << t.col;
}

TEST(MapSketch, TilesOutsideAreLeftToTheProof) {
  const MapSketch sketch = sketch_map(with("col = w - row*(row + 1)/2", "col = w - row*(row + 1)/2 + 1"), 5);
  ASSERT_EQ(sketch.error, "");
  EXPECT_EQ(sketch.proof.outside, 5u);
  EXPECT_EQ(std::count_if(sketch.tiles.begin(), sketch.tiles.end(), [](const SketchTile& t) { return t.times == 0; }),
            5);
}

TEST(MapSketch, ATextThatIsNoMapSaysWhy) {
  for (const std::string& text :
       {std::string(), std::string("name = 3"), with("isqrt", "isqart"), with("pairs", "quads")}) {
    const MapSketch sketch = sketch_map(text, 8);
    EXPECT_EQ(sketch.map, nullptr) << text;
    EXPECT_NE(sketch.error, "");
    EXPECT_TRUE(sketch.tiles.empty());
  }
}

TEST(MapSketch, BlocksHaveTheirTilesAndWhatGoesWrongIsMarked) {
  const MapSketch sketch = sketch_map(with("col = w - row*(row + 1)/2", "col = w"), 3);
  ASSERT_EQ(sketch.error, "");
  ASSERT_EQ(sketch.trace.cells.size(), 6u);
  EXPECT_EQ(sketch.strays, (std::vector<u32>{2, 3, 4, 5})) << "col > row";
  EXPECT_EQ(sketch.trace.cells[1].count, 1u);
  EXPECT_EQ(sketch.trace.cells[2].count, 0u);
  for (std::size_t k = 0; k < sketch.tiles.size(); ++k) {
    EXPECT_EQ(sketch.trace.tiles[k].cell == kNoBlock, sketch.tiles[k].times == 0) << k;
  }
}

TEST(MapSketch, ATextMayNotLaunchMoreThanCanBeDrawn) {
  const MapSketch sketch = sketch_map(with("m*(m + 1)/2", "5000000000"), 8);
  EXPECT_NE(sketch.error.find("5,000,000,000 blocks"), std::string::npos) << sketch.error;
  EXPECT_TRUE(sketch.tiles.empty());
}

TEST(MapSketch, TheSpongeHasItsOwnCells) {
  EXPECT_NE(sketch_map(kLambda, 9, SketchOf::sponge).error, "") << "pairs have no layers";
  const MapSketch sketch = sketch_map(puzzles().back().solution, 9, SketchOf::sponge);
  ASSERT_EQ(sketch.error, "");
  EXPECT_EQ(sketch.tiles.size(), 400u);
  EXPECT_TRUE(sketch.proof.passed()) << sketch.proof.fault_text();
}

TEST(Puzzle, EverySolutionIsRightAndNoBeginningIs) {
  for (const Puzzle& p : puzzles()) {
    const PuzzleVerdict begin = judge(p, p.begin), end = judge(p, p.solution);
    EXPECT_FALSE(begin.solved) << p.name;
    EXPECT_EQ(begin.sketch.error, "") << p.name;
    EXPECT_FALSE(begin.sketch.proof.passed()) << p.name;
    EXPECT_TRUE(end.solved) << p.name << ": " << end.text << end.sketch.error;
    EXPECT_TRUE(p.idle_blocks || end.sketch.proof.idle() == 0) << p.name;
  }
  EXPECT_EQ(puzzle_size(puzzles()[2]), "136 blocks onto 136 tiles");
}

TEST(Puzzle, IdleBlocksAndNumbersOfOneSideAreNoSolution) {
  const Puzzle& fold = puzzles()[1];
  EXPECT_NE(judge(fold, puzzles()[0].solution).text.find("120 are idle"), std::string::npos);
  std::string text = fold.solution;
  text.replace(text.find("m + 1"), 5, "17"), text.replace(text.find("m/2"), 3, "8");
  const PuzzleVerdict v = judge(fold, text);
  EXPECT_FALSE(v.solved);
  EXPECT_EQ(v.text.find("Right at m = 16, but not at every side. At m = 2: "), 0u) << v.text;
  EXPECT_NE(judge(fold, puzzles()[4].solution).text.find("write domain = \"pairs\""), std::string::npos);
}

TEST(MapSketch, ALargeSideIsShownAsTheLargestThatIsDrawn) {
  EXPECT_EQ(sketch_map(kLambda, 1u << 20).proof.side, most_sketched(Domain::triangle));
}

// Faults of maps beyond their limits: none up to the limit, the first wrong tile above it.

TEST(MapFault, HistoricalMapsFailRightAboveTheirLimit) {
  u32 historical = 0;
  for (u32 k = 0; k < kTriangleMapCount; ++k) {
    const auto id = static_cast<TriangleMapId>(k);
    if (!info(id).historical || info(id).max_side + 1 > kMaxFaultSide) continue;
    ++historical;
    const auto limit = static_cast<u32>(info(id).max_side);
    EXPECT_FALSE(find_fault(id, limit)) << info(id).name;
    const auto fault = find_fault(id, limit + 1);
    ASSERT_TRUE(fault) << info(id).name;
    EXPECT_NE(fault->visits, 1u);
    EXPECT_LE(fault->tile.x, fault->tile.y);
    EXPECT_LE(fault->tile.y, limit);
    EXPECT_GT(fault->missed + fault->outside, 0u);
  }
  EXPECT_GE(historical, 3u);
}

TEST(MapFault, ExactMapsHaveNone) {
  for (u32 k = 0; k < kTriangleMapCount; ++k) {
    const auto id = static_cast<TriangleMapId>(k);
    for (const u32 side : {1u, 2u, 3u, 17u, 64u, 100u}) EXPECT_FALSE(find_fault(id, side)) << info(id).name << side;
  }
  for (u32 k = 0; k < kTetraMapCount; ++k) {
    const auto id = static_cast<TetraMapId>(k);
    for (const u32 side : {1u, 2u, 7u, 33u}) EXPECT_FALSE(find_fault(id, side)) << info(id).name << side;
  }
}

TEST(MapFault, TheTetrahedronsPublishedMapFailsAtALayer) {
  const auto limit = static_cast<u32>(info(TetraMapId::tetra_r).max_side);
  EXPECT_FALSE(find_fault(TetraMapId::tetra_r, limit));
  const auto fault = find_fault(TetraMapId::tetra_r, limit + 1);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->tile.x <= fault->tile.y && fault->tile.y <= fault->tile.z && fault->tile.z <= limit);
}

}  // namespace
}  // namespace tri::app
