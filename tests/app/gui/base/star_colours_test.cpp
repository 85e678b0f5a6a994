// Star colours: each choice is one of quantity and colour map, and is recognised again.

#include <gtest/gtest.h>

#include "app/gui/base/view_defaults.hpp"

namespace tri::app::gui {
namespace {

TEST(StarColours, AreQuantityAndColourMap) {
  for (u32 k = 0; k < kStarColoursCount; ++k) {
    const auto choice = static_cast<StarColours>(k);
    render::BodyStyle style{.quantity = render::Quantity::index, .colours = render::ColourMap::viridis};
    EXPECT_FALSE(star_colours_of(style));
    set_star_colours(style, choice);
    ASSERT_TRUE(star_colours_of(style)) << to_string(choice);
    EXPECT_EQ(*star_colours_of(style), choice);
  }
  render::BodyStyle style;
  EXPECT_EQ(star_colours_of(style), StarColours::temperature) << "what glows begins so";
  set_star_colours(style, StarColours::mass);
  EXPECT_EQ(style.quantity, render::Quantity::mass);
  EXPECT_EQ(style.colours, render::ColourMap::black_body);
  EXPECT_TRUE(style.logarithmic);
  set_star_colours(style, StarColours::plain);
  EXPECT_EQ(colour_at(style, 0), colour_at(style, 1));
}

}  // namespace
}  // namespace tri::app::gui
