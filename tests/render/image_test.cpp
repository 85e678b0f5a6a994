// PNG files: pixels and texts round trip; other files are rejected with their name.

#include <sys/stat.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <gtest/gtest.h>

#include "render/image.hpp"
#include "sim/base/error.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::render {
namespace {

using Png = test::InFolder;

Image noise(u32 width, u32 height) {
  Image p{width, height, std::vector<u8>(std::size_t{width} * height * 3)};
  u32 state = 1;
  for (u8& byte : p.rgb) byte = static_cast<u8>((state = state * 1664525u + 1013904223u) >> 24);
  return p;
}

TEST_F(Png, PixelsRoundTrip) {
  for (const auto& [w, h] : {std::pair{1u, 1u}, {7u, 3u}, {257u, 64u}}) {
    const Image before = noise(w, h);
    write_png(path("a.png"), before, {});
    const Image after = read_png(path("a.png"));
    EXPECT_EQ(after.width, w);
    EXPECT_EQ(after.height, h);
    EXPECT_EQ(after.rgb, before.rgb);
  }
}

TEST_F(Png, TextsRoundTrip) {
  const ImageTexts texts{{"Software", "Triangulum"}, {"triangulum", std::string(5000, 'x') + "\nmap=lambda"}};
  write_png(path("a.png"), noise(4, 4), texts);
  EXPECT_EQ(read_png_texts(path("a.png")), texts);
}

TEST_F(Png, OtherFilesAreRejected) {
  std::ofstream(path("b.png")) << "x,y,z\n";
  write_png(path("c.png"), noise(64, 64), {});
  std::filesystem::resize_file(path("c.png"), 300);
  for (const char* name : {"none.png", "b.png", "c.png"}) {
    try {
      read_png(path(name));
      FAIL() << name;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

// A header alone says what decoding would cost.
TEST_F(Png, HugePicturesAreRefusedWithTheirSize) {
  std::string header("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60", 24);
  header += std::string("\x08\x02\0\0\0", 5);
  std::ofstream(path("huge.png"), std::ios::binary) << header;
  for (const auto& read : {std::function<void()>([&] { read_png(path("huge.png")); }),
                           std::function<void()>([&] { read_png_texts(path("huge.png")); })}) {
    const std::string said = test::message_of<FileError>(read);
    test::expect_parts(said, {"huge.png: the picture has 60000 x 60000 pixels, more than the 268435456"});
  }
}

TEST_F(Png, ManyChunksAreRefused) {
  ImageTexts texts;
  for (int k = 0; k < 60; ++k) texts["key " + std::to_string(k)] = "text";
  write_png(path("some.png"), noise(4, 4), texts);
  EXPECT_EQ(read_png_texts(path("some.png")), texts);
  for (int k = 60; k < 70; ++k) texts["key " + std::to_string(k)] = "text";
  write_png(path("many.png"), noise(4, 4), texts);
  const std::string said = test::message_of<FileError>([&] { read_png_texts(path("many.png")); });
  test::expect_parts(said, {"many.png: more than 64 chunks"});
}

TEST_F(Png, AMissingFolderIsReported) { EXPECT_THROW(write_png(path("no/a.png"), noise(1, 1), {}), FileError); }

// Frame sinks: complete files under their final names, and an error message with a remedy for every failure. Scripts
// stand for ffmpeg.

namespace fs = std::filesystem;
using test::content_of;

Image chequered(u32 width, u32 height, u8 seed) {
  Image p{width, height, {}};
  for (u32 k = 0; k < width * height * 3; ++k) p.rgb.push_back(static_cast<u8>(k * 7 + seed));
  return p;
}

std::string bytes(const Image& p) { return {p.rgb.begin(), p.rgb.end()}; }

/// A temporary folder, which is also the whole PATH.
class FrameSinkTest : public test::InFolder {
 protected:
  FrameSinkTest() {
    std::signal(SIGPIPE, SIG_IGN);
    fs::create_directory(in("bin"));
    path_before = std::getenv("PATH");
    setenv("PATH", ("/nowhere:" + in("bin")).c_str(), 1);
  }
  ~FrameSinkTest() override { setenv("PATH", path_before.c_str(), 1); }

  std::string in(const std::string& name) const { return path(name); }
  /// Installs a script as ffmpeg.
  void play(const std::string& script) const {
    fs::permissions(folder_.file("bin/ffmpeg", "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script + "\n"),
                    fs::perms::owner_all);
  }
  std::size_t files() const { return folder_.names().size() - 1; }
  template <class F>
  std::string refused(F&& f) const {
    return test::message_of<FileError>(std::forward<F>(f));
  }

  std::string path_before;
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(FrameSinkTest, CreatesAFolderAndNumbersTheFrames) {
  const auto sink = make_folder_sink(in("a/b/"));
  for (u8 k = 0; k < 3; ++k) sink->add(chequered(7, 5, k), {{"Title", "t" + std::to_string(k)}});
  sink->finish();
  for (u8 k = 0; k < 3; ++k) {
    const std::string name = in("a/b/frame_00000" + std::to_string(k + 1) + ".png");
    EXPECT_EQ(read_png(name).rgb, chequered(7, 5, k).rgb);
    EXPECT_EQ(read_png_texts(name).at("Title"), "t" + std::to_string(k));
  }
  EXPECT_FALSE(fs::exists(in("a/b/frame_000004.png")));
}

TEST_F(FrameSinkTest, EarlierFramesAreKept) {
  fs::create_directory(in("d"));
  std::ofstream(in("d/notes.txt")) << "mine";
  EXPECT_NO_THROW(make_folder_sink(in("d")));
  std::ofstream(in("d/frame_000009.png")) << "old";
  EXPECT_TRUE(holds(refused([&] { make_folder_sink(in("d")); }), "frame_000009.png"));
  EXPECT_EQ(content_of(in("d/frame_000009.png")), "old");
}

TEST_F(FrameSinkTest, InvalidFolders) {
  std::ofstream(in("file")) << "x";
  EXPECT_TRUE(holds(refused([&] { make_folder_sink(in("file")); }), "a file has that name"));
  EXPECT_TRUE(holds(refused([&] { make_folder_sink(in("file/below")); }), "cannot create the folder"));
  EXPECT_TRUE(holds(refused([&] { make_image_sink(in("nowhere/a.png")); }), "nowhere"));
  EXPECT_EQ(content_of(in("file")), "x");
}

TEST_F(FrameSinkTest, ASinglePictureIsTheLastFrame) {
  const auto sink = make_image_sink(in("p.png"));
  EXPECT_FALSE(fs::exists(in("p.png")));
  sink->add(chequered(4, 4, 1), {});
  sink->add(chequered(4, 4, 2), {});
  sink->finish();
  EXPECT_EQ(read_png(in("p.png")).rgb, chequered(4, 4, 2).rgb);
  EXPECT_EQ(files(), 1u);
}

TEST_F(FrameSinkTest, FfmpegGetsEveryByteAndTheFileIsRenamedAtTheEnd) {
  play("for a; do echo \"$a\"; done > '" + in("words") + "'\nfor a; do last=$a; done\ncat > \"$last\"");
  const Image one = chequered(640, 480, 1), two = chequered(640, 480, 99);  // larger than a pipe buffer
  std::ofstream(in("f.mp4")) << "an earlier video";
  {
    const auto sink = make_video_sink(in("f.mp4"), 24);
    sink->add(one, {{"Title", "A title"}, {"triangulum", "scene = plummer\nn = 3"}, {"Software", "no"}});
    sink->add(two, {});
    EXPECT_EQ(content_of(in("f.mp4")), "an earlier video");
    sink->finish();
  }
  EXPECT_TRUE(content_of(in("f.mp4")) == bytes(one) + bytes(two));
  const std::string words = content_of(in("words"));
  for (const char* part : {"-video_size\n640x480\n", "-framerate\n24\n", "-i\npipe:0\n", "rgb24\n", "title=A title\n",
                           "comment=scene = plummer\nn = 3\n", "-f\nmp4\n"}) {
    EXPECT_TRUE(holds(words, part)) << part << "not in\n" << words;
  }
  EXPECT_FALSE(holds(words, "Software"));
  EXPECT_EQ(files(), 2u);  // no temporary file
}

TEST_F(FrameSinkTest, AVideoNeedsNoTemporaryFolder) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nowhere", 1);
  play("for a; do last=$a; done\ncat > \"$last\"");
  const auto sink = make_video_sink(in("f.mp4"), 24);
  sink->add(chequered(64, 48, 1), {});
  sink->finish();
  EXPECT_EQ(content_of(in("f.mp4")).size(), 64u * 48 * 3);
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST_F(FrameSinkTest, AnUnfinishedVideoLeavesNoFile) {
  play("for a; do last=$a; done\ncat > \"$last\"");
  make_video_sink(in("f.mp4"), 30)->add(chequered(64, 64, 1), {});
  EXPECT_EQ(files(), 0u);
  make_video_sink(in("f.mp4"), 30)->finish();  // no frames, no video
  EXPECT_EQ(files(), 0u);
}

TEST_F(FrameSinkTest, WithoutFfmpegTheErrorNamesTheRemedy) {
  EXPECT_FALSE(video_available());
  fs::create_directory(in("bin/ffmpeg"));  // a folder cannot be run
  EXPECT_FALSE(video_available());
  const std::string why = refused([&] { make_video_sink(in("f.mp4"), 30); });
  EXPECT_TRUE(holds(why, "not in PATH") && holds(why, "Install ffmpeg") && holds(why, "folder")) << why;
  EXPECT_EQ(files(), 0u);
  fs::remove(in("bin/ffmpeg"));
  play("exit 0");
  EXPECT_TRUE(video_available());
}

TEST_F(FrameSinkTest, FfmpegThatFailsIsQuoted) {
  std::ofstream(in("f.mp4")) << "an earlier video";
  // Fails at once, after reading some input, at the end.
  for (const char* way : {"", "head -c 5000000 > /dev/null;", "cat > /dev/null;"}) {
    play(std::string(way) + " echo '[mp4 @ 0x51] Unknown encoder.' >&2; echo more >&2; exit 1");
    const std::string why = refused([&] {
      const auto sink = make_video_sink(in("f.mp4"), 30);
      for (int k = 0; k < 10; ++k) sink->add(chequered(1024, 768, 3), {});
      sink->finish();
    });
    EXPECT_TRUE(holds(why, "ffmpeg failed: Unknown encoder. No video")) << way << why;
  }
  play("kill -9 $$");
  EXPECT_TRUE(holds(refused([&] {
                      const auto sink = make_video_sink(in("f.mp4"), 30);
                      sink->add(chequered(64, 64, 3), {});
                      sink->finish();
                    }),
                    "no error message"));
  EXPECT_EQ(content_of(in("f.mp4")), "an earlier video");
  EXPECT_EQ(files(), 1u);
}

TEST_F(FrameSinkTest, FramesOfAVideoHaveOneSize) {
  play("cat > /dev/null");
  const auto sink = make_video_sink(in("f.mp4"), 30);
  sink->add(chequered(64, 64, 3), {});
  EXPECT_TRUE(holds(refused([&] { sink->add(chequered(64, 62, 3), {}); }), "64 x 62"));
}

}  // namespace
}  // namespace tri::render
