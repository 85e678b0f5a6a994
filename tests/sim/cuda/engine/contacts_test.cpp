// Contacts on the device, in addition to tests/sim/backend, which compares the grid, forces and energies with the
// oracle: a grid for later positions, impulses over many blocks, lists that are too short.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "sim/base/numbers.hpp"
#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/laws/overlap.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaContacts = CudaTest;
using cuda::DeviceBuffer;
using cuda::OverlapSearch;
using cuda::Stream;
using PairList = std::vector<std::pair<u32, u32>>;

constexpr BroadPhase kBroadPhases[] = {BroadPhase::all_pairs, BroadPhase::grid};

EngineConfig contact_config(Precision precision, BroadPhase broad_phase, TriangleMapId map = TriangleMapId::lambda,
                            Accumulate accumulate = Accumulate::fast, u32 block = 0) {
  EngineConfig config;
  config.precision = precision;
  config.broad_phase = broad_phase;
  config.pair_map = map;
  config.accumulate = accumulate;
  config.pair_block = block;
  return config;
}

/// The result of a search, sorted; no pair may occur twice.
template <class Real>
PairList found_by(OverlapSearch<Real>& search, const Bodies& b, const Stream& stream) {
  const HeldBodies<Real> held(b, stream);
  search.enqueue(stream, held.view());
  if (search.found(stream) > search.list().capacity) {
    search.grow(stream);
    search.enqueue(stream, held.view());
  }
  std::vector<uint2> raw(search.found(stream));
  if (!raw.empty()) {
    TRI_CUDA(
        cudaMemcpyAsync(raw.data(), search.list().pairs, raw.size() * sizeof(uint2), cudaMemcpyDeviceToHost, stream));
  }
  stream.synchronize();
  PairList list;
  for (const uint2& p : raw) list.emplace_back(p.x, p.y);
  std::sort(list.begin(), list.end());
  EXPECT_EQ(std::adjacent_find(list.begin(), list.end()), list.end()) << "a pair occurs twice";
  return list;
}

Bodies spheres(u32 n) {
  Bodies b;
  SplitMix64 random{n + 3};
  const auto at = [&] { return 2 * (random.uniform() - 0.5); };
  for (u32 i = 0; i < n; ++i) {
    const double x = at(), y = at(), z = at();
    b.add(x, y, z, 0, 0, 0, 1, 0.005 + 0.045 * random.uniform());
  }
  return b;
}

/// The grid keeps the extent of the first positions while the bodies move away.
TEST_F(CudaContacts, TheGridServesLaterPositions) {
  const Stream stream;
  Bodies b = spheres(small_only() ? 120 : 3000);
  OverlapSearch<float> grid(b, Box{}, contact_config(Precision::fp32, BroadPhase::grid), stream);
  OverlapSearch<float> all(b, Box{}, contact_config(Precision::fp32, BroadPhase::all_pairs), stream);
  for (const double scale : {1.0, 0.1, 30.0, -2.0}) {
    Bodies moved = b;
    for (std::size_t i = 0; i < b.size(); ++i)
      moved.x[i] = scale * b.x[i] + 100 * scale, moved.z[i] = scale * b.z[i] * b.z[i];
    EXPECT_TRUE(found_by(grid, moved, stream) == found_by(all, moved, stream)) << scale;
  }
  Bodies broken = b;
  broken.x[5] = std::nan("");
  EXPECT_TRUE(found_by(grid, broken, stream) == found_by(all, broken, stream));
}

/// Moving spheres that overlap often, in a box about as dense as a liquid.
Bodies dense_gas(u32 n) {
  Bodies b = cloud_bodies(n);
  const double radius = 0.55 * std::cbrt(8.0 / n);
  for (std::size_t i = 0; i < n; ++i) b.r[i] = radius * (0.5 + b.r[i] / 0.12);
  return b;
}

ForceField gas_field(bool impulse) {
  ForceField f = contact_field(1, 0.5);
  f.contact.impulse = impulse;
  f.contact.restitution = 0.75;
  f.field = {0, 0, -1};
  return f;
}

/// Many blocks, both broad phases: the velocities equal those of resolving the pairs one after another.
TEST_F(CudaContacts, ImpulsesOfManyBlocksAreThoseInOrder) {
  const auto cpu = make_backend("cpu");
  for (const u32 n : sizes({100u, 5000u, 20000u})) {
    const Bodies b = dense_gas(n);
    const auto there = cpu->make_engine(b, gas_field(true), contact_config(Precision::fp64, BroadPhase::all_pairs));
    there->advance(Integrator::kdk, 1e-4, 2);
    const Bodies q = there->read();
    for (const BroadPhase broad_phase : kBroadPhases) {
      const auto here = engine_of(b, gas_field(true), contact_config(Precision::fp64, broad_phase));
      EXPECT_EQ(here->config().broad_phase, broad_phase);
      here->advance(Integrator::kdk, 1e-4, 2);
      const Bodies p = here->read();
      double worst = 0, moved = 0;
      for (u32 i = 0; i < n; ++i) {
        worst =
            std::max({worst, std::fabs(p.vx[i] - q.vx[i]), std::fabs(p.vz[i] - q.vz[i]), std::fabs(p.y[i] - q.y[i])});
        moved = std::max(moved, std::fabs(p.vx[i] - b.vx[i]));
      }
      EXPECT_LT(worst, 1e-8) << n << ", " << to_string(broad_phase);
      EXPECT_GT(moved, 0.1) << "nothing collided";
    }
  }
}

/// The same bits from both broad phases, step after step, with graphs and without.
TEST_F(CudaContacts, RunsDoNotDependOnTheBroadPhase) {
  const u32 n = small_only() ? 100 : 2000;
  for (const Precision precision : kPrecisions) {
    for (const bool impulse : {false, true}) {
      u64 hash = 0;
      for (const BroadPhase broad_phase : kBroadPhases) {
        for (const TriangleMapId map : {TriangleMapId::lambda, TriangleMapId::fold}) {
          const auto engine = engine_of(dense_gas(n), gas_field(impulse),
                                        contact_config(precision, broad_phase, map, Accumulate::ordered));
          engine->advance(Integrator::kdk, 1e-4, 40);
          for (int k = 0; k < 5; ++k) engine->advance(Integrator::kdk, 1e-4, 1);
          engine->diagnose();
          engine->advance(Integrator::kdk, 1e-4, 17);
          if (hash == 0) hash = engine->state_hash();
          EXPECT_EQ(engine->state_hash(), hash) << to_string(broad_phase) << ", impulse " << impulse;
        }
      }
    }
  }
}

/// Every body overlaps every other: more pairs than the initial list holds, in the middle of a step.
TEST_F(CudaContacts, AListThatIsTooShortGrows) {
  const u32 n = small_only() ? 60 : 150;
  Bodies b = cloud_bodies(n);
  for (double& r : b.r) r *= 100;
  ForceField springs = contact_field(1, 0.5);
  springs.contact.stiffness = 1, springs.box = {};  // no walls, between which spheres as wide would not fit
  ForceField impulses = springs;
  impulses.contact.impulse = true, impulses.contact.restitution = 1;  // one sweep a step: of many, last bits would grow
  impulses.field = {0, 0, -1};
  for (const ForceField& field : {springs, impulses}) {
    for (const Integrator integrator : {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4}) {
      if (field.contact.impulse && integrator == Integrator::yoshida4) continue;
      for (const BroadPhase broad_phase : kBroadPhases) {
        const auto here = engine_of(b, field, contact_config(Precision::fp64, broad_phase));
        const auto there =
            make_backend("cpu")->make_engine(b, field, contact_config(Precision::fp64, BroadPhase::all_pairs));
        const u64 steps = field.contact.impulse ? 20 : 40;
        const double dt = field.contact.impulse ? 1e-3 : 1e-4;
        here->advance(integrator, dt, steps), there->advance(integrator, dt, steps);
        const Bodies p = here->read(), q = there->read();
        for (u32 i = 0; i < n; ++i) {
          ASSERT_NEAR(p.vx[i], q.vx[i], (field.contact.impulse ? 1e-9 : 1e-7) * (1 + std::fabs(q.vx[i]))) << i;
          ASSERT_NEAR(p.x[i], q.x[i], 1e-9 * (1 + std::fabs(q.x[i]))) << i;
        }
        EXPECT_GT(std::fabs(p.vx[0] - b.vx[0]), 1e-6);
      }
    }
  }
}

/// The round counter has 32 bits and wraps around.
TEST_F(CudaContacts, TheCountOfRoundsMayRunOut) {
  const u32 n = small_only() ? 100 : 3000;
  const Bodies b = dense_gas(n);
  const Stream stream;
  OverlapSearch<double> search(b, Box{}, contact_config(Precision::fp64, BroadPhase::all_pairs), stream);
  const u32 blocks = cuda::impulse_blocks<double>(n);
  DeviceBuffer<unsigned long long> turn(2 * n);
  DeviceBuffer<u32> round(1), waiting(3), deep(1);
  DeviceBuffer<cuda::FaultFlag> fault_flag(1);
  fault_flag.upload(std::vector<cuda::FaultFlag>(1), stream);
  ForceField field = gas_field(true);
  std::vector<cuda::Vec4<double>> first;
  for (const u32 past : {0u, cuda::ImpulseTurns::kMaxRounds - 1, cuda::ImpulseTurns::kMaxRounds + 1, ~0u}) {
    // Stale turns of earlier rounds.
    turn.fill_bytes(past == 0 ? 0xff : 0x01, stream),
        waiting.fill_bytes(past > cuda::ImpulseTurns::kMaxRounds ? 1 : 0, stream);
    if (past == cuda::ImpulseTurns::kMaxRounds - 1) turn.fill_bytes(0xff, stream);
    deep.fill_bytes(past > cuda::ImpulseTurns::kMaxRounds ? 0xff : 0, stream);
    round.upload(std::vector<u32>{past}, stream);
    std::vector<cuda::Vec4<double>> position(n), velocity(n);
    for (u32 i = 0; i < n; ++i) {
      position[i] = {b.x[i], b.y[i], b.z[i], b.m[i]};
      velocity[i] = {b.vx[i], b.vy[i], b.vz[i], b.r[i]};
    }
    DeviceBuffer<cuda::Vec4<double>> positions(n), velocities(n);
    positions.upload(position, stream), velocities.upload(velocity, stream);
    search.enqueue(stream, {positions.data(), velocities.data(), n});
    cuda::StepArrays<double> arrays{positions.data(), velocities.data(), nullptr, nullptr, fault_flag.data(), n};
    const cuda::ImpulseTurns turns{turn.data(), round.data(), waiting.data(), deep.data()};
    cuda::enqueue_impulses(stream, arrays, search.list(), turns, blocks, laws::ImpulseRule<double>(field, 1e-4), 0);
    const auto got = velocities.download(stream);
    const u32 now = round.download(stream)[0];
    EXPECT_GT(past > cuda::ImpulseTurns::kMaxRounds ? now : now - past, 1u) << "rounds have passed";
    EXPECT_LT(past > cuda::ImpulseTurns::kMaxRounds ? now : now - past, 10000u);
    if (first.empty()) first = got;
    EXPECT_TRUE(same_bits(got, first)) << past;
  }
}

// The collision kernels against a plain host loop, at awkward sizes, on every map, block and dimension.

using cuda::DeviceBuffer;
using cuda::Stream;

using CudaCollision = CudaTest;

struct FoundContacts {
  std::vector<std::pair<u32, u32>> pairs;
  std::vector<u32> per_body;
};

template <class Real>
FoundContacts found_contacts(const std::vector<cuda::Sphere<Real>>& spheres, u32 dimensions) {
  const u32 n = static_cast<u32>(spheres.size());
  FoundContacts found{{}, std::vector<u32>(n, 0)};
  const Real zero = 0;
  const auto body = [&](const cuda::Sphere<Real>& s) {
    const bool flat = dimensions == 1;
    return laws::Body<Real>{s.x, flat ? zero : s.y, flat ? zero : s.z, zero, s.r, zero, zero, zero, zero};
  };
  for (u32 i = 0; i < n; ++i) {
    for (u32 j = 0; j < i; ++j) {
      if (!laws::Overlap<Real>{}.touches(body(spheres[i]), body(spheres[j]))) continue;
      found.pairs.emplace_back(i, j);
      ++found.per_body[i], ++found.per_body[j];
    }
  }
  return found;
}

template <class Real>
void check_spheres(const std::vector<cuda::Sphere<Real>>& spheres, u32 dimensions, const std::vector<u32>& blocks,
                   const std::string& what) {
  const Stream stream;
  const u32 n = static_cast<u32>(spheres.size());
  const FoundContacts expected = found_contacts(spheres, dimensions);
  const u64 capacity = expected.pairs.size() + 5;
  DeviceBuffer<cuda::Sphere<Real>> input(n);
  input.upload(spheres, stream);
  DeviceBuffer<unsigned long long> count(1);
  DeviceBuffer<u32> per_body(n);
  DeviceBuffer<uint2> pairs(capacity);
  const cuda::CollisionOutput out{count.data(), per_body.data(), pairs.data(), capacity};
  for (const u32 block : blocks) {
    for (const TriangleMapId map : maps_for(n, block)) {
      count.fill_bytes(0, stream);
      per_body.fill_bytes(0, stream);
      pairs.fill_bytes(0xff, stream);
      (block > 32 ? cuda::prepare_collision_tiles<Real>(map, n, block, dimensions, input.data(), out)
                  : cuda::prepare_collision_elements<Real>(map, n, block, dimensions, input.data(), out))
          .enqueue(stream);
      ASSERT_EQ(count.download(stream)[0], expected.pairs.size()) << name(map, n, block) << ", " << what;
      ASSERT_TRUE(per_body.download(stream) == expected.per_body) << name(map, n, block) << ", " << what;
      std::vector<std::pair<u32, u32>> got;
      for (const uint2& p : pairs.download(stream)) got.emplace_back(p.x, p.y);
      got.resize(expected.pairs.size());
      std::sort(got.begin(), got.end());
      ASSERT_TRUE(got == expected.pairs) << name(map, n, block) << ", " << what;
    }
  }
  DeviceBuffer<unsigned long long> plain(1);
  plain.fill_bytes(0, stream);
  cuda::plain_collision_count(input.data(), n, dimensions, plain.data(), stream);
  EXPECT_EQ(plain.download(stream)[0], expected.pairs.size());
}

template <class Real>
void check_collisions(u32 n, u32 dimensions, double radius, const std::vector<u32>& blocks) {
  SplitMix64 random{n + 7 * dimensions};
  std::vector<cuda::Sphere<Real>> spheres(n);
  const auto draw = [&] { return static_cast<Real>(random.uniform()); };
  for (auto& s : spheres) s.x = draw(), s.y = draw(), s.z = draw(), s.r = static_cast<Real>(radius) * draw();
  check_spheres(spheres, dimensions, blocks, fmt::format("radius {}", radius));
}

/// Spheres of a lattice that touch, or miss by the last bit, at `origin`, in units of `unit`.
template <class Real>
std::vector<cuda::Sphere<Real>> touching_spheres(u32 n, double origin, double unit) {
  std::vector<cuda::Sphere<Real>> spheres(n);
  for (u32 i = 0; i < n; ++i) {
    const auto at = [&](u32 k) { return static_cast<Real>((origin + k) * unit); };
    const auto half = static_cast<Real>(unit / 2);
    spheres[i] = {at(i % 8), at(i / 8 % 8), at(i / 64), i % 3 == 0 ? half : std::nextafter(half, Real(0))};
  }
  return spheres;
}

/// The filter of the fast kernel expands squares and must not reject what the law's test accepts.
template <class Real>
void check_hard_spheres(u32 dimensions) {
  const u32 n = 700;
  const std::vector<u32> blocks{512, 128};
  for (const double origin : {0.0, 1000.0, -3e5}) {
    for (const double unit : {1.0, 1e-3, 1e15, 1e-19, 1e-24}) {
      check_spheres(touching_spheres<Real>(n, origin, unit), dimensions, blocks,
                    fmt::format("touching from {} on, in units of {}", origin, unit));
    }
  }
  SplitMix64 random{dimensions};
  std::vector<cuda::Sphere<Real>> spheres(n);
  const auto draw = [&] { return static_cast<Real>(random.uniform()); };
  // On a line in space, where the filter lets most chunks pass; sizes over 40 decades; numbers that are none.
  for (auto& s : spheres) s = {draw(), draw() * Real(1e-6), 0, draw() * Real(1e-3)};
  check_spheres(spheres, dimensions, blocks, "on a line");
  for (auto& s : spheres) {
    const auto size = static_cast<Real>(std::pow(10.0, 40 * random.uniform() - 20));
    s = {draw() * size, draw() * size, draw() * size, draw() * size};
  }
  check_spheres(spheres, dimensions, blocks, "of all sizes");
  const Real large = std::numeric_limits<Real>::max(), infinite = std::numeric_limits<Real>::infinity(),
             none = std::numeric_limits<Real>::quiet_NaN();
  for (auto& s : spheres) s = {draw(), draw(), draw(), Real(0.01) * draw()};
  spheres[0].x = large, spheres[9].r = large, spheres[77].y = infinite, spheres[130].r = infinite,
  spheres[300].x = none;
  spheres[555].z = -large, spheres[699].x = -infinite;
  check_spheres(spheres, dimensions, blocks, "with numbers that are none");
}

TEST_F(CudaCollision, TouchingHugeAndTinySpheres) {
  for (const u32 dimensions : {1u, 3u}) {
    check_hard_spheres<float>(dimensions);
    check_hard_spheres<double>(dimensions);
  }
}

TEST_F(CudaCollision, EveryMapBlockAndDimension) {
  for (const u32 dimensions : {1u, 3u}) {
    for (const double radius : thinned<double>({0.05, 0.0, 0.002, 2.0})) {
      for (const u32 n : sizes({1, 2, 31, 127, 129, 513, 1000, 1537})) {
        if (radius == 2.0 && n > 600) continue;
        const std::vector<u32> blocks =
            thinned(n > 200 ? std::vector<u32>{8, 16, 32, 512, 128} : std::vector<u32>{8, 1, 7, 16, 32, 512, 128});
        check_collisions<float>(n, dimensions, radius, blocks);
        check_collisions<double>(n, dimensions, radius, blocks);
      }
    }
  }
}

/// The list reports how many pairs there were even if it has room for fewer.
TEST_F(CudaCollision, OverflowIsReported) {
  const Stream stream;
  const u32 n = 300;
  std::vector<cuda::Sphere<float>> spheres(n, {0.5f, 0.5f, 0.5f, 0.1f});
  DeviceBuffer<cuda::Sphere<float>> input(n);
  input.upload(spheres, stream);
  DeviceBuffer<unsigned long long> count(1);
  DeviceBuffer<uint2> pairs(100 + 1);
  count.fill_bytes(0, stream);
  pairs.fill_bytes(0xff, stream);
  cuda::prepare_collision_tiles<float>(TriangleMapId::lambda, n, 128, 3, input.data(),
                                       {count.data(), nullptr, pairs.data(), 100})
      .enqueue(stream);
  EXPECT_EQ(count.download(stream)[0], 300u * 299 / 2);
  const std::vector<uint2> got = pairs.download(stream);
  for (u32 k = 0; k < 100; ++k) EXPECT_LT(got[k].y, got[k].x);
  EXPECT_EQ(got[100].x, ~0u) << "written behind the capacity";
}

}  // namespace
}  // namespace tri::test
