// Kernels of typed laws as text and as code: they compile for a card that need not be here.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "sim/cuda/jit/kernel_code.hpp"
#include "sim/cuda/jit/kernel_texts.hpp"
#include "sim/cuda/jit/map_kernels.hpp"
#include "sim/cuda/jit/typed_functor.hpp"
#include "sim/mapfile/add_map.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/sim/cuda/jit/typed_laws.hpp"
#include "tests/support/require_usable.hpp"

namespace tri::test {
namespace {

using cuda::KernelText;
using cuda::nvrtc::Compiler;

constexpr cuda::nvrtc::Target kHopper{90, false};

class TypedKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::nvrtc::loaded().found) GTEST_SKIP() << cuda::nvrtc::loaded().found.reason;
  }
};

bool is_elf(const std::vector<char>& code) {
  return code.size() > 64 && std::string_view(code.data(), 4) == std::string_view(
                                                                     "\x7f"
                                                                     "ELF",
                                                                     4);
}

/// Compiles it, without a cache. TRI_KEEP_CUBINS names a folder that then gets the code, for a look at its
/// instructions.
void expect_compiles(const std::string& name, const KernelText& text) {
  const auto code = cuda::kernel_code(text, cuda::nvrtc::loaded(), kHopper, cuda::KernelCache(""));
  EXPECT_TRUE(is_elf(code)) << name;
  if (const char* folder = std::getenv("TRI_KEEP_CUBINS")) {
    const std::string at = (std::filesystem::path(folder) / name).string();
    std::FILE* file = std::fopen((at + ".cubin").c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fwrite(code.data(), 1, code.size(), file);
    std::fclose(file);
  }
}

void expect_compiles(const std::string& name, const cuda::TypedFunctor& law, const std::string& instance,
                     std::string_view common = cuda::typed_pair_text()) {
  expect_compiles(name, KernelText{common, law.text + instance});
}

/// All kernels that a map of the domain drives beside forces.
std::vector<cuda::MapKernel> map_kernels(Domain domain) {
  std::vector<cuda::MapKernel> kernels;
  if (domain == Domain::tetrahedron) {
    for (const char* work : {"HoldWork", "StoreWork", "WriteWork", "ChecksumWork<TetraMapId>"}) {
      kernels.push_back(cuda::element_map_kernel(true, work));
    }
    for (const bool shared : {false, true}) kernels.push_back(cuda::triple_counts_map_kernel(shared));
    return kernels;
  }
  if (domain == Domain::gasket) {
    for (const char* work : {"CellWriteWork", "CellSumWork", "CellStepWork<2>"}) {
      kernels.push_back(cuda::cells_map_kernel(work));
    }
    kernels.push_back(cuda::sectors_map_kernel());
    kernels.push_back(cuda::compact_map_kernel());
    return kernels;
  }
  for (const char* work : {"HoldWork", "StoreWork", "WriteWork", "ChecksumWork<TriangleMapId>", "AutomatonWork"}) {
    kernels.push_back(cuda::element_map_kernel(false, work));
  }
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const u32 quads : {1u, 4u}) kernels.push_back(cuda::distance_tile_map_kernel(precision, quads, "AnyLayout"));
    kernels.push_back(cuda::distance_element_map_kernel(precision));
    for (const u32 dimensions : {1u, 3u}) {
      kernels.push_back(cuda::collision_tile_map_kernel(precision, dimensions, 4, 32));
      kernels.push_back(cuda::collision_element_map_kernel(precision, dimensions));
    }
  }
  kernels.push_back(cuda::distance_tile_map_kernel(Precision::fp32, 1, "FixedLayout<DistanceLayout(1)>"));
  for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
    kernels.push_back(cuda::jerk_map_kernel(accumulate));
  }
  kernels.push_back(cuda::tile_pairs_map_kernel());
  return kernels;
}

/// On this map the first of those kernels, which is enough of a map that is tried after others.
void expect_map_compiles(const MapInfo& map, const cuda::MapText& text, bool all) {
  const std::vector<cuda::MapKernel> kernels = map_kernels(map.domain);
  for (std::size_t k = 0; k < (all ? kernels.size() : 1); ++k) {
    expect_compiles(map.name + ("_" + std::to_string(k)), cuda::text_on(text, kernels[k]));
  }
}

template <class Real>
void expect_forces(const std::string& name, const std::string& text, u32 rows, u32 warps, Accumulate accumulate,
                   const std::string& map_type = "TriangleLambda", const Box& box = {}) {
  const Precision precision = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;
  expect_compiles(name, cuda::typed_force_functor<Real>(pair_law(text), box),
                  cuda::force_instance(precision, rows, warps, accumulate, map_type));
}

TEST_F(TypedKernels, EveryLawCompiles) {
  for (const NamedLaw& law : typed_laws()) {
    expect_forces<float>(law.name + "_float", law.text, 4, 2, Accumulate::fast);
    expect_forces<double>(law.name + "_double", law.text, 4, 2, Accumulate::fast);
    expect_compiles(law.name + "_energy", cuda::typed_energy_functor(pair_law(law.text), {}),
                    cuda::energy_instance(Precision::fp32));
  }
}

TEST_F(TypedKernels, EveryShapeCompiles) {
  for (const auto& [rows, warps] : {std::pair{4u, 2u}, {4u, 4u}, {12u, 4u}}) {
    expect_forces<float>("gravity_" + std::to_string(rows) + "x" + std::to_string(warps), kTypedGravity, rows, warps,
                         Accumulate::fast);
  }
  expect_forces<float>("gravity_exact", kTypedGravity, 8, 4, Accumulate::ordered);
  expect_forces<float>("gravity_ordered", kTypedGravity, 4, 2, Accumulate::ordered);
  expect_forces<double>("gravity_8x2", kTypedGravity, 8, 2, Accumulate::fast);
  expect_forces<double>("cut_ordered", kTypedCut, 4, 2, Accumulate::ordered);
  expect_compiles("cut_energy", cuda::typed_energy_functor(pair_law(kTypedCut), {}),
                  cuda::energy_instance(Precision::fp64));
}

TEST_F(TypedKernels, EveryMapIsATypeOfTheText) {
  std::set<std::string> types;
  for (u32 id = 0; id < kTriangleMapCount; ++id) types.insert(cuda::map_text(static_cast<TriangleMapId>(id), 100).type);
  EXPECT_EQ(types.size(), 3u);
  for (const std::string& type : types) {
    expect_forces<float>("gravity_on_" + type, kTypedGravity, 4, 2, Accumulate::fast, type);
  }
}

TEST_F(TypedKernels, EveryMapFileCompiles) {
  const cuda::TypedFunctor gravity = cuda::built_in_force_functor<float>({});
  ForceField triples_field;
  triples_field.triple = TripleLaw::axilrod_teller;
  const cuda::TypedFunctor axilrod_teller = cuda::built_in_triple_functor<double>(triples_field);
  u32 pairs = 0, triples = 0, gaskets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TRI_MAP_FILES)) {
    const MapInfo& map = mapfile::add_map(mapfile::MapFile::open(entry.path().string()));
    const std::string name = map.name;
    const u32 side = 64;  // where all values have 32 bits
    if (map.domain == Domain::triangle) {
      expect_map_compiles(map, cuda::map_text(*find_triangle_map(map.name), 1u << 20), false);
      const cuda::MapText text = cuda::map_text(*find_triangle_map(map.name), side);
      expect_compiles(name, {gravity.text + text.definition, {}},
                      cuda::force_instance(Precision::fp32, 4, 2, Accumulate::fast, text.type));
      expect_map_compiles(map, text, pairs == 0);
      ++pairs;
    } else if (map.domain == Domain::tetrahedron) {
      expect_map_compiles(map, cuda::map_text(*find_tetra_map(map.name), 1u << 12), false);
      const cuda::MapText text = cuda::map_text(*find_tetra_map(map.name), side);
      expect_compiles(name, {axilrod_teller.text + text.definition, {}},
                      cuda::triple_instance(Precision::fp64, Accumulate::ordered, text.type),
                      cuda::typed_triple_text());
      expect_map_compiles(map, text, triples == 0);
      ++triples;
    } else {
      const cuda::MapText text = cuda::map_text(*find_gasket_map(map.name), side);
      expect_map_compiles(map, text, gaskets == 0);
      ++gaskets;
    }
  }
  EXPECT_GE(gaskets, 3u);
  EXPECT_GE(pairs, 5u);
  EXPECT_GE(triples, 2u);
}

TEST_F(TypedKernels, PeriodicWallsCompile) {
  Box box;
  box.boundary = Boundary::periodic;
  expect_forces<float>("periodic", kTypedCut, 4, 2, Accumulate::fast, "TriangleLambda", box);
  expect_compiles("periodic_energy", cuda::typed_energy_functor(pair_law(kTypedCut), box),
                  cuda::energy_instance(Precision::fp32));
}

TEST_F(TypedKernels, TriplesCompile) {
  for (const char* law : {kTypedAxilrodTeller, kTypedTriples}) {
    const std::string name = law == kTypedTriples ? "triples" : "axilrod_teller";
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      expect_compiles(name + "_float", cuda::typed_triple_functor<float>(triple_law(law), false),
                      cuda::triple_instance(Precision::fp32, accumulate, "AnyTetraMap"), cuda::typed_triple_text());
      expect_compiles(name + "_double", cuda::typed_triple_functor<double>(triple_law(law), false),
                      cuda::triple_instance(Precision::fp64, accumulate, "AnyTetraMap"), cuda::typed_triple_text());
    }
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      expect_compiles(name + "_energy", cuda::typed_triple_functor<double>(triple_law(law), true),
                      cuda::triple_energy_instance(precision), cuda::typed_triple_text());
    }
  }
}

TEST_F(TypedKernels, AreCompiledForOlderAndNewerCards) {
  const Compiler& compiler = cuda::nvrtc::loaded();
  const auto law = cuda::typed_force_functor<float>(pair_law(kTypedGravity), {});
  const KernelText text{cuda::typed_pair_text(),
                        law.text + cuda::force_instance(Precision::fp32, 4, 2, Accumulate::fast, "TriangleLambda")};
  for (const int capability : {compiler.archs.front(), compiler.archs.back()}) {
    const auto target = cuda::nvrtc::target_for(compiler, capability);
    EXPECT_FALSE(target.portable);
    EXPECT_TRUE(is_elf(cuda::kernel_code(text, compiler, target, cuda::KernelCache("")))) << capability;
  }
  const auto later = cuda::nvrtc::target_for(compiler, compiler.archs.back() + 5);
  EXPECT_TRUE(later.portable);
  EXPECT_EQ(later.capability, compiler.archs.back());
  const auto ptx = cuda::kernel_code(text, compiler, later, cuda::KernelCache(""));
  EXPECT_NE(std::string(ptx.data()).find(".entry"), std::string::npos);
  EXPECT_EQ(ptx.back(), '\0');
  EXPECT_THROW(cuda::nvrtc::target_for(compiler, compiler.archs.front() - 5), BackendError);
}

TEST_F(TypedKernels, AFaultOfTheTextIsALogicErrorWithTheLog) {
  try {
    cuda::nvrtc::compile(cuda::nvrtc::loaded(), "int f() { return nothing; }", kHopper);
    FAIL() << "it compiled";
  } catch (const std::logic_error& error) {
    EXPECT_NE(std::string(error.what()).find("nothing"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("please report"), std::string::npos) << error.what();
  }
}

TEST(TypedFunctor, ParametersAreDataAndNotText) {
  expression::TypedLaw law = pair_law(kTypedCut);
  const auto before = cuda::typed_force_functor<float>(law, {});
  law.values[0] = 3.5;
  const auto after = cuda::typed_force_functor<float>(law, {});
  EXPECT_EQ(before.text, after.text);
  EXPECT_NE(before.value, after.value);
  EXPECT_EQ(before.value.size(), law.law->uniform_count() * sizeof(float));
}

TEST(TypedFunctor, MasksForcesThatDoNotVanish) {
  const auto is_masked = [](const char* text) {
    return cuda::typed_force_functor<float>(pair_law(text), {}).text.find("V(1e") != std::string::npos;
  };
  EXPECT_FALSE(is_masked(kTypedGravity));
  EXPECT_FALSE(is_masked(kTypedLennardJones));
  EXPECT_FALSE(is_masked(kTypedCut));
  EXPECT_TRUE(is_masked("energy = log(r)"));
  EXPECT_TRUE(is_masked("energy = r^2"));
  EXPECT_TRUE(is_masked("energy = (mi + mj)*r"));
}

}  // namespace
}  // namespace tri::test
