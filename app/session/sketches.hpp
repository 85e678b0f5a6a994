#pragma once
/// What panes show, as data: counts and traces of maps, sketches of laws, predicted paths. Pure functions.

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/backend/ranks.hpp"
#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/bodies.hpp"
#include "sim/text/law.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {

// How many blocks a map launches for a side, and how many of them find a tile, by the map's id.

/// side: tiles a side, >= 1; elements for maps of threads. A persistent map counts as one position. Needs no table.
LaunchCounts map_counts(TriangleMapId map, u64 side);
LaunchCounts map_counts(TetraMapId map, u64 side);

// What an editor shows of a typed law: whether its text makes one, and its energy and force over the distance.

/// What is wrong with a text.
struct TextFault {
  std::string error;  ///< in one sentence with line and column; empty: nothing
  std::string line;   ///< the line of the text that the error is in; empty: of no line
  u32 column = 0;     ///< and where in it, in bytes from its start
};

/// Of pairs: bodies of mass 1, radius 1/2 and charge 1 at the distance r. Of triples: equilateral triangles of side r.
struct LawSketch : TextFault {
  expression::TypedLaw law;  ///< empty: the text makes none
};

/// Never throws for a text, whatever is wrong with it. Takes a millisecond or so.
LawSketch sketch_law(std::string_view text, expression::Over over);

/// Distances that show what is particular to the law: around its lowest energy if it has a well, up to its cut-off if
/// it has one, else around 1.
struct LawRange {
  double from = 0, to = 0;
};
LawRange usual_range(const expression::TypedLaw& law);

/// Energy and force as law_curves() has them. Values that are not finite, or more than four times as far from 0 as the
/// median, are NaN, so that a repulsive core does not flatten the well.
expression::LawCurves sketch_curves(const expression::TypedLaw& law, const LawRange& range, u32 points = 240);

// The trace of a map: every position of its launches and the tiles it maps to, in launch order. Drawn by the domain
// view. Numbers only; a pure function of map and side.

/// A tile in data space. Pairs and gasket: x column, y row, z 0. Triples: x <= y <= z.
struct TraceTile {
  u32 x = 0, y = 0, z = 0;
  u32 cell = 0;  ///< index of its position
  bool diagonal = false;
};

/// A position in parallel space.
struct TracePosition {
  Position at;
  u32 first = 0, count = 0;  ///< its tiles; count 0: idle
};

struct MapTrace {
  tri::Domain domain = tri::Domain::triangle;
  u32 side = 0;  ///< tiles per side
  std::vector<Launch> launches;
  std::vector<TracePosition> cells;  ///< in launch order: omega is the index
  std::vector<TraceTile> tiles;      ///< in the order of their positions
  u32 useful() const;                ///< positions with a tile
};

/// side: tiles per side, 1 to kMaxTriangleSide or kMaxTetraSide; levels: of the gasket, 0 to kMaxLevels, its side is
/// 2^levels. workers: of persistent maps.
inline constexpr u32 kMaxTriangleSide = 64, kMaxTetraSide = 16, kMaxLevels = 6;
inline constexpr u32 kTraceWorkers = 4;
MapTrace trace_map(TriangleMapId map, u32 side, u32 workers = kTraceWorkers);
MapTrace trace_map(TetraMapId map, u32 side, u32 workers = kTraceWorkers);
MapTrace trace_map(GasketMapId map, u32 levels, u32 workers = kTraceWorkers);
/// The map of that number in its domain; side: levels for the gasket.
MapTrace trace_map(tri::Domain domain, u32 map, u32 side, u32 workers = kTraceWorkers);

/// [cells] the rank that works on each position.
std::vector<u32> owners(const MapTrace& trace, const RankShares& shares);
/// Workers of a persistent map that so many ranks share, a whole number for each and enough to show uneven shares.
u32 trace_workers(u32 ranks);

// What an editor shows of a map file: what is wrong with its text, and at one side its proof and its order.

/// A tile of the domain, and who meets it.
struct SketchTile {
  u32 row = 0, col = 0, layer = 0;
  u64 omega = 0;  ///< the first position that meets it
  u32 times = 0;  ///< 0: it is missed
};

/// Of what the tiles are: those of the map's domain, or of Menger's sponge, with rows, columns and layers.
enum class SketchOf : u8 { domain, sponge };

/// The fault of the text, or why this side cannot be proved.
struct MapSketch : TextFault {
  std::shared_ptr<const mapfile::MapFile> map;  ///< null: the text is none
  mapfile::Proof proof;
  std::vector<SketchTile> tiles;  ///< all of the domain in the order of rows (layers); empty with an error
  /// Every block, and these tiles in the same order: a block of a tile that was met before has that tile, too, and a
  /// missed tile has kNoBlock.
  MapTrace trace;
  std::vector<u32> strays;  ///< blocks that are sent outside or have no value
};
inline constexpr u32 kNoBlock = ~0u;
/// Blocks of a sketch and of a trace. No built-in map has as many at their sides; a text may launch what it likes.
inline constexpr u64 kMaxTraced = u64{1} << 20;

/// The largest side of a sketch, by domain: its proof takes no noticeable time.
constexpr u32 most_sketched(Domain domain) {
  return domain == Domain::triangle ? 64 : domain == Domain::tetrahedron ? 12 : 64;
}

/// Never throws for a text, whatever is wrong with it. side: 1 and more; a larger one than most_sketched() is taken as
/// that, and of the gasket it becomes the power of two below it; of the sponge a power of three, as it stands.
MapSketch sketch_map(std::string_view text, u32 side, SketchOf of = SketchOf::domain);
/// The fault_text() of a proof in the language in use.
std::string fault_words(const mapfile::Proof& proof);

// What goes wrong where a published map is used beyond its limit: found by walking every position.

/// The tile of a map's domain with the least number (rows of columns) whose visits are not one, at some side.
struct MapFault {
  u64 side = 0;     ///< tiles a side
  Tile3 tile{};     ///< pairs: x column, y row, z 0
  u32 visits = 0;   ///< 0: no position is sent there; 2 and more: so many
  u64 missed = 0;   ///< tiles without a visit
  u64 outside = 0;  ///< visits beyond the domain
};

/// Walks the map at this side, 1 to kMaxFaultSide of its domain; nothing where every tile is met once. Takes a byte a
/// tile and a pass over all positions: some 50 ms at the limit of lambda-x.
std::optional<MapFault> find_fault(TriangleMapId map, u32 side);
std::optional<MapFault> find_fault(TetraMapId map, u32 side);
inline constexpr u32 kMaxFaultSide = 8192, kMaxTetraFaultSide = 512;

// Where a body would go: its path in the field of the others, for a look ahead while it is drawn by hand. Few bodies
// move with it; many are held still, and of very many a sample attracts in place of all. Pure; float64.

/// What attracts a body: gravity and the uniform field alone.
struct PathField {
  static constexpr std::size_t kMoving = 64, kStill = 1024;  ///< bodies at most
  struct Source {
    std::array<double, 3> place, velocity;
    double mass;
  };
  std::vector<Source> sources;
  std::size_t of = 0;  ///< bodies that they stand for
  bool moves = false;  ///< the sources do, and feel the body
  ForceField forces;
  /// "path beside 3 bodies", "path in the field of 1,024 of 100,000 bodies, held still".
  std::string text() const;
};

/// except: the bodies whose path it is, ascending, if they are among them.
PathField path_field(const Bodies& bodies, const ForceField& forces, const std::vector<u32>& except = {});

/// The plane about which bodies orbit.
struct OrbitPlane {
  std::array<double, 3> centre{}, normal{};  ///< normal: of length 1, along their angular momentum
};
/// About their centre of mass; none where they fill space (their distances from it are more than a fifth of those from
/// the centre, in the mean square), do not turn, or are fewer than two. except: a body that is left out.
std::optional<OrbitPlane> orbit_plane(const Bodies& bodies, std::optional<u32> except = std::nullopt);
/// The velocity that takes a body at that place once round at one distance under gravity: about the heaviest body where
/// that has more than half of the mass of the others, else about their centre of mass; in their plane, and the way that
/// they go, as far as the place is in it. except: the body itself. Throws ConfigError where nothing attracts, or the
/// place is that of the centre.
std::array<double, 3> circular_velocity(const Bodies& bodies, const ForceField& forces,
                                        const std::array<double, 3>& place, double mass, std::optional<u32> except);

struct PathStart {
  std::array<double, 3> place{}, velocity{};
  double mass = 0;  ///< > 0
};
/// When a path ends; walls end it too.
struct PathEnd {
  double time = 1;         ///< simulated, > 0
  double seconds = 0.003;  ///< of computing
  std::size_t steps = 1500;
};
struct PredictedPath {
  std::vector<std::array<double, 3>> places;  ///< the first is that of the start
  std::vector<double> times;                  ///< since the start; as many
};
/// By kick, drift, kick with steps that are short beside the way to the nearest source.
PredictedPath predicted_path(const PathField& field, const PathStart& start, const PathEnd& end);

}  // namespace tri::app
