#pragma once
/// Limits of texts in TOML and JSON, checked before a library parses them: parsers and tables recurse, so that a file
/// of 100,000 brackets or dots ends the stack, and an object with many members takes quadratic time.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::io {

/// Levels of brackets and braces, and dots of one key. Files of this program need five.
inline constexpr std::size_t kMaxNesting = 32;
/// Members of one object of JSON. A result of a bench has fifty.
inline constexpr std::size_t kMaxMembers = 1024;

/// Where a text goes beyond a limit.
struct NestingFault {
  u64 line = 0;      ///< from 1
  std::string what;  ///< "more than 32 levels of brackets"
};

/// The first place beyond a limit; nullopt if there is none, or none before the first error of syntax.
std::optional<NestingFault> toml_nesting_fault(std::string_view text);
std::optional<NestingFault> json_nesting_fault(std::string_view text);

}  // namespace tri::io
