#include "sim/backend/backend.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri {
namespace {

/// The values of a feature: [count], `step` apart.
struct Feature {
  const double* values;
  std::size_t count, step;
};

/// What to subtract; 0: nothing.
double middle_of(const Feature& f) {
  double low = f.values[0], high = low;
  bool rounded = false;
  for (std::size_t i = 0; i < f.count; ++i) {
    const double v = f.values[i * f.step];
    low = std::min(low, v), high = std::max(high, v);
    rounded = rounded || static_cast<double>(static_cast<float>(v)) != v;
  }
  if (!rounded || (low <= 0 && high >= 0)) return 0;
  const double middle = low / 2 + high / 2;
  return std::isfinite(middle) ? middle : 0;
}

void check_float_points(const PointSet& points) {
  constexpr auto kMin = static_cast<double>(std::numeric_limits<float>::min());
  for (std::size_t i = 0; i < points.values.size(); ++i) {
    const double v = points.values[i];
    if (std::abs(v) >= kMin || static_cast<double>(static_cast<float>(v)) == v) continue;
    throw ConfigError(
        fmt::format("point {} has feature {} = {:g}, below the range of float32 ({:.3g}); use --precision fp64, or "
                    "smaller units.",
                    i / points.features, i % points.features, v, kMin));
  }
}

/// By how much rounding moves body i along an axis, at most.
double rounding_of(const Bodies& b, std::size_t i) {
  double most = 0;
  for (const double v : {b.x[i], b.y[i], b.z[i]}) {
    most = std::max(most, std::abs(static_cast<double>(static_cast<float>(v)) - v));
  }
  return most;
}

}  // namespace

std::optional<PointSet> centred(const PointSet& points) {
  check_float_points(points);
  std::vector<double> middles(points.features);
  bool any = false;
  for (std::size_t f = 0; f < points.features && points.n > 0; ++f) {
    middles[f] = middle_of({points.values.data() + f, points.n, points.features});
    any = any || middles[f] != 0;
  }
  if (!any) return std::nullopt;
  PointSet moved = points;
  for (std::size_t i = 0; i < moved.values.size(); ++i) moved.values[i] -= middles[i % points.features];
  return moved;
}

std::optional<Bodies> centred(const Bodies& bodies, Box& box) {
  if (bodies.size() == 0) return std::nullopt;
  const std::array<const std::vector<double>*, 3> axes{&bodies.x, &bodies.y, &bodies.z};
  std::array<double, 3> middle{};
  for (std::size_t axis = 0; axis < 3; ++axis) middle[axis] = middle_of({axes[axis]->data(), bodies.size(), 1});
  if (middle == std::array<double, 3>{}) return std::nullopt;
  Bodies moved = bodies;
  const std::array<std::vector<double>*, 3> to{&moved.x, &moved.y, &moved.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (double& v : *to[axis]) v -= middle[axis];
    box.low[axis] -= middle[axis], box.high[axis] -= middle[axis];
  }
  return moved;
}

std::optional<std::size_t> moved_by_rounding(const Bodies& b) {
  constexpr double kPart = 1.0 / 64;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.r[i] > 0 && rounding_of(b, i) >= kPart * b.r[i]) return i;
  }
  return std::nullopt;
}

bool are_floats(const Bodies& b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (rounding_of(b, i) != 0) return false;
  }
  return true;
}

double scale_of(const SideBins& bins) {
  constexpr double kMinSquare = 0x1p-960;  // with all its digits, and those of its neighbours
  const std::vector<double>& edges = bins.edges;
  const double least = edges[0] > 0 ? edges[0] : edges[1], largest = edges.back();
  if (least * least >= kMinSquare && std::isfinite(largest * largest)) return 1;
  const int exponent = std::ilogb(largest);
  const double scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  if (least * scale * (least * scale) >= kMinSquare) return scale;
  throw ConfigError(
      fmt::format("--bins: the edges {} and {} are too far apart: squares of both leave float64.", least, largest));
}

PointSet scaled(const PointSet& points, double scale) {
  PointSet to = points;
  for (double& v : to.values) v *= scale;
  return to;
}

SideBins scaled(const SideBins& bins, double scale) {
  SideBins to = bins;
  for (double& edge : to.edges) edge *= scale;
  return to;
}

// What every backend does in the same way.

double DistanceRows::rows_into(u32 first, u32 last, const DistanceSpan& to) {
  DistanceValues values;
  const double ms = rows(first, last, values);
  std::visit(
      [&]<class Real>(std::span<Real> into) {
        const auto& from = std::get<std::vector<Real>>(values);
        TRI_EXPECTS(from.size() == into.size());
        std::copy(from.begin(), from.end(), into.begin());
      },
      to);
  return ms;
}

DistanceResult Backend::distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config) {
  const auto rows = distance_rows(points, layout, config);
  DistanceResult result{layout, points.n, {}, distance_count(points.n, DistanceLayout::condensed), 0};
  result.ms = rows->rows(0, points.n, result.values);
  return result;
}

namespace {

/// Notes how far a block is, and ends it once nobody waits for it.
class BlockProgress final : public ProgressSink {
 public:
  BlockProgress(std::atomic<double>& part, const std::atomic<bool>& stopped) : part_(part), stopped_(stopped) {}
  void report(const ProgressReport& report) override {
    if (stopped_) throw InterruptedError("stopped");
    if (report.total > 0) part_ = report.done / report.total;
  }

 private:
  std::atomic<double>& part_;
  const std::atomic<bool>& stopped_;
};

}  // namespace

std::vector<RowBlock> row_blocks(u32 n, DistanceLayout layout, u32 from, u32 at_once, u64 values) {
  std::vector<RowBlock> blocks;
  const u32 unit = distance_row_unit(layout);
  const auto after = [&](u32 row, u32 rows) { return n - row > rows ? row + rows : n; };
  for (u32 first = from; first < n;) {
    u32 last = after(first, unit);
    if (at_once > unit) {
      last = after(first, at_once - at_once % unit);
      if (at_once % unit != 0) last = after(last, unit);
    } else if (at_once == 0) {
      const u64 begin = distance_row_begin(n, layout, first);
      while (last < n && distance_row_begin(n, layout, after(last, unit)) - begin <= values) last = after(last, unit);
    }
    blocks.push_back({first, last});
    first = last;
  }
  return blocks;
}

RowPipeline::RowPipeline(std::vector<std::unique_ptr<DistanceRows>> workers, std::vector<RowBlock> blocks)
    : blocks_(std::move(blocks)) {
  TRI_EXPECTS(!workers.empty());
  for (auto& rows : workers) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->rows = std::move(rows);
  }
  for (std::size_t w = 0; w < workers_.size() && w < blocks_.size(); ++w) {
    threads_.emplace_back([this, w] { work(w); });
  }
}

RowPipeline::~RowPipeline() {
  {
    const std::scoped_lock hold(lock_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void RowPipeline::work(std::size_t number) {
  BlockProgress progress(workers_[number]->part, stopped_);
  const ScopedProgressSink watching(progress);
  const ScopedTask task("a block of rows");
  for (std::size_t b = number; b < blocks_.size(); b += workers_.size()) {
    Slot& slot = slot_of(b);
    {
      std::unique_lock hold(lock_);
      changed_.wait(hold, [&] { return stopped_ || !slot.full; });
      if (stopped_) return;
    }
    worker_of(b).part = 0;
    slot.block.rows = blocks_[b];
    try {
      slot.block.ms = worker_of(b).rows->rows(blocks_[b].first, blocks_[b].last, slot.block.values);
    } catch (...) {
      slot.failure = std::current_exception();
    }
    {
      const std::scoped_lock hold(lock_);
      slot.full = true;
    }
    changed_.notify_all();
    if (slot.failure) return;
  }
}

const RowPipeline::Done* RowPipeline::next(const std::function<void(double)>& waiting) {
  constexpr std::chrono::milliseconds kPeriod{20};
  if (taken_ > 0) {
    const std::scoped_lock hold(lock_);
    slot_of(taken_ - 1).full = false;
  }
  changed_.notify_all();
  if (taken_ == blocks_.size()) return nullptr;
  Slot& slot = slot_of(taken_);
  for (std::unique_lock hold(lock_); !changed_.wait_for(hold, kPeriod, [&] { return slot.full; });) {
    hold.unlock();
    waiting(worker_of(taken_).part);
    hold.lock();
  }
  ++taken_;
  if (slot.failure) std::rethrow_exception(slot.failure);
  return &slot.block;
}

namespace {

double largest(const ForceResult& f, std::size_t i) {
  return std::max({std::abs(f.fx[i]), std::abs(f.fy[i]), std::abs(f.fz[i])});
}

/// Leaves those of `some` that have another body within reach, or nearly; all where that takes more memory than there
/// is, or cannot be told of such numbers.
void keep_met(Backend& backend, Bodies bodies, const ForceField& field, EngineConfig config, double reach,
              std::vector<std::size_t>& some) {
  constexpr double kNearly = 1 + 1e-5;
  bodies.r.assign(bodies.size(), reach / 2 * kNearly);
  config.precision = Precision::fp64;
  try {
    const std::vector<u32> met = backend.contact_counts(bodies, config, field.box);
    std::erase_if(some, [&](std::size_t i) { return met[i] == 0; });
  } catch (const MemoryError&) {
  } catch (const ConfigError&) {
  }
}

/// The force on body i of the nearest other body alone; 0 where that cannot be computed.
double force_of_nearest(Backend& backend, const Bodies& b, const ForceField& field, const EngineConfig& config,
                        std::size_t i) {
  std::size_t nearest = i;
  double least = std::numeric_limits<double>::infinity();
  const auto part = [&](const std::vector<double>& x, std::size_t j, std::size_t axis) {
    const double d = x[j] - x[i];
    return field.box.boundary != Boundary::periodic ? d : std::remainder(d, field.box.high[axis] - field.box.low[axis]);
  };
  for (std::size_t j = 0; j < b.size(); ++j) {
    const double d = j == i ? least : std::hypot(part(b.x, j, 0), part(b.y, j, 1), part(b.z, j, 2));
    if (d < least) least = d, nearest = j;
  }
  if (nearest == i) return 0;
  Bodies two;
  for (const std::size_t j : {i, nearest}) {
    two.add(b.x[j], b.y[j], b.z[j], b.vx[j], b.vy[j], b.vz[j], b.m[j], b.r[j]);
    if (!b.q.empty()) two.q.push_back(b.q[j]);
  }
  try {
    return largest(backend.make_engine(two, field, config)->forces(false), 0);
  } catch (const ConfigError&) {
  } catch (const NumericalError&) {
  }
  return 0;
}

}  // namespace

std::string lost_forces(Backend& backend, const Bodies& bodies, const ForceField& field, EngineConfig config,
                        const ForceResult& found) {
  constexpr double kPart = 0x1p-36, kLost = 1e-3;
  const bool fp32 = config.precision == Precision::fp32, ordered = config.accumulate == Accumulate::ordered;
  if (!(fp32 || ordered) || field.pair == PairLaw::contact) return "";  // whose forces are 0, or none so small
  double most = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) most = std::max(most, largest(found, i));
  const double limit = std::max(fp32 ? kDoubtfulForce : 0, ordered ? kPart * most : 0);
  const bool pairs = field.triple == TripleLaw::none, by_mass = pairs && sums_are_accelerations(field);
  const auto massless = std::count(bodies.m.begin(), bodies.m.end(), 0.0);
  if (by_mass && massless + 1 >= static_cast<std::ptrdiff_t>(bodies.size())) return "";
  std::vector<std::size_t> doubtful;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (largest(found, i) < limit && !(by_mass && bodies.m[i] == 0)) doubtful.push_back(i);
  }
  if (const double reach = pairs ? pair_cutoff(field) : 0; reach > 0 && !doubtful.empty()) {
    keep_met(backend, bodies, field, config, reach, doubtful);
  }
  if (doubtful.empty()) return "";
  config.precision = Precision::fp64, config.accumulate = Accumulate::fast;
  const ForceResult right = backend.make_engine(bodies, field, config)->forces(false);
  std::erase_if(doubtful, [&](std::size_t i) {
    const double force = largest(right, i);
    return std::abs(largest(found, i) - force) <= kLost * force;
  });
  // Terms that have all their digits, and cancel, are none that were lost. The least forces come first.
  constexpr std::size_t kLooks = 64;
  constexpr double kDigits = 0x1p24;
  std::sort(doubtful.begin(), doubtful.end(), [&](auto i, auto j) { return largest(right, i) < largest(right, j); });
  for (std::size_t k = 0; k < std::min(kLooks, doubtful.size()); ++k) {
    const std::size_t first = doubtful[k], count = doubtful.size() - k;
    if (force_of_nearest(backend, bodies, field, config, first) >= kDigits * limit) continue;
    return fmt::format("{} the force on {} {}: {:.3g} on body {}, and not {:.3g}",
                       fp32 ? "float32 loses" : "ordered sums lose", count, count == 1 ? "body" : "bodies",
                       largest(right, first), first, largest(found, first));
  }
  return "";
}

}  // namespace tri
