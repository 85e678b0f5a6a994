// Pair sums on the device, in addition to tests/sim/backend, which has every law, map and tile at awkward sizes: sums
// and energies of many bodies; rejected configurations; tiles.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/io/formats.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

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
  EXPECT_NE(refused(threads, 1000).find("--map lambda"), std::string::npos) << refused(threads, 1000);
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
    std::string pattern = (std::filesystem::temp_directory_path() / "tri-tuning-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const char* const was = std::getenv("XDG_CONFIG_HOME");
    before_ = was != nullptr ? was : "";
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    io::write_tuning(io::tuning_path(), tuning);
    backend_.use_tuning();
  }
  ~TuningInForce() {
    before_.empty() ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
    backend_.use_tuning();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TuningInForce(const TuningInForce&) = delete;
  TuningInForce& operator=(const TuningInForce&) = delete;

 private:
  Backend& backend_;
  std::string folder_, before_;
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
  EXPECT_EQ(broad_phase(200), BroadPhase::all_pairs);
  {
    const TuningInForce kept({device,
                              {{TunedWork::gravity, Precision::fp32, 1, 1024},
                               {TunedWork::gravity, Precision::fp32, 300, 512},
                               {TunedWork::overlaps, Precision::fp32, 1, 512},
                               {TunedWork::grid, Precision::fp32, 150, 1}}},
                             *backend);
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
    EXPECT_NE(text.find("bench --tune"), std::string::npos) << text;
    EXPECT_NE(text.find("tuning.txt"), std::string::npos) << text;
  }
  EXPECT_EQ(gravity_tile(299, Accumulate::fast), 128u);
}

}  // namespace
}  // namespace tri::test
