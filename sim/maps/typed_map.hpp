#pragma once
/// Maps that a program is given at run time, beside those of map_ids.hpp: a text that somebody typed, a table, anything
/// that answers a position with a tile. They have ids beyond the built-in ones (map_registry.hpp), so lists, names,
/// checks and loops on the host take them like all others; kernels on a device do not hold them.
///
/// A typed map is written for the domain with its diagonal and has at most one tile a position. The strict domain
/// follows as for the other maps: it is the full one of a smaller side, moved down.
///
/// Host only. Immutable: any thread may call any function.

#include <memory>
#include <string>
#include <vector>

#include "gasket_base.hpp"
#include "tetra_base.hpp"
#include "triangle_base.hpp"

namespace tri {

/// A typed map at one side.
class SizedTypedMap {
 public:
  virtual ~SizedTypedMap() = default;
  virtual const std::vector<Launch>& launches() const = 0;  ///< one a pass
  /// Writes the tile of a position into at[]: row, col; or x, y, z of the tetrahedron; or x, y of the gasket. False:
  /// the position is idle. A position without an answer (a fault of the text, a coordinate that is no u32) is idle,
  /// too.
  virtual bool tile(const Position& position, u32 at[3]) const = 0;
};

class TypedMap {
 public:
  virtual ~TypedMap() = default;
  virtual const MapInfo& info() const = 0;  ///< its strings live as long as this
  /// side: tiles a side of the domain with its diagonal, >= 0; of the gasket a power of two. A side whose launches have
  /// no answer has none.
  virtual std::shared_ptr<const SizedTypedMap> at(u32 side) const = 0;
  /// One sentence that says why the map cannot be used at a side, and what to do; empty when it can, because each tile
  /// is met once and none outside.
  virtual std::string refusal(u64 side) const = 0;
};

/// Of one domain, in the program.
inline constexpr u32 kMaxTypedMaps = 64;

namespace detail {

/// Cursor of a typed map at a position; `place` makes it from the three numbers.
template <class Cursor, class Place>
Cursor typed_cursor(const SizedTypedMap& map, const Position& p, const Place& place) {
  u32 at[3] = {};
  return map.tile(p, at) ? place(at) : Cursor{};
}

}  // namespace detail

class TypedTriangle : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"typed",          Domain::triangle,   Space::block, "as typed", "the user",
                                 "what is proved", kExactTriangleSide, nullptr,      false};
  TypedTriangle(u32 side, Diagonal diagonal, const TypedMap& map)
      : TriangleBase(side, diagonal), name_(map.info().name), map_(map.at(rows())) {}

  const char* name() const { return name_; }
  u32 launch_count() const { return static_cast<u32>(map_->launches().size()); }
  Launch launch(u32 pass) const { return map_->launches()[pass]; }
  Cursor begin(const Position& p) const {
    return detail::typed_cursor<Cursor>(*map_, p, [&](const u32* at) { return found(at[0], at[1]); });
  }

 private:
  const char* name_;
  std::shared_ptr<const SizedTypedMap> map_;
};

class TypedTetra : public TetraBase {
 public:
  static constexpr MapInfo kInfo{"typed",          Domain::tetrahedron, Space::block, "as typed", "the user",
                                 "what is proved", kExactTetraSide,     nullptr,      false};
  TypedTetra(u32 side, Diagonal diagonal, const TypedMap& map)
      : TetraBase(side, diagonal), name_(map.info().name), map_(map.at(layers())) {}

  const char* name() const { return name_; }
  u32 launch_count() const { return static_cast<u32>(map_->launches().size()); }
  Launch launch(u32 pass) const { return map_->launches()[pass]; }
  Cursor begin(const Position& p) const {
    return detail::typed_cursor<Cursor>(*map_, p, [&](const u32* at) { return found(at[0], at[1], at[2]); });
  }

 private:
  const char* name_;
  std::shared_ptr<const SizedTypedMap> map_;
};

class TypedGasket : public GasketBase {
 public:
  static constexpr MapInfo kInfo{"typed",          Domain::gasket,          Space::block, "as typed", "the user",
                                 "what is proved", u64{1} << kGasketLevels, nullptr,      false};
  TypedGasket(u32 levels, const TypedMap& map) : GasketBase(levels), name_(map.info().name), map_(map.at(side())) {}

  const char* name() const { return name_; }
  u32 launch_count() const { return static_cast<u32>(map_->launches().size()); }
  Launch launch(u32 pass) const { return map_->launches()[pass]; }
  Cursor begin(const Position& p) const {
    return detail::typed_cursor<Cursor>(*map_, p, [](const u32* at) { return Cursor{{at[0], at[1]}, true}; });
  }

 private:
  const char* name_;
  std::shared_ptr<const SizedTypedMap> map_;
};

}  // namespace tri
