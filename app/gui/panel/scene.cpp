// Scene: what is simulated, how many bodies, from which seed; opening and saving.

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/scene_spec.hpp"
#include "app/views/demo_table.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui::panel {
namespace {

void choose_scene(const SessionModel& model, Requests& requests) {
  std::vector<std::string> names;
  u32 at = 0;
  const std::string now = scene_name(model.spec);
  bool known = false;
  for (const SceneInfo& s : list_scenes()) {
    if (now == s.name) at = static_cast<u32>(names.size()), known = true;
    names.emplace_back(s.name);
  }
  if (!known) {
    at = static_cast<u32>(names.size());
    names.push_back(model.spec);
  }
  if (choose("scene", at, names)) requests.push_back(ask::Open{names[at]});
}

void choose_demo(GuiState& state) {
  std::vector<std::string> names{"none"};
  u32 at = 0;
  for (const std::string_view name : demo_names()) {
    if (state.demo == name) at = static_cast<u32>(names.size());
    names.emplace_back(name);
  }
  if (choose("demo", at, names)) state.pending.demo = names[at];
  tip("A demonstration that runs by itself until another choice is made here");
}

}  // namespace

void scene(const SessionModel& model, GuiState& state, Requests& requests) {
  choose_scene(model, requests);
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyle().Colors[ImGuiCol_TextDisabled]);
  ImGui::TextWrapped("%s", model.scene.title.c_str());
  ImGui::PopStyleColor();

  ImGui::SetNextItemWidth(field_width(13));
  const bool enter = ImGui::InputText("as text", &state.spec, ImGuiInputTextFlags_EnterReturnsTrue);
  tip("NAME:key=value,key=value, or the path of a file. Enter opens it.");
  if (enter && !state.spec.empty()) state.pending.open = state.spec;

  const bool has_n = scene_takes(model.spec, "n"), has_seed = scene_takes(model.spec, "seed");
  u64 n = model.n, seed = model.scene.seed;
  ImGui::BeginDisabled(!has_n);
  if (whole("n", n,
            has_n ? "Bodies, exactly as many. Enter opens the scene with them."
                  : "This scene has its own number of bodies.")) {
    requests.push_back(ask::Open{with_key(model.spec, "n", fmt::format("{}", n))});
  }
  ImGui::EndDisabled();
  ImGui::BeginDisabled(!has_seed);
  if (whole("seed", seed, has_seed ? "Of the random numbers." : "Nothing here is random.")) {
    requests.push_back(ask::Open{with_key(model.spec, "seed", fmt::format("{}", seed))});
  }
  ImGui::EndDisabled();

  choose_demo(state);
  if (ImGui::Button("Open...")) state.files.show(FileBrowser::Purpose::open, state.files.folder());
  tip("A file of bodies, a scene, or a screenshot that opens as its scene (Ctrl+O)");
  ImGui::SameLine();
  if (ImGui::Button("Save as...")) state.files.show(FileBrowser::Purpose::save, state.save_path);
  tip("The bodies as they are now (Ctrl+S)");
}

}  // namespace tri::app::gui::panel
