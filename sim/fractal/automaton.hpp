#pragma once
/// Automata on fractals and on the triangle: specification, interface, rules as text.
///
/// A cellular automaton on the cells of a fractal: its specification, and the interface that a backend implements. In
/// place of a rule of life the cells may be spins, and in place of a fractal there may be the triangle
/// (i >= j), whose cells in compact order are its rows one after another.
///
/// Two storages hold the same cells. Embedded: one byte per cell of the square (cube) of side s^r, row-major, 0 where
/// the fractal has no cell. Compact: k^floor(r/2) rows of k^ceil(r/2) bytes, one per cell of the fractal. Both give the
/// same states step by step, on every backend, map, placement and block.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"
#include "sim/fractal/cells.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

// Spins on the cells of a fractal by Metropolis' Monte Carlo: E = -(sum over neighbouring cells of s_i s_j), s = 1 or
// -1, at a temperature in units of the coupling.
//
// A sweep asks each spin once, colour by colour. The colour of a cell is its lowest digit in base k, so F(k, s) brings
// its own k colours: cells of one colour are s >= 2 positions apart, so none is a neighbour of another, and all of
// them may turn at once. In compact storage a colour is every k-th column.
//
//     colours of the gasket      0 .          a spin is asked with the random number of (seed, cell, sweep), whoever
//                                1 2          asks it: map, block, threads and backend change no bit
//     0 . 0 .
//     1 2 1 2

/// The first word of Philox 4x32-10, the generator without a state of Salmon et al. 2011, for a counter of 128 bits.
TRI_HD constexpr u32 random_word(u64 key, u64 low, u64 high) {
  u32 c0 = static_cast<u32>(low), c1 = static_cast<u32>(low >> 32);
  u32 c2 = static_cast<u32>(high), c3 = static_cast<u32>(high >> 32);
  u32 k0 = static_cast<u32>(key), k1 = static_cast<u32>(key >> 32);
  for (u32 round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const u64 first = u64{0xD2511F53u} * c0, second = u64{0xCD9E8D57u} * c2;
    c0 = static_cast<u32>(second >> 32) ^ c1 ^ k0;
    c1 = static_cast<u32>(second);
    c2 = static_cast<u32>(first >> 32) ^ c3 ^ k1;
    c3 = static_cast<u32>(first);
  }
  return c0;
}

/// Which positions around a cell are its neighbours.
enum class SpinNeighbours : u8 {
  all,    ///< the 8 (26) of automata
  faces,  ///< the 4 (6) that share a side with it
};

/// What a box around a tile holds: how many neighbours there are and how many of them are up follow from one sum.
TRI_HD constexpr u8 boxed_spin(u32 up) { return static_cast<u8>(up != 0 ? 33 : 1); }

struct SpinRule {
  static constexpr u32 kMaxNeighbours = 26;

  u64 seed = 0;
  SpinNeighbours neighbours = SpinNeighbours::all;
  /// accept[h]: a spin turns against h more parallel neighbours than others if its random word is below; [0] is unused.
  u32 accept[kMaxNeighbours + 1] = {};

  /// s_i times the sum of its neighbours' s_j; `boxed` is the sum of their boxed_spin().
  TRI_HD static constexpr int alignment(u32 up, u32 boxed) {
    const int sum = static_cast<int>(2 * (boxed >> 5)) - static_cast<int>(boxed & 31u);
    return up != 0 ? sum : -sum;
  }
  /// The spin after it was asked; cell: its number in compact order.
  TRI_HD constexpr u8 next(u32 up, u32 boxed, u64 cell, u64 sweep) const {
    const int h = alignment(up, boxed);
    return static_cast<u8>(h <= 0 || random_word(seed, cell, sweep) < accept[h] ? 1 - up : up);
  }
};

/// temperature > 0; the table is computed here once, so that no backend rounds it otherwise.
SpinRule spin_rule(double temperature, SpinNeighbours neighbours, u64 seed);

/// Exact sums over a state.
struct SpinSums {
  i64 magnetisation = 0;  ///< sum of s_i
  i64 alignment = 0;      ///< sum over i of s_i times the sum of its neighbours
  i64 energy() const { return -alignment / 2; }
  friend bool operator==(const SpinSums&, const SpinSums&) = default;
};

/// A quantity over the second half of a run.
struct SpinMean {
  double mean = 0, error = 0;  ///< error: of the mean, from 16 bins
};
SpinMean second_half(const std::vector<double>& values);

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

/// The side of the picture of a state. Throws ConfigError for three dimensions and for more than 16,384 positions.
u64 picture_side(const AutomatonSpec& spec);

/// A picture of a state in compact order as a PNG file: on, off, and what is no cell, one pixel a position. Throws what
/// picture_side() throws.
std::string cells_png(const AutomatonSpec& spec, const std::vector<u8>& cells);

/// "1.3 MiB, 100 times less than the 128 MiB of embedded storage".
std::string memory_text(const AutomatonSpec& spec);

// Rules of automata as users write them.

/// Parses "B3/S23"; counts above 9 (three dimensions) need dots: "B4.5/S3.10". Either part may be empty. Throws
/// ConfigError with the syntax.
LifeRule life_rule_from(std::string_view text);
std::string to_string(const LifeRule& rule);

}  // namespace tri
