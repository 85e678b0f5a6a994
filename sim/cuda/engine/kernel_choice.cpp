#include "sim/cuda/engine/kernel_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/engine/contacts.hpp"
#include "sim/cuda/engine/law_sums.hpp"
#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/io/formats.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

KernelChoice choose_kernel(TriangleMapId map, u64 n, u32 block, u32 preferred, std::initializer_list<u32> tile_sides) {
  if (n == 0 || n > kMaxElements) {
    throw ConfigError(fmt::format("--n {} is out of range on the cuda backend; use 1 to {}.", n, kMaxElements));
  }
  const MapInfo& about = info(map);
  const bool thread_space = about.space == Space::thread;
  KernelChoice choice;
  choice.block = block != 0 ? block : thread_space ? kPaperBlock : preferred;
  choice.tiles = std::find(tile_sides.begin(), tile_sides.end(), choice.block) != tile_sides.end();
  if (choice.tiles && thread_space) {
    throw ConfigError(
        fmt::format("--map {} gives elements to threads, and --block {} is the side of a tile; use "
                    "--block 1 to {}.",
                    about.name, choice.block, kMaxBlock));
  }
  if (!choice.tiles && choice.block > kMaxBlock) {
    const std::string sides = fmt::format("{}", fmt::join(tile_sides, " or "));
    throw ConfigError(fmt::format("--block {} is no block of this kernel on the cuda backend; use 1 to {}{}.",
                                  choice.block, kMaxBlock,
                                  sides.empty() ? sides : fmt::format(", or the tile side {}", sides)));
  }
  // The driver takes as long to tell how much memory is free as for a launch.
  const MapLimits limits{choice.block, false, about.table_bytes != nullptr ? device_table_memory() : 0};
  if (const std::string text = map_refusal(about, n, limits); !text.empty()) throw ConfigError(text);
  return choice;
}

u32 choose_triple_block(TetraMapId map, u64 n, u32 block, u32 preferred, const std::vector<u32>& blocks) {
  if (n == 0 || n > kMaxTripleElements) {
    throw ConfigError(
        fmt::format("--n {} is out of range for triples on the cuda backend; use 1 to {}.", n, kMaxTripleElements));
  }
  const u32 chosen = block != 0 ? block : preferred;
  if (std::find(blocks.begin(), blocks.end(), chosen) == blocks.end()) {
    throw ConfigError(fmt::format("--block {} is no block of these triples on the cuda backend; use {}.", chosen,
                                  fmt::join(blocks, ", ")));
  }
  const MapLimits limits{chosen, false, table_memory()};
  if (const std::string text = map_refusal(info(map), n, limits); !text.empty()) throw ConfigError(text);
  return chosen;
}

TriangleMapId product_map(const EngineConfig& config) {
  return info(config.pair_map).typed != nullptr ? TriangleMapId::lambda : config.pair_map;
}

u64 device_table_memory() { return std::min(table_memory(), free_device_memory()); }

double table_bytes(TriangleMapId map, u64 n, u32 block) {
  return static_cast<double>(tri::table_bytes(info(map), n, block));
}

namespace {

struct Known {
  std::mutex lock;
  std::map<int, Tuning> tunings;
};
Known& known() {
  static Known all;
  return all;
}

/// Powers of ten that the tree is timed at.
constexpr std::pair<u32, Tolerance> kTreeTolerances[] = {
    {3, Tolerance::e_3}, {4, Tolerance::e_4}, {5, Tolerance::e_5}, {6, Tolerance::middle}, {7, Tolerance::e_7}};

std::vector<u32> choices_of(TunedWork work) {
  switch (work) {
    case TunedWork::gravity:
    case TunedWork::lennard_jones:
      return {kPairTiles.begin(), kPairTiles.end()};
    case TunedWork::overlaps:
      return {kCollisionTileSmall, kCollisionTileLarge};
    case TunedWork::tree: {
      std::vector<u32> choices{0};
      for (const auto& [choice, tolerance] : kTreeTolerances) choices.push_back(choice);
      return choices;
    }
    case TunedWork::grid:
      break;
  }
  return {1};
}

Tuning read_for(int device) {
  cudaDeviceProp properties{};
  TRI_CUDA(cudaGetDeviceProperties(&properties, device));
  const std::string path = io::tuning_path();
  for (Tuning& tuning : io::read_tunings(path)) {
    if (tuning.device != properties.name) continue;
    check_choices(tuning, path);
    return std::move(tuning);
  }
  return {properties.name, {}};
}

}  // namespace

u32 multiprocessors_of(int device) {
  int count = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<u32>(count);
}

void check_choices(const Tuning& tuning, const std::string& path) {
  for (const TuningRow& row : tuning.rows) {
    const std::vector<u32> choices = choices_of(row.work);
    if (std::find(choices.begin(), choices.end(), row.choice) != choices.end()) continue;
    throw FileError(fmt::format(
        "{}: {} {} {} {}: the last number must be one of {}; make the file anew with triangulum bench --tune.", path,
        to_string(row.work), to_string(row.precision), row.n, row.choice, fmt::join(choices, ", ")));
  }
}

const Tuning& device_tuning(int device) {
  Known& all = known();
  const std::lock_guard<std::mutex> hold(all.lock);
  const auto at = all.tunings.find(device);
  return at != all.tunings.end() ? at->second : all.tunings.emplace(device, read_for(device)).first->second;
}

void forget_device_tunings() {
  Known& all = known();
  const std::lock_guard<std::mutex> hold(all.lock);
  all.tunings.clear();
}

u32 tuned_pair_tile(PairLaw law, Precision precision, u64 n, int device) {
  if (const char* tuned = law_info(law).tuned) {
    const auto work = kNamesOf<TunedWork>.find(tuned);
    TRI_EXPECTS(work.has_value());
    if (const auto tile = device_tuning(device).choice(*work, precision, n)) return *tile;
  }
  return pair_tile_for(law, precision, n, multiprocessors_of(device));
}

u32 tuned_overlap_tile(Precision precision, u64 n, int device) {
  return device_tuning(device).choice(TunedWork::overlaps, precision, n).value_or(collision_tile_for(n));
}

u64 tuned_grid_bodies(Precision precision, int device) {
  return device_tuning(device).first(TunedWork::grid, precision).value_or(kGridBodies);
}

u64 tree_bodies_for(double tolerance) {
  return tolerance >= 1e-4 ? 49152 : tolerance >= 1e-5 ? 90112 : tolerance >= 1e-6 ? 172032 : 262144;
}

u64 tuned_tree_bodies(Precision precision, double tolerance, int device) {
  const Tuning& tuning = device_tuning(device);
  if (!tuning.first(TunedWork::tree, precision)) return tree_bodies_for(tolerance);
  u64 from = ~u64{0};
  for (const TuningRow& row : tuning.rows) {
    if (row.work != TunedWork::tree || row.precision != precision) continue;
    const bool faster = row.choice > 0 && tolerance >= 0.999 * std::pow(10.0, -static_cast<double>(row.choice));
    from = faster ? std::min(from, row.n) : ~u64{0};
  }
  return from;
}

// Each choice runs as a CUDA graph, as in a run, so that launch overhead counts; the tree, which waits for its walk,
// does not. A sample is as many repetitions as
// take a millisecond; samples of the choices are interleaved, and their medians compared.

namespace {

constexpr int kSamples = 9;
constexpr double kSampleMs = 1.0;
constexpr u32 kMaxRuns = 200;
/// Volume fraction of the spheres in the test cloud: a gas about as dense as a loose pile.
constexpr double kFill = 0.2;

bool stopped(const TuneRequest& request) { return request.stop != nullptr && request.stop->load(); }

/// One choice: its work and its output.
struct Trial {
  u32 choice = 0;
  std::function<void(cudaStream_t)> launch;
  u32 runs = 1;
  std::vector<double> samples;

  double median() {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
  }
};

/// What `enqueue` enqueues, as a graph.
std::function<void(cudaStream_t)> as_graph(const std::function<void(cudaStream_t)>& enqueue) {
  return [graph = std::make_shared<Graph>(enqueue)](cudaStream_t stream) { graph->launch(stream); };
}

double run(Trial& trial, u32 runs, const Stream& stream, EventTimer& timer) {
  timer.start(stream);
  for (u32 r = 0; r < runs; ++r) trial.launch(stream);
  timer.stop(stream);
  return timer.elapsed_ms() / runs;
}

std::vector<std::pair<u32, double>> times_of(std::vector<Trial>& trials, const Stream& stream) {
  EventTimer timer;
  for (Trial& trial : trials) {
    run(trial, 1, stream, timer);
    const double once = run(trial, 2, stream, timer);
    trial.runs = static_cast<u32>(std::clamp(kSampleMs / std::max(once, 1e-4), 1.0, static_cast<double>(kMaxRuns)));
  }
  for (int s = 0; s < kSamples; ++s) {
    for (Trial& trial : trials) trial.samples.push_back(run(trial, trial.runs, stream, timer));
  }
  std::vector<std::pair<u32, double>> times;
  for (Trial& trial : trials) times.emplace_back(trial.choice, trial.median());
  return times;
}

/// The cloud in the unit cube: masses from 0.5 to 1.5 of the mean, radii from 0.5 to 1.5 times that of equal spheres
/// with volume fraction kFill.
template <class Real>
struct Cloud {
  Cloud(u64 n, const Stream& stream) : position(n), velocity(n) {
    SplitMix64 random{42};
    const double count = static_cast<double>(n), radius = std::cbrt(kFill / count * 3 / (4 * 3.14159265358979));
    std::vector<Vec4<Real>> positions(n), velocities(n);
    for (u64 i = 0; i < n; ++i) {
      const double x = random.uniform(), y = random.uniform(), z = random.uniform();
      const double m = (0.5 + random.uniform()) / count, r = (0.5 + random.uniform()) * radius;
      bodies.add(x, y, z, 0, 0, 0, m, r);
      positions[i] = {static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z), static_cast<Real>(m)};
      velocities[i].w = static_cast<Real>(r);
    }
    position.upload(positions, stream);
    velocity.upload(velocities, stream);
  }
  DeviceState<Real> state() const { return {position.data(), velocity.data(), static_cast<u32>(position.size())}; }

  Bodies bodies;
  DeviceBuffer<Vec4<Real>> position, velocity;
};

/// The largest difference of two results, relative to the rms of the first.
template <class Real>
double difference(const std::vector<Vec4<Real>>& a, const std::vector<Vec4<Real>>& b) {
  double square = 0, most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto gap = [](Real p, Real q) { return std::fabs(static_cast<double>(p) - static_cast<double>(q)); };
    const double worst = std::max({gap(a[i].x, b[i].x), gap(a[i].y, b[i].y), gap(a[i].z, b[i].z)});
    if (!(worst <= most)) most = worst;  // keeps a NaN
    square += static_cast<double>(a[i].x) * static_cast<double>(a[i].x);
  }
  const double rms = std::sqrt(square / static_cast<double>(a.size()));
  return most == 0 ? 0 : most / rms;
}

void check_difference(const TuneStep& step, double bound) {
  if (step.difference <= bound) return;
  throw Error(ExitCode::check_failed,
              fmt::format("{} {} of {} bodies: two choices differ by {:.3g} of the rms, which is more than rounding; "
                          "run triangulum verify.",
                          to_string(step.work), to_string(step.precision), step.n, step.difference));
}

template <class Real>
class Tuner {
 public:
  Tuner(int device, const TuneRequest& request, const TuneListener& tell, Tuning& tuning)
      : device_(device), request_(request), tell_(tell), tuning_(tuning) {}

  void tune() {
    forces(TunedWork::gravity, PairLaw::gravity);
    forces(TunedWork::lennard_jones, PairLaw::lennard_jones);
    overlaps();
    grid();
    tree();
  }

 private:
  static constexpr Precision kPrecision = kPrecisionOf<Real>;

  EngineConfig config(u32 block, BroadPhase broad_phase = BroadPhase::all_pairs) const {
    EngineConfig c;
    c.precision = kPrecision;
    c.pair_block = block;
    c.broad_phase = broad_phase;
    return c;
  }

  /// Records the step; equal choices at consecutive sizes share a row.
  void take(const TuneStep& step) {
    const auto before = tuning_.choice(step.work, kPrecision, step.n);
    if (!before || *before != step.chosen) tuning_.rows.push_back({step.work, kPrecision, step.n, step.chosen});
    tell_(step);
  }

  void forces(TunedWork work, PairLaw law) {
    ForceField field;
    field.pair = law;
    field.gravity.softening = 0.01;
    for (const u64 n : request_.sizes) {
      if (stopped(request_)) return;
      const Stream stream;
      const Cloud<Real> cloud(n, stream);
      // A cloud has pairs too close for r^-12: a small sigma keeps it finite at the same cost.
      field.lennard_jones.sigma = 0.1 / std::cbrt(static_cast<double>(n));
      std::vector<std::unique_ptr<PairForces<Real>>> all;
      std::vector<Trial> trials;
      DeviceBuffer<Vec4<Real>> out(n);
      std::vector<Vec4<Real>> first;
      TuneStep step{work, kPrecision, n, {}, 0, 0};
      for (const u32 tile : kPairTiles) {
        all.push_back(std::make_unique<PairForces<Real>>(field, config(tile), static_cast<u32>(n), device_));
        PairForces<Real>& forces = *all.back();
        forces.enqueue(stream, cloud.state(), out.data());
        const auto sums = out.download(stream);
        if (first.empty()) first = sums;
        step.difference = std::max(step.difference, difference(first, sums));
        trials.push_back(
            {tile, as_graph([&](cudaStream_t on) { forces.enqueue(on, cloud.state(), out.data()); }), 1, {}});
      }
      check_difference(step, kPrecision == Precision::fp32 ? 1e-3 : 1e-10);
      step.times = times_of(trials, stream);
      step.chosen = fastest(step.times, tuning_.choice(work, kPrecision, n));
      take(step);
    }
  }

  /// Times of searches, which must all find the same number of overlaps.
  void search(TuneStep& step, const Cloud<Real>& cloud, const Stream& stream,
              const std::vector<std::pair<u32, EngineConfig>>& choices) {
    std::vector<std::unique_ptr<OverlapSearch<Real>>> all;
    std::vector<Trial> trials;
    u64 found = 0;
    for (const auto& [choice, config] : choices) {
      all.push_back(std::make_unique<OverlapSearch<Real>>(cloud.bodies, Box{}, config, stream));
      OverlapSearch<Real>& search = *all.back();
      search.enqueue(stream, cloud.state());
      const u64 count = search.found(stream);
      if (all.size() == 1) found = count;
      if (count != found) step.difference = 1;
      trials.push_back({choice, as_graph([&](cudaStream_t on) { search.enqueue(on, cloud.state()); }), 1, {}});
    }
    check_difference(step, 0);
    step.times = times_of(trials, stream);
  }

  void overlaps() {
    for (const u64 n : request_.sizes) {
      if (stopped(request_)) return;
      const Stream stream;
      TuneStep step{TunedWork::overlaps, kPrecision, n, {}, 0, 0};
      search(step, Cloud<Real>(n, stream), stream,
             {{kCollisionTileSmall, config(kCollisionTileSmall)}, {kCollisionTileLarge, config(kCollisionTileLarge)}});
      step.chosen = fastest(step.times, tuning_.choice(step.work, kPrecision, n));
      take(step);
    }
  }

  /// From the largest size down to the first at which all pairs are faster.
  void grid() {
    std::optional<u64> from;
    for (auto n = request_.sizes.rbegin(); n != request_.sizes.rend() && !stopped(request_); ++n) {
      const Stream stream;
      TuneStep step{TunedWork::grid, kPrecision, *n, {}, 0, 0};
      const u32 tile = tuning_.choice(TunedWork::overlaps, kPrecision, *n).value_or(kCollisionTileSmall);
      search(step, Cloud<Real>(*n, stream), stream, {{0, config(tile)}, {1, config(0, BroadPhase::grid)}});
      step.chosen = fastest(step.times, std::nullopt);
      tell_(step);
      if (step.chosen == 0) break;
      from = *n;
    }
    if (from) tuning_.rows.push_back({TunedWork::grid, kPrecision, *from, 1});
  }

  /// The closest tolerance at which the tree is faster than all pairs.
  void tree() {
    ForceField field;
    field.pair = PairLaw::gravity, field.gravity.softening = 0.01;
    for (const u64 n : request_.sizes) {
      if (stopped(request_)) return;
      const Stream stream;
      const Cloud<Real> cloud(n, stream);
      DeviceBuffer<Vec4<Real>> out(n);
      EngineConfig c = config(0);
      c.pairs = PairSearch::all;
      PairForces<Real> all(field, c, static_cast<u32>(n), device_);
      std::vector<std::unique_ptr<PairForces<Real>>> trees;
      std::vector<Trial> trials;
      const auto enqueued = [&](PairForces<Real>& forces) {
        return [&](cudaStream_t on) { forces.enqueue(on, cloud.state(), out.data()); };
      };
      all.keep_sorted(stream, cloud.state(), 1);
      enqueued(all)(stream);
      const auto expected = out.download(stream);
      trials.push_back({0, as_graph(enqueued(all)), 1, {}});
      TuneStep step{TunedWork::tree, kPrecision, n, {}, 0, 0};
      c.pairs = PairSearch::tree;
      for (const auto& [choice, tolerance] : kTreeTolerances) {
        c.tolerance = tolerance;
        trees.push_back(std::make_unique<PairForces<Real>>(field, c, static_cast<u32>(n), device_));
        trials.push_back({choice, enqueued(*trees.back()), 1, {}});
      }
      enqueued (*trees.back())(stream);
      step.difference = difference(expected, out.download(stream));
      check_difference(step, 1e-3);
      step.times = times_of(trials, stream);
      for (const auto& [choice, ms] : step.times) {
        if (choice > 0 && !(ms < step.times.front().second * (1 - kTuningNoise))) break;
        step.chosen = choice;
      }
      take(step);
    }
  }

  int device_;
  const TuneRequest& request_;
  const TuneListener& tell_;
  Tuning& tuning_;
};

}  // namespace

Tuning tune_device(int device, const TuneRequest& request, const TuneListener& tell) {
  Tuning tuning{device_tuning(device).device, {}};
  for (const Precision precision : request.precisions) {
    if (precision == Precision::fp32) Tuner<float>(device, request, tell, tuning).tune();
    if (precision == Precision::fp64) Tuner<double>(device, request, tell, tuning).tune();
  }
  return tuning;
}

}  // namespace tri::cuda
