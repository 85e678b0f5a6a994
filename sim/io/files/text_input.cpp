#include "sim/io/files/text_input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

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
    // from_chars does not distinguish overflow from underflow; strtod rounds to infinity or to 0.
    value = std::strtod(std::string(field).c_str(), nullptr);
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

}  // namespace tri::io
