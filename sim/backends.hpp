#pragma once
/// Backends of ranks (cluster_backend.hpp).

#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/ranks/cluster_backend.hpp"

namespace tri {

/// This rank's backend of that name: "cpu", or "cuda" with rank_device(). Throws BackendError.
std::unique_ptr<Backend> make_rank_backend(const std::string& name, Communicator& ranks);

/// This rank's GPU: the ranks of a machine take those that each sees in turn. Initialises the driver, and tries the
/// GPU.
RankDevice rank_device(const Communicator& ranks);

/// Connects this rank with the others by NCCL, if it has a usable GPU; else null, with the reason. Throws BackendError
/// and CudaError.
std::unique_ptr<Communicator> open_nccl_ranks(const LaunchedRank& launch, std::string& why_not);

/// The devices to use: those given, or for none of them all that there are. Throws BackendError if there is none, and
/// with the number of one that is not usable.
std::vector<int> usable_devices(std::vector<int> devices);

/// The cuda backends of several devices as one, each a rank that is a thread of this process; of one device, its own.
/// chosen, and what it throws: as for usable_devices().
std::unique_ptr<Backend> make_devices_backend(const std::vector<int>& chosen);

/// The CUDA devices that may work together, by name, and how they would add up their sums (cuda_sums_by_nccl()).
struct DevicesTogether {
  std::vector<std::string> names;
  Availability by_nccl;
};
DevicesTogether devices_together();

/// The walk of the tree over these bodies under gravity in open space; most: leaves of the picture, a side. (On a GPU
/// the same rule chooses, with a share of its own of the error that is allowed.) Throws ConfigError with
/// tree_refusal().
TreePicture tree_picture(const Bodies& bodies, const ForceField& field, const EngineConfig& config, u32 most);

/// Whether use_ranks() is in force.
bool has_ranks();

/// Where the ranks of this program run; empty where it is alone.
std::vector<RankPlace> rank_places();

/// From now on make_backend() makes backends of all ranks, until this is called with null. Once, from main().
void use_ranks(RankLeader* leader);

/// The backend of all ranks after use_ranks(), null before it. "auto" is "cuda" if each rank has a GPU of its own.
/// Throws BackendError with the rank that has none for "cuda".
std::unique_ptr<Backend> make_ranks_backend(const std::string& name);

}  // namespace tri
