#include "sim/backend/engine.hpp"

#include "sim/base/error.hpp"

namespace tri {

StepTaken Engine::advance_auto(Integrator, const AutoStep&) {
  throw ConfigError("this engine has no steps of automatic length; give --dt a number.");
}

std::unique_ptr<KeptState> Engine::keep(std::unique_ptr<KeptState>) const {
  throw ConfigError("this engine keeps no states.");
}

void Engine::bring_back(const KeptState&) { throw ConfigError("this engine keeps no states."); }

StateArrays Engine::lend() {
  throw ConfigError("this engine lends no arrays, since several ranks hold its state; read copies.");
}

bool Engine::take_back(bool) { return false; }

JerkResult Engine::jerks() { throw ConfigError("this engine computes no jerks; use another --integrator."); }

}  // namespace tri
