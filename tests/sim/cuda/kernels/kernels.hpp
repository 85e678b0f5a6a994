#pragma once
/// Results of maps on the device, without the kernels of the backend.

#include <vector>

#include "sim/maps/figurate.hpp"
#include "sim/maps/launch_split.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::test {

/// The tiles visited by a walk of every position of every launch.
struct DeviceCover {
  std::vector<u32> met;  ///< [tiles of the domain] visits of each
  u32 outside = 0;       ///< visits of tiles outside the domain
};

/// One block per position, grids split to `limits`; workers as in visit_triangle_map().
DeviceCover device_cover(TriangleMapId map, u32 side, Diagonal diagonal, u32 workers, GridLimits limits);
DeviceCover device_cover(TetraMapId map, u32 side, Diagonal diagonal, u32 workers, GridLimits limits);
DeviceCover device_cover(GasketMapId map, u32 levels, GridLimits limits);

/// Position number k of the sample that host and device share: a hash of k, folded into the launches of the map.
template <class M>
TRI_HD Position sample_position(const M& map, u64 k) {
  u64 z = (k + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  u32 pass = static_cast<u32>(z % map.launch_count());
  Launch grid = map.launch(pass);
  if (positions(grid) == 0) grid = map.launch(pass = 0);
  z /= map.launch_count();
  const u64 x = z % grid.x;
  z /= grid.x;
  return {x, static_cast<u32>(z % grid.y), static_cast<u32>(z / grid.y % grid.z), pass};
}

/// The first tile of a position as numbers; inside is 0 if there is none.
struct Answer {
  u32 a = 0, b = 0, c = 0;
  u32 inside = 0;  ///< 0 or 1; as wide as the others, so that no byte of it is padding
  friend bool operator==(const Answer&, const Answer&) = default;
};
TRI_HD inline Answer answer_of(Tile2 t) { return {t.row, t.col, 0, 1}; }
TRI_HD inline Answer answer_of(Tile3 t) { return {t.x, t.y, t.z, 1}; }
TRI_HD inline Answer answer_of(CellTile t) { return {t.x, t.y, 0, 1}; }
template <class M>
TRI_HD Answer first_answer(const M& map, Position p) {
  const auto tiles = map.begin(p);
  return tiles.valid() ? answer_of(tiles.tile()) : Answer{};
}

/// The device's answers to sample positions 0 .. count-1.
std::vector<Answer> device_answers(TriangleMapId map, u32 side, Diagonal diagonal, u32 workers, u64 count);
std::vector<Answer> device_answers(TetraMapId map, u32 side, Diagonal diagonal, u32 workers, u64 count);
std::vector<Answer> device_answers(GasketMapId map, u32 levels, u64 count);

/// The tiles that each launch position finds through the dispatcher of large tiles (with_kernel_map(), AnyTetraMap):
/// [positions, slots], positions in the order of launches, x fastest; Answer{} behind the last tile of a position.
/// Block-space maps only.
std::vector<Answer> dispatched_tiles(TriangleMapId map, u32 side, Diagonal diagonal, u32 workers, u32 slots);
std::vector<Answer> dispatched_tiles(TetraMapId map, u32 side, Diagonal diagonal, u32 workers, u32 slots);

// The inverses of the triangular and tetrahedral numbers on the device, compiled with different flags of arithmetic.

enum class RootKind : u8 { sqrt, rsqrt, newton, float_seed, double_seed, layer };
inline constexpr RootKind kRootKinds[] = {RootKind::sqrt,       RootKind::rsqrt,       RootKind::newton,
                                          RootKind::float_seed, RootKind::double_seed, RootKind::layer};

TRI_HD inline u32 root_of(RootKind kind, u64 w) {
  switch (kind) {
    case RootKind::sqrt:
      return triangular_root<RootSeed::sqrt>(w);
    case RootKind::rsqrt:
      return triangular_root<RootSeed::rsqrt>(w);
    case RootKind::newton:
      return triangular_root<RootSeed::newton>(w);
    case RootKind::float_seed:
      return triangular_root_float(w);
    case RootKind::double_seed:
      return triangular_root_double(w);
    case RootKind::layer:
      break;
  }
  return tetrahedral_root(w);
}

/// Omega number k of a random sample below 2^bits.
TRI_HD inline u64 sample_omega(u64 k, u32 bits) {
  u64 z = (k + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return (z ^ (z >> 31)) >> (64 - bits);
}

struct RootKernels {
  const char* flags;  ///< "plain", "fast_math" or "without_fma"
  /// How many omega in [from, to) get a wrong row (layer), each checked without using any root.
  u64 (*wrong)(RootKind kind, u64 from, u64 to);
  /// The roots of sample omegas from .. from+count-1 below 2^bits.
  std::vector<u32> (*roots)(RootKind kind, u64 from, u64 count, u32 bits);
};

RootKernels root_kernels_plain();
RootKernels root_kernels_fast_math();
RootKernels root_kernels_without_fma();

}  // namespace tri::test
