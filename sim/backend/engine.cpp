#include "sim/backend/engine.hpp"

#include "sim/base/error.hpp"

namespace tri {

StepTaken Engine::advance_auto(Integrator, const AutoStep&) {
  throw ConfigError("this engine has no steps of automatic length; give --dt a number.");
}

JerkResult Engine::jerks() { throw ConfigError("this engine computes no jerks; use another --integrator."); }

}  // namespace tri
