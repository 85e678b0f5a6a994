// Colours as colour-blind readers see them, simulated: whatever is told apart by colour is. Lines of text, and
// tooltips.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "render/view.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

/// CIE Lab of a colour as seen by this kind of reader: a matrix on linear RGB (Machado, Oliveira and Fernandes 2009).
std::array<double, 3> lab_of(ImU32 colour, const std::array<double, 9>& seen) {
  std::array<double, 3> linear{}, rgb{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double v = (colour >> (8 * k) & 255) / 255.0;
    linear[k] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t c = 0; c < 3; ++c) rgb[k] += seen[3 * k + c] * linear[c];
    rgb[k] = std::clamp(rgb[k], 0.0, 1.0);
  }
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4125 * rgb[0] + 0.3576 * rgb[1] + 0.1804 * rgb[2]) / 0.9505);
  const double y = f(0.2127 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9503 * rgb[2]) / 1.0888);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// What readers see of linear RGB: everything, and with protanopia, deuteranopia and tritanopia (Machado, Oliveira and
/// Fernandes 2009, severity 1).
constexpr std::array<double, 9> kReaders[] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
    {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};

/// The least distance in CIELAB of two of these colours for any reader; 2.3 is one that is just seen.
double least_distance(const std::vector<ImU32>& colours) {
  double least = 1e9;
  for (const auto& seen : kReaders) {
    for (std::size_t a = 0; a < colours.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const auto x = lab_of(colours[a], seen), y = lab_of(colours[b], seen);
        least = std::min(least, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
      }
    }
  }
  return least;
}

TEST(Theme, EveryoneTellsRanksMapsAndLinesApart) {
  static_assert(IM_COL32_R_SHIFT == 0 && IM_COL32_G_SHIFT == 8 && IM_COL32_B_SHIFT == 16);
  for (const bool dark : {true, false}) {
    ImguiContext context(1);
    context.set_theme(dark);
    std::vector<ImU32> ranks, maps, lines;
    for (u32 a = 0; a < kRankColours; ++a) {
      EXPECT_GE(contrast(rank_colour(a), theme().panel), 3) << a << dark;
      EXPECT_GE(contrast(ink_on(rank_colour(a)), rank_colour(a)), 3.9) << a << dark;
      EXPECT_EQ(rank_colour(a), rank_colour(a + kRankColours));
      ranks.push_back(rank_colour(a));
    }
    for (const char* name : {"bb", "lambda", "fold", "rec", "utm", "circulant"}) maps.push_back(map_ink(name).colour);
    for (unsigned k = 0; k < 8; ++k) {
      EXPECT_GE(contrast(series_colour(k), theme().panel), 4.5) << k << dark << ": names of lines are letters";
      lines.push_back(series_colour(k));
    }
    EXPECT_GE(least_distance(ranks), 15) << dark;
    EXPECT_GE(least_distance(maps), 11.5) << dark;
    EXPECT_GE(least_distance(lines), 11.5);
  }
}

class Lines : public PanelFixture {};

TEST_F(Lines, BreakBetweenWordsButNotWithinANumber) {
  ImGui::NewFrame();
  const std::string text =
      "The force is the derivative to 2 \u00d7 10\u207b\u00b9\u00b3, at 1,378 pairs of 0.0345 mm, 1.48 \u00d7 bb, 1920 "
      "\u00d7 1080.";
  const auto width_of = [](const std::string& line) { return ImGui::CalcTextSize(line.c_str()).x; };
  for (float width = width_of("derivative "); width < width_of(text) + 9; width += 5) {
    const std::string lines = in_lines(text, width);
    std::string joined;
    for (std::size_t at = 0; at <= lines.size();) {
      const std::size_t end = std::min(lines.find('\n', at), lines.size());
      EXPECT_LE(width_of(lines.substr(at, end - at)), width + 1.01f) << "widths are rounded up";
      joined += (joined.empty() ? "" : " ") + lines.substr(at, end - at);
      at = end + 1;
    }
    if (width < width_of("1920 \u00d7 1080.")) continue;
    EXPECT_EQ(joined, text) << "nothing is lost or cut";
    for (const char* number :
         {"2 \u00d7 10\u207b\u00b9\u00b3,", "1,378", "0.0345", "1.48 \u00d7", "1920 \u00d7 1080"}) {
      EXPECT_NE(lines.find(number), std::string::npos) << number << " in\n" << lines;
    }
  }
  EXPECT_EQ(in_lines("two\nlines", 1000), "two\nlines");
  const std::string cut = in_lines("/a/path/of/many/letters", width_of("/a/path/"));
  EXPECT_NE(cut.find('\n'), std::string::npos) << "a word that is wider is cut";
  ImGui::EndFrame();
}

/// A number that is broken is another number for who types it in again.
TEST_F(Lines, OfACommandBreakBeforeOptions) {
  ImGui::NewFrame();
  const std::string command =
      "triangulum render plummer.png -o again-plummer.png --size 1920x1080 --camera -30.25,20.000002 --look-at "
      "0.015625,-0.5,1.875,12.25 --no-box";
  const auto width_of = [](const std::string& line) { return ImGui::CalcTextSize(line.c_str()).x; };
  for (float width = width_of("-0.5,1.875, --"); width < width_of(command) + 9; width += 5) {
    const std::string lines = command_in_lines(command, width);
    const bool wide = width > width_of("--look-at 0.015625,-0.5,1.875,12.25") + 1;
    for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
      if (wide) {
        EXPECT_TRUE(lines[at + 1] == '-' && std::isdigit(lines[at + 2]) == 0) << lines;
      }
    }
    for (const char* number : {"-30.25", "20.000002", "0.015625", "-0.5", "1.875", "12.25", "1920x1080"}) {
      EXPECT_NE(lines.find(number), std::string::npos) << number << " in\n" << lines;
    }
  }
  EXPECT_EQ(command_in_lines(command, 1e6f), command);
  ImGui::EndFrame();
}

TEST(Theme, EveryoneSeesTheOrderOfAColourMap) {
  const auto colour = [](render::ColourMap map, int k) {
    const auto rgb = sample(map, static_cast<float>(k) / 32);
    return ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1});
  };
  using M = render::ColourMap;
  for (const M map : {M::viridis, M::inferno, M::cividis}) {
    for (const auto& seen : kReaders) {
      double before = -100;
      for (int k = 0; k <= 32; ++k) {
        const double lightness = lab_of(colour(map, k), seen)[0];
        EXPECT_GT(lightness, before - 0.5) << static_cast<int>(map) << " " << k << " " << &seen - kReaders;
        before = lightness;
      }
    }
  }
  // Through white, as stars and signs have it: both ends and the middle.
  for (const M map : {M::black_body, M::orange_blue}) {
    EXPECT_GE(least_distance({colour(map, 0), colour(map, 16), colour(map, 32)}), 15) << static_cast<int>(map);
  }
}

class Tips : public PanelFixture {};

TEST_F(Tips, ATooltipStandsBesideItsItemAndGoesWithThePointer) {
  ImRect item;
  float y = 0;
  const auto draw = [&] {
    ImGui::SetCursorScreenPos({300, y});
    ImGui::Button("item", {90, 30});
    item = {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
    tip("What this button does, in more words than have room in one line of a tooltip, so that it has some lines.");
  };
  ImGui::GetIO().DisplaySize = {420, 700};
  const auto tooltip = [&](float wait = 0.4f) -> std::optional<ImRect> {
    for (int k = 0; k < 3; ++k) frame(draw);
    ImGui::GetIO().DeltaTime = wait;
    for (int k = 0; k < 2; ++k) frame(draw);
    ImGui::GetIO().DeltaTime = 0.02f;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0) return window->Rect();
    }
    return std::nullopt;
  };
  for (const float at : {40.0f, 300.0f, 660.0f}) {
    y = at;
    frame(draw);
    ImGui::GetIO().MousePos = item.GetCenter();
    EXPECT_FALSE(tooltip(0.15f)) << "the pointer may be on its way";
    const auto shown = tooltip();
    ASSERT_TRUE(shown) << at;
    EXPECT_FALSE(shown->Overlaps(item)) << at;
    EXPECT_TRUE(ImRect(0, 0, 420, 700).Contains(*shown)) << at;
  }
  ImGui::GetIO().MousePos = {5, 5};
  show_focus();
  ImGui::GetCurrentContext()->NavId = ImHashStr("item", 0, ImGui::FindWindowByName("test")->ID);
  EXPECT_FALSE(tooltip()) << "the keyboard is there, and the pointer is not";
}

TEST_F(Tips, ATooltipIsNoLongerThereWhileItsFieldIsTypedInto) {
  std::string text = "1/r";
  const auto draw = [&] {
    ImGui::InputText("field", &text);
    tip("The energy of a pair");
  };
  const auto has_tip = [&] {
    ImGui::GetIO().DeltaTime = 0.5f;
    for (int k = 0; k < 4; ++k) frame(draw);
    const auto& all = ImGui::GetCurrentContext()->Windows;
    return std::any_of(all.begin(), all.end(), [](const ImGuiWindow* window) {
      return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
    });
  };
  frame(draw), frame(draw);
  ImGui::GetIO().MousePos = {30, 40};
  EXPECT_TRUE(has_tip());
  ImGui::GetIO().MouseDown[0] = true;
  frame(draw), frame(draw);
  ImGui::GetIO().MouseDown[0] = false;
  EXPECT_FALSE(has_tip()) << "it would lie over what the field says of the text";
}

TEST_F(Tips, WhoPressedAnItemOrNeverPointedAtItGetsNoTooltip) {
  float y = 40;
  const auto draw = [&] {
    ImGui::SetCursorScreenPos({40, y});
    ImGui::Button("item", {90, 30});
    tip("What this button does");
  };
  ImGuiIO& io = ImGui::GetIO();
  const auto has_tip = [&] {
    io.DeltaTime = 0.5f;
    for (int k = 0; k < 4; ++k) frame(draw);
    const auto& all = ImGui::GetCurrentContext()->Windows;
    return std::any_of(all.begin(), all.end(), [](const ImGuiWindow* window) {
      return window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0;
    });
  };
  frame(draw), frame(draw);
  io.MousePos = {60, 50};
  EXPECT_TRUE(has_tip());
  io.MouseDown[0] = true;
  frame(draw), frame(draw);
  io.MouseDown[0] = false;
  EXPECT_FALSE(has_tip()) << "it covered what the button had opened";
  io.MousePos = {61, 50};
  EXPECT_FALSE(has_tip()) << "a hand is never still";
  io.MousePos = {300, 50};
  frame(draw);
  io.MousePos = {60, 50};
  EXPECT_TRUE(has_tip()) << "the pointer has come again";
  io.MousePos = {60, 150};
  frame(draw);
  y = 140;
  EXPECT_FALSE(has_tip()) << "the item came to the pointer";
  io.MousePos = {62, 151};
  EXPECT_TRUE(has_tip());
}

}  // namespace
}  // namespace tri::app::gui
