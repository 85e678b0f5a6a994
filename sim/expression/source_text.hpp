#pragma once
/// A text that a user typed, and errors that point into it.

#include <string>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri::expression {

struct SourceText {
  std::string_view what;  ///< how a sentence begins: "law", "map file waves.toml"
  std::string_view text;  ///< must outlive this

  /// Throws ConfigError:
  ///
  ///     law, line 1, column 8: there is no name 'sgma'.
  ///       4*eps*(sgma/r)^12
  ///              ^
  ///     Did you mean 'sigma'?
  ///
  /// Lines and columns count from 1; offset in bytes, at most text.size(). sentence begins in lower case and has no
  /// full stop at its end. A long line is cut around the caret, and bytes that are not printable ASCII show as '?'.
  [[noreturn]] void fail(u32 offset, const std::string& sentence, const std::string& suggestion = "") const;
};

}  // namespace tri::expression
