// No include guard: a law header includes it first, inside its own toggle guard.
//
// A law is written once and compiled several times: as plain scalar code for host and device, and once per SIMD target
// of the cpu backend. Highway's run-time dispatch requires all code of a target to be between HWY_BEFORE_NAMESPACE and
// HWY_AFTER_NAMESPACE in a separate namespace, so a law header opens and closes its namespace with the two macros
// below, and has the guard
//
//     #if defined(TRI_LAWS_X_HPP) == defined(HWY_TARGET_TOGGLE)
//
// which is an ordinary include guard without Highway and a per-target one inside foreach_target.h.
//
// Highway's macros come last in those below: from g++ 13 on, what follows a pragma of theirs in the same macro is lost.

#undef TRI_LAWS_BEGIN
#undef TRI_LAWS_END
#if defined(HWY_TARGET_TOGGLE) || defined(HWY_HIGHWAY_INCLUDED)
#define TRI_LAWS_BEGIN \
  namespace tri::laws::HWY_NAMESPACE { \
  HWY_BEFORE_NAMESPACE();
#define TRI_LAWS_END \
  } \
  HWY_AFTER_NAMESPACE();
#else
#define TRI_LAWS_BEGIN \
  namespace tri::laws { \
  inline namespace scalar {
#define TRI_LAWS_END \
  } \
  }
#endif
