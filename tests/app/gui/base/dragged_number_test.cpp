/// A number under the pointer: which frames change it, and which of them begins what undo takes back.

#include <vector>

#include "app/gui/base/widgets.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using panel::Dragged;

class DraggedNumber : public PanelFixture {
 protected:
  /// A frame with the pointer so many pixels right of the middle of the field; what the field says.
  Dragged at(float pixels, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {middle_.x + pixels, middle_.y};
    io.MouseDown[0] = down;
    Dragged dragged = Dragged::no;
    frame([&] {
      dragged = panel::dragged_number("eps", value, "", [&](double number) { return takes(number); });
      const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
      middle_ = {least.x + 100, (least.y + most.y) / 2};
    });
    return dragged;
  }
  /// Releases the button, and presses it later than a double click would.
  void press_it() {
    ImGui::GetIO().DeltaTime = 1;
    at(0, false);
    at(0, false);
    at(0, true);
  }
  ~DraggedNumber() override { at(0, false); }

  double value = 1;
  std::function<bool(double)> takes = [](double) { return true; };

 private:
  ImVec2 middle_{};
};

TEST_F(DraggedNumber, BeginsOnceAndGoesOn) {
  press_it();
  EXPECT_EQ(at(50, true), Dragged::begins);
  EXPECT_GT(value, 1.1);
  const double before = value;
  EXPECT_EQ(at(50, true), Dragged::no) << "the pointer rests";
  EXPECT_EQ(at(100, true), Dragged::goes_on);
  EXPECT_GT(value, before);
  press_it();
  EXPECT_EQ(at(-50, true), Dragged::begins) << "another drag";
}

TEST_F(DraggedNumber, WhatIsRefusedBeginsNothing) {
  takes = [](double number) { return number < 1 || number > 1.2; };
  press_it();
  EXPECT_EQ(at(20, true), Dragged::no);
  EXPECT_EQ(value, 1) << "refused";
  EXPECT_EQ(at(100, true), Dragged::begins) << "the first that is taken begins what undo takes back";
  EXPECT_GT(value, 1.2);
  const double taken = value;
  EXPECT_EQ(at(30, true), Dragged::no);
  EXPECT_EQ(value, taken) << "refused on the way";
  EXPECT_EQ(at(120, true), Dragged::goes_on);
}

}  // namespace
}  // namespace tri::app::gui
