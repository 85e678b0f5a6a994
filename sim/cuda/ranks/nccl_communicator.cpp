#include "sim/cuda/ranks/nccl_communicator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <vector>

#include "sim/backend/ranks.hpp"
#include "sim/cuda/ranks/nccl_line.hpp"
#include "sim/cuda/ranks/process_watch.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
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
