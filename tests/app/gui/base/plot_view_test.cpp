// Plots under a user's hands: wheel, drag, box, double click, axes, CSV.

#include "app/gui/base/plot_view.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "app/gui/base/plot.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

PlotSpec squares(const char* id) {
  PlotSpec plot{id, "squares", {}, "x", {{"x^2", {}}, {"none", {}}}};
  for (int k = 1; k <= 16; ++k) {
    plot.x.push_back(k), plot.lines[0].y.push_back(k * k);
    plot.lines[1].y.push_back(k % 2 ? std::numeric_limits<double>::quiet_NaN() : 0);
  }
  plot.height = 200, plot.width = 400;
  return plot;
}

class Plots : public PanelFixture {
 protected:
  /// A frame in which the pointer is there; the plot's upper left corner is that of the window's content.
  void look(const PlotSpec& plot, float x, float y) {
    ImGui::GetIO().MousePos = {x, y};
    frame([&] { draw_plot(plot, 1); });
  }
  ImGuiIO& io = ImGui::GetIO();
};

TEST_F(Plots, TheWheelZoomsAndADoubleClickShowsAll) {
  const PlotSpec plot = squares("wheel");
  const PlotView& view = plot_view("wheel");
  look(plot, 200, 150);
  look(plot, 200, 150);
  EXPECT_FALSE(view.x || view.y);
  io.MouseWheel = 2;
  look(plot, 200, 150);
  ASSERT_TRUE(view.x && view.y);
  EXPECT_NEAR(view.x->length(), 15 / (kZoomStep * kZoomStep), 1e-9);
  EXPECT_GE(view.x->low, 1);
  EXPECT_LE(view.x->high, 16);
  const Extent before = *view.x;
  io.MouseWheel = 0, io.MouseDown[0] = true;
  look(plot, 200, 150);
  look(plot, 240, 150);
  EXPECT_LT(view.x->low, before.low) << "the plot follows the pointer";
  EXPECT_NEAR(view.x->length(), before.length(), 1e-9);
  io.MouseDown[0] = false;
  look(plot, 240, 150);
  for (const bool down : {true, false, true}) {
    io.MouseDown[0] = down;
    look(plot, 240, 150);
  }
  EXPECT_FALSE(view.x || view.y);
}

TEST_F(Plots, ABoxIsShown) {
  const PlotSpec plot = squares("box");
  const PlotView& view = plot_view("box");
  look(plot, 150, 100);
  look(plot, 150, 100);
  io.MouseDown[1] = true;
  look(plot, 150, 100);
  look(plot, 250, 160);
  io.MouseDown[1] = false;
  look(plot, 250, 160);
  ASSERT_TRUE(view.x && view.y);
  EXPECT_LT(view.x->length(), 5);
  EXPECT_LT(view.y->length(), 128);
  EXPECT_GT(view.x->low, 1);
}

TEST_F(Plots, EachAxisMayBeLogarithmic) {
  const PlotSpec plot = squares("axes");
  plot_view("axes").log_x = true, plot_view("axes").log_y = true;
  look(plot, 200, 150);
  io.MouseWheel = 1;
  look(plot, 200, 150);
  const PlotView& view = plot_view("axes");
  ASSERT_TRUE(view.x && view.y);
  EXPECT_NEAR(view.x->length(), std::log10(16.0) / kZoomStep, 1e-9) << "zoomed on its own scale";
  EXPECT_LE(view.y->high, std::log10(256.0) * 1.06);
}

TEST_F(Plots, AreWrittenAsCsvWhenDrawnNext) {
  const PlotSpec plot = squares("csv");
  const std::string text = plot_csv(plot);
  EXPECT_EQ(text.substr(0, text.find("3,")), "x,x^2,none\n1,1,\n2,4,0\n");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
  save_plot("csv", "a.csv");
  EXPECT_TRUE(take_plot_files().empty()) << "not drawn yet";
  look(squares("another"), 0, 0);
  EXPECT_TRUE(take_plot_files().empty());
  look(plot, 0, 0);
  const std::vector<PlotFile> files = take_plot_files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "a.csv");
  EXPECT_EQ(files[0].text, text);
  look(plot, 0, 0);
  EXPECT_TRUE(take_plot_files().empty()) << "once";
}

}  // namespace
}  // namespace tri::app::gui
