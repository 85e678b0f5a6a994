#pragma once
/// Shared by the tests of the cuda backend: they skip with the reason if no device is usable, and fail instead if
/// TRI_REQUIRE_CUDA=1.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "sim/mapfile/add_map.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/error_messages.hpp"
#include "tests/support/finish_backends.hpp"
#include "tests/support/require_usable.hpp"

namespace tri::test {

/// TRI_CUDA_SMALL=1: small sizes only, for runs under a memory checker.
inline bool small_only() { return flag_set("TRI_CUDA_SMALL"); }

/// A typed map with a launch in three dimensions and idle positions, which would meet a tile again; none where NVRTC is
/// missing.
inline std::vector<TriangleMapId> typed_test_maps() {
  static const std::vector<TriangleMapId> maps = [] {
    std::vector<TriangleMapId> added;
    if (!cuda::runtime_kernels_available()) return added;
    const MapInfo& map = mapfile::add_map(mapfile::MapFile::from_text(
        "name = 'sheets'\ndomain = 'pairs'\nonce = 't = m*(m + 1)/2; q = (t + 5)/6'\nlaunch = ['3', 'q', '2']\n"
        "tile = \"\"\"\nv = min(w, t - 1)\nrow = (isqrt(8*v + 1) - 1)/2\ncol = v - row*(row + 1)/2\nidle = w >= t\n"
        "\"\"\"\n",
        "sheets.toml"));
    added.push_back(*find_triangle_map(map.name));
    return added;
  }();
  return maps;
}

/// The built-in maps that are exact at this size, and a typed one; block above 32 is the tile of a fast kernel, which
/// does not support thread-space maps.
inline std::vector<TriangleMapId> maps_for(u64 n, u32 block) {
  std::vector<TriangleMapId> maps;
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    const bool tiles = block > 32;
    if (tiles && info(map).space == Space::thread) continue;
    if (refusal(info(map), n, block).empty()) maps.push_back(map);
  }
  for (const TriangleMapId map : typed_test_maps()) maps.push_back(map);
  return maps;
}

inline std::string name(TriangleMapId map, u64 n, u32 block) {
  return std::string(info(map).name) + ", n " + std::to_string(n) + ", block " + std::to_string(block);
}

/// All of them; under TRI_CUDA_SMALL=1 the first and the last.
template <class T>
std::vector<T> thinned(std::vector<T> all) {
  if (small_only() && all.size() > 2) all = {all.front(), all.back()};
  return all;
}

/// The same for sizes, none above 130.
inline std::vector<u32> sizes(std::vector<u32> all) {
  if (small_only()) std::erase_if(all, [](u32 n) { return n > 130; });
  return thinned(std::move(all));
}

inline std::unique_ptr<Engine> engine_of(const Bodies& b, const ForceField& f, const EngineConfig& c) {
  static const auto backend = make_backend("cuda");
  return backend->make_engine(b, f, c);
}

class CudaTest : public testing::Test {
 protected:
  void SetUp() override {
    // A folder for what is compiled at run time.
    setenv("TRI_CACHE", (std::filesystem::path(testing::TempDir()) / "tri_kernels_of_tests").c_str(), 1);
    require_usable(cuda_available());
  }
};

}  // namespace tri::test
