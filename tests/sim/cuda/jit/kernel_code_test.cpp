// Kernels of typed laws as text and as code: they compile for a card that need not be here.

#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "sim/cuda/jit/nvrtc.hpp"
#include "sim/cuda/jit/typed_kernels.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/map_file.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"

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
  expect_compiles(name, cuda::typed_force_functor<Real>(pair_law(text), box),
                  cuda::force_instance(kPrecisionOf<Real>, rows, warps, accumulate, map_type));
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

// The cache of compiled kernels: what it gives back, and what happens to damaged files, folders and processes.

namespace fs = std::filesystem;
using cuda::KernelCache;
using cuda::KernelKey;
using Code = std::vector<char>;

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kernelsXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  static KernelKey key(const std::string& text) {
    KernelKey key;
    key.add(text);
    return key;
  }
  static Code code(std::size_t bytes, char first = 'a') {
    Code code(bytes);
    for (std::size_t k = 0; k < bytes; ++k) code[k] = static_cast<char>(first + static_cast<char>(k * 7 % 64));
    return code;
  }
  fs::path file(const KernelKey& key) const { return fs::path(folder_) / key.name(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

TEST_F(KernelCacheTest, GivesBackWhatItKept) {
  const KernelCache cache(folder_ + "/new/kernels");
  EXPECT_FALSE(cache.find(key("a")).has_value());
  EXPECT_EQ(cache.store(key("a"), code(1000)), "");
  EXPECT_EQ(cache.store(key("b"), code(10, 'b')), "");
  EXPECT_EQ(cache.find(key("a")), code(1000));
  EXPECT_EQ(cache.find(key("b")), code(10, 'b'));
  EXPECT_FALSE(cache.find(key("c")).has_value());
  struct stat about {};
  ASSERT_EQ(stat(cache.folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST_F(KernelCacheTest, EveryDamagedByteIsFoundAndReplaced) {
  const KernelCache cache(folder_);
  const KernelKey k = key("damaged");
  ASSERT_EQ(cache.store(k, code(40)), "");
  const auto size = fs::file_size(file(k));
  for (std::uintmax_t at = 0; at < size; ++at) {
    std::fstream f(file(k), std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(f.get());
    f.seekp(static_cast<std::streamoff>(at));
    f.put(static_cast<char>(old ^ 0x10));
    f.close();
    EXPECT_FALSE(cache.find(k).has_value()) << "byte " << at;
    ASSERT_EQ(cache.store(k, code(40)), "");
    EXPECT_EQ(cache.find(k), code(40));
  }
}

TEST_F(KernelCacheTest, AFileThatIsTooShortOrTooLongCountsAsMissing) {
  const KernelCache cache(folder_);
  const KernelKey k = key("cut");
  for (const std::uintmax_t size : {0, 1, 47, 48, 60, 147, 149, 4096}) {
    ASSERT_EQ(cache.store(k, code(100)), "");
    ASSERT_EQ(fs::file_size(file(k)), 148u);
    fs::resize_file(file(k), size);
    EXPECT_FALSE(cache.find(k).has_value()) << size;
  }
}

TEST_F(KernelCacheTest, AFileOfAnotherKeyCountsAsMissing) {
  const KernelCache cache(folder_);
  ASSERT_EQ(cache.store(key("one"), code(100)), "");
  fs::rename(file(key("one")), file(key("two")));
  EXPECT_FALSE(cache.find(key("two")).has_value());
}

TEST_F(KernelCacheTest, AFolderThatCannotBeWrittenIsAReasonAndNoFailure) {
  std::ofstream(folder_ + "/taken") << "a file";
  EXPECT_NE(KernelCache(folder_ + "/taken/kernels").store(key("a"), code(10)), "");
  EXPECT_FALSE(KernelCache(folder_ + "/taken/kernels").find(key("a")).has_value());
  if (geteuid() == 0) GTEST_SKIP() << "root writes into every folder";
  const KernelCache cache(folder_);
  ASSERT_EQ(cache.store(key("a"), code(10)), "");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(cache.store(key("b"), code(10)), "");
  EXPECT_EQ(cache.find(key("a")), code(10));
}

TEST_F(KernelCacheTest, WithoutAFolderItKeepsNothing) {
  const KernelCache cache("");
  EXPECT_EQ(cache.store(key("a"), code(10)), "");
  EXPECT_FALSE(cache.find(key("a")).has_value());
}

TEST_F(KernelCacheTest, TheOldestGoFirst) {
  const KernelCache cache(folder_, 1000);
  const auto now = fs::file_time_type::clock::now();
  for (int k = 0; k < 4; ++k) {
    const KernelKey name = key(std::to_string(k));
    ASSERT_EQ(cache.store(name, code(200)), "");
    fs::last_write_time(file(name), now - std::chrono::minutes(100 - k));
  }
  EXPECT_TRUE(cache.find(key("0")).has_value());  // and is the newest now
  ASSERT_EQ(cache.store(key("new"), code(400)), "");
  EXPECT_TRUE(cache.find(key("new")).has_value());
  EXPECT_TRUE(cache.find(key("0")).has_value());
  EXPECT_FALSE(cache.find(key("1")).has_value());
  EXPECT_FALSE(cache.find(key("2")).has_value());
  EXPECT_TRUE(cache.find(key("3")).has_value());
}

TEST_F(KernelCacheTest, FilesOfOthersStay) {
  const KernelCache cache(folder_, 100);
  const std::string entry = KernelKey().name();  // a name of ours alone does not make it ours
  for (const std::string& name : {std::string("notes.txt"), std::string("0123.tmp-77"), entry}) {
    std::ofstream(folder_ + "/" + name) << std::string(1000, 'x');
    fs::last_write_time(folder_ + "/" + name, fs::file_time_type::clock::now() - std::chrono::hours(100));
  }
  ASSERT_EQ(mkfifo((folder_ + "/" + std::string(32, 'a')).c_str(), 0600), 0);
  ASSERT_EQ(cache.store(key("a"), code(90)), "");
  ASSERT_EQ(cache.store(key("b"), code(90)), "");
  EXPECT_FALSE(cache.find(key("a")).has_value());
  EXPECT_TRUE(cache.find(key("b")).has_value());
  for (const std::string& name : {std::string("notes.txt"), std::string("0123.tmp-77"), entry}) {
    EXPECT_TRUE(fs::exists(folder_ + "/" + name)) << name;
  }
}

TEST_F(KernelCacheTest, APipeInTheFolderIsNoKernel) {
  const KernelCache cache(folder_);
  ASSERT_EQ(mkfifo(file(key("a")).c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key("a")).has_value());
}

TEST_F(KernelCacheTest, ProcessesShareAFolder) {
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const KernelCache cache(folder_);
      for (int round = 0; round < 50; ++round) {
        const KernelKey k = key(std::to_string(round % 5));
        const Code expected = code(5000 + static_cast<std::size_t>(round % 5), static_cast<char>('a' + round % 5));
        if (const auto found = cache.find(k); found && *found != expected) _exit(1);
        if (!cache.store(k, expected).empty()) _exit(2);
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), 5u);
}

TEST_F(KernelCacheTest, ItsPlaceFollowsTheEnvironment) {
  const auto set = [](const char* name, const char* value) {
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  };
  const char* names[] = {"TRI_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::string> before;
  for (const char* name : names) before.emplace_back(std::getenv(name) != nullptr ? std::getenv(name) : "");
  set("TRI_CACHE", "/a"), set("XDG_CACHE_HOME", "/b"), set("HOME", "/c");
  EXPECT_EQ(cuda::kernel_folder(), "/a/kernels");
  set("TRI_CACHE", nullptr);
  EXPECT_EQ(cuda::kernel_folder(), "/b/triangulum/kernels");
  set("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(cuda::kernel_folder(), "/c/.cache/triangulum/kernels");
  set("HOME", nullptr);
  EXPECT_EQ(cuda::kernel_folder(), "");
  for (std::size_t k = 0; k < 3; ++k) set(names[k], before[k].empty() ? nullptr : before[k].c_str());
}

TEST(KernelKeys, DependOnAllThatTheCodeDependsOn) {
  const cuda::KernelText text{"common", "own"};
  cuda::nvrtc::Compiler compiler;
  compiler.version = 13000;
  std::set<std::string> names;
  const auto name_of = [&](const cuda::KernelText& t, const cuda::nvrtc::Target& target) {
    return cuda::key_of(t, compiler, target).name();
  };
  names.insert(name_of(text, {90, false}));
  names.insert(name_of({"common", "other"}, {90, false}));
  names.insert(name_of({"commono", "wn"}, {90, false}));
  names.insert(name_of(text, {80, false}));
  names.insert(name_of(text, {90, true}));
  compiler.version = 13010;
  names.insert(name_of(text, {90, false}));
  EXPECT_EQ(names.size(), 6u);
  for (const std::string& name : names) EXPECT_EQ(name.size(), 32u);
}

TEST(KernelKeys, AreFnv1a) {
  // 128 bits of the length 1 as eight bytes, then "a": computed with Python's integers.
  KernelKey key;
  key.add("a");
  EXPECT_EQ(key.name(), "426d56754e03ad9adb79f299c730f21f");
}

// A typed map as a kernel gets it: the bytes of map_value() are an object of the class in map_text().

cuda::MapText text_of(const MapInfo& map, u32 side) {
  if (map.domain == Domain::triangle) return cuda::map_text(*find_triangle_map(map.name), side);
  if (map.domain == Domain::tetrahedron) return cuda::map_text(*find_tetra_map(map.name), side);
  return cuda::map_text(*find_gasket_map(map.name), side);
}

/// The text of a kernel, whose names become those of this case; the object gets the bytes and nothing else.
MapInProgram in_program(std::size_t k, const MapAt& at) {
  const MapInfo& map = mapfile::add_map(at.map);
  const cuda::MapText text = text_of(map, at.side);
  std::string names, end;
  for (const char* name : {"TypedMap", "TypedTile", "TypedKind"}) {
    names += "#define " + std::string(name) + " " + name + std::to_string(k) + "\n";
    end += "#undef " + std::string(name) + "\n";
  }
  std::string bytes;
  const auto value = cuda::map_value(map, at.side);
  for (const std::byte b : value) bytes += std::to_string(static_cast<int>(b)) + ",";
  const std::string type = "tri::cuda::" + text.type + std::to_string(k);
  return {names + text.definition + end, type,
          "    const unsigned char bytes[] = {" + bytes +
              "};\n    static_assert(sizeof(bytes) == sizeof(map));\n"
              "    std::memcpy(static_cast<void*>(&map), bytes, sizeof(map));\n"};
}

TEST(MapText, TheBytesOfAMapAreAnObjectOfItsClass) {
  std::vector<MapAt> cases;
  for (const auto& entry : std::filesystem::directory_iterator(TRI_MAP_FILES)) {
    const auto map = mapfile::MapFile::open(entry.path().string());
    const bool gasket = map->info().domain == Domain::gasket;
    for (const u32 side : {1u, gasket ? 32u : 21u}) cases.push_back({map, side});
  }
  // Two launches of all three lengths, by which w goes, and two values of the side.
  cases.push_back({map_of("pairs", "[[\"3\", \"5\", \"7\"], [\"m\", \"2\"]]", "row = w + p; col = q",
                          "once = \"p = 3*m; q = m - 2\""),
                   20});
  const std::string want = answers_of(cases);
  EXPECT_GT(want.size(), 10000u);
  expect_same_lines(output_of(map_program(cases, in_program)), want);
}

// Where the run-time compiler is missing, too old or something else: a sentence that says what to do.

using cuda::nvrtc::Compiler;

void expect_refused(const Compiler& compiler, const std::string& what) {
  EXPECT_FALSE(compiler.found.ok);
  for (const std::string& part :
       {what, std::string("NVRTC"), std::string("install"), std::string("TRI_NVRTC"), std::string("--backend cpu")}) {
    EXPECT_NE(compiler.found.reason.find(part), std::string::npos) << part << ": " << compiler.found.reason;
  }
}

std::atomic<int> caught{0};

/// In a process of its own, since only its first compilation takes signals over: sends it Ctrl-C all the time, and
/// exits with 0 if each one reached its handler, which is as it was before.
void load_under_signals() {
  struct sigaction mine {};
  mine.sa_handler = [](int) { ++caught; };
  mine.sa_flags = SA_NODEFER;
  sigemptyset(&mine.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &mine, nullptr);
  std::atomic<bool> over{false};
  std::thread user([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    for (int k = 0; !over; ++k) {
      kill(getpid(), k % 2 == 0 ? SIGINT : SIGTERM);
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
  (void)cuda::nvrtc::compile(cuda::nvrtc::loaded(), "__global__ void empty() {}", kHopper);
  over = true;
  user.join();
  bool same = true;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    same = same && now.sa_handler == mine.sa_handler && (now.sa_flags & SA_NODEFER) != 0 &&
           (now.sa_flags & SA_RESTART) == 0;
  }
  std::_Exit(caught < 2 ? 1 : same ? 0 : 2);
}

TEST(Nvrtc, LeavesCtrlCToItsUser) {
  if (!cuda::nvrtc::load(cuda::nvrtc::usual_libraries()).found) GTEST_SKIP() << "no NVRTC";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int k = 0; k < 3; ++k) EXPECT_EXIT(load_under_signals(), testing::ExitedWithCode(0), "");
}

TEST(Nvrtc, IsMissing) {
  expect_refused(cuda::nvrtc::load({"/nowhere/libnvrtc.so"}), "/nowhere/libnvrtc.so");
  expect_refused(cuda::nvrtc::load({"/nowhere/a.so", "/nowhere/b.so"}), "libnvrtc.so.13");
}

TEST(Nvrtc, IsAnotherLibrary) { expect_refused(cuda::nvrtc::load({"libc.so.6"}), "no function nvrtcVersion"); }

TEST(Nvrtc, IsTooOld) { expect_refused(cuda::nvrtc::load({TRI_OLD_NVRTC}), "11.8, which is older than 12.8"); }

TEST(Nvrtc, IsNamedByTheUser) {
  const char* const before = std::getenv("TRI_NVRTC");
  const std::string kept = before != nullptr ? before : "";
  setenv("TRI_NVRTC", "/my/libnvrtc.so", 1);
  EXPECT_EQ(cuda::nvrtc::usual_libraries(), std::vector<std::string>{"/my/libnvrtc.so"});
  unsetenv("TRI_NVRTC");
  EXPECT_GT(cuda::nvrtc::usual_libraries().size(), 2u);
  if (before != nullptr) setenv("TRI_NVRTC", kept.c_str(), 1);
}

TEST(Nvrtc, AnswersIfItIsThere) {
  const Compiler& compiler = cuda::nvrtc::loaded();
  if (!compiler.found) GTEST_SKIP() << compiler.found.reason;
  EXPECT_GE(compiler.version, cuda::nvrtc::kOldest);
  EXPECT_FALSE(compiler.archs.empty());
  EXPECT_EQ(&compiler, &cuda::nvrtc::loaded());
}

}  // namespace
}  // namespace tri::test
