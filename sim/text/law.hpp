#pragma once
/// A law that the user types: its text, its parameters, and the programs of its energy and force.
///
///     energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1; cutoff = 2.5
///
/// Statements end with ';' or a line end inside the scene file's text. The first is the energy of a pair (`energy =`
/// may be left out); the others define names, in any order, as in OpenMM's Lepton. A definition by a number is a
/// parameter; one by an expression is an abbreviation. Of a pair it may read r, mi, mj, ri, rj, qi, qj (distance,
/// masses, radii, charges), of a triple the sides a, b, c. Three parameters have a meaning of their own:
///
///     softening   r^2 becomes r^2 + softening^2 in the energy (>= 0)
///     cutoff      pairs at r >= cutoff give nothing (> 0; 0: none)
///     shifted     1: the energy at the cut-off is subtracted; 0 or left out: not
///
/// The derivative is symbolic. Everything is a function of q = r^2: the force on body i is strength * (r_j - r_i) with
/// strength = 2 dE/dq, so a root is taken only where the text needs an odd power of r. What depends on parameters alone
/// is computed once on the host in float64 (uniforms), so changing a parameter changes no program.
///
/// Immutable after make(); any thread may call its functions.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/text/law_program.hpp"

namespace tri::expression {

enum class Over : u8 { pairs, triples };

/// Inputs of a pair's programs.
enum class PairInput : u32 { r2, mi, mj, ri, rj, qi, qj };
inline constexpr u32 kPairInputs = 7;
/// Inputs of a triple's programs: the squared sides |r_ij|^2, |r_jk|^2, |r_ki|^2.
enum class TripleInput : u32 { a2, b2, c2 };
inline constexpr u32 kTripleInputs = 3;

struct Parameter {
  std::string name;
  double value = 0;  ///< as typed
};

/// What was found on random inputs when the law was made.
struct LawCheck {
  u32 samples = 0;        ///< inputs at which the energy is finite
  double asymmetry = 0;   ///< largest |E(i,j) - E(j,i)| over |E| (for triples over all orders of the sides)
  double derivative = 0;  ///< largest difference of the symbolic and a numeric derivative, relative to the derivative
};

class Law {
 public:
  /// Longest text, most parameters, most instructions: a text beyond is refused with a sentence.
  static constexpr u32 kMaxText = 16384, kMaxParameters = 32, kMaxInstructions = 2048, kMaxUniforms = 128;

  /// Throws ConfigError: one sentence with line and column, then the line and a caret below it, then a suggestion where
  /// there is one (a name that is close, a function that is meant). Also for an energy that is not symmetric under i
  /// <-> j, that no random input gives a finite value, or whose derivative fails its check.
  static std::shared_ptr<const Law> make(std::string_view text, Over over);

  const std::string& text() const { return text_; }  ///< as typed
  Over over() const { return over_; }
  std::span<const Parameter> parameters() const { return parameters_; }
  /// The number of the parameter with that name, or parameters().size().
  u32 find(std::string_view name) const;

  /// laws::Uses of the columns that it reads, as bits: kMass, kRadius, kCharge (sim/laws/law_basics.hpp).
  u32 uses() const { return uses_; }
  /// Whether the energy is mi mj times a function without mi and mj. Then strength() leaves both masses out, and its
  /// sums are accelerations, as those of gravity: bodies without mass move too.
  bool weighs_masses() const { return weighs_masses_; }
  bool has_cutoff() const;  ///< whether it has that parameter
  /// The value of `cutoff` among these values; 0 without one.
  double cutoff(std::span<const double> values) const;

  /// The uniforms of both programs for these values of the parameters (parameters().size() of them). Number 0 is the
  /// factor by which every strength is to be multiplied, beside the program: 1 unless weighs_masses(). Throws
  /// ConfigError for a value out of range (softening, cutoff), and for one that is not finite.
  std::vector<double> uniforms(std::span<const double> values) const;
  u32 uniform_count() const { return uniform_count_; }

  /// Pairs: one output, 2 dE/dq (see weighs_masses(); without uniform 0). Triples: three, 2 dE/d(a^2), 2 dE/d(b^2),
  /// 2 dE/d(c^2).
  const Program& strength() const { return strength_; }
  /// The same outputs, then the energy (of a pair with masses and uniform 0 in it).
  const Program& strength_and_energy() const { return both_; }
  const LawCheck& check() const { return check_; }

  /// Energy and force -dE/dr of a pair at a distance, of bodies with these masses, radii and charges, in float64, by
  /// the programs above.
  struct Point {
    double energy = 0, force = 0;
  };
  Point at(double r, std::span<const double> values, double m = 1, double radius = 0.5, double charge = 1) const;

 private:
  friend class LawMaker;
  friend struct TypedLaw;
  Law() = default;

  /// Where the text has the value of a parameter, with its sign.
  struct Literal {
    u32 offset = 0, length = 0;
  };

  std::string text_;
  std::vector<Literal> literals_;  ///< of parameters_
  Over over_ = Over::pairs;
  std::vector<Parameter> parameters_;
  u32 uses_ = 0, uniform_count_ = 1;
  bool weighs_masses_ = false;
  Program uniforms_;  ///< of the parameters as inputs
  Program strength_, both_;
  LawCheck check_;
};

/// A law and the values of its parameters, as a force field holds it. Empty: none.
struct TypedLaw {
  std::shared_ptr<const Law> law;
  std::vector<double> values;  ///< as many as law->parameters()

  explicit operator bool() const { return law != nullptr; }
  /// The same text with these values in it: what snapshots and sessions write, so that make() reads it back.
  std::string text() const;
};

/// A law with the values in its text. Throws as Law::make().
TypedLaw typed_law(std::string_view text, Over over);

// A law over the distance, as plots and tables show it.

/// Energy and force at a distance r: of a pair of mass 1, radius 1/2 and charge 1 with the force -dE/dr; of triples
/// those of an equilateral triangle of side r, with the force that widens it.
Law::Point point_at(const TypedLaw& law, double r);

/// Samples at ascending distances; values need not be finite.
struct LawCurves {
  std::vector<double> r, energy, force;
};

/// At `points` >= 2 equal steps over 0 < from < to. Pure.
LawCurves law_curves(const TypedLaw& law, double from, double to, u32 points);

}  // namespace tri::expression
