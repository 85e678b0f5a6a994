#include "sim/cluster/rank_places.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/threads.hpp"

namespace tri {
namespace {

/// A RankPlace in as many bytes on every rank.
struct PlaceBytes {
  std::array<char, 64> host{}, name{}, bus_id{}, sums{};
  std::array<char, 184> cores{}, reason{}, adapters{};
  u32 host_cores = 0, threads = 0;
  bool by_nccl = false, reaches_all = true, far_cores = false;
  u32 pid = static_cast<u32>(getpid());
  std::array<DeviceProcess, 32> processes{};  ///< as many as there is room for, then pid 0
};

template <std::size_t N>
void put(const std::string& text, std::array<char, N>& to) {
  text.copy(to.data(), N - 1);
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The kernel's folder of a device on the PCI bus.
std::filesystem::path pci_folder(const std::string& bus_id) {
  return std::filesystem::path("/sys/bus/pci/devices") / bus_id;
}

std::string adapters_near(const std::string& bus_id) {
  const std::string node = first_line(pci_folder(bus_id) / "numa_node");
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& adapter : std::filesystem::directory_iterator("/sys/class/infiniband", none)) {
    if (first_line(adapter.path() / "device/numa_node") == node) names.push_back(adapter.path().filename());
  }
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Whether the kernel says which cores are near the device, and none of these is.
bool is_far(const std::vector<u32>& cores, const std::string& bus_id) {
  const std::vector<u32> near = ranges_of(first_line(pci_folder(bus_id) / "local_cpulist"));
  const auto is_near = [&](u32 core) { return std::find(near.begin(), near.end(), core) != near.end(); };
  return !near.empty() && std::none_of(cores.begin(), cores.end(), is_near);
}

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

/// The processes on a rank's GPU that are none of the ranks, and their memory there.
std::pair<u32, u64> strangers_to(const std::vector<PlaceBytes>& ranks, const PlaceBytes& own) {
  std::pair<u32, u64> found{0, 0};
  for (const DeviceProcess& process : own.processes) {
    const auto is_it = [&](const PlaceBytes& rank) { return rank.host == own.host && rank.pid == process.pid; };
    if (process.pid == 0 || std::any_of(ranks.begin(), ranks.end(), is_it)) continue;
    ++found.first, found.second += process.bytes;
  }
  return found;
}

}  // namespace

u32 threads_of_rank(const Communicator& ranks) {
  const u32 usable = usable_threads();
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return usable;
  return std::min(usable, std::max(1U, cores_of_this_host() / ranks.host_ranks()));
}

i32 reachable_leader(Communicator& ranks) {
  struct Leader {
    std::array<char, 64> boot{}, numbers{};
    i32 pid = getpid();
  };
  Leader mine;
  std::error_code unknown;
  put(first_line("/proc/sys/kernel/random/boot_id"), mine.boot);
  put(std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string(), mine.numbers);
  Leader first = mine;
  ranks.broadcast(std::as_writable_bytes(std::span(&first, 1)), 0);
  const bool same = !unknown && mine.boot[0] != '\0' && first.boot == mine.boot && first.numbers == mine.numbers;
  return same && ranks.rank() != 0 ? first.pid : 0;
}

std::vector<RankPlace> gather_places(Communicator& ranks, const DeviceOfRank& device_of) {
  PlaceBytes mine;
  put(ranks.host(), mine.host);
  const std::vector<u32> cores = cores_of_this_process();
  put(ranges_text(cores), mine.cores);
  mine.host_cores = cores_of_this_host();
  mine.threads = threads_of_rank(ranks);
  const RankDevice device = device_of ? device_of(ranks) : RankDevice();
  put(device.name, mine.name), put(device.reason, mine.reason);
  put(device.bus_id, mine.bus_id), put(device.sums, mine.sums);
  mine.by_nccl = device.by_nccl, mine.reaches_all = device.reaches_all;
  if (!device.bus_id.empty()) {
    put(adapters_near(device.bus_id), mine.adapters);
    mine.far_cores = is_far(cores, device.bus_id);
  }
  std::copy_n(device.processes.begin(), std::min(device.processes.size(), mine.processes.size()),
              mine.processes.begin());
  std::vector<PlaceBytes> all(ranks.size(), mine);
  for (u32 r = 0; r < ranks.size(); ++r) ranks.broadcast(std::as_writable_bytes(std::span(&all[r], 1)), r);
  std::vector<RankPlace> places;
  for (const PlaceBytes& theirs : all) {
    const auto [strangers, bytes] = strangers_to(all, theirs);
    places.push_back({theirs.host.data(),
                      theirs.cores.data(),
                      theirs.host_cores,
                      theirs.threads,
                      {theirs.name.data(),
                       theirs.reason.data(),
                       theirs.bus_id.data(),
                       theirs.sums.data(),
                       theirs.by_nccl,
                       theirs.reaches_all,
                       {}},
                      theirs.adapters.data(),
                      strangers,
                      bytes,
                      theirs.far_cores});
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

std::vector<u32> ranges_of(const std::string& text) {
  std::vector<u32> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const char* const end = part.data() + part.size();
    u32 first = 0, last = 0;
    const auto [after, status] = std::from_chars(part.data(), end, first);
    if (status != std::errc()) continue;
    last = first;
    if (after != end && *after == '-') std::from_chars(after + 1, end, last);
    for (u32 number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace tri
