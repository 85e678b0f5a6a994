// PNG files: pixels and texts round trip; other files are rejected with their name.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "render/image.hpp"
#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::render {
namespace {

class Png : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tri-png-" + std::to_string(getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

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

}  // namespace
}  // namespace tri::render
