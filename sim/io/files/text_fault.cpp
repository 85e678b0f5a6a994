#include "sim/io/files/text_fault.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tri::io {

namespace {

TextFault fault_at(std::string_view text, std::size_t at, std::string what) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  return {1 + static_cast<u64>(std::count(text.begin(), end, '\n')), std::move(what)};
}

bool is_ascii(char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; }

TextFault too_deep(std::string_view text, std::size_t at) {
  return fault_at(text, at, fmt::format("more than {} levels of brackets", kMaxNesting));
}

/// The position behind the string whose first quote is at `at`. A string of one line that does not end there is an
/// error of syntax, at which the library stops.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string fence(3, quote);
  const bool fenced = text.substr(at, 3) == fence;
  at += fenced ? 3 : 1;
  while (at < text.size()) {
    if (quote == '"' && text[at] == '\\') {
      if (at + 1 < text.size() && !is_ascii(text[at + 1])) return at + 1;  // no escape: an error of syntax
      at += 2;
    } else if (!fenced && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (fenced && text.substr(at, 3) == fence) {
      at += 3;
      for (int own = 0; own < 2 && at < text.size() && text[at] == quote; ++own) ++at;  // """a quote: """""
      return at;
    } else {
      ++at;
    }
  }
  return text.size();
}

/// The position behind the code point at `at`, or `at` where the bytes are no code point (RFC 3629, section 4).
std::size_t behind_code_point(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0; };
  const int lead = byte(0);
  if (lead < 0x80) return at + 1;
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return at;
  // The second byte excludes longer forms than needed, surrogates, and what lies beyond U+10FFFF.
  const int least = lead == 0xE0   ? 0xA0
                    : lead == 0xF0 ? 0x90
                                   : 0x80,
            most = lead == 0xED   ? 0x9F
                   : lead == 0xF4 ? 0x8F
                                  : 0xBF;
  if (byte(1) < least || byte(1) > most) return at;
  for (std::size_t k = 2; k < bytes; ++k) {
    if (byte(k) < 0x80 || byte(k) > 0xBF) return at;
  }
  return at + bytes;
}

std::optional<TextFault> encoding_fault(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = behind_code_point(text, at);
    if (next == at) {
      return fault_at(text, at,
                      fmt::format("the byte 0x{:02X}, which is not UTF-8", static_cast<unsigned char>(text[at])));
    }
    at = next;
  }
  return std::nullopt;
}

/// Whether the bracket there, or a pair of them, is followed by what can neither begin a key nor end the brackets.
bool lacks_name(std::string_view text, std::size_t at) {
  if (text.substr(at + 1, 1) == "[") ++at;
  const std::size_t name = text.find_first_not_of(" \t", at + 1);
  if (name == std::string_view::npos) return false;
  const char c = text[name];
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return !letter && std::string_view("-_\"'[]").find(c) == std::string_view::npos;
}

}  // namespace

std::optional<TextFault> toml_fault(std::string_view text) {
  if (auto fault = encoding_fault(text)) return fault;
  std::size_t depth = 0, dots = 0;
  bool value = false;  // after the = of a line
  for (std::size_t at = text.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '#':
        at = std::min(text.find('\n', at), text.size()) - 1;
        dots = 0;
        break;
      case '"':
      case '\'':
        at = behind_string(text, at) - 1;
        break;
      case '[':
      case '{':
        dots = 0;
        if (text[at] == '[' && depth == 0 && !value && lacks_name(text, at)) {
          return fault_at(text, at, "a table whose name begins with none of letter, digit, -, _ and quotation mark");
        }
        if (++depth > kMaxNesting) return too_deep(text, at);
        break;
      case ']':
      case '}':
        dots = 0;
        if (depth > 0) --depth;
        break;
      case '=':
        dots = 0, value = true;
        break;
      case '\n':
        dots = 0, value = value && depth > 0;
        break;
      case ',':
        dots = 0;
        break;
      case '.':
        if (++dots > kMaxNesting) return fault_at(text, at, fmt::format("a key with more than {} dots", kMaxNesting));
        break;
      default:
        if (!is_ascii(text[at])) {
          return fault_at(text, at, "a letter beyond ASCII outside of quotation marks and comments");
        }
        break;
    }
  }
  return std::nullopt;
}

std::optional<TextFault> json_fault(std::string_view text) {
  struct Level {
    bool object;
    std::size_t members;
  };
  std::vector<Level> levels;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = behind_string(text, at) - 1;
        break;
      case '[':
      case '{':
        if (levels.size() == kMaxNesting) return too_deep(text, at);
        levels.push_back({text[at] == '{', 1});
        break;
      case ']':
      case '}':
        if (!levels.empty()) levels.pop_back();
        break;
      case ',':
        if (!levels.empty() && levels.back().object && ++levels.back().members > kMaxMembers) {
          return fault_at(text, at, fmt::format("an object with more than {} members", kMaxMembers));
        }
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

}  // namespace tri::io
