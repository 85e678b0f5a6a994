#pragma once
/// One thing to time: a kernel on a map at one size, with its data and the means to check its result.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/user_values.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/bodies.hpp"
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
/// a cell of the fractal. dummy3 has no automaton.
enum class BenchForm : u8 {
  hold,       ///< dummies: the coordinates are folded into a register and kept alive; next to nothing is stored
  store,      ///< dummies: stores a word that depends on all coordinates, at a place that depends on them
  write,      ///< dummies: adds 1 to the element's own cell, the coverage check. gasket: writes 1 to each embedded cell
  automaton,  ///< one step of Conway's life, on the triangle or in embedded storage: the neighbourhood test
  reduce,     ///< gasket: sums the cells of embedded storage
  compact,    ///< gasket: the step of `automaton` in compact storage
};
constexpr auto enum_table(BenchForm) {
  return enum_names<BenchForm>("form", "hold", "store", "write", "automaton", "reduce", "compact");
}

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
constexpr auto enum_table(RecForm) { return enum_names<RecForm>("form of rec", "launches", "graph", "device"); }

/// What sums gravity in fp32 on a GPU: as Arithmetic, but always said, since a bench compares.
enum class BenchArithmetic : u8 { float32, tensor };
constexpr auto enum_table(BenchArithmetic) { return enum_names<BenchArithmetic>("arithmetic", "float32", "tensor"); }

/// How gravity meets its pairs: as PairSearch, but always said.
enum class BenchPairs : u8 { all, tree };
constexpr auto enum_table(BenchPairs) { return enum_names<BenchPairs>("pairs", "all", "tree"); }

/// What a sample measures.
enum class LaunchTiming : u8 {
  work,          ///< the kernel alone: short ones are repeated inside one CUDA graph to hide the launch cost
  synchronised,  ///< one launch and the wait for its end by the host's clock, as in the papers
  averaged,      ///< the mean of kAveragedLaunches synchronised launches: the sub-averages of GASKET
};
constexpr auto enum_table(LaunchTiming) {
  return enum_names<LaunchTiming>("timing", "work", "synchronised", "averaged");
}
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
  BenchPairs pairs = BenchPairs::all;
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

/// What a kernel reads besides sizes, blocks and maps; bits of BenchKernelInfo::axes, but for those that follow.
enum class BenchAxis : u32 {
  features = 1,
  layout = 2,
  dimensions = 4,
  rec = 8,
  fractal = 16,  ///< and the placement in it
  precision = 32,
  accumulate = 64,
  seed = 128,
  arithmetic = 256,  ///< and the tolerance
  pairs = 4096,
  law = 512,
  form = 1024,    ///< of kernels that have forms
  timing = 2048,  ///< of all kernels
};

/// The values of each axis that are to be timed. Empty = not given: that of BenchSpec.
struct BenchAxes {
  std::vector<u32> features;
  std::vector<BenchForm> forms;
  std::vector<DistanceLayout> layouts;
  std::vector<u32> dimensions;
  std::vector<GasketPlacement> placements;
  std::vector<std::string> fractals;  ///< names or files
  std::vector<BenchArithmetic> arithmetics;
  std::vector<BenchPairs> pairs;
  std::vector<Precision> precisions;
  std::vector<Accumulate> accumulations;
  std::vector<Tolerance> tolerances;
  std::vector<RecForm> recs;
  std::vector<LaunchTiming> timings;
};

/// An axis as users and reports name it.
struct BenchAxisInfo {
  const char* key = "";                   ///< in reports; with "--" before it the option
  BenchAxis read_by = BenchAxis::timing;  ///< which kernels read it
  u8 loop = 0;           ///< several values are timed, in nested loops, 1 the outermost; 0: one for the whole bench
  bool in_name = false;  ///< whether the names of groups have it
  bool shared_option = false;                      ///< whether its option is one of other commands, too
  bool one_value = false;                          ///< whether its option takes one value all the same
  u64 low = 0, high = 0;                           ///< of numbers
  std::span<const std::string_view> choices = {};  ///< of numbers that have a list instead
};

/// The loop inside those over blocks and sizes, so that arithmetics of one size stand together.
inline constexpr u8 kInnermostLoop = 7;
inline constexpr std::string_view kBenchDimensions[] = {"1", "3"};

/// Calls visit(BenchAxisInfo, field of BenchSpec, field of BenchAxes), pointers to members, once an axis. The one list
/// of them: options, plans, names of groups, reports, comparisons and the messages of ranks read it.
template <class Visit>
constexpr void describe_axes(const Visit& visit) {
  using S = BenchSpec;
  using V = BenchAxes;
  using A = BenchAxis;
  using I = BenchAxisInfo;
  visit(I{.key = "features",
          .read_by = A::features,
          .loop = 6,
          .in_name = true,
          .low = 1,
          .high = PointSet::kMaxFeatures},
        &S::features, &V::features);
  visit(I{.key = "form", .read_by = A::form, .loop = 2, .in_name = true}, &S::form, &V::forms);
  visit(I{.key = "layout", .read_by = A::layout, .loop = 4, .in_name = true}, &S::layout, &V::layouts);
  visit(I{.key = "dimensions", .read_by = A::dimensions, .loop = 5, .in_name = true, .choices = kBenchDimensions},
        &S::dimensions, &V::dimensions);
  visit(I{.key = "placement", .read_by = A::fractal, .loop = 3, .in_name = true}, &S::placement, &V::placements);
  visit(I{.key = "fractal", .read_by = A::fractal}, &S::fractal, &V::fractals);
  visit(I{.key = "arithmetic", .read_by = A::arithmetic, .loop = kInnermostLoop}, &S::arithmetic, &V::arithmetics);
  visit(I{.key = "pairs", .read_by = A::pairs, .loop = kInnermostLoop}, &S::pairs, &V::pairs);
  visit(I{.key = "precision", .read_by = A::precision, .shared_option = true}, &S::precision, &V::precisions);
  visit(I{.key = "accumulate", .read_by = A::accumulate, .shared_option = true}, &S::accumulate, &V::accumulations);
  visit(I{.key = "tolerance", .read_by = A::arithmetic, .shared_option = true}, &S::tolerance, &V::tolerances);
  visit(I{.key = "rec", .read_by = A::rec, .one_value = true}, &S::rec, &V::recs);
  visit(I{.key = "timing", .read_by = A::timing, .loop = 1, .one_value = true}, &S::timing, &V::timings);
}

/// Calls visit(field...) once for every field of these specs; does not compile when one is missing (bench.cpp).
template <class Visit, class... Specs>
constexpr void for_each_bench_field(const Visit& visit, Specs&... spec) {
  visit(spec.kernel...), visit(spec.map...), visit(spec.n...), visit(spec.block...);
  visit(spec.threads...), visit(spec.seed...), visit(spec.law...);
  describe_axes([&](const BenchAxisInfo&, [[maybe_unused]] auto field, auto) { visit(spec.*field...); });
}

/// The keys of all axes, in order.
std::vector<std::string_view> bench_axis_keys();

/// The whole output compared with an independent result.
struct BenchCheck {
  bool passed = false;
  double max_rel_err = 0;
  std::string reference;  ///< what it was compared with
};

/// What a walk of the tree came to: pairs of bodies that met one by one, and pairs of nodes that met by series.
struct TreeWork {
  u64 near = 0, series = 0;
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
  virtual u32 block() const = 0;                               ///< the tile side in use
  virtual std::optional<TreeWork> tree() const { return {}; }  ///< of the last run, where a tree met the pairs
};

// The properties of the bench kernels and of their baselines, one row each. Command line, plans, presets, reports,
// verify and the panel read them; nothing else there knows a kernel by name.

struct BenchKernelInfo {
  BenchKernel id = BenchKernel::dummy;
  const char* name = "";                  ///< as typed
  Domain domain = Domain::triangle;       ///< whose maps it takes
  u32 axes = 0;                           ///< of BenchAxis
  std::span<const BenchForm> forms = {};  ///< the first is the default; empty = it has no forms
  std::span<const Baseline> baselines = {};
  u64 usual_n = 0;                                ///< default of --n: some milliseconds a run on two cores
  u64 smoke_n = 500;                              ///< every map in seconds; never a multiple of a block
  std::array<u64, 2> verify_n = {33, 300};        ///< sizes of `verify`
  const char* panel_n = "2^10:2^13";              ///< sizes of the benchmark panel, as --n takes them
  u64 (*data_bytes)(const BenchSpec&) = nullptr;  ///< see data_bytes(); null = always 0
  bool directed_rate = false;                     ///< whether reports also count each pair in both directions
  bool shared = false;                            ///< whether several ranks share its work; see is_shared()

  bool has(BenchAxis axis) const;
  bool has(BenchForm form) const;
  bool has(Baseline baseline) const;
  /// Whether random data depend on the seed.
  bool reads_seed(BenchForm form) const;
  BenchForm default_form() const { return forms.empty() ? BenchForm::hold : forms.front(); }
};

/// In the order of the enum.
std::span<const BenchKernelInfo> bench_kernels();
const BenchKernelInfo& info(BenchKernel kernel);
const char* to_string(BenchKernel kernel);

struct BaselineInfo {
  const char* name;     ///< as typed
  const char* backend;  ///< the one that has it
  bool has_blocks;      ///< whether counts of blocks mean anything
};
const BaselineInfo& info(Baseline baseline);
/// Nothing for a name that is no baseline's.
std::optional<Baseline> find_baseline(std::string_view name);
/// False for baselines without the kernel's blocks.
bool has_blocks(const BenchSpec& spec);

/// Whether several ranks share the work: baselines have one rank, whatever the kernel.
bool is_shared(const BenchSpec& spec);

/// What one row of a bench times.
using BenchSubject = std::variant<TriangleMapId, TetraMapId, GasketMapId, Baseline>;
/// From the name in spec.map. Throws ConfigError for a name that is neither a map of the kernel's domain nor one of its
/// baselines, for a baseline that `backend` lacks, and for a form that the kernel lacks.
BenchSubject subject_of(const BenchSpec& spec, std::string_view backend);
/// Throws ConfigError unless the points of edm have 1 to PointSet::kMaxFeatures features.
void check_features(const BenchSpec& spec);

/// Unordered pairs, triples or cells of one run. Throws ConfigError for an unknown fractal.
u64 item_count(const BenchSpec& spec);
/// Bytes of one map's data where they follow from the spec; 0 where they are small or up to the backend. Throws
/// ConfigError for an unknown fractal.
u64 data_bytes(const BenchSpec& spec);
/// T_bb / T_map by launched blocks alone (MAPS.md section 4). With B = ceil(n / block): pairs 2B/(B+1), triples
/// 6B^2/((B+1)(B+2)); fractals (s^d / k)^levels of the tiles. Nothing for a fractal or a side that does not exist.
std::optional<double> launch_bound(const BenchSpec& spec, u32 block);

// What a device can do at most, measured on the spot, and the least time that follows from it for a run of a bench
// kernel. A kernel's share is that time over the measured one.

/// A rate that the device reaches when it does nothing else, > 0, and how it was measured (a phrase).
struct FloorRate {
  double per_s = 0;
  std::string how;
};

/// Lanes: float32 multiply-adds, one a lane of a vector instruction; other instructions of a lane count the same.
/// Bytes: written to memory far larger than the caches, with the widest stores. Launches: blocks of 256 threads that do
/// nothing; on a cpu parallel loops over nothing, on all threads.
struct Floors {
  FloorRate lanes, bytes, launches;
};

/// What bounds a kernel.
enum class FloorKind : u8 { arithmetic, memory, launches };
constexpr auto enum_table(FloorKind) { return enum_names<FloorKind>("floor", "arithmetic", "memory", "launches"); }

struct KernelFloor {
  FloorKind kind = FloorKind::arithmetic;
  double ms = 0;  ///< > 0
};

/// Instructions of a lane that a pair or a triple takes at least as the backend computes it, in float32 with fast sums;
/// 0 where other things count. The figures are those of docs/notes/performance.md; the cpu ones are counted in the
/// loops of sim/cpu (tests count those of the laws).
double lanes_an_item(const BenchSpec& spec, std::string_view backend);

/// The largest of three times: instructions, bytes, and on a GPU the blocks that the map needs (`useful` of them, or
/// threads of a map in thread space). Nothing for baselines, for typed laws, for arithmetic other than float32 with
/// fast sums without tensor cores, and for forms besides the default: their floors are others.
///
/// bytes: BenchCase::bytes(). For the gasket whole sectors (GPU, 32 bytes) or cache lines (64) count, since no memory
/// moves less.
std::optional<KernelFloor> kernel_floor(const BenchSpec& spec, std::string_view backend, u64 bytes, u64 useful,
                                        const Floors& floors);

// The data of bench kernels, the same on every backend, and the checks of what they compute. Pure functions: any thread
// may call them.

/// Softening of the bench kernel gravity.
inline constexpr double kBenchSoftening = 0.01;

/// The law of gravity or triplet: softened gravity, that of Axilrod and Teller, or only the typed law of spec.law, on
/// pairs under gravity and on triples under triplet. Throws ConfigError for a text that is none.
ForceField force_bench_field(const BenchSpec& spec);

/// The bodies of gravity or triplet, representable in the spec's precision. Gravity: the cloud in the unit cube, total
/// mass 1, masses from 0.5 to 1.5 of the mean. Triplet: a cubic lattice of step 1, each atom displaced at random by up
/// to 0.2 an axis: forces of one order of magnitude, as in a liquid; in the cloud, the nearest triple would outweigh
/// all others. A typed law: the lattice, with masses 0.5 to 1.5, radii 0.5, charges 1 and -1.
Bodies force_bench_bodies(const BenchSpec& spec);

/// Spheres of different radii, or intervals in one dimension, with about one contact a body, in float64.
Bodies collision_bench_bodies(const BenchSpec& spec);

/// Random points in the unit cube, representable in the spec's precision.
PointSet distance_bench_points(const BenchSpec& spec);

/// Sums over the whole output, [n] each: accelerations if the law weighs masses, else forces.
struct TypedSums {
  std::vector<double> x, y, z;
};

/// Sums over bodies i of |e_i|^2 and |a_i|^2, where a_i is what is expected and e_i the error; and the largest |e_i|^2,
/// infinity or NaN for a result that is not finite.
struct ForceErrors {
  double differences = 0, squares = 0, largest = 0;
};
ForceErrors force_errors(const TypedSums& got, const TypedSums& expected);
/// Whether they are those of rounding: rms and largest, relative to the rms of n expected vectors.
BenchCheck force_check(const ForceErrors& errors, u64 n, Precision precision, const char* reference);

/// Throws ConfigError where the tree cannot compute a spec with pairs == tree on this map.
void check_tree(const BenchSpec& spec, TriangleMapId map);
EngineConfig tree_config(const BenchSpec& spec, TriangleMapId map);
/// Accelerations beside those by all pairs in float64: of at most `most` bodies with mass, the last among them.
ForceErrors sampled_errors(const TypedSums& got, const Bodies& bodies, const GravityParams& gravity, u64* sampled,
                           u64 most = 1000);
/// The rms error, relative to the rms of what is expected.
double rms_of(const ForceErrors& errors);
/// Whether the rms error keeps the promise of the tree.
BenchCheck tree_check(const ForceErrors& errors, const BenchSpec& spec, const char* reference);

/// Errors against the law's program in float64, and the total force, which is zero.
struct TypedErrors {
  double rms = 0;    ///< of the differences, relative to the rms length of the expected vectors
  double max = 0;    ///< the largest difference, likewise
  double total = 0;  ///< total force over the sum of the lengths of all forces
  bool all = false;  ///< every body was compared; else some, the last among them
};
TypedErrors typed_errors(const ForceField& field, const Bodies& bodies, const TypedSums& sums);

/// Whether they are those of rounding in this precision, and the words of a report.
BenchCheck typed_check(const TypedErrors& errors, Precision precision);

}  // namespace tri
