#if defined(TRI_LAWS_VISIT_LAW_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_LAWS_VISIT_LAW_HPP
#undef TRI_LAWS_VISIT_LAW_HPP
#else
#define TRI_LAWS_VISIT_LAW_HPP
#endif
/// From the laws of a field to their functors, for both backends and each SIMD target. The switches have no default:
/// a law without a case does not compile.

#include "sim/laws/axilrod_teller.hpp"
#include "sim/laws/contact.hpp"
#include "sim/laws/gravity.hpp"
#include "sim/laws/law_region.hpp"
#include "sim/laws/lennard_jones.hpp"

TRI_LAWS_BEGIN

/// Calls f(law) with the pair law of the field, its parameters as numbers of type Real; without a law, and for a typed
/// one, which is a program and has no functor, it does nothing.
template <class Real, class F>
void visit_pair_law(const ForceField& field, const F& f) {
  switch (field.pair) {
    case PairLaw::gravity:
      return f(Gravity<Real>(field.gravity));
    case PairLaw::lennard_jones:
      return f(LennardJones<Real>(field.lennard_jones, field.box));
    case PairLaw::contact:
      return f(Contact<Real>(field.contact, field.box));
    case PairLaw::typed:
    case PairLaw::none:
      return;
  }
}

/// The same for the triple law.
template <class Real, class F>
void visit_triple_law(const ForceField& field, const F& f) {
  switch (field.triple) {
    case TripleLaw::axilrod_teller:
      return f(AxilrodTeller<Real>(field.axilrod_teller));
    case TripleLaw::typed:
    case TripleLaw::none:
      return;
  }
}

TRI_LAWS_END
#endif
