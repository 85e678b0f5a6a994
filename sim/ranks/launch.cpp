// Where ranks run and how they meet: launchers, cores, adapters, addresses.

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/backend/ranks.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/ranks/cluster_backend.hpp"

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

/// The processes on a rank's GPU that do not belong to the run, and their memory there.
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

// Each call publishes the spans of all ranks, between two meetings in which they are read.

namespace {

struct Shared {
  explicit Shared(u32 size) : brought(size) {}

  /// Returns when every rank has called it; false if that takes longer than so many seconds, and 0 is for ever.
  bool meet(double within_s = 0) {
    std::unique_lock lock(mutex_);
    if (++waiting_ == brought.size()) {
      waiting_ = 0, ++meetings_;
      all_here_.notify_all();
      return true;
    }
    const auto over = [this, number = meetings_] { return meetings_ != number; };
    if (within_s > 0) return all_here_.wait_for(lock, std::chrono::duration<double>(within_s), over);
    all_here_.wait(lock, over);
    return true;
  }

  /// What a rank brings to the present call.
  struct Brought {
    void* memory = nullptr;
    bool agrees = false;  ///< the call is agree()
  };
  std::vector<Brought> brought;  ///< [ranks]
  std::atomic<bool> stop{false};

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::size_t waiting_ = 0;
  u64 meetings_ = 0;
};

class LocalRank final : public Communicator {
 public:
  LocalRank(std::shared_ptr<Shared> shared, u32 rank) : shared_(std::move(shared)), rank_(rank) {}

  u32 rank() const override { return rank_; }
  u32 size() const override { return static_cast<u32>(shared_->brought.size()); }
  std::string host() const override { return "this process"; }
  u32 host_ranks() const override { return size(); }
  u32 host_rank() const override { return rank_; }

  void max(std::span<u64> values) override { reduce_max(values, false, 0); }
  bool agree(std::span<u64> values, double within_s) override { return reduce_max(values, true, within_s); }
  void end_all(int code) override { std::_Exit(code); }

  void sum_slices(std::span<double> values) override { add(values); }
  void sum_slices(std::span<Wide> values) override { add(values); }
  void sum_slices(std::span<u64> values) override { add(values); }
  void gather_slices(std::span<double> values) override { gather(values); }
  void gather_slices(std::span<u64> values) override { gather(values); }

  void broadcast(std::span<std::byte> bytes, u32 root) override {
    exchange(bytes.data(), [&] {
      if (rank_ != root && !bytes.empty()) std::memcpy(bytes.data(), of<std::byte>(root), bytes.size());
    });
  }

  void request_stop() override { shared_->stop = true; }
  bool stop_requested() override { return shared_->stop; }
  void clear_stop() override {
    shared_->meet();
    shared_->stop = false;
    shared_->meet();
  }

 private:
  template <class T>
  const T* of(u32 rank) const {
    return static_cast<const T*>(shared_->brought[rank].memory);
  }

  /// Ends only those calls of the others that are of its kind; see Communicator::agree().
  template <class Read>
  bool exchange(void* mine, const Read& read, bool agrees = false, double within_s = 0) {
    for (;;) {
      shared_->brought[rank_] = {mine, agrees};
      if (!shared_->meet(within_s)) return false;
      const bool same = std::all_of(shared_->brought.begin(), shared_->brought.end(),
                                    [agrees](const Shared::Brought& of) { return of.agrees == agrees; });
      if (same) read();
      shared_->meet();
      if (same) return true;
      if (!agrees) throw RankStopped();
    }
  }

  bool reduce_max(std::span<u64> values, bool agrees, double within_s) {
    std::vector<u64> mine(values.begin(), values.end());
    const auto read = [&] {
      for (u32 r = 0; r < size(); ++r) {
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::max(values[k], of<u64>(r)[k]);
      }
    };
    return exchange(mine.data(), read, agrees, within_s);
  }

  /// Each rank writes its own slice alone, which no other reads.
  template <class Number>
  void add(std::span<Number> values) {
    const auto mine = slice(values.size());
    const u64 begin = mine.first, end = mine.second;
    exchange(values.data(), [&] {
      std::vector<Number> sums(end - begin, 0);
      for (u32 r = 0; r < size(); ++r) {
        for (u64 k = begin; k < end; ++k) sums[k - begin] += of<Number>(r)[k];
      }
      std::copy(sums.begin(), sums.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
    });
  }

  template <class Number>
  void gather(std::span<Number> values) {
    exchange(values.data(), [&] {
      for (u32 r = 0; r < size(); ++r) {
        const auto [begin, end] = slice(values.size(), r);
        if (r != rank_) std::copy(of<Number>(r) + begin, of<Number>(r) + end, values.data() + begin);
      }
    });
  }

  std::shared_ptr<Shared> shared_;
  u32 rank_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> make_local_ranks(u32 size) {
  TRI_EXPECTS(size >= 1);
  const auto shared = std::make_shared<Shared>(size);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (u32 r = 0; r < size; ++r) ranks.push_back(std::make_unique<LocalRank>(shared, r));
  return ranks;
}

}  // namespace tri
