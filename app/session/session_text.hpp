#pragma once
/// A session as lines "key = value" and back: what a screenshot carries, so that it opens again as a scene.

#include <string>

#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app {

/// Scene, laws with every parameter, step and configuration; numbers with all their digits.
std::string session_text(const SessionModel& model);

/// Requests that bring a session there, at t = 0; the first opens the scene. Throws ConfigError for an unknown key or a
/// bad value, and when there is no scene.
Requests session_requests(const std::string& text);

}  // namespace tri::app
