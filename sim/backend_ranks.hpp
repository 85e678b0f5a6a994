#pragma once
/// Backends of ranks (cluster/cluster_backend.hpp).

#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/backend/communicator.hpp"
#include "sim/cluster/cluster_backend.hpp"

namespace tri {

/// This rank's cpu backend, the only one that ranks can share.
std::unique_ptr<Backend> make_rank_backend(const std::string& name, int device, Communicator& ranks);

/// The devices to use: those given, or for none of them all that there are. Throws BackendError if there is none, and
/// with the number of one that is not usable.
std::vector<int> usable_devices(std::vector<int> devices);

/// The cuda backends of several devices, usable_devices(), as one, each a rank that is a thread of this process.
std::unique_ptr<Backend> make_devices_backend(const std::vector<int>& devices);

/// The CUDA devices that may work together, by name, and how they would add up their sums (cuda_sums_by_nccl()).
struct DevicesTogether {
  std::vector<std::string> names;
  Availability by_nccl;
};
DevicesTogether devices_together();

/// Where the ranks of this program run; empty where it is alone.
std::vector<RankPlace> rank_places();

/// From now on make_backend() makes backends of all ranks for "cpu" and "auto", until this is called with null. Once,
/// from main().
void use_ranks(RankLeader* leader);

}  // namespace tri
