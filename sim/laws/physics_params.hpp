#pragma once
/// Parameters of every law, and the force field of a scene: which laws act, in which box.
///
/// Each field states its unit, its range and what happens when it is wrong. Units are the scene's code units
/// (solar system: AU, solar mass, year / 2 pi; argon: sigma, epsilon). Plain data, no checks: check() does them.

#include <array>
#include <string>
#include <string_view>

#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/text/law.hpp"

namespace tri {

constexpr auto enum_table(Boundary) { return enum_names<Boundary>("boundary", "open", "reflecting", "periodic"); }

struct GravityParams {
  double G = 1.0;          ///< gravitational constant; any finite value
  double softening = 0.0;  ///< Plummer length eps >= 0; 0 lets two bodies at one place give an infinite force
};

struct LennardJonesParams {
  double epsilon = 1.0;  ///< depth of the well, > 0
  double sigma = 1.0;    ///< distance of zero potential, > 0
  double cutoff = 0.0;   ///< plain cut-off radius; 0 = none. Pairs beyond it are met and give nothing
  bool shifted = false;  ///< subtract the potential at the cut-off, so that it ends in 0; needs cutoff > 0
};

struct ContactParams {
  double stiffness = 1e4;    ///< normal spring k > 0, force / length
  double damping = 0.0;      ///< normal dashpot c >= 0, force / velocity
  double shear = 0.0;        ///< tangential dashpot >= 0, force / velocity; 0 = frictionless
  bool impulse = false;      ///< resolve overlaps by impulses (restitution) instead of the spring and dashpot
  double restitution = 1.0;  ///< e in [0, 1], used by impulses only
};

struct AxilrodTellerParams {
  double nu = 0.072;  ///< strength, energy * length^9; 0.072 is argon in reduced units
};

enum class PairLaw : u8 { none, gravity, lennard_jones, contact, typed };
enum class TripleLaw : u8 { none, axilrod_teller, typed };

/// Everything that acts on the bodies of a scene.
struct ForceField {
  PairLaw pair = PairLaw::gravity;
  TripleLaw triple = TripleLaw::none;
  GravityParams gravity;
  LennardJonesParams lennard_jones;
  ContactParams contact;
  AxilrodTellerParams axilrod_teller;
  expression::TypedLaw typed_pair;    ///< the law of PairLaw::typed; not empty then
  expression::TypedLaw typed_triple;  ///< the law of TripleLaw::typed; not empty then
  Box box;
  std::array<double, 3> field{0, 0, 0};  ///< uniform acceleration, as of gravity near the ground
};

/// Whether pairs act by a law that is summed over them; contact by impulses is none.
bool has_pair_sums(const ForceField& field);
/// Whether forces change with velocities, so that a kick makes them stale.
bool depends_on_velocity(const ForceField& field);
/// Whether no law of the field takes energy out of the bodies.
bool conserves_energy(const ForceField& field);
/// Columns of a body (laws::Uses) that the pair law of the field reads; none without a law.
u32 pair_uses(const ForceField& field);
/// Whether the pair law's sums are accelerations (gravity, and typed laws that weigh masses) and not forces.
bool sums_are_accelerations(const ForceField& field);
/// Beyond so far its pair law does not act; 0: that is not known.
double pair_cutoff(const ForceField& field);

/// Throws ConfigError naming the field, its value and its range, or the law that periodic walls cannot have.
void check(const ForceField& field);
/// The same for spheres of this largest radius, which periodic walls may be too close for.
void check(const ForceField& field, double largest_radius);

std::string to_string(PairLaw law);    ///< "none", "gravity", "lennard-jones", "contact", "typed"
std::string to_string(TripleLaw law);  ///< "none", "axilrod-teller", "typed"

PairLaw pair_law_from(const std::string& name);      ///< throws ConfigError with the names
TripleLaw triple_law_from(const std::string& name);  ///< throws ConfigError with the names

// Laws of a force field by the words of a user: a name of the table, or the text of a typed law
// (sim/text/law.hpp).

/// Whether this is the text of a law and no name: names are letters, digits, '-' and '_'.
bool is_law_text(std::string_view words);

/// Makes the law of this name, or the typed one of this text, the pair or triple law of the field; the other stays.
/// Throws ConfigError with the names, or with what is wrong in the text.
void set_pair_law(ForceField& field, const std::string& words);
void set_triple_law(ForceField& field, const std::string& words);

/// The text of the acting typed law with its values, in one line: statements end with "; ". Empty under other laws.
std::string pair_law_text(const ForceField& field);
std::string triple_law_text(const ForceField& field);

/// set_pair_law() reads it back: the text of a typed law, else the law's name.
std::string pair_law_words(const ForceField& field);
std::string triple_law_words(const ForceField& field);

}  // namespace tri
