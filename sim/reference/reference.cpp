/// The oracle: forces, energies, steps.

#include "sim/reference/reference.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "sim/base/error.hpp"

namespace tri::reference_detail {

using Vec3 = std::array<double, 3>;

/// Forces and energies of one state.
struct Sums {
  std::vector<Vec3> acceleration;  ///< [n] of laws that give accelerations (gravity)
  std::vector<Vec3> force;         ///< [n] of laws that give forces: pairs and triples
  std::vector<Vec3> wall_force;    ///< [n] of the walls' springs
  double pair_potential = 0;
  double pair_virial = 0;  ///< of laws that give forces, summed over pairs
  double triple_potential = 0;
  double wall_potential = 0;
};

/// From i to j; in a periodic box, to the nearest image of j.
Vec3 displacement(const Bodies& b, const Box& box, std::size_t i, std::size_t j);

Sums sum_all(const Bodies& bodies, const ForceField& field);

inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

inline Vec3 position(const Bodies& b, std::size_t i) { return {b.x[i], b.y[i], b.z[i]}; }
inline Vec3 velocity(const Bodies& b, std::size_t i) { return {b.vx[i], b.vy[i], b.vz[i]}; }
inline void set_position(Bodies& b, std::size_t i, const Vec3& r) { b.x[i] = r[0], b.y[i] = r[1], b.z[i] = r[2]; }
inline void set_velocity(Bodies& b, std::size_t i, const Vec3& v) { b.vx[i] = v[0], b.vy[i] = v[1], b.vz[i] = v[2]; }

}  // namespace tri::reference_detail

// The laws of the oracle, each written from its equation. Typed laws are their own equation: the oracle runs the law's
// program pair by pair in float64, which shares the program with the backends and nothing else. That the program is
// the text's, and its strength the derivative of its energy, is for the tests of sim/text.

namespace tri {
namespace reference_detail {

Vec3 displacement(const Bodies& b, const Box& box, std::size_t i, std::size_t j) {
  Vec3 d = position(b, j) - position(b, i);
  if (box.boundary != Boundary::periodic) return d;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double side = box.high[axis] - box.low[axis];
    d[axis] -= side * std::round(d[axis] / side);
  }
  return d;
}

namespace {

/// Adds equal and opposite forces to i and j = i + d.
void add_force(Sums& sums, std::size_t i, std::size_t j, const Vec3& d, const Vec3& on_i) {
  sums.force[i] = sums.force[i] + on_i;
  sums.force[j] = sums.force[j] - on_i;
  sums.pair_virial -= dot(d, on_i);
}

/// a_i = G m_j d / (d^2 + eps^2)^(3/2), and the like for j; U = -G m_i m_j / (d^2 + eps^2)^(1/2).
void add_gravity(const Bodies& b, const GravityParams& p, const Vec3& d, std::size_t i, std::size_t j, Sums& sums) {
  const double softened = std::sqrt(dot(d, d) + p.softening * p.softening);
  const double cube = softened * softened * softened;
  sums.acceleration[i] = sums.acceleration[i] + (p.G * b.m[j] / cube) * d;
  sums.acceleration[j] = sums.acceleration[j] - (p.G * b.m[i] / cube) * d;
  sums.pair_potential -= p.G * b.m[i] * b.m[j] / softened;
}

double lennard_jones_energy(const LennardJonesParams& p, double r) {
  return 4.0 * p.epsilon * (std::pow(p.sigma / r, 12) - std::pow(p.sigma / r, 6));
}

/// U'(r) = -(24 eps / r) [2 (s/r)^12 - (s/r)^6]; the force on i is U'(r) d / r.
void add_lennard_jones(const LennardJonesParams& p, const Vec3& d, std::size_t i, std::size_t j, Sums& sums) {
  const double r = std::sqrt(dot(d, d));
  if (p.cutoff > 0 && r >= p.cutoff) return;
  const double slope = -(24.0 * p.epsilon / r) * (2.0 * std::pow(p.sigma / r, 12) - std::pow(p.sigma / r, 6));
  add_force(sums, i, j, d, (slope / r) * d);
  sums.pair_potential += lennard_jones_energy(p, r) - (p.shifted ? lennard_jones_energy(p, p.cutoff) : 0.0);
}

/// Spring and dashpot along the normal, dashpot along the tangent.
void add_contact(const Bodies& b, const ContactParams& p, const Vec3& d, std::size_t i, std::size_t j, Sums& sums) {
  const double distance = std::sqrt(dot(d, d));
  const double overlap = b.r[i] + b.r[j] - distance;
  if (!(overlap > 0)) return;
  const Vec3 normal = distance > 0 ? (1.0 / distance) * d : Vec3{0, 0, 0};
  const Vec3 relative = velocity(b, j) - velocity(b, i);
  const double separation_speed = dot(relative, normal);
  const Vec3 tangential = relative - separation_speed * normal;
  add_force(sums, i, j, d, (p.damping * separation_speed - p.stiffness * overlap) * normal + p.shear * tangential);
  sums.pair_potential += 0.5 * p.stiffness * overlap * overlap;
}

/// A wall acts like a fixed sphere of infinite radius. `inward` is its normal, into the box.
void add_wall(const Bodies& b, const ContactParams& p, std::size_t i, double overlap, const Vec3& inward, Sums& sums) {
  if (!(overlap > 0)) return;
  const Vec3 v = velocity(b, i);
  const double separation_speed = dot(v, inward);
  const Vec3 tangential = v - separation_speed * inward;
  sums.wall_force[i] =
      sums.wall_force[i] + (p.stiffness * overlap - p.damping * separation_speed) * inward - p.shear * tangential;
  sums.wall_potential += 0.5 * p.stiffness * overlap * overlap;
}

void add_walls(const Bodies& b, const ForceField& field, Sums& sums) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Vec3 r = position(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 inward{0, 0, 0};
      inward[axis] = 1.0;
      add_wall(b, field.contact, i, b.r[i] - (r[axis] - field.box.low[axis]), inward, sums);
      inward[axis] = -1.0;
      add_wall(b, field.contact, i, b.r[i] - (field.box.high[axis] - r[axis]), inward, sums);
    }
  }
}

/// E = nu [Q^(-3/2) + (3/8) P Q^(-5/2)] with P = (a+b-c)(b+c-a)(c+a-b), Q = abc, by its derivatives with respect to
/// the squared sides a = |r_ij|^2, b = |r_jk|^2, c = |r_ki|^2.
void add_axilrod_teller(const Bodies& bodies, double nu, std::size_t i, std::size_t j, std::size_t k, Sums& sums) {
  const Vec3 ri = position(bodies, i), rj = position(bodies, j), rk = position(bodies, k);
  const double a = dot(ri - rj, ri - rj), b = dot(rj - rk, rj - rk), c = dot(rk - ri, rk - ri);
  const double u = a + b - c, v = b + c - a, w = c + a - b;
  const double P = u * v * w, Q = a * b * c;
  const double root = std::sqrt(Q);
  const double q3 = 1.0 / (Q * root), q5 = q3 / Q, q7 = q5 / Q;

  const auto slope = [&](double dP, double dQ) {
    return nu * (-1.5 * q5 * dQ + 0.375 * (dP * q5 - 2.5 * P * q7 * dQ));
  };
  const double ea = slope(v * w - u * w + u * v, b * c);
  const double eb = slope(w * u - v * u + v * w, c * a);
  const double ec = slope(u * v - w * v + w * u, a * b);

  sums.force[i] = sums.force[i] - 2.0 * (ea * (ri - rj) + ec * (ri - rk));
  sums.force[j] = sums.force[j] - 2.0 * (eb * (rj - rk) + ea * (rj - ri));
  sums.force[k] = sums.force[k] - 2.0 * (ec * (rk - ri) + eb * (rk - rj));
  sums.triple_potential += nu * (q3 + 0.375 * P * q5);
}

/// strength = 2 dE/d(r^2) along d, times the factor and the other mass if it weighs masses.
void add_typed(const Bodies& b, const expression::Law& law, const std::vector<double>& uniforms, const Vec3& d,
               std::size_t i, std::size_t j, Sums& sums) {
  const double qi = b.q.empty() ? 0 : b.q[i], qj = b.q.empty() ? 0 : b.q[j];
  const double inputs[expression::kPairInputs] = {dot(d, d), b.m[i], b.m[j], b.r[i], b.r[j], qi, qj};
  const std::vector<double> out = law.strength_and_energy().run<double>(inputs, uniforms);
  if (law.weighs_masses()) {
    sums.acceleration[i] = sums.acceleration[i] + (out[0] * uniforms[0] * b.m[j]) * d;
    sums.acceleration[j] = sums.acceleration[j] - (out[0] * uniforms[0] * b.m[i]) * d;
    sums.pair_virial -= out[0] * uniforms[0] * b.m[i] * b.m[j] * dot(d, d);
  } else {
    add_force(sums, i, j, d, out[0] * d);
  }
  sums.pair_potential += out[1];
}

/// By the three strengths 2 dE/da, 2 dE/db, 2 dE/dc, with the squared sides a = |r_ij|^2, b = |r_jk|^2, c = |r_ki|^2.
void add_typed_triple(const Bodies& bodies, const expression::Law& law, const std::vector<double>& uniforms,
                      std::size_t i, std::size_t j, std::size_t k, Sums& sums) {
  const Vec3 ri = position(bodies, i), rj = position(bodies, j), rk = position(bodies, k);
  const double inputs[expression::kTripleInputs] = {dot(ri - rj, ri - rj), dot(rj - rk, rj - rk),
                                                    dot(rk - ri, rk - ri)};
  const std::vector<double> out = law.strength_and_energy().run<double>(inputs, uniforms);
  sums.force[i] = sums.force[i] - (out[0] * (ri - rj) + out[2] * (ri - rk));
  sums.force[j] = sums.force[j] - (out[1] * (rj - rk) + out[0] * (rj - ri));
  sums.force[k] = sums.force[k] - (out[2] * (rk - ri) + out[1] * (rk - rj));
  sums.triple_potential += out[3];
}

/// Two bodies without mass do not act on each other by a law that weighs masses, at one place neither.
bool is_idle(const Bodies& b, const ForceField& field, std::size_t i, std::size_t j) {
  return b.m[i] == 0 && b.m[j] == 0 && sums_are_accelerations(field);
}

/// The pair law of the field. A law without a case here does not compile.
void add_pair(const Bodies& b, const ForceField& field, const std::vector<double>& uniforms, std::size_t i,
              std::size_t j, Sums& sums) {
  if (is_idle(b, field, i, j)) return;
  const Vec3 d = displacement(b, field.box, i, j);
  switch (field.pair) {
    case PairLaw::none:
      return;
    case PairLaw::gravity:
      return add_gravity(b, field.gravity, d, i, j, sums);
    case PairLaw::lennard_jones:
      return add_lennard_jones(field.lennard_jones, d, i, j, sums);
    case PairLaw::contact:
      if (!field.contact.impulse) add_contact(b, field.contact, d, i, j, sums);
      return;
    case PairLaw::typed:
      return add_typed(b, *field.typed_pair.law, uniforms, d, i, j, sums);
  }
}

/// The same for the triple law.
void add_triple(const Bodies& b, const ForceField& field, const std::vector<double>& uniforms, std::size_t i,
                std::size_t j, std::size_t k, Sums& sums) {
  switch (field.triple) {
    case TripleLaw::none:
      return;
    case TripleLaw::axilrod_teller:
      return add_axilrod_teller(b, field.axilrod_teller.nu, i, j, k, sums);
    case TripleLaw::typed:
      return add_typed_triple(b, *field.typed_triple.law, uniforms, i, j, k, sums);
  }
}

}  // namespace

Sums sum_all(const Bodies& bodies, const ForceField& field) {
  const std::size_t n = bodies.size();
  const bool springs = field.pair == PairLaw::contact && !field.contact.impulse;
  const auto uniforms_of = [](const expression::TypedLaw& typed) {
    return typed ? typed.law->uniforms(typed.values) : std::vector<double>();
  };
  const std::vector<double> of_pairs = uniforms_of(field.typed_pair), of_triples = uniforms_of(field.typed_triple);
  Sums sums;
  sums.acceleration.resize(n), sums.force.resize(n), sums.wall_force.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      add_pair(bodies, field, of_pairs, i, j, sums);
      for (std::size_t k = 0; k < j && field.triple != TripleLaw::none; ++k) {
        add_triple(bodies, field, of_triples, i, j, k, sums);
      }
    }
  }
  if (springs && field.box.boundary == Boundary::reflecting) add_walls(bodies, field, sums);
  return sums;
}

}  // namespace reference_detail

ReferenceForces reference_forces(const Bodies& bodies, const ForceField& field) {
  using namespace reference_detail;
  const Sums sums = sum_all(bodies, field);
  ReferenceForces result;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 of_laws = bodies.m[i] * sums.acceleration[i] + sums.force[i];
    const Vec3 total = of_laws + sums.wall_force[i];
    result.fx.push_back(total[0]), result.fy.push_back(total[1]), result.fz.push_back(total[2]);
    result.virial += dot(position(bodies, i), of_laws);
  }
  // In a periodic box, r.F of a single body is not defined.
  if (field.box.boundary == Boundary::periodic) result.virial = sums.pair_virial;
  result.triple_potential = sums.triple_potential;
  result.potential = sums.pair_potential + sums.triple_potential + sums.wall_potential;
  return result;
}

ReferenceJerks reference_jerks(const Bodies& b, const GravityParams& p) {
  using namespace reference_detail;
  const std::size_t n = b.size();
  std::vector<Vec3> a(n), jerk(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j || (b.m[i] == 0 && b.m[j] == 0)) continue;
      const Vec3 d = position(b, j) - position(b, i), w = velocity(b, j) - velocity(b, i);
      const double s2 = dot(d, d) + p.softening * p.softening;
      const double s3 = s2 * std::sqrt(s2), s5 = s3 * s2;
      a[i] = a[i] + (p.G * b.m[j] / s3) * d;
      jerk[i] = jerk[i] + (p.G * b.m[j]) * ((1 / s3) * w - (3 * dot(d, w) / s5) * d);
    }
  }
  ReferenceJerks result;
  for (std::size_t i = 0; i < n; ++i) {
    result.ax.push_back(a[i][0]), result.ay.push_back(a[i][1]), result.az.push_back(a[i][2]);
    result.jx.push_back(jerk[i][0]), result.jy.push_back(jerk[i][1]), result.jz.push_back(jerk[i][2]);
  }
  return result;
}

std::vector<double> reference_distances(const PointSet& points, DistanceLayout layout) {
  TRI_EXPECTS(points.values.size() == std::size_t{points.n} * points.features);
  const auto distance = [&points](std::size_t a, std::size_t b) {
    double squares = 0;
    for (std::size_t f = 0; f < points.features; ++f) {
      const double difference = points.values[a * points.features + f] - points.values[b * points.features + f];
      squares += difference * difference;
    }
    return std::sqrt(squares);
  };
  const std::size_t n = points.n;
  std::vector<double> result;
  if (layout == DistanceLayout::blocks) {
    for (std::size_t rows = 0; rows < n; rows += kDistanceBlock) {
      for (std::size_t columns = 0; columns <= rows; columns += kDistanceBlock) {
        for (std::size_t cell = 0; cell < std::size_t{kDistanceBlock} * kDistanceBlock; ++cell) {
          const std::size_t row = rows + cell / kDistanceBlock, column = columns + cell % kDistanceBlock;
          result.push_back(row < n && column < n ? distance(row, column) : 0);
        }
      }
    }
  }
  for (std::size_t row = 0; row < n && layout != DistanceLayout::blocks; ++row) {
    const std::size_t first = layout == DistanceLayout::condensed ? row + 1 : 0;
    const std::size_t end = layout == DistanceLayout::lower ? row + 1 : n;
    for (std::size_t column = first; column < end; ++column) result.push_back(distance(row, column));
  }
  return result;
}

std::vector<std::pair<u32, u32>> reference_collisions(const Bodies& b, const Box& box) {
  using namespace reference_detail;
  std::vector<std::pair<u32, u32>> pairs;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 d = displacement(b, box, i, j);
      const double reach = b.r[i] + b.r[j];
      // Squares, as everywhere: the rounding of a square root must not decide.
      if (dot(d, d) <= reach * reach) pairs.emplace_back(static_cast<u32>(i), static_cast<u32>(j));
    }
  }
  return pairs;
}

// Time stepping of the oracle.

namespace {

using namespace reference_detail;

std::vector<Vec3> accelerations(const Bodies& b, const ForceField& field) {
  const Sums sums = sum_all(b, field);
  std::vector<Vec3> a(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    a[i] = sums.acceleration[i] + field.field;
    if (b.m[i] > 0) a[i] = a[i] + (1.0 / b.m[i]) * (sums.force[i] + sums.wall_force[i]);
  }
  return a;
}

/// Reflects every centre that left the box, and its velocity, repeatedly if needed.
void mirror_all(Bodies& b, const Box& box) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 r = position(b, i), v = velocity(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      while (r[axis] < box.low[axis] || r[axis] > box.high[axis]) {
        r[axis] = (r[axis] < box.low[axis] ? 2.0 * box.low[axis] : 2.0 * box.high[axis]) - r[axis];
        v[axis] = -v[axis];
      }
    }
    set_position(b, i, r), set_velocity(b, i, v);
  }
}

/// Shifts every centre by multiples of the sides into [low, high).
void wrap_all(Bodies& b, const Box& box) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 r = position(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double side = box.high[axis] - box.low[axis];
      while (r[axis] < box.low[axis]) r[axis] += side;
      while (r[axis] >= box.high[axis]) r[axis] -= side;
    }
    set_position(b, i, r);
  }
}

/// A remaining overlap that asks for another sweep, over the radius.
constexpr double kDeep = 0.008;

/// v1' = ((m1 - e m2) v1 + (1 + e) m2 v2) / (m1 + m2) along the normal, if the two approach. `part` of the overlap
/// that remains after another step of separation is removed by shifts in inverse proportion to the masses. Returns
/// whether it was deep.
bool collide(Bodies& b, const ForceField& field, std::size_t i, std::size_t j, double dt, double part) {
  const Vec3 d = displacement(b, field.box, i, j);
  const double distance = std::sqrt(dot(d, d));
  if (!(distance > 0)) return false;
  const Vec3 normal = (1.0 / distance) * d;
  const double v1 = dot(velocity(b, i), normal), v2 = dot(velocity(b, j), normal);
  double m1 = b.m[i], m2 = b.m[j];
  if (m1 + m2 == 0) m1 = m2 = 1.0;
  double after1 = v1, after2 = v2;
  if (v2 - v1 < 0) {
    const double e = field.contact.restitution;
    after1 = ((m1 - e * m2) * v1 + (1.0 + e) * m2 * v2) / (m1 + m2);
    after2 = ((m2 - e * m1) * v2 + (1.0 + e) * m1 * v1) / (m1 + m2);
    set_velocity(b, i, velocity(b, i) + (after1 - v1) * normal);
    set_velocity(b, j, velocity(b, j) + (after2 - v2) * normal);
  }
  const double remaining = b.r[i] + b.r[j] - distance - (after2 - after1) * std::fabs(dt);
  if (!(remaining > 0)) return false;
  set_position(b, i, position(b, i) - (part * remaining * m2 / (m1 + m2)) * normal);
  set_position(b, j, position(b, j) + (part * remaining * m1 / (m1 + m2)) * normal);
  return remaining > kDeep * 0.5 * (b.r[i] + b.r[j]);
}

/// The same for the walls of a reflecting box.
bool collide_with_walls(Bodies& b, const ForceField& field, double dt, double part) {
  const double e = field.contact.restitution;
  bool deep = false;
  for (std::size_t i = 0; i < b.size(); ++i) {
    Vec3 v = velocity(b, i), r = position(b, i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double low = field.box.low[axis] + b.r[i] - r[axis], high = r[axis] + b.r[i] - field.box.high[axis];
      if (low >= 0 && v[axis] < 0) v[axis] *= -e;
      if (high >= 0 && v[axis] > 0) v[axis] *= -e;
      const double away = v[axis] * std::fabs(dt);
      const double below = std::fmax(0.0, low - away), above = std::fmax(0.0, high + away);
      r[axis] += part * below - part * above;
      deep = deep || std::fmax(below, above) > kDeep * b.r[i];
    }
    set_velocity(b, i, v), set_position(b, i, r);
  }
  return deep;
}

/// One sweep over all overlapping pairs and the walls, or up to 64 until no overlap was deep, if collisions lose
/// energy.
void resolve_impulses(Bodies& b, const ForceField& field, double dt) {
  const auto pairs = reference_collisions(b, field.box);
  const int most = field.contact.restitution < 1 ? 64 : 1;
  bool deep = true;
  for (int sweep = 0; deep && sweep < most; ++sweep) {
    const double part = sweep == 0 ? 0.2 : 0.5;
    deep = false;
    for (const auto& [i, j] : pairs) deep = collide(b, field, i, j, dt, part) || deep;
    if (field.box.boundary == Boundary::periodic) wrap_all(b, field.box);
    if (field.box.boundary == Boundary::reflecting) deep = collide_with_walls(b, field, dt, part) || deep;
  }
}

void drift(Bodies& b, double time) {
  for (std::size_t i = 0; i < b.size(); ++i) set_position(b, i, position(b, i) + time * velocity(b, i));
}

void kick(Bodies& b, const std::vector<Vec3>& a, double time) {
  for (std::size_t i = 0; i < b.size(); ++i) set_velocity(b, i, velocity(b, i) + time * a[i]);
}

}  // namespace

void reference_advance(Bodies& bodies, const ForceField& field, Integrator integrator, double dt, u64 steps) {
  const bool contact = field.pair == PairLaw::contact;
  const bool mirrors = !contact && field.box.boundary == Boundary::reflecting;
  const bool impulses = contact && field.contact.impulse;
  const bool velocity_matters = contact && !impulses && (field.contact.damping > 0 || field.contact.shear > 0);
  if (field.box.boundary == Boundary::periodic) wrap_all(bodies, field.box);
  std::vector<Vec3> a;
  bool accelerations_valid = false;  // whether `a` belongs to the current positions
  for (u64 step = 0; step < steps; ++step) {
    for (const Stage& stage : stages(integrator)) {
      if (stage.kind == Stage::Kind::drift) {
        drift(bodies, stage.fraction * dt);
        if (mirrors) mirror_all(bodies, field.box);
        if (field.box.boundary == Boundary::periodic) wrap_all(bodies, field.box);
        accelerations_valid = false;
      } else {
        if (!accelerations_valid || velocity_matters) a = accelerations(bodies, field);
        accelerations_valid = true;
        kick(bodies, a, stage.fraction * dt);
      }
    }
    if (impulses) {
      resolve_impulses(bodies, field, dt);
      accelerations_valid = false;
    }
  }
}

}  // namespace tri
