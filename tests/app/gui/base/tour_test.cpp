// The tour: what leads from stop to stop, where its card goes, and that its numbers are those of the session.

#include "app/gui/base/tour.hpp"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include "app/gui/base/keys.hpp"
#include "tests/app/gui/gui_models.hpp"

namespace tri::app::gui {
namespace {

struct Tour : testing::Test {
  SessionModel model = test::gravity_model();
  GuiState state;
  double now = 100;

  /// Whether the tour goes on from its stop, and not at once.
  bool goes_on() {
    const std::size_t stop = state.tour.stop;
    follow_tour(model, state, now, false);
    EXPECT_EQ(state.tour.stop, stop) << "there is a moment to look";
    follow_tour(model, state, now += 1.4, false);
    EXPECT_EQ(state.tour.stop, stop) << "there is a moment to look";
    follow_tour(model, state, now += 0.2, false);
    const bool went = !state.tour.shown || state.tour.stop != stop;
    follow_tour(model, state, now, false);
    return went;
  }
  void begin(std::size_t stop) {
    start_tour(state, stop);
    follow_tour(model, state, now, false);
  }
  void press(int key) {
    Requests requests;
    on_key({key}, model, state, requests);
  }
};

TEST_F(Tour, WhatAStopAsksForLeadsOn) {
  press(GLFW_KEY_F3);
  EXPECT_TRUE(state.tour.shown && state.tour.stop == 0);
  EXPECT_FALSE(goes_on()) << "the first asks for nothing";
  for (std::size_t stop = 1; stop < TourState::kStops; ++stop) {
    begin(stop);
    EXPECT_FALSE(goes_on()) << stop;
  }
  begin(1);
  state.panes.domain.sweeps = true;
  EXPECT_TRUE(goes_on());
  model.asked.pair_map = TriangleMapId::bb;
  EXPECT_TRUE(goes_on());
  press(GLFW_KEY_Y);
  EXPECT_FALSE(goes_on()) << "the race is open";
  press(GLFW_KEY_ESCAPE);
  EXPECT_TRUE(state.tour.shown) << "Esc closed the race";
  EXPECT_TRUE(goes_on());
  state.lanes.shown = true;
  EXPECT_TRUE(goes_on());
  EXPECT_FALSE(state.lanes.shown) << "the last stop has the whole scene";
  press(GLFW_KEY_F1);
  EXPECT_FALSE(goes_on());
  press(GLFW_KEY_F1);
  state.palette.show();
  EXPECT_FALSE(goes_on());
  state.palette.shown = false;
  state.panels.open = "Scene";
  EXPECT_TRUE(goes_on());
  EXPECT_FALSE(state.tour.shown) << "that was the last";
}

TEST_F(Tour, CanBeLeftAnywhereAndGoesBack) {
  for (std::size_t stop = 0; stop < TourState::kStops; ++stop) {
    begin(stop);
    state.panels.open = "View";
    press(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(state.tour.shown) << stop;
    EXPECT_EQ(state.panels.open, "View") << "one Esc closes one thing";
    begin(stop);
    previous_stop(state);
    EXPECT_EQ(state.tour.stop, stop == 0 ? 0 : stop - 1);
    begin(stop);
    next_stop(state);
    EXPECT_EQ(state.tour.shown, stop + 1 < TourState::kStops);
  }
}

TEST_F(Tour, OpensTheColumnWhereTheWindowIsNarrow) {
  for (std::size_t stop = 0; stop < TourState::kStops; ++stop) {
    start_tour(state, stop);
    follow_tour(model, state, now, true);
    EXPECT_EQ(state.panels.open == kMapsPanel, stop < 4) << stop;
    state.panels.open.clear();
    follow_tour(model, state, now, true);
    EXPECT_EQ(state.panels.open, "") << "once, and the user may close it";
  }
}

TEST_F(Tour, NumbersAreThoseOfTheSession) {
  const auto says = [&](std::size_t stop, const char* part) {
    const TourWords w = tour_words(stop, model, state);
    EXPECT_NE((w.title + " " + w.text + " " + w.action).find(part), std::string::npos) << part << "\n" << w.text;
  };
  says(0, "1,000 bodies make 499,500 pairs");
  model.pair_maps[0].blocks = {256, 136};
  model.pair_maps[static_cast<std::size_t>(TriangleMapId::lambda)].blocks = {136, 136};
  says(1, "bb starts 256");
  says(1, "120 of them");
  says(1, "lambda starts 136, and none is idle");
  says(2, "Press 1 for bb");
  model.asked.pair_map = TriangleMapId::bb;
  says(2, "Press 2 for lambda");
  model.pair_maps[0].force.add(1.5);
  says(2, "With bb an evaluation takes 1.50 ms");
  says(3, "Of 16 maps, 15 fit");
  state.frames.strip.parts[1] = 3, state.frames.strip.parts[5] = 1, state.frames.strip.whole = 4;
  says(4, "takes 4.00 ms now, and 75 % of that is steps");
  model = test::triples_model();
  model.n = 10;
  says(0, "10 bodies make 120 triples");
  for (const u64 n : {0, 1, 2}) {
    model.n = n;
    says(0, "make 0 triples");
  }
  model.triple_maps.clear();
  for (std::size_t stop = 0; stop < TourState::kStops; ++stop)
    EXPECT_FALSE(tour_words(stop, model, state).text.empty());
}

TEST(TourCard, StandsBesideItsPartWithinTheBounds) {
  const Rect bounds{56, 8, 1216, 588};
  const float w = 312, h = 230, gap = 14;
  const Rect parts[] = {
      {872, 0, 228, 44}, {872, 436, 408, 232}, {0, 668, 1280, 28}, {0, 6, 48, 50}, {500, 300, 40, 40}};
  for (const Rect& part : parts) {
    const Rect card = card_place(part, w, h, bounds, gap);
    EXPECT_GE(card.x, bounds.x);
    EXPECT_GE(card.y, bounds.y);
    EXPECT_LE(card.x + card.w, bounds.x + bounds.w);
    EXPECT_LE(card.y + card.h, bounds.y + bounds.h);
    const bool apart = card.x + card.w <= part.x || part.x + part.w <= card.x || card.y + card.h <= part.y ||
                       part.y + part.h <= card.y;
    EXPECT_TRUE(apart) << part.x << ", " << part.y;
  }
  const Rect corner = card_place({0, 0, 1280, 720}, w, h, bounds, gap);
  EXPECT_FLOAT_EQ(corner.x + corner.w, 1272) << "no room beside it";
  EXPECT_FLOAT_EQ(corner.y + corner.h, 596);
}

}  // namespace
}  // namespace tri::app::gui
