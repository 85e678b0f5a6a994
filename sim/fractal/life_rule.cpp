#include "sim/fractal/life_rule_text.hpp"

#include <fmt/format.h>

#include <cctype>

#include "sim/base/error.hpp"

namespace tri {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw ConfigError(fmt::format(
      "rule {} is invalid; give the neighbour counts for birth and survival, as in B3/S23, separated by dots if one is "
      "above 9: B4.5/S3.10 (0 to {}).",
      text, LifeRule::kMaxNeighbours));
}

/// The counts of one part, without its letter.
u32 counts_of(std::string_view part, std::string_view whole) {
  const bool dotted = part.find('.') != std::string_view::npos;
  u32 mask = 0;
  std::size_t at = 0;
  while (at < part.size()) {
    u32 count = 0;
    const std::size_t begin = at;
    const std::size_t max_digits = dotted ? 2 : 1;
    for (; at < part.size() && at - begin < max_digits && std::isdigit(static_cast<unsigned char>(part[at])) != 0;
         ++at) {
      count = count * 10 + static_cast<u32>(part[at] - '0');
    }
    if (at == begin || count > LifeRule::kMaxNeighbours || (mask >> count & 1) != 0) refuse(whole);
    mask |= 1u << count;
    if (!dotted || at == part.size()) continue;
    if (part[at++] != '.') refuse(whole);
  }
  return mask;
}

std::string counts_text(u32 mask) {
  const bool dotted = mask >> 10 != 0;
  std::string text;
  for (u32 c = 0; c <= LifeRule::kMaxNeighbours; ++c) {
    if ((mask >> c & 1) != 0) text += fmt::format("{}{}", dotted && !text.empty() ? "." : "", c);
  }
  if (dotted && text.size() == 2) text += '.';  // a lone 10 would be read as 1 and 0
  return text;
}

}  // namespace

LifeRule life_rule_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.empty() || text.front() != 'B' || slash + 1 >= text.size() ||
      text[slash + 1] != 'S') {
    refuse(text);
  }
  return {counts_of(text.substr(1, slash - 1), text), counts_of(text.substr(slash + 2), text)};
}

std::string to_string(const LifeRule& rule) {
  return fmt::format("B{}/S{}", counts_text(rule.birth), counts_text(rule.survive));
}

}  // namespace tri
