// The panel of time: what its buttons ask for, what it says, and the bar that is dragged.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>
#include <vector>

#include <GLFW/glfw3.h>

#include "app/gui/base/settings.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/frame.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "render/image.hpp"
#include "sim/base/progress.hpp"
#include "tests/app/gui/base/gui_support.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class TimePanel : public PanelFixture {
 protected:
  TimePanel() {
    model.steps = 400, model.time = 4;
    model.timeline.kept = true;
    model.timeline.last = 1000, model.timeline.last_time = 10;
    for (u64 step = 0; step <= 1000; step += 100) model.timeline.keyframes.push_back({step, 0.01 * double(step)});
    model.timeline.bytes = 4100000;
  }
  std::function<void()> draw() {
    return [this] {
      timeline(model, state, requests);
      let_go_of_time(state.panels, requests);
    };
  }
  /// A frame with the pointer at this share of the bar, its button up or down.
  void point(float share, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {bar_.x + share * (bar_.z - bar_.x), (bar_.y + bar_.w) / 2};
    io.MouseDown[0] = down;
    frame(draw());
  }
  /// Where the bar is, without its margins.
  void find_bar() {
    frame([this] {
      timeline(model, state, requests);
      const ImGuiWindow* window = ImGui::GetCurrentWindow();
      const float left = window->ContentRegionRect.Min.x + 6, right = window->ContentRegionRect.Max.x - 6;
      bar_ = {left, 0, right, 0};
    });
    // Below the two lines of buttons: the first place at which an item is hovered that has no text.
    ImGuiID bar = ImHashStr("bar", 0, ImGui::FindWindowByName("test")->ID);
    for (float y = 0; y < 300; y += 2) {
      ImGui::GetIO().MousePos = {(bar_.x + bar_.z) / 2, y};
      frame(draw());
      frame(draw());
      if (ImGui::GetCurrentContext()->HoveredId != bar) continue;
      if (bar_.y == 0) bar_.y = y;
      bar_.w = y;
    }
    ASSERT_GT(bar_.w, bar_.y);
  }
  ImVec4 bar_{};
};

TEST_F(TimePanel, ButtonsAsk) {
  press({"Step back"}, draw());
  EXPECT_EQ(only<ask::StepBack>(requests)->steps, 1u);
  press({"###play"}, draw());
  EXPECT_TRUE(only<ask::Run>(requests)->on);
  press({"Step"}, draw());
  EXPECT_TRUE(only<ask::Take>(requests));
  press({"Branch here"}, draw());
  EXPECT_TRUE(only<ask::Branch>(requests));
  press({"Other branch"}, draw());
  EXPECT_TRUE(requests.empty()) << "there is none";
  model.timeline.branch = 300, model.timeline.other_last = 800;
  press({"Other branch"}, draw());
  EXPECT_TRUE(only<ask::OtherBranch>(requests));
  model.steps = 0;
  press({"Step back"}, draw());
  EXPECT_TRUE(requests.empty()) << "at the first step";
}

TEST_F(TimePanel, HasAScaleAndALaneForB) {
  std::string text = frame(draw());
  for (const char* part : {" 2 ", " 4 ", " 6 ", " 8 "}) EXPECT_NE(text.find(part), std::string::npos) << part << text;
  EXPECT_EQ(text.find("B left A"), std::string::npos);
  model.scene.units = "kpc-kms-msun";
  state.second.shown = true, state.second.from = 400, state.second.to = 1200, state.second.from_time = 4;
  text = frame(draw());
  for (const char* part : {"0 Myr", "2,000", "4,000", "B left A at step 400, t = 3,911.17 Myr, and is at step 1,200"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_NE(text.find("1,200"), std::string::npos) << "the bar holds both runs";
}

TEST(TimeThumbs, AreSpreadEvenlyAndBelongToTheRun) {
  SessionModel model;
  TimeThumbs thumbs;
  const auto run_to = [&](u64 step) {
    for (; model.steps <= step; ++model.steps) {
      model.timeline.last = std::max(model.timeline.last, model.steps);
      if (thumbs.wants(model)) thumbs.all.push_back({model.steps, static_cast<unsigned>(model.steps + 1)});
    }
    --model.steps;
  };
  run_to(1000);
  EXPECT_LE(thumbs.all.size(), TimeThumbs::kMax);
  EXPECT_GE(thumbs.all.size(), TimeThumbs::kMax / 2);
  EXPECT_EQ(thumbs.all[0].step, 0u);
  for (std::size_t k = 1; k < thumbs.all.size(); ++k) {
    EXPECT_EQ(thumbs.all[k].step - thumbs.all[k - 1].step, thumbs.stride);
  }
  EXPECT_EQ(thumbs.of(0, 0)->step, 0u);
  EXPECT_EQ(thumbs.of(0, 2 * thumbs.stride - 1)->step, thumbs.stride);
  EXPECT_EQ(thumbs.of(1, thumbs.stride - 1), nullptr);
  const auto before = thumbs.all.size();
  model.steps = 300;
  EXPECT_FALSE(thumbs.wants(model)) << "a step that is shown again";
  EXPECT_EQ(thumbs.all.size(), before);
  model.timeline.run = 1, model.timeline.branch = 300, model.timeline.last = 900;
  thumbs.wants(model);
  EXPECT_LE(thumbs.all.back().step, 300u) << "those of the other branch go";
  model.steps = 0, model.timeline.last = 0;
  thumbs.wants(model);
  EXPECT_EQ(thumbs.all.size(), 1u) << "after a reset";
}

TEST_F(TimePanel, SaysWhereItIs) {
  std::string text = frame(draw());
  for (const char* part : {"step 400", "t = 4", "shown again; the last is 1,000", "11 keyframes", "4.1 MB"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("rounding"), std::string::npos);
  model.timeline.seek = {300, 700};
  model.timeline.branch = 300, model.timeline.other_last = 800;
  model.timeline.exact = false;
  text = frame(draw());
  for (const char* part : {"going to step 700: 25 %", "part at step 300", "ends at 800", "up to rounding"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  model.timeline = {};
  EXPECT_NE(frame(draw()).find("no steps are kept"), std::string::npos);
}

TEST_F(TimePanel, ADragShowsKeyframesAndEndsAtTheStep) {
  find_bar();
  point(0.5f, false);
  point(0.5f, false);
  point(0.564f, true);
  ASSERT_TRUE(only<ask::GoTo>(requests));
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 500u);
  model.steps = 500;
  point(0.58f, true);
  EXPECT_TRUE(requests.empty()) << "the same keyframe";
  point(0.25f, true);
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 200u);
  point(0.25f, false);
  ASSERT_TRUE(only<ask::GoTo>(requests));
  EXPECT_NEAR(static_cast<double>(only<ask::GoTo>(requests)->step), 250, 3);
  point(0.9f, false);
  EXPECT_TRUE(requests.empty());
  model.timeline.branch = 300, model.timeline.other_last = 2000;
  find_bar();
  point(0.9f, false);
  point(0.9f, true);
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 1000u) << "no further than this run";
}

TEST_F(TimePanel, ARunHoldsWhileTheBarIsDraggedAndGoesOnThen) {
  const auto run = [this] {
    std::optional<bool> on;
    for (const Request& r : requests) {
      if (const auto* asked = std::get_if<ask::Run>(&r)) on = asked->on;
    }
    return on;
  };
  find_bar();
  for (const bool plays : {true, false}) {
    model.steps = 400, model.running = plays;
    point(0.5f, false), point(0.5f, false);
    point(0.564f, true);
    EXPECT_EQ(run(), plays ? std::optional(false) : std::nullopt) << "it holds";
    model.running = false, model.steps = 500;
    point(0.58f, true);
    EXPECT_TRUE(requests.empty());
    point(0.25f, false);
    EXPECT_EQ(run(), plays ? std::optional(true) : std::nullopt) << "and does what it did";
    EXPECT_TRUE(std::holds_alternative<ask::GoTo>(requests.front()));
  }
  model.running = true;
  point(0.5f, false), point(0.5f, true);
  ImGui::GetIO().MouseDown[0] = false;
  frame([this] { let_go_of_time(state.panels, requests); });
  EXPECT_EQ(run(), true) << "also where the panel was closed meanwhile";
}

// The camera's path and the film in the panel Time: what their buttons do, and what they say.

class TimeLanes : public TimePanel {
 protected:
  TimeLanes() { model.scene.dt = 0.01, model.timeline.bytes = 0; }
};

TEST_F(TimeLanes, BookmarksAreAddedShownAndDeleted) {
  SceneView& view = state.view;
  view.camera.pose = {{1, 2, 3}, 4, 0.5f, 0.25f};
  const render::CameraPose first = view.camera.pose;
  press({"Add here"}, draw());
  ASSERT_EQ(view.path.marks().size(), 1u);
  EXPECT_EQ(view.path.marks()[0], (CameraPath::Mark{4, first}));
  press({"###path"}, draw());
  EXPECT_FALSE(view.on_path) << "one bookmark is no path";
  model.time = 14, view.camera.pose.yaw = -1;
  press({"Add here"}, draw());
  ASSERT_EQ(view.path.marks().size(), 2u);
  EXPECT_EQ(view.mark, 1u);
  EXPECT_NE(frame(draw()).find("2 bookmarks"), std::string::npos);
  press({"###path"}, draw());
  EXPECT_TRUE(view.on_path);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(std::get<ask::GoTo>(requests[0]).step, 400u) << "the keyframe of the first bookmark";
  EXPECT_TRUE(std::get<ask::Run>(requests[1]).on);
  press({"Delete"}, draw());
  ASSERT_EQ(view.path.marks().size(), 1u);
  EXPECT_EQ(view.path.marks()[0].time, 4);
  press({"Delete"}, draw());
  EXPECT_EQ(view.path.marks().size(), 1u) << "none is chosen";
}

/// The second of three bookmarks is dragged beyond the third: it stays before it, and keeps its view.
TEST_F(TimeLanes, ADragGivesABookmarkAnotherTime) {
  SceneView& view = state.view;
  for (const double t : {0.0, 4.0, 10.0}) view.path.add(t, {{0, 0, 0}, static_cast<float>(1 + t), 0, 0});
  float left = 0, right = 0;
  frame([&] {
    timeline(model, state, requests);
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    left = window->ContentRegionRect.Min.x + 6, right = window->ContentRegionRect.Max.x - 6;
  });
  ImGuiIO& io = ImGui::GetIO();
  const int second = 1;
  const ImGuiID mark = ImHashStr("mark", 0, ImHashData(&second, sizeof second, ImGui::FindWindowByName("test")->ID));
  const auto at = [&](float time) { return left + time / 10 * (right - left); };
  for (float y = 0; y < 400 && ImGui::GetCurrentContext()->HoveredId != mark; y += 3) {
    io.MousePos = {at(4), y};
    frame(draw()), frame(draw());
  }
  ASSERT_EQ(ImGui::GetCurrentContext()->HoveredId, mark);
  const auto drag = [&](float time, bool down) {
    io.MousePos.x = at(time), io.MouseDown[0] = down;
    frame(draw()), frame(draw());
  };
  drag(4, true);
  drag(7, true);
  EXPECT_NEAR(view.path.marks()[1].time, 7, 0.05);
  EXPECT_EQ(view.path.marks()[1].pose.distance, 5);
  drag(12, true);
  drag(12, false);
  ASSERT_EQ(view.path.marks().size(), 3u);
  EXPECT_LT(view.path.marks()[1].time, 10);
  EXPECT_GT(view.path.marks()[1].time, 9.99);
  EXPECT_EQ(view.path.marks()[1].pose.distance, 5);
}

TEST_F(TimeLanes, AFaultOfAFileIsSaid) {
  state.view.path_file = "/nowhere/p.toml";
  press({"Open path"}, draw());
  EXPECT_NE(frame(draw()).find("/nowhere/p.toml"), std::string::npos);
}

TEST_F(TimeLanes, KeyframesAndBranchesSayWhatTheyAre) {
  model.scene.units = "kpc-kms-msun";
  model.timeline.branch = 300, model.timeline.other_keyframes = {{700, 7.5}};
  EXPECT_EQ(tick_text(model, 510, 10, false), "Keyframe: step 500, t = 4,888.96 Myr");
  EXPECT_EQ(tick_text(model, 511, 10, false), "");
  EXPECT_EQ(tick_text(model, 295, 10, false), "The runs part at step 300");
  EXPECT_EQ(tick_text(model, 295, 10, true), "The runs part at step 300");
  EXPECT_EQ(tick_text(model, 700, 0, true), "Keyframe of the other branch: step 700, t = 7,333.44 Myr");
  EXPECT_EQ(tick_text(model, 500, 10, true), "");
  model.timeline.recorded = true;
  EXPECT_EQ(tick_text(model, 0, 10, false), "Recorded state: step 0, t = 0 Myr");
}

TEST_F(TimeLanes, TheAxisHoldsTheWholePath) {
  const TimeAxis axis{100, 300, -2, 8};
  EXPECT_FLOAT_EQ(axis.x(-2), 100);
  EXPECT_FLOAT_EQ(axis.x(3), 200);
  EXPECT_DOUBLE_EQ(axis.time(250), 5.5);
  EXPECT_DOUBLE_EQ(axis.time(999), 8);
}

/// Several round times fall on one step of a run that has just begun.
TEST_F(TimeLanes, TimesAboveTheBarDoNotLieOnEachOther) {
  model.steps = 2, model.time = 0.0625, model.scene.dt = 0.03125;
  model.timeline = {};
  model.timeline.kept = true, model.timeline.last = 2, model.timeline.last_time = 0.0625;
  model.timeline.keyframes = {{0, 0}, {1, 0.03125}, {2, 0.0625}};
  const std::string text = frame(draw());
  EXPECT_NE(text.find("step 2"), std::string::npos) << text;
  const auto& drawn = ImGui::FindWindowByName("test")->DrawList->VtxBuffer;
  std::map<std::pair<float, float>, int> corners;  // of glyphs, which are four vertices each
  for (const ImDrawVert& v : drawn) {
    if (v.col == theme().text2) ++corners[{v.pos.x, v.pos.y}];
  }
  for (const auto& [at, count] : corners) EXPECT_LE(count, 2) << at.first << ", " << at.second;
}

TEST_F(TimeLanes, TheFilmSaysItsFramesAndSpeed) {
  FilmChoice& film = state.film.choice;
  film.fps = 50, film.seconds = 4, film.speed = 2.4;
  std::string text = frame(draw());
  for (const char* part : {"200 frames from here, 5 steps each: 2.50 a second", "The camera is that of the window",
                           "{ 2.5 a second } speed\nThe nearest to 2.40 with whole steps a frame.\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  press({"Make film"}, draw());
  EXPECT_TRUE(state.film.start);
  state.film.now = FilmProgress{50, 200, 5, "film.mp4", 40'000'000};
  text = frame(draw());
  for (const char* part : {"25 %, 50 of 200 frames", "about 15 s left", "40 MB of about 160 MB"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  press({"Stop and keep"}, draw());
  EXPECT_TRUE(std::exchange(state.film.stop, false));
  state.film.now->ends = true;
  press({"Stop and keep"}, draw());
  EXPECT_FALSE(state.film.stop) << "it ends already";
  text = frame(draw());
  EXPECT_NE(text.find("50 of 200 frames. The last frames are being written."), std::string::npos) << text;
  EXPECT_EQ(text.find(" left"), std::string::npos) << "none more is drawn";
  state.film.now->bytes = 48;
  EXPECT_EQ(frame(draw()).find("of about"), std::string::npos) << "the frames are not written yet";
}

/// At 800 x 600 the film began at the lower edge of the panel.
TEST_F(TimeLanes, WhoLooksForAFilmSeesIt) {
  float scrolled = 0, below = 0;
  const auto low = [&] {
    for (int k = 0; k < 3; ++k) {
      ImGui::NewFrame();
      ImGui::SetNextWindowSize({296, 504});
      ImGui::Begin("narrow");
      timeline(model, state, requests);
      scrolled = ImGui::GetScrollY(), below = ImGui::GetScrollMaxY();
      ImGui::End();
      ImGui::Render();
    }
  };
  low();
  EXPECT_EQ(scrolled, 0);
  EXPECT_GT(below, 100) << "there is more than fits";
  state.panels.open = "", state.palette.text = "a video of it";
  const std::vector<PaletteEntry> entries = palette_entries(model);
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [](const PaletteEntry& e) { return e.english.starts_with("panel Time"); });
  ASSERT_NE(entry, entries.end());
  entry->act({model, state, requests});
  EXPECT_EQ(state.panels.open, "Time");
  low();
  EXPECT_GT(scrolled, 200) << "the film is at the top";
  EXPECT_EQ(frame(draw()).find("Save path"), std::string::npos) << "a path without bookmarks takes one line";
}

TEST_F(TimeLanes, EscStopsAFilmAndNothingElse) {
  state.panels.open = "Time", state.race.shown = true;
  const auto esc = [this] { on_key({GLFW_KEY_ESCAPE}, model, state, requests); };
  state.film.start = true, state.film.start_as = "film.mp4";
  esc();
  EXPECT_FALSE(state.film.start) << "it has not begun";
  EXPECT_EQ(state.film.start_as, "");
  state.film.now = FilmProgress{3, 9, 2, "film.mp4", 1000};
  state.touch.tool = Tool::add;
  esc();
  EXPECT_TRUE(state.film.stop) << "as by Stop and keep";
  EXPECT_EQ(state.touch.tool, Tool::add);
  EXPECT_EQ(state.panels.open, "Time");
  EXPECT_TRUE(state.race.shown);
  state.film.stop = false, state.film.now->ends = true, state.touch.tool = Tool::look;  // its last frames are written
  esc();
  EXPECT_FALSE(state.film.stop);
  EXPECT_EQ(state.panels.open, "") << "the next thing";
  state.film.now->ends = false, state.panels.help = true;
  esc();
  EXPECT_FALSE(state.film.stop || state.panels.help) << "the help lies above";
  esc(), esc();
  EXPECT_FALSE(state.race.shown) << "two of one frame are two";
  EXPECT_TRUE(state.film.stop);
}

TEST_F(TimeLanes, FilesThatAreThereStay) {
  const test::TempFolder folder;
  state.film.choice.path = folder.file("film.mp4", "kept"), state.view.path_file = folder.file("camera.toml", "kept");
  press({"Make film"}, draw());
  EXPECT_EQ(state.film.start_as, folder.at("film-2.mp4"));
  const std::string place = render::video_available() ? "film-2.mp4." : "film-2/.";
  EXPECT_NE(frame(draw()).find("It goes to " + folder.at(place)), std::string::npos) << frame(draw());
  state.view.path.add(0, {});
  press({"Save path"}, draw());
  EXPECT_EQ(state.view.path_note, "wrote " + folder.at("camera-2.toml"));
  EXPECT_TRUE(std::filesystem::exists(folder.at("camera-2.toml")));
  model.n = 3, state.touch.selection.bodies = {0, 2};
  state.touch.selection.path = folder.file("selection.csv", "kept");
  press({"Export"}, [this] { touch_controls(model, state.touch, requests); });
  ASSERT_TRUE(test::only<ask::Export>(requests));
  EXPECT_EQ(test::only<ask::Export>(requests)->path, folder.at("selection-2.csv"));
  for (const char* name : {"film.mp4", "camera.toml", "selection.csv"}) {
    EXPECT_EQ(read_small_file(folder.at(name)), "kept") << name;
  }
}

TEST_F(TimeLanes, TheFilmSaysWhatItTakesOfTheDisk) {
  FilmChoice& film = state.film.choice;
  film.width = 1000, film.height = 500, film.fps = 10, film.seconds = 2, film.path = "/tmp/frames";
  const std::string text = frame(draw());
  EXPECT_NE(text.find("At most 30 MB of PNG files"), std::string::npos) << text;
  EXPECT_EQ(text.find("(a video needs ffmpeg, which is not installed)") == std::string::npos,
            render::video_available());
  EXPECT_NE(text.find(" are free."), std::string::npos) << text;
  for (const char* name : {"/nowhere/film.mp4", "/nowhere/film.webp"}) {
    film.path = name;
    EXPECT_EQ(frame(draw()).find("PNG files") == std::string::npos, render::video_available());
  }
  const std::string before = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(film_place("/nowhere/frames"), "/nowhere/frames");
  EXPECT_EQ(film_place("/nowhere/a-film.webp"), "/nowhere/a-film/");
  const std::string without = frame(draw());
  EXPECT_NE(without.find("/nowhere/film.webp becomes PNG files. It goes to /nowhere/film/."), std::string::npos)
      << without;
  setenv("PATH", before.c_str(), 1);
}

TEST_F(TimeLanes, TheMarkSaysSecondsAndSpeed) {
  EXPECT_EQ(mark_text(model, {0, 0}), "REC 0 s of film");
  EXPECT_EQ(mark_text(model, {23.9, 0.4}), "REC 23 s of film, 0.4 of time in each second");
  EXPECT_EQ(mark_text(model, {23.9, 0.4, 412'000'000, 38'000'000'000}),
            "REC 23 s of film, 0.4 of time in each second, 412 MB of 38 GB free");
  EXPECT_EQ(mark_text(model, {0, 0, 48, 38'000'000'000}), "REC 0 s of film") << "the head of a video";
  EXPECT_EQ(mark_text(model, {2, 0.4, 1, 2, true}), "REC 2 s of film, waits for the run");
  model.scene.units = "kpc-kms-msun";
  EXPECT_NE(mark_text(model, {1, 2}).find("in each second"), std::string::npos);
}

TEST_F(TimeLanes, ASecondRunIsAskedForAndChosen) {
  press({"A and B"}, draw());
  EXPECT_TRUE(state.second.on);
  press({"of B"}, draw());
  EXPECT_FALSE(state.second.controls_b) << "it is not there yet";
  state.second.shown = true;
  press({"of B"}, draw());
  EXPECT_TRUE(state.second.controls_b);
}

TEST_F(TimeLanes, AfterABranchTheSecondRunIsTheOtherOneUnlessACopyIsWanted) {
  EXPECT_EQ(frame(draw()).find("B is the other branch"), std::string::npos) << "there is none";
  model.timeline.branch = 1;
  EXPECT_TRUE(state.second.of_branch);
  press({"B is the other branch"}, draw());
  EXPECT_FALSE(state.second.of_branch);
  state.second.on = state.second.shown = true;
  EXPECT_EQ(frame(draw()).find("B is the other branch"), std::string::npos) << "it is there already";
}

// The lanes of the frame strip: sums, zoom and what they say of a step under way.

constexpr ImU32 kInk = 0xff00ffff;

TEST(Lanes, TheDrawThreadSumsToTheFrameStrip) {
  FrameMeter meter(false);
  FrameState frames;
  for (int f = 0; f < 7; ++f) {
    meter.begin(clock_s());
    for (std::size_t k = 0; k < kFramePartCount; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * (k % 3 + 1)));
      meter.lap(static_cast<FramePart>(k));
      if (k == 6) {  // twice on end
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        meter.lap(static_cast<FramePart>(k));
      }
      if (k == 4) meter.lap(FramePart::steps);  // again, later in the frame
    }
    meter.add(frames);
  }
  ASSERT_EQ(frames.work.frames().size(), 7u);
  const Extent all = *all_work(frames.work);
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    double strip = 0;
    for (const FrameCost& cost : frames.costs) strip += 1e-3 * static_cast<double>(cost.parts[k]);
    EXPECT_NEAR(frames.work.sum(WorkLane::draw_thread, all.low, all.high, kFrameParts[k].name), strip, 1e-6)
        << kFrameParts[k].name;
  }
  double whole = 0, between = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    whole += 1e-3 * static_cast<double>(frames.costs[k].whole());
    const WorkTrace::Frame& f = frames.work.frames()[k];
    between += f.end - f.begin;
    EXPECT_NEAR(frames.work.sum(WorkLane::draw_thread, f.begin, f.end), f.end - f.begin, 1e-9) << "without a gap";
  }
  EXPECT_NEAR(between, whole, 1e-6);
}

TEST(Zoom, KeepsThePlaceUnderThePointerAndStaysWithinAll) {
  const Extent all{0, 16};
  const Extent near = zoomed(all, 4, 2, all, 0.5);
  EXPECT_EQ(near, (Extent{2, 10}));
  EXPECT_EQ(zoomed(near, 4, 0.5, all, 0.5), all);
  EXPECT_EQ(zoomed(all, 16, 4, all, 0.5), (Extent{12, 16}));
  EXPECT_EQ(zoomed(near, 4, 1e9, all, 0.5).length(), 0.5);
  EXPECT_EQ(moved(near, 100, all), (Extent{8, 16}));
  EXPECT_EQ(moved(near, -1, all), (Extent{1, 9}));
  EXPECT_EQ(within({-3, 99}, all), all);
  for (const double low : {0.1, 16711.35216, -3e-7}) {  // high - (high - low) is not low
    for (const double length : {0.3, 1e-3, 7.77}) {
      const Extent some{low, low + length};
      EXPECT_NEAR(zoomed(some, low + length / 3, 0.5, some, 1e-9).low, low, 1e-9);
      EXPECT_GE(moved(some, -1, some).low, low);
    }
  }
}

class LanesPanel : public PanelFixture {
 protected:
  LanesPanel() {
    for (int k = 0; k < 10; ++k) {
      const double t = 100 + 0.02 * k;
      frames.work.add({"scene", WorkLane::draw_thread, 0, t, t + 0.012});
      frames.work.add({"panels", WorkLane::draw_thread, 0, t + 0.012, t + 0.02});
      frames.work.add({"steps", WorkLane::step_thread, 0, t, t + 0.005});
      frames.work.end_frame({t, t + 0.02});
    }
    frames.drawn_by = "llvmpipe";
    refresh(state.lanes, frames, 100.2);
  }
  std::string shown(double now = 100.2) {
    return frame([&] { lanes(state.lanes, frames, kInk, now, {0, 0, 1000, 200}, 1); });
  }
  FrameState& frames = state.frames;
};

TEST_F(LanesPanel, ShowsTheThreadsThatWorkedAndNoOthers) {
  const std::string text = shown();
  for (const char* part : {"step thread", "draw thread", "scene 12.0 ms", "25 %", "100 %", "0 ms"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("GPU step"), std::string::npos) << "there is none on the cpu backend";
  EXPECT_EQ(text.find("llvmpipe draw"), std::string::npos);
  frames.work.add({"splat", WorkLane::gpu_draw, 0, 100.18, 100.19});
  refresh(state.lanes, frames, 101);
  EXPECT_NE(shown().find("llvmpipe draw"), std::string::npos);
}

TEST_F(LanesPanel, ShowTheLastFramesUntilChosenOtherwise) {
  const Extent last = *shown_work(state.lanes, frames);
  EXPECT_NEAR(last.low, 100.14, 1e-9);
  EXPECT_NEAR(last.high, 100.2, 1e-9);
  frames.work.add({"splat", WorkLane::gpu_draw, 0, 100.1, 100.11});
  refresh(state.lanes, frames, 101);
  EXPECT_NEAR(shown_work(state.lanes, frames)->high, 100.12, 1e-9) << "frames that the GPU has told of";
  frames.step_begun = 100.05;
  EXPECT_NEAR(shown_work(state.lanes, frames)->low, 100.05, 1e-9) << "steps under way, from their beginning on";
  state.lanes.from = 100.03, state.lanes.to = 100.04;
  EXPECT_NEAR(shown_work(state.lanes, frames)->low, 100.03, 1e-9);
}

TEST_F(LanesPanel, FrozenTheyStay) {
  press({"###freeze"}, [&] { lanes(state.lanes, frames, kInk, 100.2, {0, 0, 500, 200}, 1); });
  EXPECT_TRUE(state.lanes.frozen);
  frames.work.end_frame({200, 201});
  refresh(state.lanes, frames, 300);
  EXPECT_EQ(state.lanes.held.frames().size(), 10u);
  press({"###freeze"}, [&] { lanes(state.lanes, frames, kInk, 100.2, {0, 0, 500, 200}, 1); });
  refresh(state.lanes, frames, 301);
  EXPECT_EQ(state.lanes.held.frames().size(), 11u);
  press({"###close"}, [&] { lanes(state.lanes, frames, kInk, 100.2, {0, 0, 500, 200}, 1); });
  EXPECT_FALSE(state.lanes.shown);
}

TEST_F(LanesPanel, ALongStepSaysHowLongAndWhatWaits) {
  EXPECT_EQ(step_under_way(frames, 100.2), "");
  frames.step_begun = 100.15;
  EXPECT_EQ(step_under_way(frames, 100.2), "") << "shorter than a look";
  frames.step_begun = 99.4, frames.waiting = 2;
  EXPECT_EQ(step_under_way(frames, 100.2), "this step, 0.8 s so far, 2 requests wait");
  frames.waiting = 1;
  EXPECT_EQ(step_under_way(frames, 100.2), "this step, 0.8 s so far, 1 request waits");
  frames.waiting = 0;
  EXPECT_EQ(step_under_way(frames, 100.2), "this step, 0.8 s so far");
  EXPECT_NE(shown().find("this step, 0.8 s so far"), std::string::npos);
}

// The strips of ranks: shares and times of each, on one scale; nothing where one is alone.

class RankStrips : public PanelFixture {
 protected:
  void share(const std::vector<u64>& marks, u32 ranks, const std::vector<double>& ms) {
    model.pair_shares = {ranks, marks};
    model.backend.ranks = ranks;
    model.backend.rank_names.clear(), model.rank_ms.clear();
    for (u32 r = 0; r < ranks; ++r) model.backend.rank_names.push_back("GPU " + std::to_string(r));
    for (const double each : ms) model.rank_ms.emplace_back().add(each);
  }
  std::string text() {
    return frame([this] { rank_strips(model, 1); });
  }
  /// From the left to the right end of all that was drawn in this colour in the last frame.
  static float width_of(ImU32 colour) {
    float low = 1e9f, high = -1e9f;
    for (const ImDrawVert& v : ImGui::FindWindowByName("test")->DrawList->VtxBuffer) {
      if (v.col == colour) low = std::min(low, v.pos.x), high = std::max(high, v.pos.x);
    }
    return high - low;
  }
};

TEST_F(RankStrips, OfOneRankThereIsNone) {
  EXPECT_EQ(text().find("rank"), std::string::npos);
  const std::string times = frame([this] { timing(model, state.frames, 1); });
  EXPECT_EQ(times.find("ranks"), std::string::npos);
}

TEST_F(RankStrips, SayWhoIsSlowest) {
  share({}, 2, {1.5, 1.0});
  const std::string said = text();
  EXPECT_NE(said.find("2 ranks"), std::string::npos) << said;
  EXPECT_NE(said.find("0 GPU 0 50.0 % 1.50 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("1 GPU 1 50.0 % 1.00 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("Rank 0 is the slowest: 1.20 \u00d7 the mean"), std::string::npos) << said;
  EXPECT_NEAR(width_of(rank_colour(1)) / width_of(rank_colour(0)), 1.0 / 1.5, 0.02) << "one scale, from 0";
  EXPECT_NE(frame([this] { timing(model, state.frames, 1); }).find("2 ranks"), std::string::npos);
  share({}, 2, {0.001, 100.0});
  text();
  EXPECT_NEAR(width_of(rank_colour(0)), 3.5, 1) << "who worked has a bar, however slow another was";
}

TEST_F(RankStrips, HaveTheSharesOfRanges) {
  const u64 whole = RankShare::kWhole;
  share({0, whole / 4, whole / 2, whole}, 3, {});
  const std::string said = text();
  EXPECT_NE(said.find("1 GPU 1 25.0 %"), std::string::npos) << said;
  EXPECT_NE(said.find("2 GPU 2 50.0 %"), std::string::npos) << said;
  model.rank_parts = {0.5, 0.3, 0.2};
  EXPECT_NE(text().find("1 GPU 1 30.0 %"), std::string::npos) << "those that were timed, not those to come";
  EXPECT_NE(said.find("Not measured yet"), std::string::npos) << said;
}

TEST_F(RankStrips, SayWhatDevicesDoNotMeasure) {
  share({}, 2, {});
  model.backend.name = "cuda";
  EXPECT_NE(text().find("Not measured yet"), std::string::npos);
  model.scene.field.pair = PairLaw::contact;
  EXPECT_NE(text().find("Devices do not measure impulses, few contacts"), std::string::npos);
  model.engine.broad_phase = BroadPhase::grid;
  EXPECT_NE(text().find("Not measured yet"), std::string::npos) << "springs through the grid are shared";
  model.scene.field.contact.impulse = true;
  EXPECT_NE(text().find("Devices do not measure impulses"), std::string::npos);
  model.backend.name = "cpu";
  EXPECT_NE(text().find("Not measured yet"), std::string::npos);
}

TEST_F(RankStrips, OfManyRanksTheFirstAndTheRangeOfTheOthers) {
  std::vector<double> ms(40, 2.0);
  ms[30] = 1.0, ms[35] = 3.0;
  share({}, 40, ms);
  const std::string said = text();
  EXPECT_NE(said.find("15 GPU 15 2.5 %"), std::string::npos) << said;
  EXPECT_EQ(said.find("16 GPU 16"), std::string::npos) << said;
  EXPECT_NE(said.find("and 24 more, 1.00 ms to 3.00 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("Rank 35 is the slowest"), std::string::npos) << said;
}

TEST_F(TimePanel, TwoRunsSayWhereTheyComeFrom) {
  SessionModel other = model;
  model.timeline.branch = 350;  // another one since
  state.second.shown = state.second.is_branch = true, state.second.from = 340;
  const auto text = [&] {
    return screen([&] {
      const FixedWindow window("scene", {0, 0, 900, 600});
      two_runs_marks(model, other, state.second, 1, {0, 0, 900, 600});
    });
  };
  EXPECT_NE(text().find("branch at step 340 \u00b7 lambda"), std::string::npos) << text();
  EXPECT_NE(text().find("the other branch \u00b7 lambda"), std::string::npos) << text();
  state.second.is_branch = false, state.second.from = 400;  // a copy, and A has branched since
  EXPECT_NE(text().find("from step 400 \u00b7 lambda"), std::string::npos) << text();
  EXPECT_EQ(text().find("branch"), std::string::npos) << text();
}

}  // namespace
}  // namespace tri::app::gui
