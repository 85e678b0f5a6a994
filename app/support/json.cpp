#include "app/support/json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
constexpr double kMin = 1e-100, kLargest = 1e100;

/// The first number beyond the range; nullptr if there is none.
const Json* number_out_of_range(const Json& value) {
  if (value.is_number_float()) {
    const double magnitude = std::abs(value.get<double>());
    return magnitude == 0 || (magnitude >= kMin && magnitude <= kLargest) ? nullptr : &value;
  }
  if (!value.is_structured()) return nullptr;
  for (const Json& part : value) {
    if (const Json* found = number_out_of_range(part)) return found;
  }
  return nullptr;
}

std::string out_of_range(std::string_view number) {
  return fmt::format("holds the number {}, which is not within {} to {}", io::in_quotes(number), kMin, kLargest);
}

/// The number that the library names between quotes.
std::string_view number_in(std::string_view message) {
  const std::size_t first = message.find('\''), last = message.rfind('\'');
  return first < last ? message.substr(first + 1, last - first - 1) : message;
}

}  // namespace

std::string json_file_text(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text, piece(std::size_t{1} << 16, '\0');
  for (std::size_t got = 1; got > 0;) {
    got = file.read(piece.data(), piece.size());
    text.append(piece, 0, got);
    if (text.size() > kMaxBytes) {
      throw FileError(fmt::format("'{}' is larger than {} MiB, so it is no result of a bench.", path, kMaxBytes >> 20));
    }
  }
  return text;
}

Json json_document(const std::string& file, std::string_view text, std::string_view cure) {
  const auto error = [&](const std::string& what) { return FileError(fmt::format("'{}' {}. {}", file, what, cure)); };
  if (const auto fault = io::json_fault(text)) {
    throw error(fmt::format("has {} (line {})", fault->what, fault->line));
  }
  try {
    Json document = Json::parse(text);
    const Json* number = number_out_of_range(document);
    if (number != nullptr) throw error(out_of_range(fmt::format("{}", number->get<double>())));
    return document;
  } catch (const Json::parse_error& problem) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(problem.byte, text.size()));
    throw error(fmt::format("is not JSON (line {})", 1 + std::count(text.begin(), end, '\n')));
  } catch (const Json::out_of_range& problem) {
    throw error(out_of_range(number_in(problem.what())));
  }
}

}  // namespace tri::app
