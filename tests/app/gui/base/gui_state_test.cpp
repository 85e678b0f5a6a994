// The state of the window: file browser, tour, keys.
//
// The file browser without a window: listing, typed paths, and no file is replaced without confirmation.

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <tuple>

#include <GLFW/glfw3.h>

#include "app/gui/base/window.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

namespace fs = std::filesystem;
using Purpose = FileBrowser::Purpose;

class Files : public testing::Test {
 protected:
  Files() {
    root = fs::path(testing::TempDir()) / ("files" + std::to_string(getpid()));
    fs::create_directories(root / "b sub");
    fs::create_directories(root / "A");
    fs::create_directories(root / ".hidden");
    for (const char* name : {"two.csv", "one.TAB", "notes.txt", "shot.png", ".secret.csv"}) write(root / name);
    write(root / "A" / "inside.npy");
  }
  ~Files() override { fs::remove_all(root); }

  static void write(const fs::path& path) { std::ofstream(path) << "12345"; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const FileRow& r : files.rows()) all.push_back(r.folder ? r.name + "/" : r.name);
    return all;
  }

  fs::path root;
  FileBrowser files;
};

using Names = std::vector<std::string>;

TEST_F(Files, ListsFoldersAndReadableFiles) {
  files.show(Purpose::open, root.string());
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "one.TAB", "shot.png", "two.csv"}));
  EXPECT_EQ(files.rows()[4].bytes, 5u);
  files.set_all_kinds(true);
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "notes.txt", "one.TAB", "shot.png", "two.csv"}));
  files.set_all_kinds(false);
  files.show(Purpose::save, (root / "two.csv").string());
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "one.TAB", "two.csv"})) << "a picture is no place for bodies";
  EXPECT_EQ(files.typed, "two.csv");
}

TEST_F(Files, OpensFoldersAndSelectsFiles) {
  files.show(Purpose::open, root.string());
  EXPECT_FALSE(files.choose("A"));
  EXPECT_EQ(files.folder(), (root / "A").string());
  EXPECT_EQ(names(), Names{"inside.npy"});
  files.up();
  EXPECT_EQ(files.folder(), root.string());
  EXPECT_FALSE(files.choose(root.string() + "/b sub/"));
  EXPECT_EQ(files.folder(), (root / "b sub").string());
  EXPECT_TRUE(files.rows().empty());
  EXPECT_FALSE(files.choose(""));
  EXPECT_TRUE(files.shown());
  EXPECT_EQ(files.choose("../A/inside.npy"), (root / "A/inside.npy").string());
  EXPECT_FALSE(files.shown());
}

TEST_F(Files, ATildeIsTheHomeFolder) {
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", root.c_str(), 1);
  files.show(Purpose::open, "/");
  EXPECT_EQ(files.choose("~/A/inside.npy"), (root / "A/inside.npy").string());
  home == nullptr ? unsetenv("HOME") : setenv("HOME", before.c_str(), 1);
}

TEST_F(Files, MissingFilesAreReported) {
  files.show(Purpose::open, root.string());
  EXPECT_FALSE(files.choose("none.csv"));
  EXPECT_NE(files.fault().find("none.csv: no such file"), std::string::npos) << files.fault();
  EXPECT_TRUE(files.shown());
  files.show(Purpose::open, (root / "gone" / "x.csv").string());
  EXPECT_EQ(files.folder(), fs::current_path().string()) << "a folder that is there";
  files.show(Purpose::open, root.string());
  fs::remove_all(root / "A");
  EXPECT_FALSE(files.choose("A"));
  EXPECT_FALSE(files.fault().empty());
  EXPECT_EQ(files.folder(), root.string()) << "the list stays";
}

TEST_F(Files, ReplacingAFileNeedsConfirmation) {
  files.show(Purpose::save, root.string());
  EXPECT_FALSE(files.choose("state.txt"));
  EXPECT_NE(files.fault().find(".csv"), std::string::npos) << files.fault();
  EXPECT_FALSE(files.choose("two.csv"));
  EXPECT_NE(files.fault().find("Save again to replace it"), std::string::npos);
  EXPECT_FALSE(files.choose("one.TAB")) << "another file is asked for anew";
  EXPECT_EQ(files.choose("one.TAB"), (root / "one.TAB").string());
  files.show(Purpose::save, root.string());
  EXPECT_EQ(files.choose("new.csv"), (root / "new.csv").string());
}

TEST_F(Files, TextsOfTheEditorsHaveTheirOwnNames) {
  write(root / "mine.toml");
  files.show(Purpose::open, root.string(), FileBrowser::Kind::map);
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "mine.toml"}));
  files.show(Purpose::save, (root / "law.txt").string(), FileBrowser::Kind::law);
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "notes.txt"}));
  EXPECT_FALSE(files.choose("law.csv"));
  EXPECT_NE(files.fault().find("The name of a law ends in .txt."), std::string::npos) << files.fault();
  EXPECT_FALSE(files.choose("notes.txt")) << "it is there";
  EXPECT_EQ(files.choose("law.txt"), (root / "law.txt").string());
  files.show(Purpose::open, root.string());
  EXPECT_EQ(files.kind(), FileBrowser::Kind::bodies);
}

TEST_F(Files, APathThatIsTakenGetsTheNextNumber) {
  const auto free = [&](const char* name) { return fs::path(free_path((root / name).string())).filename().string(); };
  EXPECT_EQ(free("film.mp4"), "film.mp4");
  for (const char* name : {"film.mp4", "film-2.mp4", "plain", "A/taken.csv"}) write(root / name);
  EXPECT_EQ(free("film.mp4"), "film-3.mp4");
  EXPECT_EQ(free("plain"), "plain-2");
  EXPECT_EQ(free("b sub"), "b sub") << "an empty folder is no loss";
  EXPECT_EQ(free("A"), "A-2");
  EXPECT_EQ(free_path((root / "A/").string()), (root / "A-2/").string());
  fs::create_symlink("nowhere", root / "link.csv");
  EXPECT_EQ(free("link.csv"), "link-2.csv");
  EXPECT_EQ(free_path("/dev/null"), "/dev/null");
  EXPECT_EQ(with_folder("film.mp4"), "film.mp4 in " + fs::current_path().string());
  EXPECT_EQ(with_folder("/tmp/film.mp4"), "/tmp/film.mp4");
  EXPECT_EQ(free_path(""), "");
}

TEST_F(Files, AFullDiskIsRefusedWithASentence) {
  ASSERT_TRUE(free_bytes((root / "not/yet/there.png").string()));
  EXPECT_GT(*free_bytes("relative.png"), 0u);
  EXPECT_EQ(disk_refusal("x", [](const std::string&) { return std::optional<u64>(300'000'000); }), "");
  EXPECT_EQ(disk_refusal("x", [](const std::string&) { return std::optional<u64>(); }), "") << "nobody knows";
  const std::string why = disk_refusal("x", [](const std::string&) { return std::optional<u64>(99'000'000); });
  EXPECT_NE(why.find("the disk has 99 MB left, and 256 MB are to stay free"), std::string::npos) << why;
}

TEST_F(Files, RecentFilesAreListedNewestFirst) {
  const std::string list = (root / "config" / "recent").string();
  RecentFiles recent(list);
  EXPECT_TRUE(recent.paths().empty());
  for (int k = 0; k < 12; ++k) recent.add((root / ("f" + std::to_string(k))).string());
  recent.add((root / "f5").string());
  const RecentFiles again(list);
  ASSERT_EQ(again.paths().size(), RecentFiles::kMax);
  EXPECT_EQ(again.paths()[0], (root / "f5").string());
  EXPECT_EQ(again.paths()[1], (root / "f11").string());
  EXPECT_EQ(again.paths(), recent.paths());
  EXPECT_EQ(std::count(again.paths().begin(), again.paths().end(), (root / "f5").string()), 1);
  ASSERT_EQ(mkfifo((root / "pipe").c_str(), 0600), 0);
  RecentFiles pipe((root / "pipe").string());
  pipe.add("/a.csv");  // waits for no reader
  EXPECT_EQ(pipe.paths(), Names{"/a.csv"});
  RecentFiles nowhere("/proc/none/recent");
  nowhere.add("relative.csv");
  EXPECT_EQ(nowhere.paths(), Names{(fs::current_path() / "relative.csv").string()});
}

TEST(Bytes, HaveUnits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1 kB");
  EXPECT_EQ(bytes_text(1234567), "1.23 MB");
  EXPECT_EQ(bytes_text(999999), "1 MB");
}

// The tour: what leads from stop to stop, where its card goes, and that its numbers are those of the session.

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
  for (int k = 0; k < 6; ++k) EXPECT_FALSE(goes_on()) << "Play ends before the next stop";
  state.panes.domain.sweeps = false;
  EXPECT_TRUE(goes_on());
  model.asked.pair_map = TriangleMapId::bb;
  EXPECT_TRUE(goes_on());
  press(GLFW_KEY_Y);
  EXPECT_TRUE(state.race.start) << "Race runs when pressed";
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

TEST_F(Tour, WithReducedMotionNoStopEndsByItself) {
  state.panels.calm = true;
  begin(static_cast<std::size_t>(TourPart::strip));
  state.lanes.shown = true;
  EXPECT_FALSE(goes_on());
  EXPECT_TRUE(state.tour.done_at) << "it says that it is done";
  state.panels.calm = false;
  follow_tour(model, state, now += 2, false);
  EXPECT_NE(state.tour.stop, static_cast<std::size_t>(TourPart::strip));
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
  says(1, "In the figure, of 16 tiles a side, bb starts 256");
  model.engine.pair_block = 8;  // so many tiles cannot be told apart
  model.pair_maps[0].blocks = {15625, 7875};
  says(1, "In the figure, of 12 tiles a side, bb starts 144");
  says(1, "66 of them");
  says(1, "lambda starts 78, and none is idle");
  says(2, "Press 1 for bb");
  model.asked.pair_map = TriangleMapId::bb;
  says(2, "Press 2 for lambda");
  says(2, "Now it is bb; what an evaluation takes stands in its row.");
  says(3, "Of 16 maps, 15 fit");
  state.frames.strip.parts[1] = 3, state.frames.strip.parts[5] = 1, state.frames.strip.whole = 4;
  says(4, "takes 4.00 ms now, and 75 % of that is steps");
  model = test::triples_model();
  says(1, "of 6 tiles a side, bb starts 216, the whole cube, and 160 of them");
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

TEST(TourCard, HasOneNextForAllStopsAboveTheRunBar) {
  struct Case {
    float width, height, scale;
  };
  for (const Case c : {Case{800, 600, 1},
                       {960, 540, 1.5f},
                       {1280, 720, 1},
                       {1280, 720, 2},
                       {1920, 1080, 1},
                       {2560, 1440, 2},
                       {3840, 2160, 2}}) {
    std::optional<Rect> corner;
    for (const bool column : {false, true}) {
      for (const float height : {150.0f, 190.0f, 230.0f, 270.0f}) {
        const Layout places = layout(c.width, c.height, c.scale, {.left = !column, .column = column});
        const Rect card = card_place(places, height * c.scale, c.scale), bar = run_bar_place(places.free, c.scale);
        ASSERT_GT(card.w, 0) << c.width << " at scale " << c.scale;
        ASSERT_GT(bar.w, 0);
        EXPECT_GE(card.x, places.scene.x);
        EXPECT_GE(card.y, places.scene.y);
        EXPECT_LE(card.x + card.w, places.scene.x + places.scene.w);
        EXPECT_LE(card.y + card.h, bar.y) << c.width << " x " << c.height << " at scale " << c.scale;
        if (!corner) corner = card;
        EXPECT_NEAR(card.x + card.w, corner->x + corner->w, 1) << "Next stays under the pointer";
        EXPECT_NEAR(card.y + card.h, corner->y + corner->h, 1);
      }
    }
  }
  EXPECT_EQ(card_place(layout(640, 240, 1, {}), 230, 1).w, 0) << "there is no room";
}

/// Panels grow with the display, and so does a window whose size nobody chose.
TEST(FirstWindow, GrowsWithTheScaleAsFarAsThereIsRoom) {
  using Size = std::pair<u32, u32>;
  EXPECT_EQ(grown({1280, 720}, 2, {3840, 2160}), Size(2560, 1440));
  EXPECT_EQ(grown({1280, 720}, 1.5, {3840, 2160}), Size(1920, 1080));
  EXPECT_EQ(grown({1280, 720}, 2, {1920, 1040}), Size(1920, 1040));
  EXPECT_EQ(grown({1280, 720}, 2, {1024, 600}), Size(1280, 720)) << "no smaller than at scale 1";
  EXPECT_EQ(grown({1280, 720}, 0.5, {3840, 2160}), Size(1280, 720));
  EXPECT_EQ(grown({1280, 720}, 2, {0, 0}), Size(2560, 1440)) << "its room is not known";
}

// The first minute: the galaxies alone, one line, the offer; the encounter comes again as long as nobody touches it.

struct First : testing::Test {
  First() {
    model.spec = kFirstScene, model.running = true, model.n = 4096;
    model.timeline.kept = true;
    state.first.part = FirstMinute::Part::alone;
  }
  FirstMinute::Part after(double seconds) {
    requests.clear();
    follow_first_minute(model, state, now += seconds, requests);
    return state.first.part;
  }
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  double now = 100;
};

TEST_F(First, TheGalaxiesAreAloneThenComeALineAndTheOffer) {
  using enum FirstMinute::Part;
  EXPECT_EQ(after(0), alone);
  EXPECT_EQ(after(14.9), alone);
  EXPECT_EQ(after(0.2), line);
  EXPECT_EQ(first_line(model), "8,386,560 pairs of stars, each computed once: by which map?");
  EXPECT_EQ(after(8.8), line);
  EXPECT_EQ(after(0.3), offer);
  EXPECT_EQ(after(1000), offer) << "it waits";
  on_key({GLFW_KEY_ESCAPE}, model, state, requests);
  EXPECT_EQ(after(0), over);
  EXPECT_FALSE(state.tour.shown);
}

TEST_F(First, ATouchLeadsToTheOfferAndTheTourEndsIt) {
  using enum FirstMinute::Part;
  after(1);
  state.first.touched = true;
  EXPECT_EQ(after(0), offer);
  on_key({GLFW_KEY_F3}, model, state, requests);
  EXPECT_EQ(after(0), over);
  EXPECT_TRUE(state.tour.shown);
  state.tour = {}, state.first.part = alone;
  model.spec = "plummer";
  EXPECT_EQ(after(0), over) << "another scene was opened";
}

TEST_F(First, TheEncounterIsShownAgainAfterTheMerger) {
  model.time = 83;
  after(1);
  EXPECT_TRUE(requests.empty() && state.overlay.toast.text.empty());
  model.time = 84, model.timeline.first = 3;
  after(1);
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(std::get<ask::GoTo>(requests.front()).step, 3u);
  EXPECT_EQ(state.overlay.toast.text, "The collision begins again.") << "nobody takes it for a loss";
  EXPECT_NEAR(state.overlay.toast.until, now + 6, 1e-9);
  model.timeline.seek = TimelineModel::Seek{2688, 3};
  after(1);
  EXPECT_TRUE(requests.empty()) << "it is on the way";
  model.timeline.seek.reset();
  state.first.touched = true;
  after(1);
  EXPECT_TRUE(requests.empty()) << "the run is the user's";
}

// Keys: numbers, Page Down and Page Up select maps that fit, the others do what the help says.

using test::only;

struct Keys : testing::Test {
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests press(int key, bool shift = false, bool ctrl = false) {
    Requests requests;
    on_key({key, ctrl, shift}, model, state, requests);
    return requests;
  }
};

TEST_F(Keys, NumbersSelectTheRowsOfTheMaps) {
  for (int k = 0; k < 9; ++k) {
    const Requests r = press(GLFW_KEY_1 + k);
    ASSERT_TRUE(only<ask::PairMap>(r));
    EXPECT_EQ(static_cast<int>(only<ask::PairMap>(r)->map), k);
  }
  model = test::triples_model();
  EXPECT_EQ(only<ask::TripleMap>(press(GLFW_KEY_3))->map, static_cast<TetraMapId>(2));
  EXPECT_TRUE(press(GLFW_KEY_9).empty()) << "there are five";
}

TEST_F(Keys, PagesCycleThroughTheMapsThatFit) {
  for (const bool back : {false, true}) {
    std::set<u32> seen;
    for (u32 k = 0; k < kTriangleMapCount - 1; ++k) {
      const Requests r = press(back ? GLFW_KEY_PAGE_UP : GLFW_KEY_PAGE_DOWN);
      ASSERT_TRUE(only<ask::PairMap>(r));
      model.asked.pair_map = only<ask::PairMap>(r)->map;
      EXPECT_TRUE(model.pair_maps[static_cast<u32>(model.asked.pair_map)].fits());
      seen.insert(static_cast<u32>(model.asked.pair_map));
    }
    EXPECT_EQ(seen.size(), kTriangleMapCount - 1);
    EXPECT_EQ(model.asked.pair_map, TriangleMapId::lambda) << "and is back";
  }
}

TEST_F(Keys, PagesWithOneFittingMapRequestNothing) {
  for (MapRow& row : model.pair_maps) row.reason = "no";
  EXPECT_TRUE(press(GLFW_KEY_PAGE_DOWN).empty());
}

TEST_F(Keys, TabTurnsTheFocusAndNoMap) {
  EXPECT_TRUE(press(GLFW_KEY_TAB).empty());
  EXPECT_TRUE(press(GLFW_KEY_TAB).empty());
  EXPECT_EQ(state.panels.focus_turn, 2);
  EXPECT_TRUE(press(GLFW_KEY_TAB, true).empty());
  EXPECT_EQ(state.panels.focus_turn, 1);
}

TEST_F(Keys, SpaceTogglesRunning) {
  EXPECT_TRUE(only<ask::Run>(press(GLFW_KEY_SPACE))->on);
  model.running = true;
  EXPECT_FALSE(only<ask::Run>(press(GLFW_KEY_SPACE))->on);
  model.comparing = true;
  EXPECT_FALSE(only<ask::Compare>(press(GLFW_KEY_M))->on);
}

TEST_F(Keys, BackspaceAndShiftNStepBack) {
  EXPECT_EQ(only<ask::StepBack>(press(GLFW_KEY_BACKSPACE))->steps, 1u);
  EXPECT_EQ(only<ask::StepBack>(press(GLFW_KEY_N, true))->steps, 1u);
  EXPECT_TRUE(only<ask::Take>(press(GLFW_KEY_N)));
}

TEST_F(Keys, ControlMakesAnotherShortcut) {
  EXPECT_TRUE(only<ask::Undo>(press(GLFW_KEY_Z, false, true)));
  EXPECT_TRUE(press(GLFW_KEY_Z).empty());
  press(GLFW_KEY_Q);
  EXPECT_FALSE(state.pending.quit);
  press(GLFW_KEY_Q, false, true);
  EXPECT_TRUE(state.pending.quit);
  EXPECT_TRUE(press(GLFW_KEY_R, false, true).empty()) << "Ctrl+R is not R";
}

TEST_F(Keys, RedoHasTwo) {
  EXPECT_TRUE(only<ask::Redo>(press(GLFW_KEY_Y, false, true)));
  EXPECT_TRUE(only<ask::Redo>(press(GLFW_KEY_Z, true, true)));
  EXPECT_TRUE(only<ask::Undo>(press(GLFW_KEY_Z, false, true)));
}

TEST_F(Keys, GoByWhatTheyMeanAndDigitsByPlace) {
  struct Place {
    int place;
    const char* written;
    int meaning;
  };
  const Place french[] = {{GLFW_KEY_Q, "a", GLFW_KEY_A},      {GLFW_KEY_A, "q", GLFW_KEY_Q},
                          {GLFW_KEY_W, "z", GLFW_KEY_Z},      {GLFW_KEY_SEMICOLON, "m", GLFW_KEY_M},
                          {GLFW_KEY_M, ",", GLFW_KEY_COMMA},  {GLFW_KEY_1, "&", GLFW_KEY_1},
                          {GLFW_KEY_2, "\u00e9", GLFW_KEY_2}, {GLFW_KEY_6, "-", GLFW_KEY_6},
                          {GLFW_KEY_MINUS, ")", ')'},         {GLFW_KEY_APOSTROPHE, "\u00f9", GLFW_KEY_APOSTROPHE}};
  const Place german[] = {{GLFW_KEY_Y, "z", GLFW_KEY_Z},
                          {GLFW_KEY_Z, "y", GLFW_KEY_Y},
                          {GLFW_KEY_RIGHT_BRACKET, "+", GLFW_KEY_EQUAL},
                          {GLFW_KEY_SLASH, "-", GLFW_KEY_MINUS}};
  const Place others[] = {{GLFW_KEY_Z, "\u044f", GLFW_KEY_Z},  // Russian
                          {GLFW_KEY_N, "N", GLFW_KEY_N},
                          {GLFW_KEY_SPACE, " ", GLFW_KEY_SPACE},
                          {GLFW_KEY_KP_ADD, "+", GLFW_KEY_KP_ADD},
                          {GLFW_KEY_ESCAPE, nullptr, GLFW_KEY_ESCAPE}};
  for (const std::span<const Place> layout : {std::span<const Place>(french), {german}, {others}}) {
    for (const Place& p : layout) EXPECT_EQ(meaning_of(p.place, p.written), p.meaning) << p.place;
  }
}

TEST_F(Keys, TwoOfOneFrameAreTwo) {
  Requests requests;
  const auto both = [&](int key) {
    requests.clear();
    for (int k = 0; k < 2; ++k) on_key({key}, model, state, requests);
    return requests.size();
  };
  ASSERT_EQ(both(GLFW_KEY_SPACE), 2u);
  EXPECT_TRUE(std::get<ask::Run>(requests[0]).on);
  EXPECT_FALSE(std::get<ask::Run>(requests[1]).on) << "the second pauses";
  EXPECT_FALSE(will_run(model, requests));
  ASSERT_EQ(both(GLFW_KEY_M), 2u);
  EXPECT_FALSE(std::get<ask::Compare>(requests[1]).on);
  ASSERT_EQ(both(GLFW_KEY_PAGE_DOWN), 2u);
  EXPECT_NE(std::get<ask::PairMap>(requests[0]).map, std::get<ask::PairMap>(requests[1]).map);
}

TEST_F(Keys, F9Records) {
  EXPECT_TRUE(press(GLFW_KEY_F9).empty());
  EXPECT_TRUE(state.pending.record);
  EXPECT_FALSE(state.picture.start);
}

TEST_F(Keys, F12TakesTheSceneAndWithShiftTheWindow) {
  press(GLFW_KEY_F12);
  EXPECT_TRUE(std::exchange(state.picture.start, false));
  EXPECT_FALSE(state.pending.screenshot);
  press(GLFW_KEY_F12, true);
  EXPECT_TRUE(state.pending.screenshot);
  EXPECT_FALSE(state.picture.start);
}

TEST_F(Keys, StylesCycle) {
  const render::BodyStyle before = state.view.style;
  for (u32 k = 0; k < render::kBodyShapeCount; ++k) press(GLFW_KEY_V);
  for (u32 k = 0; k < render::kQuantityCount - 2; ++k) press(GLFW_KEY_C);  // points have no groups and no contacts
  EXPECT_EQ(state.view.style.shape, before.shape);
  EXPECT_EQ(state.view.style.quantity, before.quantity);
  press(GLFW_KEY_V);
  EXPECT_NE(state.view.style.shape, before.shape);
  for (int k = 0; k < 100; ++k) press(GLFW_KEY_MINUS);
  EXPECT_GT(state.view.style.size, 0);
}

TEST_F(Keys, ViewsAreSavedAndRestored) {
  state.view.camera.pose = {{1, 2, 3}, 7, 0.5f, -0.25f};
  state.view.camera.mode = render::CameraMode::fly;
  EXPECT_TRUE(press(GLFW_KEY_2, false, true).empty()) << "Ctrl+2 is no map";
  state.view.camera = {};
  state.view.camera.turn(1, 0.1f, 0.01f);
  state.view.selected = 4, state.view.follow = true;
  const render::CameraPose before = state.view.camera.pose;
  EXPECT_TRUE(press(GLFW_KEY_3, true).empty()) << "Shift+3 is no map";
  EXPECT_EQ(state.view.camera.pose.yaw, before.yaw) << "nothing is kept under 3";
  EXPECT_TRUE(state.view.follow);
  press(GLFW_KEY_2, true);
  EXPECT_EQ(state.view.camera.pose.target, glm::vec3(1, 2, 3));
  EXPECT_EQ(state.view.camera.pose.distance, 7);
  EXPECT_EQ(state.view.camera.mode, render::CameraMode::fly);
  EXPECT_FALSE(state.view.follow) << "or the body would take the view away";
  state.view.camera.mode = render::CameraMode::orbit;
  state.view.camera.drift(0.1f, false);
  EXPECT_EQ(state.view.camera.pose.yaw, 0.5f) << "at rest";
  EXPECT_TRUE(only<ask::PairMap>(press(GLFW_KEY_6, true))) << "there are five views";
}

TEST_F(Keys, FollowNeedsASelectedBody) {
  press(GLFW_KEY_Z);
  EXPECT_FALSE(state.view.follow);
  state.view.selected = 3;
  press(GLFW_KEY_Z);
  EXPECT_TRUE(state.view.follow);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.view.selected || state.view.follow);
}

TEST_F(Keys, EscClosesTheHelpBeforeItDeselects) {
  state.view.selected = 3;
  press(GLFW_KEY_F1);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.panels.help);
  EXPECT_TRUE(state.view.selected);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.view.selected);
}

TEST_F(Keys, EscEndsTheToolBeforeItClosesThePanel) {
  state.panels.open = "Bodies";
  press(GLFW_KEY_J);
  ASSERT_EQ(state.touch.tool, Tool::add);
  press(GLFW_KEY_ESCAPE);
  EXPECT_EQ(state.touch.tool, Tool::look);
  EXPECT_EQ(state.panels.open, "Bodies");
  press(GLFW_KEY_ESCAPE);
  EXPECT_EQ(state.panels.open, "");
}

TEST_F(Keys, APresentationHidesThePanelsUntilEscape) {
  state.panels.open = "View";
  press(GLFW_KEY_F11);
  EXPECT_TRUE(state.panels.presents);
  EXPECT_FALSE(state.panels.visible());
  press(GLFW_KEY_ESCAPE);
  EXPECT_TRUE(state.panels.visible());
  EXPECT_EQ(state.panels.open, "View") << "one Esc ends one thing";
  press(GLFW_KEY_F11), press(GLFW_KEY_H);
  EXPECT_TRUE(state.panels.visible()) << "H brings the panels back";
  press(GLFW_KEY_H), press(GLFW_KEY_F11), press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.panels.visible()) << "they were hidden before";
}

TEST_F(Keys, ADialogOwnsTheKeyboard) {
  state.files.browser.show(FileBrowser::Purpose::save, "result.hdf5");
  const bool panels = state.panels.shown, panes = state.panes.shown;
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
    if (key == GLFW_KEY_ESCAPE) continue;
    for (const bool ctrl : {false, true}) EXPECT_TRUE(press(key, false, ctrl).empty()) << key;
  }
  EXPECT_EQ(state.panels.shown, panels);
  EXPECT_EQ(state.panes.shown, panes);
  EXPECT_FALSE(state.panels.help || state.pending.quit || state.pending.fit || state.pending.screenshot ||
               state.picture.start);
  EXPECT_TRUE(state.files.browser.shown());
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.files.browser.shown());
}

TEST_F(Keys, EveryActionHasItsOwnKeyAndDoesSomething) {
  std::set<std::tuple<int, bool, bool>> keys;
  for (const Action& action : actions()) {
    EXPECT_GT(std::string(action.keys).size(), 0u);
    EXPECT_GT(std::string(action.does).size(), 3u);
    if (action.act == nullptr) continue;
    EXPECT_TRUE(keys.emplace(action.press.key, action.press.ctrl, action.press.shift).second) << action.keys;
  }
  for (const int key : {GLFW_KEY_KP_ADD, GLFW_KEY_KP_SUBTRACT, GLFW_KEY_F2}) {
    const float size = state.view.style.size;
    const bool shown = state.panels.shown;
    press(key, true);
    EXPECT_TRUE(state.view.style.size != size || state.panels.shown != shown) << key;
  }
}

TEST_F(Keys, ThePaletteOwnsTheKeyboard) {
  press(GLFW_KEY_P, false, true);
  ASSERT_TRUE(state.palette.shown);
  EXPECT_TRUE(state.palette.focus);
  for (const int key : {GLFW_KEY_SPACE, GLFW_KEY_R, GLFW_KEY_1, GLFW_KEY_M}) EXPECT_TRUE(press(key).empty()) << key;
  press(GLFW_KEY_DOWN), press(GLFW_KEY_DOWN), press(GLFW_KEY_UP);
  EXPECT_EQ(state.palette.at, 1u);
  press(GLFW_KEY_ENTER);
  EXPECT_TRUE(state.palette.accepted);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.palette.shown);
}

}  // namespace
}  // namespace tri::app::gui
