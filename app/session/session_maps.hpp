#pragma once
/// Which maps fit the laws, size and block of a session, and why the others do not.

#include <memory>

#include "app/session/session_model.hpp"

namespace tri::app {

/// An engine for the scene; where the maps or blocks asked for do not fit it, with the default ones, and `config` is
/// set to them. Throws what Backend::make_engine throws.
std::unique_ptr<Engine> make_fitting_engine(Backend& backend, const Scene& scene, EngineConfig& config);

/// Fills in the rows of the maps of both domains that the present field has, by map_refusal(). Times are cleared.
void evaluate_maps(SessionModel& model, const Engine& engine);

}  // namespace tri::app
