// Steps and frames of a film: whole numbers, whose true speed is said.

#include "app/gui/camera/film_state.hpp"

#include <gtest/gtest.h>

namespace tri::app::gui {
namespace {

TEST(FilmSteps, AreWholeAndTheirSpeedIsTrue) {
  FilmChoice film;
  film.fps = 60, film.speed = 40;
  // 40 a second in 60 frames, by steps of 0.0215: 31.008 of them.
  const FilmSteps steps = film_steps(film, 0.0215, 7);
  EXPECT_EQ(steps.a_frame, 31u);
  EXPECT_DOUBLE_EQ(steps.speed, 31 * 0.0215 * 60);
  film.speed = 1e-9;
  EXPECT_EQ(film_steps(film, 0.0215, 7).a_frame, 1u) << "at least one";
  film.speed = 0;
  EXPECT_EQ(film_steps(film, 0.01, 6).a_frame, 10u) << "the pace of time";
  EXPECT_EQ(film_steps(film, 0.01, 0).a_frame, 1u);
  film.speed = 1e30;
  EXPECT_EQ(film_steps(film, 1e-9, 0).a_frame, 1000000000000000u);
}

TEST(FilmSteps, FramesAreThoseOfItsSeconds) {
  FilmChoice film;
  film.fps = 24, film.seconds = 2.5;
  EXPECT_EQ(film_frames(film), 60u);
  film.seconds = 0;
  EXPECT_EQ(film_frames(film), 1u);
}

}  // namespace
}  // namespace tri::app::gui
