#include "app/support/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "app/support/language.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr u32 kGap = 2;
constexpr u32 kNarrowest = 20;

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  TRI_EXPECTS(cells.size() == columns_.size());
  rows_.push_back({std::move(cells), false});
}

void TextTable::add_spanning(std::string first, std::string rest) {
  rows_.push_back({{std::move(first), std::move(rest)}, true});
}

std::string TextTable::text(u32 wrap) const {
  std::vector<std::size_t> widths;
  for (const Column& c : columns_) widths.push_back(c.title.size());
  for (const Row& row : rows_) {
    const std::size_t counted = row.spanning ? 1 : row.cells.size();
    for (std::size_t c = 0; c < counted; ++c) widths[c] = std::max(widths[c], row.cells[c].size());
  }
  std::string out;
  const auto put_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool last = c + 1 == cells.size();
      std::string cell = cells[c];
      if (last && wrap >= line.size() + kNarrowest && !columns_[c].right) {
        cell = folded(cell, wrap - static_cast<u32>(line.size()), static_cast<u32>(line.size()));
      }
      const std::size_t pad = cell.size() < widths[c] ? widths[c] - cell.size() : 0;
      line += columns_[c].right ? std::string(pad, ' ') + cell : cell + (last ? "" : std::string(pad, ' '));
      if (!last) line += std::string(kGap, ' ');
    }
    trim_end(line);
    out += line + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& c : columns_) titles.push_back(c.title);
  put_row(titles);
  for (const Row& row : rows_) {
    if (!row.spanning) {
      put_row(row.cells);
      continue;
    }
    const u32 indent = static_cast<u32>(widths[0]) + kGap;
    const std::string rest = wrap >= indent + kNarrowest ? folded(row.cells[1], wrap - indent, indent) : row.cells[1];
    out += fmt::format("{:<{}}{}\n", row.cells[0], indent, rest);
  }
  return out;
}

std::string with_prefix(double value) {
  static constexpr const char* kPrefixes[] = {"", " k", " M", " G", " T", " P"};
  int step = 0;
  while (std::abs(value) >= 999.95 && step < 5) value /= 1000, ++step;
  if (step == 0 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}{}", value,
                     std::abs(value) < 9.9995   ? 3
                     : std::abs(value) < 99.995 ? 2
                                                : 1,
                     kPrefixes[step]);
}

std::string grouped(u64 value) {
  const std::string digits = fmt::format("{}", value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string with_powers(std::string_view text) {
  static constexpr const char* kHigh[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                          "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string out;
  bool high = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    high = c == '^' || (high && (digit || c == '-'));
    if (c == '^') continue;
    if (high) {
      out += digit ? kHigh[c - '0'] : "\u207b";
    } else {
      out += c;
    }
  }
  return out;
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "not finite";
  constexpr double kGrouped = 1e7;
  const std::string text = fmt::format("{:.{}g}", std::abs(value), digits);
  const double rounded = std::stod(text);
  const std::string sign = value < 0 && rounded > 0 ? "\u2212" : "";
  const std::size_t power = text.find('e');
  if (power != std::string::npos && (rounded < 1 || rounded >= kGrouped)) {
    return sign + with_powers(fmt::format("{} \u00d7 10^{}", text.substr(0, power), std::stoi(text.substr(power + 1))));
  }
  const std::size_t point = power == std::string::npos ? text.find('.') : std::string::npos;
  return sign + grouped(static_cast<u64>(rounded)) + (point == std::string::npos ? "" : text.substr(point));
}

std::string real_text(double value, int digits) {
  if (std::isnan(value)) return "no value";
  if (std::isinf(value)) return value > 0 ? "infinite" : "-infinite";
  return fmt::format("{:.{}g}", value, digits);
}

std::string ratio_text(double ratio) {
  if (ratio >= 99.5) return fmt::format("{:.0f}", ratio);
  if (ratio >= 0.1) return fmt::format("{:.2f}", ratio);
  const std::string digits = fmt::format("{:.1e}", ratio);  // without an exponent, which {:.2g} has below 1e-4
  const int power = ratio > 0 ? std::stoi(digits.substr(digits.find('e') + 1)) : -1;
  return fmt::format("{:.{}f}", ratio, std::clamp(1 - power, 2, 9));
}

std::string counted(u64 count, std::string_view one, std::string_view many) {
  const std::string plural = many.empty() ? fmt::format("{}s", one) : std::string(many);
  return fmt::format("{} {}", grouped(count), count == 1 ? tr(one) : tr(plural));
}

std::string duration_text(double ms) {
  const auto digits = [](double v) { return v < 10 ? 2 : v < 100 ? 1 : 0; };
  if (ms < 1e-3) return fmt::format("{:.0f} ns", ms * 1e6);
  if (ms < 1) return fmt::format("{:.{}f} us", ms * 1e3, digits(ms * 1e3));
  if (ms < 1e4) return fmt::format("{:.{}f} ms", ms, digits(ms));
  return fmt::format("{:.{}f} s", ms * 1e-3, digits(ms * 1e-3));
}

std::string folded(std::string_view text, u32 width, u32 indent) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::size_t word = end - begin;
    if (used > 0 && used + 1 + word > width) {
      out += '\n';
      out.append(indent, ' ');
      used = 0;
    } else if (used > 0) {
      out += ' ', ++used;
    }
    out.append(text.substr(begin, word));
    used += word;
    begin = end + 1;
  }
  return out;
}

}  // namespace tri::app
