#pragma once
/// Bodies by hand: the tool in use, a stroke of the pointer, selected bodies and measures. Plain data and pure
/// functions; app/gui/touch_scene.hpp carries out what needs the session.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/base/layout.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/session/population.hpp"
#include "app/views/predicted_path.hpp"

namespace tri::app::gui {

/// What the left button does in the scene. look: turns the camera, and a click picks a body. add: a drag adds a body,
/// or throws the one under it. measure: clicks on two or three bodies pin a distance or an angle.
enum class Tool : u8 { look, add, measure };
inline constexpr u32 kToolCount = 3;
std::string to_string(Tool tool);

using Pixels = std::array<float, 2>;  ///< from the scene's upper left corner
using Place = std::array<double, 3>;

/// From where the button went down to where it is.
struct Stroke {
  Pixels from{}, to{};
  bool done = false;
  bool held = false;  ///< by a script
};

/// The pointer during one frame.
struct Pointer {
  Pixels at{};
  bool pressed = false;  ///< the left button went down in the scene
  bool down = false, shift = false;
};

/// A body that is being drawn.
struct Draft {
  std::optional<u32> body;  ///< that is thrown; none: it is added
  Place place{}, velocity{};
  double mass = 0, radius = 0;
  Place arrow{};  ///< its end
  PredictedPath path;
  std::string about;  ///< the path
};

/// Two bodies: their distance. Three: the angle at the second, in degrees.
struct Measure {
  std::vector<u32> bodies;
  std::vector<Place> places;  ///< of the last look; empty before the first
  double value() const;       ///< there must be places
};

struct Selection {
  std::vector<u32> bodies;  ///< indices, ascending
  bool hidden = false, coloured = true, followed = false;
  std::string path = "selection.csv";  ///< being edited
};

struct TouchState {
  Tool tool = Tool::look;
  std::optional<double> mass, radius;  ///< of bodies to be added; none: the median of the scene
  std::optional<Stroke> stroke, box;   ///< of the tool add; with Shift
  std::optional<Draft> draft;
  Selection selection;
  std::vector<Measure> measures;
  std::vector<u32> picked;   ///< of the measure that is begun
  bool deletes = false;      ///< the selected bodies, else the picked one
  PopulationPtr population;  ///< whose indices these are
};

/// Begins, continues and ends strokes. True while the tool, and not the camera, has the left button.
bool take_pointer(TouchState& touch, const Pointer& pointer);
/// Whether something of the hands is still to be carried out.
bool touch_pending(const TouchState& touch);
/// Leaves what was begun last: stroke, tool, measure, selection. False where there is nothing.
bool leave_touch(TouchState& touch);
/// One more body of a measure; two make a distance, and a third one clicked then makes it an angle.
void measure_body(TouchState& touch, u32 body);
/// Indices become those of the same bodies in another population; bodies that are gone leave.
void follow_population(TouchState& touch, SceneView& view, const PopulationPtr& now);

/// In the plane through `through` that the camera looks at straight.
Place place_at(const render::Camera& camera, const Rect& scene, const Pixels& at, const Place& through);
/// Where a place is drawn; none behind the eye.
std::optional<Pixels> pixels_of(const render::Camera& camera, const Rect& scene, const Place& place);

/// The value in the middle; 0 of none.
double median_of(std::vector<double> values);
/// A speed that suits the scene, for an arrow of a quarter of its extent: of a circular orbit about all bodies at that
/// distance, else their usual one.
double usual_speed(const Bodies& bodies, const ForceField& field, double extent);

}  // namespace tri::app::gui
