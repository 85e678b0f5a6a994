// The collective calls, on ranks that are threads.

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/backend/ranks.hpp"
#include "sim/backends.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/maps/launch_split.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/ranks/cluster_backend.hpp"
#include "sim/ranks/packet.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/expect.hpp"

namespace tri {
namespace {

/// Runs f(communicator) on each rank, and ends with the first exception.
void on_ranks(u32 size, const std::function<void(Communicator&)>& f) {
  const auto ranks = make_local_ranks(size);
  std::vector<std::jthread> threads;
  for (const auto& rank : ranks) threads.emplace_back([&f, &rank = *rank] { f(rank); });
}

TEST(LocalRanks, SumEveryElementOfAnyLength) {
  for (const u32 size : {1u, 2u, 3u, 5u}) {
    on_ranks(size, [size](Communicator& ranks) {
      for (const u64 n : {u64{0}, u64{1}, u64{2}, u64{4}, u64{1000}}) {
        std::vector<double> values(n);
        std::vector<u64> counts(n);
        std::vector<Wide> wide(n);
        for (u64 k = 0; k < n; ++k) {
          values[k] = static_cast<double>(k) / (ranks.rank() + 1.0);
          counts[k] = k << ranks.rank();
          wide[k] = (static_cast<Wide>(k) << 80) * (ranks.rank() + 1);
        }
        ranks.sum(std::span(values));
        ranks.sum(std::span(counts));
        ranks.sum_slices(wide);
        const auto [begin, end] = ranks.slice(n);
        for (u64 k = 0; k < n; ++k) {
          double sum = 0;
          for (u32 r = 0; r < size; ++r) sum += static_cast<double>(k) / (r + 1.0);
          EXPECT_EQ(values[k], sum) << "added in the order of the ranks";
          EXPECT_EQ(counts[k], k * ((1u << size) - 1));
          EXPECT_TRUE(k < begin || k >= end || wide[k] == (static_cast<Wide>(k) << 80) * (size * (size + 1) / 2));
        }
      }
    });
  }
}

TEST(LocalRanks, BroadcastAndMax) {
  on_ranks(4, [](Communicator& ranks) {
    u64 value = 10 + ranks.rank();
    ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), 2);
    EXPECT_EQ(value, 12u);
    u64 largest[2] = {ranks.rank(), 9 - ranks.rank()};
    ranks.max(largest);
    EXPECT_EQ(largest[0], 3u);
    EXPECT_EQ(largest[1], 9u);
  });
}

TEST(LocalRanks, SlicesCoverEveryCount) {
  const auto ranks = make_local_ranks(7);
  for (const u64 count : {u64{0}, u64{3}, u64{7}, u64{100}, ~u64{0}}) {
    u64 at = 0;
    for (const auto& rank : ranks) {
      const auto [begin, end] = rank->slice(count);
      EXPECT_EQ(begin, at);
      at = end;
    }
    EXPECT_EQ(at, count);
  }
}

// Whoever fails, all ranks hear of it, and the next call works.
TEST(LocalRanks, AgreeOnAFailure) {
  for (const u32 bad : {0u, 1u, 2u}) {
    for (const bool inside : {true, false}) {
      on_ranks(3, [&](Communicator& ranks) {
        Ranks law(&ranks);
        const auto call = [&](bool fails) {
          participate(ranks, false, [&] {
            if (fails && !inside && ranks.rank() == bad) throw MemoryError("no room");
            law.together([&] {
              if (fails && inside && ranks.rank() == bad) throw MemoryError("no room");
            });
          });
        };
        const std::string text = test::message_of([&] { call(true); });
        const std::string expected = ranks.rank() == bad ? "no room"
                                     : ranks.rank() == 0 ? "rank " + std::to_string(bad) + " on this process: no room"
                                                         : "another rank ended the work.";
        EXPECT_EQ(text, expected) << ranks.rank();
        EXPECT_NO_THROW(call(false));
        EXPECT_FALSE(ranks.stop_requested());
      });
    }
  }
}

TEST(LocalRanks, DifferentStatesAreFound) {
  on_ranks(3, [](Communicator& ranks) {
    EXPECT_NO_THROW(check_same_state(ranks, 77));
    for (const u32 odd : {0u, 1u, 2u}) {
      const std::string text = test::message_of([&] { check_same_state(ranks, ranks.rank() == odd ? 78 : 77); });
      EXPECT_EQ(text.find("rank " + std::to_string(odd) + " holds another state"), 0u) << text;
    }
  });
}

// A rank that fails does not leave the others waiting for what it will not bring, and none takes its failure for that.
TEST(LocalRanks, AFailureEndsTheCallsThatOthersWaitIn) {
  for (const u32 bad : {0u, 1u, 2u}) {
    for (const int kind : {0, 1, 2, 3}) {
      on_ranks(3, [&](Communicator& ranks) {
        std::vector<u64> values(100, ranks.rank());
        const auto call = [&](bool fails) {
          participate(ranks, false, [&] {
            if (fails && ranks.rank() == bad) throw MemoryError("no room");
            if (kind == 0) ranks.max(values);
            if (kind == 1) ranks.sum(std::span(values));
            if (kind == 2) ranks.broadcast(std::as_writable_bytes(std::span(values)), (bad + 1) % 3);
            if (kind == 3) all_or_none(ranks, [] {});
            EXPECT_FALSE(fails) << ranks.rank() << " goes on without what it waited for, kind " << kind;
          });
        };
        const std::string text = test::message_of([&] { call(true); });
        const std::string expected = ranks.rank() == bad ? "no room"
                                     : ranks.rank() == 0 ? "rank " + std::to_string(bad) + " on this process: no room"
                                                         : "another rank ended the work.";
        EXPECT_EQ(text, expected) << ranks.rank() << ", kind " << kind;
        EXPECT_NO_THROW(call(false));
        EXPECT_FALSE(ranks.stop_requested());
      });
    }
  }
}

TEST(LocalRanks, AFailureEndsTheLoopsOfTheOthers) {
  for (const u32 bad : {0u, 2u}) {
    const Stopwatch watch;
    on_ranks(3, [&](Communicator& ranks) {
      const std::string text = test::message_of([&] {
        const ScopedTask named("loop");
        participate(ranks, true, [&] {
          if (ranks.rank() == bad) throw MemoryError("no room");
          LoopProgress progress(600);
          for (u64 done = 1; done <= 600; ++done) {  // a minute
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            progress.at(done);
          }
        });
      });
      EXPECT_FALSE(text.empty());
    });
    EXPECT_LT(watch.ms(), 4000);
  }
}

// One that waits outside of any call, as for a device, is not waited for.
TEST(LocalRanksDeathTest, AFailureEndsTheProcessWhenOthersDoNotCome) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fail = [] {
    on_ranks(2, [](Communicator& ranks) {
      participate(ranks, false, [&] {
        if (ranks.rank() == 1) throw MemoryError("no room");
        std::this_thread::sleep_for(std::chrono::hours(1));
      });
    });
  };
  const Stopwatch watch;
  EXPECT_EXIT(fail(), testing::ExitedWithCode(static_cast<int>(ExitCode::out_of_memory)),
              "error: rank 1 on this process: no room");
  EXPECT_LT(watch.ms(), 10000);
}

// Who computes a tile: RankShares say of every position what the engines do.

/// Calls f(launch, position, omega, launched) for all positions of a map.
template <class M, class F>
void for_each_position(const M& map, const F& f) {
  const u64 launched = launched_positions(map);
  u64 omega = 0;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) f(launch, Position{x, y, z, pass}, omega++, launched);
      }
    }
  }
}

using Key = std::tuple<u32, u64, u32, u32>;
Key key_of(const Position& p) { return {p.pass, p.x, p.y, p.z}; }

// As a device's blocks find their positions: every block of every rank's grid.
template <class M>
void expect_devices_share(const M& map, const std::string& name) {
  for (const u32 ranks : {1U, 2U, 3U, 8U}) {
    std::map<Key, u32> computed;
    for (u32 pass = 0; pass < map.launch_count(); ++pass) {
      for_each_grid(map.launch(pass), [&](GridPiece piece) {
        for (piece.step = ranks, piece.first = 0; piece.first < ranks; ++piece.first) {
          for (u32 z = 0; z < piece.z; ++z) {
            for (u32 y = 0; y < piece.y; ++y) {
              for (u32 x = 0; x <= (piece.x - 1) / ranks; ++x) {
                Position at;
                if (!share_of(piece, x, y, z, at)) continue;
                EXPECT_TRUE(computed.emplace(key_of(at), piece.first).second) << name;
              }
            }
          }
        }
      });
    }
    const RankShares shares{ranks};
    for_each_position(map, [&](const Launch& launch, const Position& at, u64 omega, u64 launched) {
      const auto by = computed.find(key_of(at));
      ASSERT_NE(by, computed.end()) << name << ": nobody computes " << omega;
      ASSERT_EQ(shares.owner(launch, at, omega, launched), by->second) << name << " " << ranks << " " << omega;
    });
    EXPECT_EQ(computed.size(), launched_positions(map));
    EXPECT_DOUBLE_EQ(shares.part(ranks - 1), 1.0 / ranks);
  }
}

TEST(Owners, OfDevicesAreThoseOfTheirBlocks) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    for (const u32 side : {1U, 2U, 7U, 12U, 33U}) {
      visit_triangle_map(map, side, Diagonal::with, 12,
                         [&](const auto& m) { expect_devices_share(m, std::string(info(map).name)); });
    }
  }
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    for (const u32 side : {1U, 2U, 5U, 8U}) {
      visit_tetra_map(map, side, Diagonal::with, 12,
                      [&](const auto& m) { expect_devices_share(m, std::string(info(map).name)); });
    }
  }
}

template <class T>
std::tuple<u32, u32, u32> place(const T& tile) {
  if constexpr (requires { tile.row; }) {
    return {tile.col, tile.row, 0};
  } else {
    return {tile.x, tile.y, tile.z};
  }
}

// As the cpu backend walks: each rank its own range, which need not be even.
template <class Id>
void expect_cpu_shares(Id id, const cpu::TileGrid& grid, const auto& visit) {
  const u64 whole = RankShare::kWhole;
  for (const std::vector<u64>& marks :
       {std::vector<u64>{0, whole}, {0, whole / 2, whole}, {0, 1000, whole / 3, whole}, {0, 1, 2, whole - 7, whole}}) {
    const RankShares shares{static_cast<u32>(marks.size()) - 1, marks};
    std::map<std::tuple<u32, u32, u32>, u32> computed;
    for (u32 rank = 0; rank < shares.ranks; ++rank) {
      cpu::for_each_tile(
          id, grid, 1,
          [&](u32, const auto& tile) { EXPECT_TRUE(computed.emplace(place(tile), rank).second) << info(id).name; },
          {marks[rank], marks[rank + 1]});
    }
    constexpr u32 kSharedWorkers = 4096;  // of sim/cpu/tile_loop.cpp
    u64 tiles = 0;
    double parts = 0;
    for (u32 rank = 0; rank < shares.ranks; ++rank) parts += shares.part(rank);
    EXPECT_NEAR(parts, 1, 1e-12);
    visit(shares.ranks == 1 ? 4U : kSharedWorkers, [&](const auto& map) {
      for_each_position(map, [&](const Launch& launch, const Position& at, u64 omega, u64 launched) {
        const u32 owner = shares.owner(launch, at, omega, launched);
        for (auto t = map.begin(at); t.valid(); t.next(), ++tiles) {
          const auto by = computed.find(place(t.tile()));
          ASSERT_NE(by, computed.end()) << info(id).name;
          ASSERT_EQ(by->second, owner) << info(id).name << " omega " << omega << " of " << launched;
        }
      });
    });
    EXPECT_EQ(tiles, computed.size()) << info(id).name;
  }
}

TEST(Owners, OfCpuRanksAreThoseThatWalk) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    for (const u32 side : {1U, 5U, 12U, 33U}) {
      const cpu::TileGrid grid = cpu::triangle_grid(map, side, 1);
      expect_cpu_shares(map, grid,
                        [&](u32 workers, const auto& f) { visit_triangle_map(map, side, grid.diagonal, workers, f); });
    }
  }
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    for (const u32 side : {1U, 4U, 8U}) {
      const cpu::TileGrid grid = cpu::tetra_grid(map, side, 1);
      expect_cpu_shares(map, grid,
                        [&](u32 workers, const auto& f) { visit_tetra_map(map, side, grid.diagonal, workers, f); });
    }
  }
}

TEST(Owners, AnEngineTellsSharesAndTimes) {
  const auto alone = make_backend("cpu");
  const auto three = make_local_cluster(3, "cpu", make_rank_backend, {"one", "two"});
  EXPECT_TRUE(alone->info().rank_names.empty());
  EXPECT_EQ(three->info().rank_names, (std::vector<std::string>{"one", "two", "rank 2"}));
  for (const char* name : {"plummer:n=900", "argon-droplet:n=60", "plummer:n=200,integrator=hermite"}) {
    const Scene scene = make_scene(name);
    EngineConfig config;
    config.precision = Precision::fp64;
    const auto engine = three->make_engine(scene.bodies, scene.field, config);
    EXPECT_TRUE(engine->timing().rank_ms.empty()) << name;
    engine->advance(scene.integrator, scene.dt, 2);
    const std::vector<double> ms = engine->timing().rank_ms;
    ASSERT_EQ(ms.size(), 3U) << name;
    const std::vector<double> parts = engine->timing().rank_parts;
    ASSERT_EQ(parts.size(), 3U) << name;
    EXPECT_NEAR(parts[0] + parts[1] + parts[2], 1, 1e-12) << name;
    double sum = 0;
    for (const double each : ms) {
      EXPECT_GT(each, 0) << name;
      sum += each;
    }
    EXPECT_LE(sum, 3 * 1.5 * engine->timing().force + 100) << name;
    for (const Domain domain : {Domain::triangle, Domain::tetrahedron}) {
      const RankShares shares = engine->shares(domain);
      ASSERT_EQ(shares.ranks, 3U) << name;
      ASSERT_EQ(shares.marks.size(), 4U);
      EXPECT_EQ(shares.marks.front(), 0U);
      EXPECT_EQ(shares.marks.back(), RankShare::kWhole);
    }
    const auto one = alone->make_engine(scene.bodies, scene.field, config);
    one->advance(scene.integrator, scene.dt, 1);
    EXPECT_TRUE(one->timing().rank_ms.empty());
    EXPECT_EQ(one->shares(Domain::triangle), RankShares());
  }
}

// What the variables of launchers say, and where ranks run.

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

// How the shares of ranks follow their speed.

using Marks = std::vector<u64>;

Marks equal_marks(u64 ranks) {
  Marks marks;
  for (u64 r = 0; r <= ranks; ++r) marks.push_back(RankShare::kWhole * r / ranks);
  return marks;
}

TEST(RankShares, CoverEveryCountOnce) {
  for (const u64 count : {u64{0}, u64{1}, u64{7}, u64{1000003}, (u64{1} << 52) + 12345, ~u64{0}}) {
    for (const Marks& marks : {equal_marks(1), equal_marks(3), Marks{0, 1, 2, 16777215, RankShare::kWhole}}) {
      u64 at = 0;
      for (std::size_t r = 0; r + 1 < marks.size(); ++r) {
        const RankShare share{marks[r], marks[r + 1]};
        EXPECT_EQ(share.first(count), at);
        EXPECT_EQ(share.part_of(count), share.last(count) - at);
        at = share.last(count);
      }
      EXPECT_EQ(at, count);
    }
  }
}

/// The time of each rank where the work at x in [0, 1) is density(x), and rank r is as fast as speed[r].
Marks times(const Marks& marks, const std::vector<double>& speed, double (*integral)(double)) {
  Marks ns;
  for (std::size_t r = 0; r + 1 < marks.size(); ++r) {
    const double whole = RankShare::kWhole, from = static_cast<double>(marks[r]),
                 to = static_cast<double>(marks[r + 1]);
    ns.push_back(static_cast<u64>(1e9 * (integral(to / whole) - integral(from / whole)) / speed[r]));
  }
  return ns;
}

double unevenness(const Marks& ns) {
  const double mean =
      static_cast<double>(std::accumulate(ns.begin(), ns.end(), u64{0})) / static_cast<double>(ns.size());
  return static_cast<double>(*std::max_element(ns.begin(), ns.end())) / mean;
}

// Ranks of unlike speed, and a bounding box, where later positions have more work.
TEST(RankShares, EndUpTakingEquallyLong) {
  const auto even = +[](double x) { return x; };
  const auto triangle = +[](double x) { return x * x; };
  const std::vector<std::vector<double>> speeds{
      {1, 1}, {1, 3}, {2, 1, 1}, {1, 1, 0.2, 1, 5}, {1, 1, 1, 1, 1, 1, 1, 0.5}};
  for (const auto integral : {even, triangle}) {
    for (const std::vector<double>& speed : speeds) {
      Marks marks = equal_marks(speed.size());
      for (int step = 0; step < 40; ++step) marks = balanced_marks(marks, times(marks, speed, integral));
      EXPECT_LT(unevenness(times(marks, speed, integral)), 1.01) << speed.size();
      EXPECT_TRUE(std::is_sorted(marks.begin(), marks.end()));
      EXPECT_EQ(marks.front(), 0u);
      EXPECT_EQ(marks.back(), RankShare::kWhole);
    }
  }
}

TEST(RankShares, NoRankLosesAllWork) {
  Marks marks = equal_marks(3);
  for (int step = 0; step < 100; ++step) marks = balanced_marks(marks, Marks{1000000, 1000, 0});
  for (std::size_t r = 0; r < 3; ++r) EXPECT_GT(marks[r + 1], marks[r]);
  EXPECT_EQ(balanced_marks(marks, Marks{0, 0, 0}), marks) << "without a measurement nothing moves";
}

}  // namespace
}  // namespace tri
