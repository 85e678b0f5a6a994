#pragma once
/// Where work runs. Backends are chosen at run time; nothing calls into a driver until its backend is made or probed.

#include <memory>
#include <string>
#include <vector>

#include "sim/backend/bench_case.hpp"
#include "sim/backend/device_meter.hpp"
#include "sim/backend/engine.hpp"
#include "sim/backend/floors.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/triple_counts.hpp"
#include "sim/model/tuning.hpp"

namespace tri {

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
  /// Triples by their three sides, counted exactly and alike on every backend; see triplets.hpp. Of config the triple
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
  /// it was kept (sim/io/tuning_file.hpp) and use_tuning() called. Throws ConfigError where there is nothing to tune,
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

}  // namespace tri
