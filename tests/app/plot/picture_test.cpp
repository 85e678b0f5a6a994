// Figures as PNG and PDF.

#include "app/plot/picture.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <sstream>

#include "app/plot/plot_canvas.hpp"

namespace tri::app {
namespace {

/// 72 x 36 points, white, with a black square in its right half.
std::string figure() {
  Canvas canvas;
  canvas.rectangle({36, 0, 36, 36}, "#000000");
  return canvas.document(72, 36, "t", "d");
}

class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    if (const Availability there = pictures_available(); !there) GTEST_SKIP() << there.reason;
  }
};

u32 big_endian(const std::string& bytes, std::size_t at) {
  u32 value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

/// The bytes of the rows, each behind the number of its filter.
std::string rows_of_png(const std::string& png, std::size_t bytes) {
  std::string packed;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const u32 size = big_endian(png, at);
    if (png.compare(at + 4, 4, "IDAT") == 0) packed += png.substr(at + 8, size);
    at += 12 + size;
  }
  std::string rows(bytes, '\0');
  uLongf got = bytes;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &got, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(got, bytes);
  return rows;
}

TEST_F(Pictures, APngHasTheSizeAndTheColoursOfTheFigure) {
  const std::string png = png_of(figure(), "f.png");
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  ASSERT_EQ(png.substr(12, 4), "IHDR");
  const u32 width = big_endian(png, 16), height = big_endian(png, 20);
  EXPECT_EQ(width, 300u) << "an inch";
  EXPECT_EQ(height, 150u);
  ASSERT_EQ(png.at(24), 8) << "bits";
  ASSERT_EQ(png.at(25), 2) << "red, green, blue";
  const std::string rows = rows_of_png(png, height * (1 + 3 * std::size_t{width}));
  // The first row refers to no other: filter 0 as it is, 1 to its left, 2 above (nothing), 4 as 1 here.
  ASSERT_NE(rows[0], 3);
  std::string row = rows.substr(1, 3 * std::size_t{width});
  if (rows[0] == 1 || rows[0] == 4) {
    for (std::size_t i = 3; i < row.size(); ++i) row[i] = static_cast<char>(row[i] + row[i - 3]);
  }
  EXPECT_EQ(row.substr(0, 3), "\xff\xff\xff");
  EXPECT_EQ(row.substr(3 * 149, 3), "\xff\xff\xff");
  EXPECT_EQ(row.substr(3 * 150, 3), std::string(3, '\0'));
  EXPECT_EQ(row.substr(3 * 299, 3), std::string(3, '\0'));
}

TEST_F(Pictures, APdfHasOnePageOfTheFiguresSize) {
  const std::string pdf = pdf_of(figure(), "f.pdf");
  EXPECT_EQ(pdf.rfind("%PDF-1.", 0), 0u);
  EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
  EXPECT_NE(pdf.find("/Count 1"), std::string::npos);
  const std::size_t box = pdf.find("/MediaBox [ 0 0 ");
  ASSERT_NE(box, std::string::npos);
  EXPECT_EQ(pdf.find("/MediaBox", box + 1), std::string::npos) << "a second page";
  std::istringstream numbers(pdf.substr(box + 16, 40));
  double width = 0, height = 0;
  numbers >> width >> height;
  EXPECT_NEAR(width, 72, 0.01);
  EXPECT_NEAR(height, 36, 0.01);
}

TEST_F(Pictures, WhatCannotBeDrawnIsTold) {
  EXPECT_THROW(png_of("no figure", "f.png"), ConfigError);
  EXPECT_THROW(pdf_of("", "f.pdf"), ConfigError);
  EXPECT_THROW(png_of(Canvas().document(72 * 200, 72, "t", "d"), "f.png"), ConfigError) << "60,000 pixels";
}

}  // namespace
}  // namespace tri::app
