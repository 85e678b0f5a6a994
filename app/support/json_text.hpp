#pragma once
/// Formatting of JSON. Include it only where JSON is built anyway.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"

namespace tri::app {

/// On one line. A path may contain any bytes; invalid UTF-8 becomes U+FFFD, since JSON cannot represent it.
template <class Json>
std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The same, indented and with a trailing newline.
template <class Json>
std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// What a command prints under --json in place of its result if it failed.
inline std::string failure_json(std::string_view sentence, ExitCode code) {
  nlohmann::ordered_json failure;
  failure["error"] = std::string(sentence);
  failure["exit"] = static_cast<int>(code);
  return json_text(failure);
}

}  // namespace tri::app
