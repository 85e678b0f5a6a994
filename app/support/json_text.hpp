#pragma once
/// Formatting of JSON. Include it only where JSON is built anyway.

#include <nlohmann/json.hpp>
#include <string>

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

}  // namespace tri::app
