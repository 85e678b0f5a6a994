#include "app/verify/verify_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <system_error>

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
  const bool all = plan.law.empty() && plan.triple_law.empty();
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
  begun_ = checks_.size();
  for (std::thread& thread : threads_) thread.join();
}

void CheckRuns::run_ahead() {
  for (std::size_t i; (i = begun_++) < checks_.size();) {
    if (checks_[i].beside) rows_[i].set_value(run_check(checks_[i]));
  }
}

VerifyRow CheckRuns::next() {
  const std::size_t i = handed_out_++;
  return checks_[i].beside && !threads_.empty() ? rows_[i].get_future().get() : run_check(checks_[i]);
}

}  // namespace tri::app
