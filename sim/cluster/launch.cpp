#include "sim/cluster/launch.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>

namespace tri {
namespace {

using Get = std::function<const char*(const char*)>;

std::optional<u32> number(const Get& get, const char* name) {
  const char* const text = get(name);
  u32 value = 0;
  if (text == nullptr) return {};
  if (std::from_chars(text, text + std::strlen(text), value).ec != std::errc()) return {};
  return value;
}

std::string address(const std::string& host, u32 port) {
  const bool ipv6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", ipv6 ? "[" : "", host, ipv6 ? "]" : "", port);
}

std::string meeting_point(const Get& get, Launcher launcher) {
  if (const char* const asked = get("NCCL_COMM_ID")) return asked;
  const char* const host = get("MASTER_ADDR");
  const std::optional<u32> port = number(get, "MASTER_PORT");
  // torchrun itself may listen at the port.
  if (host != nullptr && port) return address(host, *port == 65535 ? *port - 1 : *port + 1);
  const char* const nodes = get("SLURM_STEP_NODELIST");
  if (launcher == Launcher::torchrun || nodes == nullptr) return "";
  // Steps at once on one machine have ports of their own, below those that the system gives away.
  const u64 step = u64{37} * number(get, "SLURM_JOB_ID").value_or(0) + number(get, "SLURM_STEP_ID").value_or(0);
  return address(first_node(nodes), static_cast<u32>(20000 + step % 10000));
}

}  // namespace

std::string first_node(const std::string& list) {
  std::string name;
  for (std::size_t at = 0; at < list.size() && list[at] != ','; ++at) {
    if (list[at] != '[') {
      name += list[at];
      continue;
    }
    const std::size_t begin = at + 1;
    name += list.substr(begin, list.find_first_of("-,]", begin) - begin);
    at = list.find(']', begin);
    if (at == std::string::npos) break;
  }
  return name;
}

LaunchedRank launch_of(const Get& get) {
  LaunchedRank launch;
  if (const char* wish = get("TRIANGULUM_RANKS"); wish != nullptr && std::strcmp(wish, "off") == 0) return launch;
  const auto started_by = [&](Launcher launcher, const char* count, const char* rank, const char* host_rank) {
    const std::optional<u32> processes = number(get, count);
    if (!processes) return false;
    launch = {launcher, *processes, number(get, rank).value_or(0), number(get, host_rank).value_or(0), ""};
    return true;
  };
  // torchrun first: another launcher may have started it on each machine. Others use WORLD_SIZE, too.
  if (get("TORCHELASTIC_RUN_ID") == nullptr || !started_by(Launcher::torchrun, "WORLD_SIZE", "RANK", "LOCAL_RANK")) {
    // Open MPI's mpirun; MPICH's, and srun with PMI-2; srun with PMIx, or without MPI.
    if (started_by(Launcher::mpi, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK") ||
        started_by(Launcher::mpi, "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID")) {
      return launch;
    }
    const Launcher srun = get("PMIX_RANK") != nullptr ? Launcher::mpi : Launcher::srun;
    if (!started_by(srun, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID")) return launch;
  }
  launch.address = meeting_point(get, launch.launcher);
  return launch;
}

}  // namespace tri
