#include "render/scale_bar.hpp"

#include <cmath>
#include <initializer_list>

#include "sim/base/contracts.hpp"

namespace tri::render {

double round_length(double most) {
  TRI_EXPECTS(most > 0);
  constexpr double kRounding = 1 + 1e-12;  // 0.3 is three times 0.1
  const double power = std::pow(10.0, std::floor(std::log10(most * kRounding)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= most * kRounding) return factor * power;
  }
  return power;
}

ScaleBar scale_bar(const Camera& camera, float height, float most_pixels) {
  TRI_EXPECTS(height > 0 && most_pixels > 0);
  const double across = 2 * std::tan(static_cast<double>(camera.field_of_view) / 2);
  const double pixel = across * static_cast<double>(camera.pose.distance) / static_cast<double>(height);
  const double length = round_length(pixel * static_cast<double>(most_pixels));
  return {length, static_cast<float>(length / pixel)};
}

}  // namespace tri::render
