#include "sim/cpu/typed/typed_tiles.hpp"

#include "sim/base/contracts.hpp"

namespace tri::cpu {
namespace {

const expression::Program& program_of(const expression::Law& law, bool with_energy) {
  return with_energy ? law.strength_and_energy() : law.strength();
}

}  // namespace

TypedPairs::TypedPairs(const ForceField& field, bool with_energy) : box(field.box) {
  TRI_EXPECTS(field.pair == PairLaw::typed && field.typed_pair);
  const expression::Law& law = *field.typed_pair.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_pair.values);
  plan = ProgramPlan(program_of(law, with_energy), uniforms, expression::kPairInputs);
  weighs = law.weighs_masses();
  factor = uniforms[0];
}

TypedTriples::TypedTriples(const ForceField& field, bool with_energy) {
  TRI_EXPECTS(field.triple == TripleLaw::typed && field.typed_triple);
  const expression::Law& law = *field.typed_triple.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_triple.values);
  plan = ProgramPlan(program_of(law, with_energy), uniforms, expression::kTripleInputs);
}

}  // namespace tri::cpu
