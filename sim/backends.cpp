// Backends of ranks: those that a launcher started, and devices of this process.

#include "sim/backends.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/user_values.hpp"
#include "sim/cpu/body_store.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/cpu/tree.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri {
namespace {

RankLeader* leader = nullptr;

/// Null if this rank sees none. The others are left alone: a context on one costs half a gigabyte of its memory.
const CudaDevice* device_of(u32 host_rank, const std::vector<CudaDevice>& devices) {
  return devices.empty() ? nullptr : &devices[host_rank % devices.size()];
}

/// The first rank without a usable GPU, or none.
std::optional<std::size_t> rank_without(const std::vector<RankPlace>& places) {
  const auto without = [](const RankPlace& place) { return place.device.name.empty(); };
  const auto found = std::find_if(places.begin(), places.end(), without);
  if (found == places.end()) return std::nullopt;
  return found - places.begin();
}

/// Whether two of the ranks have one GPU.
bool share_devices(const std::vector<RankPlace>& places) {
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const RankPlace &one = places[a], &other = places[b];
      if (one.host == other.host && one.device.bus_id == other.device.bus_id) return true;
    }
  }
  return false;
}

}  // namespace

void use_ranks(RankLeader* of_this_process) { leader = of_this_process; }

bool has_ranks() { return leader != nullptr; }

std::vector<RankPlace> rank_places() {
  return leader != nullptr ? leader->places(rank_device) : std::vector<RankPlace>();
}

RankDevice rank_device(const Communicator& ranks) {
  RankDevice found;
  const std::vector<CudaDevice> devices = cuda_devices();
  const CudaDevice* const own = device_of(ranks.host_rank(), devices);
  if (own == nullptr) {
    found.reason = cuda_available().reason;
    return found;
  }
  const Availability usable = cuda_device_usable(own->index);
  if (!usable) {
    found.reason = usable.reason;
    return found;
  }
  found.name = own->name, found.bus_id = own->bus_id;
  const Availability nccl = cuda_sums_by_nccl();
  found.sums = nccl.reason, found.by_nccl = nccl.ok;
  found.reaches_all = cuda_reaches_all(own->index);
  found.processes = cuda_processes(own->bus_id);
  return found;
}

std::unique_ptr<Communicator> open_nccl_ranks(const LaunchedRank& launch, std::string& why_not) {
  const std::vector<CudaDevice> devices = cuda_devices();
  const CudaDevice* const own = device_of(launch.host_rank, devices);
  const Availability usable = own == nullptr ? cuda_available() : cuda_device_usable(own->index);
  const Availability nccl = cuda_sums_by_nccl();
  if (own == nullptr || !usable || !nccl) {
    why_not = own == nullptr || !usable ? usable.reason : nccl.reason;
    return nullptr;
  }
  return make_cuda_communicator(own->index, launch.rank, launch.count, launch.host_rank, launch.address);
}

std::unique_ptr<Backend> make_rank_backend(const std::string& name, Communicator& ranks) {
  if (name == "cpu") return make_cpu_backend(threads_of_rank(ranks), &ranks);
  TRI_EXPECTS(name == "cuda");
  const std::vector<CudaDevice> devices = cuda_devices();
  const CudaDevice* const own = device_of(ranks.host_rank(), devices);
  return make_cuda_backend(own != nullptr ? own->index : 0, ranks);
}

std::unique_ptr<Backend> make_ranks_backend(const std::string& name) {
  if (leader == nullptr) return nullptr;
  // A rank that looks for its GPU takes some of its memory.
  const std::vector<RankPlace> places = leader->places(name == "cpu" ? DeviceOfRank() : DeviceOfRank(rank_device));
  const std::optional<std::size_t> without = rank_without(places);
  if (name == "cuda" && without) {
    const RankPlace& place = places[*without];
    throw BackendError(fmt::format("--backend cuda: rank {} on {} has no GPU: {}. Use --backend cpu.", *without,
                                   place.host, place.device.reason));
  }
  const bool cuda = name == "cuda" || (name == "auto" && !without && !share_devices(places));
  std::vector<std::string> names;
  for (const RankPlace& place : places) {
    names.push_back(cuda ? fmt::format("{} {}", place.host, place.device.name) : place.host);
  }
  return leader->make_backend(cuda ? "cuda" : "cpu", make_rank_backend, nullptr, names);
}

std::vector<int> usable_devices(std::vector<int> devices) {
  if (devices.empty()) {
    if (const Availability any = cuda_available(); !any) throw BackendError("--devices all: " + any.reason + ".");
    for (const CudaDevice& found : cuda_devices()) devices.push_back(found.index);
  }
  for (const int device : devices) {
    const Availability usable = cuda_device_usable(device);
    if (!usable) throw BackendError(fmt::format("--devices: device {}: {}.", device, usable.reason));
  }
  return devices;
}

std::unique_ptr<Backend> make_devices_backend(const std::vector<int>& chosen) {
  const std::vector<int> devices = usable_devices(chosen);
  if (devices.size() == 1) return make_cuda_backend(devices.front());
  std::vector<std::string> names;
  for (const int device : devices) names.push_back(fmt::format("GPU {}", device));
  for (const CudaDevice& found : cuda_devices()) {
    const auto at = std::find(devices.begin(), devices.end(), found.index) - devices.begin();
    if (at < std::ssize(devices)) names[static_cast<std::size_t>(at)] += " " + found.name;
  }
  return make_local_cluster(
      static_cast<u32>(devices.size()), "cuda",
      [devices](const std::string& /*name*/, Communicator& ranks) {
        return make_cuda_backend(devices[ranks.rank()], ranks);
      },
      names);
}

DevicesTogether devices_together() {
  DevicesTogether found;
  if (!cuda_available()) return found;
  for (const CudaDevice& device : cuda_devices()) found.names.push_back(device.name);
  found.by_nccl = cuda_sums_by_nccl();
  return found;
}

// The backends of this build, by name. Only "cuda" and "auto" probe the CUDA driver.

std::vector<BackendEntry> list_backends() { return {{"cpu", {true, ""}}, {"cuda", cuda_available()}}; }

std::unique_ptr<Backend> make_backend(const std::string& name, int device) {
  if (name == "auto" || name == "cpu" || name == "cuda") {
    if (auto shared = make_ranks_backend(name)) return shared;
  }
  if (name == "cpu") return make_cpu_backend();
  if (name == "cuda") return make_cuda_backend(device);
  if (name == "auto") return cuda_available() ? make_cuda_backend(device) : make_cpu_backend();
  static constexpr std::array<const char*, 3> kNames{"auto", "cpu", "cuda"};
  throw ConfigError("--backend: " + unknown_name("backend", name, kNames));
}

void finish_backends() noexcept { finish_cuda_work(); }

TreePicture tree_picture(const Bodies& bodies, const ForceField& field, const EngineConfig& config, u32 most) {
  EngineConfig wanted = config;  // a picture of what the tree would do, whatever sums the pairs now
  wanted.arithmetic = Arithmetic::float32, wanted.pair_map = TriangleMapId::lambda;
  if (const std::string text = tree_refusal(field, wanted); !text.empty()) throw ConfigError(text);
  const cpu::BodyStore<double> store(bodies);
  const u32 threads = config.threads != 0 ? config.threads : usable_threads();
  return cpu::tree_picture(field, store.view(), store.n, {wanted.pair_map, threads, tree_tolerance(wanted)}, most);
}

}  // namespace tri
