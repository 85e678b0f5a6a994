/// Compiles only if TRI_MAP is a map that AnyTriangleMap can hold. The tests maps.compile.* run the compiler on this
/// file.

#include "sim/maps/any_map.hpp"

namespace tri {

/// A map of the triangle that is in no list.
struct ForgottenMap : TriangleLambda {
  using TriangleLambda::TriangleLambda;
};

AnyTriangleMap held() { return AnyTriangleMap(TRI_MAP(4, Diagonal::with)); }

}  // namespace tri
