// View: shape, colours, size, light, trails, camera; the window itself.

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

/// The quantities to colour by; those that the scene lacks are disabled, with the reason.
void choose_quantity(const SessionModel& model, render::Quantity& quantity) {
  ImGui::SetNextItemWidth(field_width(13));
  if (!ImGui::BeginCombo("colour by", std::string(to_string(quantity)).c_str())) return;
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto q = static_cast<render::Quantity>(k);
    const Availability can = can_colour(q, model);
    const auto flags = can.ok ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
    if (ImGui::Selectable(std::string(to_string(q)).c_str(), q == quantity, flags) && can.ok) quantity = q;
    tip(can.reason);
  }
  ImGui::EndCombo();
}

void slider(const char* label, float& value, float low, float high) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::SliderFloat(label, &value, low, high, "%.3g", ImGuiSliderFlags_Logarithmic);
}

/// 0 = what the display asks for.
void choose_scale(std::optional<double>& chosen) {
  constexpr std::array kScales{0.0, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};
  const auto name = [](double scale) { return scale > 0 ? fmt::format("{} %", 100 * scale) : std::string("display"); };
  std::vector<std::string> names;
  for (const double scale : kScales) names.push_back(name(scale));
  const double now = chosen.value_or(0);
  auto at = static_cast<u32>(std::find(kScales.begin(), kScales.end(), now) - kScales.begin());
  if (choose("UI scale", at, names, 0, name(now))) chosen = at > 0 ? std::optional(kScales[at]) : std::nullopt;
}

void bookmarks(SceneView& view) {
  ImGui::TextDisabled("views");
  for (std::size_t k = 0; k < SceneView::kBookmarks; ++k) {
    ImGui::SameLine();
    const std::string number = std::to_string(k + 1), id = fmt::format("{0}###view{0}", number);
    const bool empty = !view.bookmarks[k];
    if (empty) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
    const bool pressed = ImGui::Button(id.c_str());
    if (empty) ImGui::PopStyleVar();
    const bool other = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    if (other || (pressed && empty)) {
      view.save_bookmark(k);
    } else if (pressed) {
      view.restore_bookmark(k);
    }
    tip(empty ? fmt::format("Empty: click to save the present view (Ctrl+{})", number)
              : fmt::format("Restores this view (Shift+{}). Right-click to replace it with the present one.", number));
  }
}

void count(const char* label, u32& value, u32 low, u32 high) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::SliderScalar(label, ImGuiDataType_U32, &value, &low, &high, "%u",
                      ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
}

}  // namespace

void view(const SessionModel& model, SceneView& view, bool recording, PendingActions& pending) {
  choose_enum("shape", view.style.shape, render::kBodyShapeCount);
  choose_quantity(model, view.style.quantity);
  const auto stars = star_colours_of(view.style);
  auto now = static_cast<u32>(stars.value_or(StarColours::mass));
  if (!stars) now = kStarColoursCount;
  if (choose("star colours", now, enum_names<StarColours>(kStarColoursCount), 0,
             stars ? std::string(to_string(*stars)) : "other")) {
    set_star_colours(view.style, static_cast<StarColours>(now));
  }
  tip("By mass or by temperature (speed), in the colours of black bodies, or all alike");
  choose_enum("colour map", view.style.colours, render::kColourMapCount);
  slider("size", view.style.size, 0.05f, 20);
  slider("light", view.style.exposure, 0.05f, 20);
  ImGui::Checkbox("log scale", &view.style.logarithmic);
  tip("Colours by the logarithm of the quantity (L)");
  ImGui::SameLine();
  ImGui::Checkbox("box", &view.box);
  ImGui::SameLine();
  ImGui::Checkbox("axes", &view.axes);
  ImGui::Checkbox("grid", &view.grid);
  tip("A thin grid on the ground");
  ImGui::SameLine();
  ImGui::Checkbox("clock", &view.clock);
  tip("The simulated time in the picture, with its unit");
  if (!view.labels.empty()) {
    ImGui::SameLine();
    ImGui::Checkbox("names", &view.names);
    tip("Of the bodies that have one");
  }
  ImGui::Checkbox("trails", &view.trails.shown);
  tip("Past positions of bodies, fading with age (T)");
  if (view.trails.shown) {
    count("trails of", view.trails.bodies, 0, render::Trails::kMaxBodies);
    tip("Number of bodies with trails, evenly spread over the indices; the selected one always has one");
    count("trail length", view.trails.length, 2, render::Trails::kMaxLength);
    tip("In frames that took steps");
  }
  if (ImGui::Button("Fit")) pending.fit = true;
  tip("Shows all bodies (F)");
  ImGui::SameLine();
  if (ImGui::Button("Screenshot")) pending.screenshot = true;
  tip("Saves a PNG file, which opens again as this scene (F12)");
  ImGui::SameLine();
  if (ImGui::Button(recording ? "Stop###record" : "Record###record")) pending.record = true;
  tip("Records the window: as a video where ffmpeg is installed, else as PNG files in a folder (F9)");
  ImGui::SameLine();
  bool fly = view.camera.mode == render::CameraMode::fly;
  if (ImGui::Checkbox("fly", &fly)) view.camera.mode = fly ? render::CameraMode::fly : render::CameraMode::orbit;
  tip("Fly through the scene with W A S D Q E (G)");
  bookmarks(view);
}

void window(PanelState& panels, bool& bottom_pane) {
  ImGui::Checkbox("bottom pane", &bottom_pane);
  tip("Where the blocks of the map go, distances and automata (O)");
  ImGui::SameLine();
  bool light = !panels.dark;
  if (ImGui::Checkbox("light theme", &light)) panels.dark = !light;
  choose_scale(panels.chosen_scale);
  ImGui::Checkbox("V-sync", &panels.vsync);
  tip("One frame for each that the display shows. Off: as many frames and steps as possible; the display shows the "
      "newest");
}

}  // namespace tri::app::gui::panel
