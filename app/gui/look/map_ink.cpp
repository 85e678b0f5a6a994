#include "app/gui/look/map_ink.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tri::app::gui {
namespace {

struct Family {
  std::string_view stem;  ///< a name that is it, or begins with it and a '-'
  ImU32 dark, light;
  bool second = false;  ///< of a family with two stems
};

/// Colours that colour-blind readers can tell apart too (after Okabe and Ito 2008), 4.9 : 1 or more on the panels.
constexpr Family kFamilies[] = {
    {"bb", IM_COL32(0xA3, 0xAD, 0xBB, 255), IM_COL32(0x5B, 0x64, 0x72, 255)},
    {"lambda", IM_COL32(0x56, 0xB4, 0xE9, 255), IM_COL32(0x00, 0x68, 0xA8, 255)},
    {"tetra", IM_COL32(0x56, 0xB4, 0xE9, 255), IM_COL32(0x00, 0x68, 0xA8, 255)},
    {"gasket", IM_COL32(0x56, 0xB4, 0xE9, 255), IM_COL32(0x00, 0x68, 0xA8, 255)},
    {"fold", IM_COL32(0xE9, 0xA2, 0x3B, 255), IM_COL32(0x8C, 0x56, 0x00, 255)},
    {"rb", IM_COL32(0xE9, 0xA2, 0x3B, 255), IM_COL32(0x8C, 0x56, 0x00, 255), true},
    {"rec", IM_COL32(0x3C, 0xC9, 0xA0, 255), IM_COL32(0x00, 0x70, 0x4F, 255)},
    {"h", IM_COL32(0x3C, 0xC9, 0xA0, 255), IM_COL32(0x00, 0x70, 0x4F, 255), true},
    {"utm", IM_COL32(0xDB, 0x8D, 0xBB, 255), IM_COL32(0x96, 0x3B, 0x70, 255)},
    {"circulant", IM_COL32(0xF0, 0xE0, 0x5A, 255), IM_COL32(0x6B, 0x61, 0x00, 255)},
};

struct Member {
  std::string_view ending;
  float width;
  std::vector<float> dash;
};

const std::vector<Member>& members() {
  static const std::vector<Member> kMembers{
      {"-x", 1, {6, 3}},       {"-n", 1, {1.5f, 2.5f}}, {"-r", 1, {6, 2, 1.5f, 2}}, {"-lut", 0.6f, {}},
      {"-stream", 2, {}},      {"-block", 1, {6, 3}},   {"-digits", 1, {6, 3}},     {"-grouped", 1, {9, 3, 3, 3}},
      {"-longest", 2, {9, 3}}, {"-h", 1, {6, 3}},
  };
  return kMembers;
}

}  // namespace

MapInk map_ink(std::string_view name) {
  const auto family = std::find_if(std::begin(kFamilies), std::end(kFamilies), [&](const Family& f) {
    return name == f.stem || (name.starts_with(f.stem) && name[f.stem.size()] == '-');
  });
  if (family == std::end(kFamilies)) return {ImGui::GetColorU32(ImGuiCol_Text)};
  const bool dark = ImGui::GetStyle().Colors[ImGuiCol_WindowBg].x < 0.5f;
  MapInk ink{dark ? family->dark : family->light};
  if (family->second) ink.dash = {6, 3};
  const std::string_view ending = name.substr(family->stem.size());
  for (const Member& member : members()) {
    if (member.ending == ending) ink.width = member.width, ink.dash = member.dash;
  }
  return ink;
}

void draw_inked(ImDrawList& draw, const std::vector<ImVec2>& points, const MapInk& ink, float width) {
  const float thick = ink.width * width;
  if (ink.dash.empty()) {
    draw.AddPolyline(points.data(), static_cast<int>(points.size()), ink.colour, 0, thick);
    return;
  }
  std::size_t at = 0;  // in the pattern, which goes on around corners
  float left = ink.dash[0] * width;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const ImVec2 from = points[k - 1], to = points[k];
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const auto on_the_way = [&](float done) {
      return ImVec2{from.x + (to.x - from.x) * done / length, from.y + (to.y - from.y) * done / length};
    };
    for (float done = 0; done < length;) {
      const float part = std::min(left, length - done);
      if (at % 2 == 0) draw.AddLine(on_the_way(done), on_the_way(done + part), ink.colour, thick);
      done += part, left -= part;
      if (left <= 0) at = (at + 1) % ink.dash.size(), left = ink.dash[at] * width;
    }
  }
}

}  // namespace tri::app::gui
