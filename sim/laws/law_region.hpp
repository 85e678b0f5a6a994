// No include guard: a law header includes it first, inside its own toggle guard.
//
// A law is written once and compiled several times: as plain scalar code for host and device, and once for each
// SIMD target of the cpu backend. Highway's run-time dispatch asks that all code of a target stands between
// HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE in a namespace of its own, so a law header opens and closes its
// namespace with the two macros below, and guards itself with
//
//     #if defined(TRI_LAWS_X_HPP) == defined(HWY_TARGET_TOGGLE)
//
// which is an ordinary include guard when Highway is absent and a per-target one inside foreach_target.h.

#undef TRI_LAWS_BEGIN
#undef TRI_LAWS_END
#if defined(HWY_TARGET_TOGGLE) || defined(HWY_HIGHWAY_INCLUDED)
#define TRI_LAWS_BEGIN \
  HWY_BEFORE_NAMESPACE(); \
  namespace tri::laws::HWY_NAMESPACE {
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
