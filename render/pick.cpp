#include "render/pick.hpp"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

namespace tri::render {
namespace {

constexpr float kMinSphere = 0.75f;  // pixels: minimum radius of drawn spheres

/// The best candidate so far; a disc that covers the point wins over any that does not.
struct Best {
  std::optional<u32> id;
  bool covers = false;
  float miss = 0;   ///< pixels, of one that does not cover
  float depth = 0;  ///< along the ray

  void offer(u32 body, bool body_covers, float body_miss, float body_depth) {
    const bool better = !id                            ? true
                        : covers != body_covers        ? body_covers
                        : !covers && miss != body_miss ? body_miss < miss
                                                       : body_depth < depth;
    if (better) id = body, covers = body_covers, miss = body_miss, depth = body_depth;
  }
};

}  // namespace

std::optional<u32> pick(std::span<const Instance> bodies, const FrameView& v, const BodyStyle& style, float x, float y,
                        float reach) {
  const auto width = static_cast<float>(v.width), height = static_cast<float>(v.height);
  const float slope = std::tan(v.camera.field_of_view / 2), pixel = 2 * slope / height;
  const glm::vec3 ray{(2 * x / width - 1) * slope * width / height, (1 - 2 * y / height) * slope, -1};
  const glm::vec3 along = ray / glm::length(ray);
  const glm::mat4 view = v.camera.view();
  const bool spheres = style.shape == BodyShape::spheres;
  Best best;
  for (const Instance& body : bodies) {
    const glm::vec3 centre(view * glm::vec4(body.x, body.y, body.z, 1));
    const float front = -centre.z;
    if (!(front > 0) || !std::isfinite(centre.x) || !std::isfinite(centre.y)) continue;
    const float own = (body.radius > 0 ? body.radius : v.body_radius) * style.size;
    const float shown = spheres ? std::max(own, kMinSphere * pixel * front) : 0.0f;
    if (glm::length(centre) <= shown) continue;
    const float at = glm::dot(centre, along);
    const float away = glm::length(at * along - centre);
    if (spheres && away <= shown) {
      best.offer(body.id, true, 0, at - std::sqrt(shown * shown - away * away));
      continue;
    }
    const float miss = (away - shown) / (front * pixel);
    if (miss <= reach) best.offer(body.id, false, miss, at);
  }
  return best.id;
}

}  // namespace tri::render
