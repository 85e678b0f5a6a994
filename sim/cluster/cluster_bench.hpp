#pragma once
/// A bench case that all ranks share.

#include <functional>
#include <memory>

#include "sim/backend/bench_case.hpp"
#include "sim/backend/communicator.hpp"
#include "sim/cluster/cluster_backend.hpp"
#include "sim/cluster/packet.hpp"

namespace tri {

/// Makes a case on every rank, here by `make`, and passes its calls on. packet: as for Order::make_bench.
std::unique_ptr<BenchCase> make_cluster_bench(RankLeader::Calls& calls, const Packet& packet,
                                              const std::function<std::unique_ptr<BenchCase>()>& make);

/// This rank's part of Order::run_bench; returns the time of the slowest rank.
double run_with_all(Communicator& ranks, BenchCase& own);
/// This rank's part of Order::check_bench: every rank checks its own output, and the worst of them counts.
BenchCheck check_with_all(Communicator& ranks, BenchCase& own);

}  // namespace tri
