#pragma once
/// Automata that the window shows: on fractals and on the triangle.
///
/// Settings and status of the window's view of an automaton. Panels and scripts change the settings.

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/session/sketches.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/progress.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/cells.hpp"
#include "sim/maps/fractal_shape.hpp"

namespace tri::app {

/// The pace of an automaton.
struct StepChoice {
  bool running = true;
  double speed = 30;      ///< steps per second
  u64 pending_steps = 0;  ///< requested single steps, taken even while paused
  u64 restarts = 0;       ///< number of restarts requested
};

/// Takes the requested steps, and those that are due after `seconds` as far as `budget` seconds of computation allow;
/// the rest is dropped. due: steps due at the chosen speed and not yet taken.
template <class Step>
void run_steps(StepChoice& choice, double& due, double seconds, double budget, const Step& step) {
  if (choice.running) due += choice.speed * std::min(seconds, 0.1);
  const double end = clock_s() + budget;
  while (choice.pending_steps > 0 || due >= 1) {
    step();
    if (choice.pending_steps > 0) {
      --choice.pending_steps;
    } else {
      due = clock_s() < end ? due - 1 : 0;
    }
  }
}

struct FractalChoice : StepChoice {
  std::string scene = "gasket:r=10,rule=B2/S12";  ///< spec as for `run`
  CellWork work;

  // Status, set by the view.
  u64 steps = 0;
  u64 hash = 0;       ///< FNV-1a of the state, as `run` prints it; 0 while running
  std::string error;  ///< why the last change of scene or work failed; empty if it succeeded
};

// Images of an automaton's state on a fractal at any resolution, directly from compact storage, without the n x n
// square. No window, no GL.
//
// sums[v] holds the number of live cells of each tile of s^v cells per side. In compact storage such a tile is a block
// of k^ceil(v/2) x k^floor(v/2) neighbours, so each array follows from the previous one by adding k neighbours,
// alternately along rows and columns. Reading descends from the root only as far as the texels require.

class FractalPicture {
 public:
  FractalPicture(const FractalShape& shape, u32 levels);

  u32 side() const noexcept { return side_; }
  u32 levels() const noexcept { return levels_; }
  /// cells: [k^floor(r/2)][k^ceil(r/2)] of 0 and 1.
  void update(std::span<const u8> cells);
  u64 on() const { return sums_.back().front(); }

  /// out[cols * rows]: texel (i, j) covers step x step positions from (col + i step, row + j step), in three dimensions
  /// all layers. Its value is the fraction of its cells that are on; NaN if it has no cells.
  void read(u32 col, u32 row, u32 cols, u32 rows, u32 step, std::span<float> out) const;

 private:
  struct Query;
  void descend(Query& query, u32 level, PackedCell at, const FractalCell& corner) const;

  FractalShape shape_;
  u32 levels_, side_;
  std::vector<u32> widths_;               ///< of sums_[v], in tiles
  std::vector<std::vector<u32>> sums_;    ///< [levels + 1]
  std::vector<u64> sizes_, cell_counts_;  ///< s^v and k^v
};

// An automaton on a fractal that is viewed and changed while it runs: the logic of the window's view, without a
// window. One thread.

class FractalWorld {
 public:
  using MakeBackend = std::function<std::unique_ptr<Backend>()>;
  explicit FractalWorld(MakeBackend make_backend) : make_backend_(std::move(make_backend)) {}

  /// Applies the settings: creates a new automaton for another scene or a restart, reconfigures the current one for
  /// other work. On failure nothing changes and choice.error has the reason.
  void apply(FractalChoice& choice);
  /// As run_steps().
  void advance(FractalChoice& choice, double seconds, double budget);

  /// Null until a scene has been opened.
  const Automaton* automaton() const noexcept { return automaton_.get(); }
  const std::string& backend() const noexcept { return backend_name_; }
  /// An image of the current state, updated if needed.
  const FractalPicture& picture();
  u64 changes() const noexcept { return changes_; }
  /// FNV-1a of the state, as `run` prints it.
  u64 hash() const { return cells_hash(automaton_->read()); }

 private:
  void open(const FractalChoice& choice);

  MakeBackend make_backend_;
  std::unique_ptr<Backend> backend_;
  std::string backend_name_;
  std::unique_ptr<Automaton> automaton_;
  std::unique_ptr<FractalPicture> picture_;
  std::string scene_;  ///< last requested
  CellWork work_;
  u64 restarts_ = 0;
  u64 changes_ = 0, pictured_ = ~u64{0};
  double due_ = 0;  ///< steps
};

// A life-like cellular automaton on the cells (row i, column j <= i) of a triangle, stepped tile by tile in the order
// of a map. Each cell must be visited exactly once per generation, so that a map which skips or repeats cells is
// visible.

/// "B3/S23", counts of 0 to 8 neighbours. Throws ConfigError with the form for anything else.
LifeRule triangle_rule_from(const std::string& text);

class TriangleAutomaton {
 public:
  static constexpr u32 kMinSide = 8, kMaxSide = 4096;
  static constexpr u8 kDead = 0, kAlive = 1, kWrong = 2, kOutside = 255;

  /// side: cells in the longest row. Begins as `run triangle-life` does. Cells outside of the triangle are dead.
  TriangleAutomaton(u32 side, const LifeRule& rule, u64 seed, double density = kTriangleDensity);

  /// One generation by the tiles of a trace of the triangle (tiles.side <= side()); a tile has ceil(side / tiles.side)
  /// cells per side.
  void step(const MapTrace& tiles);
  void set_rule(const LifeRule& rule) { rule_ = rule; }
  /// Sets the state of a cell; row >= col.
  void set(u32 row, u32 col, bool alive);

  u32 side() const noexcept { return side_; }
  u64 generation() const noexcept { return generation_; }
  u64 alive() const noexcept { return alive_; }
  /// Cells not visited exactly once in the last generation; they are kWrong and count as dead.
  u64 wrong() const noexcept { return wrong_; }
  /// [side * side], row by row: kDead, kAlive, kWrong, and kOutside outside of the triangle.
  std::span<const u8> cells() const noexcept { return shown_; }

 private:
  void tile(u32 row, u32 col, u32 cells);
  void show();

  u32 side_;
  LifeRule rule_;
  u64 generation_ = 0, alive_ = 0, wrong_ = 0;
  std::vector<u8> now_, next_;  ///< [(side + 2)^2] with a border of dead cells
  std::vector<u8> visits_;      ///< [(side + 2)^2] of this generation
  std::vector<u8> shown_;
};

}  // namespace tri::app
