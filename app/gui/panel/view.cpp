// View: shape, colours, size, light, and what else is drawn.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

template <class Enum>
void choose_enum(const char* label, Enum& value, u32 count) {
  std::vector<std::string> names;
  for (u32 k = 0; k < count; ++k) names.emplace_back(to_string(static_cast<Enum>(k)));
  u32 at = static_cast<u32>(value);
  if (choose(label, at, names)) value = static_cast<Enum>(at);
}

/// What may colour, and what may not, with the reason.
void quantity(const SessionModel& model, GuiState& state) {
  ImGui::SetNextItemWidth(field_width(13));
  if (!ImGui::BeginCombo("colour by", std::string(to_string(state.style.quantity)).c_str())) return;
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto q = static_cast<render::Quantity>(k);
    const Availability can = can_colour(q, model);
    const auto flags = can.ok ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
    if (ImGui::Selectable(std::string(to_string(q)).c_str(), q == state.style.quantity, flags) && can.ok) {
      state.style.quantity = q;
    }
    tip(can.reason);
  }
  ImGui::EndCombo();
}

void slider(const char* label, float& value, float low, float high) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::SliderFloat(label, &value, low, high, "%.3g", ImGuiSliderFlags_Logarithmic);
}

/// 0 = what the display asks for.
void choose_scale(GuiState& state) {
  constexpr std::array kScales{0.0, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};
  const double now = state.chosen_scale.value_or(0);
  const auto name = [](double scale) {
    return scale > 0 ? fmt::format("{} %", 100 * scale) : std::string("display's");
  };
  ImGui::SetNextItemWidth(field_width(13));
  if (!ImGui::BeginCombo("letters", name(now).c_str())) return;
  for (const double scale : kScales) {
    if (!ImGui::Selectable(name(scale).c_str(), scale == now)) continue;
    state.chosen_scale = scale > 0 ? std::optional(scale) : std::nullopt;
  }
  ImGui::EndCombo();
}

void bookmarks(GuiState& state) {
  ImGui::TextDisabled("views");
  for (std::size_t k = 0; k < GuiState::kBookmarks; ++k) {
    ImGui::SameLine();
    const std::string id = fmt::format("{0}###view{0}", k + 1);
    const bool empty = !state.bookmarks[k];
    if (empty) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
    const bool pressed = ImGui::Button(id.c_str());
    if (empty) ImGui::PopStyleVar();
    const bool other = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    if (other || (pressed && empty)) {
      keep_view(state, k);
    } else if (pressed) {
      go_to_view(state, k);
    }
    tip(empty ? fmt::format("Empty: a click keeps this view here (Ctrl+{})", k + 1)
              : fmt::format("Go to the view kept here (Shift+{}). A right click keeps this one instead.", k + 1));
  }
}

void count(const char* label, u32& value, u32 low, u32 high) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::SliderScalar(label, ImGuiDataType_U32, &value, &low, &high, "%u",
                      ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
}

}  // namespace

void view(const SessionModel& model, GuiState& state) {
  choose_enum("shape", state.style.shape, render::kBodyShapeCount);
  quantity(model, state);
  choose_enum("colours", state.style.colours, render::kColourMapCount);
  slider("size", state.style.size, 0.05f, 20);
  slider("light", state.style.exposure, 0.05f, 20);
  ImGui::Checkbox("logarithm", &state.style.logarithmic);
  ImGui::SameLine();
  ImGui::Checkbox("box", &state.box);
  ImGui::SameLine();
  ImGui::Checkbox("axes", &state.axes);
  ImGui::Checkbox("trails", &state.trails.shown);
  tip("Where bodies have been, fading with age (T)");
  if (state.trails.shown) {
    count("trails of", state.trails.bodies, 0, render::Trails::kMaxBodies);
    tip("So many bodies, evenly spread over their numbers; and the chosen one");
    count("trail length", state.trails.length, 2, render::Trails::kMaxLength);
    tip("In frames that took steps");
  }
  bool fly = state.camera.mode == render::CameraMode::fly;
  if (ImGui::Button("Fit")) state.pending.fit = true;
  tip("See all bodies (F)");
  ImGui::SameLine();
  if (ImGui::Button("Screenshot")) state.pending.screenshot = true;
  tip("A PNG file that opens again as this scene (F12)");
  ImGui::SameLine();
  if (ImGui::Button(state.recording ? "End film###film" : "Film###film")) state.pending.record = true;
  tip("Films the window: a video where there is ffmpeg, else PNG files of a folder (F9)");
  ImGui::SameLine();
  if (ImGui::Checkbox("fly", &fly)) state.camera.mode = fly ? render::CameraMode::fly : render::CameraMode::orbit;
  tip("W A S D Q E go through the scene (G)");
  bookmarks(state);
  ImGui::Checkbox("domain view", &state.domain.shown);
  tip("Where the blocks of the map go (O)");
  ImGui::SameLine();
  bool light = !state.dark;
  if (ImGui::Checkbox("light theme", &light)) state.dark = !light;
  choose_scale(state);
  ImGui::Checkbox("keep pace", &state.keep_pace);
  tip("A frame for each that the display shows. Off: as many frames, and steps, as can be; the display shows the "
      "newest");
}

}  // namespace tri::app::gui::panel
