// Frames: films, the meter, the log of memory, pages.
//
// Frames reach the sink in their order, on another thread; a failure ends it with its reason, and nothing is lost.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include "app/gui/frame/frame.hpp"
#include "app/gui/frame/page.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/frame/scene_picture.hpp"
#include "app/gui/frame/view_app.hpp"
#include "app/gui/panels/panels.hpp"
#include "render/offscreen.hpp"
#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "tests/app/gui/base/gui_support.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app::gui {
namespace {

struct Seen {
  std::vector<std::string> frames;
  bool finished = false, gone = false;
  std::atomic<bool> open{true};  ///< else the sink waits
};

class TestSink final : public render::FrameSink {
 public:
  TestSink(Seen& seen, std::size_t most) : seen_(seen), most_(most) {}
  ~TestSink() override { seen_.gone = true; }
  void add(const render::Image& image, const render::ImageTexts& texts) override {
    while (!seen_.open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (seen_.frames.size() == most_) throw FileError("the disk is full.");
    seen_.frames.push_back(texts.at("k") + " " + std::to_string(image.width));
  }
  void add(const render::AlphaImage&, const render::ImageTexts&) override {}
  void finish() override { seen_.finished = true; }

 private:
  Seen& seen_;
  std::size_t most_;
};

void add(FilmWriter& writer, u32 k) {
  while (!writer.has_room()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  writer.add(render::Image{k, 1, std::vector<u8>(std::size_t{k} * 3)}, {{"k", std::to_string(k)}});
}

TEST(FilmWriterTest, WritesEveryFrameInOrder) {
  Seen seen;
  FilmWriter writer(std::make_unique<TestSink>(seen, 1000));
  std::vector<std::string> want;
  for (u32 k = 1; k <= 50; ++k) {
    add(writer, k);
    want.push_back(std::to_string(k) + " " + std::to_string(k));
  }
  writer.finish();
  writer.wait();
  EXPECT_EQ(seen.frames, want);
  EXPECT_TRUE(seen.finished && seen.gone);
  EXPECT_EQ(writer.failure(), "");
}

TEST(FilmWriterTest, HoldsTwoFramesAtMost) {
  Seen seen;
  seen.open = false;
  FilmWriter writer(std::make_unique<TestSink>(seen, 1000));
  add(writer, 1), add(writer, 2);
  while (!writer.has_room()) std::this_thread::yield();  // the first is in the sink
  add(writer, 3);
  EXPECT_FALSE(writer.has_room());
  seen.open = true;
  writer.finish();
  writer.wait();
  EXPECT_EQ(seen.frames.size(), 3u);
}

TEST(FilmWriterTest, AFailureEndsIt) {
  Seen seen;
  FilmWriter writer(std::make_unique<TestSink>(seen, 2));
  for (u32 k = 1; k <= 3; ++k) add(writer, k);
  writer.wait();
  EXPECT_EQ(writer.failure(), "the disk is full.");
  EXPECT_EQ(seen.frames.size(), 2u);
  EXPECT_TRUE(seen.gone && !seen.finished);
}

TEST(FilmWriterTest, WithoutFinishTheSinkIsNotFinished) {
  Seen seen;
  { FilmWriter writer(std::make_unique<TestSink>(seen, 9)); }
  EXPECT_TRUE(seen.gone && !seen.finished);
}

// The frame meter: each lap is one part's, and the parts are the frame.

TEST(FrameMeter, PartsAreTheFrameWithoutAGap) {
  FrameMeter meter(false);
  FrameState frames;
  const auto work = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  const double begin = clock_s();
  meter.begin(begin);
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    work(static_cast<int>(k) + 2);
    meter.lap(static_cast<FramePart>(k));
  }
  work(5);
  const double least = (clock_s() - begin) * 1e3;
  meter.lap(FramePart::steps);  // a part may come again
  const double most = (clock_s() - begin) * 1e3;
  meter.add(frames);
  ASSERT_EQ(frames.costs.size(), 1u);
  const FrameCost& cost = frames.costs.back();
  EXPECT_GE(static_cast<double>(cost.whole()), least - 0.01);
  EXPECT_LE(static_cast<double>(cost.whole()), most + 0.01);
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    const double slept = static_cast<double>(k) + 2 + (k == static_cast<std::size_t>(FramePart::steps) ? 5 : 0);
    EXPECT_GE(static_cast<double>(cost.parts[k]), slept) << kFrameParts[k].name;
  }
  meter.begin(clock_s());
  meter.add(frames);
  EXPECT_EQ(frames.costs.back().whole(), 0.0f) << "nothing of the frame before";
}

/// Nothing moves until an event comes: that is no input.
TEST(FrameMeter, WaitingForAnEventIsNoPartOfAFrame) {
  FrameMeter meter(false);
  FrameState frames;
  const auto work = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  for (int k = 0; k < 2; ++k) {
    meter.begin(clock_s());
    work(40), meter.rest();
    work(40), meter.rest();
    work(3), meter.lap(FramePart::input);
    work(3), meter.lap(FramePart::scene);
    meter.add(frames);
    const FrameCost& cost = frames.costs.back();
    EXPECT_GE(cost.rest, 80.0f);
    EXPECT_GE(cost.parts[static_cast<std::size_t>(FramePart::input)], 3.0f);
    EXPECT_LT(cost.parts[static_cast<std::size_t>(FramePart::input)], 40.0f);
    EXPECT_LT(cost.whole(), 70.0f);
  }
  ASSERT_EQ(frames.work.frames().size(), 2u);
  EXPECT_GT(frames.work.frames()[1].begin, frames.work.frames()[0].end + 0.08) << "no lane is busy meanwhile";
}

TEST(FrameMeter, KeepsTheLastFramesAndWhatTheirBodiesCost) {
  FrameMeter meter(false);
  FrameState frames;
  for (std::size_t k = 0; k < FrameState::kMaxFrames + 10; ++k) {
    meter.begin(clock_s());
    meter.now.gpu = {.count = 1, .place = 2, .splat = 4, .draw = 8, .tone = static_cast<double>(k)};
    meter.add(frames);
  }
  ASSERT_EQ(frames.costs.size(), FrameState::kMaxFrames);
  EXPECT_EQ(frames.costs.front().drawing, 15.0f + 10);
  EXPECT_EQ(frames.costs.back().drawing, 15.0f + FrameState::kMaxFrames + 9);
  EXPECT_EQ(frames.costs.back().whole(), 0.0f) << "what is drawn at the same time is no part of the frame";
}

TEST(FrameMeter, CountsTheFramesThatReachTheDisplay) {
  FrameMeter meter(false);
  FrameState frames;
  meter.count_shown(100, {}, frames);
  meter.count_shown(100.4, {.frames = 100}, frames);
  EXPECT_EQ(frames.shown_per_second, 0) << "too early";
  meter.count_shown(100.5, {.frames = 30}, frames);
  EXPECT_DOUBLE_EQ(frames.shown_per_second, 60);
  meter.count_shown(100.75, {.frames = 1000}, frames);
  EXPECT_DOUBLE_EQ(frames.shown_per_second, 60);
  meter.count_shown(101.5, {.frames = 40}, frames);
  EXPECT_DOUBLE_EQ(frames.shown_per_second, 10) << "since the last count, not since the first";
}

/// What a measured run says of frames of these lengths in ms, one after the other, each half input and half panels. The
/// frames from `first` to `last` are drawn while one is presented.
std::string report_of(const std::vector<double>& lengths, bool keep, std::size_t first = 1, std::size_t last = 0) {
  FrameMeter meter(keep);
  FrameState frames;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const double ms = lengths[k];
    meter.now = {};
    meter.now.parts[static_cast<std::size_t>(FramePart::input)] = ms / 2;
    meter.now.parts[static_cast<std::size_t>(FramePart::panels)] = ms / 2;
    meter.now.gpu.splat = 3 * ms;
    const u64 begun = first <= last && k >= first ? 1 : 0;
    meter.count_shown(0, {.begun = begun, .frames = k >= last ? begun : 0}, frames);
    meter.add(frames);
  }
  for (const WorkLane lane : {WorkLane::draw_thread, WorkLane::step_thread, WorkLane::gpu_step}) {
    for (const u8 depth : {u8{0}, u8{1}}) {
      meter.worked({kWorkLaneNames[static_cast<std::size_t>(lane)], lane, depth, 0, 1e9 * (1 + depth)});
    }
  }
  std::FILE* const err = std::tmpfile();
  {
    Console console(stdout, err, Console::Level::verbose);
    meter.report(console, {}, "800x600", "llvmpipe", {.frames = 4, .ms = 10});
  }
  std::string text(1 << 16, '\0');
  std::rewind(err);
  text.resize(std::fread(text.data(), 1, text.size(), err));
  std::fclose(err);
  return text;
}

TEST(FrameMeter, ReportsMediansOfTheWholeAndMeansOfTheParts) {
  EXPECT_EQ(report_of({1, 2, 3}, false), "") << "only of a measured run";
  const std::string text = report_of({1, 2, 3, 4, 90}, true);
  test::expect_parts(text, {"5 frames of 800x600", "median 3 ms", "longest 90 ms", "2.5 ms each",
                            "a frame in the mean: 20.0000 ms = input 10.0000, steps 0.0000,", "panels 10.0000, present",
                            "bodies drawn by the llvmpipe: 9 ms (range 0, place 0, splat 9, draw 0, light 0, tone 0)"});
}

TEST(FrameMeter, SharesTheTimeOutAmongThePartsOfASessionsWork) {
  const std::string text = report_of({1}, true);
  const char* const at = std::strstr(text.c_str(), "work on the state");
  double drawing = 0, stepping = 0;
  ASSERT_NE(at, nullptr) << text;
  ASSERT_EQ(
      std::sscanf(at, "work on the state, of the time: draw-thread %lf %%, step-thread %lf %%", &drawing, &stepping),
      2);
  EXPECT_NEAR(drawing / stepping, 2, 1e-3) << "parts within a part count once, those of the GPU not at all";
}

TEST(FrameMeter, TellsFramesApartThatThePresentationDelays) {
  const std::vector<double> lengths{1, 2, 50, 60, 3, 4, 2};
  test::expect_parts(report_of(lengths, true, 2, 3), {"median 3 ms, p99 59.4 ms, longest 60 ms",
                                                      "frames while the display took none: median 2 ms, p99 3.96 ms"});
  test::expect_parts(report_of({7, 8}, true, 0, 1), {"frames while the display took none: median 0 ms, p99 0 ms"});
}

TEST(FrameMeter, ForgetsTheOldestFramesOfALongRun) {
  constexpr std::size_t kKept = 1u << 15;
  std::vector<double> lengths(kKept + kKept / 4, 1.0);
  for (std::size_t k = 0; k < kKept / 4; ++k) lengths[k] = 1000, lengths[kKept + k] = 5;
  const std::string text = report_of(lengths, true);
  test::expect_parts(text, {"40960 frames of", "longest 5 ms", "a frame in the mean: 2.0000 ms"});
}

// A run that others pause goes on after them.

TEST(Settling, LastsSomeTimeAndSomeFramesHoweverLongTheyTake) {
  Settling slow;
  slow.begin(10);
  for (int frame = 1; frame <= 3; ++frame) {
    slow.drawn();
    EXPECT_FALSE(slow.is_over(10 + 5.0 * frame)) << frame;
  }
  slow.drawn();
  EXPECT_TRUE(slow.is_over(30));
  slow.begin(30);
  EXPECT_FALSE(slow.is_over(1000));
  for (int frame = 0; frame < 40; ++frame) slow.drawn();
  EXPECT_FALSE(slow.is_over(30.5));
  EXPECT_TRUE(slow.is_over(31));
}

TEST(Settling, NobodyRestsWhileSomethingIsAskedFor) {
  const GuiState nothing;
  EXPECT_FALSE(asks_for_frame(nothing));
  const auto asks = [](auto&& ask) {
    GuiState state;
    ask(state);
    return asks_for_frame(state);
  };
  EXPECT_TRUE(asks([](GuiState& s) { s.film.start = true; }));
  EXPECT_TRUE(asks([](GuiState& s) { s.film.stop = true; }));
  EXPECT_TRUE(asks([](GuiState& s) { s.picture.start = true; }));
  EXPECT_TRUE(asks([](GuiState& s) { s.second.on = true; }));
  EXPECT_TRUE(asks([](GuiState& s) { s.pending.record = true; }));
  EXPECT_TRUE(asks([](GuiState& s) { s.pending.open = "a.csv"; }));
  EXPECT_TRUE(asks([](GuiState& s) { s.pending.pick.emplace(); }));
  EXPECT_TRUE(asks([](GuiState& s) { s.pending.text_file.emplace(); }));
}

TEST(PausedRun, GoesOnAfterTheLastUnlessSomebodyElseHasActed) {
  Session s(make_backend("cpu"), {"plummer:n=8"}, {});
  PausedRun paused;
  const auto is_running = [&] { return s.model().running; };
  paused.pause(s);
  paused.go_on(s, false);
  EXPECT_FALSE(is_running()) << "it was paused before";
  s.apply(ask::Run{true});
  paused.pause(s);
  EXPECT_FALSE(is_running());
  paused.go_on(s, true);
  paused.pause(s);  // by another one
  paused.go_on(s, true);
  EXPECT_FALSE(is_running());
  paused.go_on(s, false);
  EXPECT_TRUE(is_running());
  paused.pause(s);
  s.apply(ask::Run{true}), paused.go_on(s, true);  // by hand,
  s.apply(ask::Run{false}), paused.go_on(s, false);
  EXPECT_FALSE(is_running()) << "and paused again";
  s.apply(ask::Run{true});
  paused.pause(s);
  s.apply(ask::Open{"plummer:n=9"});
  paused.go_on(s, false);
  EXPECT_FALSE(is_running()) << "another scene";
}

TEST(PausedRun, GoesOnToWhereItWasToRest) {
  Session s(make_backend("cpu"), {"plummer:n=8,dt=0.01"}, {});
  PausedRun paused;
  s.apply(ask::RunUntil{1.0});
  paused.pause(s);
  EXPECT_FALSE(s.model().until);
  paused.go_on(s, false);
  EXPECT_TRUE(s.model().running);
  EXPECT_EQ(s.model().until, 1.0);
  paused.pause(s);
  s.apply(ask::Take{100});  // a film came there
  while (s.asked_for_steps()) s.advance(1);
  paused.go_on(s, false);
  EXPECT_FALSE(s.model().running);
  EXPECT_TRUE(s.model().notices.empty() || !s.model().notices.back().error);
}

// Hands: what a stroke in the scene asks for.

struct TouchStrokes : testing::Test {
  Session session{make_backend("cpu"), {"solar-system"}, {}};
  GuiState state;
  TouchScene touch;
  Requests requests;
  const Rect scene{0, 0, 800, 600};

  TouchStrokes() {
    state.view.camera.pose = {{0, 0, 0}, 30, 0.4f, 0.7f};
    state.view.lengths.extent = 30;
    state.touch.tool = Tool::add;
  }
  /// From one pixel to another, or none.
  void stroke(Pixels from, Pixels to) {
    state.touch.stroke = Stroke{from, to, true};
    work();
  }
  void work() {
    requests.clear();
    touch.work(session, state, scene, requests);
    session.apply(requests);
    touch.look(session, state, 0);
  }
};

TEST_F(TouchStrokes, APlanetLandsInThePlaneOfTheOthersAndGoesRound) {
  const auto plane = orbit_plane(session.bodies());
  ASSERT_TRUE(plane);
  const auto height = [&](const std::array<double, 3>& v) {
    return (v[0] * plane->normal[0] + v[1] * plane->normal[1] + v[2] * plane->normal[2]) / std::hypot(v[0], v[1], v[2]);
  };
  stroke({520, 380}, {560, 300});
  ASSERT_EQ(session.model().n, 10u);
  EXPECT_EQ(state.view.selected, 9u) << "its numbers are at hand";
  BodyValues planet = values_of(session.bodies(), 9);
  EXPECT_LT(std::abs(height(planet.place)), 1e-4);
  EXPECT_LT(std::abs(height(planet.velocity)), 1e-4);
  const auto at = pixels_of(state.view.camera, scene, planet.place);
  ASSERT_TRUE(at);
  EXPECT_NEAR((*at)[0], 520, 0.1);
  state.view.rounds = true;
  work();
  planet = values_of(session.bodies(), 9);
  const double r = std::hypot(planet.place[0], planet.place[1], planet.place[2]);
  EXPECT_NEAR(std::hypot(planet.velocity[0], planet.velocity[1], planet.velocity[2]), 1 / std::sqrt(r), 0.01);
  session.apply(ask::Take{2000});
  session.advance(1e9);
  const BodyValues later = values_of(session.bodies(), 9);
  EXPECT_NEAR(std::hypot(later.place[0], later.place[1], later.place[2]), r, 0.02 * r);
}

TEST_F(TouchStrokes, ASelectionIsThrownWithBothFutures) {
  const auto pixels = [&](u32 body) {
    return pixels_of(state.view.camera, scene, values_of(session.bodies(), body).place).value();
  };
  const std::vector<u32> both = state.touch.selection.bodies = {5, 7};
  const Pixels from = pixels(5), to{from[0] + 60, from[1] - 40};
  const Bodies before = session.bodies();
  state.touch.stroke = Stroke{from, to, false};
  work();
  ASSERT_TRUE(state.touch.draft);
  const Draft draft = *state.touch.draft;
  EXPECT_EQ(draft.bodies, both);
  EXPECT_EQ(draft.mass, before.m[5] + before.m[7]);
  ASSERT_GT(std::min(draft.path.places.size(), draft.unthrown.places.size()), 10u);
  EXPECT_EQ(draft.path.places[0], draft.unthrown.places[0]);
  EXPECT_NE(draft.path.places[10], draft.unthrown.places[10]);
  state.touch.stroke->done = true;
  work();
  const Bodies now = session.bodies();
  for (const u32 i : {5u, 7u}) {
    EXPECT_NEAR(now.vx[i] - before.vx[i], draft.velocity[0] - draft.before[0], 1e-6);
    EXPECT_NEAR(now.vy[i] - before.vy[i], draft.velocity[1] - draft.before[1], 1e-6);
    EXPECT_EQ(now.x[i], before.x[i]);
  }
  EXPECT_EQ(now.vx[6], before.vx[6]);
  stroke(pixels(6), {pixels(6)[0] + 50, pixels(6)[1]});
  EXPECT_EQ(session.bodies().vx[5], now.vx[5]) << "a body that is not selected is thrown alone";
  EXPECT_NE(session.bodies().vx[6], now.vx[6]);
  EXPECT_FALSE(state.touch.selection.velocity) << "no panel shows it";
  state.touch.selection.in_sight = true, work();
  ASSERT_TRUE(state.touch.selection.velocity);
  EXPECT_NEAR((*state.touch.selection.velocity)[0],
              (now.m[5] * now.vx[5] + now.m[7] * now.vx[7]) / (now.m[5] + now.m[7]), 1e-6);
}

// When the memory of a long run is sampled.

TEST(MemoryLog, SamplesAtOneTwoAndFiveTimesEveryPowerOfTen) {
  MemoryLog log;
  for (u64 frame = 1; frame <= 60'000; ++frame) log.frame(frame);
  const std::string text = log.text();
  std::vector<u64> seen;
  const std::regex entry("after ([0-9]+) frames");
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    seen.push_back(std::stoull((*found)[1]));
  }
  EXPECT_EQ(seen, (std::vector<u64>{1000, 2000, 5000, 10'000, 20'000, 50'000})) << text;
  EXPECT_GT(resident_bytes(), 1'000'000u);
}

// What a page takes at most: tests/app/gui/page_test.py reads its places.

std::vector<Instance> moved(std::vector<Instance> bodies, float by, std::mt19937* anywhere) {
  for (Instance& b : bodies) {
    const auto next = [&](float x) {
      return anywhere != nullptr ? static_cast<float>((*anywhere)() >> 8) * 0x1p-24f : x + by * (1 + x);
    };
    b.x = next(b.x), b.y = next(b.y), b.z = next(b.z), b.speed = next(b.speed);
  }
  return bodies;
}

TEST(RunTrack, FitsInItsBytesWhateverTheMotion) {
  constexpr std::size_t kBodies = 4096, kFrames = 24;
  constexpr double kShare = static_cast<double>(kBodies * kFrames) / static_cast<double>(RunTrack::kMaxPlaces);
  const auto most = static_cast<u64>(kShare * 0.745 * static_cast<double>(RunPage::kMaxBytes));
  std::mt19937 numbers(7);
  std::vector<Instance> start(kBodies);
  for (std::size_t i = 0; i < kBodies; ++i) start[i].id = static_cast<u32>(i);
  start = moved(start, 0, &numbers);
  RunTrack smooth(kBodies, kFrames), wild(kBodies, kFrames);
  for (std::size_t f = 0; f < kFrames; ++f) {
    smooth.add(moved(start, 0.001f * static_cast<float>(f), nullptr), render::Quantity::speed);
    wild.add(moved(start, 0, &numbers), render::Quantity::speed);
  }
  const PackedRun easy = smooth.packed(false, {}, most), hard = wild.packed(false, {}, most);
  EXPECT_EQ(easy.bits, RunTrack::kMaxBits);
  EXPECT_LT(easy.bytes.size(), most);
  EXPECT_GE(hard.bits, RunTrack::kMinBits);
  EXPECT_LE(hard.bytes.size(), most) << hard.bits;
  EXPECT_GT(hard.error, 100 * easy.error) << "coarser places are told";
  EXPECT_THROW(RunTrack(65'537, 300), ConfigError);
  start[9].y = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(smooth.add(start, render::Quantity::speed), NumericalError);
}

TEST(Pictures, ANameWithoutAnExtensionIsThatOfAPng) {
  const test::TempFolder folder;
  const std::string figure = folder.at("figure");
  EXPECT_EQ(picture_file(figure), figure + ".png");
  EXPECT_EQ(picture_file(figure + ".png"), figure + ".png");
  folder.file("figure.png", "taken");
  EXPECT_EQ(picture_file(figure), figure + "-2.png");
  EXPECT_THROW(picture_file(figure + ".mp4"), ConfigError);
}

class LargePicture : public testing::Test {
 protected:
  LargePicture() {
    scene.open(session, state.view);
    scene.publish(session, state.view, {});
    state.picture.form = {3840, 2160, 0, Ground::white, {true, true, true, true}};
    state.picture.path = folder.at("p.png"), state.picture.start = true;
  }
  /// A frame of the window.
  void work() {
    run.work(session, state, scene);
    if (state.picture.share) {
      EXPECT_GE(*state.picture.share, last);
      EXPECT_NE(state.overlay.waiting.find("3840 \u00d7 2160"), std::string::npos);
      last = *state.picture.share;
    }
  }
  bool is_there() const { return std::filesystem::exists(folder.at("p.png")); }

  const test::TempFolder folder;
  const render::Offscreen screen{64, 36, render::Offscreen::Driver::software};
  const RunConfig config;
  Session session{make_backend("cpu"), {"plummer:n=512"}, {}};
  GuiState state;
  SceneDisplay scene{config};
  PictureRun run{config};
  double last = 0;
};

TEST_F(LargePicture, IsDrawnBetweenFramesOfTheWindowAsInOneGo) {
  int frames = 0;
  do {
    work(), ++frames;
    EXPECT_TRUE(state.picture.busy);
  } while (run.draws());
  EXPECT_GT(frames, 3);
  EXPECT_GT(last, 0.5);
  EXPECT_FALSE(state.picture.share);
  EXPECT_EQ(state.overlay.waiting, "");
  run.end(session, state);
  ASSERT_TRUE(is_there());
  SceneView view = state.view;
  view.aspect = 3840 / 2160.f;
  render::Camera whole = view.camera;
  view.lengths = fit_camera(whole, session, view.aspect);
  ScenePicture at_once("", state.picture.form, session);
  const auto want = at_once.take(session, view, scene.bodies(), nullptr, nullptr, 1);
  EXPECT_EQ(render::read_png(folder.at("p.png")).rgb, std::get<render::Image>(want).rgb);
}

TEST_F(LargePicture, EscDropsItAndNothingIsWritten) {
  state.panels.open = "View";
  work();
  ASSERT_TRUE(run.draws());
  Requests requests;
  on_key({GLFW_KEY_ESCAPE}, session.model(), state, requests);
  EXPECT_EQ(state.panels.open, "View") << "nothing else is closed";
  work();
  EXPECT_FALSE(run.draws() || state.picture.busy || state.picture.share);
  EXPECT_EQ(state.overlay.waiting, "");
  run.end(session, state);
  EXPECT_FALSE(is_there());
  EXPECT_TRUE(session.model().notices.empty());
  on_key({GLFW_KEY_ESCAPE}, session.model(), state, requests);
  EXPECT_EQ(state.panels.open, "");
  state.picture.start = true, last = 0, work();
  EXPECT_TRUE(run.draws()) << "the next one";
  run.end(session, state);
  EXPECT_TRUE(is_there()) << "the end of the window waits for it";
}

/// Planets are some pixels wide: the mean of 64 alone made their pictures on the timeline black.
TEST(Thumbs, ShowABodyOfOnePixel) {
  render::Image image{16, 8, {}};
  image.rgb.assign(std::size_t{3} * 16 * 8, 10);
  image.rgb[3 * (3 * 16 + 5) + 1] = 250;
  const render::Image small = in_small(image, 8);
  ASSERT_EQ(small.width, 2u);
  ASSERT_EQ(small.height, 1u);
  EXPECT_EQ(small.at(0, 0)[0], 10);
  EXPECT_EQ(small.at(0, 0)[1], (13 + 250) / 2);
  EXPECT_EQ(small.at(1, 0)[1], 10) << "what is even stays";
}

class SceneNames : public PanelFixture {
 protected:
  std::vector<ImVec2> drawn(const Rect& free) {
    std::vector<ImVec2> places;
    ImGui::NewFrame();
    overlay(model, state, {48, 0, 824, 668}, free);
    for (const ImDrawVert& v : ImGui::GetBackgroundDrawList()->VtxBuffer) places.push_back(v.pos);
    ImGui::Render();
    return places;
  }
};

/// An open panel cut the names of planets at its edge.
TEST_F(SceneNames, StandBesideAnOpenPanel) {
  state.view.axes = false;
  const std::size_t others = drawn({48, 0, 824, 668}).size();
  state.view.labels = {{"Neptune", {}, 0}};  // in the middle
  EXPECT_GT(drawn({48, 0, 824, 668}).size(), others);
  for (const float left : {420.0f, 464.0f, 480.0f, 500.0f}) {
    const auto places = drawn({left, 0, 872 - left, 668});
    EXPECT_TRUE(std::all_of(places.begin(), places.end(), [&](ImVec2 p) { return p.x >= left; })) << left;
  }
}

/// Only the first of two runs had them.
TEST_F(SceneNames, StandInEachOfTwoRuns) {
  state.view.axes = false, state.second.shown = true;
  const std::size_t others = drawn({48, 0, 1648, 668}).size();
  state.second.labels = {{"Neptune", {}, 0}};
  const auto places = drawn({48, 0, 1648, 668});
  ASSERT_GT(places.size(), others);
  EXPECT_TRUE(std::any_of(places.begin(), places.end(), [](ImVec2 p) { return p.x > 872; }));
  state.view.names = false;
  EXPECT_EQ(drawn({48, 0, 1648, 668}).size(), others);
}

/// The z of an axis stood in the line that says where one of two runs is.
TEST_F(SceneNames, OfAxesLeaveTheHeadOfTheSceneAlone) {
  state.view.axes = true;
  for (const bool two : {false, true}) {
    state.second.shown = two;
    float top = 1e9f;
    for (state.view.camera.pose.distance = 1; state.view.camera.pose.distance < 9;) {
      for (const ImVec2 p : drawn({48, 0, 824, 668})) {
        top = std::min(top, p.y);
        EXPECT_TRUE(p.x >= 48 && p.x <= (two ? 872 + 824 : 872)) << p.x << " at " << state.view.camera.pose.distance;
      }
      state.view.camera.pose.distance *= 1.02f;
    }
    EXPECT_GE(top, two ? 100 : 44);
    EXPECT_LE(top, two ? 140 : 90) << "there is one below";
  }
}

/// The first 48 names of 600 stood over a scene.
TEST(BodyLabels, AreThoseOfAllNamedBodiesOrNone) {
  const test::TempFolder folder;
  for (const std::size_t n : {std::size_t{48}, std::size_t{49}}) {
    std::string text = "name,x,y,z\n";
    for (std::size_t k = 0; k < n; ++k) text += fmt::format("s{},{},0,0\n", k, k);
    const Session session(make_backend("cpu"), {folder.file("named.csv", text)}, {});
    SceneView view;
    view.labels.resize(3);
    label_bodies(session, view.labels);
    EXPECT_EQ(view.labels.size(), n == 48 ? n : 0);
  }
}

}  // namespace
}  // namespace tri::app::gui
