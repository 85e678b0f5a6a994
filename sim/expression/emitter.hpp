#pragma once
/// From expressions to a program.
///
/// Powers of one base are a chain of products from one reciprocal, root or reciprocal root; what terms of a sum have in
/// common is factored out (q^-4 (A + B q^-3)), sums of products become multiply_add, and equal parts are computed once.

#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/expression/dag.hpp"
#include "sim/expression/linear_form.hpp"
#include "sim/expression/program.hpp"

namespace tri::expression {

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

}  // namespace tri::expression
