// Sums of pairs and triples on the device, in addition to tests/sim/backend, which has every law, map and tile at
// awkward sizes: many bodies, ordered sums, tuning; counts of triples.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/io/formats.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::test {
namespace {

using CudaPairs = CudaTest;

/// Errors relative to the rms of the expected vectors, weighted like the law's sums.
template <class Real>
void expect_sums(const Sums<Real>& got, const ReferenceForces& expected, const Bodies& held, const ForceField& field,
                 const std::string& what) {
  const bool fp32 = sizeof(Real) == 4;
  double square = 0, difference = 0, largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double weight = field.pair == PairLaw::gravity ? 1 / held.m[i] : 1;
    const double x = weight * expected.fx[i], y = weight * expected.fy[i], z = weight * expected.fz[i];
    const double ex = double{got[i].x} - x, ey = double{got[i].y} - y, ez = double{got[i].z} - z;
    const double e2 = ex * ex + ey * ey + ez * ez;
    ASSERT_TRUE(std::isfinite(e2)) << what << ", body " << i;
    ASSERT_EQ(got[i].w, Real(0)) << what << ", body " << i;
    square += x * x + y * y + z * z, difference += e2, largest = std::max(largest, e2);
  }
  const double n = static_cast<double>(got.size());
  ASSERT_LE(std::sqrt(difference), (fp32 ? 1e-5 : 1e-12) * std::sqrt(square)) << what;
  ASSERT_LE(std::sqrt(largest), (fp32 ? 1e-4 : 1e-11) * std::sqrt(square / n)) << what;
}

// The float64 kernel is checked against the oracle by tests/sim/backend, and is faster.
TEST_F(CudaPairs, WideSumsAgreeWithFloat64) {
  if (small_only()) GTEST_SKIP() << "large";
  const u32 n = static_cast<u32>(cuda::kOrderedWide) + 77;
  const Bodies bodies = as_held(cloud_bodies(n), Precision::fp32);
  const cuda::Stream stream;
  const HeldBodies<double> wide(bodies, stream);
  cuda::PairForces<double> in_float64(gravity_field(), pair_config<double>(Accumulate::fast), n, 0);
  ReferenceForces expected;
  const Sums<double> sums = sums_by(in_float64, wide, stream);
  for (u32 i = 0; i < n; ++i) {
    expected.fx.push_back(sums[i].x * bodies.m[i]);
    expected.fy.push_back(sums[i].y * bodies.m[i]);
    expected.fz.push_back(sums[i].z * bodies.m[i]);
  }
  const HeldBodies<float> held(bodies, stream);
  for (const Accumulate accumulate : kAccumulates) {
    cuda::PairForces<float> forces(gravity_field(), pair_config<float>(accumulate), n, 0);
    expect_sums(sums_by(forces, held, stream), expected, bodies, gravity_field(), to_string(accumulate));
  }
}

/// More than one launch of the energy kernel, against the cpu backend.
TEST_F(CudaPairs, EnergyOfManyIsComplete) {
  if (small_only()) GTEST_SKIP() << "large";
  const Bodies b = cloud_bodies(20011);
  const EngineConfig config = config_of(Precision::fp64, Accumulate::fast);
  for (const ForceField& field : {gravity_field(), lennard_jones_field(0.5)}) {
    const Diagnostics here = make_backend("cuda")->make_engine(b, field, config)->diagnose();
    const Diagnostics there = make_backend("cpu")->make_engine(b, field, config)->diagnose();
    EXPECT_NEAR(here.potential, there.potential, 1e-10 * std::fabs(there.potential)) << to_string(field.pair);
    EXPECT_NEAR(here.virial, there.virial, 1e-10 * std::fabs(there.virial)) << to_string(field.pair);
  }
}

TEST_F(CudaPairs, ErrorsNameTheRemedy) {
  const auto refused = [](const EngineConfig& config, u32 n) {
    return message_of([&] { cuda::PairForces<float>(gravity_field(), config, n, 0); });
  };
  const EngineConfig odd = pair_config<float>(Accumulate::fast, TriangleMapId::lambda, 100);
  EXPECT_NE(refused(odd, 1000).find("128, 256, 384, 512, 768, 1024, 1536"), std::string::npos) << refused(odd, 1000);
  const EngineConfig threads = pair_config<float>(Accumulate::fast, TriangleMapId::rb);
  EXPECT_NE(refused(threads, 1000).find("a map of blocks, such as lambda"), std::string::npos)
      << refused(threads, 1000);
  const EngineConfig narrow = pair_config<float>(Accumulate::ordered, TriangleMapId::lambda, 128);
  EXPECT_EQ(refused(narrow, 1000), "");
  EXPECT_NE(refused(narrow, 40000).find("use 512, 1024, 1536"), std::string::npos) << refused(narrow, 40000);
  const EngineConfig ordered = pair_config<float>(Accumulate::ordered);
  EXPECT_NE(refused(ordered, u32{1} << 27).find("--accumulate fast"), std::string::npos);
}

// Host only: the tables, for every device.
TEST(PairTuning, EveryTilingIsWhole) {
  for (const PairLaw law : {PairLaw::gravity, PairLaw::lennard_jones}) {
    for (const Precision precision : kPrecisions) {
      for (const u32 tile : cuda::kPairTiles) {
        for (const u64 n : {u64{1}, cuda::kOrderedWide - 1, cuda::kOrderedWide, u64{1} << 26}) {
          const bool serves = cuda::tile_serves(law, precision, Accumulate::ordered, n, tile);
          const auto ordered = cuda::ordered_tiling(law, precision, n, tile);
          const std::array<cuda::PairTiling, 3> tilings{cuda::fast_tiling(law, precision, tile),
                                                        cuda::fast_tiling(law, precision, tile, true), ordered};
          for (const cuda::PairTiling& t : tilings) {
            if (&t == &tilings[2] && !serves) continue;
            EXPECT_EQ(t.tile, tile);
            EXPECT_EQ(t.tile % (32 * t.rows), 0u);
            EXPECT_EQ(32 * t.rows % t.columns, 0u);
            EXPECT_EQ(t.columns % 32, 0u);
          }
          // The pieces of ordered sums must be the same for all tiles.
          EXPECT_EQ(ordered.rows, cuda::ordered_tiling(law, precision, n, 1536).rows);
          EXPECT_EQ(ordered.columns, cuda::ordered_tiling(law, precision, n, 1536).columns);
        }
      }
    }
  }
}

TEST(PairTuning, MoreBodiesNeverGetASmallerTile) {
  for (const u32 multiprocessors : {1u, 30u, 132u, 1000u}) {
    for (const PairLaw law : {PairLaw::gravity, PairLaw::lennard_jones}) {
      for (const Precision precision : kPrecisions) {
        u32 last = 0;
        for (u64 n = 1; n <= u64{1} << 31; n *= 2) {
          const u32 tile = cuda::pair_tile_for(law, precision, n, multiprocessors);
          EXPECT_GE(tile, last);
          EXPECT_NE(std::find(cuda::kPairTiles.begin(), cuda::kPairTiles.end(), tile), cuda::kPairTiles.end());
          last = tile;
        }
        EXPECT_EQ(last, cuda::goes_wide(law, precision) ? 1536u : 1024u);
      }
    }
  }
}

// Ordered pair sums on the device: bit-identical for every map, tile and run where they are cut wide, no loss of small
// terms next to large ones, and terms out of range are reported.

using CudaOrderedPairs = CudaTest;

template <class Real>
void check_bits(const PairCase& c) {
  const cuda::Stream stream;
  const u32 n = static_cast<u32>(c.bodies.size());
  const HeldBodies<Real> held(c.bodies, stream);
  Sums<Real> first;
  for (const u32 tile : thinned(tiles_for(c.field, kPrecisionOf<Real>, Accumulate::ordered, n))) {
    for (const TriangleMapId map : maps_for(n, tile)) {
      const EngineConfig config = pair_config<Real>(Accumulate::ordered, map, tile);
      cuda::PairForces<Real> forces(c.field, config, n, 0);
      for (int run = 0; run < 2; ++run) {
        const Sums<Real> sums = sums_by(forces, held, stream);
        if (first.empty()) first = sums;
        ASSERT_TRUE(same_bits(sums, first)) << describe_pairs(config, c.field, n) << ", run " << run;
      }
    }
  }
}

TEST_F(CudaOrderedPairs, BitsAreEqualWhereSumsAreCutWide) {
  if (small_only()) GTEST_SKIP() << "large";
  check_bits<float>({cloud_bodies(static_cast<u32>(cuda::kOrderedWide) + 301), gravity_field()});
}

// Two heavy bodies so close together that their terms exceed all others by 2^60 and more: the others' sums must be as
// accurate as without them, each relative to its own size. A single quantum for all would erase them.
template <class Real>
void check_small_next_to_large() {
  const u32 n = 300;
  Bodies bodies = cloud_bodies(n);
  for (const std::size_t i : {17u, 230u}) bodies.m[i] = 1e9;
  bodies.x[230] = bodies.x[17], bodies.y[230] = bodies.y[17], bodies.z[230] = bodies.z[17] + 1e-6;
  // A light, remote cloud: its accelerations are some 1e-12 of those between the heavy bodies.
  for (std::size_t i = 250; i < n; ++i) bodies.x[i] += 1e4;
  bodies = as_held(bodies, kPrecisionOf<Real>);
  const ReferenceForces expected = reference_forces(bodies, gravity_field(0));
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  cuda::PairForces<Real> forces(gravity_field(0), pair_config<Real>(Accumulate::ordered), n, 0);
  const Sums<Real> sums = sums_by(forces, held, stream);
  EXPECT_FALSE(forces.left_range(stream));
  double least = 1e300, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = expected.fx[i] / bodies.m[i], y = expected.fy[i] / bodies.m[i], z = expected.fz[i] / bodies.m[i];
    const double length = std::hypot(x, y, z);
    EXPECT_LE(std::hypot(double{sums[i].x} - x, double{sums[i].y} - y, double{sums[i].z} - z),
              (sizeof(Real) == 4 ? 1e-5 : 1e-12) * length)
        << i;
    least = std::min(least, length), most = std::max(most, length);
  }
  EXPECT_GT(most, 1e18 * least);
}

TEST_F(CudaOrderedPairs, SmallSumsAreKeptNextToLargeOnes) {
  check_small_next_to_large<float>();
  check_small_next_to_large<double>();
}

/// Bodies 7 and 140 of 200 at this distance, without softening: their terms are out of range, all others are not.
template <class Real>
void check_left_range(double distance) {
  const u32 n = 200;
  Bodies apart = cloud_bodies(n), close = apart;
  // At the origin, where the spacing of float32 is fine enough.
  for (const std::size_t i : {7u, 140u}) close.x[i] = close.y[i] = close.z[i] = 0;
  close.x[140] = distance;
  const cuda::Stream stream;
  const HeldBodies<Real> bad(close, stream), good(apart, stream);
  for (const u32 tile : cuda::kPairTiles) {
    const EngineConfig config = pair_config<Real>(Accumulate::ordered, TriangleMapId::lambda, tile);
    cuda::PairForces<Real> forces(gravity_field(0), config, n, 0), fresh(gravity_field(0), config, n, 0);
    EXPECT_FALSE(forces.left_range(stream));
    const Sums<Real> sums = sums_by(forces, bad, stream);
    for (u32 i = 0; i < n; ++i) {
      const bool nothing = std::isnan(sums[i].x) && std::isnan(sums[i].y) && std::isnan(sums[i].z);
      const bool all = std::isfinite(sums[i].x) && std::isfinite(sums[i].y) && std::isfinite(sums[i].z);
      EXPECT_TRUE(i == 7 || i == 140 ? nothing : all) << i;
    }
    EXPECT_TRUE(forces.left_range(stream));
    EXPECT_FALSE(forces.left_range(stream)) << "the query resets the flag";
    EXPECT_TRUE(same_bits(sums_by(forces, good, stream), sums_by(fresh, good, stream))) << "nothing stays behind";
    EXPECT_FALSE(forces.left_range(stream));
  }
}

TEST_F(CudaOrderedPairs, TermsOutOfRangeAreReported) {
  check_left_range<float>(0);
  check_left_range<float>(1e-14);
  check_left_range<double>(0);
  check_left_range<double>(1e-22);
}

// The tuner on the device: what it tries, that its results agree, and that runs use the saved tuning.

using CudaTuner = CudaTest;

TEST_F(CudaTuner, TriesEveryTileAndKeepsTheFastest) {
  const auto backend = make_backend("cuda");
  TuneRequest request;
  request.sizes = small_only() ? std::vector<u64>{512} : std::vector<u64>{512, 4096, 40000};
  request.precisions = {Precision::fp32, Precision::fp64};
  std::vector<TuneStep> steps;
  const Tuning tuning = backend->tune(request, [&](const TuneStep& step) { steps.push_back(step); });
  EXPECT_EQ(tuning.device, backend->info().device);
  for (const TunedWork work : {TunedWork::gravity, TunedWork::lennard_jones, TunedWork::overlaps}) {
    for (const Precision precision : kPrecisions) {
      const auto count = std::count_if(steps.begin(), steps.end(),
                                       [&](const TuneStep& s) { return s.work == work && s.precision == precision; });
      EXPECT_EQ(static_cast<std::size_t>(count), request.sizes.size()) << to_string(work);
      EXPECT_TRUE(tuning.choice(work, precision, 512)) << to_string(work);
    }
  }
  for (const TuneStep& step : steps) {
    const bool pairs = step.work == TunedWork::gravity || step.work == TunedWork::lennard_jones;
    if (step.work == TunedWork::tree) {
      EXPECT_EQ(step.times.size(), 6u);
      EXPECT_EQ(tuning.choice(step.work, step.precision, step.n), step.chosen) << step.n;
      if (step.chosen > 0) {
        EXPECT_LT(step.times[step.chosen - 2].second, step.times[0].second);
      }
      continue;
    }
    EXPECT_EQ(step.times.size(), pairs ? cuda::kPairTiles.size() : 2u);
    const auto best = std::min_element(step.times.begin(), step.times.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [choice, ms] : step.times) {
      EXPECT_GT(ms, 0.0);
      if (choice == step.chosen) {
        EXPECT_LE(ms, best->second * (1 + kTuningNoise));
      }
    }
    if (step.work == TunedWork::grid) continue;
    EXPECT_EQ(tuning.choice(step.work, step.precision, step.n), step.chosen) << to_string(step.work) << " " << step.n;
  }
  EXPECT_NO_THROW(cuda::check_choices(tuning, "here"));
}

TEST_F(CudaTuner, StopsOnRequest) {
  const std::atomic<bool> stop{true};
  TuneRequest request{{512}, {Precision::fp32}, &stop};
  const Tuning tuning =
      make_backend("cuda")->tune(request, [](const TuneStep&) { FAIL() << "nothing was to be tried"; });
  EXPECT_TRUE(tuning.rows.empty());
}

/// A file in the test's own folder, active while the object exists.
class TuningInForce {
 public:
  TuningInForce(const Tuning& tuning, Backend& backend) : backend_(backend) {
    const char* const was = std::getenv("XDG_CONFIG_HOME");
    before_ = was != nullptr ? was : "";
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    io::write_tuning(io::tuning_path(), tuning);
    backend_.use_tuning();
  }
  ~TuningInForce() {
    before_.empty() ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
    backend_.use_tuning();
  }
  TuningInForce(const TuningInForce&) = delete;
  TuningInForce& operator=(const TuningInForce&) = delete;

 private:
  Backend& backend_;
  TempFolder folder_;
  std::string before_;
};

TEST_F(CudaTuner, RunsGoByWhatWasKept) {
  const auto backend = make_backend("cuda");
  const std::string device = backend->info().device;
  const auto gravity_tile = [&](u32 n, Accumulate accumulate) {
    return backend->make_engine(cloud_bodies(n), gravity_field(), config_of(Precision::fp32, accumulate))
        ->config()
        .pair_block;
  };
  const auto broad_phase = [&](u32 n) {
    return backend->make_engine(cloud_bodies(n), contact_field(), config_of(Precision::fp32, Accumulate::fast))
        ->config()
        .broad_phase;
  };
  const auto by_tree = [&](u32 n, Tolerance tolerance) {
    EngineConfig c = config_of(Precision::fp32, Accumulate::fast);
    c.tolerance = tolerance;
    return backend->make_engine(cloud_bodies(n), gravity_field(), c)->config().pairs == PairSearch::tree;
  };
  EXPECT_EQ(broad_phase(200), BroadPhase::all_pairs);
  EXPECT_FALSE(by_tree(900, Tolerance::e_3));
  {
    const TuningInForce kept({device,
                              {{TunedWork::gravity, Precision::fp32, 1, 1024},
                               {TunedWork::gravity, Precision::fp32, 300, 512},
                               {TunedWork::overlaps, Precision::fp32, 1, 512},
                               {TunedWork::grid, Precision::fp32, 150, 1},
                               {TunedWork::tree, Precision::fp32, 200, 0},
                               {TunedWork::tree, Precision::fp32, 400, 4},
                               {TunedWork::tree, Precision::fp32, 800, 5}}},
                             *backend);
    for (const auto& [n, e_3, e_5x3, e_5] :
         {std::tuple(399u, false, false, false), {400u, true, false, false}, {800u, true, true, true}}) {
      EXPECT_EQ(by_tree(n, Tolerance::e_3), e_3) << n;
      EXPECT_EQ(by_tree(n, Tolerance::e_5x3), e_5x3) << n;
      EXPECT_EQ(by_tree(n, Tolerance::e_5), e_5) << n;
      EXPECT_FALSE(by_tree(n, Tolerance::automatic)) << n;
    }
    EXPECT_EQ(gravity_tile(299, Accumulate::fast), 1024u);
    EXPECT_EQ(gravity_tile(300, Accumulate::fast), 512u);
    EXPECT_EQ(gravity_tile(300, Accumulate::ordered), 512u);
    EXPECT_EQ(broad_phase(200), BroadPhase::grid);
    EXPECT_EQ(broad_phase(149), BroadPhase::all_pairs);
    const auto engine =
        backend->make_engine(cloud_bodies(100), contact_field(), config_of(Precision::fp32, Accumulate::fast));
    EXPECT_EQ(engine->config().pair_block, 512u);
  }
  {
    const TuningInForce other({"some other card", {{TunedWork::gravity, Precision::fp32, 1, 1024}}}, *backend);
    EXPECT_EQ(gravity_tile(299, Accumulate::fast), 128u);
  }
  {
    const TuningInForce broken({device, {{TunedWork::gravity, Precision::fp32, 1, 100}}}, *backend);
    const std::string text = message_of([&] { gravity_tile(100, Accumulate::fast); });
    expect_parts(text, {"bench --tune", "tuning.txt"});
  }
  EXPECT_EQ(gravity_tile(299, Accumulate::fast), 128u);
}

// Triples on the device, in addition to tests/sim/backend, which has every map and tile at awkward sizes: many bodies
// against a plain float64 loop; bodies at one place; slices; refusals; counts.

using CudaTriples = CudaTest;

template <class Real>
void check_against_the_plain_loop(u32 n) {
  const cuda::Stream stream;
  const HeldBodies<Real> held(as_held(lattice_bodies(n), kPrecisionOf<Real>), stream);
  for (const Accumulate accumulate : kAccumulates) {
    for (const u32 tile : triple_tiles<Real>(accumulate)) {
      for (const TetraMapId map : maps_of_triples(n, tile)) {
        const EngineConfig config = triple_config<Real>(accumulate, map, tile);
        cuda::TripleForces<Real> forces(triple_field(), config, n, 0);
        double energy = 0;
        const cuda::PairErrors e = plain_errors(held, sums_by(forces, held, stream), energy, stream);
        // Float32 sums of small tiles are those of many atomic additions, in the order in which the map gives tiles.
        const bool elements = accumulate == Accumulate::fast && tile < cuda::kTripleCube;
        const double tolerance = sizeof(Real) == 4 ? (elements ? 5e-5 : 1e-5) : 1e-12;
        EXPECT_LE(std::sqrt(e.differences / e.squares), tolerance) << describe(config, n);
        EXPECT_LE(std::sqrt(e.largest / e.squares * n), 10 * tolerance) << describe(config, n);
        EXPECT_NEAR(forces.energy(stream, held.view()), energy, 1e-12 * std::fabs(energy)) << describe(config, n);
      }
    }
  }
}

TEST_F(CudaTriples, ManyBodiesAgreeWithThePlainLoop) {
  if (small_only()) GTEST_SKIP() << "large";
  for (const u32 n : {1000u, 2346u}) {
    check_against_the_plain_loop<float>(n);
    check_against_the_plain_loop<double>(n);
  }
}

TEST_F(CudaTriples, ThePlainLoopIsTheOracle) {
  const cuda::Stream stream;
  for (const u32 n : sizes({3, 4, 65})) {
    const Bodies bodies = lattice_bodies(n);
    const ReferenceForces expected = reference_forces(bodies, triple_field());
    Sums<double> sums;
    for (u32 i = 0; i < n; ++i) sums.push_back({expected.fx[i], expected.fy[i], expected.fz[i], 0});
    double energy = 0;
    const cuda::PairErrors e = plain_errors(HeldBodies<double>(bodies, stream), sums, energy, stream);
    EXPECT_LE(std::sqrt(e.largest / e.squares * n), 1e-13) << n;
    EXPECT_NEAR(energy, expected.potential, 1e-13 * std::fabs(expected.potential)) << n;
  }
}

template <class Real>
void check_coincident() {
  const u32 n = 100;
  Bodies apart = lattice_bodies(n), close = apart;
  close.x[71] = close.x[37], close.y[71] = close.y[37], close.z[71] = close.z[37];
  const cuda::Stream stream;
  const HeldBodies<Real> bad(close, stream), good(apart, stream);
  for (const Accumulate accumulate : kAccumulates) {
    const EngineConfig config = triple_config<Real>(accumulate);
    cuda::TripleForces<Real> forces(triple_field(), config, n, 0), fresh(triple_field(), config, n, 0);
    const Sums<Real> sums = sums_by(forces, bad, stream);
    for (const u32 i : {37u, 71u}) EXPECT_FALSE(std::isfinite(sums[i].x)) << i << to_string(accumulate);
    EXPECT_EQ(forces.left_range(stream), accumulate == Accumulate::ordered);
    EXPECT_FALSE(forces.left_range(stream)) << "the query resets the flag";
    const Sums<Real> after = sums_by(forces, good, stream), expected = sums_by(fresh, good, stream);
    EXPECT_TRUE(accumulate == Accumulate::fast || same_bits(after, expected)) << "nothing stays behind";
    EXPECT_TRUE(std::isfinite(after[37].x));
  }
}

TEST_F(CudaTriples, CoincidentBodiesAreNotFinite) {
  check_coincident<float>();
  check_coincident<double>();
}

// Split into many launches, as on a device that drives a display.
TEST_F(CudaTriples, SlicesComputeTheSameTriples) {
  const u32 n = small_only() ? 100 : 400;
  const cuda::Stream stream;
  const HeldBodies<float> held(lattice_bodies(n), stream);
  for (const TetraMapId map : usable_triple_maps(n, 32)) {
    EngineConfig config = triple_config<float>(Accumulate::ordered, map);
    cuda::TripleForces<float> whole(triple_field(), config, n, 0);
    config.slice_ms = 1e-3;
    cuda::TripleForces<float> cut(triple_field(), config, n, 0);
    EXPECT_TRUE(same_bits(sums_by(whole, held, stream), sums_by(cut, held, stream))) << info(map).name;
  }
}

TEST_F(CudaTriples, ErrorsNameTheRemedy) {
  const auto refused = [](const EngineConfig& config, u32 n) {
    return message_of([&] { cuda::TripleForces<float>(triple_field(), config, n, 0); });
  };
  const EngineConfig odd = triple_config<float>(Accumulate::fast, TetraMapId::tetra, 40);
  EXPECT_NE(refused(odd, 100).find("use 4, 8, 32, 64, 96, 128"), std::string::npos) << refused(odd, 100);
  const EngineConfig papers = triple_config<float>(Accumulate::ordered, TetraMapId::tetra, 8);
  EXPECT_NE(refused(papers, 100).find("use 32, 64, 96, 128"), std::string::npos) << refused(papers, 100);
  const EngineConfig historical = triple_config<float>(Accumulate::fast, TetraMapId::tetra_r, 8);
  EXPECT_EQ(refused(historical, 1624), "");
  EXPECT_NE(refused(historical, 1625).find("--map tetra"), std::string::npos) << refused(historical, 1625);
  EXPECT_NE(refused(triple_config<float>(Accumulate::fast), (1u << 21) + 1).find("2097152"), std::string::npos);
}

/// The kernels know one law, and must not compute it in the place of another.
TEST_F(CudaTriples, OtherLawsAreRefused) {
  ForceField other = triple_field();
  other.triple = TripleLaw::none;
  EXPECT_THROW(cuda::TripleForces<float>(other, triple_config<float>(Accumulate::fast), 100, 0), ConfigError);
}

// Counts of triples as products of bits: equal to those one by one, which tests/sim/backend holds against brute force,
// on every map of pairs, and when they are chosen.

class CudaCountTriples : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !cuda::has_bit_products(0)) GTEST_SKIP() << "the compute capability is below 8.0";
  }
};

/// Points of which many have the same distance.
PointSet lattice_points(u32 side) {
  PointSet points{side * side * side, 3, {}};
  for (u32 i = 0; i < points.n; ++i) {
    for (const u32 c : {i % side, i / side % side, i / side / side}) points.values.push_back(c);
  }
  return points;
}

SideBins equal_bins(u32 count, double from, double to) {
  SideBins bins;
  for (u32 e = 0; e <= count; ++e) bins.edges.push_back(from + (to - from) * e / count);
  return bins;
}

TripleCounts one_by_one(const PointSet& points, const SideBins& bins) {
  EngineConfig config;
  config.arithmetic = Arithmetic::float32;
  return cuda::count_triples(points, bins, config);
}

TripleCounts by_products(const PointSet& points, const SideBins& bins, TriangleMapId map = TriangleMapId::lambda,
                         double slice_ms = 0) {
  EngineConfig config;
  config.arithmetic = Arithmetic::tensor, config.pair_map = map, config.slice_ms = slice_ms;
  return cuda::count_triples(points, bins, config);
}

TEST_F(CudaCountTriples, ProductsOfAnySizeAndNumberOfBinsCountTheSame) {
  for (const u32 n : sizes({1, 2, 3, 31, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 800})) {
    for (const u32 features : {1u, 3u}) {
      const PointSet points = random_points(n, features);
      for (const SideBins& bins : {equal_bins(1, 0, 10), equal_bins(4, 0.1, 0.8), equal_bins(7, 0, 1),
                                   equal_bins(36, 0.2, 1.2), equal_bins(SideBins::kMax, 0, 1)}) {
        const TripleCounts expected = one_by_one(points, bins), got = by_products(points, bins);
        EXPECT_TRUE(got.by_products);
        EXPECT_FALSE(expected.by_products);
        ASSERT_EQ(got.counts, expected.counts) << n << " points, " << bins.size() << " bins";
        ASSERT_EQ(got.outside, expected.outside);
        ASSERT_EQ(got.work_items, expected.work_items);
      }
    }
  }
}

TEST_F(CudaCountTriples, EveryMapOfPairsMeetsEveryTriple) {
  const u32 side = small_only() ? 5 : 11;
  const SideBins bins{{0, 1, 1.5, 2, 4, 6, 7}};
  for (const PointSet& points : {lattice_points(side), random_points(small_only() ? 100 : 1025, 2)}) {
    const TripleCounts expected = one_by_one(points, bins);
    EXPECT_GT(expected.work_items, expected.outside);
    for (const TriangleMapId map : maps_for(points.n, cuda::kBitBlock)) {
      EXPECT_EQ(by_products(points, bins, map).counts, expected.counts) << info(map).name;
      EXPECT_EQ(by_products(points, bins, map, 1e-5).counts, expected.counts) << info(map).name << " in slices";
    }
  }
}

TEST_F(CudaCountTriples, AProgressSinkWatchesAndEndsProducts) {
  const PointSet points = random_points(700, 3);
  const SideBins bins = equal_bins(6, 0, 0.9);
  const TripleCounts expected = one_by_one(points, bins);
  const ScopedTask work("triples");
  EndingSink patient(0), hasty = EndingSink::at_part(0.3);
  {
    const ScopedProgressSink watching(patient);
    EXPECT_EQ(by_products(points, bins, TriangleMapId::lambda, 1e-5).counts, expected.counts);
  }
  EXPECT_GE(patient.reports, 4u);
  const ScopedProgressSink watching(hasty);
  EXPECT_THROW(by_products(points, bins, TriangleMapId::lambda, 1e-5), InterruptedError);
}

TEST_F(CudaCountTriples, TheFasterWayIsChosenUnlessAMapOfTriplesOrATileIsNamed) {
  const PointSet points = random_points(2100, 3);
  const SideBins bins = equal_bins(3, 0, 0.9);
  EngineConfig config;
  const TripleCounts chosen = cuda::count_triples(points, bins, config);
  EXPECT_TRUE(chosen.by_products);
  EXPECT_EQ(chosen.counts, one_by_one(points, bins).counts);
  EXPECT_FALSE(cuda::count_triples(random_points(200, 3), bins, config).by_products);
  EXPECT_FALSE(cuda::count_triples(points, equal_bins(SideBins::kMax, 0, 0.9), config).by_products);
  config.triple_map = TetraMapId::bb;
  EXPECT_FALSE(cuda::count_triples(points, bins, config).by_products);
  config.triple_map = TetraMapId::tetra, config.triple_block = 32;
  EXPECT_FALSE(cuda::count_triples(points, bins, config).by_products);
  config.arithmetic = Arithmetic::tensor;
  const std::string text = message_of<ConfigError>([&] { cuda::count_triples(points, bins, config); });
  EXPECT_NE(text.find("--block 32"), std::string::npos) << text;
  config.triple_block = 0, config.pair_map = TriangleMapId::rb;
  EXPECT_THROW(cuda::count_triples(points, bins, config), ConfigError) << "a map in thread space";
}

}  // namespace
}  // namespace tri::test
