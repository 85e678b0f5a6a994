/// Ranges of the laws' parameters, and the laws' names.

#include "sim/laws/physics_params.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "sim/base/enum_names.hpp"

namespace tri {
namespace {

constexpr auto kPairLaws = enum_names<PairLaw>("pair law", "none", "gravity", "lennard-jones", "contact");
constexpr auto kTripleLaws = enum_names<TripleLaw>("triple law", "none", "axilrod-teller");
constexpr auto kBoundaries = enum_names<Boundary>("boundary", "open", "reflecting", "periodic");

void require(bool holds, const char* field, double value, const char* range) {
  if (!holds) throw ConfigError(fmt::format("{} = {}; it must be {}.", field, value, range));
}

void finite(const char* field, double value) { require(std::isfinite(value), field, value, "a finite number"); }

void positive(const char* field, double value) {
  require(std::isfinite(value) && value > 0, field, value, "a finite number above 0");
}

void not_negative(const char* field, double value) {
  require(std::isfinite(value) && value >= 0, field, value, "a finite number, 0 or above");
}

void check(const LennardJonesParams& p) {
  positive("lennard-jones epsilon", p.epsilon);
  positive("lennard-jones sigma", p.sigma);
  not_negative("lennard-jones cutoff", p.cutoff);
  if (p.shifted && p.cutoff == 0) {
    throw ConfigError(
        "lennard-jones shifted = true with cutoff = 0; the potential is shifted at the cut-off, so give a cutoff "
        "above 0 or leave shifted out.");
  }
}

void check(const ContactParams& p) {
  positive("contact stiffness", p.stiffness);
  not_negative("contact damping", p.damping);
  not_negative("contact shear", p.shear);
  require(p.restitution >= 0 && p.restitution <= 1, "contact restitution", p.restitution, "from 0 to 1");
}

void check(const Box& box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const char name = "xyz"[axis];
    finite(fmt::format("box low {}", name).c_str(), box.low[axis]);
    finite(fmt::format("box high {}", name).c_str(), box.high[axis]);
    if (!(box.low[axis] < box.high[axis])) {
      throw ConfigError(fmt::format("box low {0} = {1} and high {0} = {2}; low must be below high.", name,
                                    box.low[axis], box.high[axis]));
    }
  }
}

double shortest_side(const Box& box) {
  double side = box.high[0] - box.low[0];
  for (std::size_t axis = 1; axis < 3; ++axis) side = std::min(side, box.high[axis] - box.low[axis]);
  return side;
}

/// Nearest images are all there is to a law that ends within half a side, and to no other.
void check_periodic(const ForceField& field) {
  if (field.box.boundary != Boundary::periodic) return;
  if (field.pair == PairLaw::gravity) {
    throw ConfigError(
        "periodic walls with gravity: it reaches every image of every body, and a sum over nearest images would be "
        "another law. Use open or reflecting walls, or a law that ends.");
  }
  if (field.triple != TripleLaw::none) {
    throw ConfigError(
        fmt::format("periodic walls with {}: it has no cut-off, and the nearest images of three bodies need not be the "
                    "corners of one triangle. Use open or reflecting walls, or no triple law.",
                    to_string(field.triple)));
  }
  if (field.pair != PairLaw::lennard_jones) return;
  const double cutoff = field.lennard_jones.cutoff, side = shortest_side(field.box);
  if (cutoff == 0 || 2 * cutoff > side) {
    throw ConfigError(
        fmt::format("periodic walls with lennard-jones cutoff = {}; it must be above 0 and at most {:.6g}, half the "
                    "shortest side of the box, so that a body meets one image of another.",
                    cutoff, 0.5 * side));
  }
}

}  // namespace

void check(const ForceField& field) {
  // All of it, also what is switched off: a law may be switched on later without another check.
  finite("gravity G", field.gravity.G);
  not_negative("gravity softening", field.gravity.softening);
  check(field.lennard_jones);
  check(field.contact);
  finite("axilrod-teller nu", field.axilrod_teller.nu);
  check(field.box);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    finite(fmt::format("uniform field {}", "xyz"[axis]).c_str(), field.field[axis]);
  }
  check_periodic(field);
}

void check(const ForceField& field, double largest_radius) {
  check(field);
  if (field.box.boundary != Boundary::periodic || field.pair != PairLaw::contact) return;
  const double side = shortest_side(field.box);
  if (4 * largest_radius <= side) return;
  throw ConfigError(
      fmt::format("periodic walls with a sphere of radius {:.6g}; its diameter must be at most {:.6g}, half the "
                  "shortest side of the box, so that a sphere meets one image of another.",
                  largest_radius, 0.5 * side));
}

bool has_pair_sums(const ForceField& field) {
  return field.pair != PairLaw::none && !(field.pair == PairLaw::contact && field.contact.impulse);
}

bool depends_on_velocity(const ForceField& field) {
  return field.pair == PairLaw::contact && !field.contact.impulse &&
         (field.contact.damping != 0 || field.contact.shear != 0);
}

bool sums_are_accelerations(PairLaw law) { return law == PairLaw::gravity; }

std::string to_string(PairLaw law) { return kPairLaws.text(law); }
std::string to_string(TripleLaw law) { return kTripleLaws.text(law); }
std::string to_string(Boundary boundary) { return kBoundaries.text(boundary); }

PairLaw pair_law_from(const std::string& name) { return kPairLaws.from(name); }
TripleLaw triple_law_from(const std::string& name) { return kTripleLaws.from(name); }
Boundary boundary_from(const std::string& name) { return kBoundaries.from(name); }

}  // namespace tri
