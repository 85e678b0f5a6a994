#include "sim/expression/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"

namespace tri::expression {

void SourceText::fail(u32 offset, const std::string& sentence, const std::string& suggestion) const {
  constexpr std::size_t kBefore = 60, kAfter = 40;
  const std::size_t at = std::min<std::size_t>(offset, text.size());
  const std::string_view before = text.substr(0, at);
  const std::size_t line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::size_t end = std::min(text.find('\n', at), text.size());
  const std::size_t first = std::max(start, at > kBefore ? at - kBefore : 0);
  const std::size_t last = std::min(end, at + kAfter);

  std::string shown(text.substr(first, last - first));
  for (char& c : shown) {
    if (c == '\t' || c == '\r') c = ' ';
    if (c < ' ' || c > '~') c = '?';
  }
  std::size_t caret = at - first;
  if (first > start) shown = "..." + shown, caret += 3;
  if (last < end) shown += "...";
  while (!shown.empty() && shown.back() == ' ' && shown.size() > caret) shown.pop_back();
  throw ConfigError(fmt::format("{}, line {}, column {}: {}.\n  {}\n  {:>{}}{}{}", what, line, at - start + 1, sentence,
                                shown, '^', caret + 1, suggestion.empty() ? "" : "\n", suggestion));
}

}  // namespace tri::expression
