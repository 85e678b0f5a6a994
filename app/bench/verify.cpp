// Compiled with -O2 in every build: the checkers of maps are loops.

#include "app/bench/verify.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/support/engine_choice.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/bench.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::verify_parts {
namespace {

/// Typed laws that every backend has to know: Morse's potential between charges, screened, which reads all columns, and
/// the law of Axilrod and Teller by its sides.
constexpr const char* kTypedPair =
    "D*((1 - exp(-a*(r - d)))^2 - 1) + qi*qj*exp(-r/L)/r; d = b*(ri + rj); D = 1.25; a = 1.5; b = 2; L = 1.5";
constexpr const char* kTypedTriple =
    "nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2 + b^2 - c^2; y = b^2 + c^2 - a^2; z = c^2 + a^2 - b^2; "
    "nu = 0.75";

double rounded32(double v) { return static_cast<double>(static_cast<float>(v)); }

Bodies cloud_bodies(u32 n, u64 seed) {
  SplitMix64 random{seed};
  Bodies bodies;
  for (u32 i = 0; i < n; ++i) {
    double v[8];
    for (double& value : v) value = rounded32(2 * random.uniform() - 1);
    bodies.add(v[0], v[1], v[2], v[3], v[4], v[5], rounded32((1.5 + v[6]) / n));
  }
  return bodies;
}

/// A jittered lattice of spheres with charges of both signs, for laws that read them.
Bodies charged_lattice(u32 n, u64 seed, u32 uses) {
  Bodies bodies = jittered_lattice(n, seed, 0.3);
  if ((uses & laws::kCharge) == 0) return bodies;
  SplitMix64 random{seed + 1};
  for (u32 i = 0; i < n; ++i) bodies.q.push_back(rounded32((i % 2 == 0 ? 1 : -1) * (0.5 + random.uniform())));
  return bodies;
}

LawCase typed_case(const std::string& pair, const std::string& triple) {
  ForceField field;
  field.pair = PairLaw::none;
  if (!pair.empty()) set_pair_law(field, pair);
  if (!triple.empty()) set_triple_law(field, triple);
  const u32 uses = pair_uses(field);
  return {pair.empty() ? "typed-triples" : "typed", field,
          [uses](u32 n, u64 seed) { return charged_lattice(n, seed, uses); }};
}

}  // namespace

Bodies jittered_lattice(u32 n, u64 seed, double radius) {
  SplitMix64 random{seed};
  Bodies bodies;
  u32 side = 1;
  while (u64{side} * side * side < n) ++side;
  const double middle = 0.5 * (side - 1);
  for (u32 i = 0; i < n; ++i) {
    const u32 cell[3] = {i % side, i / side % side, i / side / side};
    double p[3], v[3];
    for (int k = 0; k < 3; ++k) {
      p[k] = rounded32(cell[k] - middle + 0.4 * (random.uniform() - 0.5));
      v[k] = rounded32(2 * random.uniform() - 1);
    }
    const double spread = 1 + 0.2 * (random.uniform() - 0.5);
    bodies.add(p[0], p[1], p[2], v[0], v[1], v[2], rounded32(spread), rounded32(radius * spread));
  }
  return bodies;
}

const std::vector<LawCase>& law_cases() {
  static const std::vector<LawCase> cases = [] {
    ForceField gravity;
    gravity.gravity = {1.5, 0.05};
    ForceField lennard_jones;
    lennard_jones.pair = PairLaw::lennard_jones;
    lennard_jones.lennard_jones = {1.25, 0.875, 2.5, true};
    ForceField contact;
    contact.pair = PairLaw::contact;
    contact.contact = {100, 0.5, 0.25, false, 1};
    ForceField triples;
    triples.pair = PairLaw::none;
    triples.triple = TripleLaw::axilrod_teller;
    triples.axilrod_teller.nu = 0.75;
    const auto lattice = [](double radius) {
      return [radius](u32 n, u64 s) { return jittered_lattice(n, s, radius); };
    };
    std::vector<LawCase> all{{"gravity", gravity, cloud_bodies}, {"lennard-jones", lennard_jones, lattice(0)},
                             {"contact", contact, lattice(0.7)}, {"axilrod-teller", triples, lattice(0)},
                             typed_case(kTypedPair, ""),         typed_case("", kTypedTriple)};
    // A law without a case of its own is checked with its default parameters.
    for (const LawInfo& law : all_laws()) {
      if (law.typed || std::any_of(all.begin(), all.end(), [&](const LawCase& c) { return c.name == law.name; }))
        continue;
      ForceField field;
      select_law(field, law.name);
      all.push_back({law.name, field, lattice(0.7)});
    }
    return all;
  }();
  return cases;
}

std::vector<LawCase> law_cases(const VerifyPlan& plan) {
  if (plan.law.empty() && plan.triple_law.empty() && plan.laws.empty()) return law_cases();
  std::vector<LawCase> cases = plan.laws;
  if (!plan.law.empty()) cases.push_back(typed_case(plan.law, ""));
  if (!plan.triple_law.empty()) cases.push_back(typed_case("", plan.triple_law));
  return cases;
}

std::vector<u32> law_sizes(const LawCase& law, const VerifyPlan& plan) {
  if (!plan.sizes.empty()) return plan.sizes;
  const bool full = plan.full;
  if (law.field.triple != TripleLaw::none) {
    return full ? std::vector<u32>{3, 4, 17, 33, 70, 129} : std::vector<u32>{3, 17, 45};
  }
  return full ? std::vector<u32>{2, 3, 31, 64, 65, 257, 1000, 2049} : std::vector<u32>{2, 3, 65, 257};
}

std::vector<EngineConfig> law_configs(const std::string& backend, const LawCase& law, const VerifyPlan& plan, u32 n,
                                      Precision precision, Accumulate accumulate) {
  struct Shape {
    u32 block, threads;
  };
  const bool triples = law.field.triple != TripleLaw::none;
  const u32 other_threads = plan.threads != 0 ? plan.threads : 3;
  std::vector<Shape> shapes{{0, plan.threads}, {triples ? 4u : 16u, 1}, {triples ? 7u : 48u, other_threads}};
  // An engine takes milliseconds on a GPU, and blocks may be many: a quick run gives each map each shape once, at one
  // of the sizes.
  const bool in_turn = !plan.full && (backend == "cuda" || !plan.blocks.empty());
  if (backend == "cuda") shapes = {{0, 0}, {triples ? 64u : 128u, 0}, {triples ? 128u : 512u, 0}};
  if (!plan.blocks.empty()) shapes.clear();
  for (const u32 block : plan.blocks) shapes.push_back({block, 1 + block % 3});
  const std::vector<u32> sizes = law_sizes(law, plan);
  const std::size_t turn = static_cast<std::size_t>(std::find(sizes.begin(), sizes.end(), n) - sizes.begin());
  std::vector<EngineConfig> configs;
  const auto maps = triples ? tetra_maps() : triangle_maps();
  for (std::size_t m = 0; m < maps.size(); ++m) {
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      if (in_turn && s != (m + turn) % shapes.size()) continue;
      const Shape& shape = shapes[s];
      if (!refusal(maps[m], n, shape.block == 0 ? 1 : shape.block).empty()) continue;
      EngineConfig config;
      config.precision = precision, config.accumulate = accumulate;
      config.threads = shape.threads;
      if (triples) {
        config.triple_map = static_cast<TetraMapId>(m), config.triple_block = shape.block;
      } else {
        config.pair_map = static_cast<TriangleMapId>(m), config.pair_block = shape.block;
      }
      // Contacts are found by all pairs, whose count is known, and through the grid.
      if (law.field.pair == PairLaw::contact) config.broad_phase = BroadPhase::all_pairs;
      configs.push_back(config);
    }
  }
  if (law.field.pair == PairLaw::contact && !configs.empty()) {
    configs.push_back(configs.front());
    configs.back().broad_phase = BroadPhase::grid;
  }
  return configs;
}

std::string case_text(const EngineConfig& config, const LawCase& law, u32 n) {
  // Products of triples go along the map of pairs.
  const bool triples = law.field.triple != TripleLaw::none && config.arithmetic != Arithmetic::tensor;
  return fmt::format("n = {}, --map {}, --block {}, {} threads", n,
                     triples ? info(config.triple_map).name : info(config.pair_map).name,
                     triples ? config.triple_block : config.pair_block, config.threads);
}

// Maps: each tile of the domain is visited once and none outside, over a range of sides, with and without the diagonal;
// historical maps also at their limit, where the next side must fail.

namespace {

/// All sides up to `last`, then each centre with its neighbours.
std::vector<u32> sides_to(u32 last, std::initializer_list<u32> centres) {
  std::vector<u32> sides;
  for (u32 s = 1; s <= last; ++s) sides.push_back(s);
  for (const u32 c : centres) sides.insert(sides.end(), {c - 1, c, c + 1});
  return sides;
}

std::vector<u32> sides_of(const MapInfo& map, bool full) {
  if (map.domain == Domain::triangle)
    return full ? sides_to(200, {256, 512, 1024, 2048}) : sides_to(96, {128, 256, 512});
  if (map.domain == Domain::tetrahedron) return full ? sides_to(96, {128, 200}) : sides_to(40, {64});
  std::vector<u32> sides;
  for (u32 r = 0; r <= (full ? 11u : 8u); ++r) sides.push_back(1u << r);
  return sides;
}

std::string side_text(u32 side, Diagonal diagonal) {
  return fmt::format("side {}{}", side, diagonal == Diagonal::without ? " without the diagonal" : "");
}

/// A historical map fails beyond its limit; a checker must detect that.
void show_limit(const MapUnderTest& map, VerifyOutcome& outcome) {
  const u32 limit = static_cast<u32>(map.info.max_side);
  const MapReport last = map.cover(limit, Diagonal::with, 1);
  outcome.add_exact(last.passed(), "at its limit: " + last.sentence);
  const MapReport beyond = map.cover(limit + 1, Diagonal::with, 1);
  outcome.add_exact(!beyond.passed(),
                    fmt::format("side {} passes, though the map states {} as its limit", limit + 1, limit));
}

VerifyOutcome check_map(const MapUnderTest& map, bool full) {
  VerifyOutcome outcome;
  const bool gasket = map.info.domain == Domain::gasket;
  for (const u32 side : sides_of(map.info, full)) {
    if (side > map.info.max_side) continue;
    for (const Diagonal diagonal : {Diagonal::with, Diagonal::without}) {
      if (gasket && diagonal == Diagonal::without) continue;
      // One worker, fewer than tiles, more than tiles: only the persistent maps tell the difference.
      const MapReport report = map.cover(side, diagonal, side % 3 == 0 ? 1 : side % 3 == 1 ? 7 : 1000);
      outcome.add_exact(report.passed(), side_text(side, diagonal) + ": " + report.sentence);
    }
  }
  if (map.info.historical) show_limit(map, outcome);
  return outcome;
}

}  // namespace

void add_map_checks(const VerifyPlan& plan, std::vector<VerifyCheck>& checks) {
  static constexpr const char* kDomains[] = {"pairs", "triples", "gasket"};
  for (const MapUnderTest& map : plan.maps) {
    std::string what = "each tile once, none outside";
    if (map.info.historical) what = fmt::format("each tile once to side {}, not beyond", map.info.max_side);
    checks.push_back({fmt::format("map of {} {}", kDomains[static_cast<int>(map.info.domain)], map.info.name), what, 0,
                      [map, full = plan.full] { return check_map(map, full); }});
  }
}

}  // namespace tri::app::verify_parts

namespace tri::app {
namespace {

template <class Id>
std::vector<MapUnderTest> maps_of(std::span<const MapInfo> infos, MapReport (*cover)(Id, u32, Diagonal, u32)) {
  std::vector<MapUnderTest> maps;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const auto id = static_cast<Id>(i);
    maps.push_back({infos[i], [id, cover](u32 side, Diagonal d, u32 workers) { return cover(id, side, d, workers); }});
  }
  return maps;
}

MapReport cover_triangle(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers) {
  MapReport report;
  visit_triangle_map(id, side, diagonal, workers, [&](const auto& map) { report = check_triangle_map(map); });
  return report;
}

MapReport cover_tetra(TetraMapId id, u32 side, Diagonal diagonal, u32 workers) {
  MapReport report;
  visit_tetra_map(id, side, diagonal, workers, [&](const auto& map) { report = check_tetra_map(map); });
  return report;
}

MapReport cover_gasket(GasketMapId id, u32 side, Diagonal, u32 workers) {
  MapReport report;
  const u32 levels = static_cast<u32>(std::bit_width(side)) - 1;
  visit_gasket_map(id, levels, workers, [&](const auto& map) { report = check_gasket_map(map); });
  return report;
}

}  // namespace

std::vector<MapUnderTest> all_maps() {
  std::vector<MapUnderTest> maps = maps_of<TriangleMapId>(triangle_maps(), cover_triangle);
  for (auto& map : maps_of<TetraMapId>(tetra_maps(), cover_tetra)) maps.push_back(std::move(map));
  for (auto& map : maps_of<GasketMapId>(gasket_maps(), cover_gasket)) maps.push_back(std::move(map));
  return maps;
}

namespace {

/// So that a check can be ended between its cases.
void report_case(u64 cases) {
  if (progress_is_wanted()) report_progress(ProgressKind::computing, "checks", static_cast<double>(cases), 0);
}

}  // namespace

void VerifyOutcome::add(double error, double limit, const std::string& what) {
  report_case(++cases);
  const double size = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  if (size > worst) worst = size;
  if (size <= limit) return;
  if (passed) note = fmt::format("{}: error {}, limit {:.3g}", what, real_text(error, 3), limit);
  passed = false;
}

void VerifyOutcome::add_exact(bool holds, const std::string& what) {
  report_case(++cases);
  if (holds) return;
  worst += 1;
  if (passed) note = what;
  passed = false;
}

std::vector<VerifyCheck> make_checks(const VerifyPlan& plan) {
  std::vector<VerifyCheck> checks;
  const bool all = plan.law.empty() && plan.triple_law.empty() && plan.laws.empty();
  if (all) verify_parts::add_map_checks(plan, checks);
  for (VerifyCheck& check : checks) check.beside = true;
  for (Backend* backend : plan.backends) {
    const std::size_t first = checks.size();
    verify_parts::add_law_checks(plan, *backend, checks);
    if (all) verify_parts::add_tensor_checks(plan, *backend, checks);
    verify_parts::add_ordered_checks(plan, *backend, checks);
    if (all) {
      verify_parts::add_jerk_checks(plan, *backend, checks);
      verify_parts::add_orbit_checks(plan, *backend, checks);
      verify_parts::add_job_checks(plan, *backend, checks);
      verify_parts::add_kernel_checks(plan, *backend, checks);
    }
    // A check of the cpu has its own threads, and ranks must all do the same at the same time.
    const BackendInfo about = backend->info();
    const bool beside = about.name == "cuda" && about.ranks == 1;
    for (std::size_t i = first; i < checks.size(); ++i) checks[i].beside = beside;
  }
  return checks;
}

VerifyRow run_check(const VerifyCheck& check) {
  VerifyRow row{check, {}, 0};
  const Stopwatch watch;
  try {
    row.outcome = check.run();
    // A check without cases proves nothing.
    if (row.outcome.cases == 0 && row.outcome.skipped.empty())
      row.outcome.passed = false, row.outcome.note = "no case was run";
  } catch (const std::exception& error) {
    row.outcome.passed = false;
    row.outcome.note = error.what();
  }
  row.seconds = watch.ms() / 1e3;
  return row;
}

CheckRuns::CheckRuns(const std::vector<VerifyCheck>& checks) : checks_(checks), rows_(checks.size()) {
  const auto beside = static_cast<u32>(
      std::count_if(checks.begin(), checks.end(), [](const VerifyCheck& check) { return check.beside; }));
  const u32 threads = std::min({beside, std::thread::hardware_concurrency(), 16u});
  try {
    for (u32 t = 0; t < threads; ++t) threads_.emplace_back([this] { run_ahead(); });
  } catch (const std::system_error&) {  // a limit on threads: next() runs what none of them does
  }
}

CheckRuns::~CheckRuns() {
  ended_ = true, begun_ = checks_.size();
  for (std::thread& thread : threads_) thread.join();
}

/// Ends a check that nobody waits for any more.
struct CheckRuns::EndWatch final : ProgressSink {
  explicit EndWatch(const std::atomic<bool>& ended) : ended_(ended) {}
  void report(const ProgressReport&) override {
    if (ended_) throw InterruptedError("nobody waits for this check");
  }
  const std::atomic<bool>& ended_;
};

void CheckRuns::run_ahead() {
  EndWatch end(ended_);
  const ScopedProgressSink sink(end);
  const ScopedTask task("checks");
  for (std::size_t i; (i = begun_++) < checks_.size();) {
    if (checks_[i].beside) rows_[i].set_value(run_check(checks_[i]));
  }
}

VerifyRow CheckRuns::next() {
  const std::size_t i = handed_out_++;
  if (!checks_[i].beside || threads_.empty()) return run_check(checks_[i]);
  std::future<VerifyRow> row = rows_[i].get_future();
  while (row.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) report_case(0);
  return row.get();
}

// What the command and the Python module share: the backends to check, and the result as JSON.

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const VerifyRow& row) {
  return {{"name", row.check.name},
          {"what", row.check.what},
          {"cases", row.outcome.cases},
          {"worst", row.outcome.worst},
          {"limit", row.check.limit},
          {"passed", row.outcome.passed},
          {"note", row.outcome.note.empty() ? Json(nullptr) : Json(row.outcome.note)},
          {"skipped", row.outcome.skipped.empty() ? Json(nullptr) : Json(row.outcome.skipped)},
          {"seconds", row.seconds}};
}

}  // namespace

std::string verify_json(const std::vector<VerifyRow>& rows, double seconds, bool interrupted) {
  Json results = Json::array();
  for (const VerifyRow& row : rows) results.push_back(row_json(row));
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const VerifyRow& r) { return !r.outcome.passed; });
  const Json result = {{"passed", failed == 0 && !interrupted},
                       {"checks", rows.size()},
                       {"failed", failed},
                       {"interrupted", interrupted},
                       {"seconds", seconds},
                       {"results", results}};
  return result.dump(2) + "\n";
}

std::vector<std::unique_ptr<Backend>> backends_to_check(const CommonOptions& common, Console* console) {
  std::vector<std::unique_ptr<Backend>> owned;
  if (common.backend != "auto" || common.device >= 0) {
    owned.push_back(open_backend(common, console));
    return owned;
  }
  for (const BackendEntry& entry : list_backends()) {
    if (entry.available) {
      owned.push_back(make_backend(entry.name));
    } else if (console != nullptr) {
      console->note(fmt::format("{} is not checked: {}.", entry.name, entry.available.reason));
    }
  }
  return owned;
}

// Gravity by a tree beside all pairs.

TreeError tree_error(const ForceResult& forces, const Bodies& bodies, const GravityParams& gravity, u64 most) {
  TypedSums got{forces.fx, forces.fy, forces.fz};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double m = bodies.m[i] == 0 ? 1 : bodies.m[i];
    got.x[i] /= m, got.y[i] /= m, got.z[i] /= m;
  }
  TreeError error;
  error.rms = rms_of(sampled_errors(got, bodies, gravity, &error.bodies, most));
  return error;
}

u64 bodies_for_error(u64 n) {
  constexpr u64 kPairs = 20'000'000, kMaxBodies = u64{1} << 24;
  return n == 0 || n > kMaxBodies ? 0 : std::clamp<u64>(kPairs / n, 10, 1000);
}

std::vector<VerifyCheck> tree_checks(Engine& engine, const ForceField& field, double tolerance) {
  const auto forces = std::make_shared<std::optional<ForceResult>>();
  const auto met = [&engine, forces]() -> const ForceResult& {
    if (!*forces) *forces = engine.forces(false);
    return **forces;
  };
  const auto pairs = [&engine, met] {
    const u64 n = engine.size(), wanted = n * (n - 1) / 2;
    VerifyOutcome outcome;
    outcome.add_exact(met().work_items == wanted,
                      fmt::format("{} pairs were met, and there are {}", grouped(met().work_items), grouped(wanted)));
    outcome.cases = met().work_items;
    return outcome;
  };
  const auto accelerations = [&engine, &field, tolerance, met] {
    VerifyOutcome outcome;
    const TreeError error = tree_error(met(), engine.read(), field.gravity);
    outcome.add(error.rms, tolerance, fmt::format("rms error {:.1e}", error.rms));
    outcome.cases = error.bodies;
    return outcome;
  };
  return {{"tree pairs", "each pair once, near or far", 0, pairs},
          {"tree accelerations", "some thousand bodies by all pairs in float64", tolerance, accelerations}};
}

}  // namespace tri::app
