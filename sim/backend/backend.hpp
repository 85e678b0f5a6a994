#pragma once
/// What a device's own meters say while work runs on it: clocks, power, energy, and whether it holds itself back.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/backend/bench.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// Over the span from begin() to end(). What a device cannot tell is not set; nothing is guessed.
struct MeterReading {
  double seconds = 0;                      ///< the span, by the host's clock
  std::optional<double> energy_j;          ///< by the device's energy counter, or power over time where it has none
  std::optional<double> power_w;           ///< mean
  std::optional<double> clock_mhz;         ///< of the multiprocessors: median of what was sampled
  std::optional<double> clock_low_mhz;     ///< the least that was sampled
  std::optional<double> memory_clock_mhz;  ///< median
  std::optional<double> temperature_c;     ///< at the end
  /// Why the clock was below what was asked for at any time in the span, one phrase each, as "power cap" or
  /// "temperature". Idling is no reason. Empty = at no time.
  std::vector<std::string> throttling;
};

/// Samples in a thread of its own while a span is open. begin() and end() alternate, from one thread. A meter that
/// fails on the way reports less; it never throws.
class DeviceMeter {
 public:
  virtual ~DeviceMeter() = default;
  virtual void begin() = 0;
  virtual MeterReading end() = 0;
  /// Energy spans shorter than this are not to be trusted, in seconds: the counter's own step, many times over.
  virtual double min_energy_seconds() const = 0;
};

/// A process that computes on a GPU.
struct DeviceProcess {
  u32 pid = 0;
  u64 bytes = 0;  ///< of the GPU's memory; 0 = unknown
};

// The data of jobs in units and from an origin that the arithmetic can hold: what depends on differences alone does
// not change with the origin, and counts do not change with the unit of length.

/// For float32, whose numbers are 8 apart at 1e8: the points relative to the middle of every range that does not
/// contain 0; nothing where there is none, or where all values are numbers of float32 already, whose differences lose
/// nothing. Throws ConfigError for a value below the range of float32, which would be 0.
std::optional<PointSet> centred(const PointSet& points);

/// The same of positions. The box goes with them.
std::optional<Bodies> centred(const Bodies& bodies, Box& box);

/// The first sphere that rounding to float32 moves by a 64th of its radius or more; nothing where there is none.
std::optional<std::size_t> moved_by_rounding(const Bodies& bodies);
/// Whether float32 has all positions.
bool are_floats(const Bodies& bodies);

/// The power of two that brings edges whose squares leave the range of float64 near to 1; else 1. (The squares of
/// sides may leave it: they are in the right bin all the same.) Throws ConfigError for edges that are too far apart.
double scale_of(const SideBins& bins);
/// Points and edges times that.
PointSet scaled(const PointSet& points, double scale);
SideBins scaled(const SideBins& bins, double scale);

// Where work runs. Backends are chosen at run time; nothing calls into a driver until its backend is made or probed.

struct BackendInfo {
  std::string name;                          ///< "cpu", "cuda"
  std::string device;                        ///< processor or card, as it names itself
  std::string detail;                        ///< SIMD target and threads, or compute capability and driver
  std::string driver = {};                   ///< of the device, with its version; empty where there is none
  bool triples_in_fp64 = false;              ///< whether many triples are as fast in float64 as in float32
  bool fast_repeats = true;                  ///< whether fast sums have the same bits in every run of one configuration
  u32 ranks = 1;                             ///< that work on one engine
  std::vector<std::string> rank_names = {};  ///< [ranks] the device or the machine of each; empty for one
};

/// The distances of a set of points, a block of rows at a time. One thread at a time, which may change.
class DistanceRows {
 public:
  virtual ~DistanceRows() = default;
  /// Sets `to` to the values of rows [first, last), first < last <= n (distance_row_begin()): the same bits as in any
  /// other block. Pairs within the block come along the map, the others in a rectangle beside it; so the limit of the
  /// map applies to the rows of the block. Returns the milliseconds of the computation. Throws ConfigError (map or
  /// block), MemoryError (predicted).
  virtual double rows(u32 first, u32 last, DistanceValues& to) = 0;
  /// The same into memory of the caller, [values of the rows] of the type of the precision, all of which is set; after
  /// an exception it may hold a part.
  virtual double rows_into(u32 first, u32 last, const DistanceSpan& to);
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() const = 0;

  /// Copies the bodies in. Throws ConfigError (bad bodies, field or config), MemoryError (predicted before allocating,
  /// with the largest n that fits).
  virtual std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                              const EngineConfig& config) = 0;
  /// Copies the points in. Throws ConfigError, MemoryError.
  virtual std::unique_ptr<DistanceRows> distance_rows(const PointSet&, DistanceLayout, const EngineConfig&) {
    throw ConfigError("the " + info().name + " backend computes no distances; use --backend cpu.");
  }
  /// All rows at once.
  DistanceResult distances(const PointSet& points, DistanceLayout layout, const EngineConfig& config);
  /// A periodic box: pairs of nearest images, each pair once however large the spheres. Bodies outside it enter it by
  /// whole sides. Other walls do not matter. Throws ConfigError.
  virtual CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box = {}) = 0;
  /// Triples by their three sides, counted exactly and alike on every backend; see compute.hpp. Of config the triple
  /// map and block and the threads count. Throws ConfigError, MemoryError.
  virtual TripleCounts triplets(const PointSet&, const SideBins&, const EngineConfig&) {
    throw ConfigError("the " + info().name + " backend counts no triplets; use --backend cpu.");
  }
  /// Throws ConfigError with the reason when the combination is refused (a map past its limit, an odd gasket side).
  virtual std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) = 0;
  /// A cellular automaton on a fractal. Throws ConfigError (check_automaton()), MemoryError.
  virtual std::unique_ptr<Automaton> make_automaton(const AutomatonSpec&) {
    throw ConfigError("the " + info().name + " backend has no automata.");
  }
  /// Bytes that the data of benches may take now, in the memory that this backend works in; 0 = the host's.
  virtual u64 memory_bytes() const { return 0; }
  /// Finds out what is fastest on this device, and tells of each size as it goes. The answer is not in force before
  /// it was kept (sim/io/formats.hpp) and use_tuning() called. Throws ConfigError where there is nothing to tune,
  /// MemoryError.
  virtual Tuning tune(const TuneRequest&, const TuneListener&) {
    throw ConfigError("the " + info().name + " backend has nothing to tune: its tiles follow from the size of caches.");
  }
  /// Reads what was kept anew.
  virtual void use_tuning() {}
  /// What this device can do at most, measured now, in a second or two; a cpu with so many threads, 0 = those of the
  /// backend. Throws ConfigError where it is not one device, MemoryError.
  virtual Floors floors(u32 /*threads*/) {
    throw ConfigError("the floors of the " + info().name + " backend cannot be measured.");
  }
  /// The meters of this device; null, and the reason in `why_not`, where there are none.
  virtual std::unique_ptr<DeviceMeter> make_meter(std::string& why_not) {
    why_not = "the " + info().name + " backend has no meters";
    return nullptr;
  }
  /// CollisionResult::per_body of collisions() alone, [n]. The cpu backend keeps no list of pairs for it.
  virtual std::vector<u32> contact_counts(const Bodies& bodies, const EngineConfig& config, const Box& box = {}) {
    return collisions(bodies, config, box).per_body;
  }
};

/// Forces below are those of terms that may have had no digits in float32, whose least normal number is 2^-126.
inline constexpr double kDoubtfulForce = 0x1p-116;

/// Which forces float32 has lost, or the quantum of ordered sums, as a sentence without its full stop: "float32 loses
/// the force on 1 body: 4.8e-55 on body 2, and not 0". Empty: none. Where one is 0 or so small, all are computed once
/// more, in float64 and added fast; but not for bodies that certainly have none, without mass under gravity or with no
/// other within the cut-off. The config is what was asked, `found` what an engine of it found.
std::string lost_forces(Backend& backend, const Bodies& bodies, const ForceField& field, EngineConfig config,
                        const ForceResult& found);

/// One row per backend; `available` is probed at the call.
struct BackendEntry {
  std::string name;
  Availability available;
};
std::vector<BackendEntry> list_backends();

/// "cpu", "cuda", or "auto" = cuda where it is available, else cpu. `device` numbers the GPUs of cuda; cpu ignores it.
/// Throws BackendError with the reason when cuda is asked for and not available, ConfigError for an unknown name.
std::unique_ptr<Backend> make_backend(const std::string& name, int device = 0);

/// Waits for what backends still do in threads of their own, such as compiling a kernel that nobody has asked for yet.
/// main() calls it on every way out, and so does Python's atexit: the libraries at work there do not survive exit().
void finish_backends() noexcept;

// Blocks of rows of distances, computed ahead of the thread that takes them, on one or several backends in turn.

/// Rows first <= i < last of the output.
struct RowBlock {
  u32 first = 0, last = 0;
};

/// The rows from `from` on in blocks of `at_once` rows; for 0, of as many as have `values` values, or one. Where rows
/// come in groups (distance_row_unit()), a block ends with a group.
std::vector<RowBlock> row_blocks(u32 n, DistanceLayout layout, u32 from, u32 at_once, u64 values);

/// Block b is computed by worker b modulo their number, each in a thread of its own, while the caller uses the blocks
/// before it: two blocks of values a worker. All calls come from one thread.
class RowPipeline {
 public:
  RowPipeline(std::vector<std::unique_ptr<DistanceRows>> workers, std::vector<RowBlock> blocks);
  /// Ends what is being computed, soon where that reports progress.
  ~RowPipeline();
  RowPipeline(const RowPipeline&) = delete;
  RowPipeline& operator=(const RowPipeline&) = delete;

  struct Done {
    RowBlock rows;
    DistanceValues values;
    double ms = 0;
  };
  /// The next block, valid until the next call; null after the last. Calls waiting(part of the block that is done, 0 to
  /// 1) every 20 ms until it is there, and throws what that or the worker throws.
  const Done* next(const std::function<void(double)>& waiting);

 private:
  struct Slot {
    Done block;
    bool full = false;
    std::exception_ptr failure;
  };
  struct Worker {
    std::unique_ptr<DistanceRows> rows;
    Slot slots[2];
    std::atomic<double> part{0};
  };

  void work(std::size_t number);
  Worker& worker_of(std::size_t block) { return *workers_[block % workers_.size()]; }
  Slot& slot_of(std::size_t block) { return worker_of(block).slots[block / workers_.size() % 2]; }

  std::vector<RowBlock> blocks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::size_t taken_ = 0;  ///< blocks that next() has returned
  std::mutex lock_;
  std::condition_variable changed_;
  std::atomic<bool> stopped_{false};
  std::vector<std::jthread> threads_;  ///< last member: they use the others
};

}  // namespace tri
