// The backends of this build, by name. Only "cuda" and "auto" probe the CUDA driver.

#include <fmt/format.h>

#include <array>

#include "sim/backend/backend.hpp"
#include "sim/backend_ranks.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/suggest.hpp"
#include "sim/cpu/cpu_backend.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri {

std::vector<BackendEntry> list_backends() { return {{"cpu", {true, ""}}, {"cuda", cuda_available()}}; }

namespace {

RankLeader* leader = nullptr;

}  // namespace

void use_ranks(RankLeader* of_this_process) { leader = of_this_process; }

std::vector<RankPlace> rank_places() { return leader != nullptr ? leader->places() : std::vector<RankPlace>(); }

std::unique_ptr<Backend> make_rank_backend(const std::string& name, int /*device*/, Communicator& ranks) {
  TRI_EXPECTS(name == "cpu");
  return make_cpu_backend(threads_of_rank(ranks), &ranks);
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

std::unique_ptr<Backend> make_devices_backend(const std::vector<int>& devices) {
  return make_local_cluster(static_cast<u32>(devices.size()), "cuda",
                            [devices](const std::string& /*name*/, int /*device*/, Communicator& ranks) {
                              return make_cuda_backend(devices[ranks.rank()], ranks);
                            });
}

DevicesTogether devices_together() {
  DevicesTogether found;
  if (!cuda_available()) return found;
  for (const CudaDevice& device : cuda_devices()) found.names.push_back(device.name);
  found.by_nccl = cuda_sums_by_nccl();
  return found;
}

std::unique_ptr<Backend> make_backend(const std::string& name, int device) {
  if (leader != nullptr && (name == "cpu" || name == "auto")) {
    return leader->make_backend("cpu", device, make_rank_backend);
  }
  if (name == "cpu") return make_cpu_backend();
  if (name == "cuda") return make_cuda_backend(device);
  if (name == "auto") return cuda_available() ? make_cuda_backend(device) : make_cpu_backend();
  static constexpr std::array<const char*, 3> kNames{"auto", "cpu", "cuda"};
  throw ConfigError("--backend: " + unknown_name("backend", name, kNames));
}

}  // namespace tri
