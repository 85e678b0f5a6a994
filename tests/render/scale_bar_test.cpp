// The scale bar: round lengths, and pixels that a sphere of that size has in a picture.

#include "render/scale_bar.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tri::render {
namespace {

TEST(ScaleBar, LengthsAreRound) {
  for (const double power : {1e-9, 1e-3, 0.1, 1.0, 10.0, 1e6}) {
    for (const auto& [most, round] :
         {std::pair{1.0, 1.0}, {1.99, 1.0}, {2.0, 2.0}, {4.9, 2.0}, {5.0, 5.0}, {9.99, 5.0}}) {
      EXPECT_NEAR(round_length(most * power) / (round * power), 1, 1e-9) << most << " " << power;
    }
  }
}

TEST(ScaleBar, IsAsLongAsTheLengthAtTheTarget) {
  Camera camera;
  for (const float distance : {0.003f, 1.0f, 7.7f, 4e4f}) {
    camera.pose.distance = distance;
    for (const float height : {600.0f, 720.0f, 2160.0f}) {
      const ScaleBar bar = scale_bar(camera, height, height / 6);
      EXPECT_LE(bar.pixels, height / 6 * 1.0001f);
      EXPECT_GT(bar.pixels, height / 6 / 2.51f) << "the next round length would not fit";
      // The picture's height at the target is 2 tan(fov / 2) distance.
      const float all = 2 * std::tan(camera.field_of_view / 2) * distance;
      EXPECT_NEAR(static_cast<float>(bar.length) / all, bar.pixels / height, 1e-5f);
    }
  }
}

}  // namespace
}  // namespace tri::render
