// No include guard: foreach_target.h compiles a kernel's file once for each SIMD target, and each pass includes this,
// as kernels/dispatch.hpp. A typed kernel's work for one target, and the function that calls the best one.

#undef TRI_TYPED_KERNEL
#define TRI_TYPED_KERNEL(name, Real, Law, Tile, Sums, ...) \
  void name##_##Real(const Law& law, const BodyView<Real>& bodies, const Tile& tile, Sums& sums) { \
    __VA_ARGS__::run(law, bodies, tile, sums); \
  }

#undef TRI_TYPED_DISPATCH
#if HWY_ONCE
#define TRI_TYPED_DISPATCH(name, Real, Law, Tile, Sums) \
  namespace tri::cpu { \
  HWY_EXPORT(name##_##Real); \
  void add_tile(const Law& law, const BodyView<Real>& bodies, const Tile& tile, Sums& sums) { \
    HWY_DYNAMIC_DISPATCH(name##_##Real)(law, bodies, tile, sums); \
  } \
  }
#else
#define TRI_TYPED_DISPATCH(name, Real, Law, Tile, Sums)
#endif
