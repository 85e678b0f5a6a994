#pragma once
/// Automata on fractals and on the triangle: specification, interface, rules as text.
///
/// A cellular automaton on the cells of a fractal: its specification, and the interface that a backend implements. In
/// place of a rule of life the cells may be spins (spins.hpp), and in place of a fractal there may be the triangle
/// (i >= j), whose cells in compact order are its rows one after another.
///
/// Two storages hold the same cells. Embedded: one byte per cell of the square (cube) of side s^r, row-major, 0 where
/// the fractal has no cell. Compact: k^floor(r/2) rows of k^ceil(r/2) bytes, one per cell of the fractal. Both give the
/// same states step by step, on every backend, map, placement and block.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/user_values.hpp"
#include "sim/fractal/cells.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/fractal/spins.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

enum class CellStorage : u8 { embedded, compact };
constexpr auto enum_table(GasketPlacement) {
  return enum_names<GasketPlacement>("placement", "subbox", "lut", "unroll", "sectors");
}
constexpr auto enum_table(SpinNeighbours) { return enum_names<SpinNeighbours>("neighbours", "all", "faces"); }
constexpr auto enum_table(CellStorage) { return enum_names<CellStorage>("storage", "embedded", "compact"); }

/// How the work is done, as opposed to what is computed; may change between steps.
struct CellWork {
  GasketMapId map = GasketMapId::gasket_stream;
  GasketPlacement placement = GasketPlacement::lut;
  u32 block = 0;    ///< tile side in cells; 0 = the backend's choice
  u32 threads = 0;  ///< host threads of the cpu backend; 0 = as many as the process may use
  TriangleMapId triangle_map = TriangleMapId::lambda;  ///< in the place of map on the triangle
};

/// Density of the first state of kTriangleLife, unless another is given.
inline constexpr double kTriangleDensity = 0.3;

struct AutomatonSpec {
  Fractal fractal;
  u32 levels = 10;  ///< r
  LifeRule rule;
  double density = 1.0 / 3;  ///< fraction of cells that are on initially, 0..1
  u64 seed = 42;
  CellStorage storage = CellStorage::compact;
  CellWork work;
  u32 triangle = 0;                   ///< side of the triangle that has the cells; 0 = the fractal has them
  std::optional<double> temperature;  ///< the cells are spins, and a step is a sweep; > 0
  SpinNeighbours neighbours = SpinNeighbours::all;  ///< of spins

  u64 cells() const;
  /// Bytes of one state in its storage, and in embedded storage.
  double bytes() const;
  double embedded_bytes() const;
  SpinRule spins() const { return spin_rule(*temperature, neighbours, seed); }
};

/// Use from one thread at a time. After an exception the state is that of the last complete step.
class Automaton {
 public:
  virtual ~Automaton() = default;
  Automaton() = default;
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  /// The spec with defaults resolved (no 0 left).
  virtual const AutomatonSpec& spec() const = 0;
  /// Changes map, placement, block or threads; keeps the state. Throws ConfigError and then changes nothing.
  virtual void configure(const CellWork& work) = 0;
  virtual void set_rule(const LifeRule& rule) = 0;
  /// A progress sink (base/progress.hpp) may end a step on the cpu, which is then not taken.
  virtual void step(u64 steps) = 0;
  /// The state in compact order: [k^floor(r/2)][k^ceil(r/2)] bytes of 0 and 1.
  virtual std::vector<u8> read() const = 0;
  /// Milliseconds per step of the last step() call, by the backend's best clock; 0 before the first.
  virtual double step_ms() const = 0;
  /// Of a state of spins.
  virtual SpinSums spin_sums() const = 0;
};

/// The initial state in compact order: each cell is on with probability `density`, decided by a hash of its index and
/// the seed alone.
std::vector<u8> initial_cells(const AutomatonSpec& spec);

/// Row by row, each on with probability `density`, by one splitmix64 of the seed.
std::vector<u8> first_triangle_cells(u32 side, double density, u64 seed);

/// Rows of a triangle as a square with a border of cells that are off: (side + 2)^2 bytes, cell (i, j) at (i + 1, j +
/// 1), and back.
std::vector<u8> spread_triangle(const std::vector<u8>& rows, u32 side);
std::vector<u8> gather_triangle(const std::vector<u8>& square, u32 side);

/// Throws ConfigError for an invalid spec: levels or density out of range, a block that is not a tile side or whose box
/// is too large, a placement for constant writes only, a temperature of 0 or less. Expects spec.work.block > 0.
FractalGrid check_automaton(const AutomatonSpec& spec);
/// The same of a triangle, for side, density and rule.
void check_triangle_automaton(const AutomatonSpec& spec);

/// The automaton on the triangle, as a scene is named.
inline constexpr const char* kTriangleLife = "triangle-life";

/// Whether a scene spec names an automaton: a name of list_fractals(), "fractal" for a file, or kTriangleLife, before
/// any ':'.
bool names_automaton(const std::string& text);

/// The keys of such a spec, for lists and help: on a fractal, and on the triangle.
inline constexpr const char* kAutomatonKeys =
    "r=10 (vicsek, carpet 6, gasket-3d 7, menger 4), rule=B3/S23, density=0.333333, seed=42, storage=compact, "
    "placement=lut, temperature=T (of spins that have no rule), neighbours=all (of spins)";
inline constexpr const char* kTriangleKeys = "n=512, rule=B3/S23, density=0.3, seed=42";

/// Parses "NAME" or "NAME:key=value,..." with the keys r (levels), rule, density, seed, storage, placement,
/// temperature, neighbours, and file for the name "fractal"; on the triangle n, rule, density, seed. Throws ConfigError
/// for an unknown or repeated key or a value out of range, FileError for a file.
AutomatonSpec automaton_from(const std::string& text);

/// FNV-1a over the cells in compact order: the same for both storages.
u64 cells_hash(const std::vector<u8>& cells);

/// A picture of a state in compact order as a PNG file: on, off, and what is no cell, one pixel a position. Throws
/// ConfigError for three dimensions and for more than 16,384 positions a side.
std::string cells_png(const AutomatonSpec& spec, const std::vector<u8>& cells);

/// "1.3 MiB, 100 times less than the 128 MiB of embedded storage".
std::string memory_text(const AutomatonSpec& spec);

// Rules of automata as users write them.

/// Parses "B3/S23"; counts above 9 (three dimensions) need dots: "B4.5/S3.10". Either part may be empty. Throws
/// ConfigError with the syntax.
LifeRule life_rule_from(std::string_view text);
std::string to_string(const LifeRule& rule);

}  // namespace tri
