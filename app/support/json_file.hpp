#pragma once
/// Reading of JSON files, which may come from anyone. Include it only where JSON is read anyway.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tri::app {

/// The text of a file. Throws FileError when it cannot be read, or has more than 256 MiB.
std::string json_file_text(const std::string& path);

/// The document in the text of `file`, which errors name. Throws FileError with the reason and the cure, a sentence:
/// for a text that is not JSON or nested too deep (sim/io/files/text_fault.hpp), and for a number that is neither 0 nor
/// of a magnitude from 1e-100 to 1e100. Times, ratios and rates are, and so their quotients and logarithms stay
/// numbers.
nlohmann::ordered_json json_document(const std::string& file, std::string_view text, std::string_view cure);

}  // namespace tri::app
