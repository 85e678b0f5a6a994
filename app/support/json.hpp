#pragma once
/// JSON: texts and files. Include it only where JSON is built or read anyway.

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

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

// Reading of JSON files, which may come from anyone.

/// The text of a file. Throws FileError when it cannot be read, or has more than 256 MiB.
std::string json_file_text(const std::string& path);

/// The document in the text of `file`, which errors name. Throws FileError with the reason and the cure, a sentence:
/// for a text that is not JSON or nested too deep (sim/files/text.hpp), and for a number that is neither 0 nor
/// of a magnitude from 1e-100 to 1e100. Times, ratios and rates are, and so their quotients and logarithms stay
/// numbers.
nlohmann::ordered_json json_document(const std::string& file, std::string_view text, std::string_view cure);

}  // namespace tri::app
