#include "app/gui/look/imgui_layer.hpp"

#include <utility>

#include "app/gui/look/theme.hpp"
#include "app/gui/look/type.hpp"

namespace tri::app::gui {
namespace {

ImVec4 ink(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

}  // namespace

ImguiContext::ImguiContext(float scale) : context_(ImGui::CreateContext()), scale_(scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.MouseDoubleClickTime = 0.4f;  // seconds, as desktops have it
  load_faces(scale);
  set_theme(true);
}

ImguiContext::~ImguiContext() { ImGui::DestroyContext(context_); }

void ImguiContext::set_scale(float scale) {
  scale_ = scale;
  load_faces(scale);
  set_theme(dark_);
}

void ImguiContext::set_theme(bool dark) {
  dark_ = dark;
  use_theme(dark);
  const Theme& t = theme();
  ImGuiStyle style;
  style.WindowRounding = style.ChildRounding = 0;
  style.WindowBorderSize = 0;
  style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = style.PopupRounding = 4;
  style.WindowPadding = {12, 12};
  style.ItemSpacing = {8, 8};
  style.ItemInnerSpacing = {8, 4};
  style.FramePadding = {8, 5};
  style.IndentSpacing = 12;
  style.ScrollbarSize = 11;
  style.FrameBorderSize = 1;
  style.DisabledAlpha = 1;  // disabled items have an ink of their own
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  const std::pair<ImGuiCol, ImU32> colours[] = {{ImGuiCol_Text, t.text},
                                                {ImGuiCol_TextDisabled, t.text2},
                                                {ImGuiCol_WindowBg, t.panel},
                                                {ImGuiCol_PopupBg, t.raised},
                                                {ImGuiCol_Border, t.edge},
                                                {ImGuiCol_FrameBg, t.raised},
                                                {ImGuiCol_FrameBgHovered, t.selected},
                                                {ImGuiCol_FrameBgActive, t.line},
                                                {ImGuiCol_TitleBg, t.panel},
                                                {ImGuiCol_TitleBgActive, t.raised},
                                                {ImGuiCol_ScrollbarBg, t.panel},
                                                {ImGuiCol_ScrollbarGrab, t.edge},
                                                {ImGuiCol_ScrollbarGrabHovered, t.idle},
                                                {ImGuiCol_ScrollbarGrabActive, t.idle},
                                                {ImGuiCol_CheckMark, t.text},
                                                {ImGuiCol_SliderGrab, t.text2},
                                                {ImGuiCol_SliderGrabActive, t.text},
                                                {ImGuiCol_Button, t.raised},
                                                {ImGuiCol_ButtonHovered, t.selected},
                                                {ImGuiCol_ButtonActive, t.edge},
                                                {ImGuiCol_Header, t.selected},
                                                {ImGuiCol_HeaderHovered, t.selected},
                                                {ImGuiCol_HeaderActive, t.edge},
                                                {ImGuiCol_Separator, t.line},
                                                {ImGuiCol_TableHeaderBg, t.panel},
                                                {ImGuiCol_TableBorderLight, t.line},
                                                {ImGuiCol_TableBorderStrong, t.edge},
                                                {ImGuiCol_NavHighlight, 0}};
  for (const auto& [index, colour] : colours) style.Colors[index] = ink(colour);
  style.ScaleAllSizes(scale_);
  ImGui::GetStyle() = style;
}

}  // namespace tri::app::gui
