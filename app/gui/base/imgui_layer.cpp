#include "app/gui/base/imgui_layer.hpp"

#include <unistd.h>

#include <array>
#include <cmath>

namespace tri::app::gui {
namespace {

constexpr float kFontSize = 15;  // pixels at scale 1

/// Paths of the font in several distributions; the first that exists is used.
constexpr std::array kFontFiles{"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                "/usr/share/fonts/TTF/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf"};

constexpr ImWchar kGlyphs[] = {0x20, 0xff, 0x370, 0x3ff, 0x2010, 0x2026, 0x2190, 0x2193, 0x2264, 0x2265, 0};

}  // namespace

ImguiContext::ImguiContext(float scale) : context_(ImGui::CreateContext()), scale_(scale) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  load_font();
  set_theme(true);
}

ImguiContext::~ImguiContext() { ImGui::DestroyContext(context_); }

void ImguiContext::load_font() {
  ImGuiIO& io = ImGui::GetIO();
  for (const char* file : kFontFiles) {
    if (access(file, R_OK) != 0) continue;
    io.Fonts->AddFontFromFileTTF(file, std::round(kFontSize * scale_), nullptr, kGlyphs);
    return;
  }
  ImFontConfig config;
  config.SizePixels = 13 * std::max(1.0f, std::round(scale_));  // a bitmap: whole multiples stay sharp
  io.Fonts->AddFontDefault(&config);
}

void ImguiContext::set_scale(float scale) {
  scale_ = scale;
  ImGui::GetIO().Fonts->Clear();
  load_font();
  set_theme(dark_);
}

void ImguiContext::set_theme(bool dark) {
  ImGuiStyle style;
  dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  dark_ = dark;
  style.WindowRounding = 0;
  style.WindowBorderSize = 0;
  style.FrameRounding = style.GrabRounding = style.ScrollbarRounding = 3;
  style.WindowPadding = {8, 6};
  style.ItemSpacing = {6, 4};
  style.FramePadding = {5, 2};
  style.IndentSpacing = 12;
  style.ScrollbarSize = 11;
  auto& c = style.Colors;
  if (dark) {
    c[ImGuiCol_WindowBg] = {0.075f, 0.082f, 0.098f, 1};
    c[ImGuiCol_Header] = {0.16f, 0.19f, 0.25f, 1};
    c[ImGuiCol_Button] = {0.16f, 0.19f, 0.25f, 1};
    c[ImGuiCol_FrameBg] = {0.13f, 0.15f, 0.19f, 1};
    c[ImGuiCol_TextDisabled] = {0.62f, 0.65f, 0.70f, 1};
  } else {
    c[ImGuiCol_WindowBg] = {0.955f, 0.96f, 0.97f, 1};
    c[ImGuiCol_Header] = {0.83f, 0.87f, 0.93f, 1};
    c[ImGuiCol_Button] = {0.83f, 0.87f, 0.93f, 1};
    c[ImGuiCol_FrameBg] = {1, 1, 1, 1};
    c[ImGuiCol_TextDisabled] = {0.36f, 0.38f, 0.42f, 1};
    style.FrameBorderSize = 1;
  }
  style.ScaleAllSizes(scale_);
  ImGui::GetStyle() = style;
}

namespace colour {
namespace {

bool dark() { return ImGui::GetStyle().Colors[ImGuiCol_WindowBg].x < 0.5f; }

}  // namespace

ImU32 accent() { return dark() ? IM_COL32(46, 116, 181, 255) : IM_COL32(150, 196, 240, 255); }
ImU32 good() { return dark() ? IM_COL32(86, 196, 130, 255) : IM_COL32(0, 118, 70, 255); }
ImU32 bad() { return dark() ? IM_COL32(255, 140, 110, 255) : IM_COL32(180, 40, 10, 255); }
ImU32 dim() { return ImGui::GetColorU32(ImGuiCol_TextDisabled); }

ImU32 series(unsigned k) {
  static constexpr ImU32 kColours[] = {IM_COL32(86, 180, 233, 255), IM_COL32(230, 159, 0, 255),
                                       IM_COL32(0, 158, 115, 255),  IM_COL32(204, 121, 167, 255),
                                       IM_COL32(213, 94, 0, 255),   IM_COL32(0, 114, 178, 255),
                                       IM_COL32(180, 170, 40, 255), IM_COL32(130, 130, 130, 255)};
  return kColours[k % 8];
}

}  // namespace colour
}  // namespace tri::app::gui
