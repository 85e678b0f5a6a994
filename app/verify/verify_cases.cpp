#include "app/verify/verify_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/splitmix64.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/typed_text.hpp"
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
  if (plan.law.empty() && plan.triple_law.empty()) return law_cases();
  std::vector<LawCase> cases;
  if (!plan.law.empty()) cases.push_back(typed_case(plan.law, ""));
  if (!plan.triple_law.empty()) cases.push_back(typed_case("", plan.triple_law));
  return cases;
}

std::vector<u32> law_sizes(const LawCase& law, bool full) {
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
  // Its tiles are few, and an engine takes milliseconds: a quick run gives each map each shape once, at one of the
  // sizes.
  const bool in_turn = backend == "cuda" && !plan.full;
  if (backend == "cuda") shapes = {{0, 0}, {triples ? 64u : 128u, 0}, {triples ? 128u : 512u, 0}};
  const std::vector<u32> sizes = law_sizes(law, plan.full);
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

}  // namespace tri::app::verify_parts
