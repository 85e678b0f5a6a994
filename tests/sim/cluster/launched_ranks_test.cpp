// What the variables of launchers say, and where ranks run.

#include "sim/cluster/launched_ranks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sim/base/threads.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "sim/cluster/rank_places.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

using Variables = std::map<std::string, std::string>;

LaunchedRank launch(const Variables& variables) {
  return launch_of([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

Variables operator+(Variables a, const Variables& b) {
  for (const auto& [name, value] : b) a[name] = value;
  return a;
}

const Variables kTorchrun = {
    {"TORCHELASTIC_RUN_ID", "none"}, {"WORLD_SIZE", "8"},     {"RANK", "5"}, {"LOCAL_RANK", "1"},
    {"MASTER_ADDR", "node-a"},       {"MASTER_PORT", "29500"}};
const Variables kSrun = {{"SLURM_STEP_NUM_TASKS", "64"}, {"SLURM_PROCID", "9"},
                         {"SLURM_LOCALID", "1"},         {"SLURM_STEP_ID", "3"},
                         {"SLURM_JOB_ID", "1000"},       {"SLURM_STEP_NODELIST", "gpu[03-10]"}};

TEST(LaunchedRanks, AreCountedByTheVariablesOfTheirLauncher) {
  const auto count_of = [](const Variables& variables) { return launch(variables).count; };
  EXPECT_EQ(count_of({}), 0u);
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}), 4u) << "Open MPI";
  EXPECT_EQ(count_of({{"PMI_SIZE", "6"}, {"PMI_RANK", "0"}}), 6u) << "MPICH, and srun with PMI-2";
  EXPECT_EQ(count_of({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "64"}}), 64u) << "srun with PMIx";
  EXPECT_EQ(count_of(kSrun), 64u) << "srun without MPI";
  EXPECT_EQ(count_of({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "0"}}), 0u) << "a script of sbatch";
  EXPECT_EQ(count_of(kTorchrun), 8u);
  EXPECT_EQ(count_of({{"WORLD_SIZE", "8"}}), 0u) << "anybody's";
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"TRIANGULUM_RANKS", "off"}}), 0u);
  EXPECT_EQ(count_of(kTorchrun + Variables{{"TRIANGULUM_RANKS", "off"}}), 0u);
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "1"}}), 1u);
}

TEST(LaunchedRanks, KnowTheirLauncherAndTheirNumbers) {
  EXPECT_EQ(launch({}).launcher, Launcher::none);
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_SIZE", "4"}}).launcher, Launcher::mpi);
  EXPECT_EQ(launch({{"PMI_SIZE", "4"}}).launcher, Launcher::mpi);
  EXPECT_EQ(launch(kSrun + Variables{{"PMIX_RANK", "9"}}).launcher, Launcher::mpi);
  EXPECT_EQ(launch(kSrun).launcher, Launcher::srun);
  EXPECT_EQ(launch(kSrun).rank, 9u);
  EXPECT_EQ(launch(kSrun).host_rank, 1u);
  const Variables nested[] = {kTorchrun, kTorchrun + kSrun, kTorchrun + Variables{{"OMPI_COMM_WORLD_SIZE", "2"}}};
  for (const Variables& variables : nested) {  // srun or mpirun starts a torchrun on each machine
    const LaunchedRank found = launch(variables);
    EXPECT_EQ(found.launcher, Launcher::torchrun);
    EXPECT_EQ(found.count, 8u);
    EXPECT_EQ(found.rank, 5u);
    EXPECT_EQ(found.host_rank, 1u);
    EXPECT_EQ(found.address, "node-a:29501") << "torchrun itself may listen at the port";
  }
}

TEST(LaunchedRanks, KnowWhereTheFirstOneIs) {
  EXPECT_EQ(launch(kTorchrun + Variables{{"MASTER_PORT", "65535"}}).address, "node-a:65534");
  EXPECT_EQ(launch(kTorchrun + Variables{{"MASTER_ADDR", "fe80::1"}}).address, "[fe80::1]:29501");
  EXPECT_EQ(launch(kTorchrun + Variables{{"NCCL_COMM_ID", "10.0.0.1:4000"}}).address, "10.0.0.1:4000");
  EXPECT_EQ(launch(kTorchrun + Variables{{"MASTER_PORT", "x"}}).address, "");
  EXPECT_EQ(launch(kSrun).address, "gpu03:27003");
  EXPECT_NE(launch(kSrun + Variables{{"SLURM_STEP_ID", "4"}}).address, launch(kSrun).address) << "steps at once";
  EXPECT_EQ(launch(kSrun + Variables{{"PMIX_RANK", "9"}}).address, "gpu03:27003") << "if this build has no MPI";
  EXPECT_EQ(launch(kSrun + Variables{{"MASTER_ADDR", "a"}, {"MASTER_PORT", "100"}}).address, "a:101");
  EXPECT_EQ(launch({{"SLURM_STEP_NUM_TASKS", "64"}}).address, "");
  EXPECT_EQ(launch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}}).address, "");
}

TEST(LaunchedRanks, FindTheFirstNodeOfSlurmsList) {
  EXPECT_EQ(first_node("login1"), "login1");
  EXPECT_EQ(first_node("a1,b[2-3]"), "a1");
  EXPECT_EQ(first_node("gpu[03-05,09],login1"), "gpu03");
  EXPECT_EQ(first_node("gpu[7,9]"), "gpu7");
  EXPECT_EQ(first_node("r[1-2]n[08-12]-ib,x"), "r1n08-ib");
  EXPECT_EQ(first_node("broken[3"), "broken3");
  EXPECT_EQ(first_node(""), "");
}

/// What opened, in the order in which they were tried, as "mpi" and "nccl".
std::string tried(const LaunchedRank& of, bool mpi_works, bool nccl_works, std::string* failure = nullptr) {
  std::string order;
  const auto opener = [&order](const char* name, bool works, const char* why) {
    return [&order, name, works, why](const LaunchedRank&, std::string& why_not) -> std::unique_ptr<Communicator> {
      order += std::string(order.empty() ? "" : " ") + name;
      if (works) return std::move(make_local_ranks(1).front());
      why_not = why;
      return nullptr;
    };
  };
  const std::string text = test::message_of([&] {
    connect_ranks(of, opener("mpi", mpi_works, "MPI sees 1 of them"), opener("nccl", nccl_works, "there is no GPU"));
  });
  if (failure != nullptr) *failure = text;
  return order;
}

TEST(LaunchedRanks, AreConnectedByWhatTheirLauncherKnows) {
  const LaunchedRank mpirun = launch({{"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_EQ(tried(mpirun, true, true), "mpi");
  EXPECT_EQ(tried(mpirun, false, true), "mpi") << "nobody knows where the first one is";
  EXPECT_EQ(tried(launch(kTorchrun), true, true), "nccl");
  EXPECT_EQ(tried(launch(kTorchrun), true, false), "nccl mpi");
  EXPECT_EQ(tried(launch(kSrun), true, true), "nccl");
  const LaunchedRank pmix = launch(kSrun + Variables{{"PMIX_RANK", "9"}});
  EXPECT_EQ(tried(pmix, true, true), "mpi");
  EXPECT_EQ(tried(pmix, false, true), "mpi nccl");
}

TEST(LaunchedRanks, SayWhyTheyAreNotConnected) {
  const std::string rest = "Or start one process, or set TRIANGULUM_RANKS=off if each shall work alone.";
  std::string text;
  tried(launch({{"OMPI_COMM_WORLD_SIZE", "4"}}), false, false, &text);
  EXPECT_EQ(text, "a launcher started 4 processes, but they cannot work together: MPI sees 1 of them. " + rest);
  tried(launch(kTorchrun), false, false, &text);
  EXPECT_EQ(text,
            "a launcher started 8 processes, but they cannot work together: MPI sees 1 of them. With a GPU each, NCCL "
            "would connect them, but there is no GPU. " +
                rest);
  tried(launch({{"SLURM_STEP_NUM_TASKS", "4"}}), false, true, &text);
  EXPECT_NE(text.find("NCCL would connect them, but nothing says where the first one is; export MASTER_ADDR"),
            std::string::npos)
      << text;
}

TEST(RankPlaces, CoresAreRanges) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({5}), "5");
  EXPECT_EQ(ranges_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(ranges_of("0-3,8,10-11"), (std::vector<u32>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_TRUE(ranges_of("").empty() && ranges_of("none").empty());
}

TEST(RankPlaces, CountProcessesThatAreNoneOfThem) {
  const auto ranks = make_local_ranks(2);
  std::vector<std::jthread> threads;
  for (const auto& rank : ranks) {
    threads.emplace_back([&of = *rank] {
      const auto device_of = [](const Communicator& one) {
        RankDevice device;
        device.name = "a GPU";
        const auto own = static_cast<u32>(getpid());
        if (one.rank() == 0) device.processes = {{own, 100}};
        if (one.rank() == 1) device.processes = {{own + 1, 7}, {own, 100}, {own + 2, 0}};
        if (one.rank() == 1) device.processes.resize(100, {own + 3, 1});  // more than are told of
        return device;
      };
      const std::vector<RankPlace> places = gather_places(of, device_of);
      EXPECT_EQ(places[0].strangers, 0u);
      EXPECT_EQ(places[1].strangers, 31u);
      EXPECT_EQ(places[1].stranger_bytes, 7u + 29u);
      EXPECT_EQ(gather_places(of)[1].strangers, 0u);
    });
  }
}

// Ranks that share all cores of a machine have an equal part of them, at least one.
TEST(RankPlaces, ThreadsOfRanksAreAPartOfTheMachine) {
  const char* set = std::getenv("OMP_NUM_THREADS");
  const std::string before = set == nullptr ? "" : set;
  unsetenv("OMP_NUM_THREADS");
  const auto cores = static_cast<u32>(sysconf(_SC_NPROCESSORS_ONLN));
  for (const u32 size : {1u, 2u, 3u, 1000u}) {
    const u32 threads = threads_of_rank(*make_local_ranks(size).front());
    EXPECT_EQ(threads, std::min(usable_threads(), std::max(1u, cores / size))) << size;
  }
  setenv("OMP_NUM_THREADS", "7", 1);
  EXPECT_EQ(threads_of_rank(*make_local_ranks(3).front()), 7u) << "as asked for";
  unsetenv("OMP_NUM_THREADS");
  if (!before.empty()) setenv("OMP_NUM_THREADS", before.c_str(), 1);
}

}  // namespace
}  // namespace tri
