#pragma once
/// How a typed law is made: parts of its text, sums of monomials, instructions, checks, its symmetry.

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/text/dag.hpp"
#include "sim/text/law.hpp"
#include "sim/text/law_program.hpp"
#include "sim/text/syntax.hpp"

namespace tri::expression {

/// The language of laws: operators + - * / ^, the functions of Lepton, square(), cube() and recip().
const Language& law_language();

/// A parameter, and where its value stands in the text, with its sign.
struct TypedParameter {
  std::string name;
  double value = 0;
  u32 offset = 0, length = 0;
};

struct LawText {
  Dag dag;
  Id energy = 0;   ///< of q (of a triple: three), not yet cut off; the parameter k is Symbol::parameter + k
  u32 offset = 0;  ///< where the energy begins
  std::vector<TypedParameter> parameters;
  std::optional<u32> softening, cutoff, shifted;  ///< numbers of these parameters
};

/// Throws ConfigError. Every definition must be used.
LawText read_law(const SourceText& source, Over over);

/// A sentence if the parameter of this name must not have this value; else empty.
std::string fault_of(std::string_view parameter, double value);

// An expression as a sum of coefficients times products of powers: the form from which programs are emitted.

/// coefficient b1^e1 b2^e2 ..., bases in the order of their ids.
struct Monomial {
  Id coefficient;
  std::vector<Power> powers{};
};

/// A coefficient is made of numbers and, with parameters_are_constant, of parameters; bases of powers are not. A sum is
/// multiplied out where it is one factor of a product and has few terms: eps (A - B) q^-1 becomes two monomials, whose
/// coefficients the host computes.
class LinearForm {
 public:
  LinearForm(Dag& dag, bool parameters_are_constant) : dag_(dag), parameters_are_constant_(parameters_are_constant) {}

  /// At least one monomial; their powers differ. Throws BeyondLimit.
  std::vector<Monomial> of(Id id);

 private:
  bool is_constant(Id id) const;
  std::vector<Monomial> of_sum(const Expression& e);
  std::vector<Monomial> of_product(const Expression& e);
  const std::vector<Monomial>& expanded(Id sum);
  std::vector<Monomial> collected(std::vector<Monomial> all);

  Dag& dag_;
  bool parameters_are_constant_;
  std::unordered_map<Id, std::vector<Monomial>> expanded_;  ///< empty: there are too many monomials
};

// From expressions to a program.
//
// Powers of one base are a chain of products from one reciprocal, root or reciprocal root; what terms of a sum have in
// common is factored out (q^-4 (A + B q^-3)), sums of products become multiply_add, and equal parts are computed once.

/// What a program is made of.
struct ProgramInputs {
  bool of_parameters = false;           ///< its inputs are the parameters, and it has no uniforms
  std::vector<Id>* uniforms = nullptr;  ///< of bodies: expressions of the uniforms so far; new ones are appended
  Id squared_softening = 0;             ///< of bodies: what q has beside r^2; the number 0: nothing
};

struct Output {
  Id value;
  bool is_cut = false;    ///< 0 unless the squared distance (input 0) is less than squared_cutoff
  bool is_extra = false;  ///< outputs before it are computed by the same instructions as without it
};

/// Throws BeyondLimit when there are more than most_instructions, or expressions are nested too deeply.
Program emit_program(Dag& dag, std::span<const Output> outputs, Id squared_cutoff, const ProgramInputs& inputs,
                     u32 most_instructions);

// The check of a law on random inputs, when it is made.

/// What is checked: the slopes 2 dE/dq (of a triple: three) and the energy of a law without its cut-off.
struct CheckedLaw {
  Over over = Over::pairs;
  const Program& program;
  std::span<const double> uniforms;
  std::span<const Parameter> parameters;
  u64 depends;                      ///< Expression::depends of the energy
  bool is_symmetric;                ///< proved (law_maker.hpp); else samples look for a pair that disproves it
  std::span<const double> numbers;  ///< sizes of the numbers in the text, around which such pairs may be
};

/// The inputs are the same in every run. They cover distances from 0.05 to 20 and around each parameter, which may be a
/// length in other units. Points near a jump or a kink, where differences give no derivative, are left out. fault: a
/// sentence if the law is not to be used, else empty; it is not without a proof of its symmetry.
LawCheck check_law(const CheckedLaw& law, std::string& fault);

// Whether an energy is proved to be the same for every order of its bodies.

/// Exchanges the bodies (of a triple: two sides, in every way) and compares normal forms: sums and products of atoms,
/// where an atom is a symbol or a function of such forms. min and max take their arguments in any order, even and odd
/// functions either sign, log() a reciprocal. What that leaves open is multiplied out, over common denominators.
/// False: no proof was found, which is no disproof. Numbers count as equal to 12 digits. Pure.
bool is_symmetric(const Dag& dag, Id energy, Over over);

// Puts a law together: text, derivative, programs, check.

/// One law. Functions throw ConfigError or BeyondLimit.
class LawMaker {
 public:
  LawMaker(const SourceText& source, Over over);
  std::shared_ptr<const Law> make();

  /// law.uniforms() with more digits and range.
  static std::vector<long double> wide_uniforms(const Law& law, std::span<const double> values);

 private:
  void find_strengths();
  void extract_masses();
  Id shifted_energy();
  Program emit(std::span<const Output> outputs);
  Program emit_uniforms(const std::vector<Id>& uniforms);
  void check();

  const SourceText& source_;
  LawText text_;
  Dag& dag_;
  std::shared_ptr<Law> law_;
  std::vector<Id> slopes_;     ///< 2 dE/dq, as they are checked
  std::vector<Id> strengths_;  ///< as programs have them
  std::vector<Id> uniforms_;
  Id squared_softening_ = 0, squared_cutoff_ = 0;
};

}  // namespace tri::expression
