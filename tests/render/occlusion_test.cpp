// Shadows of spheres: a crease is darker than without them, a sphere alone looks the same.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/render/pictures.hpp"

namespace tri::render {
namespace {

/// A folder with an occlusion.comp after which all light stays.
class NoOcclusion {
 public:
  NoOcclusion() : path_(std::filesystem::temp_directory_path() / ("tri-open-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
    std::string text = ShaderSources().text("occlusion.comp");
    const std::string stored = "vec4(kept,";
    const std::size_t at = text.find(stored);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, stored.size(), "vec4(1.0,");
    std::ofstream(path_ / "occlusion.comp") << text;
  }
  ~NoOcclusion() { std::filesystem::remove_all(path_); }
  NoOcclusion(const NoOcclusion&) = delete;
  NoOcclusion& operator=(const NoOcclusion&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

class OcclusionTest : public Pictures, public testing::WithParamInterface<SmallBodies> {
 protected:
  OcclusionTest() { style.small = GetParam(), style.colours = ColourMap::orange_blue, frames = 1, sphere_radius = 1; }

  /// The share of its light that each pixel keeps; 1 where there is none.
  std::vector<double> kept(const std::vector<Instance>& bodies) {
    const Image shaded = draw(bodies);
    std::swap(renderer, open);
    const Image plain = draw(bodies);
    std::swap(renderer, open);
    std::vector<double> share;
    for (std::size_t k = 1; k < plain.rgb.size(); k += 3) {
      const auto linear = [k](const Image& p) {
        return static_cast<double>(to_linear(static_cast<float>(p.rgb[k]) / 255));
      };
      share.push_back(plain.rgb[k] > 40 ? linear(shaded) / linear(plain) : 1);
    }
    return share;
  }
  static std::size_t pixel(float y, float z) {
    const float scale = kSide / 2 / std::tan(0.4f) / 10;
    return static_cast<std::size_t>(kSide / 2 - z * scale) * kSide + static_cast<std::size_t>(kSide / 2 + y * scale);
  }

  NoOcclusion folder;
  BodyRenderer open{ShaderSources(folder.path())};
};

INSTANTIATE_TEST_SUITE_P(BothWays, OcclusionTest, testing::Values(SmallBodies::points, SmallBodies::splats),
                         [](const auto& way) { return way.param == SmallBodies::points ? "points" : "splats"; });

TEST_P(OcclusionTest, ASphereAloneKeepsItsLight) {
  for (const float radius : {0.02f, 0.1f, 0.4f, 1.0f, 3.0f}) {
    sphere_radius = radius;
    for (const double share : kept({body(0, 0.3f, -0.2f, radius), body(0, 90, 90, radius, 1, 1)})) {
      ASSERT_NEAR(share, 1, 0.03) << radius;  // one of 255 levels
    }
  }
}

TEST_P(OcclusionTest, ACreaseIsDark) {
  // Two spheres that touch at the middle, side by side; a third, alone, is as before.
  const auto share = kept({body(0, -1, 0, 1), body(0, 1, 0, 1, 1, 1), body(0, 0, 3.2f, 0.5f, 1, 2)});
  EXPECT_LT(share[pixel(-0.1f, 0.02f)], 0.8);
  EXPECT_LT(share[pixel(0.1f, 0.02f)], 0.8);
  EXPECT_GT(share[pixel(-1.7f, 0)], 0.97) << "the outer side";
  EXPECT_GT(share[pixel(1.7f, 0)], 0.97);
  EXPECT_GT(share[pixel(0, 3.2f)], 0.97);
}

TEST_P(OcclusionTest, ASphereCastsAShadow) {
  // The sun is up, to the left and behind the eye; a small sphere stands between it and the large one.
  const Instance large = body(-2, 0, 0, 2), small = body(0.9f, -0.5f, 0.7f, 0.3f, 1, 1);
  const auto share = kept({large, small});
  double darkest = 1;
  for (float step = 0; step < 1; step += 0.05f)
    darkest = std::min(darkest, share[pixel(-0.1f + 0.5f * step, 0.3f - 0.5f * step)]);
  EXPECT_LT(darkest, 0.7);
  EXPECT_GT(share[pixel(-1.2f, 1.0f)], 0.9) << "towards the sun";
}

}  // namespace
}  // namespace tri::render
