// Maps: each tile of the domain is visited once and none outside, over a range of sides, with and without the diagonal;
// historical maps also at their limit, where the next side must fail.

#include <algorithm>

#include <fmt/format.h>

#include "app/bench/verify.hpp"

namespace tri::app::verify_parts {
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
