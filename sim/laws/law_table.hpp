#pragma once
/// The laws: one row each, which the command line, session text, scene files, snapshots, the panel, lists, summaries
/// and tuning read. What a law computes is its functor; visit_law.hpp turns a row's choice into that type.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/user_values.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri {

/// A number or a flag of a law. Its default is that of a ForceField{}.
struct LawParameter {
  const char* key;                         ///< of session text and snapshots (behind the law's name) and of the panel
  double& (*real)(ForceField&) = nullptr;  ///< the parameter itself: `real` or `flag`
  bool& (*flag)(ForceField&) = nullptr;
  const char* text;                 ///< what it is, in one line
  const char* unit = "";            ///< of a number
  Range range = {};                 ///< of a number
  const char* option = nullptr;     ///< of run, view, render and compute forces; behind the dashes a keyword of Python
  bool of_motion = false;           ///< its option is none of `compute forces`, whose forces do not depend on it
  const char* scene = nullptr;      ///< key in the [physics] of scene files; none: the generator's own keys set it
  const char* generator = nullptr;  ///< key of generators that make bodies for this law
  const char* no = "false";         ///< the two values of a flag in scene files
  const char* yes = "true";
  const char* summary = nullptr;  ///< in summaries of a run: a number's format, or the words for a flag that is set
  bool zero_is_none = false;      ///< summaries leave out a 0
  bool (*has_effect)(const ForceField&) = nullptr;  ///< null: always
  const char* needs = "";                           ///< what has_effect asks for, as a scene file says it

  double& value(ForceField& f) const { return real(f); }
  double value(const ForceField& f) const { return real(const_cast<ForceField&>(f)); }
  bool& is_set(ForceField& f) const { return flag(f); }
  bool is_set(const ForceField& f) const { return flag(const_cast<ForceField&>(f)); }
  bool matters(const ForceField& f) const { return has_effect == nullptr || has_effect(f); }
};

/// Why nearest images are not the whole of a law whose range has no end.
std::string no_cutoff(const ForceField& field);

struct LawInfo {
  const char* name = "";         ///< as typed
  PairLaw pair = PairLaw::none;  ///< one of the two
  TripleLaw triple = TripleLaw::none;
  bool typed = false;  ///< its text is in the field, and says what it reads and sums (pair_uses()); no name selects it
  u32 uses = 0;        ///< columns of a body that it reads (laws::Uses)
  laws::Sums sums = laws::Sums::force;
  const char* form;                               ///< its formula, in one line
  std::span<const LawParameter> parameters = {};  ///< in the order of files and lists
  /// The row of the tuning file that its tile on a device comes from (TunedWork); null: from a rule of thumb.
  const char* tuned = nullptr;
  /// What is wrong with parameters that are each in range, as a sentence; empty: nothing. Null: nothing ever is.
  std::string (*conflict)(const ForceField&) = nullptr;
  /// Whether it takes energy out of the bodies. Null: never.
  bool (*dissipates)(const ForceField&) = nullptr;
  /// Why it cannot have the periodic walls of this field, behind "periodic walls with <name>"; empty: it can.
  std::string (*not_periodic)(const ForceField&) = no_cutoff;

  const char* over() const { return pair != PairLaw::none ? "pairs" : "triples"; }
  bool acts(const ForceField& f) const { return pair != PairLaw::none ? f.pair == pair : f.triple == triple; }
};

/// Pair laws in the order of their enum, then triple laws.
std::span<const LawInfo> all_laws();

/// `law` is not none.
const LawInfo& law_info(PairLaw law);
const LawInfo& law_info(TripleLaw law);

/// Why a key (or option) of this law's parameter does not act in the field: "stiffness belongs to contact with response
/// = springs, and ... Leave it out."; empty: it acts.
std::string idle_key(const LawInfo& law, const LawParameter& parameter, std::string_view key, const ForceField& field);

/// A parameter by its option, with its number; of a flag 1 or 0.
struct GivenParameter {
  std::string option;
  double value = 0;
};

/// The parameter that has this option; nullptr: none has.
const LawParameter* parameter_of(std::string_view option);
/// Its value as a scene's text says it.
std::string value_text(const GivenParameter& given);
/// Sets the parameters. Throws ConfigError for a value out of range, and for one that does not act in the field.
void set_parameters(ForceField& field, std::span<const GivenParameter> given);

/// The names of the rows but the typed ones, as `compute forces --law` takes them.
std::vector<std::string_view> law_names();
/// "none" and the names of pair or triple laws; without "typed", which a text stands for.
std::vector<std::string_view> pair_law_names();
std::vector<std::string_view> triple_law_names();
/// Makes the law of this name the only one of the field. Throws ConfigError with the names.
void select_law(ForceField& field, std::string_view name);

/// Length of the box's shortest side.
double shortest_side(const Box& box);

}  // namespace tri
