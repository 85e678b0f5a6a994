/// Texts of scenes: the counts that they give, and keys that replace earlier ones.

#include "app/support/scene_spec.hpp"

#include <gtest/gtest.h>

namespace tri::app {
namespace {

TEST(SceneSpec, CountsAreThoseOfTheTextElseTheDefaults) {
  EXPECT_EQ(scene_count("plummer", "n"), 4096u);
  EXPECT_EQ(scene_count("plummer:eps=0.1,n=300,seed=7", "n"), 300u);
  EXPECT_EQ(scene_count("plummer:n=300,n=20", "n"), 20u);
  EXPECT_EQ(scene_count("plummer:n=300", "seed"), 42u);
  EXPECT_EQ(scene_count("merger:n=512", "n"), 512u) << "of each galaxy: the scene has twice as many";
  EXPECT_EQ(scene_count("merger:first.n=512", "n"), 8192u) << "another key";
  EXPECT_EQ(scene_count("plummer:n=1e3", "n"), std::nullopt) << "no integer in digits";
  EXPECT_EQ(scene_count("figure-8", "n"), std::nullopt);
  EXPECT_EQ(scene_count("bodies.csv", "n"), std::nullopt);
  for (const SceneInfo& scene : list_scenes()) {
    if (!scene_takes(scene.name, "n")) continue;
    const auto n = scene_count(scene.name, "n");
    ASSERT_TRUE(n) << scene.name;
    EXPECT_EQ(make_scene(scene.name).bodies.size() % *n, 0u) << scene.name;
  }
}

TEST(SceneSpec, AKeyReplacesTheEarlierOne) {
  EXPECT_EQ(with_key("plummer", "n", "5"), "plummer:n=5");
  EXPECT_EQ(with_key("plummer:n=300,eps=0.1", "n", "5"), "plummer:eps=0.1,n=5");
  EXPECT_EQ(scene_count(with_key("merger:n=512,second.n=3", "n", "64"), "n"), 64u);
}

}  // namespace
}  // namespace tri::app
