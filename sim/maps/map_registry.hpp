#pragma once
/// Every map by name: tables for lists and help, the sentence with which a map refuses a size, and the one place where
/// a name chosen at run time becomes a type. A new map is one header, one enumerator (map_ids.hpp) and one row here.
///
/// Host only (the maps themselves are for the device too). Pure functions: any thread may call them.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gasket_bb.hpp"
#include "gasket_digits.hpp"
#include "gasket_lambda.hpp"
#include "gasket_stream.hpp"
#include "map_ids.hpp"
#include "table_memory.hpp"
#include "tetra_bb.hpp"
#include "tetra_exact.hpp"
#include "tetra_lut.hpp"
#include "tetra_r.hpp"
#include "tetra_stream.hpp"
#include "triangle_bb.hpp"
#include "triangle_circulant.hpp"
#include "triangle_fold.hpp"
#include "triangle_h.hpp"
#include "triangle_lambda.hpp"
#include "triangle_lambda_historical.hpp"
#include "triangle_lambda_lut.hpp"
#include "triangle_lambda_stream.hpp"
#include "triangle_rb.hpp"
#include "triangle_rec.hpp"
#include "triangle_utm.hpp"

namespace tri {

namespace detail {

inline constexpr MapInfo kTriangleMaps[] = {
    TriangleBb::kInfo,           TriangleLambda::kInfo,    TriangleLambdaX::kInfo,
    TriangleLambdaN::kInfo,      TriangleLambdaR::kInfo,   TriangleLambdaLut::kInfo,
    TriangleLambdaStream::kInfo, TriangleFold::kInfo,      TriangleRb::kInfo,
    TriangleRec::kInfo,          TriangleH::kInfo,         TriangleUtm::kInfo,
    TriangleUtmBlock::kInfo,     TriangleCirculant::kInfo,
};
inline constexpr MapInfo kTetraMaps[] = {TetraBb::kInfo, TetraExact::kInfo, TetraR::kInfo, TetraLut::kInfo,
                                         TetraStream::kInfo};
inline constexpr MapInfo kGasketMaps[] = {GasketBb::kInfo, GasketLambda::kInfo, GasketDigits::kInfo,
                                          GasketStream::kInfo};

static_assert(std::size(kTriangleMaps) == kTriangleMapCount);
static_assert(std::size(kTetraMaps) == kTetraMapCount);
static_assert(std::size(kGasketMaps) == kGasketMapCount);

template <class Id>
std::optional<Id> find_map(std::span<const MapInfo> maps, std::string_view name) {
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps[i].name == name) return static_cast<Id>(i);
  }
  return std::nullopt;
}

}  // namespace detail

/// In the order of the enumerators.
inline std::span<const MapInfo> triangle_maps() { return detail::kTriangleMaps; }
inline std::span<const MapInfo> tetra_maps() { return detail::kTetraMaps; }
inline std::span<const MapInfo> gasket_maps() { return detail::kGasketMaps; }

inline const MapInfo& info(TriangleMapId id) { return detail::kTriangleMaps[static_cast<u32>(id)]; }
inline const MapInfo& info(TetraMapId id) { return detail::kTetraMaps[static_cast<u32>(id)]; }
inline const MapInfo& info(GasketMapId id) { return detail::kGasketMaps[static_cast<u32>(id)]; }

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

/// Calls f(map) with the map's own type. side: tiles a side (thread space: elements) >= 1. workers: positions of a
/// persistent map, 0 counts as 1; the others ignore it. Tables of the lut maps live for the call: std::bad_alloc when
/// they do not fit. Sizes past the map's limit are not refused here (tests want them): ask refusal() first.
template <class F>
void visit_triangle_map(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  switch (id) {
    case TriangleMapId::bb:
      return f(TriangleBb(side, diagonal));
    case TriangleMapId::lambda:
      return f(TriangleLambda(side, diagonal));
    case TriangleMapId::lambda_x:
      return f(TriangleLambdaX(side, diagonal));
    case TriangleMapId::lambda_n:
      return f(TriangleLambdaN(side, diagonal));
    case TriangleMapId::lambda_r:
      return f(TriangleLambdaR(side, diagonal));
    case TriangleMapId::lambda_lut: {
      const std::vector<Tile2> table = make_triangle_table(side, diagonal);
      return f(TriangleLambdaLut(side, diagonal, table.data()));
    }
    case TriangleMapId::lambda_stream:
      return f(TriangleLambdaStream(side, diagonal, workers));
    case TriangleMapId::fold:
      return f(TriangleFold(side, diagonal));
    case TriangleMapId::rb:
      return f(TriangleRb(side, diagonal));
    case TriangleMapId::rec:
      return f(TriangleRec(side, diagonal));
    case TriangleMapId::h:
      return f(TriangleH(side, diagonal));
    case TriangleMapId::utm:
      return f(TriangleUtm(side, diagonal));
    case TriangleMapId::utm_block:
      return f(TriangleUtmBlock(side, diagonal));
    case TriangleMapId::circulant:
      return f(TriangleCirculant(side, diagonal));
  }
}

/// As visit_triangle_map.
template <class F>
void visit_tetra_map(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  switch (id) {
    case TetraMapId::bb:
      return f(TetraBb(side, diagonal));
    case TetraMapId::tetra:
      return f(TetraExact(side, diagonal));
    case TetraMapId::tetra_r:
      return f(TetraR(side, diagonal));
    case TetraMapId::tetra_lut: {
      const std::vector<u64> prefix = make_tetra_table(side, diagonal);
      return f(TetraLut(side, diagonal, prefix.data()));
    }
    case TetraMapId::tetra_stream:
      return f(TetraStream(side, diagonal, workers));
  }
}

/// levels: the side is 2^levels tiles. workers: as above.
template <class F>
void visit_gasket_map(GasketMapId id, u32 levels, u32 workers, F&& f) {
  switch (id) {
    case GasketMapId::bb:
      return f(GasketBb(levels));
    case GasketMapId::gasket:
      return f(GasketLambda(levels));
    case GasketMapId::gasket_digits:
      return f(GasketDigits(levels));
    case GasketMapId::gasket_stream:
      return f(GasketStream(levels, workers));
  }
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

/// What the shape of the gasket asks for; empty when it holds.
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

/// One sentence that says why the map cannot be taken at this size and what to take instead; empty when it is exact.
/// n: elements a side; block: tile side (thread-space maps ignore it); memory: bytes a table may take.
inline std::string refusal(const MapInfo& map, u64 n, u32 block, u64 memory = table_memory()) {
  if (map.domain == Domain::gasket) {
    if (std::string text = detail::gasket_shape_refusal(map, n, block); !text.empty()) return text;
  }
  const u64 tiles = tiles_per_side(map, n, block);
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
  if (std::string_view(map.name) == TriangleLambdaLut::kInfo.name && triangular(tiles) > memory / sizeof(Tile2)) {
    u64 side = ceil_sqrt(memory / sizeof(Tile2) * 2);
    while (triangular(side) > memory / sizeof(Tile2)) --side;
    return detail::option(map) + " needs a table of " +
           std::to_string(triangular(tiles) / ((1u << 20) / sizeof(Tile2))) + " MiB at n = " + std::to_string(n) +
           " with --block " + std::to_string(width) + ", and " + std::to_string(memory >> 20) + " MiB may be taken. " +
           detail::cure(map, side * width);
  }
  return {};
}

}  // namespace tri
