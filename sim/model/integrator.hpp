#pragma once
/// Integrators as data: a step is a list of drifts (x += a dt v) and kicks (v += b dt a). An engine executes the list;
/// a new scheme is a new table. At the end of a step velocities and positions are at the same time.
///
///     symplectic-euler   kick 1, drift 1                                       first order
///     kdk                kick 1/2, drift 1, kick 1/2 (velocity Verlet)         second order, reversible
///     yoshida4           three kdk steps of w1, w0, w1 (Yoshida 1990)          fourth order, reversible
///     hermite            no such list: see model/auto_step.hpp                 fourth order, reversible
///
/// A kick after a drift needs new accelerations; the first kick of a step may reuse those of the last one.

#include <span>
#include <string>

#include "sim/base/platform.hpp"

namespace tri {

enum class Integrator : u8 { kdk, symplectic_euler, yoshida4, hermite };

struct Stage {
  enum class Kind : u8 { kick, drift } kind;
  double fraction;  ///< of dt
};

/// The stages of one step, with adjacent kicks merged; not of hermite. Static lifetime.
std::span<const Stage> stages(Integrator integrator);

std::string to_string(Integrator integrator);         ///< "kdk", "symplectic-euler", "yoshida4", "hermite"
Integrator integrator_from(const std::string& name);  ///< throws ConfigError listing the names

}  // namespace tri
