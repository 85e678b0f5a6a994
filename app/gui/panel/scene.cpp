// Scene: the gallery, and of the scene that is open the text, number of bodies and seed; opening and saving.

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/gui/start/gallery.hpp"
#include "app/support/scene_spec.hpp"
#include "app/views/demo_table.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui::panel {
namespace {

void choose_demo(const std::string& demo, PendingActions& pending) {
  std::vector<std::string> names{"none"};
  u32 at = 0;
  for (const std::string_view name : demo_names()) {
    if (demo == name) at = static_cast<u32>(names.size());
    names.emplace_back(name);
  }
  if (choose("demo", at, names)) pending.demo = names[at];
  tip("A demonstration that runs by itself until you choose another one or none");
}

}  // namespace

void scene(const SessionModel& model, GuiState& state, Requests& requests) {
  FileState& files = state.files;
  const float fields = 5 * ImGui::GetFrameHeightWithSpacing();
  const float room = ImGui::GetContentRegionAvail().y - fields;
  if (room > 100 * state.panels.scale) {
    const std::string chosen = start::gallery(model.spec, files.recent, state.gallery, room, state.panels.scale);
    if (!chosen.empty()) state.pending.open = chosen;
  }
  ImGui::SetNextItemWidth(field_width(13));
  const bool enter = ImGui::InputText("scene text", &files.scene_text, ImGuiInputTextFlags_EnterReturnsTrue);
  tip("NAME:key=value,key=value, or the path of a file. Enter opens it.");
  if (enter && !files.scene_text.empty()) state.pending.open = files.scene_text;

  const bool has_n = scene_takes(model.spec, "n"), has_seed = scene_takes(model.spec, "seed");
  const u64 own = scene_count(model.spec, "n").value_or(model.n);
  u64 n = own, seed = model.scene.seed;
  ImGui::BeginDisabled(!has_n);
  if (whole(own == model.n ? "n###n" : "n of each###n", n,
            !has_n ? "The number of bodies of this scene is fixed."
            : own == model.n
                ? "Number of bodies. The scene opens with that many."
                : "Number of bodies at the start, of each of its parts. The scene opens with that many.")) {
    requests.push_back(ask::Open{with_key(model.spec, "n", fmt::format("{}", n))});
  }
  ImGui::EndDisabled();
  ImGui::BeginDisabled(!has_seed);
  if (whole("seed", seed,
            has_seed ? "Seed of the random numbers. The scene opens with it." : "Nothing in this scene is random.")) {
    requests.push_back(ask::Open{with_key(model.spec, "seed", fmt::format("{}", seed))});
  }
  ImGui::EndDisabled();

  choose_demo(state.overlay.demo, state.pending);
  if (ImGui::Button("Open...")) files.browser.show(FileBrowser::Purpose::open, files.browser.folder());
  tip("A file of bodies, a scene, or a screenshot, which opens as its scene (Ctrl+O)");
  ImGui::SameLine();
  if (ImGui::Button("Save as...")) files.browser.show(FileBrowser::Purpose::save, files.save_path);
  tip("Saves the present bodies (Ctrl+S)");
}

}  // namespace tri::app::gui::panel
