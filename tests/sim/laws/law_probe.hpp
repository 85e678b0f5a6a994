#pragma once
/// The law functors in the plainest loops: one state in one precision, each pair and triple once, no blocks, no
/// vectors. What a backend must reproduce, and the scalar baseline of the laws' own tests.

#include "sim/base/error.hpp"
#include "sim/laws/contact_impulse.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/overlap.hpp"
#include "sim/laws/visit_law.hpp"
#include "sim/laws/wall.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {

template <class Real>
class LawProbe final : public Probe {
 public:
  using Math = laws::ScalarMath<Real>;

  LawProbe(const Bodies& bodies, const ForceField& field) : field_(field) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto r = [](double v) { return static_cast<Real>(v); };
      s_.push_back({r(bodies.x[i]), r(bodies.y[i]), r(bodies.z[i]), r(bodies.m[i]), r(bodies.r[i]), r(bodies.vx[i]),
                    r(bodies.vy[i]), r(bodies.vz[i]), 0});
    }
    wrap_all();
  }

  Bodies read() override {
    Bodies b;
    for (const auto& s : s_) b.add(s.x, s.y, s.z, s.vx, s.vy, s.vz, s.m, s.r);
    return b;
  }

  ReferenceForces forces() override {
    evaluate();
    ReferenceForces f;
    for (std::size_t i = 0; i < s_.size(); ++i) {
      f.fx.push_back(s_[i].m * a_[i].x), f.fy.push_back(s_[i].m * a_[i].y), f.fz.push_back(s_[i].m * a_[i].z);
    }
    f.potential = potential_;
    f.virial = virial_;
    f.triple_potential = triple_potential_;
    return f;
  }

  Diagnostics diagnose() override {
    evaluate();
    Diagnostics d = one_body_diagnostics(read(), field_);
    d.potential += potential_;
    d.virial = virial_;
    d.triple_potential = triple_potential_;
    return d;
  }

  void advance(Integrator integrator, double dt, u64 steps) override {
    for (u64 step = 0; step < steps; ++step) {
      for (const Stage& stage : stages(integrator)) {
        const Real t = static_cast<Real>(stage.fraction * dt);
        stage.kind == Stage::Kind::drift ? drift(t) : kick(t);
      }
      if (field_.pair == PairLaw::contact && field_.contact.impulse) resolve_impulses(dt);
    }
  }

 private:
  struct Acceleration {
    Real x = 0, y = 0, z = 0;
  };

  void add(std::size_t i, Real x, Real y, Real z, Real weight) {
    a_[i].x += weight * x, a_[i].y += weight * y, a_[i].z += weight * z;
  }

  template <class Law>
  void add_pairs(const Law& law) {
    for (std::size_t i = 0; i < s_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto term = law(Math{}, s_[i], s_[j]);
        const bool acceleration = Law::kSums == laws::Sums::acceleration;
        const Real wi = acceleration ? s_[j].m : Real(1) / s_[i].m, wj = acceleration ? s_[i].m : Real(1) / s_[j].m;
        add(i, term.fx, term.fy, term.fz, wi);
        add(j, -term.fx, -term.fy, -term.fz, wj);
        potential_ += term.potential;
        Real dx = s_[i].x - s_[j].x, dy = s_[i].y - s_[j].y, dz = s_[i].z - s_[j].z;
        laws::to_nearest(law, Math{}, dx, dy, dz);
        virial_ += double(s_[i].m * wi) * (double(dx) * term.fx + double(dy) * term.fy + double(dz) * term.fz);
      }
    }
  }

  /// For a force on a, as seen from b.
  static double virial_of(const laws::Body<Real>& a, const laws::Body<Real>& b, Real fx, Real fy, Real fz) {
    return double(a.x - b.x) * fx + double(a.y - b.y) * fy + double(a.z - b.z) * fz;
  }

  template <class Law>
  void add_triples(const Law& law) {
    for (std::size_t i = 0; i < s_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        for (std::size_t k = 0; k < j; ++k) {
          const auto t = law(Math{}, s_[i], s_[j], s_[k]);
          add(i, t.fix, t.fiy, t.fiz, Real(1) / s_[i].m);
          add(j, t.fjx, t.fjy, t.fjz, Real(1) / s_[j].m);
          add(k, -(t.fix + t.fjx), -(t.fiy + t.fjy), -(t.fiz + t.fjz), Real(1) / s_[k].m);
          virial_ += virial_of(s_[i], s_[k], t.fix, t.fiy, t.fiz) + virial_of(s_[j], s_[k], t.fjx, t.fjy, t.fjz);
          triple_potential_ += t.potential;
        }
      }
    }
    potential_ += triple_potential_;
  }

  void evaluate() {
    a_.assign(s_.size(), {});
    potential_ = virial_ = triple_potential_ = 0;
    laws::visit_pair_law<Real>(field_, [this](const auto& law) { add_pairs(law); });
    laws::visit_triple_law<Real>(field_, [this](const auto& law) { add_triples(law); });
    if (field_.pair != PairLaw::contact) return;
    const laws::WallSprings<Real> walls(field_.box, field_.contact);
    for (std::size_t i = 0; i < s_.size(); ++i) {
      const auto w = walls({s_[i].x, s_[i].y, s_[i].z}, {s_[i].vx, s_[i].vy, s_[i].vz}, s_[i].r);
      a_[i].x += w.fx / s_[i].m, a_[i].y += w.fy / s_[i].m, a_[i].z += w.fz / s_[i].m;
      potential_ += w.potential;
    }
  }

  void kick(Real t) {
    evaluate();
    for (std::size_t i = 0; i < s_.size(); ++i) {
      s_[i].vx += t * (a_[i].x + Real(field_.field[0]));
      s_[i].vy += t * (a_[i].y + Real(field_.field[1]));
      s_[i].vz += t * (a_[i].z + Real(field_.field[2]));
    }
  }

  Real low(std::size_t axis) const { return Real(field_.box.low[axis]); }
  Real high(std::size_t axis) const { return Real(field_.box.high[axis]); }

  void wrap_all() {
    if (field_.box.boundary != Boundary::periodic) return;
    for (auto& s : s_) {
      laws::wrap(s.x, low(0), high(0)), laws::wrap(s.y, low(1), high(1)), laws::wrap(s.z, low(2), high(2));
    }
  }

  void drift(Real t) {
    const bool mirrors = field_.box.boundary == Boundary::reflecting && field_.pair != PairLaw::contact;
    for (auto& s : s_) {
      s.x += t * s.vx, s.y += t * s.vy, s.z += t * s.vz;
      if (!mirrors) continue;
      laws::mirror(s.x, s.vx, low(0), high(0));
      laws::mirror(s.y, s.vy, low(1), high(1));
      laws::mirror(s.z, s.vz, low(2), high(2));
    }
    wrap_all();
  }

  void resolve_impulses(double dt) {
    const laws::ImpulseRule<Real> rule(field_, dt);
    const laws::Overlap<Real> overlap{rule.image};
    std::vector<std::pair<u32, u32>> pairs;
    for (u32 i = 0; i < s_.size(); ++i) {
      for (u32 j = 0; j < i; ++j) {
        if (overlap.touches(s_[i], s_[j])) pairs.emplace_back(i, j);
      }
    }
    bool deep = true;
    for (u32 sweep = 0; deep && sweep < rule.sweeps; ++sweep) {
      const laws::ImpulseRule<Real> now = rule.in_sweep(sweep);
      deep = false;
      for (const auto& [i, j] : pairs) deep = laws::resolve_pair(now, s_[i], s_[j]) || deep;
      if (!rule.walls) continue;
      for (auto& s : s_) deep = laws::meet_walls(now, s) || deep;
    }
  }

  ForceField field_;
  std::vector<laws::Body<Real>> s_;
  std::vector<Acceleration> a_;
  double potential_ = 0, virial_ = 0, triple_potential_ = 0;
};

}  // namespace tri::test
