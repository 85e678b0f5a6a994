#include "sim/cuda/engine/device_tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/kernels/collisions/grid_search.hpp"
#include "sim/cuda/kernels/pairs/pair_tuning.hpp"
#include "sim/cuda/runtime/check.hpp"
#include "sim/io/tuning_file.hpp"
#include "sim/laws/law_table.hpp"

namespace tri::cuda {
namespace {

struct Known {
  std::mutex lock;
  std::map<int, Tuning> tunings;
};
Known& known() {
  static Known all;
  return all;
}

std::vector<u32> choices_of(TunedWork work) {
  switch (work) {
    case TunedWork::gravity:
    case TunedWork::lennard_jones:
      return {kPairTiles.begin(), kPairTiles.end()};
    case TunedWork::overlaps:
      return {kCollisionTileSmall, kCollisionTileLarge};
    case TunedWork::grid:
      break;
  }
  return {1};
}

Tuning read_for(int device) {
  cudaDeviceProp properties{};
  TRI_CUDA(cudaGetDeviceProperties(&properties, device));
  const std::string path = io::tuning_path();
  for (Tuning& tuning : io::read_tunings(path)) {
    if (tuning.device != properties.name) continue;
    check_choices(tuning, path);
    return std::move(tuning);
  }
  return {properties.name, {}};
}

}  // namespace

u32 multiprocessors_of(int device) {
  int count = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<u32>(count);
}

void check_choices(const Tuning& tuning, const std::string& path) {
  for (const TuningRow& row : tuning.rows) {
    const std::vector<u32> choices = choices_of(row.work);
    if (std::find(choices.begin(), choices.end(), row.choice) != choices.end()) continue;
    throw FileError(fmt::format(
        "{}: {} {} {} {}: the last number must be one of {}; make the file anew with triangulum bench --tune.", path,
        to_string(row.work), to_string(row.precision), row.n, row.choice, fmt::join(choices, ", ")));
  }
}

const Tuning& device_tuning(int device) {
  Known& all = known();
  const std::lock_guard<std::mutex> hold(all.lock);
  const auto at = all.tunings.find(device);
  return at != all.tunings.end() ? at->second : all.tunings.emplace(device, read_for(device)).first->second;
}

void forget_device_tunings() {
  Known& all = known();
  const std::lock_guard<std::mutex> hold(all.lock);
  all.tunings.clear();
}

u32 tuned_pair_tile(PairLaw law, Precision precision, u64 n, int device) {
  if (const char* tuned = law_info(law).tuned) {
    const auto work = tuned_work_from(tuned);
    TRI_EXPECTS(work.has_value());
    if (const auto tile = device_tuning(device).choice(*work, precision, n)) return *tile;
  }
  return pair_tile_for(law, precision, n, multiprocessors_of(device));
}

u32 tuned_overlap_tile(Precision precision, u64 n, int device) {
  return device_tuning(device).choice(TunedWork::overlaps, precision, n).value_or(collision_tile_for(n));
}

u64 tuned_grid_bodies(Precision precision, int device) {
  return device_tuning(device).first(TunedWork::grid, precision).value_or(kGridBodies);
}

}  // namespace tri::cuda
