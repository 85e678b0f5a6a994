#pragma once
/// What launchers of several processes say of this one in the environment.

#include <functional>
#include <string>

#include "sim/base/platform.hpp"

namespace tri {

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

}  // namespace tri
