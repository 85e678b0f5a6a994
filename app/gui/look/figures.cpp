#include "app/gui/look/figures.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "app/gui/look/imgui_versions.hpp"

namespace tri::app::gui {

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) return fmt::format("{:.3g}", value);
  if (size >= 1000)
    return fmt::format("{}{}", value < 0 ? "\u2212" : "", grouped(static_cast<u64>(std::llround(size))));
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  return size >= 0.9995 ? fmt::format("{:.2f}", value) : fmt::format("{:.3g}", value);
}

std::string time_text(double ms) {
  if (ms >= 999.5) return three_digits(ms / 1000) + " s";
  return ms >= 0.9995 || ms == 0 ? three_digits(ms) + " ms" : three_digits(1000 * ms) + " \u00b5s";
}

std::string times_text(double ratio) {
  if (ratio >= 99.5) return fmt::format("{:.0f} \u00d7", ratio);
  return ratio >= 0.1 ? fmt::format("{:.2f} \u00d7", ratio) : fmt::format("{:.2g} \u00d7", ratio);
}

std::string power_text(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return "not finite";
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  const std::size_t at = text.find('e');
  const int power = std::stoi(text.substr(at + 1));
  std::string out = (value < 0 ? "\u2212" : "") + text.substr(0, at);
  if (power == 0) return out;
  constexpr std::array kHigh{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                             "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  out += power < 0 ? " \u00d7 10\u207b" : " \u00d7 10";
  for (const char c : std::to_string(std::abs(power))) out += kHigh[static_cast<std::size_t>(c - '0')];
  return out;
}

void write(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text, Align align) {
  ImFont* font = face(which);
  const char *begin = text.data(), *end = begin + text.size();
  ImGui::LogText("%.*s | ", static_cast<int>(text.size()), begin);  // as ImGui's own texts
  if (align != Align::left) {
    const float width = font->CalcTextSizeA(height_of(font), 1e9f, 0, begin, end).x;
    at.x -= align == Align::right ? width : width / 2;
  }
  draw.AddText(font, height_of(font), {std::floor(at.x), std::floor(at.y)}, colour, begin, end);
}

void write_middle(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text, Align align) {
  write(draw, which, {at.x, at.y - height_of(face(which)) / 2}, colour, text, align);
}

std::string fitting(Face which, std::string_view text, float room) {
  ImFont* font = face(which);
  const char *begin = text.data(), *end = begin + text.size();
  if (font->CalcTextSizeA(height_of(font), 1e9f, 0, begin, end).x <= room) return std::string(text);
  constexpr std::string_view kDots = "\u2026";
  const float dots = font->CalcTextSizeA(height_of(font), 1e9f, 0, kDots.data(), kDots.data() + kDots.size()).x;
  const char* cut = begin;
  if (room > dots) font->CalcTextSizeA(height_of(font), room - dots, 0, begin, end, &cut);
  return std::string(begin, cut) + std::string(kDots);
}

}  // namespace tri::app::gui
