#pragma once
/// Memory that an engine writes drawable instances into: host memory, or a mapped GL buffer. The sim state itself
/// never lives there.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/backend/ranks.hpp"
#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/table_memory.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/diagnostics.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

/// One body as the renderer draws it. 32 bytes, the layout of a GL instance buffer.
struct Instance {
  float x, y, z, radius;  ///< scene units
  float speed;            ///< |v|
  float acceleration;     ///< |a| of the last force evaluation
  float mass;             ///< or what the sink asks for in its place
  u32 id;                 ///< index in the scene
};
static_assert(sizeof(Instance) == 32);

/// What is published as Instance::mass. group: 0 where the bodies have none. contacts: with how many others a body is
/// in contact now, 0 under laws without contact; it takes a search of its own at each publishing.
enum class InstanceScalar : u8 { mass, group, contacts };

/// Where to write, and where that memory is.
struct InstanceSink {
  enum class Place : u8 { host, cuda_device } place = Place::host;
  std::span<Instance> instances;  ///< [n] of the engine's bodies, or larger
  InstanceScalar scalar = InstanceScalar::mass;
  /// For cuda_device, a cudaStream_t: the memory is free once what it holds is done, and what it gets later finds the
  /// instances written; publish() then waits for nothing. Null: the memory is free, and written when publish() returns.
  void* stream = nullptr;
};

// Whether a map can be used: a function of the map, the size and what the engine asks of maps. Engines refuse by it,
// and the app shows it before anything is configured.

/// What an engine asks of the maps of one domain.
struct MapLimits {
  u32 block = 1;                     ///< side of its tiles in elements
  bool tiles_only = false;           ///< it works in tiles, which thread-space maps do not have
  u64 table_bytes = table_memory();  ///< that the table of a map may take
  std::string no_typed = {};         ///< why its kernels take no typed maps, and what to use; empty: they do
};

/// One sentence that says why the map cannot be used for n elements and what to use instead; empty when it can.
std::string map_refusal(const MapInfo& map, u64 n, const MapLimits& limits);

// Where sums on tensor cores apply: a function of law and configuration, which engines refuse by.

/// One sentence that says why neither gravity nor triples can be computed on tensor cores and what to use instead;
/// empty when they can, on a backend that has them.
std::string tensor_refusal(const ForceField& field, const EngineConfig& config);

/// One sentence that says why the tree cannot compute this and what to use instead; empty when it can.
std::string tree_refusal(const ForceField& field, const EngineConfig& config);

/// How gravity meets its pairs: what is asked for, or the tree for a tolerance from tree_from bodies on, where it is
/// faster. Throws ConfigError for a tolerance that neither way keeps.
PairSearch choose_pairs(const EngineConfig& config, const ForceField& field, u64 n, u64 tree_from);

/// Who meets whom in a walk of the tree, for pictures: rectangles of leaves, which are neighbours on the curve.
struct TreePicture {
  struct Piece {
    u32 row = 0, rows = 0, col = 0, cols = 0;  ///< leaves; row >= col
    u32 order = 0;                             ///< of the series; 0: near, each pair by itself
    double error = 0;  ///< of a series, at most about so much of the least acceleration that its bodies may expect
  };
  u32 leaf = 0;    ///< bodies of a leaf; the last may have fewer
  u32 leaves = 0;  ///< a side: those of the first bodies along the curve, where there are more
  u64 bodies = 0;  ///< in them
  std::vector<Piece> pieces;
};

/// Whether the bodies lie on a line, to a ten-thousandth of its length. Sums of gravity on tensor cores go along it,
/// and so through large sums of one sign, which makes them twice as inaccurate as plain ones: `automatic` is not for
/// those.
bool on_a_line(const Bodies& bodies);

/// Throws ConfigError that says that this backend has no tensor cores.
[[noreturn]] void refuse_tensor(const char* backend);

// A simulation state that lives on a backend, and the operations on it. One engine is used from one thread at a time;
// it may use many inside. Calls return when their effect is visible to the next call (a device engine may still be
// busy behind advance()). On an exception the state is that of the last completed step; but after NumericalError it
// holds the bad number, and after InterruptedError, by which a progress sink (base/progress.hpp) ends long
// evaluations, it is the one before the call.

/// Accelerations (or forces) of every body and what came out on the way.
struct ForceResult {
  std::vector<double> fx, fy, fz;  ///< [n] force on each body (mass times acceleration for gravity)
  double potential = 0;
  double virial = 0;   ///< sum r.F
  u64 work_items = 0;  ///< unordered pairs + triples met
  double ms = 0;       ///< wall or device time of the evaluation
};

/// Accelerations and jerks under gravity, and the largest squared rates of a pair (gravity.hpp).
struct JerkResult {
  std::vector<double> ax, ay, az, jx, jy, jz;  ///< [n]; accelerations include the uniform field
  double fall = 0, fly = 0;
};

/// A state that an engine keeps, in its own precision and where it works: in device memory for a device.
class SavedState {
 public:
  virtual ~SavedState() = default;
  SavedState() = default;
  SavedState(const SavedState&) = delete;
  SavedState& operator=(const SavedState&) = delete;
  virtual u64 bytes() const = 0;
};

/// The state of an engine itself, in the order of its bodies, as numbers of its precision. x of body i is at
/// position[i * body], y at position[i * body + axis]; a mass or a radius at [i * body].
struct StateArrays {
  static constexpr int kHost = -1;

  void* position = nullptr;
  void* velocity = nullptr;
  void* mass = nullptr;
  void* radius = nullptr;
  std::ptrdiff_t body = 0, axis = 0;
  int device = kHost;  ///< the GPU whose memory it is
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual std::size_t size() const = 0;
  /// With every 0 = "backend's choice" filled in, where this backend has such work.
  virtual const EngineConfig& config() const = 0;

  /// What map_refusal() needs to say which maps fit under the present field and configuration.
  virtual MapLimits map_limits(Domain domain) const {
    return {domain == Domain::tetrahedron ? config().triple_block : config().pair_block};
  }

  /// Changes map, block, accumulation or threads (not the precision: ConfigError). Keeps the state. When it throws,
  /// the configuration is the earlier one.
  virtual void configure(const EngineConfig& config) = 0;
  /// Changes laws and parameters. Keeps the state. When it throws, the field is the earlier one.
  virtual void set_field(const ForceField& field) = 0;

  /// Takes `steps` steps of dt (dt < 0 runs backwards). Throws NumericalError naming the first bad body and the
  /// number of the step within this call.
  virtual void advance(Integrator integrator, double dt, u64 steps) = 0;

  /// Takes one step of a length that follows from the motion, by kdk or hermite. Throws as advance() does, and
  /// ConfigError with scheme_refusal(). The next length is part of the state: a run that gives it goes on bit for bit.
  virtual StepTaken advance_auto(Integrator integrator, const AutoStep& step);

  /// How many steps a call of advance() should take, so that the cost of a call is negligible and the caller still gets
  /// control some hundred times a second. 1 unless the engine knows better; changes with its speed.
  virtual u64 steps_at_once() const { return 1; }

  /// Whether this engine has all bodies as they are. If not, since each of several ranks moves some of them, all ranks
  /// call make_whole() before read(), save_state(), publish() and state_hash(); the other calls see to it themselves.
  virtual bool is_whole() const { return true; }
  virtual void make_whole() {}

  virtual Diagnostics diagnose() = 0;  ///< of the present state
  /// Of the present state. Energies, in float64, take longer than the forces; without them both are 0.
  virtual ForceResult forces(bool energies = true) = 0;
  virtual JerkResult jerks();       ///< of the present state, in float64; throws as advance() does
  virtual Bodies read() const = 0;  ///< a copy of the state, each value exactly as held
  /// A copy of the state for restore_state(); `reuse` is memory of an earlier one of this backend, n and precision.
  /// Throws MemoryError, and ConfigError where an engine keeps none.
  virtual std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse = nullptr) const;
  /// The state becomes that kept, bit for bit, by this engine or another one of the same backend, n and precision, with
  /// the accelerations that are published. Field and configuration stay.
  virtual void restore_state(const SavedState& kept);
  /// The state itself, for others to read and write until return_borrowed(), between which the state does not change;
  /// of a device after all its work. The memory lives as long as the engine. Throws ConfigError where an engine lends
  /// none.
  virtual StateArrays borrow();
  /// Ends borrow(), after all work of the device, and goes on from what was written; discard: from the state of
  /// borrow(). Returns whether the state has changed. Throws ConfigError for numbers that make_engine() would refuse,
  /// and then the state is that of borrow().
  virtual bool return_borrowed(bool discard);
  virtual void publish(InstanceSink& sink) = 0;
  /// FNV-1a over the bits of x, y, z, vx, vy, vz, in that order, in native precision.
  virtual u64 state_hash() const = 0;
  /// When work was done, in seconds of clock_s(); both 0 where it is not known.
  struct When {
    double begin = 0, end = 0;
  };
  /// Wall or device time of the last force evaluation, integration and publish, in ms.
  struct Timing {
    double force = 0, integrate = 0, publish = 0;
    double triples = 0;  ///< the part of `force` that summed over triples
    When force_when;     ///< of that evaluation
    /// Of a device alone: the last batch of steps, and the last publish.
    When steps_when, publish_when;
    /// [ranks] what each rank took for its share of the last evaluation that was measured, without what it waited for;
    /// empty for one rank, and before there is any. Devices measure it, and tell each other at diagnose().
    std::vector<double> rank_ms;
    /// [ranks] the shares of the positions that they had in it, 0 to 1: of triples, where there are any; where each
    /// rank moves bodies of its own, those of the bodies.
    std::vector<double> rank_parts;
  };
  virtual Timing timing() const = 0;

  /// Who works on which positions of the map of a domain in the next evaluation, where ranks share it.
  virtual RankShares shares(Domain) const { return {}; }
};

}  // namespace tri
