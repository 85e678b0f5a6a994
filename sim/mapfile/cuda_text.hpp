#pragma once
/// A map file as C++ for a device: a struct whose begin() computes what the bytecode computes, without its checks,
/// which a proved side does not need.
///
///     struct Typed : tri::TriangleBase { ... TRI_HD Cursor begin(const tri::Position& p) const; };
///
/// The text needs sim/maps/{integer_math,triangle_base,tetra_base,gasket_base}.hpp and compiles with nvcc, NVRTC and
/// g++. It is made for one side, at which it takes 32 bits for what fits there (ranges.hpp); so most sides have the
/// text of their neighbours. The values of a side are in DeviceMap, computed on the host. Pure functions.

#include <string>
#include <vector>

#include "sim/mapfile/map_file.hpp"

namespace tri::mapfile {

/// Passes that a device map can have.
inline constexpr u32 kMaxDevicePasses = 64;

/// The declaration of the struct. It has the constructor of its domain's base class and these members, to be filled in
/// from device_map(): `tri::i64 once[]` (at least one), and `tri::u64 wide[], high[]`, one a pass, for w. Throws as
/// device_map().
std::string cuda_text(const MapFile& map, u32 side, const std::string& name);

/// Lengths of its arrays.
struct DeviceShape {
  u32 once = 1, passes = 1;
};
DeviceShape device_shape(const MapFile& map);

/// Values of the struct's members at a side (of the domain with its diagonal).
struct DeviceMap {
  std::vector<i64> once;
  std::vector<u64> wide, high;  ///< X and Y of each pass
};

/// Throws ConfigError for more passes than kMaxDevicePasses, and for a side without launches.
DeviceMap device_map(const MapFile& map, u32 side);

}  // namespace tri::mapfile
