#pragma once
/// How a scene is first seen, in the window and in films: shape and colours of the bodies, the camera's place, box and
/// axes. Numbers only, no GL.

#include <vector>

#include "app/session/session.hpp"
#include "render/body_renderer.hpp"
#include "render/camera.hpp"
#include "render/image.hpp"

namespace tri::app::gui {

/// Sets shape and colours to what the scene asks for, or else to what suits its laws: light for points that attract,
/// spheres for what has a size.
void set_usual_style(render::BodyStyle& style, const Scene& scene);

/// Whether the scene has the quantity for its bodies; if not, why, and what colours instead.
Availability can_colour(render::Quantity quantity, const SessionModel& model);

/// What stands behind the bodies.
std::array<float, 3> background(render::BodyShape shape, bool dark);

/// Lengths that suit a scene, in its units.
struct SceneLengths {
  float body_radius = 0.01f;  ///< of bodies without one
  float axis_length = 1;
};

/// Moves the camera so that a picture of this aspect (width / height) shows all bodies, or the walls where there are
/// any.
SceneLengths fit_camera(render::Camera& camera, const Session& session, float aspect);

/// The edges of the box, where the boundary is not open, and axes of this length (0: none).
std::vector<render::Line> scene_lines(const Box& box, bool edges, float axis_length);

/// Keyword of the text by which a picture opens again as its scene.
inline constexpr const char* kSessionKey = "triangulum";
/// What every picture carries: program, title, and the session as text.
render::ImageTexts picture_texts(const SessionModel& model);

}  // namespace tri::app::gui
