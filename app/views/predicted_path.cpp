#include "app/views/predicted_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/support/text_table.hpp"
#include "sim/base/clock.hpp"

namespace tri::app {
namespace {

using Vec = std::array<double, 3>;

double length_of(const Vec& v) { return std::hypot(v[0], v[1], v[2]); }

/// The body and the sources that move with it; index 0 is the body.
class Flight {
 public:
  Flight(const PathField& field, const PathStart& start)
      : forces_(field.forces), attracts_(field.forces.pair == PairLaw::gravity), moving_(field.moves) {
    all_.push_back({start.place, start.velocity, start.mass});
    all_.insert(all_.end(), field.sources.begin(), field.sources.end());
    pulls_.resize(moving_ ? all_.size() : 1);
    evaluate();
  }
  const Vec& place() const { return all_[0].place; }
  /// A small part of the time in which the pull on the body turns it.
  double short_step() const {
    constexpr double kPart = 0.012;
    const double pull = length_of(pulls_[0]);
    return pull > 0 ? kPart * std::sqrt(nearest_ / pull) : std::numeric_limits<double>::infinity();
  }
  void step(double dt) {
    kick(dt / 2);
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) all_[i].place[a] += dt * all_[i].velocity[a];
    }
    evaluate();
    kick(dt / 2);
  }

 private:
  void kick(double dt) {
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) all_[i].velocity[a] += dt * pulls_[i][a];
    }
  }
  void evaluate() {
    nearest_ = std::numeric_limits<double>::infinity();
    std::fill(pulls_.begin(), pulls_.end(), forces_.field);
    if (!attracts_) return;
    const double eps2 = forces_.gravity.softening * forces_.gravity.softening;
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      for (std::size_t j = i + 1; j < all_.size(); ++j) {
        const Vec &p = all_[i].place, &q = all_[j].place;
        const Vec d{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2, r = std::sqrt(r2);
        if (!(r > 0)) continue;
        if (i == 0) nearest_ = std::min(nearest_, r);
        const double f = forces_.gravity.G / (r2 * r);
        for (std::size_t a = 0; a < 3; ++a) {
          pulls_[i][a] += f * all_[j].mass * d[a];
          if (moving_) pulls_[j][a] -= f * all_[i].mass * d[a];
        }
      }
    }
  }

  const ForceField& forces_;
  bool attracts_, moving_;
  std::vector<PathField::Source> all_;
  std::vector<Vec> pulls_;  ///< accelerations of the bodies that move
  double nearest_ = 0;
};

bool is_inside(const Box& box, const Vec& p) {
  if (box.boundary == Boundary::open) return true;
  for (std::size_t a = 0; a < 3; ++a) {
    if (p[a] < box.low[a] || p[a] > box.high[a]) return false;
  }
  return true;
}

}  // namespace

std::string PathField::text() const {
  if (forces.pair != PairLaw::gravity) return "path without the other bodies: they act by contact or at short range";
  if (moves) return fmt::format("path beside {} {}", of, of == 1 ? "body" : "bodies");
  if (sources.size() == of) return fmt::format("path in the field of {} bodies, held still", grouped(of));
  return fmt::format("path in the field of {} of {} bodies, held still", grouped(sources.size()), grouped(of));
}

PathField path_field(const Bodies& b, const ForceField& forces, std::optional<u32> except) {
  PathField field;
  field.forces = forces;
  field.of = b.size() - (except && *except < b.size() ? 1 : 0);
  field.moves = field.of <= PathField::kMoving;
  const std::size_t stride = (b.size() + PathField::kStill - 1) / PathField::kStill;
  double all = 0, taken = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (except && i == *except) continue;
    all += b.m[i];
    if (i % stride != 0) continue;
    taken += b.m[i];
    field.sources.push_back({{b.x[i], b.y[i], b.z[i]}, {b.vx[i], b.vy[i], b.vz[i]}, b.m[i]});
  }
  if (taken > 0 && stride > 1) {
    for (PathField::Source& s : field.sources) s.mass *= all / taken;
  }
  return field;
}

PredictedPath predicted_path(const PathField& field, const PathStart& start, const PathEnd& end) {
  constexpr std::size_t kLook = 16;  // steps between two looks at the clock
  constexpr double kLongest = 100, kShortest = 20000;
  const double begin = clock_s();
  PredictedPath path{{start.place}, {0.0}};
  Flight flight(field, start);
  double time = 0;
  for (std::size_t k = 1; k <= end.steps && time < end.time; ++k) {
    if (k % kLook == 0 && clock_s() - begin > end.seconds) break;
    double dt = std::clamp(flight.short_step(), end.time / kShortest, end.time / kLongest);
    dt = std::min(dt, end.time - time);
    flight.step(dt);
    time += dt;
    const Vec& p = flight.place();
    if (!std::isfinite(length_of(p)) || !is_inside(field.forces.box, p)) break;
    path.places.push_back(p), path.times.push_back(time);
  }
  return path;
}

}  // namespace tri::app
