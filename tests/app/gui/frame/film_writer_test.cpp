// Frames reach the sink in their order, on another thread; a failure ends it with its reason, and nothing is lost.

#include "app/gui/frame/film_writer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "sim/base/error.hpp"

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
  writer.add({k, 1, std::vector<u8>(std::size_t{k} * 3)}, {{"k", std::to_string(k)}});
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

}  // namespace
}  // namespace tri::app::gui
