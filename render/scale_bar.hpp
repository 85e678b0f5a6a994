#pragma once
/// A scale bar: a round length of the scene and how long it is in the picture. Numbers only.

#include "render/camera.hpp"

namespace tri::render {

/// The largest of 1, 2 and 5 times a power of ten that is at most `most` > 0.
double round_length(double most);

struct ScaleBar {
  double length;  ///< scene units, round
  float pixels;   ///< at the distance of the camera's target
};

/// The longest bar of at most `most_pixels` > 0 in a picture of this height in pixels.
ScaleBar scale_bar(const Camera& camera, float height, float most_pixels);

}  // namespace tri::render
