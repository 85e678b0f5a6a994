#include "app/gui/camera/film_state.hpp"

#include <algorithm>
#include <cmath>

namespace tri::app::gui {

FilmSteps film_steps(const FilmChoice& choice, double dt, double usual) {
  const double wanted = choice.speed > 0 ? choice.speed : usual;
  const double steps = wanted > 0 ? std::round(wanted / (static_cast<double>(choice.fps) * dt)) : 1;
  FilmSteps film;
  film.a_frame = static_cast<u64>(std::clamp(steps, 1.0, 1e15));
  film.speed = static_cast<double>(film.a_frame) * dt * static_cast<double>(choice.fps);
  return film;
}

u64 film_frames(const FilmChoice& choice) {
  return static_cast<u64>(std::max(1.0, std::round(choice.seconds * static_cast<double>(choice.fps))));
}

}  // namespace tri::app::gui
