/// The header of a file in the GADGET layout, by the names of several programs: GADGET-2 to 4 and AREPO (Header,
/// Parameters, Config), GIZMO (Header, ..._In_CGS) and SWIFT (Header, Units, Cosmology, Parameters). Numbers are in
/// units of the header over HubbleParam (GADGET-2 user guide, section 6.1); those of SWIFT have no h.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/io/columns.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/gadget.hpp"

namespace tri::io {

namespace {

using Names = std::array<const char*, 3>;  ///< of length, mass and velocity or time

/// The first number of an attribute; nullopt: it is not there, or not finite.
std::optional<double> number_in(const Hdf5Input& in, const char* group, const char* name) {
  if (!in.has(group) || !in.has_attribute(group, name)) return std::nullopt;
  const double value = in.numbers(group, name)[0];
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The first of the groups that has the attribute: GADGET-4 has in Parameters what GADGET-2 and AREPO have in Header.
std::optional<double> parameter_in(const Hdf5Input& in, const char* name) {
  const std::optional<double> value = number_in(in, "/Header", name);
  return value ? value : number_in(in, "/Parameters", name);
}

/// An attribute that is a short text, or a number as text; empty for any other.
std::string text_in(const Hdf5Input& in, const char* group, const char* name) {
  if (!in.has(group) || !in.has_attribute(group, name)) return "";
  try {
    return in.text(group, name);
  } catch (const FileError&) {
  }
  try {
    return fmt::format("{}", in.numbers(group, name)[0]);
  } catch (const FileError&) {
    return "";
  }
}

/// What says that lengths are comoving; empty: nothing does.
std::string expansion_of(const Hdf5Input& in) {
  const double redshift = number_in(in, "/Header", "Redshift").value_or(0);
  if (redshift != 0) return fmt::format("Redshift = {:.6g}", redshift);
  if (parameter_in(in, "ComovingIntegrationOn").value_or(0) != 0) return "ComovingIntegrationOn = 1";
  if (number_in(in, "/Cosmology", "Cosmological run").value_or(0) != 0) return "Cosmological run = 1";
  const double scale = number_in(in, "/Header", "Scale-factor").value_or(1);
  if (scale != 1) return fmt::format("Scale-factor = {:.6g}", scale);
  // The time of a comoving run is the scale factor, which is 1 today.
  const bool today = in.has_attribute("/Header", "Redshift") && number_in(in, "/Header", "Time") == 1.0;
  const double matter = parameter_in(in, "Omega0").value_or(0);
  if (today && matter > 0) return fmt::format("Redshift = 0 at Time = 1 with Omega0 = {:.6g}", matter);
  return "";
}

/// The units of the numbers, if a group has all three.
void read_units(const Hdf5Input& in, ReadReport& reading) {
  constexpr Names kGadget{"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"};
  constexpr Names kGizmo{"UnitLength_In_CGS", "UnitMass_In_CGS", "UnitVelocity_In_CGS"};
  constexpr Names kSwift{"Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)"};
  const double h = parameter_in(in, "HubbleParam").value_or(1);
  for (const char* group : {"/Header", "/Parameters", "/Units"}) {
    for (const Names& names : {kGadget, kGizmo, kSwift}) {
      std::array<std::optional<double>, 3> sizes;
      for (std::size_t k = 0; k < 3; ++k) sizes[k] = number_in(in, group, names[k]);
      if (!sizes[0] && !sizes[1] && !sizes[2]) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        if (sizes[k] && *sizes[k] > 0) continue;
        in.fail(group, fmt::format("has no {} above 0 beside its other units; add it, or remove those", names[k]));
      }
      const bool swift = names == kSwift;
      const double over = !swift && h > 0 ? h : 1, velocity = swift ? *sizes[0] / *sizes[2] : *sizes[2];
      reading.units = unit_system_in_cgs(*sizes[0] / over, *sizes[1] / over, velocity);
      if (reading.units == nullptr) in.fail(group, "has units that are out of range");
      return;
    }
  }
}

/// The G that the program was told to take, where that is not the one of its units; 0: it says none.
double own_gravity(const Hdf5Input& in) {
  if (const std::string swift = text_in(in, "/Parameters", "PhysicalConstants:G"); !swift.empty()) {
    double value = 0;
    return parse_number(trimmed(swift), value) && std::isfinite(value) ? value : 0;
  }
  const double gizmo = number_in(in, "/Header", "Gravitational_Constant_In_Code_Inits").value_or(0);
  return parameter_in(in, "GravityConstantInternal").value_or(gizmo);
}

/// With G = 1 the units are only names. No system has another G than that of its units.
void take_own_gravity(const Hdf5Input& in, ReadReport& reading) {
  const double own = own_gravity(in), of_units = reading.units != nullptr ? reading.units->G : 1;
  if (!(own > 0) || std::abs(own - of_units) <= 1e-2 * of_units) return;
  const std::string said = fmt::format("'{}' says that it was computed with G = {:.6g}", in.path(), own);
  if (own != 1 || reading.asked != nullptr) {
    reading.notes.push_back(fmt::format("{}; here it is {:.6g} unless you give another.", said, of_units));
    return;
  }
  reading.notes.push_back(
      fmt::format("{}, so that its units ({}), where G is {:.6g}, are not used.", said, reading.units->name, of_units));
  reading.units = nullptr;
}

/// Whether the program that wrote the file had a periodic box; nullopt: it does not say.
std::optional<bool> says_periodic(const Hdf5Input& in) {
  if (const std::string swift = text_in(in, "/Parameters", "InitialConditions:periodic"); !swift.empty()) {
    return swift != "0";
  }
  if (!in.has("/Config")) return std::nullopt;
  if (in.has_attribute("/Config", "PERIODIC")) return true;
  // Without these AREPO is periodic, and GADGET-4 is not.
  return in.has_attribute("/Config", "GRAVITY_NOT_PERIODIC") ? std::optional(false) : std::nullopt;
}

Box box_between(const std::vector<double>& low, const std::vector<double>& high) {
  Box box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = low[low.size() == 3 ? axis : 0], box.high[axis] = high[high.size() == 3 ? axis : 0];
  }
  box.boundary = Boundary::periodic;
  return box;
}

/// The periodic box: as this program writes it, as snapshots of it have it, or by BoxSize.
void read_box(const Hdf5Input& in, const Bodies& bodies, ReadReport& reading) {
  const char* const group = in.has("/Triangulum") ? "/Triangulum" : "/Header";
  const bool snapshot = in.has("/Triangulum");
  const std::string boundary = text_in(in, group, snapshot ? "boundary" : "Boundary");
  if (!boundary.empty()) {
    if (boundary != to_string(Boundary::periodic)) return;
    reading.box = box_between(in.numbers(group, snapshot ? "box_low" : "BoxLow"),
                              in.numbers(group, snapshot ? "box_high" : "BoxHigh"));
    return;
  }
  const double side = number_in(in, "/Header", "BoxSize").value_or(0);
  const std::optional<bool> periodic = says_periodic(in);
  if (periodic == false || !(side > 0) || (!periodic && side == made_up_box_side(bodies))) return;
  const auto is_stretched = [&in](const char* name) { return in.has("/Config") && in.has_attribute("/Config", name); };
  constexpr std::array<const char*, 6> kStretches{"LONG_X",      "LONG_Y",      "LONG_Z",
                                                  "LONG_X_BITS", "LONG_Y_BITS", "LONG_Z_BITS"};
  if (periodic == true && std::any_of(kStretches.begin(), kStretches.end(), is_stretched)) {
    reading.strange_cell = "has a periodic box that is stretched (LONG_X, LONG_Y or LONG_Z in Config)";
  } else if (periodic == true) {
    reading.box = box_between({0}, in.numbers("/Header", "BoxSize"));
  } else {
    reading.notes.push_back(
        fmt::format("'{}' has BoxSize = {:.6g} and does not say whether its box is periodic; its bodies are in open "
                    "space.",
                    in.path(), side));
  }
}

}  // namespace

void read_gadget_header(const Hdf5Input& in, const Bodies& bodies, ReadReport& reading) {
  if (const std::string expansion = expansion_of(in); !expansion.empty()) {
    in.fail("/Header", fmt::format("says that the bodies are in an expanding universe ({}), with comoving lengths and "
                                   "units over h; only physical ones are computed. Convert them first (pynbody: "
                                   "s.physical_units()), and write Redshift = 0 and HubbleParam = 1",
                                   expansion));
  }
  reading.time = number_in(in, "/Header", "Time");
  take_units(in.path(), text_in(in, "/Header", "UnitSystem"), reading);
  if (reading.units == nullptr) read_units(in, reading);
  const double h = parameter_in(in, "HubbleParam").value_or(1);
  if (h > 0 && h != 1) {
    reading.notes.push_back(fmt::format("'{}' has HubbleParam = {:.6g}: its lengths and masses are in units over h{}.",
                                        in.path(), h,
                                        reading.units != nullptr ? fmt::format(" ({})", reading.units->name) : ""));
  }
  const bool said = reading.units != nullptr;
  if (!is_own_gadget(in)) take_own_gravity(in, reading);
  if (!said && reading.asked == nullptr && !is_own_gadget(in) && number_in(in, "/Header", "BoxSize")) {
    reading.notes.push_back(
        fmt::format("'{}' names no units (UnitLength_in_cm, ...), so G is 1 unless you give one.", in.path()));
  }
  read_box(in, bodies, reading);
}

}  // namespace tri::io
