// Toasts: new notices for some seconds, errors for longer; scripts show errors only. The title of the colour bar.

#include <gtest/gtest.h>

#include "app/gui/panel/panels.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

TEST(Toast, ShowsNewNoticesForAWhile) {
  SessionModel model;
  Toast toast;
  panel::renew_toast(model, toast, 0, false);
  EXPECT_EQ(toast.text, "");
  model.notices.push_back({"wrote a.csv", false, 1});
  panel::renew_toast(model, toast, 1, false);
  EXPECT_EQ(toast.text, "wrote a.csv");
  EXPECT_FALSE(toast.error);
  panel::renew_toast(model, toast, 5.5, false);
  EXPECT_EQ(toast.text, "wrote a.csv");
  panel::renew_toast(model, toast, 6.5, false);
  EXPECT_EQ(toast.text, "") << "its time is over";
  ++model.notices.back().count;
  panel::renew_toast(model, toast, 7, false);
  EXPECT_EQ(toast.text, "wrote a.csv") << "a repeated notice is shown again";
  model.notices.push_back({"cannot open b.csv", true, 1});
  panel::renew_toast(model, toast, 8, false);
  EXPECT_EQ(toast.text, "cannot open b.csv");
  EXPECT_TRUE(toast.error);
  panel::renew_toast(model, toast, 17, false);
  EXPECT_EQ(toast.text, "cannot open b.csv") << "errors stay longer";
  panel::renew_toast(model, toast, 18.5, false);
  EXPECT_EQ(toast.text, "");
}

TEST(Toast, ScriptsShowErrorsOnly) {
  SessionModel model;
  Toast toast;
  model.notices.push_back({"wrote a.csv", false, 1});
  panel::renew_toast(model, toast, 1, true);
  EXPECT_EQ(toast.text, "");
  model.notices.push_back({"cannot open b.csv", true, 1});
  panel::renew_toast(model, toast, 2, true);
  EXPECT_EQ(toast.text, "cannot open b.csv");
}

using Overlay = PanelFixture;

TEST_F(Overlay, TheColourBarSaysItsUnit) {
  const auto vertices = [&] {
    ImGui::NewFrame();
    panel::overlay(model, state, {0, 0, 700, 500}, {0, 0, 700, 500});
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  state.view.axes = false;
  state.frames.figures = render::BodyFigures{};
  model.scene.units = "G = 1, total mass 1";
  const int words = vertices();
  model.scene.units = "kpc-kms-msun";
  EXPECT_GE(vertices(), words + 4 * 6) << "\"in km/s\" and the scale bar: a glyph has four corners";

  const UnitSystem* kpc = find_unit_system("kpc-kms-msun");
  render::BodyStyle style;
  const auto title = [&](render::Quantity quantity, const UnitSystem* units) {
    style.quantity = quantity;
    return panel::colour_bar_title(style, units);
  };
  using enum render::Quantity;
  EXPECT_EQ(title(speed, nullptr), "speed");
  EXPECT_EQ(title(speed, find_unit_system("nbody")), "speed");
  EXPECT_EQ(title(speed, kpc), "speed in km/s");
  EXPECT_EQ(title(acceleration, kpc), "acceleration in (km/s)^2/kpc");
  EXPECT_EQ(title(radius, kpc), "radius in kpc");
  for (const render::Quantity number : {index, group, contacts}) EXPECT_EQ(title(number, kpc), to_string(number));
  style.logarithmic = true;
  EXPECT_EQ(title(mass, kpc), "mass in Msun, logarithmic");
}

TEST_F(Overlay, TheToastStandsWhereNoPanelCoversIt) {
  state.view.axes = false;
  const Rect scene{40, 0, 860, 500};
  const auto corners = [&](const char* toast, const Rect& free) {
    state.overlay.toast.text = toast;
    ImGui::NewFrame();
    panel::overlay(model, state, scene, free);
    const ImDrawList& drawn = *ImGui::GetBackgroundDrawList();
    std::vector<ImVec2> places;
    for (const ImDrawVert& corner : drawn.VtxBuffer) places.push_back(corner.pos);
    ImGui::Render();
    return places;
  };
  const Rect free{360, 0, 540, 500};
  const std::size_t others = corners("", free).size();
  const auto places = corners("film frames.xyzzy: '.xyzzy' is not a recording format. Use FILE.mp4 or a folder.", free);
  ASSERT_GT(places.size(), others);
  for (std::size_t k = others; k < places.size(); ++k) {
    EXPECT_GE(places[k].x, free.x) << k;
    EXPECT_LE(places[k].x, free.x + free.w) << k;
  }
}

TEST_F(Overlay, AFewGroupsHaveDotsAndNamesAndManyHaveTheBar) {
  const auto vertices = [&](float highest) {
    state.frames.figures = render::BodyFigures{};
    state.frames.figures->high = highest;
    ImGui::NewFrame();
    panel::overlay(model, state, {0, 0, 700, 500}, {0, 0, 700, 500});
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  };
  constexpr int kBar = 64 * 4;
  state.view.axes = false;
  state.view.style.quantity = render::Quantity::index;
  const int with_bar = vertices(2);
  state.view.style.quantity = render::Quantity::group;
  const int three = vertices(2);
  EXPECT_LT(three, with_bar - kBar / 2);
  EXPECT_EQ(vertices(8), with_bar) << "\"group\" and \"index\" have five letters each";
  model.scene.groups = {"disk", "", "of many letters"};
  EXPECT_EQ(vertices(2), three + 4 * (4 - 6) + 4 * (13 - 6)) << "a glyph has four corners, and a space none";
}

}  // namespace
}  // namespace tri::app::gui
