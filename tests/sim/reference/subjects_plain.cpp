/// The subjects of test_physics: the oracle, and the law functors in plain loops.

#include "sim/reference/reference_advance.hpp"
#include "tests/sim/laws/law_probe.hpp"
#include "tests/sim/reference/subject.hpp"

namespace tri::test {
namespace {

class ReferenceProbe final : public Probe {
 public:
  ReferenceProbe(const Bodies& bodies, const ForceField& field) : bodies_(bodies), field_(field) {}

  void advance(Integrator integrator, double dt, u64 steps) override {
    reference_advance(bodies_, field_, integrator, dt, steps);
  }
  ReferenceForces forces() override { return reference_forces(bodies_, field_); }
  Diagnostics diagnose() override {
    Diagnostics d = one_body_diagnostics(bodies_, field_);
    const ReferenceForces f = forces();
    d.potential += f.potential;
    d.virial = f.virial;
    d.triple_potential = f.triple_potential;
    return d;
  }
  Bodies read() override { return bodies_; }

 private:
  Bodies bodies_;
  ForceField field_;
};

template <class P>
Subject subject(const char* name, Precision precision) {
  return {name, precision,
          [](const Bodies& b, const ForceField& f) -> std::unique_ptr<Probe> { return std::make_unique<P>(b, f); }};
}

}  // namespace

std::vector<Subject> subjects() {
  return {subject<ReferenceProbe>("reference", Precision::fp64),
          subject<LawProbe<double>>("laws_fp64", Precision::fp64),
          subject<LawProbe<float>>("laws_fp32", Precision::fp32)};
}

}  // namespace tri::test
