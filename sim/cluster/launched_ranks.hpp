#pragma once
/// The other processes that a launcher started with this one.

#include <functional>
#include <memory>
#include <string>

#include "sim/backend/communicator.hpp"
#include "sim/cluster/launch.hpp"

namespace tri {

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
