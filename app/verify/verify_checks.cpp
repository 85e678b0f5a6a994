#include "app/verify/verify_checks.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "app/verify/verify_parts.hpp"
#include "sim/base/clock.hpp"
#include "sim/maps/map_registry.hpp"

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

void VerifyOutcome::add(double error, double limit, const std::string& what) {
  ++cases;
  const double size = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
  if (size > worst) worst = size;
  if (size <= limit) return;
  if (passed) note = fmt::format("{}: error {:.3g}, limit {:.3g}", what, error, limit);
  passed = false;
}

void VerifyOutcome::add_exact(bool holds, const std::string& what) {
  ++cases;
  if (holds) return;
  worst += 1;
  if (passed) note = what;
  passed = false;
}

std::vector<VerifyCheck> make_checks(const VerifyPlan& plan) {
  std::vector<VerifyCheck> checks;
  if (!plan.law.empty() || !plan.triple_law.empty()) {
    for (Backend* backend : plan.backends) {
      verify_parts::add_law_checks(plan, *backend, checks);
      verify_parts::add_ordered_checks(plan, *backend, checks);
    }
    return checks;
  }
  verify_parts::add_map_checks(plan, checks);
  for (Backend* backend : plan.backends) {
    verify_parts::add_law_checks(plan, *backend, checks);
    verify_parts::add_tensor_checks(plan, *backend, checks);
    verify_parts::add_ordered_checks(plan, *backend, checks);
    verify_parts::add_jerk_checks(plan, *backend, checks);
    verify_parts::add_orbit_checks(plan, *backend, checks);
    verify_parts::add_job_checks(plan, *backend, checks);
    verify_parts::add_kernel_checks(plan, *backend, checks);
  }
  return checks;
}

VerifyRow run_check(const VerifyCheck& check) {
  VerifyRow row{check, {}, 0};
  const Stopwatch watch;
  try {
    row.outcome = check.run();
    // A check without cases proves nothing.
    if (row.outcome.cases == 0) row.outcome.passed = false, row.outcome.note = "no case was run";
  } catch (const std::exception& error) {
    row.outcome.passed = false;
    row.outcome.note = error.what();
  }
  row.seconds = watch.ms() / 1e3;
  return row;
}

}  // namespace tri::app
