#pragma once
/// One thing to time: a kernel on a map at one size, with its data and the means to check its result.

#include <memory>
#include <string>

#include "sim/maps/map_concepts.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// The kernels of the bench in the order of lists and reports; the id is the name as typed. bench_kernels.hpp has the
/// properties of each.
#define TRI_BENCH_KERNELS(X) X(dummy) X(edm) X(collision) X(gravity) X(dummy3) X(triplet) X(gasket)

enum class BenchKernel : u8 {
#define TRI_BENCH_ENUMERATOR(id) id,
  TRI_BENCH_KERNELS(TRI_BENCH_ENUMERATOR)
#undef TRI_BENCH_ENUMERATOR
};

/// What a kernel with several forms does with each element: a pair (i, j), i >= j, a triple (i, j, k), i <= j <= k, or
/// a cell of the fractal. The cpu backend has only hold of dummy and dummy3; dummy3 has no automaton.
enum class BenchForm : u8 {
  hold,       ///< dummies: the coordinates are folded into a register and kept alive; next to nothing is stored
  store,      ///< dummies: stores a word that depends on all coordinates, at a place that depends on them
  write,      ///< dummies: adds 1 to the element's own cell, the coverage check. gasket: writes 1 to each embedded cell
  automaton,  ///< one step of Conway's life, on the triangle or in embedded storage: the neighbourhood test
  reduce,     ///< gasket: sums the cells of embedded storage
  compact,    ///< gasket: the step of `automaton` in compact storage
};

/// What a kernel is compared with besides maps; on the command line it is named in a map's place.
enum class Baseline : u8 {
  plain,         ///< scalar float64 loop on one thread, without a map: what speed-ups refer to
  fill,          ///< writes as many bytes as the kernel and computes nothing
  lambda_alone,  ///< the kernel compiled for the map lambda alone
};

/// How the k + 1 grids of the map `rec` are launched. Other maps have one grid and ignore it.
enum class RecForm : u8 {
  launches,  ///< one after another on one stream
  graph,     ///< as independent branches of one CUDA graph
  device,    ///< concurrently from the device: dynamic parallelism
};

/// What sums gravity in fp32 on a GPU: as Arithmetic, but always said, since a bench compares.
enum class BenchArithmetic : u8 { float32, tensor };

/// What a sample measures.
enum class LaunchTiming : u8 {
  work,          ///< the kernel alone: short ones are repeated inside one CUDA graph to hide the launch cost
  synchronised,  ///< one launch and the wait for its end by the host's clock, as in the papers
  averaged,      ///< the mean of kAveragedLaunches synchronised launches: the sub-averages of GASKET
};
inline constexpr u32 kAveragedLaunches = 10;

struct BenchSpec {
  BenchKernel kernel = BenchKernel::dummy;
  std::string map = "lambda";  ///< name of a map of the kernel's domain, or of one of its baselines; see subject_of()
  u64 n = 1024;                ///< elements a side; gasket: the side s^r
  u32 block = 0;               ///< 0 = backend's choice
  u32 features = 4;
  Precision precision = Precision::fp32;
  Accumulate accumulate = Accumulate::fast;
  BenchArithmetic arithmetic = BenchArithmetic::float32;
  Tolerance tolerance = Tolerance::automatic;
  GasketPlacement placement = GasketPlacement::subbox;
  u32 threads = 0;
  u64 seed = 42;
  BenchForm form = BenchForm::hold;  ///< one of the kernel's; ignored by kernels that have none
  DistanceLayout layout = DistanceLayout::condensed;
  u32 dimensions = 3;              ///< 1 or 3
  std::string fractal = "gasket";  ///< a name of list_fractals(), or a file
  RecForm rec = RecForm::launches;
  LaunchTiming timing = LaunchTiming::work;
  std::string law;  ///< of gravity and triplet: the text of a typed law in the place of theirs; empty = none
};

/// The whole output compared with an independent result.
struct BenchCheck {
  bool passed = false;
  double max_rel_err = 0;
  std::string reference;  ///< what it was compared with
};

/// Of several ranks that share the work each has a case of its own, and all of them make the same calls.
class BenchCase {
 public:
  virtual ~BenchCase() = default;
  /// Runs once; returns the time of the work alone in ms, by the backend's best clock. Ranks begin together, and each
  /// has its own time, with the exchange of what they share.
  virtual double run() = 0;
  /// Runs back to back for at least `seconds`, and at least once; returns how many times the work was done. Meters use
  /// it. A case that poisons or repeats within run() overrides this loop of run()s, to measure the work alone; one that
  /// ranks share, so that all of them run as often.
  virtual u64 run_for(double seconds);
  /// Checks the output of the last run(), with no run_for() since. The output is poisoned before each run, outside the
  /// timed part.
  virtual BenchCheck check() = 0;
  /// Damages one value of the last run's output, so that tests can see check() fail. No effect before a run.
  virtual void corrupt_output() {}
  virtual u64 work_items() const = 0;       ///< unordered pairs, triples or cells
  virtual u64 bytes() const { return 0; }   ///< least memory traffic of a run; 0 where memory is no bound
  virtual u64 blocks_launched() const = 0;  ///< in thread space: threads
  virtual u64 blocks_useful() const = 0;
  virtual u32 block() const = 0;  ///< the tile side in use
};

}  // namespace tri
