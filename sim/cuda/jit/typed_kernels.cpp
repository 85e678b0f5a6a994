#include "sim/cuda/jit/typed_kernels.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/laws/visit_law.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/law_program.hpp"
#include "sim/text/map_file.hpp"
#include "typed_cells_cuh.hpp"
#include "typed_collisions_cuh.hpp"
#include "typed_counts_cuh.hpp"
#include "typed_distances_cuh.hpp"
#include "typed_elements_cuh.hpp"
#include "typed_jerks_cuh.hpp"
#include "typed_pair_cuh.hpp"
#include "typed_tile_pairs_cuh.hpp"
#include "typed_triple_cuh.hpp"

namespace tri::cuda {

std::string_view typed_pair_text() { return embedded::typed_pair_cuh; }
std::string_view typed_triple_text() { return embedded::typed_triple_cuh; }

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

KernelText text_on(const MapText& map, const MapKernel& kernel) {
  return {kernel.text, fmt::format("{}"
                                   "namespace tri::cuda {{\n"
                                   "using KernelMap = {};\n"
                                   "template __global__ void {};\n"
                                   "}}  // namespace tri::cuda\n",
                                   map.definition, map.type, kernel.instance)};
}

MapKernel element_map_kernel(bool triples, const std::string& work) {
  return {embedded::typed_elements_cuh, fmt::format("{}<KernelMap, {}>(const KernelMap, const GridPiece, u32, {})",
                                                    triples ? "element3_kernel" : "element_kernel", work, work)};
}

MapKernel cells_map_kernel(const std::string& work) {
  return {embedded::typed_cells_cuh,
          fmt::format("cells_kernel<KernelMap, GasketShape, {}>(const __grid_constant__ KernelMap, const GridPiece, "
                      "const __grid_constant__ GasketShape, const TileThreads, u32, {})",
                      work, work)};
}

MapKernel sectors_map_kernel() {
  return {embedded::typed_cells_cuh,
          "sectors_kernel<KernelMap>(const __grid_constant__ KernelMap, const GridPiece, u32, u8*)"};
}

MapKernel compact_map_kernel() {
  return {embedded::typed_cells_cuh,
          "compact_kernel<KernelMap, GasketShape>(const __grid_constant__ KernelMap, const GridPiece, const "
          "__grid_constant__ GasketShape, u32, u32, const CompactBox, const LifeRule, const u8* __restrict__, u8* "
          "__restrict__)"};
}

MapKernel distance_tile_map_kernel(Precision precision, u32 quads, const std::string& layout) {
  return {embedded::typed_distances_cuh,
          fmt::format("distance_tile_kernel<{0}, {1}, {2}, KernelMap>(const __grid_constant__ KernelMap, const "
                      "GridPiece, u32, const __grid_constant__ PointArray<{0}>, {0}* __restrict__, const RowPart, "
                      "const {2})",
                      real_name(precision), quads, layout)};
}

MapKernel distance_element_map_kernel(Precision precision) {
  return {embedded::typed_distances_cuh,
          fmt::format("distance_element_kernel<{0}, KernelMap>(const KernelMap, const GridPiece, const "
                      "DistanceArguments<{0}>)",
                      real_name(precision))};
}

MapKernel collision_tile_map_kernel(Precision precision, u32 dimensions, u32 rows, u32 threads) {
  return {embedded::typed_collisions_cuh,
          fmt::format("collision_tile_kernel<{0}, {1}, {2}, {3}, KernelMap>(const __grid_constant__ KernelMap, const "
                      "GridPiece, u32, const Sphere<{0}>* __restrict__, const CollisionOutput, const "
                      "laws::NearestImage<{0}>)",
                      real_name(precision), dimensions, rows, threads)};
}

MapKernel collision_element_map_kernel(Precision precision, u32 dimensions) {
  return {embedded::typed_collisions_cuh,
          fmt::format("collision_element_kernel<{1}, {0}, KernelMap>(const KernelMap, const GridPiece, u32, const "
                      "Sphere<{0}>* __restrict__, const CollisionOutput, const laws::NearestImage<{0}>)",
                      real_name(precision), dimensions)};
}

MapKernel jerk_map_kernel(Accumulate accumulate) {
  return {embedded::typed_jerks_cuh,
          fmt::format("jerk_tile_kernel<{}, KernelMap>(const __grid_constant__ KernelMap, const GridPiece, const "
                      "JerkLaw, u32, const DeviceState<double>, const JerkSums)",
                      accumulate == Accumulate::ordered)};
}

MapKernel tile_pairs_map_kernel() {
  return {embedded::typed_tile_pairs_cuh,
          "tile_pairs_kernel<KernelMap>(const __grid_constant__ KernelMap, const GridPiece, float, const TensorLimits, "
          "const UnitSizes, const TiledBodies, const PairUnits)"};
}

MapKernel tree_squares_map_kernel() {
  return {embedded::typed_tile_pairs_cuh,
          "tree_squares_kernel<KernelMap>(const __grid_constant__ KernelMap, const GridPiece, u32, u32, uint2*, "
          "unsigned long long*)"};
}

MapKernel triple_counts_map_kernel(bool shared) {
  return {embedded::typed_counts_cuh,
          fmt::format("triple_counts_kernel<{}, KernelMap>(const __grid_constant__ KernelMap, const GridPiece, u32, "
                      "u32, const u8*, unsigned long long*)",
                      shared)};
}

namespace {

using expression::Instruction;
using expression::kPairInputs;
using expression::Law;
using expression::Op;
using expression::PairInput;
using expression::Program;
using expression::TypedLaw;

/// The last is r^2 plus a uniform (see below).
const std::array<std::string, kPairInputs + 1>& input_names() {
  static const std::array<std::string, kPairInputs + 1> names{"r2", "i.m", "j.m", "i.r", "j.r", "i.q", "j.q", "soft"};
  return names;
}

/// r^2 plus a uniform, which is that of a softening: three multiply-adds give it, if the first starts from the uniform.
/// Makes such a sum an input; returns the number of the uniform.
std::optional<u32> fold_softening(Program& program) {
  std::optional<u32> folded;
  const auto is = [&](u32 at, Op op) { return program.code[at].op == op; };
  const auto is_r2 = [&](u32 at) { return is(at, Op::input) && program.code[at].a == static_cast<u32>(PairInput::r2); };
  for (Instruction& code : program.code) {
    if (code.op != Op::add) continue;
    const bool first = is_r2(code.a);
    const u32 other = first ? code.b : code.a;
    if (!(first || is_r2(code.b)) || !is(other, Op::uniform)) continue;
    const u32 uniform = program.code[other].a;
    if (folded.value_or(uniform) != uniform) continue;
    folded = uniform;
    code = {Op::input, kPairInputs, 0, 0};
  }
  return folded;
}

/// From dx, dy, dz to the program's results.
expression::FunctorText body_of(Program program) {
  const std::optional<u32> softening = fold_softening(program);
  expression::FunctorText body = functor_statements(program, input_names());
  std::string squares = "  const V r2 = M::mul_add(dz, dz, M::mul_add(dy, dy, dx * dx));\n";
  if (softening) {
    squares += fmt::format("  const V soft = M::mul_add(dz, dz, M::mul_add(dy, dy, M::mul_add(dx, dx, u[{}])));\n",
                           *softening);
  }
  body.statements.insert(0, squares);
  return body;
}

/// Where kernels put bodies that there are not (beyond() in terms.cuh), and a squared distance that only those
/// exceed.
template <class Real>
constexpr Real kBeyond = sizeof(Real) == 4 ? Real(1e18) : Real(1e150);
template <class Real>
constexpr double kBeyondBound = sizeof(Real) == 4 ? 1e36 : 1e300;

/// Whether the force between such a body and any other one might not be 0. Tries what the other one may have, up to
/// numbers that no scene comes near.
template <class Real>
bool reaches_beyond(const Law& law, const std::vector<Real>& uniforms) {
  constexpr Real kMuch = sizeof(Real) == 4 ? Real(1e12) : Real(1e60);
  for (const Real other : {Real(0), Real(1), Real(-1), kMuch, -kMuch}) {
    for (const bool row : {false, true}) {
      const Real here = row ? other : Real(0), there = row ? Real(0) : other;
      const std::array<Real, kPairInputs> inputs{
          3 * kBeyond<Real> * kBeyond<Real>, here, there, here, there, here, there};
      const Real strength = law.strength().run<Real>(inputs, uniforms)[0];
      if (!(strength * kBeyond<Real> == 0)) return true;
    }
  }
  return false;
}

template <class Real>
std::vector<Real> uniforms_of(const TypedLaw& typed) {
  const std::vector<double> values = typed.law->uniforms(typed.values);
  return {values.begin(), values.end()};
}

/// The bytes of a functor: its uniforms, then the image.
template <class Real>
std::vector<std::byte> value_of(const std::vector<Real>& uniforms, const Box& box) {
  using Image = laws::NearestImage<Real>;
  static_assert(std::is_trivially_copyable_v<Image> && alignof(Image) == alignof(Real));
  const bool periodic = box.boundary == Boundary::periodic;
  const std::size_t bytes = uniforms.size() * sizeof(Real);
  std::vector<std::byte> value(bytes + (periodic ? sizeof(Image) : 0));
  std::memcpy(value.data(), uniforms.data(), bytes);
  if (periodic) {
    const Image image(box);
    std::memcpy(value.data() + bytes, &image, sizeof image);
  }
  return value;
}

/// False, once it is known for which law.
template <class L>
constexpr bool kIsNamed = false;

/// The types of built-in laws in the kernels' texts (typed_pair and typed_triple, which have their headers).
/// A law without one does not compile.
template <class Real, class L>
constexpr const char* type_in_text() {
  if constexpr (std::is_same_v<L, laws::Gravity<Real>>) {
    return "laws::Gravity";
  } else if constexpr (std::is_same_v<L, laws::LennardJones<Real>>) {
    return "laws::LennardJones";
  } else if constexpr (std::is_same_v<L, laws::Contact<Real>>) {
    return nullptr;  // summed over a list, not over tiles (engine/contacts.hpp)
  } else if constexpr (std::is_same_v<L, laws::AxilrodTeller<Real>>) {
    return "AxilrodTellerSides";
  } else {
    static_assert(kIsNamed<L>, "name the type of this law here, and include its header in the text of the kernel");
  }
}

/// A built-in law under the name that instances use.
template <class Real>
TypedFunctor as_typed(const char* type, const void* value, std::size_t bytes) {
  TRI_EXPECTS(type != nullptr);
  const auto* const from = static_cast<const std::byte*>(value);
  return {fmt::format("namespace tri::cuda {{\n"
                      "using TypedLaw = {}<{}>;\n"
                      "static_assert(sizeof(TypedLaw) == {});\n"
                      "}}  // namespace tri::cuda\n",
                      type, real_name(kPrecisionOf<Real>), bytes),
          std::vector<std::byte>(from, from + bytes)};
}

/// The functor's type around its member functions.
std::string struct_text(const TypedLaw& typed, const Box& box, const char* real, const std::string& functions) {
  const Law& law = *typed.law;
  const bool periodic = box.boundary == Boundary::periodic;
  return expression::functor_prelude() + fmt::format(
                                             "namespace tri::cuda {{\n"
                                             "struct TypedLaw {{\n"
                                             "  using V = {};\n"
                                             "  static constexpr u32 kUses = {};\n"
                                             "  static constexpr laws::Sums kSums = laws::Sums::{};\n"
                                             "  static constexpr bool kCentral = true;\n"
                                             "  V u[{}];\n"
                                             "{}{}"
                                             "}};\n"
                                             "}}  // namespace tri::cuda\n",
                                             real, law.uses() | (law.weighs_masses() ? u32{laws::kMass} : 0u),
                                             law.weighs_masses() ? "acceleration" : "force", law.uniform_count(),
                                             periodic ? "  laws::NearestImage<V> image;\n" : "", functions);
}

}  // namespace

template <class Real>
TypedFunctor typed_force_functor(const TypedLaw& typed, const Box& box) {
  const Law& law = *typed.law;
  TRI_EXPECTS(law.over() == expression::Over::pairs);
  const std::vector<Real> uniforms = uniforms_of<Real>(typed);
  std::string functions;
  if (law.weighs_masses()) functions += "  TRI_HD TRI_INLINE V extract_mass_factor() const { return u[0]; }\n";
  const expression::FunctorText body = body_of(law.strength());
  std::string result = body.outputs[0];
  if (reaches_beyond(law, uniforms)) {
    result = fmt::format("M::only_if(M::less(r2, V({})), {})", kBeyondBound<Real>, result);
  }
  functions += fmt::format(
      "  template <class M>\n"
      "  TRI_HD TRI_INLINE V strength_of(M, const laws::Body<V>& i, const laws::Body<V>& j, V dx, V dy, V dz) const "
      "{{\n"
      "{}"
      "    return {};\n"
      "  }}\n",
      body.statements, result);
  return {struct_text(typed, box, real_name(kPrecisionOf<Real>), functions), value_of(uniforms, box)};
}

template <class Real>
TypedFunctor built_in_force_functor(const ForceField& field) {
  TypedFunctor functor;
  laws::visit_pair_law<Real>(field, [&]<class L>(const L& law) {
    static_assert(std::is_trivially_copyable_v<L>);
    functor = as_typed<Real>(type_in_text<Real, L>(), &law, sizeof law);
  });
  TRI_EXPECTS(!functor.text.empty());
  return functor;
}

TypedFunctor typed_energy_functor(const TypedLaw& typed, const Box& box) {
  const Law& law = *typed.law;
  TRI_EXPECTS(law.over() == expression::Over::pairs);
  const expression::FunctorText body = body_of(law.strength_and_energy());
  const std::string function = fmt::format(
      "  template <class M>\n"
      "  TRI_HD TRI_INLINE laws::PairTerm<V> operator()(M, const laws::Body<V>& i, const laws::Body<V>& j) const {{\n"
      "    V dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;\n"
      "    laws::to_nearest(*this, M{{}}, dx, dy, dz);\n"
      "{}"
      "    const V s = {}{};\n"
      "    return {{s * dx, s * dy, s * dz, {}}};\n"
      "  }}\n",
      body.statements, law.weighs_masses() ? "u[0] * " : "", body.outputs[0], body.outputs[1]);
  return {struct_text(typed, box, "double", function), value_of(uniforms_of<double>(typed), box)};
}

template <class Real>
TypedFunctor typed_triple_functor(const TypedLaw& typed, bool with_energy) {
  const Law& law = *typed.law;
  TRI_EXPECTS(law.over() == expression::Over::triples && (!with_energy || sizeof(Real) == 8));
  static const std::array<std::string, expression::kTripleInputs> names{"a", "b", "c"};
  const expression::FunctorText body =
      functor_statements(with_energy ? law.strength_and_energy() : law.strength(), names);
  const std::string text = fmt::format(
      "{}"
      "namespace tri::cuda {{\n"
      "struct TypedLaw {{\n"
      "  using V = {};\n"
      "  static constexpr bool kStrengths = true;\n"
      "  V u[{}];\n"
      "  template <class M>\n"
      "  TRI_HD TRI_INLINE V strengths(M, V a, V b, V c, V& of_a, V& of_b, V& of_c) const {{\n"
      "{}"
      "    of_a = {}, of_b = {}, of_c = {};\n"
      "    return {};\n"
      "  }}\n"
      "}};\n"
      "}}  // namespace tri::cuda\n",
      expression::functor_prelude(), real_name(kPrecisionOf<Real>), law.uniform_count(), body.statements,
      body.outputs[0], body.outputs[1], body.outputs[2], with_energy ? body.outputs[3] : "V(0)");
  return {text, value_of(uniforms_of<Real>(typed), {})};
}

template <class Real>
TypedFunctor built_in_triple_functor(const ForceField& field) {
  TypedFunctor functor;
  laws::visit_triple_law<Real>(field, [&]<class L>(const L&) {
    const Real nu = static_cast<Real>(field.axilrod_teller.nu);  // all that the type in the text holds
    functor = as_typed<Real>(type_in_text<Real, L>(), &nu, sizeof nu);
  });
  TRI_EXPECTS(!functor.text.empty());
  return functor;
}

std::string force_instance(Precision precision, u32 rows, u32 warps, Accumulate accumulate,
                           const std::string& map_type) {
  const char* real = real_name(precision);
  return fmt::format(
      "namespace tri::cuda {{\n"
      "template __global__ void pair_tile_kernel<TypedLaw, {0}, {1}, {2}, {3}, {4}>(\n"
      "    const __grid_constant__ {4}, const GridPiece, const TypedLaw, const DeviceState<{0}>, const PairSums<{0}>, "
      "u32, "
      "u32);\n"
      "}}  // namespace tri::cuda\n",
      real, rows, warps, accumulate == Accumulate::ordered, map_type);
}

std::string energy_instance(Precision precision) {
  return fmt::format(
      "namespace tri::cuda {{\n"
      "template __global__ void energy_kernel<TypedLaw, {0}>(const TypedLaw, const DeviceState<{0}>, const "
      "TriangleLambda,\n"
      "                                                      u64, u64, double*, u32, u32);\n"
      "}}  // namespace tri::cuda\n",
      real_name(precision));
}

std::string triple_instance(Precision precision, Accumulate accumulate, const std::string& map_type) {
  return fmt::format(
      "namespace tri::cuda {{\n"
      "template __global__ void typed_triple_kernel<TypedLaw, {0}, {1}, {2}>(\n"
      "    const __grid_constant__ {2}, const GridPiece, const TypedLaw, const DeviceState<{0}>, const "
      "PairSums<{0}>, u32);\n"
      "}}  // namespace tri::cuda\n",
      real_name(precision), accumulate == Accumulate::ordered, map_type);
}

std::string triple_energy_instance(Precision precision) {
  return fmt::format(
      "namespace tri::cuda {{\n"
      "template __global__ void typed_triple_energy_kernel<TypedLaw, {0}>(\n"
      "    const TypedLaw, const TetraExact, const DeviceState<{0}>, u64, u64, double*, u32, u32);\n"
      "}}  // namespace tri::cuda\n",
      real_name(precision));
}

template TypedFunctor typed_triple_functor<float>(const TypedLaw&, bool);
template TypedFunctor typed_triple_functor<double>(const TypedLaw&, bool);
template TypedFunctor built_in_force_functor<float>(const ForceField&);
template TypedFunctor built_in_force_functor<double>(const ForceField&);
template TypedFunctor built_in_triple_functor<float>(const ForceField&);
template TypedFunctor built_in_triple_functor<double>(const ForceField&);
template TypedFunctor typed_force_functor<float>(const TypedLaw&, const Box&);
template TypedFunctor typed_force_functor<double>(const TypedLaw&, const Box&);

}  // namespace tri::cuda
