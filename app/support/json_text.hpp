#pragma once
/// JSON as it is printed. For the files that make JSON anyway.

#include <nlohmann/json.hpp>
#include <string>

namespace tri::app {

/// In one line. A path may hold any bytes; those that are no UTF-8 become U+FFFD, since JSON has none.
template <class Json>
std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The same, indented and with a line's end.
template <class Json>
std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tri::app
