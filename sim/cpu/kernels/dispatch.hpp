// No include guard: foreach_target.h compiles a kernel's file once for each SIMD target, and each pass includes this.
//
// A file defines its work for one target, `void NAME_REAL(field, bodies, tile, sums)`, with
//
//     TRI_TARGET_KERNEL(name, float, PairTile, FastSums, visit_pair_law, Kernel<float>)
//
// inside tri::cpu::HWY_NAMESPACE, and after it, once for all targets, the function that calls the best one,
// `void FUNCTION(field, bodies, tile, sums)` in tri::cpu, with
//
//     TRI_DISPATCH_KERNEL(name, float, function, PairTile, FastSums)

#undef TRI_TARGET_KERNEL
#define TRI_TARGET_KERNEL(name, Real, Tile, Sums, visit, ...) \
  void name##_##Real(const ForceField& field, const BodyView<Real>& bodies, const Tile& tile, Sums& sums) { \
    law_space::visit<Real>(field, [&](const auto& law) { __VA_ARGS__::run(law, bodies, tile, sums); }); \
  }

#undef TRI_DISPATCH_KERNEL
#if HWY_ONCE
#define TRI_DISPATCH_KERNEL(name, Real, function, Tile, Sums) \
  namespace tri::cpu { \
  HWY_EXPORT(name##_##Real); \
  void function(const ForceField& field, const BodyView<Real>& bodies, const Tile& tile, Sums& sums) { \
    HWY_DYNAMIC_DISPATCH(name##_##Real)(field, bodies, tile, sums); \
  } \
  }
#else
#define TRI_DISPATCH_KERNEL(name, Real, function, Tile, Sums)
#endif
