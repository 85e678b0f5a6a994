#pragma once
/// Several processes as one backend: where they run, how they start, what carries their messages.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/platform.hpp"

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

// Many ranks as one backend. The first rank leads: it alone has a command line, files and a window, and calls its
// engine as any other. Each of its calls is broadcast as an order, which every other rank carries out on an engine of
// the same bodies, so that all of them meet in the sums that they share. The state is the same on every rank, bit for
// bit; only the work on pairs and triples is divided.

/// This rank's backend of that name, whose engines share their sums with those of the other ranks. No other rank takes
/// part.
using RankBackendMaker = std::function<std::unique_ptr<Backend>(const std::string& name, Communicator&)>;

/// What the first rank gives orders with: one for each communicator, for as long as there are backends. Any thread.
class RankLeader {
 public:
  /// The communicator must outlive this object.
  explicit RankLeader(Communicator& ranks);
  /// Ends the other ranks: follow() returns there.
  ~RankLeader();
  RankLeader(const RankLeader&) = delete;
  RankLeader& operator=(const RankLeader&) = delete;

  /// The backend of all ranks. Distances, automata, tuning and benches that are not shared (is_shared()) are done by
  /// the first rank alone, and on CPUs collisions. Must not outlive this object, and keeps `owner`, which may own it.
  /// names: of the ranks, for BackendInfo; may be empty.
  std::unique_ptr<Backend> make_backend(const std::string& name, const RankBackendMaker& make,
                                        std::shared_ptr<void> owner = nullptr, std::vector<std::string> names = {});

  /// Where the ranks run; without `device_of` none looks for its GPU.
  std::vector<RankPlace> places(const DeviceOfRank& device_of);

  struct Calls;

 private:
  std::unique_ptr<Calls> calls_;
};

/// Carries out the orders of the first rank until that ends; for every other rank. `interrupted`: a flag that ends the
/// present work of all ranks once it is set, as if the first one had been interrupted; nullptr for none.
void follow(Communicator& ranks, const RankBackendMaker& make, const DeviceOfRank& device_of = {},
            const std::atomic<bool>* interrupted = nullptr);

/// Ranks that are threads of this process, as one backend; for tests, and for several devices. size >= 1.
std::unique_ptr<Backend> make_local_cluster(u32 size, const std::string& name, const RankBackendMaker& make,
                                            std::vector<std::string> names = {});

// Ranks that are threads of this process.

/// One communicator for each of `size` threads, size >= 1. They may be destroyed in any order, but not while one waits.
std::vector<std::unique_ptr<Communicator>> make_local_ranks(u32 size);

// What launchers of several processes say of this one in the environment.

enum class Launcher : u8 {
  none,
  mpi,       ///< mpirun, or srun with PMI or PMIx
  srun,      ///< without either
  torchrun,  ///< whose processes have its variables, whatever they run
};

struct LaunchedRank {
  Launcher launcher = Launcher::none;
  u32 count = 0;        ///< of the processes
  u32 rank = 0;         ///< this one's number; known to srun and torchrun
  u32 host_rank = 0;    ///< its number on its machine; likewise
  std::string address;  ///< "host:port" where the ranks can find the first one without MPI; empty if nothing says so
};

/// `get` reads a variable, as std::getenv(). Nobody is launched where TRIANGULUM_RANKS=off.
LaunchedRank launch_of(const std::function<const char*(const char*)>& get);

/// The first of Slurm's list of nodes: "gpu03" of "gpu[03-05,09],login1".
std::string first_node(const std::string& list);

// The other processes that a launcher started with this one.

/// Connects this process with the others. Null, with the reason, where that is not possible; throws BackendError where
/// it should have been.
using RankOpener = std::function<std::unique_ptr<Communicator>(const LaunchedRank&, std::string& why_not)>;

/// The ranks with which a launcher started this process; null if it is alone, or where TRIANGULUM_RANKS=off says that
/// it shall be. MPI connects those that its launchers started; `by_nccl` the others, and those that MPI does not
/// connect if it is known where the first one is. Throws BackendError if neither does: they would all write the same
/// files.
std::unique_ptr<Communicator> launched_ranks(const RankOpener& by_nccl);

/// The same for a launch and any MPI.
std::unique_ptr<Communicator> connect_ranks(const LaunchedRank& launch, const RankOpener& by_mpi,
                                            const RankOpener& by_nccl);

}  // namespace tri

// The door of the MPI module, libtriangulum-mpi.so.

extern "C" {

/// Initialises MPI. The caller owns the result, which finalises MPI at its end; once in a process. Throws
/// std::runtime_error.
tri::Communicator* tri_open_mpi();
}
