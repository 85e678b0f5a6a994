#include "sim/scene/scene_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/wall.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/model/massless.hpp"

namespace tri::scene {
namespace {

using Point = std::array<double, 3>;

std::string place_text(const Point& r) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", r[0], r[1], r[2]); }

bool is_outside(const Box& box, const Point& r) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (r[axis] < box.low[axis] || r[axis] > box.high[axis]) return true;
  }
  return false;
}

void check_walls(Scene& scene) {
  const std::string outside = outside_walls(scene.bodies, scene.field.box);
  if (outside.empty()) return;
  if (scene.field.box.boundary == Boundary::reflecting) {
    throw ConfigError(outside + ". Set low and high so that the box holds all bodies, or use walls = \"open\".");
  }
  scene.notes.push_back(outside + ": each enters it by whole sides. Set low and high if that is not meant.");
  enter_box(scene.bodies, scene.field.box);
}

void check_field(Scene& scene) {
  const Point& a = scene.field.field;
  if (scene.field.box.boundary != Boundary::periodic || a == Point{0, 0, 0}) return;
  scene.notes.push_back(
      fmt::format("the uniform field {} acts across periodic walls, so bodies fall for ever and their energy has no "
                  "zero; use reflecting walls if they are to stop.",
                  place_text(a)));
}

void check_radii(Scene& scene) {
  const PairLaw law = scene.field.pair;
  if ((pair_uses(scene.field) & laws::kRadius) != 0) return;
  const auto& r = scene.bodies.r;
  const auto spheres = std::count_if(r.begin(), r.end(), [](double radius) { return radius > 0; });
  if (spheres == 0) return;
  scene.notes.push_back(
      fmt::format("{} of {} bodies have a radius, but the law of pairs is {}, which does not use it: they pass through "
                  "each other. For spheres in contact write a scene with pair = \"contact\" (docs/scenes.md).",
                  spheres, r.size(), to_string(law)));
}

void check_columns(Scene& scene) {
  const auto& q = scene.bodies.q;
  if ((pair_uses(scene.field) & laws::kCharge) == 0 &&
      std::any_of(q.begin(), q.end(), [](double c) { return c != 0; })) {
    scene.notes.push_back(fmt::format("the bodies have charges, but the law of pairs is {}, which does not use them.",
                                      to_string(scene.field.pair)));
  }
  const MissingColumn missing = missing_column(scene.bodies, scene.field);
  if (!missing.sentence.empty()) scene.notes.push_back(missing.sentence + ": each counts as 0.");
}

}  // namespace

MissingColumn missing_column(const Bodies& bodies, const ForceField& field) {
  const u32 uses = pair_uses(field);
  std::string law = "the law of pairs";
  if (field.pair != PairLaw::typed) law += fmt::format(" {}", to_string(field.pair));
  if ((uses & laws::kCharge) != 0 && bodies.q.empty()) {
    return {law + " reads the charges (qi, qj), and no body has one", "q", "charges"};
  }
  if ((uses & laws::kRadius) != 0 && largest_radius(bodies) == 0) {
    return {law + " reads the radii (ri, rj), and every one is 0", "r", "radii"};
  }
  return {};
}

std::string outside_walls(const Bodies& b, const Box& box) {
  if (box.boundary == Boundary::open) return {};
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!is_outside(box, {b.x[i], b.y[i], b.z[i]})) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  return fmt::format("{} of {} bodies are outside the {} from {} to {}, the first of them body {} (from 0) at {}",
                     count, b.size(), box.boundary == Boundary::reflecting ? "reflecting walls" : "periodic box",
                     place_text(box.low), place_text(box.high), first,
                     place_text({b.x[first], b.y[first], b.z[first]}));
}

void enter_box(Bodies& bodies, const Box& box) {
  if (box.boundary != Boundary::periodic) return;
  const std::array<std::vector<double>*, 3> axes{&bodies.x, &bodies.y, &bodies.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (double& v : *axes[axis]) laws::wrap(v, box.low[axis], box.high[axis]);
  }
}

void check_meaning(Scene& scene) {
  if (const std::string soft = soft_spring_warning(scene.bodies, scene.field); !soft.empty()) {
    scene.notes.push_back(soft);
  }
  check_walls(scene);
  check_field(scene);
  check_radii(scene);
  check_columns(scene);
}

void check_masses(const Scene& scene) {
  if (const std::string why = massless_refusal(scene.bodies, scene.field); !why.empty()) throw ConfigError(why);
}

}  // namespace tri::scene
