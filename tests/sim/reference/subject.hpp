#pragma once
/// What the shared physics tests are run on: anything that holds a state, moves it, and tells its forces. A test
/// program links the suites and defines subjects(); the oracle, the law functors and every backend pass through the
/// same tests.

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

namespace tri::test {

/// One state under test.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void advance(Integrator integrator, double dt, u64 steps) = 0;
  virtual ReferenceForces forces() = 0;  ///< triple_potential need not be filled
  virtual Diagnostics diagnose() = 0;
  virtual Bodies read() = 0;
};

struct Subject {
  std::string name;  ///< letters, digits and _
  Precision precision = Precision::fp64;
  std::function<std::unique_ptr<Probe>(const Bodies&, const ForceField&)> make;
  bool triples = true;  ///< whether it knows triple laws
};

/// What gtest prints for a parameter.
inline void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

/// Defined once in each test program.
std::vector<Subject> subjects();

}  // namespace tri::test
