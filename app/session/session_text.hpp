#pragma once
/// A session as lines "key = value" and back: what a screenshot carries, so that it opens again as a scene.

#include <string>

#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app {

/// Scene, laws with every parameter, step, maps, blocks and sums; numbers with all their digits.
std::string session_text(const SessionModel& model);

/// What brings a session there, at t = 0. Throws ConfigError that names the line for an unknown key or a bad value, and
/// when there is no scene.
Requests session_requests(const std::string& text);

}  // namespace tri::app
