#include "sim/cuda/jit/map_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/mapfile/add_map.hpp"
#include "sim/mapfile/cuda_text.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {
namespace {

const mapfile::MapFile& file_of(const MapInfo& map) {
  const mapfile::MapFile* const file = mapfile::map_file_of(map);
  if (file == nullptr) {
    throw ConfigError(fmt::format("--map {} has no file, from which a GPU could get it; use --backend cpu.", map.name));
  }
  return *file;
}

/// Bytes of the base class, at whose end numbers of 64 bits begin.
template <class Base>
constexpr std::size_t kBaseBytes = (sizeof(Base) + 7) / 8 * 8;

std::size_t value_bytes(const MapInfo& map) {
  const mapfile::DeviceShape shape = mapfile::device_shape(file_of(map));
  const std::size_t base = map.domain == Domain::triangle      ? kBaseBytes<TriangleBase>
                           : map.domain == Domain::tetrahedron ? kBaseBytes<TetraBase>
                                                               : kBaseBytes<GasketBase>;
  return base + 8 * (shape.once + 2 * shape.passes);
}

/// The class of the file, and what kernels ask of a map's type.
MapText typed_map_text(const MapInfo& map, u32 side) {
  return {"TypedMap", fmt::format("namespace tri::cuda {{\n"
                                  "{}"
                                  "struct TypedKind {{\n"
                                  "  Space space;\n"
                                  "}};\n"
                                  "struct TypedMap : TypedTile {{\n"
                                  "  using TypedTile::TypedTile;\n"
                                  "  static constexpr TypedKind kInfo{{Space::block}};\n"
                                  "}};\n"
                                  "static_assert(sizeof(TypedMap) == {});\n"
                                  "}}  // namespace tri::cuda\n",
                                  mapfile::cuda_text(file_of(map), side, "TypedTile"), value_bytes(map))};
}

template <class Base>
std::vector<std::byte> bytes_of(const Base& base) {
  static_assert(std::is_trivially_copyable_v<Base> && alignof(Base) <= 8);
  std::vector<std::byte> bytes(kBaseBytes<Base>);
  std::memcpy(bytes.data(), &base, sizeof(Base));
  return bytes;
}

template <class T>
void append_values(std::vector<std::byte>& bytes, const std::vector<T>& values, std::size_t count) {
  static_assert(sizeof(T) == 8);
  const std::size_t at = bytes.size();
  bytes.resize(at + 8 * count);
  std::memcpy(bytes.data() + at, values.data(), 8 * values.size());
}

}  // namespace

MapText map_text(TriangleMapId id, u32 side) {
  if (info(id).typed != nullptr) return typed_map_text(info(id), side);
  if (id == TriangleMapId::lambda) return {"TriangleLambda", ""};
  if (id == TriangleMapId::lambda_stream) return {"TriangleLambdaStream", ""};
  return {"AnyTriangleMap", ""};
}

MapText map_text(TetraMapId id, u32 side) {
  if (info(id).typed != nullptr) return typed_map_text(info(id), side);
  return {"AnyTetraMap", ""};
}

MapText map_text(GasketMapId id, u32 side) {
  TRI_EXPECTS(info(id).typed != nullptr);
  return typed_map_text(info(id), side);
}

std::vector<std::byte> map_value(const MapInfo& map, u32 side) {
  const mapfile::DeviceMap values = mapfile::device_map(file_of(map), side);
  const mapfile::DeviceShape shape = mapfile::device_shape(file_of(map));
  std::vector<std::byte> bytes = map.domain == Domain::triangle ? bytes_of(TriangleBase(side, Diagonal::with))
                                 : map.domain == Domain::tetrahedron
                                     ? bytes_of(TetraBase(side, Diagonal::with))
                                     : bytes_of(GasketBase(static_cast<u32>(std::countr_zero(side))));
  append_values(bytes, values.once, shape.once);
  append_values(bytes, values.wide, shape.passes);
  append_values(bytes, values.high, shape.passes);
  return bytes;
}

}  // namespace tri::cuda
