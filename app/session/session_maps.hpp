#pragma once
/// Which maps fit a session's kernel, size and block, and why the others do not.

#include <memory>

#include "app/session/session_model.hpp"

namespace tri::app {

/// An engine for the scene; where the maps asked for do not fit it, with the default ones, and then `config` says so.
/// Throws what Backend::make_engine throws.
std::unique_ptr<Engine> make_fitting_engine(Backend& backend, const Scene& scene, EngineConfig& config);

/// Fills in the rows of maps of both domains that the present field has, from the registry and from the engine itself,
/// which is asked and left as it was. Times are cleared.
void evaluate_maps(SessionModel& model, Engine& engine);

}  // namespace tri::app
