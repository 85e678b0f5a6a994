// The tuner on the device: what it tries, that its results agree, and that runs use the saved tuning.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/cuda/engine/device_tuning.hpp"
#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/io/tuning_file.hpp"
#include "tests/sim/cuda/engine/pair_support.hpp"

namespace tri::test {
namespace {

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
