#include "app/gui/look/theme.hpp"

#include <algorithm>
#include <cmath>

namespace tri::app::gui {
namespace {

constexpr ImU32 rgb(unsigned code) { return IM_COL32((code >> 16) & 255, (code >> 8) & 255, code & 255, 255); }

constexpr Theme kDarkTheme{.page = rgb(0x0E1116),
                           .panel = rgb(0x151920),
                           .raised = rgb(0x1B2029),
                           .selected = rgb(0x232A35),
                           .line = rgb(0x2A313D),
                           .edge = rgb(0x3A4352),
                           .text = rgb(0xE8ECF2),
                           .text2 = rgb(0xA9B3C1),
                           .text3 = rgb(0x8A95A6),
                           .disabled = rgb(0x7D8798),
                           .idle = rgb(0x626D7D),
                           .focus = rgb(0x8AB4FF),
                           .record = rgb(0xFF5A52),
                           .fault = rgb(0xFF8A73),
                           .running = rgb(0x63D297)};

constexpr Theme kLightTheme{.page = rgb(0xE9ECF0),
                            .panel = rgb(0xF7F8FA),
                            .raised = rgb(0xFFFFFF),
                            .selected = rgb(0xE6E9EE),
                            .line = rgb(0xD5DAE1),
                            .edge = rgb(0xB9C1CC),
                            .text = rgb(0x171B21),
                            .text2 = rgb(0x48515E),
                            .text3 = rgb(0x596372),
                            .disabled = rgb(0x646D7B),
                            .idle = rgb(0x868F9C),
                            .focus = rgb(0x0B57D0),
                            .record = rgb(0xC3221B),
                            .fault = rgb(0xAF3417),
                            .running = rgb(0x0B6B3E)};

const Theme* in_use = &kDarkTheme;

double luminance(ImU32 colour) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  const auto linear = [](float v) {
    const double x = static_cast<double>(v);
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.x) + 0.7152 * linear(c.y) + 0.0722 * linear(c.z);
}

}  // namespace

const Theme& theme_of(bool dark) { return dark ? kDarkTheme : kLightTheme; }
const Theme& theme() { return *in_use; }
void use_theme(bool dark) { in_use = &theme_of(dark); }

double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

ImU32 faded(ImU32 colour, float opacity) {
  const auto alpha = static_cast<ImU32>(std::lround(255 * std::clamp(opacity, 0.0f, 1.0f)));
  return (colour & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT);
}

ImU32 series_colour(unsigned k) {
  static constexpr ImU32 kColours[] = {rgb(0x56B4E9), rgb(0xE69F00), rgb(0x009E73), rgb(0xCC79A7),
                                       rgb(0xD55E00), rgb(0x0072B2), rgb(0xB4AA28), rgb(0x828282)};
  return kColours[k % 8];
}

}  // namespace tri::app::gui
