#pragma once
/// What texts in TOML and JSON are checked for before a library parses them: parsers and tables recurse, so that a file
/// of 100,000 brackets or dots ends the stack; an object with many members takes quadratic time; and the TOML library
/// ends the program, when it was built with assertions, at some texts that are not UTF-8 and at tables without a name,
/// and does what C++ leaves undefined when it looks for a space at a letter beyond ASCII.

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

/// Where a text breaks a limit.
struct TextFault {
  u64 line = 0;      ///< from 1; 0 = none
  std::string what;  ///< "more than 32 levels of brackets"
};

/// The first place beyond a limit; nullopt if there is none, or none before the first error of syntax. For TOML also a
/// byte that is not UTF-8 (RFC 3629), a table whose name does not begin as a key, and a letter beyond ASCII that is in
/// neither string nor comment, where TOML 1.0 has none.
std::optional<TextFault> toml_fault(std::string_view text);
std::optional<TextFault> json_fault(std::string_view text);

}  // namespace tri::io
