// Cards of the gallery: their numbers of bodies, and which pictures are drawn, how, and under which name.

#include "app/gui/start/scene_card.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/scene/scene.hpp"

namespace tri::app::gui::start {
namespace {

TEST(SceneCards, AreAllScenesWithTheirBodies) {
  const auto& cards = scene_cards();
  ASSERT_EQ(cards.size(), list_scenes().size());
  for (std::size_t k = 0; k < cards.size(); ++k) {
    EXPECT_EQ(cards[k].name, list_scenes()[k].name);
    EXPECT_FALSE(cards[k].about.empty());
    EXPECT_EQ(cards[k].n, make_scene(cards[k].spec).bodies.size()) << cards[k].name;
  }
}

TEST(SceneCards, PicturesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const SceneCard& card : scene_cards()) {
    const std::vector<std::string> arguments = picture_arguments(card.spec, "out.png");
    ASSERT_FALSE(arguments.empty());
    EXPECT_EQ(arguments[0], "render");
    EXPECT_EQ(arguments[1].substr(0, card.spec.size()), card.spec);
    EXPECT_NO_THROW(make_scene(arguments[1])) << arguments[1];
    EXPECT_NE(std::find(arguments.begin(), arguments.end(), "out.png"), arguments.end());
    EXPECT_TRUE(names.insert(picture_name(card.spec)).second) << card.name;
    EXPECT_EQ(picture_name(card.spec), picture_name(card.spec));
  }
}

TEST(SceneCards, FilesHaveAPictureWhereTheyAreSmall) {
  const auto folder = std::filesystem::temp_directory_path() / "triangulum-card-test";
  std::filesystem::create_directories(folder);
  const std::string small = folder / "bodies.csv", large = folder / "large.csv", shot = folder / "shot.png";
  std::ofstream(small) << "x,y,z\n0,0,0\n1,0,0\n";
  std::ofstream(shot) << "no picture";
  std::ofstream(large) << "x";
  std::filesystem::resize_file(large, (4u << 20) + 1);
  EXPECT_EQ(file_card(small).name, "bodies.csv");
  EXPECT_EQ(file_card(small).about, folder.string());
  EXPECT_EQ(picture_arguments(small, "a.png")[1], small);
  EXPECT_TRUE(picture_arguments(large, "a.png").empty());
  EXPECT_TRUE(picture_arguments(shot, "a.png").empty()) << "it is one";
  EXPECT_TRUE(picture_arguments((folder / "absent.csv").string(), "a.png").empty());
  const std::string before = picture_name(small);
  std::ofstream(small, std::ios::app) << "2,0,0\n";
  EXPECT_NE(picture_name(small), before) << "the file changed";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tri::app::gui::start
