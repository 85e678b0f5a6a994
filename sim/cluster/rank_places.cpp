#include "sim/cluster/rank_places.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "sim/base/threads.hpp"

namespace tri {
namespace {

/// A RankPlace in as many bytes on every rank.
struct PlaceBytes {
  std::array<char, 64> host{};
  std::array<char, 184> cores{};
  u32 host_cores = 0, threads = 0;
};

u32 cores_of_this_host() { return static_cast<u32>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

std::vector<u32> cores_of_this_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<u32> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (u32 core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

}  // namespace

u32 threads_of_rank(const Communicator& ranks) {
  const u32 usable = usable_threads();
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return usable;
  return std::min(usable, std::max(1U, cores_of_this_host() / ranks.host_ranks()));
}

std::vector<RankPlace> gather_places(Communicator& ranks) {
  PlaceBytes mine;
  ranks.host().copy(mine.host.data(), mine.host.size() - 1);
  ranges_text(cores_of_this_process()).copy(mine.cores.data(), mine.cores.size() - 1);
  mine.host_cores = cores_of_this_host();
  mine.threads = threads_of_rank(ranks);
  std::vector<RankPlace> places;
  for (u32 r = 0; r < ranks.size(); ++r) {
    PlaceBytes theirs = mine;
    ranks.broadcast(std::as_writable_bytes(std::span(&theirs, 1)), r);
    places.push_back({theirs.host.data(), theirs.cores.data(), theirs.host_cores, theirs.threads});
  }
  return places;
}

std::string ranges_text(const std::vector<u32>& numbers) {
  std::string text;
  for (std::size_t k = 0; k < numbers.size();) {
    std::size_t end = k + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - k == 1 ? fmt::format("{}", numbers[k]) : fmt::format("{}-{}", numbers[k], numbers[end - 1]);
    k = end;
  }
  return text;
}

}  // namespace tri
