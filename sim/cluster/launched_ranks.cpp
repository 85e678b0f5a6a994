#include "sim/cluster/launched_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "sim/base/module_file.hpp"
#include "sim/cluster/mpi_module.hpp"

namespace tri {
namespace {

std::unique_ptr<Communicator> open_mpi(const LaunchedRank& launch, std::string& why_not) {
  // Global: the parts that MPI itself loads look for its symbols.
  void* module = open_module("libtriangulum-mpi.so", "install libopenmpi-dev", true, why_not);
  auto* open = module == nullptr ? nullptr : reinterpret_cast<decltype(&tri_open_mpi)>(dlsym(module, "tri_open_mpi"));
  if (open == nullptr) return nullptr;
  try {
    std::unique_ptr<Communicator> ranks(open());
    if (ranks->size() == launch.count) return ranks;
    why_not = fmt::format(
        "MPI sees {} of them; use the mpirun of the MPI that this program was built with, or srun --mpi=pmix",
        ranks->size());
  } catch (const std::exception& error) {
    why_not = error.what();
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Communicator> connect_ranks(const LaunchedRank& launch, const RankOpener& by_mpi,
                                            const RankOpener& by_nccl) {
  std::string no_mpi, no_nccl;
  const auto try_nccl = [&]() -> std::unique_ptr<Communicator> {
    if (!launch.address.empty()) return by_nccl(launch, no_nccl);
    no_nccl = "nothing says where the first one is; export MASTER_ADDR, its machine, and MASTER_PORT";
    return nullptr;
  };
  std::unique_ptr<Communicator> ranks;
  if (launch.launcher != Launcher::mpi) ranks = try_nccl();
  if (!ranks) ranks = by_mpi(launch, no_mpi);
  if (!ranks && launch.launcher == Launcher::mpi && !launch.address.empty()) ranks = try_nccl();
  if (ranks) return ranks;
  throw BackendError(
      fmt::format("a launcher started {} processes, but they cannot work together: {}. {}Or start one process, or set "
                  "TRIANGULUM_RANKS=off if each shall work alone.",
                  launch.count, no_mpi,
                  no_nccl.empty() ? "" : fmt::format("With a GPU each, NCCL would connect them, but {}. ", no_nccl)));
}

std::unique_ptr<Communicator> launched_ranks(const RankOpener& by_nccl) {
  const LaunchedRank launch = launch_of([](const char* name) { return std::getenv(name); });
  return launch.count <= 1 ? nullptr : connect_ranks(launch, open_mpi, by_nccl);
}

}  // namespace tri
