// What the variables of launchers say, and where ranks run.

#include "sim/cluster/launched_ranks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

#include "sim/base/threads.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "sim/cluster/rank_places.hpp"

namespace tri {
namespace {

u32 count_of(const std::map<std::string, std::string>& variables) {
  return launched_count([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(LaunchedRanks, AreCountedByTheVariablesOfTheirLauncher) {
  EXPECT_EQ(count_of({}), 0u);
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}), 4u) << "Open MPI";
  EXPECT_EQ(count_of({{"PMI_SIZE", "6"}, {"PMI_RANK", "0"}}), 6u) << "MPICH, and srun with PMI-2";
  EXPECT_EQ(count_of({{"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "64"}}), 64u) << "srun with PMIx";
  EXPECT_EQ(count_of({{"SLURM_STEP_NUM_TASKS", "64"}}), 64u) << "srun without MPI: to be refused";
  EXPECT_EQ(count_of({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "0"}}), 0u) << "a script of sbatch";
  EXPECT_EQ(count_of({{"WORLD_SIZE", "8"}, {"RANK", "3"}, {"TORCHELASTIC_RUN_ID", "none"}}), 8u) << "torchrun";
  EXPECT_EQ(count_of({{"WORLD_SIZE", "8"}}), 0u) << "anybody's";
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"TRIANGULUM_RANKS", "off"}}), 0u);
  EXPECT_EQ(count_of({{"OMPI_COMM_WORLD_SIZE", "1"}}), 1u);
}

TEST(RankPlaces, CoresAreRanges) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({5}), "5");
  EXPECT_EQ(ranges_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(ranges_of("0-3,8,10-11"), (std::vector<u32>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_TRUE(ranges_of("").empty() && ranges_of("none").empty());
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
