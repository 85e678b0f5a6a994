#pragma once
/// Every map by name: tables for lists and help, the message with which a map refuses a size, and the one place where
/// an id chosen at run time becomes a type. All of it is generated from the lists in map_ids.hpp.
///
/// Host only (the maps themselves are for the device too). Pure functions: any thread may call them.

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gasket_bb.hpp"
#include "gasket_digits.hpp"
#include "gasket_lambda.hpp"
#include "gasket_stream.hpp"
#include "map_ids.hpp"
#include "map_list.hpp"
#include "table_memory.hpp"
#include "tetra_maps.hpp"
#include "triangle_maps.hpp"
#include "typed_map.hpp"

namespace tri {

namespace detail {

template <class Id>
std::optional<Id> find_map(std::span<const MapInfo> maps, std::string_view name) {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].name == name) return static_cast<Id>(i);
  }
  return std::nullopt;
}

/// A map with a table: make_table(shape) makes it, and the constructor takes the shape and a pointer to it.
template <class M, class... Shape>
concept HasTable = requires(Shape... shape) {
  M::make_table(shape...);
};

/// Constructs the map of one type and calls f(map, owner of its table).
template <class M, class Store, class F, class... Shape>
void with_map(u32 workers, const Store& store, F& f, Shape... shape) {
  if constexpr (HasTable<M, Shape...>) {
    const auto table = store(M::make_table(shape...));
    f(M(shape..., table->data()), std::shared_ptr<const void>(table));
  } else if constexpr (std::constructible_from<M, Shape..., u32>) {
    f(M(shape..., workers), std::shared_ptr<const void>());
  } else {
    f(M(shape...), std::shared_ptr<const void>());
  }
}

}  // namespace detail

#define TRI_MAP_TYPE(id, type) , type
using GasketMaps = MapList<GasketMapId TRI_GASKET_MAPS(TRI_MAP_TYPE)>;
#undef TRI_MAP_TYPE

namespace detail {

/// The built-in maps of a domain, then the typed ones. Only add() writes, behind `count_`. It has no mutex: MinGW-w64
/// with win32 threads has none before GCC 13.
template <class List>
class MapTable {
 public:
  static constexpr std::size_t kBuiltIn = std::size(List::kInfo);

  MapTable() { std::copy(std::begin(List::kInfo), std::end(List::kInfo), rows_.begin()); }

  std::span<const MapInfo> rows() const { return {rows_.data(), count_.load(std::memory_order_acquire)}; }
  std::span<const MapInfo> built_in() const { return {rows_.data(), kBuiltIn}; }
  const MapInfo& operator[](u32 id) const { return rows_[id]; }

  std::optional<u32> add(std::shared_ptr<const TypedMap> map) {
    MapInfo row = map->info();
    row.typed = map.get();
    std::size_t at = taken_.load(std::memory_order_relaxed);
    do {
      if (at == rows_.size()) return std::nullopt;
    } while (!taken_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed));
    rows_[at] = row;
    typed_[at - kBuiltIn] = std::move(map);
    while (count_.load(std::memory_order_acquire) != at) {  // those before it are still being written
    }
    count_.store(at + 1, std::memory_order_release);
    return static_cast<u32>(at);
  }

 private:
  std::array<MapInfo, kBuiltIn + kMaxTypedMaps> rows_{};
  std::array<std::shared_ptr<const TypedMap>, kMaxTypedMaps> typed_;
  std::atomic<std::size_t> taken_ = kBuiltIn, count_ = kBuiltIn;
};

template <class List>
MapTable<List>& map_table() {
  static MapTable<List> table;
  return table;
}

}  // namespace detail

/// In the order of the ids: the enumerators, then the typed maps as they were added.
inline std::span<const MapInfo> triangle_maps() { return detail::map_table<TriangleMaps>().rows(); }
inline std::span<const MapInfo> tetra_maps() { return detail::map_table<TetraMaps>().rows(); }
inline std::span<const MapInfo> gasket_maps() { return detail::map_table<GasketMaps>().rows(); }

inline std::span<const MapInfo> built_in_maps(Domain domain) {
  return domain == Domain::triangle      ? detail::map_table<TriangleMaps>().built_in()
         : domain == Domain::tetrahedron ? detail::map_table<TetraMaps>().built_in()
                                         : detail::map_table<GasketMaps>().built_in();
}

inline const MapInfo& info(TriangleMapId id) { return detail::map_table<TriangleMaps>()[static_cast<u32>(id)]; }
inline const MapInfo& info(TetraMapId id) { return detail::map_table<TetraMaps>()[static_cast<u32>(id)]; }
inline const MapInfo& info(GasketMapId id) { return detail::map_table<GasketMaps>()[static_cast<u32>(id)]; }

/// Adds a map to the list of its domain, for as long as the program runs; its id is its place there. Nothing when there
/// are kMaxTypedMaps of the domain. The caller sees to it that no map of the domain has its name. Any thread may call
/// it at any time: ids and lists that others hold stay valid.
inline std::optional<u32> add_typed_map(std::shared_ptr<const TypedMap> map) {
  const Domain domain = map->info().domain;
  if (domain == Domain::triangle) return detail::map_table<TriangleMaps>().add(std::move(map));
  if (domain == Domain::tetrahedron) return detail::map_table<TetraMaps>().add(std::move(map));
  return detail::map_table<GasketMaps>().add(std::move(map));
}

/// The map of that exact name, or nothing.
inline std::optional<TriangleMapId> find_triangle_map(std::string_view name) {
  return detail::find_map<TriangleMapId>(triangle_maps(), name);
}
inline std::optional<TetraMapId> find_tetra_map(std::string_view name) {
  return detail::find_map<TetraMapId>(tetra_maps(), name);
}
inline std::optional<GasketMapId> find_gasket_map(std::string_view name) {
  return detail::find_map<GasketMapId>(gasket_maps(), name);
}

/// Calls f(map, owner) with the map of that id. shape: what every map of the list is constructed from. workers:
/// launch positions of a persistent map. store(std::vector) puts the table of a map that has one where begin() will
/// run, and returns a shared_ptr to a container of it; the map is valid as long as `owner`, a copy of that pointer. A
/// typed map is not visited.
template <class Id, class... Maps, class Store, class F, class... Shape>
void visit_map(MapList<Id, Maps...>, Id id, u32 workers, const Store& store, F&& f, Shape... shape) {
  u32 k = 0;
  (void)((k++ == static_cast<u32>(id) && (detail::with_map<Maps>(workers, store, f, shape...), true)) || ...);
}

namespace detail {

/// The same with tables in host memory, which live for the call f(map).
template <class List, class Id, class F, class... Shape>
void visit_on_host(List list, Id id, u32 workers, F&& f, Shape... shape) {
  const auto keep = []<class T>(std::vector<T>&& table) {
    return std::make_shared<const std::vector<T>>(std::move(table));
  };
  visit_map(
      list, id, workers, keep, [&](const auto& map, const auto&) { f(map); }, shape...);
}

}  // namespace detail

/// Calls f(map) with the map's own type. side: tiles a side (thread space: elements) >= 1. workers: positions of a
/// persistent map, 0 counts as 1; the others ignore it. A table lives for the call; throws std::bad_alloc when it does
/// not fit. Sizes beyond the limit of the map are accepted, because tests need them: call refusal() first.
template <class F>
void visit_triangle_map(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  if (const TypedMap* typed = info(id).typed) return f(TypedTriangle(side, diagonal, *typed));
  detail::visit_on_host(TriangleMaps(), id, workers, f, side, diagonal);
}

/// As visit_triangle_map.
template <class F>
void visit_tetra_map(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  if (const TypedMap* typed = info(id).typed) return f(TypedTetra(side, diagonal, *typed));
  detail::visit_on_host(TetraMaps(), id, workers, f, side, diagonal);
}

/// levels: the side is 2^levels tiles. workers: as above. f may launch a kernel with the map; a typed map is not
/// visited.
template <class F>
void visit_built_in_gasket_map(GasketMapId id, u32 levels, u32 workers, F&& f) {
  detail::visit_on_host(GasketMaps(), id, workers, f, levels);
}

/// As visit_triangle_map.
template <class F>
void visit_gasket_map(GasketMapId id, u32 levels, u32 workers, F&& f) {
  if (const TypedMap* typed = info(id).typed) return f(TypedGasket(levels, *typed));
  visit_built_in_gasket_map(id, levels, workers, f);
}

namespace detail {

inline std::string option(const MapInfo& map) { return std::string("--map ") + map.name; }

/// "Use --map lambda, or --n 4097 or less."
inline std::string cure(const MapInfo& map, u64 largest_n) {
  std::string text = "Use ";
  if (map.alternative != nullptr) text += std::string("--map ") + map.alternative + ", or ";
  return text + "--n " + std::to_string(largest_n) + " or less.";
}

inline bool is_power_of_two(u64 v) { return v != 0 && (v & (v - 1)) == 0; }

/// Why the gasket cannot have this size; empty when it can.
inline std::string gasket_shape_refusal(const MapInfo& map, u64 n, u32 block) {
  if (!is_power_of_two(n)) {
    u64 below = 1;
    while (below * 2 < n && below < (u64{1} << 62)) below *= 2;
    return option(map) + " needs a side that is a power of two; n = " + std::to_string(n) + ". Use --n " +
           std::to_string(below) + " or --n " + std::to_string(below * 2) + ".";
  }
  if (!is_power_of_two(block) || block > n) {
    return option(map) + " needs a block side that is a power of two and at most n = " + std::to_string(n) +
           "; block = " + std::to_string(block) + ". Use --block " + std::to_string(n < 16 ? n : 16) + ".";
  }
  return {};
}

}  // namespace detail

/// Tiles a side for n elements: ceil(n / block), in thread space n. block 0 counts as 1.
inline u64 tiles_per_side(const MapInfo& map, u64 n, u32 block) {
  const u64 width = map.space == Space::thread || block == 0 ? 1 : block;
  return n / width + (n % width != 0 ? 1 : 0);
}

/// Bytes of the map's table at n elements, 0 for a map without one. Holds up to the map's limit.
inline u64 table_bytes(const MapInfo& map, u64 n, u32 block) {
  return map.table_bytes == nullptr ? 0 : map.table_bytes(tiles_per_side(map, n, block));
}

/// One sentence that says why the map cannot be used at this size and what to use instead; empty when it can.
/// n: elements a side; block: tile side (thread-space maps ignore it); memory: bytes that a table may take.
inline std::string refusal(const MapInfo& map, u64 n, u32 block, u64 memory = table_memory()) {
  if (map.domain == Domain::gasket) {
    if (std::string text = detail::gasket_shape_refusal(map, n, block); !text.empty()) return text;
  }
  const u64 tiles = tiles_per_side(map, n, block);
  if (map.typed != nullptr) return map.typed->refusal(tiles);
  const u64 width = map.space == Space::thread || block == 0 ? 1 : block;
  const std::string given = std::string("; n = ") + std::to_string(n);
  if (tiles > map.max_side) {
    const u64 largest = map.max_side * width;
    std::string text = detail::option(map) + " is exact to " + map.limit;
    if (map.space == Space::thread) {
      text += given;
    } else {
      text += ", with --block " + std::to_string(width) + " to n = " + std::to_string(largest) + given;
    }
    return text + ". " + detail::cure(map, largest);
  }
  if (const u64 bytes = table_bytes(map, n, block); bytes > memory) {
    u64 side = 0;  // the largest whose table fits
    for (u64 step = u64{1} << 31; step != 0; step >>= 1) {
      if (side + step < tiles && map.table_bytes(side + step) <= memory) side += step;
    }
    return detail::option(map) + " needs a table of " + std::to_string(bytes >> 20) +
           " MiB at n = " + std::to_string(n) + " with --block " + std::to_string(width) + ", and " +
           std::to_string(memory >> 20) + " MiB may be taken. " + detail::cure(map, side * width);
  }
  return {};
}

}  // namespace tri
