#pragma once
/// Interface of the shared physics suites: anything that has a state, advances it and computes its forces. A test
/// program links the suites and defines subjects(), so the oracle, the law functors and every backend pass the same
/// tests.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {

/// One state under test.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void advance(Integrator integrator, double dt, u64 steps) = 0;
  virtual ReferenceForces forces() = 0;  ///< triple_potential may be left unset
  virtual Diagnostics diagnose() = 0;
  virtual Bodies read() = 0;
};

struct Subject {
  std::string name;  ///< letters, digits and _
  Precision precision = Precision::fp64;
  std::function<std::unique_ptr<Probe>(const Bodies&, const ForceField&)> make;
  Availability usable = {true, ""};  ///< whether its backend works on this machine
};

/// How gtest prints a parameter.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

/// Defined once in each test program.
std::vector<Subject> subjects();

/// A suite over the subjects. Instantiate it with TRI_ON_EVERY_SUBJECT(suite).
class SubjectTest : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override { require_usable(GetParam().usable); }
  bool fp64() const { return GetParam().precision == Precision::fp64; }
  std::unique_ptr<Probe> make(const Bodies& b, const ForceField& f) const { return GetParam().make(b, f); }
};

}  // namespace tri::test

#define TRI_ON_EVERY_SUBJECT(suite) \
  INSTANTIATE_TEST_SUITE_P(Subjects, suite, testing::ValuesIn(tri::test::subjects()), \
                           [](const auto& instance) { return instance.param.name; })
