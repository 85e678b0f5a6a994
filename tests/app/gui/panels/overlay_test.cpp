// What lies over the scene: notices, scale bar, labels, the map.
//
// Toasts: new notices for some seconds, errors for longer; scripts show errors only. The title of the colour bar.

#include <algorithm>
#include <array>

#include <GLFW/glfw3.h>

#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "render/view.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

TEST(Toast, ShowsNewNoticesForAWhile) {
  SessionModel model;
  Toast toast;
  renew_toast(model, toast, 0, false);
  EXPECT_EQ(toast.text, "");
  model.notices.push_back({"wrote a.csv", false, 1});
  renew_toast(model, toast, 1, false);
  EXPECT_EQ(toast.text, "wrote a.csv");
  EXPECT_FALSE(toast.error);
  renew_toast(model, toast, 5.5, false);
  EXPECT_EQ(toast.text, "wrote a.csv");
  renew_toast(model, toast, 6.5, false);
  EXPECT_EQ(toast.text, "") << "its time is over";
  ++model.notices.back().count;
  renew_toast(model, toast, 7, false);
  EXPECT_EQ(toast.text, "wrote a.csv") << "a repeated notice is shown again";
  model.notices.push_back({"cannot open b.csv", true, 1});
  renew_toast(model, toast, 8, false);
  EXPECT_EQ(toast.text, "cannot open b.csv");
  EXPECT_TRUE(toast.error);
  renew_toast(model, toast, 17, false);
  EXPECT_EQ(toast.text, "cannot open b.csv") << "errors stay longer";
  renew_toast(model, toast, 18.5, false);
  EXPECT_EQ(toast.text, "");
}

TEST(Toast, ScriptsShowErrorsOnly) {
  SessionModel model;
  Toast toast;
  model.notices.push_back({"wrote a.csv", false, 1});
  renew_toast(model, toast, 1, true);
  EXPECT_EQ(toast.text, "");
  model.notices.push_back({"cannot open b.csv", true, 1});
  renew_toast(model, toast, 2, true);
  EXPECT_EQ(toast.text, "cannot open b.csv");
}

class Overlay : public PanelFixture {
 protected:
  int drawn() {
    return vertices([this] { overlay(model, state, {0, 0, 700, 500}, {0, 0, 700, 500}); });
  }
};

/// Their names, maps and times end 104 pixels below the scene's top.
TEST_F(Overlay, TheHintOfASelectionLiesBelowTheNamesOfTwoRuns) {
  state.touch.selection.bodies = {1, 2};
  for (const bool two : {false, true}) {
    state.second.shown = two;
    float top = 1e9f;
    ImGui::NewFrame();
    touch_overlay(model, state, {0, 0, 700, 500}, {0, 0, 700, 500});
    for (const ImDrawVert& v : ImGui::GetBackgroundDrawList()->VtxBuffer) top = std::min(top, v.pos.y);
    ImGui::Render();
    EXPECT_GE(top, two ? 104 : 40) << two;
    EXPECT_LE(top, two ? 120 : 60) << two;
  }
}

TEST_F(Overlay, BothRunsHaveNamesAtTheirAxes) {
  state.view.axes = true, state.view.lengths.axis_length = 0.3f;
  const auto letters = [&](bool two, float from) {
    state.second.shown = two;
    ImGui::NewFrame();
    overlay(model, state, {0, 0, 350, 500}, {0, 0, 350, 500});
    const auto& all = ImGui::GetBackgroundDrawList()->VtxBuffer;
    const auto count = std::count_if(all.begin(), all.end(), [&](const ImDrawVert& v) { return v.pos.x > from; });
    ImGui::Render();
    return count;
  };
  EXPECT_EQ(letters(false, 350), 0);
  EXPECT_EQ(letters(true, 350), 12) << "x, y and z";
}

TEST_F(Overlay, TheColourBarSaysItsUnit) {
  state.view.axes = false;
  state.frames.figures = render::BodyFigures{};
  model.scene.units = "G = 1, total mass 1";
  const int words = drawn();
  model.scene.units = "kpc-kms-msun";
  EXPECT_GE(drawn(), words + 4 * 6) << "\"in km/s\" and the scale bar: a glyph has four corners";

  const UnitSystem* kpc = find_unit_system("kpc-kms-msun");
  render::BodyStyle style;
  const auto title = [&](render::Quantity quantity, const UnitSystem* units) {
    style.quantity = quantity;
    return colour_bar_title(style, units);
  };
  using enum render::Quantity;
  EXPECT_EQ(title(speed, nullptr), "speed");
  EXPECT_EQ(title(speed, find_unit_system("nbody")), "speed");
  EXPECT_EQ(title(speed, kpc), "speed in km/s");
  EXPECT_EQ(title(acceleration, kpc), "acceleration in (km/s)\u00b2/kpc");
  EXPECT_EQ(title(radius, kpc), "radius in kpc");
  for (const render::Quantity number : {index, group, contacts}) EXPECT_EQ(title(number, kpc), to_string(number));
  style.logarithmic = true;
  EXPECT_EQ(title(mass, kpc), "mass in Msun, logarithmic");
}

TEST_F(Overlay, ToastAndProgressStandWhereNoPanelCoversThem) {
  state.view.axes = false;
  const Rect scene{40, 0, 860, 500};
  const auto corners = [&](std::string& line, const char* words, const Rect& free) {
    line = words;
    ImGui::NewFrame();
    overlay(model, state, scene, free);
    const ImDrawList& drawn = *ImGui::GetBackgroundDrawList();
    std::vector<ImVec2> places;
    for (const ImDrawVert& corner : drawn.VtxBuffer) places.push_back(corner.pos);
    ImGui::Render();
    line.clear();
    return places;
  };
  const Rect free{360, 0, 540, 500};
  for (std::string* line : {&state.overlay.toast.text, &state.overlay.waiting}) {
    const std::size_t others = corners(*line, "", free).size();
    const auto places = corners(*line, "film frames.xyzzy: '.xyzzy' is not a format. Use FILE.mp4 or a folder.", free);
    ASSERT_GT(places.size(), others);
    for (std::size_t k = others; k < places.size(); ++k) {
      EXPECT_GE(places[k].x, free.x) << k;
      EXPECT_LE(places[k].x, free.x + free.w) << k;
    }
  }
}

/// In the scene beside a panel the progress of a picture lay under the buttons.
TEST_F(Overlay, TheNumberOfNoticesStaysAndShowsThem) {
  const auto draw = [this] { status(model, state.frames, 1, {0, 600, 800, 24}); };
  model.notices = {{"wrote a.csv", false, 1}, {"energy is lost", true, 3}};
  const auto place = [&] {
    screen(draw);
    const ImGuiWindow* window = ImGui::FindWindowByName("status");
    float left = 0;
    for (float x = 0; x < 800 && left == 0; ++x) {
      ImGui::GetIO().MousePos = {x, 612};
      screen(draw);
      if (ImGui::GetCurrentContext()->HoveredId == ImHashStr("notices", 0, window->ID)) left = x;
    }
    return left;
  };
  state.frames.shown_per_second = 0;
  const float alone = place();
  EXPECT_GT(alone, 400);
  state.frames.costs.assign(10, {});
  for (FrameCost& cost : state.frames.costs) cost.parts[0] = 100;
  state.frames.shown_per_second = 2;  // ", 2 shown" made the line longer
  EXPECT_EQ(place(), alone);
  const int shut = vertices(draw);
  ImGui::GetIO().MouseDown[0] = true;
  screen(draw);
  ImGui::GetIO().MouseDown[0] = false;
  screen(draw);
  EXPECT_EQ(ImGui::GetCurrentContext()->OpenPopupStack.Size, 1);
  EXPECT_GT(vertices(draw), shut + 4 * 30) << "wrote a.csv, energy is lost (3 times)";
}

TEST_F(Overlay, AProgressLeavesTheButtonsOfTheSceneClear) {
  state.view.axes = false;
  state.overlay.waiting = "picture of 7680 \u00d7 4320: 12 % (Esc stops it)";
  for (const float wide : {824.0f, 504.0f, 420.0f}) {
    float left = 1e9f, right = 0, low = 0;
    ImGui::NewFrame();
    overlay(model, state, {48, 0, 824, 668}, {872 - wide, 0, wide, 668});
    for (const ImDrawVert& v : ImGui::GetBackgroundDrawList()->VtxBuffer) {
      if (v.pos.y < 100) left = std::min(left, v.pos.x), right = std::max(right, v.pos.x), low = std::max(low, v.pos.y);
    }
    ImGui::Render();
    EXPECT_LE(right, 872 - kHeadButtons) << wide;
    EXPECT_GE(left, 872 - wide) << wide;
    EXPECT_LT(low, wide > 500 ? 54 : 68) << "one line, or two";
    if (wide > 800) {
      EXPECT_NEAR((left + right) / 2, 460, 2) << "in the middle where that is clear";
    }
  }
}

TEST_F(Overlay, AFewGroupsHaveDotsAndNamesAndManyHaveTheBar) {
  const auto drawn_to = [&](float highest) {
    state.frames.figures = render::BodyFigures{};
    state.frames.figures->high = highest;
    return drawn();
  };
  constexpr int kBar = 64 * 4;
  state.view.axes = false;
  state.view.style.quantity = render::Quantity::index;
  const int with_bar = drawn_to(2);
  state.view.style.quantity = render::Quantity::group;
  const int three = drawn_to(2);
  EXPECT_LT(three, with_bar - kBar / 2);
  EXPECT_EQ(drawn_to(8), with_bar) << "\"group\" and \"index\" have five letters each";
  model.scene.groups = {"disk", "", "of many letters"};
  EXPECT_EQ(drawn_to(2), three + 4 * (4 - 6) + 4 * (13 - 6)) << "a glyph has four corners, and a space none";
}

TEST_F(Overlay, AGroupLegendOfTwoLinesIsReadFromTheTop) {
  model.scene.groups = {"first galaxy", "second galaxy", "third galaxy", "fourth galaxy"};
  SceneView view;
  view.style.quantity = render::Quantity::group, view.style.colours = render::ColourMap::viridis;
  const PictureForm form{400, 300, 0, Ground::dark, {.legend = true}};
  ImGui::NewFrame();
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  picture_marks(list, model, view, {0, 3}, form, 1);
  std::array<ImVec2, 4> dots{};
  for (std::size_t k = 0; k < dots.size(); ++k) {
    const auto rgb = colour_at(view.style, static_cast<float>(k) / 3);
    const ImU32 colour = ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1});
    for (const ImDrawVert& v : list.VtxBuffer) {
      if (v.col == colour) dots[k] = v.pos;
    }
    ASSERT_GT(dots[k].y, 0) << k;
  }
  ImGui::Render();
  EXPECT_GT(dots[3].y, dots[0].y + 10) << "there are several lines";
  for (std::size_t k = 1; k < dots.size(); ++k) {
    const bool same_line = std::abs(dots[k].y - dots[k - 1].y) < 10;
    EXPECT_TRUE(same_line ? dots[k].x > dots[k - 1].x : dots[k].y > dots[k - 1].y) << k;
  }
}

// The scale bar over the scene: what it draws, and where.

class ScaleBarTest : public PanelFixture {
 protected:
  /// The box around all that is drawn over this scene; empty: low is above high.
  struct Drawn {
    ImVec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
    int count = 0;
  };
  Drawn draw(const Rect& scene, const std::string& unit, const std::string& clock, float scale) {
    Drawn drawn;
    frame([&] {
      ImDrawList list(ImGui::GetDrawListSharedData());
      list._ResetForNewFrame();
      list.PushClipRectFullScreen();
      list.PushTextureID(ImGui::GetIO().Fonts->TexID);
      scale_bar(list, camera, scene, unit, clock, scale);
      drawn.count = list.VtxBuffer.Size;
      for (const ImDrawVert& v : list.VtxBuffer) {
        drawn.low = {std::min(drawn.low.x, v.pos.x), std::min(drawn.low.y, v.pos.y)};
        drawn.high = {std::max(drawn.high.x, v.pos.x), std::max(drawn.high.y, v.pos.y)};
      }
    });
    return drawn;
  }
  render::Camera camera;
};

TEST_F(ScaleBarTest, StandsInTheCornerAtItsLength) {
  const Rect scene{48, 10, 700, 500};
  for (const float scale : {1.0f, 1.5f}) {
    const Drawn bar = draw(scene, "", "", scale);
    ASSERT_GT(bar.count, 8) << "a line, its shadow and a number";
    const float right = scene.x + scene.w - 16 * scale, bottom = scene.y + scene.h - 16 * scale;
    EXPECT_NEAR(bar.high.x, right + scale, 1);
    EXPECT_NEAR(bar.high.y, bottom + scale, 1);
    EXPECT_NEAR(bar.low.x, right - render::scale_bar(camera, scene.h, 120 * scale).pixels, 1);
    const Drawn more = draw(scene, "kpc", "t = 887 Myr", scale);
    EXPECT_GT(more.count, bar.count) << "unit and clock";
    EXPECT_LT(more.low.y, bar.low.y - 8) << "the clock is above";
  }
}

TEST_F(ScaleBarTest, LeavesASmallSceneAlone) {
  EXPECT_EQ(draw({0, 0, 150, 500}, "kpc", "t = 1", 1).count, 0);
  EXPECT_EQ(draw({0, 0, 350, 350}, "kpc", "t = 1", 2).count, 0);
}

// Names beside bodies: within the scene, off each other, and on the side that has room.

constexpr Rect kScene{48, 0, 800, 600};

TEST(BodyLabels, StandOnTheSideThatHasRoom) {
  const std::vector<LabelSpot> spots{{300, 300, 60, 12, true}, {840, 100, 60, 12, true},  {100, 3, 60, 12, true},
                                     {300, 300, 60, 12, true}, {300, 300, 60, 12, true},  {300, 300, 60, 12, true},
                                     {300, 300, 60, 12, true}, {500, 500, 60, 12, false}, {2000, 300, 60, 12, true}};
  const auto places = place_labels(spots, kScene, 8);
  ASSERT_EQ(places.size(), spots.size());
  ASSERT_TRUE(places[0] && places[1] && places[2]);
  EXPECT_FLOAT_EQ(places[0]->x, 308) << "right";
  EXPECT_FLOAT_EQ(places[1]->x + 60, 832) << "left, at the right edge";
  EXPECT_FLOAT_EQ(places[2]->y, 11) << "below, at the upper edge";
  EXPECT_FLOAT_EQ(places[3]->x + 60, 292) << "left, as the right is taken";
  EXPECT_FLOAT_EQ(places[4]->y + 12, 292) << "above";
  EXPECT_FLOAT_EQ(places[5]->y, 308) << "below";
  EXPECT_FALSE(places[6]) << "no side is left";
  EXPECT_FALSE(places[7]) << "behind the camera";
  EXPECT_FALSE(places[8]) << "outside";
}

TEST(BodyLabels, NeverOverlap) {
  std::vector<LabelSpot> spots;
  u32 random = 1;
  for (int k = 0; k < 48; ++k) {
    const auto next = [&](float range) {
      random = random * 1664525u + 1013904223u;
      return range * static_cast<float>(random >> 8) / static_cast<float>(1u << 24);
    };
    const float x = next(900), y = next(620);
    spots.push_back({x, y, 20 + next(60), 12, true});
  }
  const auto places = place_labels(spots, kScene, 8);
  std::size_t shown = 0;
  for (std::size_t a = 0; a < places.size(); ++a) {
    if (!places[a]) continue;
    ++shown;
    EXPECT_TRUE(places[a]->x >= kScene.x && places[a]->x + places[a]->w <= kScene.x + kScene.w) << a;
    EXPECT_TRUE(places[a]->y >= kScene.y && places[a]->y + places[a]->h <= kScene.y + kScene.h) << a;
    for (std::size_t b = 0; b < a; ++b) {
      if (!places[b]) continue;
      const bool apart = places[a]->x + places[a]->w <= places[b]->x || places[b]->x + places[b]->w <= places[a]->x ||
                         places[a]->y + places[a]->h <= places[b]->y || places[b]->y + places[b]->h <= places[a]->y;
      EXPECT_TRUE(apart) << a << " " << b;
    }
  }
  EXPECT_GT(shown, 30u);
}

// What a presentation says of the map in use.

TEST(PresentedMap, HasItsImprovementOnceThatIsDecided) {
  SessionModel model = test::gravity_model();
  MapRow& lambda = model.pair_maps[static_cast<std::size_t>(TriangleMapId::lambda)];
  EXPECT_EQ(map_in_words(model), "lambda");
  lambda.turns.add(3, 2);
  EXPECT_EQ(map_in_words(model), "lambda") << "one turn decides nothing";
  for (int k = 0; k < 40; ++k) lambda.turns.add(3 + 0.001 * (k % 3), 2);
  EXPECT_EQ(map_in_words(model), "lambda, 1.50 \u00d7 over bb");
  lambda.turns.clear();
  for (int k = 0; k < 40; ++k) lambda.turns.add(k % 2 == 0 ? 2 : 3, k % 2 == 0 ? 3 : 2);
  EXPECT_EQ(map_in_words(model), "lambda, no difference to bb");
  model.asked.pair_map = TriangleMapId::bb;
  EXPECT_EQ(map_in_words(model), "bb, the baseline");
  model.pair_maps.clear();
  EXPECT_EQ(map_in_words(model), "");
}

// The column of maps: rows, sorting, figures, and the two maps launched at one speed.

using test::only;

class Maps : public PanelFixture {
 protected:
  MapsPlace place{1, 32, false};
};

TEST_F(Maps, EveryMapHasARowThatRequestsIt) {
  const auto draw = [this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); };
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    press({"pairs", model.pair_maps[id].name.c_str()}, draw);
    if (static_cast<TriangleMapId>(id) == TriangleMapId::utm) {
      EXPECT_TRUE(requests.empty()) << "it does not fit";
      continue;
    }
    ASSERT_TRUE(only<ask::PairMap>(requests)) << model.pair_maps[id].name;
    EXPECT_EQ(static_cast<u32>(only<ask::PairMap>(requests)->map), id);
  }
}

TEST_F(Maps, AMapThatDoesNotFitSaysWhyInItsRow) {
  const auto text = [this] {
    return frame([this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  EXPECT_NE(text().find("beyond its limit"), std::string::npos) << text();
  model.pair_maps[static_cast<u32>(TriangleMapId::utm)].reason = "--map utm gives pairs to threads, not tiles.";
  EXPECT_NE(text().find("not for forces: maps threads, not tiles"), std::string::npos) << text();
  model.pair_maps[static_cast<u32>(TriangleMapId::lambda_lut)].reason = "--map lambda-lut needs a table of 9 MiB";
  EXPECT_NE(text().find("its table does not fit"), std::string::npos) << text();
}

TEST_F(Maps, RowsAreSortedByTheHeadThatIsPressed) {
  auto& rows = model.pair_maps;
  rows[0].force.add(3), rows[1].force.add(2), rows[2].force.add(1);
  rows[0].blocks = {100, 55}, rows[1].blocks = {55, 55}, rows[2].blocks = {60, 55};
  const auto draw = [this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); };
  const auto order = [&] {
    const std::string text = frame(draw);
    return std::array{text.find("| bb |"), text.find("| lambda |"), text.find("| lambda-x |")};
  };
  auto at = order();
  EXPECT_TRUE(at[0] < at[1] && at[1] < at[2]) << "in the order of the keys";
  press({"time a step"}, draw);
  at = order();
  EXPECT_TRUE(at[2] < at[1] && at[1] < at[0]) << "the fastest first";
  press({"blocks"}, draw);
  at = order();
  EXPECT_TRUE(at[1] < at[2] && at[2] < at[0]) << "the fewest idle blocks first";
  press({"map"}, draw);
  EXPECT_EQ(state.panels.sort, MapSort::key);
}

TEST_F(Maps, ImprovementsAreThoseOfTurnsAndTimesBelongToThem) {
  const auto text = [this] {
    return frame([this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  auto& maps = model.pair_maps;
  for (int k = 0; k < 7; ++k) {
    if (k == 5) {
      EXPECT_EQ(text().find("2.00 \u00d7"), std::string::npos) << "too few for three maps together";
    }
    const double now = 1 + k;  // the machine becomes slower
    maps[0].force.add(8.0), maps[1].force.add(4.0);
    maps[1].turns.add(2 * now, now);
    maps[2].force.add(1000.0), maps[2].turns.add(now, 125 * now);
    maps[3].force.add(30.7), maps[3].turns.add(k % 2 == 0 ? now : 1.2 * now, k % 2 == 0 ? 1.2 * now : now);
    maps[4].force.add(77.0);
  }
  const std::string shown = text();
  // bb has the median of its times in all turns; others that over their ratio; lambda-n no difference; lambda-r,
  // without turns, the time of its steps.
  for (const char* part :
       {"5.00 ms", "2.50 ms", "2.00 \u00d7", "625 ms", "0.0080 \u00d7", "no difference", "77.0 ms"}) {
    EXPECT_NE(shown.find(part), std::string::npos) << part << " in " << shown;
  }
  for (const char* part : {"8.00 ms", "4.00 ms", "1.00 s", "0.26 \u00d7", "0.10 \u00d7"}) {
    EXPECT_EQ(shown.find(part), std::string::npos) << part << " in " << shown;
  }
}

/// Left and right ends, in pixels, of what was drawn in a colour at this height: of shapes, or of letters.
struct Ends {
  float low = 1e9f, high = -1e9f;
};
Ends ends_of(const ImDrawList& draw, ImU32 colour, bool letters, float top, float bottom, float from = 0) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  Ends ends;
  for (const ImDrawVert& v : draw.VtxBuffer) {
    const bool letter = v.uv.x != white.x || v.uv.y != white.y;
    if (v.col != colour || letter != letters || v.pos.y < top || v.pos.y > bottom || v.pos.x < from) continue;
    ends.low = std::min(ends.low, v.pos.x), ends.high = std::max(ends.high, v.pos.x);
  }
  return ends;
}

/// "13.9 ms" was read as "3.9 ms": the whisker of the longest bar stood over the first digit.
TEST_F(Maps, NoBarOrWhiskerReachesTheDigits) {
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  auto& rows = model.pair_maps;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (int turn = 0; turn < 12; ++turn) rows[k].force.add(k == 0 ? 13.9 : 13.0 + 0.5 * (turn % 2));
  }
  for (const float width : {300.0f, 408.0f, 496.0f, 560.0f}) {
    for (const bool compact : {false, true}) {
      place.compact = compact;
      frame([&] {
        ImGui::BeginChild("column", {width, 700});
        const float top = ImGui::GetCursorScreenPos().y + 70, bottom = top + 32;  // of the row of bb
        maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
        const ImDrawList& draw = *ImGui::GetWindowDrawList();
        const Ends bar = ends_of(draw, map_ink("bb").colour, false, top, bottom);
        const Ends whisker = ends_of(draw, theme().text, false, top, bottom);
        const Ends digits = ends_of(draw, theme().text, true, top, bottom, bar.low);
        EXPECT_EQ(bar.high > bar.low + 3, width > 390) << width << ": the narrow one has names and times";
        EXPECT_EQ(whisker.high > bar.low, width > 390) << width;
        EXPECT_GT(digits.low, std::max(bar.high, whisker.high)) << "column of " << width << ", compact " << compact;
        ImGui::EndChild();
      });
    }
  }
}

/// "1.81 us, no difference" beside bb's 0.675 us had no whisker to tell why.
TEST_F(Maps, ABarBeyondTheScaleHasItsWhisker) {
  ImGui::GetStyle().AntiAliasedLinesUseTex = false;
  for (int turn = 0; turn < 12; ++turn) {
    for (std::size_t k = 1; k < 6; ++k) model.pair_maps[k].turns.add(1, k > 1 || turn % 12 < 5 ? 1 : 40);
  }
  frame([&] {
    ImGui::BeginChild("column", {496, 700});
    const float top = ImGui::GetCursorScreenPos().y + 70 + 32;  // of the row of lambda
    maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
    const ImDrawList& draw = *ImGui::GetWindowDrawList();
    const Ends bar = ends_of(draw, map_ink("lambda").colour, false, top + 8, top + 24);
    const Ends whisker = ends_of(draw, theme().text, false, top + 4, top + 28);
    EXPECT_NEAR(whisker.high, bar.high, 2) << "to the end of the scale";
    EXPECT_LT(whisker.low, bar.high - 20);
    ImGui::EndChild();
  });
}

/// "0.016 \u00d7" stood under "0.0074 to 0.019".
TEST_F(Maps, NoIntervalCoversItsRatio) {
  for (int turn = 0; turn < 40; ++turn) {
    const double other = turn % 2 == 0 ? 1 : 2.5;
    model.pair_maps[1].turns.add(2 + 0.1 * other, 1), model.pair_maps[2].turns.add(0.0074 * other, 1);
  }
  frame([&] {
    ImGui::BeginChild("column", {496, 700});
    const float top = ImGui::GetCursorScreenPos().y + 70, left = ImGui::GetCursorScreenPos().x;
    maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
    const ImDrawList& draw = *ImGui::GetWindowDrawList();
    for (const float row : {top + 32, top + 64}) {
      const Ends ratio = ends_of(draw, theme().text, true, row, row + 32, left + 350);
      const Ends interval = ends_of(draw, theme().text2, true, row, row + 32, left + 350);
      EXPECT_GT(ratio.high, left + 400) << "there is none";
      EXPECT_LT(ratio.high, interval.low);
      EXPECT_TRUE(row > top + 40 || interval.high > ratio.high) << "it has room";
    }
    ImGui::EndChild();
  });
}

/// Also where more than a half is idle: of triples five sixths are, with bb.
TEST_F(Maps, TheBarOfBlocksIsToScale) {
  model = test::triples_model();
  for (MapRow& row : model.triple_maps) row.blocks = {100, 100};
  model.triple_maps[0].blocks = {440, 100};
  frame([&] {
    const float top = ImGui::GetCursorScreenPos().y + 70, bottom = top + 32;
    maps(model, place, state.panels.sort, state.split, state.page, state.race, requests);
    const ImDrawList& draw = *ImGui::GetWindowDrawList();
    const Ends useful = ends_of(draw, theme().text2, false, top, bottom);
    const Ends idle = ends_of(draw, faded(theme().idle, 0.35f), false, top, bottom);
    EXPECT_NEAR((idle.high - useful.high) / (idle.high - useful.low), 0.77, 0.03) << "77 % idle";
  });
}

/// Units where numbers have some, and one body.
TEST_F(Maps, NumbersHaveTheirUnitAndPlural) {
  model.scene.units = "kpc-kms-msun";
  model.n = 1, model.steps = 1378;
  model.diagnostics = {{0, 0, {}, 0, 0}, {1378, 1, {}, -2e-5, 0}};
  std::string text = frame([&] { diagnostics(model, 1); });
  for (const char* part : {"energy, ", "momentum |p|, Msun km/s", "\u22122K / sum r.F"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  text = frame([&] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  EXPECT_NE(text.find("| 1 body, 0 pairs |"), std::string::npos) << text;
  Survey survey;
  survey.of = SurveyOf::density, survey.edges = {0, 1, 2}, survey.value = {3, 2}, survey.bodies = {3, 2};
  const auto profile = [&] {
    model.survey = survey, state.survey.of = survey.of;
    return frame([&] { find_panel("Profile")->draw({model, state, requests}); });
  };
  EXPECT_NE(profile().find("density, Msun/kpc\u00b3"), std::string::npos) << profile();
}

TEST_F(Maps, TriplesHaveTheirOwnRows) {
  model = test::triples_model();
  press({"triples", "tetra-stream"},
        [this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  ASSERT_TRUE(only<ask::TripleMap>(requests));
  EXPECT_EQ(only<ask::TripleMap>(requests)->map, TetraMapId::tetra_stream);
}

TEST_F(Maps, WhileAPageIsOpenAClickTurnsIt) {
  const auto draw = [this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); };
  state.page.shown = true;
  press({"pairs", "h"}, draw);
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(state.page.map, static_cast<u32>(TriangleMapId::h));
}

/// Sorted by time, another map came under the pointer before the click.
TEST_F(Maps, NoRowGoesAwayUnderThePointer) {
  auto& rows = model.pair_maps;
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k].force.add(1 + static_cast<double>(k));
  state.panels.sort = MapSort::time;
  const auto draw = [this] {
    return frame([this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  const auto in_order = [&](const char* a, const char* b) {
    const std::string text = draw();
    return text.find(fmt::format("| {} |", a)) < text.find(fmt::format("| {} |", b));
  };
  ImGui::GetIO().MousePos = {200, 120};
  draw();
  EXPECT_TRUE(in_order("bb", "lambda"));
  rows[0].force.clear(), rows[0].force.add(1.5), rows[1].force.clear(), rows[1].force.add(0.5);
  EXPECT_TRUE(in_order("bb", "lambda")) << "the pointer is over them";
  ImGui::GetIO().MousePos = {200, 1800};
  draw();
  EXPECT_TRUE(in_order("lambda", "bb"));
}

TEST_F(Maps, TriplesAndPairsHaveTheirOwnHeadsAndCounts) {
  const auto draw = [this] {
    return frame([this] { maps(model, place, state.panels.sort, state.split, state.page, state.race, requests); });
  };
  EXPECT_NE(draw().find("1,000 bodies, 499,500 pairs"), std::string::npos);
  EXPECT_EQ(draw().find("Maps of"), std::string::npos) << "one domain needs no name";
  const auto pairs = model.pair_maps;
  model = test::triples_model();
  EXPECT_NE(draw().find("1,000 bodies, 166,167,000 triples"), std::string::npos) << draw();
  model.pair_maps = pairs;
  const std::string both = draw();
  EXPECT_NE(both.find("Maps of triples"), std::string::npos);
  EXPECT_NE(both.find("Maps of pairs | 499,500 pairs"), std::string::npos) << both;
}

TEST_F(Maps, NoTooltipOfTheMapsCoversTheirTable) {
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {1280, 720};
  SplitChoice split;
  const auto draw = [&] {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({872, 0});
    ImGui::SetNextWindowSize({408, 668});
    ImGui::Begin("column");
    maps(model, {1, 26, true}, state.panels.sort, split, state.page, state.race, requests);
    ImGui::End();
    ImGui::Render();
  };
  draw();
  const ImGuiID column = ImGui::FindWindowByName("column")->ID;
  for (const char* item : {"Why?###why", "race", "turns"}) {
    const ImGuiID id = ImHashStr(item, 0, column);
    bool found = false;
    for (float y = 22; y < 70 && !found; y += 4) {
      for (float x = 880; x < 1280 && !found; x += 6) {
        io.MousePos = {x, y}, draw(), draw();
        found = ImGui::GetCurrentContext()->HoveredId == id;
      }
    }
    ASSERT_TRUE(found) << item;
    for (int k = 0; k < 30; ++k) draw();
    bool shown = false;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (!window->Active || (window->Flags & ImGuiWindowFlags_Tooltip) == 0) continue;
      shown = true;
      EXPECT_LE(window->Pos.x + window->Size.x, 872) << item;
    }
    EXPECT_TRUE(shown) << item;
  }
}

}  // namespace
}  // namespace tri::app::gui
