// Ranks whose messages NCCL carries. One rank needs one device and goes through NCCL as many do; two need two devices.

#include "sim/cuda/ranks/nccl_communicator.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "sim/backend/ranks.hpp"
#include "sim/base/clock.hpp"
#include "sim/cluster/cluster_backend.hpp"
#include "sim/cluster/orders.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/ranks/device_ranks.hpp"
#include "sim/cuda/ranks/process_watch.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

/// A port that nobody has at the moment, on this machine.
std::string free_address() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  EXPECT_EQ(bind(file, reinterpret_cast<sockaddr*>(&at), size), 0);
  EXPECT_EQ(getsockname(file, reinterpret_cast<sockaddr*>(&at), &size), 0);
  close(file);
  return "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

class CudaNcclCommunicator : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    const Availability nccl = cuda::nccl_available();
    if (!nccl) GTEST_SKIP() << nccl.reason;
  }
};

/// Runs f(communicator) on each of so many ranks, threads with a device each.
void on_ranks(u32 size, const std::function<void(Communicator&)>& f) {
  cuda::nccl::UniqueId id{};
  ASSERT_EQ(cuda::nccl::loaded().api.get_unique_id(&id), cuda::nccl::kSuccess);
  std::vector<std::jthread> threads;
  for (u32 r = 0; r < size; ++r) {
    threads.emplace_back([&, r] { f(*cuda::make_nccl_communicator({r, size, r, static_cast<int>(r)}, id)); });
  }
}

u32 most_ranks() { return cuda_devices().size() > 1 ? 2 : 1; }

TEST_F(CudaNcclCommunicator, SumsMaximaAndBroadcastsReachEveryRank) {
  for (u32 size = 1; size <= most_ranks(); ++size) {
    on_ranks(size, [size](Communicator& ranks) {
      EXPECT_EQ(ranks.size(), size);
      EXPECT_EQ(ranks.host_ranks(), size);
      EXPECT_FALSE(ranks.host().empty());
      for (const u64 n : {u64{0}, u64{1}, u64{2}, u64{1000}, u64{1200003}}) {  // the last in two pieces
        std::vector<double> values(n);
        std::vector<u64> counts(n);
        std::vector<Wide> wide(n);
        for (u64 k = 0; k < n; ++k) {
          values[k] = static_cast<double>(k) / (ranks.rank() + 1.0);
          counts[k] = k << ranks.rank();
          wide[k] = (static_cast<Wide>(k) << 80) * (ranks.rank() + 1);
        }
        std::vector<u64> largest = counts;
        ranks.sum(std::span(values));
        ranks.sum(std::span(counts));
        ranks.sum_slices(wide);
        ranks.max(largest);
        const auto [begin, end] = ranks.slice(n);
        u64 wrong = 0;
        for (u64 k = 0; k < n; ++k) {
          double sum = 0;
          for (u32 r = 0; r < size; ++r) sum += static_cast<double>(k) / (r + 1.0);
          const bool own = k >= begin && k < end;
          wrong += values[k] != sum || counts[k] != k * ((1u << size) - 1) || largest[k] != k << (size - 1);
          wrong += own && wide[k] != (static_cast<Wide>(k) << 80) * (size * (size + 1) / 2);
        }
        EXPECT_EQ(wrong, 0u) << "rank " << ranks.rank() << " of " << size << ", " << n;
        std::vector<u64> sent(n, ranks.rank());
        ranks.broadcast(std::as_writable_bytes(std::span(sent)), size - 1);
        EXPECT_EQ(sent, std::vector<u64>(n, size - 1));
      }
      std::array<char, 5> odd = {'a', 'b', 'c', 'd', static_cast<char>('0' + ranks.rank())};
      ranks.broadcast(std::as_writable_bytes(std::span(odd)), 0);
      EXPECT_EQ(odd[4], '0') << "bytes that are no whole numbers";
    });
  }
}

TEST_F(CudaNcclCommunicator, AgreesInTimeOrNot) {
  on_ranks(most_ranks(), [](Communicator& ranks) {
    u64 values[2] = {ranks.rank(), 7};
    EXPECT_TRUE(ranks.agree(values, 5));
    EXPECT_EQ(values[0], ranks.size() - 1);
    EXPECT_TRUE(ranks.agree(values, 0));
    EXPECT_FALSE(ranks.stop_requested());
    Ranks law(&ranks);
    const u32 bad = ranks.size() - 1;
    const auto call = [&](bool fails) {
      take_part(ranks, false, [&] {
        law.together([&] {
          if (fails && ranks.rank() == bad) throw MemoryError("no room");
        });
      });
    };
    const std::string text = message_of([&] { call(true); });
    EXPECT_NE(text.find(ranks.rank() == 0 || ranks.rank() == bad ? "no room" : "ended the work"), std::string::npos)
        << text;
    EXPECT_NO_THROW(call(false));
  });
}

/// The ranks of a launcher meet at an address, and a backend of theirs has the bits of one device.
TEST_F(CudaNcclCommunicator, MeetsAtAnAddressAndMakesTheBitsOfOne) {
  const auto hash = [](Backend& backend) {
    EngineConfig config;
    config.accumulate = Accumulate::ordered;
    Simulation simulation(make_scene("plummer:n=3000"), backend, config);
    simulation.advance(20);
    simulation.diagnostics();
    return simulation.engine().state_hash();
  };
  const u64 alone = hash(*make_backend("cuda"));
  for (int again = 0; again < 2; ++again) {
    const auto ranks = make_cuda_communicator(0, 0, 1, 0, free_address());
    EXPECT_EQ(std::getenv("NCCL_COMM_ID"), nullptr);
    RankLeader leader(*ranks);
    const auto make = [](const std::string& /*name*/, Communicator& of) { return make_cuda_backend(0, of); };
    EXPECT_EQ(hash(*leader.make_backend("cuda", make)), alone);
  }
}

TEST_F(CudaNcclCommunicator, AnAddressThatIsNoneIsRefused) {
  const std::string text = message_of<BackendError>([] { make_cuda_communicator(0, 0, 1, 0, "nowhere"); });
  unsetenv("NCCL_COMM_ID");
  EXPECT_EQ(text.find("the ranks cannot meet at nowhere. NCCL, which carries the messages of the ranks: "), 0u) << text;
}

TEST_F(CudaNcclCommunicator, TwoRanksOnOneDeviceAreRefused) {
  cuda::nccl::UniqueId id{};
  ASSERT_EQ(cuda::nccl::loaded().api.get_unique_id(&id), cuda::nccl::kSuccess);
  std::vector<std::jthread> threads;
  for (u32 r = 0; r < 2; ++r) {
    threads.emplace_back([&id, r] {
      const std::string text = message_of<BackendError>([&] { cuda::make_nccl_communicator({r, 2, r, 0}, id); });
      EXPECT_NE(text.find("Two ranks cannot have one GPU"), std::string::npos) << text;
    });
  }
}

using CudaNcclCommunicatorDeathTest = CudaNcclCommunicator;

TEST_F(CudaNcclCommunicatorDeathTest, ARankThatNeverComesEndsTheOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto meet = [] {
    const cuda::NcclSeat seat{0, 2, 0, 0};
    cuda::meet_by_nccl(seat, free_address(), 3);
  };
  const Stopwatch watch;
  EXPECT_EXIT(meet(), testing::ExitedWithCode(static_cast<int>(ExitCode::no_gpu)),
              "error: rank 0 on .*not all 2 ranks came within 3 s");
  EXPECT_LT(watch.ms(), 60000);
}

/// Forks a process that does nothing until it is killed.
pid_t sleeper() {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  return child;
}

TEST(ProcessWatch, TellsOfTheOneThatEnded) {
  const std::vector<pid_t> pids = {sleeper(), sleeper(), sleeper()};
  std::atomic<int> gone{-1};
  {
    const cuda::ProcessWatch watch(pids, 0.05, [&](std::size_t k) { gone = static_cast<int>(k); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(gone, -1);
    kill(pids[1], SIGKILL);  // it stays a zombie, as long as nobody asks for it
    for (int k = 0; k < 200 && gone < 0; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(gone, 1);
  }
  for (const pid_t pid : pids) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
}

TEST(ProcessWatch, EndsInOrderAfterTheOthers) {
  const pid_t child = sleeper();
  bool told = false;
  const Stopwatch clock;
  {
    const cuda::ProcessWatch watch({child}, 30, [&](std::size_t) { told = true; });
    kill(child, SIGKILL), waitpid(child, nullptr, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(told) << "it has time to end, too";
  {
    const cuda::ProcessWatch watch({child}, 30, [&](std::size_t) { told = true; });  // it is no more
  }
  const cuda::ProcessWatch nobody({}, 1, [&](std::size_t) { told = true; });
  EXPECT_FALSE(told);
  EXPECT_LT(clock.ms(), 5000);
}

}  // namespace
}  // namespace tri::test
