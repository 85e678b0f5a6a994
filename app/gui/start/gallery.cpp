#include "app/gui/start/gallery.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/start/scene_card.hpp"
#include "app/support/scene_spec.hpp"

namespace tri::app::gui::start {
namespace {

constexpr float kPicture = 112, kTall = 70, kGap = 8;  // pixels at scale 1

/// The picture, or the place where it will be.
void card_picture(const SceneCard& card, GalleryState& state, ImVec2 low, ImVec2 high, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto at = state.pictures.find(card.spec);
  if (at == state.pictures.end()) state.wanted.push_back(card.spec);
  if (at == state.pictures.end() || at->second == 0) {
    draw.AddRectFilled(low, high, theme_of(true).page, 4 * scale);
    const bool comes = at == state.pictures.end();
    write_middle(draw, Face::caption, {(low.x + high.x) / 2, (low.y + high.y) / 2}, theme_of(true).text3,
                 comes ? "being drawn" : "no picture", Align::centre);
    return;
  }
  draw.AddImageRounded(texture_of(at->second), low, high, {0, 0}, {1, 1}, IM_COL32_WHITE, 4 * scale);
}

/// Lines of words that fit the width, the last one cut where more is to come.
void card_words(const std::string& text, ImVec2 at, float width, int lines) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImFont* font = face(Face::caption);
  const char *begin = text.c_str(), *end = begin + text.size();
  for (int k = 0; k < lines && begin < end; ++k, at.y += height_of(font)) {
    const char* cut = k + 1 < lines ? font->CalcWordWrapPositionA(1, begin, end, width) : end;
    if (cut == begin) cut = end;
    const std::string line = fitting(Face::caption, {begin, static_cast<std::size_t>(cut - begin)}, width);
    write(draw, Face::caption, at, theme().text2, line);
    begin = cut;
    while (begin < end && *begin == ' ') ++begin;
  }
}

/// True when it was chosen.
bool card(const SceneCard& card, bool open, GalleryState& state, float width, float scale) {
  const float gap = kGap * scale, height = kTall * scale + gap;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(card.spec.c_str());
  const bool pressed = ImGui::InvisibleButton("card", {width, height});
  ImGui::PopID();
  if (!ImGui::IsItemVisible()) return pressed;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  if (ImGui::IsItemHovered() || open) {
    draw.AddRectFilled(at, end, open ? theme().selected : theme().raised, 4 * scale);
  }
  const ImVec2 low{at.x + gap / 2, at.y + gap / 2};
  card_picture(card, state, low, {low.x + kPicture * scale, low.y + kTall * scale}, scale);
  const float x = low.x + kPicture * scale + gap, room = end.x - gap - x, line = height_of(face(Face::strong));
  write(draw, Face::strong, {x, low.y}, theme().text, fitting(Face::strong, card.name, room));
  card_words(card.about, {x, low.y + line}, room, card.n > 0 ? 2 : 3);
  if (card.n > 0) {
    write(draw, Face::caption, {x, low.y + kTall * scale - height_of(face(Face::caption))}, theme().text3,
          fmt::format("{} bodies", grouped(card.n)));
  }
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", card.about.c_str());
  return pressed;
}

}  // namespace

std::string gallery(const std::string& now, const RecentFiles& recent, GalleryState& state, float height, float scale) {
  std::string chosen;
  const std::string name = scene_name(now);
  ImGui::BeginChild("gallery", {0, height}, false, ImGuiWindowFlags_NavFlattened);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 4 * scale});
  const float width = ImGui::GetContentRegionAvail().x;
  for (const SceneCard& c : scene_cards()) {
    if (card(c, c.spec == name, state, width, scale)) chosen = c.spec;
  }
  if (!recent.paths().empty()) {
    ImGui::Dummy({1, 4 * scale});
    const InFace strong(Face::strong);
    ImGui::TextUnformatted("Recent files");
  }
  for (const std::string& path : recent.paths()) {
    if (card(file_card(path), path == now, state, width, scale)) chosen = path;
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  return chosen;
}

}  // namespace tri::app::gui::start
