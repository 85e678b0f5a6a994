#pragma once
/// Where ranks run: their machines, cores and threads.

#include <functional>
#include <string>
#include <vector>

#include "sim/backend/communicator.hpp"
#include "sim/backend/device_meter.hpp"

namespace tri {

/// The GPU that a rank has, or would have, if it works on one: the ranks of a machine take its GPUs in turn.
struct RankDevice {
  std::string name;                      ///< empty: none that is usable
  std::string reason;                    ///< why
  std::string bus_id;                    ///< PCI address, as "0000:19:00.0"
  std::string sums;                      ///< "NCCL 2.28.3", or why sums go through host memory
  bool by_nccl = false;                  ///< whether they do not
  bool reaches_all = true;               ///< the memory of every other GPU that the rank sees on its machine
  std::vector<DeviceProcess> processes;  ///< that compute on it, if they are known
};
using DeviceOfRank = std::function<RankDevice(const Communicator&)>;

struct RankPlace {
  std::string host;    ///< the machine's name
  std::string cores;   ///< the cores that the rank may use, as "0-3,8"
  u32 host_cores = 1;  ///< of the machine
  u32 threads = 1;     ///< that it uses unless --threads says otherwise
  RankDevice device;
  std::string adapters;    ///< network adapters (RDMA) at the GPU's NUMA node, as "mlx5_0, mlx5_1"
  u32 strangers = 0;       ///< processes that compute on the GPU and are none of the ranks, as far as they are known
  u64 stranger_bytes = 0;  ///< what they have of its memory
  bool far_cores = false;  ///< none of the rank's cores is at the GPU's NUMA node
};

/// Threads for a rank of a cpu backend: usable_threads(), but where ranks share cores, an equal part of the machine's.
/// OMP_NUM_THREADS has the last word.
u32 threads_of_rank(const Communicator& ranks);

/// The process of the first rank, for a rank that can send it signals: one of the same machine and process numbers; 0
/// for the others and for the first itself. All ranks call it.
i32 reachable_leader(Communicator& ranks);

/// The places of all ranks; a call that every rank makes. Without `device_of`, as if there were no GPUs.
std::vector<RankPlace> gather_places(Communicator& ranks, const DeviceOfRank& device_of = {});

/// "0-3,8" for {0, 1, 2, 3, 8}; rising numbers.
std::string ranges_text(const std::vector<u32>& numbers);
/// {0, 1, 2, 3, 8} of "0-3,8"; what is not written so is left out.
std::vector<u32> ranges_of(const std::string& text);

}  // namespace tri
