#include "sim/files/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace tri::io {

namespace {

/// Also the maximum line length; a row of 16 features has a few hundred bytes.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

bool looks_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && c != '\t' && c != '\r' && c != '\f';
  });
}

}  // namespace

LineReader::LineReader(const std::string& path, Accepts accepts) : file_(path, accepts), buffer_(kBufferBytes) {
  refill();
  if (std::string_view(buffer_.data(), end_).substr(0, 3) == "\xEF\xBB\xBF") begin_ = 3;
}

bool LineReader::refill() {
  if (file_ended_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t wanted = buffer_.size() - end_;
  const std::size_t got = file_.read(buffer_.data() + end_, wanted);
  end_ += got;
  bytes_read_ += got;
  file_ended_ = got < wanted;
  return got > 0;
}

double LineReader::expected_lines() const noexcept {
  const double done = static_cast<double>(bytes_read_ - (end_ - begin_));
  return file_.size() && done > 0 ? static_cast<double>(line_number_) * static_cast<double>(*file_.size()) / done : 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* first = buffer_.data() + begin_;
    const auto* found = static_cast<const char*>(std::memchr(first + searched, '\n', end_ - begin_ - searched));
    if (found != nullptr) {
      line = std::string_view(first, static_cast<std::size_t>(found - first));
      begin_ += line.size() + 1;
      line_ended_ = true;
      break;
    }
    searched = end_ - begin_;
    if (searched == buffer_.size()) {
      ++line_number_;
      fail(
          fmt::format("is longer than {} bytes, so this is no text file of bodies; give it the extension of its format",
                      buffer_.size()));
    }
    if (refill()) continue;
    if (searched == 0) return false;
    line = std::string_view(buffer_.data() + begin_, searched);
    begin_ = end_;
    line_ended_ = false;
    break;
  }
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  ++line_number_;
  if (line.find('\0') != std::string_view::npos)
    fail("holds binary data: the file is packed, in UTF-16 or of another format; write it as UTF-8 text");
  if (line_number_ == 1 && line.substr(0, line.find_last_not_of('\r') + 1).find('\r') != std::string_view::npos)
    fail("ends in CR alone, as on an old Mac, so the file is one line; write it with LF: tr '\\r' '\\n'");
  return true;
}

void LineReader::fail(const std::string& what) const {
  throw FileError(fmt::format("'{}', line {}: {}.", path(), line_number_, what));
}

void LineReader::fail(std::size_t column, std::string_view name, const std::string& what) const {
  const std::string label = name.empty() ? std::string() : fmt::format(" ({})", name);
  throw FileError(fmt::format("'{}', line {}, column {}{}: {}.", path(), line_number_, column, label, what));
}

void LineReader::fail_column_count(std::size_t got, const std::string& expected) const {
  const char* cut = line_ended_ ? "" : ", and the file ends inside the line: it may have been cut off";
  fail(fmt::format("has {} column{} instead of {}{}", got, got == 1 ? "" : "s", expected, cut));
}

bool parse_number(std::string_view field, double& value) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const char* const last = field.data() + field.size();
  const auto [end, error] = std::from_chars(field.data(), last, value);
  if (error == std::errc::result_out_of_range && end == last) {
    // Which of the two says a wider type, or in the end the exponent. strtod() would take the decimal point of a
    // locale.
    long double wide = 0;
    const bool is_wide = std::from_chars(field.data(), last, wide).ec == std::errc();
    const bool small = is_wide ? std::abs(wide) < 1 : field.find("e-") != field.npos || field.find("E-") != field.npos;
    value = small ? std::nan("") : std::numeric_limits<double>::infinity();
    return true;
  }
  return error == std::errc() && end == last;
}

double finite_number(std::string_view field, const LineReader& lines, std::size_t column, std::string_view name) {
  double value = 0;
  if (!parse_number(field, value)) {
    if (looks_binary(field))
      lines.fail(column, name,
                 "holds binary data: the file is packed, in UTF-16 or of another format; write it as UTF-8 text");
    if (field.empty()) lines.fail(column, name, "is empty; every row needs a number there");
    lines.fail(column, name, fmt::format("{} is not a number; write one like 1.5 or -2e-3", in_quotes(field)));
  }
  if (std::isnan(value) && field.find_first_of("123456789") != std::string_view::npos) {
    lines.fail(column, name, fmt::format("{} is below every number of float64, and would be 0", in_quotes(field)));
  }
  if (!std::isfinite(value)) {
    lines.fail(column, name, fmt::format("{} is not a finite number; remove or repair the row", in_quotes(field)));
  }
  return value;
}

std::string in_quotes(std::string_view field) {
  constexpr std::size_t kMax = 24;
  std::string text = "'";
  for (const char c : field.substr(0, kMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", byte);
    }
  }
  text += field.size() > kMax ? "...'" : "'";
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

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

/// What is wrong with the number that begins there: no float64 holds it. (The TOML library reads 1e-400 as 0.)
std::string number_fault(std::string_view text, std::size_t at) {
  const auto is_of_number = [](char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-'; };
  if (!is_of_number(text[at]) || (at > 0 && std::string_view(" \t\r\n=[,").find(text[at - 1]) == text.npos)) return {};
  const std::string_view field = text.substr(at, text.find_first_of(" \t\r\n,]}#", at) - at);
  std::string digits;
  std::copy_if(field.begin(), field.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
  double value = 0;
  const bool is_word = digits.find_first_of("123456789") == std::string::npos;  // +nan, -inf
  if (is_word || !parse_number(digits, value) || std::isfinite(value)) return {};
  return fmt::format(
      "the number {}, which is {}; use another unit", in_quotes(field),
      std::isnan(value) ? "below every number of float64, and would be 0" : "beyond every number of float64");
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
        if (const std::string fault = value ? number_fault(text, at) : ""; !fault.empty())
          return fault_at(text, at, fault);
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

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMaxAttributes = 64;

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                     [&](const auto& e) { return text.starts_with(e.first); });
    const bool found = entity != std::end(kEntities);
    out += found ? entity->second : text.front();
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return out;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

}  // namespace

std::string XmlTag::attribute(std::string_view key) const {
  for (const auto& [name_, value] : attributes) {
    if (name_ == key) return value;
  }
  return "";
}

bool XmlTags::next(XmlTag& tag) {
  for (;;) {
    at_ = text_.find('<', at_);
    if (at_ == std::string_view::npos) return at_ = text_.size(), false;
    const std::string_view rest = text_.substr(at_);
    const std::string_view closing = rest.starts_with("<!--") ? "-->" : rest.starts_with("<?") ? "?>" : ">";
    if (!rest.starts_with("<!") && !rest.starts_with("<?")) break;
    const std::size_t end = text_.find(closing, at_);
    if (end == std::string_view::npos) throw BadText("a comment does not end");
    at_ = end + closing.size();
  }
  tag = XmlTag{};
  ++at_;
  if (at_ < text_.size() && text_[at_] == '/') tag.closes = true, ++at_;
  tag.opens = !tag.closes;
  const std::size_t name_end = text_.find_first_of(" \t\r\n/>", at_);
  if (name_end == std::string_view::npos || name_end == at_) throw BadText("a tag has no name or no end");
  tag.name = text_.substr(at_, name_end - at_);
  at_ = name_end;
  for (;;) {
    at_ = skip_blanks(text_, at_);
    if (at_ == text_.size()) throw BadText("the file ends within a tag");
    if (text_[at_] == '>') break;
    if (text_[at_] == '/') {
      tag.closes = true, ++at_;
      continue;
    }
    const std::size_t equals = text_.find_first_of("=<>", at_);
    if (equals == std::string_view::npos || text_[equals] != '=') throw BadText("an attribute has no value");
    std::string_view key = text_.substr(at_, equals - at_);
    key = key.substr(0, key.find_first_of(kBlanks));
    at_ = skip_blanks(text_, equals + 1);
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) throw BadText("an attribute's value has no quotes around it");
    if (tag.attributes.size() == kMaxAttributes) throw BadText("a tag has more than 64 attributes");
    tag.attributes.emplace_back(key, unescaped(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
  }
  tag.end = ++at_;
  return true;
}

u64 XmlTags::line_of(std::size_t at) const {
  return 1 + static_cast<u64>(std::count(
                 text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size())), '\n'));
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto entity =
        std::find_if(std::begin(kEntities), std::end(kEntities), [c](const auto& e) { return e.second == c; });
    entity == std::end(kEntities) ? out += c : out += entity->first;
  }
  return out;
}

}  // namespace tri::io
