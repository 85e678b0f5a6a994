// Panels without a window: ImGui runs without a back end; tests press buttons by name and read the text.

#include <array>
#include <optional>
#include <utility>

#include <GLFW/glfw3.h>

#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "render/view.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class Panels : public PanelFixture {
 protected:
  void scaled(float scale) {
    context.set_scale(scale);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  }
};

TEST_F(Panels, TheRunBarRunsStepsAndGoesBack) {
  const auto draw = [this] { run_bar(model, state, {0, 0, 800, 600}, requests); };
  const auto press_bar = [&](const char* id) {
    frame(draw);
    activate(ImHashStr(id, 0, ImGui::FindWindowByName("run bar")->ID));
    frame(draw);
  };
  press_bar("run");
  EXPECT_TRUE(only<ask::Run>(requests)->on);
  model.running = true;
  press_bar("run");
  EXPECT_FALSE(only<ask::Run>(requests)->on);
  press_bar("step");
  EXPECT_EQ(only<ask::Take>(requests)->steps, 1u);
  press_bar("reset");
  EXPECT_TRUE(only<ask::Reset>(requests));
  press_bar("record");
  EXPECT_TRUE(state.pending.record);
}

TEST_F(Panels, TheRailOpensAPanelAndClosesIt) {
  const auto draw = [this] {
    const Layout places = layout(1280, 720, 1, {true, !state.panels.open.empty()});
    rail(model, state, places);
    left_panel(model, state, places.left, requests);
  };
  for (const PanelRow& row : panel_rows()) {
    frame(draw);
    activate(ImHashStr(row.name, 0, ImGui::FindWindowByName("rail")->ID));
    frame(draw);
    EXPECT_EQ(state.panels.open, row.name);
    frame(draw);
    EXPECT_TRUE(ImGui::FindWindowByName("left")->Active);
    on_key({GLFW_KEY_ESCAPE, false, false}, model, state, requests);
    EXPECT_EQ(state.panels.open, "");
  }
}

TEST_F(Panels, ReverseAndUndo) {
  const auto draw = [this] { integrator(model, requests); };
  press({"###reverse"}, draw);
  EXPECT_TRUE(only<ask::Reverse>(requests));
  press({"Undo"}, draw);
  EXPECT_TRUE(requests.empty()) << "there is nothing to undo";
  model.undoable = 1, model.running = true;
  press({"Undo"}, draw);
  EXPECT_TRUE(only<ask::Undo>(requests));
  press({"Redo"}, draw);
  EXPECT_TRUE(requests.empty());
  model.history = {"dt 0.01 to 0.02", "2 bodies deleted"};
  press({"Redo"}, draw);
  EXPECT_TRUE(only<ask::Redo>(requests));
  const auto list = [this] { history(model, requests); };
  const std::string text = frame(list);
  EXPECT_LT(text.find("2 bodies deleted"), text.find("dt 0.01 to 0.02")) << "the newest first";
  int row = 0;  // as it was opened
  frame(list);
  const ImGuiID id = ImHashData(&row, sizeof row, ImGui::FindWindowByName("test")->ID);
  activate(ImHashStr("as it was opened", 0, id));
  frame(list);
  EXPECT_TRUE(only<ask::Undo>(requests));
}

TEST_F(Panels, AutomaticStepsTakeThePlaceOfTheTimeStep) {
  const auto draw = [this] { integrator(model, requests); };
  EXPECT_EQ(frame(draw).find("accuracy"), std::string::npos);
  press({"dt auto"}, draw);
  ASSERT_TRUE(only<ask::AutoStep>(requests));
  EXPECT_EQ(only<ask::AutoStep>(requests)->eta, usual_eta(model.scene.integrator));
  model.scene.eta = 0.01, model.last_step = 0.0125;
  const std::string text = frame(draw);
  EXPECT_NE(text.find("accuracy"), std::string::npos) << text;
  EXPECT_NE(text.find("time step 0.0125"), std::string::npos) << text;
  press({"dt auto"}, draw);
  ASSERT_TRUE(only<ask::AutoStep>(requests));
  EXPECT_EQ(only<ask::AutoStep>(requests)->eta, 0);
}

TEST_F(Panels, PhysicsShowsTheActiveLaw) {
  const auto draw = [this] { physics(model, state, requests); };
  EXPECT_NE(frame(draw).find("softening"), std::string::npos);
  model.scene.field.pair = PairLaw::contact;
  const std::string contact = frame(draw);
  EXPECT_EQ(contact.find("softening"), std::string::npos);
  EXPECT_NE(contact.find("stiffness"), std::string::npos);
  press({"impulse"}, draw);
  ASSERT_TRUE(only<ask::Field>(requests));
  EXPECT_TRUE(only<ask::Field>(requests)->field.contact.impulse);
}

TEST_F(Panels, TheInspectorShowsTheSelectedBodyOnly) {
  const auto draw = [this] { inspector(model, state.view, requests); };
  EXPECT_NE(frame(draw).find("Click a body"), std::string::npos);
  model.inspected = Inspected{17, 250, 0.5, {1.5, -2.25, 3.125}, {3, 0, -4}, 0.125, 0, 9.75, 3, 6, -1.625};
  model.groups = 5;
  state.view.selected = 16;
  EXPECT_EQ(frame(draw).find("velocity"), std::string::npos) << "the values are those of body 17, not 16";
  state.view.selected = 17, state.view.follow = true;
  const std::string text = frame(draw);
  for (const char* part : {"17 (from 0), of 1,000", "1.5", "-2.25", "3.125", "-4", "| 5", "9.75", "250",
                           "3 (from 0), of 5", "0.125", "with 6", "\u22121.625"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  press({"Deselect"}, draw);
  EXPECT_FALSE(state.view.selected || state.view.follow);
}

TEST_F(Panels, APanelOpensAtItsTopWhereverAnotherWasScrolled) {
  const auto draw = [this] { left_panel(model, state, {48, 0, 320, 200}, requests); };
  const auto scroll = [] {
    float all = 0;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (window->Active && window->ParentWindow == ImGui::FindWindowByName("left")) all += window->Scroll.y;
    }
    return all;
  };
  state.panels.open = "View";
  frame(draw), frame(draw);
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->ParentWindow == ImGui::FindWindowByName("left")) window->ScrollTarget.y = 150;
  }
  frame(draw), frame(draw);
  EXPECT_GT(scroll(), 0);
  state.panels.open = "Editor";
  frame(draw), frame(draw);
  EXPECT_EQ(scroll(), 0);
}

TEST_F(Panels, TheEditorShowsALawOrAMap) {
  state.panels.open = "Editor";
  const PanelRow& editor = *find_panel("Editor");
  const auto draw = [&] { editor.draw({model, state, requests}); };
  EXPECT_EQ(frame(draw).find("Add to the maps"), std::string::npos) << "below the law nobody would look for it";
  press({"A map"}, draw);
  const std::string text = frame(draw);
  EXPECT_NE(text.find("Add to the maps"), std::string::npos);
  EXPECT_EQ(text.find("Use this law"), std::string::npos);
  press({"A law"}, draw);
  EXPECT_NE(frame(draw).find("Use this law"), std::string::npos);
}

TEST_F(Panels, AFileHasItsNameOverTheScene) {
  const auto read = [this] { return screen([this] { scene_head(model, state, {0, 0, 800, 600}); }); };
  model.spec = "/data/stars.csv:x=a,y=b,z=c", model.scene.title = "1000 bodies of /data/stars.csv";
  const std::string text = read();
  EXPECT_NE(text.find("\nstars.csv\n1,000 bodies\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("/data"), std::string::npos) << text;
  model.spec = "plummer:n=1000", model.scene.title = "a cluster";
  EXPECT_NE(read().find("\nplummer\na cluster\n"), std::string::npos) << read();
}

TEST_F(Panels, ANarrowRunBarHasTheWholeSpeed) {
  model.pace = 0, model.steps_per_frame = 1;
  const std::string text = screen([this] { run_bar(model, state, {0, 0, 510, 600}, requests); });
  EXPECT_NE(text.find("1 step a frame"), std::string::npos) << text;
}

TEST_F(Panels, NoKeyScrollsTheRunBar) {
  const auto draw = [this] { run_bar(model, state, {0, 0, 800, 600}, requests); };
  frame(draw), frame(draw);
  ImGuiWindow& bar = *ImGui::FindWindowByName("run bar");
  bar.ScrollTarget.y = 12, bar.ScrollTargetCenterRatio.y = 0;  // as End does
  frame(draw), frame(draw);
  EXPECT_EQ(bar.Scroll.y, 0);
}

TEST_F(Panels, APictureOnWhiteOffersWhatPrints) {
  const auto draw = [this] { view(model, state); };
  state.view.style.shape = render::BodyShape::glow, state.view.style.colours = render::ColourMap::black_body;
  EXPECT_EQ(frame(draw).find("On white"), std::string::npos);
  state.picture.form.ground = Ground::white;
  EXPECT_NE(frame(draw).find("On white, light is pale"), std::string::npos);
  press({"As spheres"}, draw);
  EXPECT_EQ(state.view.style.shape, render::BodyShape::spheres);
  EXPECT_EQ(state.view.style.colours, render::ColourMap::viridis);
  EXPECT_EQ(frame(draw).find("On white"), std::string::npos);
}

TEST_F(Panels, TheInspectorSaysWhatIsNotKnownYetAndSpeedsInKilometres) {
  const auto draw = [this] { inspector(model, state.view, requests); };
  model.scene.units = "au-msun";
  model.inspected = Inspected{9, 0, 0, {24, 0, 0}, {0, 0.3, 0}, 4e-5, 0, {}, {}, {}, {}};
  state.view.selected = 9;
  std::string text = frame(draw);
  EXPECT_NE(text.find("after a step"), std::string::npos) << text;
  EXPECT_NE(text.find("1.8849 AU/yr, 8.94 km/s"), std::string::npos) << text;
  model.inspected->acceleration = 0.0017;
  text = frame(draw);
  EXPECT_NE(text.find("0.067111 AU/yr\u00b2"), std::string::npos) << text;
}

TEST_F(Panels, EveryQuantityCanBeSelected) {
  const auto draw = [this] { view(model, state); };
  model.groups = 2, model.scene.field.pair = PairLaw::contact;
  for (const u32 k : {2u, 4u, 1u, 6u, 0u, 3u, 5u}) {
    press({"colour by"}, draw);
    const auto wanted = static_cast<render::Quantity>(k);
    activate(ImHashStr(to_string(wanted).data(), 0, ImGui::FindWindowByName("##Combo_00")->ID));
    frame(draw);
    EXPECT_EQ(state.view.style.quantity, wanted);
    frame(draw);
  }
}

TEST_F(Panels, QuantitiesThatTheSceneLacksAreDisabledWithTheReason) {
  const auto draw = [this] { view(model, state); };
  for (const auto quantity : {render::Quantity::group, render::Quantity::contacts}) {
    press({"colour by"}, draw);
    activate(ImHashStr(to_string(quantity).data(), 0, ImGui::FindWindowByName("##Combo_00")->ID));
    frame(draw);
    EXPECT_EQ(state.view.style.quantity, render::Quantity::speed);
    EXPECT_NE(can_colour(quantity, model).reason.find("Colour by"), std::string::npos) << "suggests others";
  }
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    on_key({GLFW_KEY_C, false, false}, model, state, requests);
    EXPECT_TRUE(can_colour(state.view.style.quantity, model).ok) << to_string(state.view.style.quantity);
  }
}

TEST_F(Panels, TheCameraTakesTheSceneAndNotTheWindow) {
  const auto head = [this] { scene_head(model, state, {0, 0, 700, 500}); };
  frame(head);
  activate(ImHashStr("still", 0, ImGui::FindWindowByName("scene head")->ID));
  frame(head);
  EXPECT_TRUE(std::exchange(state.picture.start, false));
  EXPECT_FALSE(state.pending.screenshot) << "which has its tooltip in it";
  const auto draw = [this] { view(model, state); };
  press({"Take picture"}, draw);
  EXPECT_TRUE(state.picture.start);
  press({"legend"}, draw);
  EXPECT_TRUE(state.picture.form.marks.legend);
  state.picture.command = "triangulum render p.png -o again-p.png";
  EXPECT_NE(frame(draw).find(state.picture.command), std::string::npos);
}

TEST_F(Panels, ViewsAreSavedAndRestoredByButtons) {
  const auto draw = [this] { view(model, state); };
  state.view.camera.pose.distance = 3;
  press({"###view2"}, draw);
  ASSERT_TRUE(state.view.bookmarks[1]) << "an empty slot saves";
  state.view.camera.pose.distance = 9;
  press({"###view2"}, draw);
  EXPECT_EQ(state.view.camera.pose.distance, 3) << "a used slot restores";
  EXPECT_EQ(state.view.bookmarks[1]->pose.distance, 3);
}

TEST_F(Panels, TheScaleIsSelectedOrThatOfTheDisplay) {
  const auto draw = [this] { window(state.panels, state.panes.shown); };
  const auto choose = [&](const char* name) {
    press({"UI scale"}, draw);
    activate(ImHashStr(name, 0, ImGui::FindWindowByName("##Combo_00")->ID));
    frame(draw);
    frame(draw);
  };
  choose("150 %");
  EXPECT_EQ(state.panels.chosen_scale, 1.5);
  choose("display");
  EXPECT_EQ(state.panels.chosen_scale, std::nullopt);
}

TEST_F(Panels, APresetReplacesTheText) {
  constexpr Preset kPresets[] = {{"B3/S23", "Life"}, {"B36/S23", "HighLife"}};
  std::string rule = "B1/S1";
  const auto draw = [&] { text_or_preset("rule", rule, kPresets, 90, 90, "a tip"); };
  EXPECT_NE(frame(draw).find("other"), std::string::npos) << "the text is no preset";
  press({"##rules"}, draw);
  activate(ImHashStr("HighLife", 0, ImGui::FindWindowByName("##Combo_00")->ID));
  frame(draw);
  EXPECT_EQ(rule, "B36/S23");
}

TEST_F(Panels, NoticesAreNewestFirstWithACount) {
  model.notices.push_back({"the first", false, 1});
  model.notices.push_back({"the second", true, 3});
  const std::string text = frame([this] { notices(model); });
  EXPECT_LT(text.find("the second (3 times)"), text.find("the first")) << text;
}

TEST_F(Panels, ThePartsOfAFrameSumToIt) {
  for (const double ms : {1.0, 2.0, 3.0}) model.force.add(ms);
  for (const float factor : {1.0f, 2.0f, 6.0f}) {
    FrameCost cost;
    for (std::size_t k = 0; k < kFramePartCount; ++k) cost.parts[k] = factor * static_cast<float>(k + 1);
    cost.drawing = 50;
    state.frames.costs.push_back(cost);
  }
  state.frames.drawn_by = "llvmpipe";
  const std::string text = frame([this] { timing(model, state.frames, 1); });
  // The mean factor is 3; the second column of each row is the mean.
  const auto of_row = [&](const std::string& name) {
    const std::size_t at = text.find("| " + name + " ");
    EXPECT_NE(at, std::string::npos) << name << " in " << text;
    return at == std::string::npos ? 0.0 : std::stod(text.substr(text.find('|', at + 2) + 1));
  };
  double sum = 0;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    EXPECT_DOUBLE_EQ(of_row(kFrameParts[k].name), 3.0 * static_cast<double>(k + 1)) << kFrameParts[k].name;
    sum += of_row(kFrameParts[k].name);
  }
  EXPECT_DOUBLE_EQ(of_row("frame"), sum);
  EXPECT_NE(text.find("drawing (llvmpipe)"), std::string::npos) << text;
  EXPECT_EQ(text.find("GPU"), std::string::npos) << text;
  // 499,500 pairs in 2 ms.
  EXPECT_NE(text.find("250 M pairs/s"), std::string::npos) << text;
}

TEST_F(Panels, TheStatusFitsItsLine) {
  state.frames.present = "copy (the reason is long, but it is said in full where there is room)";
  for (const float width : {200.0f, 800.0f, 3000.0f}) {
    ImGui::NewFrame();
    status(model, state.frames, 1, {0, 0, width, 24});
    const ImGuiWindow* window = ImGui::FindWindowByName("status");
    // The line fits, unless its left part alone is longer.
    if (width > 500) {
      EXPECT_LE(window->ContentSize.x, width);
    }
    ImGui::Render();
  }
}

TEST_F(Panels, AllPanelsOfAllSessionsDraw) {
  for (const bool triples : {false, true}) {
    model = triples ? test::triples_model() : test::gravity_model();
    state.frames.figures = render::BodyFigures{};
    state.panels.help = true;
    for (int k = 0; k < 5; ++k) model.diagnostics.push_back({static_cast<u64>(k), 0.1 * k, {}, 1e-7 * k});
    for (const float scale : {1.0f, 2.0f}) {
      ImGui::NewFrame();
      overlay(model, state, {100, 0, 300, 300}, {100, 0, 300, 300});
      all({model, nullptr}, state, layout(1280, 720, scale, {}), 0.02, 1, requests);
      ImGui::Render();
      EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 2000);
      EXPECT_TRUE(requests.empty()) << "nothing was pressed";
    }
  }
}

TEST_F(Panels, PlayIsInSightWhateverSizeAndScale) {
  struct Case {
    float width, height, scale;
  };
  for (const Case c : {Case{800, 600, 1}, {1280, 720, 1}, {1280, 720, 2}, {1920, 1080, 3}, {3840, 2160, 2}}) {
    for (const char* open : {"", "Physics"}) {
      scaled(c.scale);
      ImGui::GetIO().DisplaySize = {c.width, c.height};
      state.panels.scale = c.scale, state.panels.open = open;
      const Layout places = layout(c.width, c.height, c.scale, {true, *open != 0});
      const float y = places.free.y + places.free.h - 40 * c.scale;
      bool seen = false;
      for (float x = places.free.x; x < places.free.x + places.free.w && !seen; x += 8) {
        ImGui::GetIO().MousePos = {x, y};
        for (int k = 0; k < 2; ++k) {
          ImGui::NewFrame();
          all({model, nullptr}, state, places, 0.02, 1, requests);
          ImGui::Render();
        }
        const ImGuiWindow* bar = ImGui::FindWindowByName("run bar");
        seen = bar != nullptr && ImGui::GetCurrentContext()->HoveredId == ImHashStr("run", 0, bar->ID);
      }
      EXPECT_TRUE(seen) << c.width << " x " << c.height << " at scale " << c.scale << " with " << open;
    }
  }
}

TEST_F(Panels, EveryMapOfPairsIsInSightAt1280x720) {
  ImGui::GetIO().DisplaySize = {1280, 720};
  for (int k = 0; k < 2; ++k) {
    ImGui::NewFrame();
    all({model, nullptr}, state, layout(1280, 720, 1, {}), 0.02, 1, requests);
    ImGui::Render();
  }
  EXPECT_EQ(ImGui::FindWindowByName("right")->ScrollMax.y, 0) << "nothing is below the fold";
}

TEST_F(Panels, TheGalaxiesAreAloneAtFirst) {
  ImGui::GetIO().DisplaySize = {1280, 720};
  state.frames.figures = render::BodyFigures{};
  model.spec = kFirstScene;
  const auto seen = [&](FirstMinute::Part part) {
    state.first = {part, false, 0};
    ImGui::NewFrame();
    overlay(model, state, {48, 0, 824, 668}, {48, 0, 824, 668});
    const int over = ImGui::GetBackgroundDrawList()->VtxBuffer.Size;
    all({model, nullptr}, state, layout(1280, 720, 1, {}), 0.02, 1, requests);
    ImGui::Render();
    return std::pair{over, ImGui::FindWindowByName("tour") != nullptr && ImGui::FindWindowByName("tour")->Active};
  };
  EXPECT_EQ(seen(FirstMinute::Part::alone), std::pair(0, false)) << "no axes, no legend, no card";
  const auto [line, card] = seen(FirstMinute::Part::line);
  EXPECT_GT(line, 4 * 40) << "a line";
  EXPECT_FALSE(card);
  for (bool* films : {&state.frames.recording, &state.frames.filming}) {
    *films = true;
    EXPECT_FALSE(seen(FirstMinute::Part::offer).second) << "it would be in the film";
    *films = false;
  }
  EXPECT_TRUE(seen(FirstMinute::Part::offer).second);
  const ImVec2 card_size = ImGui::FindWindowByName("tour")->Size;
  EXPECT_LE(card_size.x * card_size.y, 250 * 160) << "it lies over the galaxies";
  activate(ImHashStr("Take the tour", 0, ImGui::FindWindowByName("tour")->ID));
  seen(FirstMinute::Part::offer);
  EXPECT_TRUE(state.tour.shown);
}

TEST_F(Panels, ACaptionTakesThePlaceOfTheScenesName) {
  const auto words = [&](const char* caption) {
    state.overlay.caption = caption;
    ImGui::NewFrame();
    scene_head(model, state, {48, 0, 824, 668});
    const int corners = ImGui::GetBackgroundDrawList()->VtxBuffer.Size;
    ImGui::Render();
    return corners;
  };
  EXPECT_GT(words(""), 4 * 7);
  EXPECT_EQ(words("A star cluster."), 0);
}

bool are_apart(const ImGuiWindow& a, const ImGuiWindow& b) {
  const ImRect &p = a.OuterRectClipped, &q = b.OuterRectClipped;
  return p.Max.x <= q.Min.x || q.Max.x <= p.Min.x || p.Max.y <= q.Min.y || q.Max.y <= p.Min.y;
}

TEST_F(Panels, NothingLiesOnTheRunBarNorTheTourOnLegendAndScaleBarAtAnySize) {
  struct Case {
    float width, height, scale;
  };
  state.frames.figures = render::BodyFigures{};
  model.scene.units = "kpc-kms-msun", state.view.clock = true, state.view.axes = false;
  state.view.style.colours = render::ColourMap::viridis;
  for (const Case c : {Case{640, 360, 1},
                       {800, 600, 1},
                       {960, 540, 1.5f},
                       {1280, 720, 1},
                       {1280, 720, 2},
                       {1600, 900, 1},
                       {1920, 1080, 1},
                       {2560, 1080, 1},
                       {3840, 2160, 2}}) {
    scaled(c.scale);
    ImGui::GetIO().DisplaySize = {c.width, c.height};
    for (const char* open : {"", "Physics", kMapsPanel}) {
      for (int stop = -1; stop <= static_cast<int>(TourState::kStops); ++stop) {
        const bool groups = stop % 2 == 0 && stop < 6;
        state.view.style.quantity = groups ? render::Quantity::group : render::Quantity::speed;
        state.frames.figures->high = groups ? 6 : 100;
        state.tour = {}, state.first = {};
        if (stop == static_cast<int>(TourState::kStops)) state.first = {FirstMinute::Part::offer, true, 0};
        model.spec = kFirstScene;
        if (stop >= 0 && stop < static_cast<int>(TourState::kStops)) start_tour(state, static_cast<std::size_t>(stop));
        state.tour.arrived = true;  // it opens nothing
        state.panels.scale = c.scale, state.panels.open = open;
        const Layout places =
            layout(c.width, c.height, c.scale, {.left = has_panel(open), .column = state.panels.open == kMapsPanel});
        std::string said;
        for (int k = 0; k < 2; ++k) {
          ImGui::NewFrame();
          overlay(model, state, places.scene, places.free);
          const int over = ImGui::GetBackgroundDrawList()->VtxBuffer.Size;
          all({model, nullptr}, state, places, 0.02, 1, requests);
          const ImGuiWindow *bar = ImGui::FindWindowByName("run bar"), *card = ImGui::FindWindowByName("tour");
          const std::string where =
              std::string(open) + " at " + std::to_string(c.width) + ", stop " + std::to_string(stop);
          const auto covers_nothing = [&](const ImGuiWindow* window) {  // of what is drawn over the scene
            const auto covers = [r = window->OuterRectClipped](const ImDrawVert& v) {
              return v.pos.x > r.Min.x && v.pos.x < r.Max.x && v.pos.y > r.Min.y && v.pos.y < r.Max.y;
            };
            const auto& drawn = ImGui::GetBackgroundDrawList()->VtxBuffer;
            EXPECT_TRUE(std::none_of(drawn.begin(), drawn.begin() + over, covers)) << window->Name << " " << where;
          };
          const bool figured = places.right.w > 0 && c.height / c.scale >= 600;
          if (k == 1 && figured && static_cast<TourPart>(stop) == TourPart::blocks) {
            EXPECT_GT(state.tour.places[static_cast<std::size_t>(TourPart::blocks)].w, 0) << "the figure, " << where;
          }
          if (k == 1 && bar != nullptr && bar->Active) {
            covers_nothing(bar);
            const bool carded = card != nullptr && card->Active;
            EXPECT_TRUE(!carded || are_apart(*bar, *card)) << where;
            if (carded && places.scene.h > 420 * c.scale) covers_nothing(card);
          }
          ImGui::Render();
        }
      }
    }
  }
}

/// A scale bar above the run bar is as long as one beside it: its pixels are those of the whole scene.
TEST_F(Panels, TheScaleBarHasItsLengthAboveTheRunBar) {
  state.view.axes = false;
  const auto longest = [&] {  // of what is drawn in one quad, without letters
    ImGui::NewFrame();
    overlay(model, state, {0, 0, 700, 500}, {0, 0, 700, 500});
    const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
    float low = 1e9f, high = -1e9f;
    for (const ImDrawVert& v : ImGui::GetBackgroundDrawList()->VtxBuffer) {
      if (v.uv.x != white.x || v.col != theme_of(true).text) continue;
      low = std::min(low, v.pos.x), high = std::max(high, v.pos.x);
    }
    ImGui::Render();
    return high - low;
  };
  const float above = longest();
  EXPECT_NEAR(above, render::scale_bar(state.view.camera, 500, 120).pixels, 1);
  state.panels.shown = false;
  EXPECT_NEAR(longest(), above, 1);
}

/// "10.0 sigma sqrt..." said neither the unit nor, in a small bar, the number.
TEST_F(Panels, TheClockFitsTheRunBarInEveryUnit) {
  model.time = 123.4;
  frame([&] {
    for (const char* units : {"lj", "kpc-kms-msun", "au-msun-yr2pi", "nbody", "si", "pc-myr-msun"}) {
      model.scene.units = units;
      for (const float room : {96.0f, 80.0f}) {
        const RunClock clock = run_clock(model, room);
        EXPECT_LE(width_in(Face::strong, clock.text.c_str()), room) << units << ": " << clock.text;
        EXPECT_LE(width_in(Face::caption, clock.head.c_str()), room) << units << ": " << clock.head;
        EXPECT_EQ(clock.text.find(clock_parts(model, model.time).number), 0u) << units << ": " << clock.text;
      }
    }
    model.scene.units = "lj";
    EXPECT_EQ(run_clock(model, 96).head, "Time, \u03c3\u221a(m/\u03b5)");
  });
}

TEST_F(Panels, NarrowPartsOfAFrameAreJoinedUnderTheirNames) {
  FrameCost cost;
  cost.parts = {5, 0, 0, 0, 0, 80, 4, 4, 12};
  state.frames.costs.push_back(cost);
  const std::string text = screen([this] { frame_strip(model, state, 1, {0, 0, 1400, 26}); });
  EXPECT_NE(text.find("\n8 %"), std::string::npos) << text;
  EXPECT_NE(text.find("other 12.0 ms"), std::string::npos) << text;
  EXPECT_EQ(text.find("other"), text.rfind("other")) << "one part has that name: " << text;
}

TEST_F(Panels, ToastsAreDrawnOverTheScene) {
  const auto draw = [this] { overlay(model, state, {0, 0, 700, 500}, {0, 0, 700, 500}); };
  state.view.axes = false;
  const int bare = vertices(draw);
  state.overlay.toast.text = "cannot open b.csv";
  const int words = vertices(draw);
  EXPECT_GT(words, bare + 4 * 15) << "a glyph has four corners";
  state.overlay.toast.error = true;
  EXPECT_GT(vertices(draw), words) << "the red edge";
}

// The palette: what it finds, and that Enter carries it out.

using test::only;

class Palette : public PanelFixture {
 protected:
  std::vector<PaletteEntry> entries = palette_entries(model);

  /// The text of the first entry found; empty without one.
  std::string first(const std::string& text) {
    const auto found = palette_matches(entries, text);
    return found.empty() ? "" : entries[found.front()].text;
  }
};

TEST_F(Palette, HasEveryActionMapSceneAndPanel) {
  std::size_t expected = list_scenes().size() + panel_rows().size();
  for (const Action& action : actions()) expected += action.act != nullptr;
  for (const MapRow& map : model.pair_maps) {
    expected += map.fits();
    EXPECT_EQ(first("use map " + map.name) == "use map " + map.name, map.fits()) << map.name;
  }
  EXPECT_GT(entries.size(), expected) << "and demonstrations and bottom panes";
  for (const SceneInfo& scene : list_scenes()) EXPECT_NE(first(scene.name).find(scene.name), std::string::npos);
}

TEST_F(Palette, FindsAllWordsInAnyOrderAndCase) {
  EXPECT_EQ(first("FOLD map"), "use map fold");
  EXPECT_EQ(first("map lambda"), "use map lambda") << "before lambda-x";
  EXPECT_EQ(first("screensh"), "screenshot");
  EXPECT_EQ(first("fold xyzzy"), "");
  EXPECT_EQ(palette_matches(entries, "").size(), entries.size());
  EXPECT_EQ(palette_matches(entries, "  ").size(), entries.size());
}

TEST_F(Palette, KnowsTheWordsThatPeopleUse) {
  const std::pair<const char*, const char*> kWords[] = {
      {"fastest", "race:"},           {"video", "recording"},    {"movie", "recording"},
      {"film", "recording"},          {"color", "colour"},       {"csv", "open a file"},
      {"import", "open a file"},      {"export", "save the"},    {"force", "panel Physics"},
      {"picture", "screenshot"},      {"velocity", "colour by"}, {"gpu", "lanes"},
      {"fullscreen", "presentation"}, {"redo", "redo"},          {"fullsc", "presentation"},
      {"save image", "screenshot"},   {"undo", "undo"},          {"history", "panel Physics"},
      {"formula", "page of"},         {"exit", "quit"},          {"full screen", "presentation"}};
  for (const auto& [word, entry] : kWords) {
    const auto found = palette_matches(entries, word);
    ASSERT_FALSE(found.empty()) << word;
    const auto has = [&](std::size_t k) { return entries[k].text.find(entry) != std::string::npos; };
    EXPECT_TRUE(std::any_of(found.begin(), found.begin() + std::min<long>(3, found.size()), has))
        << word << ": " << entries[found.front()].text;
  }
}

TEST_F(Palette, UnderstandsSentences) {
  EXPECT_EQ(first("why the box wastes blocks").substr(0, 6), "why bb");
  EXPECT_EQ(first("a planet for ten years").substr(0, 23), "open scene solar-system");
  EXPECT_EQ(first("add a planet").substr(0, 10), "add bodies");
  EXPECT_EQ(first("my own law").substr(0, 17), "a law of your own");
  EXPECT_EQ(first("my own map, wrong").substr(0, 17), "a map of your own");
  EXPECT_EQ(first("my CSV"), "open a file");
  EXPECT_EQ(first("a figure for a paper"), "screenshot");
  for (const char* film : {"a film of the collision", "film", "make a film", "how do I make a film of it"})
    EXPECT_EQ(first(film).substr(0, 10), "panel Time") << film;
  EXPECT_EQ(first("find out which map is fastest for 4,096 stars, and why").substr(0, 5), "race:");
  EXPECT_EQ(first("colour by speed"), "colour by speed") << "and not the quantity that comes next";
  const auto sentence = palette_matches(entries, "my CSV, coloured by speed");
  ASSERT_GE(sentence.size(), 2u) << "the other half of what it asks for comes next";
  EXPECT_EQ(entries[sentence[0]].text, "colour by speed");
  EXPECT_TRUE(std::any_of(sentence.begin(), sentence.end(), [&](auto k) { return entries[k].text == "open a file"; }));
  EXPECT_EQ(first("before the collision, another velocity").substr(0, 10), "panel Time");
  EXPECT_EQ(first("planets"), first("planet"));
  EXPECT_EQ(first("xyzzy plugh frobozz"), "") << "no word is known";
}

TEST_F(Palette, EnterCarriesOutTheEntryAndClosesIt) {
  const auto draw = [this] { palette(model, state, {0, 0, 800, 600}, requests); };
  state.palette.show();
  frame(draw);
  state.palette.text = "use map fold", state.palette.at = 0;
  frame(draw);
  EXPECT_TRUE(requests.empty());
  state.palette.accepted = true;
  frame(draw);
  ASSERT_TRUE(only<ask::PairMap>(requests));
  EXPECT_EQ(only<ask::PairMap>(requests)->map, TriangleMapId::fold);
  EXPECT_FALSE(state.palette.shown || state.palette.accepted);
}

TEST_F(Palette, NothingFoundDoesNothing) {
  const auto draw = [this] { palette(model, state, {0, 0, 800, 600}, requests); };
  state.palette.show();
  state.palette.text = "xyzzy", state.palette.accepted = true;
  frame(draw);
  EXPECT_TRUE(requests.empty());
  EXPECT_TRUE(state.palette.shown);
}

TEST_F(Palette, EveryEntryRunsWithoutASimulation) {
  for (const PaletteEntry& entry : entries) entry.act({model, state, requests});
  EXPECT_TRUE(state.palette.shown) << "one of them is the palette itself";
}

}  // namespace
}  // namespace tri::app::gui
