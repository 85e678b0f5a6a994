#pragma once
/// One thing to time: a kernel on a map at a size, with its data made and its answer known.

#include <memory>
#include <string>

#include "sim/maps/map_concepts.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

enum class BenchKernel : u8 { dummy, edm, collision, gravity, triplet, gasket, dummy3 };

/// What `dummy` does with an element (i, j), i >= j, and `dummy3`, which has no automaton, with (i, j, k), i <= j <= k.
/// The cpu backend knows hold alone.
enum class DummyForm : u8 {
  hold,       ///< coordinates are folded into a register and kept alive; practically nothing is stored
  store,      ///< a word that depends on both coordinates is stored, at a place that depends on both
  write,      ///< 1 is added to the element's own cell: the coverage check
  automaton,  ///< one step of Conway's life on the triangle: the neighbourhood test
};

/// What `gasket` does with the cells of the fractal, one byte each.
enum class GasketForm : u8 {
  write,      ///< 1 is written into every cell of embedded storage: the constant write of GASKET
  reduce,     ///< the cells of embedded storage are added up
  automaton,  ///< one step of Conway's life in embedded storage: the neighbourhood test
  compact,    ///< the same step in compact storage
};

/// How the k + 1 grids of the map `rec` reach the device. Other maps have one grid and ignore it.
enum class RecForm : u8 {
  launches,  ///< one after another on one stream
  graph,     ///< as independent branches of one CUDA graph
  device,    ///< launched side by side from the device: dynamic parallelism
};

/// What a time is the time of.
enum class LaunchTiming : u8 {
  work,          ///< the kernel: short ones are repeated inside one CUDA graph and the launch cost drops out
  synchronised,  ///< one launch and the wait for its end by the host's clock, as the papers did
  averaged,      ///< the mean of kAveragedLaunches synchronised ones: the sub-averages of GASKET
};
inline constexpr u32 kAveragedLaunches = 10;

struct BenchSpec {
  BenchKernel kernel = BenchKernel::dummy;
  /// Of the kernel's domain (triplet, dummy3: tetrahedron, gasket: gasket, else triangle). The cpu backend also knows
  /// "plain" for gravity and triplet: the scalar float64 loop without a map on one thread that speed-ups are told
  /// against.
  std::string map = "lambda";
  u64 n = 1024;      ///< elements a side; gasket: the side s^r
  u32 block = 0;     ///< 0 = backend's choice
  u32 features = 4;  ///< edm only
  Precision precision = Precision::fp32;
  Accumulate accumulate = Accumulate::fast;
  GasketPlacement placement = GasketPlacement::subbox;
  u32 threads = 0;
  u64 seed = 42;
  DummyForm dummy = DummyForm::hold;
  DistanceLayout layout = DistanceLayout::condensed;  ///< edm only
  u32 dimensions = 3;                                 ///< collision only: 1 or 3
  GasketForm gasket = GasketForm::write;              ///< gasket only
  std::string fractal = "gasket";                     ///< gasket only: a name of list_fractals(), or a file
  RecForm rec = RecForm::launches;                    ///< map rec only
  LaunchTiming timing = LaunchTiming::work;
};

/// The answer held against an independent one, over the whole output.
struct BenchCheck {
  bool passed = false;
  double max_rel_err = 0;
  std::string reference;  ///< what it was held against
};

class BenchCase {
 public:
  virtual ~BenchCase() = default;
  /// Runs once, returns the time of the work alone in ms, by the backend's best clock.
  virtual double run() = 0;
  /// Runs back to back for `seconds` at least, and once at least; returns how many times the work was done. For meters,
  /// which want the work alone: a case that poisons or repeats within run() does better than this loop of run()s.
  virtual u64 run_for(double seconds);
  /// Checks the output of the last run(), which no run_for() may have followed; the output is poisoned before each run
  /// outside the timed part.
  virtual BenchCheck check() = 0;
  /// Damages one value of the last run's output, so that tests can see check() fail. Does nothing before a run.
  virtual void corrupt_output() {}
  virtual u64 work_items() const = 0;       ///< unordered pairs, triples or cells
  virtual u64 bytes() const = 0;            ///< fewest bytes to or from memory, 0 where that bounds nothing
  virtual u64 blocks_launched() const = 0;  ///< in thread space: threads
  virtual u64 blocks_useful() const = 0;
  virtual u32 block() const = 0;  ///< the tile side in use
};

const char* to_string(BenchKernel kernel);
/// Domain whose maps a kernel takes.
Domain domain_of(BenchKernel kernel);
/// Throws ConfigError when the points of edm would have no feature, or more than PointSet::kMaxFeatures.
void check_features(const BenchSpec& spec);

}  // namespace tri
