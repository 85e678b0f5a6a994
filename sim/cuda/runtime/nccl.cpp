// Ranks that talk by NCCL: the library, messages on a line of its own, processes that are watched.

#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/ranks.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/cuda/runtime/ranks.hpp"

namespace tri::cuda::nccl {

Availability load(Api& api, const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {false, fmt::format("{} is missing; it comes with NCCL", library)};
  std::string missing;
  const auto resolve = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  resolve(api.get_version, "ncclGetVersion");
  resolve(api.get_unique_id, "ncclGetUniqueId");
  resolve(api.comm_init_rank, "ncclCommInitRank");
  resolve(api.comm_init_rank_config, "ncclCommInitRankConfig");
  resolve(api.comm_get_async_error, "ncclCommGetAsyncError");
  resolve(api.comm_finalize, "ncclCommFinalize");
  resolve(api.comm_destroy, "ncclCommDestroy");
  resolve(api.comm_abort, "ncclCommAbort");
  resolve(api.all_reduce, "ncclAllReduce");
  resolve(api.broadcast, "ncclBroadcast");
  resolve(api.send, "ncclSend");
  resolve(api.recv, "ncclRecv");
  resolve(api.group_start, "ncclGroupStart");
  resolve(api.group_end, "ncclGroupEnd");
  resolve(api.error_string, "ncclGetErrorString");
  resolve(api.last_error, "ncclGetLastError");
  if (missing.empty()) return {true, ""};
  return {false, fmt::format("{} has no function {}", library, missing)};
}

const Loaded& loaded() {
  static const Loaded once = [] {
    // Multicast over NVLink fails on hosts whose fabric manager is not set up for it.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    Loaded now;
    now.found = load(now.api);
    return now;
  }();
  return once;
}

std::string name_of(const Api& api) {
  int version = 0;
  if (api.get_version(&version) != kSuccess) return "NCCL";
  return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace tri::cuda::nccl

// A communicator of NCCL for messages from host to host: it has a stream of its own and some memory of the device,
// through which they pass. Calls wait for the others, on one block of the GPU, for as long as they are allowed to.

namespace tri::cuda {

/// The other ranks did not come in time. Nothing can be done with the line after that.
struct NcclTimeout : BackendError {
  using BackendError::BackendError;
};

class NcclLine {
 public:
  /// Every rank makes one, with its device current. bytes: of the device's memory. Throws BackendError, CudaError and
  /// NcclTimeout.
  NcclLine(const nccl::Api& api, const nccl::UniqueId& id, u32 rank, u32 ranks, std::size_t bytes, double within_s);
  ~NcclLine();
  NcclLine(const NcclLine&) = delete;
  NcclLine& operator=(const NcclLine&) = delete;

  /// One of NCCL's calls, in place on so many bytes of the device.
  using Call = std::function<nccl::Status(std::byte* memory, std::size_t bytes, nccl::Comm, cudaStream_t)>;
  /// The call, for all bytes, piece by piece; sends and receives say whether this rank's bytes matter before and after
  /// it. 0 seconds: waits for as long as it takes. As the constructor.
  void pass(std::span<std::byte> bytes, const Call& call, double within_s = 0, bool sends = true, bool receives = true);

 private:
  void check(nccl::Status status);
  bool settled();
  void wait(const std::function<bool()>& done, double end_s);

  const nccl::Api& api_;
  nccl::Comm comm_ = nullptr;
  bool broken_ = true;  ///< a call did not end well
  Stream stream_;
  Event done_;
  DeviceBuffer<std::byte> memory_;
};

/// What NCCL says of a failure, as a sentence.
std::string nccl_sentence(const nccl::Api& api, nccl::Status status, nccl::Comm comm = nullptr);

namespace {

constexpr double kFarewell = 5;  // seconds for what is on its way when a line ends

double end_of(double within_s) { return within_s > 0 ? clock_s() + within_s : std::numeric_limits<double>::infinity(); }

}  // namespace

NcclLine::NcclLine(const nccl::Api& api, const nccl::UniqueId& id, u32 rank, u32 ranks, std::size_t bytes,
                   double within_s)
    : api_(api), memory_(bytes) {
  nccl::Config config;
  config.blocking = 0;
  config.min_ctas = config.max_ctas = 1;  // one that waits takes little of the GPU
  try {
    check(api_.comm_init_rank_config(&comm_, static_cast<int>(ranks), id, static_cast<int>(rank), &config));
    wait([this] { return settled(); }, end_of(within_s));
  } catch (const NcclTimeout&) {
    throw;  // aborting would wait for the same
  } catch (...) {
    if (comm_ != nullptr) (void)api_.comm_abort(comm_);
    throw;
  }
  broken_ = false;
}

NcclLine::~NcclLine() {
  if (!broken_) {
    try {
      check(api_.comm_finalize(comm_));
      wait([this] { return settled(); }, end_of(kFarewell));
      (void)api_.comm_destroy(comm_);
      return;
    } catch (const Error&) {
    }
  }
  (void)api_.comm_abort(comm_);
}

void NcclLine::pass(std::span<std::byte> bytes, const Call& call, double within_s, bool sends, bool receives) {
  const double end = end_of(within_s);
  for (std::size_t at = 0; at < bytes.size(); at += memory_.size()) {
    const std::span<std::byte> piece = bytes.subspan(at, std::min(memory_.size(), bytes.size() - at));
    if (sends) memory_.upload(piece, stream_);
    broken_ = true;
    check(call(memory_.data(), piece.size(), comm_, stream_));
    wait([this] { return settled(); }, end);
    done_.record(stream_);
    const auto arrived = [this] {
      (void)settled();
      const cudaError_t status = cudaEventQuery(done_);
      if (status == cudaErrorNotReady) {
        (void)cudaGetLastError();  // the next launch would report it
        return false;
      }
      throw_if_failed(status, "cudaEventQuery, for messages of ranks");
      return true;
    };
    wait(arrived, end);
    broken_ = false;
    if (receives) memory_.download(piece, stream_);
  }
}

void NcclLine::check(nccl::Status status) {
  if (status != nccl::kSuccess && status != nccl::kInProgress) {
    throw BackendError(nccl_sentence(api_, status, comm_));
  }
}

/// Whether NCCL itself has nothing left to do.
bool NcclLine::settled() {
  nccl::Status status = nccl::kSuccess;
  check(api_.comm_get_async_error(comm_, &status));
  check(status);
  return status == nccl::kSuccess;
}

void NcclLine::wait(const std::function<bool()>& done, double end_s) {
  constexpr u32 kSpins = 2000;
  for (u32 spins = 0; !done(); ++spins) {
    if (clock_s() > end_s) throw NcclTimeout("the other ranks do not come.");
    if (spins < kSpins) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(spins < 2 * kSpins ? 20 : 1000));
    }
  }
}

std::string nccl_sentence(const nccl::Api& api, nccl::Status status, nccl::Comm comm) {
  const char* const detail = api.last_error(comm);
  std::string text = fmt::format("NCCL, which carries the messages of the ranks: {}", api.error_string(status));
  if (detail != nullptr && *detail != 0) text += fmt::format(" ({})", detail);
  return text + (status == nccl::kInvalidUsage
                     ? ". Two ranks cannot have one GPU: start as many ranks on a machine as it has GPUs."
                     : ". NCCL_DEBUG=WARN in the environment tells more.");
}

namespace {

/// A file that can be read once the process has ended, even before its parent asks for it.
int file_of(pid_t pid) {
#ifdef SYS_pidfd_open
  const auto file = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (file >= 0) return file;
  if (errno == ESRCH) return eventfd(1, EFD_CLOEXEC);  // it has ended
#endif
  return -1;
}

/// Waits for any of the files, or as long as that; the first that can be read, or -1.
int first_ready(const std::vector<int>& files, int timeout_ms) {
  std::vector<pollfd> entries;
  for (const int file : files) entries.push_back({file, POLLIN, 0});
  while (poll(entries.data(), entries.size(), timeout_ms) < 0 && errno == EINTR) {
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].revents != 0) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

ProcessWatch::ProcessWatch(const std::vector<pid_t>& pids, double patience_s, std::function<void(std::size_t)> gone) {
  for (const pid_t pid : pids) files_.push_back(file_of(pid));
  files_.push_back(eventfd(0, EFD_CLOEXEC));
  if (files_.back() < 0) return;
  try {
    thread_ = std::thread([this, patience_s, gone = std::move(gone)] { watch(patience_s, gone); });
  } catch (const std::system_error&) {  // a limit on threads
  }
}

ProcessWatch::~ProcessWatch() {
  if (thread_.joinable()) {
    eventfd_write(files_.back(), 1);
    thread_.join();
  }
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

void ProcessWatch::watch(double patience_s, const std::function<void(std::size_t)>& gone) {
  const int ended = first_ready(files_, -1);
  if (ended < 0 || ended + 1 == static_cast<int>(files_.size())) return;
  if (first_ready({files_.back()}, static_cast<int>(1e3 * patience_s)) < 0) gone(static_cast<std::size_t>(ended));
}

unsigned long long pid_namespace() {
  struct stat about {};
  return stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
}

namespace {

constexpr std::size_t kMessageBytes = std::size_t{8} << 20, kAgreementBytes = std::size_t{64} << 10;
/// Seconds after the end of another process: time to end in order, or by the launcher.
constexpr double kPatience = 2;

/// A rank's process, in as many bytes on every rank.
struct Home {
  std::array<char, 64> host{}, boot{};  ///< a machine is known by both: containers may have one name
  unsigned long long pids = 0;          ///< its PID namespace
  long long pid = 0;

  bool same_host(const Home& other) const { return host == other.host && boot == other.boot; }
};

Home own_home() {
  Home home;
  gethostname(home.host.data(), home.host.size() - 1);
  std::ifstream("/proc/sys/kernel/random/boot_id").getline(home.boot.data(), home.boot.size());
  home.pids = pid_namespace();
  home.pid = getpid();
  return home;
}

class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(const NcclSeat& seat, const nccl::Api& api, const nccl::UniqueId& id, double within_s)
      : api_(api), seat_(seat) {
    use_device();
    try {
      messages_.emplace(api, id, seat.rank, seat.size, kMessageBytes, within_s);
      // Apart from the messages, so that an agreement does not take the place of one that the other ranks wait in.
      nccl::UniqueId second{};
      if (rank() == 0 && api.get_unique_id(&second) != nccl::kSuccess) throw BackendError("NCCL gives no second id.");
      if (!spread(std::as_writable_bytes(std::span(&second, 1)), 0, within_s)) throw NcclTimeout("");
      agreements_.emplace(api, second, seat.rank, seat.size, kAgreementBytes, within_s);
      u64 first = 0;
      if (!agree({&first, 1}, within_s)) throw NcclTimeout("");
    } catch (const NcclTimeout&) {
      // Without destructors, since NCCL still waits for the others on a thread of its own.
      tri::end_all(*this, std::make_exception_ptr(BackendError(fmt::format(
                              "not all {} ranks came within {:.0f} s. See whether all were started, and whether their "
                              "machines reach the first one's; MASTER_ADDR and MASTER_PORT say where it is.",
                              seat.size, within_s))));
    }
    meet_neighbours();
  }
  ~NcclCommunicator() override {
    u64 last = 0;
    if (!broken_) agree({&last, 1}, kLongestEnd);  // none goes while another may still need it
    watch_.reset();
  }

  u32 rank() const override { return seat_.rank; }
  u32 size() const override { return seat_.size; }
  std::string host() const override { return home_.host.data(); }
  u32 host_ranks() const override { return host_ranks_; }
  u32 host_rank() const override { return seat_.host_rank; }

  void max(std::span<u64> values) override { reduce(*messages_, std::as_writable_bytes(values), kLargest, 0); }
  void sum_slices(std::span<double> values) override {
    reduce(*messages_, std::as_writable_bytes(values), {nccl::kFloat64, nccl::kSum}, 0);
  }
  void sum_slices(std::span<u64> values) override {
    reduce(*messages_, std::as_writable_bytes(values), {nccl::kUint64, nccl::kSum}, 0);
  }
  /// NCCL has no integers of 128 bits: every rank sends its own to all.
  void sum_slices(std::span<Wide> values) override {
    const auto [begin, end] = slice(values.size());
    std::vector<Wide> theirs(values.size()), sums(end - begin, 0);
    for (u32 r = 0; r < size(); ++r) {
      const std::span<Wide> from = r == rank() ? values : std::span(theirs);
      broadcast(std::as_writable_bytes(from), r);
      for (u64 k = begin; k < end; ++k) sums[k - begin] += from[k];
    }
    std::copy(sums.begin(), sums.end(), values.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  void gather_slices(std::span<double> values) override { gather(values); }
  void gather_slices(std::span<u64> values) override { gather(values); }

  void broadcast(std::span<std::byte> bytes, u32 root) override { spread(bytes, root, 0); }

  bool agree(std::span<u64> values, double within_s) override {
    return reduce(*agreements_, std::as_writable_bytes(values), kLargest, within_s);
  }
  /// The others see it, or their launcher does.
  void end_all(int code) override { std::_Exit(code); }

  void request_stop() override {}
  bool stop_requested() override { return false; }
  void clear_stop() override {}

 private:
  struct Reduction {
    int type, operation;
  };
  static constexpr Reduction kLargest{nccl::kUint64, nccl::kMax};

  /// The current device belongs to the thread, and calls may come from any.
  void use_device() const { TRI_CUDA(cudaSetDevice(seat_.device)); }

  /// False if that did not work within so many seconds; if it may take as long as it takes, a failure is the end of the
  /// process: after one, of the device or of another rank, there is no way to tell the others anything.
  bool pass(NcclLine& line, std::span<std::byte> bytes, const NcclLine::Call& call, double within_s, bool sends = true,
            bool receives = true) {
    broken_ = true;
    try {
      use_device();
      line.pass(bytes, call, within_s, sends, receives);
      broken_ = false;
    } catch (...) {
      if (within_s == 0) tri::end_all(*this, std::current_exception());
    }
    return !broken_;
  }

  bool spread(std::span<std::byte> bytes, u32 root, double within_s) {
    return pass(
        *messages_, bytes,
        [&](std::byte* memory, std::size_t count, nccl::Comm comm, cudaStream_t stream) {
          return api_.broadcast(memory, memory, count, nccl::kUint8, static_cast<int>(root), comm, stream);
        },
        within_s, rank() == root, rank() != root);
  }

  /// bytes: of numbers of 64 bits, all that there are.
  bool reduce(NcclLine& line, std::span<std::byte> bytes, Reduction how, double within_s) {
    return pass(
        line, bytes,
        [&](std::byte* memory, std::size_t count, nccl::Comm comm, cudaStream_t stream) {
          return api_.all_reduce(memory, memory, count / 8, how.type, how.operation, comm, stream);
        },
        within_s);
  }

  template <class Number>
  void gather(std::span<Number> values) {
    for (u32 r = 0; r < size(); ++r) {
      const auto [begin, end] = slice(values.size(), r);
      broadcast(std::as_writable_bytes(values.subspan(begin, end - begin)), r);
    }
  }

  /// Counts the ranks of this machine, and watches their processes.
  void meet_neighbours() {
    std::vector<u32> ranks;
    std::vector<pid_t> pids;
    host_ranks_ = 0;
    for (u32 r = 0; r < size(); ++r) {
      Home theirs = home_;
      broadcast(std::as_writable_bytes(std::span(&theirs, 1)), r);
      if (!theirs.same_host(home_)) continue;
      ++host_ranks_;
      if (theirs.pids != home_.pids || theirs.pid == home_.pid) continue;
      ranks.push_back(r), pids.push_back(static_cast<pid_t>(theirs.pid));
    }
    if (pids.empty()) return;
    watch_.emplace(pids, kPatience, [this, ranks](std::size_t k) {
      const std::string sentence =
          fmt::format("rank {} has ended, and the others cannot go on without it; it said why if it could.", ranks[k]);
      const u32 least = ranks[k == 0 && ranks.size() > 1 ? 1 : 0];
      if (least != ranks[k] && least < rank()) std::_Exit(static_cast<int>(ExitCode::no_gpu));  // that one speaks
      tri::end_all(*this, std::make_exception_ptr(BackendError(sentence)));
    });
  }

  const nccl::Api& api_;
  NcclSeat seat_;
  Home home_ = own_home();
  u32 host_ranks_ = 1;
  bool broken_ = false;  ///< a call did not end well
  std::optional<NcclLine> messages_, agreements_;
  std::optional<ProcessWatch> watch_;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(const NcclSeat& seat, const nccl::UniqueId& id, double within_s) {
  const nccl::Loaded& nccl = nccl::loaded();
  if (!nccl.found) throw BackendError(nccl.found.reason + ".");
  return std::make_unique<NcclCommunicator>(seat, nccl.api, id, within_s);
}

std::unique_ptr<Communicator> meet_by_nccl(const NcclSeat& seat, const std::string& address, double within_s) {
  const nccl::Loaded& nccl = nccl::loaded();
  if (!nccl.found) throw BackendError(nccl.found.reason + ".");
  TRI_CUDA(cudaSetDevice(seat.device));
  nccl::UniqueId id{};
  constexpr const char* kVariable = "NCCL_COMM_ID";
  if (std::getenv(kVariable) == nullptr) {
    // The first id makes NCCL choose its network adapter, as it always does. With an address it would take that whose
    // subnet has the address, and there may be none on other machines.
    (void)nccl.api.get_unique_id(&id);
    setenv(kVariable, address.c_str(), 1);
  }
  const nccl::Status status = nccl.api.get_unique_id(&id);
  if (status != nccl::kSuccess) {
    throw BackendError(fmt::format("the ranks cannot meet at {}. {}", address, nccl_sentence(nccl.api, status)));
  }
  std::unique_ptr<Communicator> ranks = make_nccl_communicator(seat, id, within_s);
  unsetenv(kVariable);  // every later communicator has an id of its own
  return ranks;
}

}  // namespace tri::cuda
