#pragma once
/// A cellular automaton on the cells of a fractal: what it is, and the object a backend makes of it.
///
/// Two storages hold the same cells. Embedded: a byte a cell of the square (cube) of s^r a side, row by row, 0 where
/// the fractal has no cell. Compact: k^floor(r/2) rows of k^ceil(r/2) bytes, each of them a cell. Both give the same
/// states step by step, on every backend, map, placement and block.

#include <string>
#include <vector>

#include "sim/fractal/fractal.hpp"
#include "sim/fractal/life_rule.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

enum class CellStorage : u8 { embedded, compact };
const char* to_string(CellStorage storage);               ///< "embedded", "compact"
CellStorage cell_storage_from(const std::string& name);   ///< throws ConfigError with the names
const char* to_string(GasketPlacement placement);         ///< "subbox", "lut", "unroll", "sectors"
GasketPlacement placement_from(const std::string& name);  ///< throws ConfigError with the names

/// How the work is done, as opposed to what is computed: may change between two steps.
struct CellWork {
  GasketMapId map = GasketMapId::gasket_stream;
  GasketPlacement placement = GasketPlacement::lut;
  u32 block = 0;    ///< tile side in cells; 0 = the backend's choice
  u32 threads = 0;  ///< host threads of the cpu backend; 0 = as many as the process may use
};

struct AutomatonSpec {
  Fractal fractal;
  u32 levels = 10;  ///< r
  LifeRule rule;
  double density = 1.0 / 3;  ///< of cells that are on at first, 0..1
  u64 seed = 42;
  CellStorage storage = CellStorage::compact;
  CellWork work;

  u64 cells() const { return fractal_cells(fractal.shape, levels); }
  /// Of one state in its storage, and of one in embedded storage.
  double bytes() const;
  double embedded_bytes() const { return embedded_cells(fractal.shape, levels); }
};

/// One automaton is used from one thread at a time. The state on an exception is that of the last whole step.
class Automaton {
 public:
  virtual ~Automaton() = default;
  Automaton() = default;
  Automaton(const Automaton&) = delete;
  Automaton& operator=(const Automaton&) = delete;

  /// With every 0 filled in.
  virtual const AutomatonSpec& spec() const = 0;
  /// Changes map, placement, block or threads; keeps the state. Throws ConfigError and keeps everything.
  virtual void configure(const CellWork& work) = 0;
  virtual void set_rule(const LifeRule& rule) = 0;
  virtual void step(u64 steps) = 0;
  /// The state in compact order: [k^floor(r/2)][k^ceil(r/2)] bytes of 0 and 1.
  virtual std::vector<u8> read() const = 0;
  /// Milliseconds that the last step() took for each of its steps, by the backend's best clock; 0 before.
  virtual double step_ms() const = 0;
};

/// The first state in compact order: cell (x, y) is on with the chance `density`, decided by a hash of its number and
/// the seed alone.
std::vector<u8> first_cells(const AutomatonSpec& spec);

/// Throws ConfigError when the automaton of this spec cannot be: levels or density out of range, a block that is no
/// tile or whose box is too large, a placement for constant writes only. Fills in no block: `spec.work.block` is > 0.
FractalGrid check_automaton(const AutomatonSpec& spec);

/// Whether a scene's text names an automaton: a name of list_fractals(), or "fractal" for a file, before any ':'.
bool names_automaton(const std::string& text);

/// The keys of such a text, for lists and help.
inline constexpr const char* kAutomatonKeys =
    "r=10 (vicsek, carpet 6, gasket-3d 7), rule=B3/S23, density=0.333333, seed=42, storage=compact, placement=lut";

/// From "NAME" or "NAME:key=value,...": levels r, rule, density, seed, storage, placement, and file for the name
/// "fractal". Throws ConfigError for an unknown key, a key given twice and a value out of range, FileError for a file.
AutomatonSpec automaton_from(const std::string& text);

/// FNV-1a over the cells in compact order: the same for both storages.
u64 cells_hash(const std::vector<u8>& cells);

/// "1.3 MiB, 100 times less than the 128 MiB of embedded storage".
std::string memory_text(const AutomatonSpec& spec);

}  // namespace tri
