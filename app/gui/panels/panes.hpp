#pragma once
/// The panes below the scene: domains of maps, distances, fractals, the automaton.
///
/// A pane in the lower half of the scene. One is shown at a time; all have a tab there. Each owns its choice, which
/// scripts and demonstrations change too.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/gui/base/scene_view.hpp"
#include "app/gui/panels/cell_view.hpp"
#include "app/session/automata.hpp"
#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/run_config.hpp"
#include "render/view.hpp"

namespace tri::app {
class Session;
}  // namespace tri::app

namespace tri::app::gui {

/// What a pane reads of the window.
struct PaneContext {
  const SceneView& view;
  bool dark = true;
  float scale = 1;    ///< of text and panels
  float seconds = 0;  ///< since the last frame
};

class BottomPane {
 public:
  virtual ~BottomPane() = default;
  /// Once a frame while the pane is shown, at a step boundary: computes with the session's backend. A mistake of the
  /// user becomes a notice, not an exception.
  virtual void work(Session&, const PaneContext&) {}
  /// Draws into the current ImGui window, whose cursor is at the upper left corner of `place`; may use GL.
  virtual void draw(const SessionModel& model, const PaneContext& context, const Rect& place) = 0;
};

// Screen positions of the cells of a map trace: flat grids as squares, deep ones as cubes, at first seen from a
// corner. Pure geometry, no ImGui.

/// How a figure in depth is seen: from where, in radians, and without how many layers z, from above.
struct DeepView {
  float yaw = kCornerYaw, pitch = kCornerPitch;
  u32 removed = 0;
};

/// A square, or a cube given by its centre. Greater `depth` is nearer and hides what is behind.
struct Spot {
  float x = 0, y = 0;  ///< of its centre, in pixels
  float depth = 0;
  u32 index = 0;  ///< of the cell or tile
};

struct GridLayout {
  using Offset = std::array<float, 2>;
  bool deep = false;
  float size = 0;                 ///< side of a square, or edge of a cube seen from its corner, in pixels
  std::array<Offset, 3> edges{};  ///< of a cube along x, y and z, towards the viewer, in pixels
  std::vector<Spot> spots;        ///< in drawing order: the nearest last

  /// Those that cover a point, the nearest first; in a flat layout one at most.
  std::vector<u32> at(float x, float y) const;
  /// The face of a cube across the axis, which is towards the viewer, as four corners around it.
  std::array<Offset, 4> face(const Spot& cube, std::size_t axis) const;
  /// The outline of a cube.
  std::array<Offset, 6> outline(const Spot& cube) const;
};

/// Made once and kept: of a map of this domain, with so many tiles a side.
const MapTrace& trace_for(tri::Domain domain, u32 map, u32 side);
/// Parallel space: each launch as its grid; a long row of blocks wraps into rows of about equal length.
GridLayout place_cells(const MapTrace& picture, const Rect& place, const DeepView& view = {});
/// Data space.
GridLayout place_tiles(const MapTrace& picture, const Rect& place, const DeepView& view = {});

// How the blocks and tiles of a map are painted: by omega in viridis or by rank, idle blocks grey and struck through,
// those not launched yet as outlines.

/// The colour of the block omega of `of` blocks.
ImU32 omega_colour(u32 omega, std::size_t of);

/// Parallel space, after `launched` blocks. A block launched last has a white edge, where `last` is set. owners:
/// [cells] the rank that works on each, for colours and numbers of ranks in place of omega; empty: omega.
void paint_cells(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, u32 launched, bool last = false,
                 std::span<const u32> owners = {});
/// Data space, likewise.
void paint_tiles(ImDrawList& draw, const MapTrace& trace, const GridLayout& tiles, u32 launched, bool last = false,
                 std::span<const u32> owners = {});
/// Light and dark of a ring; one of them has a contrast of 3 or more on every colour that is drawn.
inline constexpr ImU32 kRingInks[] = {IM_COL32(255, 255, 255, 255), IM_COL32(0x0e, 0x11, 0x16, 255)};
/// A ring around a square or a cube; drawn last, so that a cube behind others shows where it is.
void mark_spot(ImDrawList& draw, const GridLayout& map, const Spot& spot);

/// Rings around a block and its tiles, and arrows between them.
void link_block(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, const GridLayout& tiles, u32 block,
                float scale);
/// The numbers of blocks, where there is room; not all: the first and the last of each row.
void paint_numbers(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, u32 launched, bool all);
/// "block omega = 52: row 9, column 7".
std::string block_text(const MapTrace& trace, u32 omega);

/// How many of the first `launched` blocks have a tile.
u32 useful_of(const MapTrace& trace, u32 launched);

// Parallel space beside data space: the blocks that a map launches, in launch order, and the tiles they are mapped to.
// Colours are those of omega, or of the ranks that share a run. Point at a block to see its tile; run omega to see the
// order. A drag turns figures in depth, and a slider takes their layers off.

/// The blocks under the pointer, by omega: the visible one, and those that it hides, the nearest first.
struct PointedBlocks {
  std::optional<u32> visible;
  std::vector<u32> hidden;
};
/// covering: blocks whose cell or tile covers the pointer, the nearest first. Those not launched yet are drawn faint
/// and hide nothing, so the nearest launched one is the visible one, and without one the nearest.
PointedBlocks pointed_blocks(const std::vector<u32>& covering, u32 launched);
/// The same of the blocks and tiles under the pointer, in the current window.
PointedBlocks blocks_at_pointer(const MapTrace& trace, const GridLayout& cells, const GridLayout& tiles, u32 launched);

/// A drag that begins in `place` turns the figures, a double click there turns them back. In the current window;
/// not empty.
void turn_figures(DomainChoice& choice, const Rect& place);

class DomainView final : public BottomPane {
 public:
  explicit DomainView(DomainChoice& choice) : choice_(choice) {}
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Key {
    Domain domain = Domain::triangle;
    u32 map = 0, side = 0;
    RankShares shares = {};
    bool operator==(const Key&) const = default;
  };
  Key wanted(const SessionModel& model) const;
  void controls(const SessionModel& model, float seconds);
  void choose_map(const Key& key, float width);
  void omega_controls(float unit, float seconds);
  void depth_controls(float unit);
  void rank_controls(float unit);
  void legend(const SessionModel& model, const Rect& line) const;
  /// [cells] what the colours show; empty: omega.
  std::span<const u32> shown_owners() const;
  void describe(const Key& key, const PointedBlocks& pointed) const;
  std::string text_of(u32 cell) const;

  DomainChoice& choice_;
  std::optional<Key> made_;
  MapTrace trace_;
  std::vector<u32> owners_;  ///< [cells] of several ranks; else empty
};

// Distances of the bodies in view as a heat map with a row and a column per body, computed by the session's backend
// with the map in use.

/// Indices of the bodies whose centre the camera sees in a picture of this aspect, ascending; of more than `most`, an
/// even sample of that size.
std::vector<u32> bodies_in_view(std::span<const Instance> bodies, const render::Camera& camera, float aspect, u32 most);

/// Sorts bodies by their distance from the mean of their positions, the nearest first.
void sort_by_centre(std::span<const Instance> bodies, std::vector<u32>& numbers);

class DistanceView final : public BottomPane {
 public:
  explicit DistanceView(DistanceChoice& choice) : choice_(choice) {}
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return static_cast<u32>(bodies.size()); }
    u32 height() const override { return width(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    void find_range();
    std::vector<u32> bodies;    ///< indices, in the order of rows and columns
    std::vector<float> square;  ///< [bodies.size()^2]
    float least = 1, most = 1;  ///< range of colours
    std::string length;         ///< unit behind a distance, with its space
    u64 pairs = 0;              ///< computed, in ms
    double ms = 0;
    u64 changes = 0;
  };
  /// What the picture depends on; a change recomputes it.
  struct Key {
    u64 generation = 0, steps = 0;
    double time = 0;
    u32 most = 0;
    bool by_centre = false;
    TriangleMapId map = TriangleMapId::bb;
    glm::vec3 target{0};
    float distance = 0, yaw = 0, pitch = 0, aspect = 1;
    bool operator==(const Key&) const = default;
  };
  void compute(Session& session, const SceneView& view);
  std::string text(const SessionModel& model) const;

  DistanceChoice& choice_;
  CellView view_;
  Source source_;
  std::string refusal_;  ///< where there is no picture
  std::optional<Key> made_;
  double waited_ = 0, cost_ = 0;  ///< seconds since the last computation, and that it took
};

// Who meets whom in the tree: a row and a column a leaf, along the curve. Rectangles in the colour of the order of
// their series, and near leaves.

/// What the tip says of a piece: the bodies of its nodes, and how they meet.
std::string piece_text(const TreePicture& picture, const TreePicture::Piece& piece);
/// The key of the picture: the colour of near leaves, and of each order from 2 on, by a ramp that begins with order 0.
void tree_key(const CellPaint& paint);

class TreeView final : public BottomPane {
 public:
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return picture.leaves; }
    u32 height() const override { return picture.leaves; }
    u64 version() const override { return changes; }
    /// The cell in the middle of each texel: means of orders would be orders of none.
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    void fill();
    TreePicture picture;
    std::vector<u32> piece;  ///< [leaves^2] which one has the cell, or kNoPiece
    u32 highest = 1;         ///< order
    u64 near = 0;            ///< pieces
    u64 changes = 0;
  };
  struct Key {
    u64 generation = 0, steps = 0;
    double time = 0;
    Tolerance tolerance = Tolerance::automatic;
    Precision precision = Precision::fp32;
    PairLaw pair = PairLaw::gravity;
    Boundary boundary = Boundary::open;
    double softening = 0;
    bool operator==(const Key&) const = default;
  };
  std::string text(u64 all) const;

  CellView view_;
  Source source_;
  std::string refusal_;  ///< where there is no picture
  std::optional<Key> made_;
  double waited_ = 0, cost_ = 0;  ///< seconds since the last computation, and that it took
};

// The automaton on a fractal (automata.hpp), as a picture to zoom and pan.

class FractalView final : public BottomPane {
 public:
  /// common: backend and device. Both must outlive the view.
  FractalView(FractalChoice& choice, const CommonOptions& common)
      : choice_(choice), world_([&common] { return open_backend(on_one_device(common)); }) {}
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return picture->side(); }
    u32 height() const override { return picture->side(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    const FractalPicture* picture = nullptr;
    u64 changes = 0;
  };

  FractalChoice& choice_;
  FractalWorld world_;
  CellView view_;
  Source source_;
};

// The automaton on the triangle (automata.hpp), stepped tile by tile by the map in use.

class TriangleAutomatonView final : public BottomPane {
 public:
  explicit TriangleAutomatonView(AutomatonChoice& choice) : choice_(choice) {}
  void work(Session& session, const PaneContext& context) override;
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place) override;

 private:
  struct Source final : CellSource {
    u32 width() const override { return automaton->side(); }
    u32 height() const override { return automaton->side(); }
    u64 version() const override { return changes; }
    void read(const CellWindow& window, std::span<float> texels) const override;
    std::string describe(Cell cell) const override;
    std::optional<TriangleAutomaton> automaton;
    u64 changes = 0;
  };
  void apply_choice();

  AutomatonChoice& choice_;
  CellView view_;
  Source source_;
  MapTrace tiles_;
  std::optional<TriangleMapId> map_;  ///< of the tiles
  AutomatonChoice applied_;
  double owed_ = 0;  ///< generations due at the chosen speed and not yet taken
};

// The bottom panes, in a table: a new one is a class and a row.

struct PaneRow {
  const char* name;  ///< on the tab and in scripts
  const char* about;
  std::unique_ptr<BottomPane> (*make)(PaneChoices& choices, const CommonOptions& common);
};
std::span<const PaneRow> pane_rows();

/// Shows the pane of that name; an unknown name changes nothing.
void show_pane(std::string_view name, PaneChoices& choices);

class BottomPanes {
 public:
  /// choices and common must outlive the panes.
  BottomPanes(PaneChoices& choices, const CommonOptions& common);
  void work(Session& session, const PaneContext& context);
  /// Draws the tabs, and the pane below them, over `place`.
  void draw(const SessionModel& model, const PaneContext& context, const Rect& place);

 private:
  PaneChoices& choices_;
  std::vector<std::unique_ptr<BottomPane>> panes_;
};

}  // namespace tri::app::gui
