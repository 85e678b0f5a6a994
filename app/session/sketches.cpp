#include "app/session/sketches.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "app/support/language.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {

LaunchCounts map_counts(TriangleMapId map, u64 side) {
  if (info(map).table_bytes != nullptr) {  // a block a tile
    const u64 tiles = side * (side + 1) / 2;
    return {tiles, tiles};
  }
  LaunchCounts counts;
  visit_triangle_map(map, static_cast<u32>(side), Diagonal::with, 1, [&](const auto& m) { counts = launch_counts(m); });
  return counts;
}

LaunchCounts map_counts(TetraMapId map, u64 side) {
  if (info(map).table_bytes != nullptr) {
    const u64 tiles = side * (side + 1) / 2 * (side + 2) / 3;
    return {tiles, tiles};
  }
  LaunchCounts counts;
  visit_tetra_map(map, static_cast<u32>(side), Diagonal::with, 1, [&](const auto& m) { counts = launch_counts(m); });
  return counts;
}

namespace {

using expression::Over;
using expression::TypedLaw;

/// Of the source line in a message.
constexpr std::size_t kIndent = 2;
constexpr double kNotDrawn = std::numeric_limits<double>::quiet_NaN();

/// How far from 0 a curve is of interest: some times its median, and a well, which has a bottom within the curve.
double reach_of(const std::vector<double>& values) {
  std::vector<double> sizes;
  double lowest = 0, first = 0;
  for (const double v : values) {
    if (!std::isfinite(v) || v == 0) continue;
    if (sizes.empty()) first = v;
    sizes.push_back(std::abs(v)), lowest = std::min(lowest, v);
  }
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const bool well = lowest < 0 && lowest < first && -lowest < 1e3 * *middle;
  return std::max(4 * *middle, well ? -1.5 * lowest : 0.0);
}

}  // namespace

namespace {

/// A sentence; then, where it is about a place, the line and a caret beneath.
void set_fault(TextFault& fault, const std::string& all) {
  const std::size_t end = all.find('\n');
  fault.error = all.substr(0, end);
  if (end == std::string::npos) return;
  const std::size_t line_end = all.find('\n', end + 1);
  if (line_end == std::string::npos) return;
  const std::size_t next = all.find('\n', line_end + 1);
  const std::string caret = all.substr(line_end + 1, next == std::string::npos ? next : next - line_end - 1);
  const std::size_t at = caret.find('^');
  if (at == std::string::npos) return;
  const std::string line = all.substr(end + 1, line_end - end - 1);
  const std::size_t indent = std::min({line.find_first_not_of(' '), at, kIndent});  // both lines have it
  fault.line = line.substr(indent);
  fault.column = static_cast<u32>(std::min(at - indent, fault.line.size()));
  if (next != std::string::npos) fault.error += " " + all.substr(next + 1);
}

}  // namespace

LawSketch sketch_law(std::string_view text, Over over) {
  LawSketch sketch;
  try {
    sketch.law = expression::typed_law(text, over);
  } catch (const Error& e) {
    set_fault(sketch, e.what());
    sketch.error = stated(sketch.error);
  }
  return sketch;
}

namespace {

/// Of a law without a well and a cut-off. Where it falls ever faster, as exp(-r) does, until little of it is left;
/// where it is a steep power of r, close around 1, so that its curve is not all tail.
LawRange falling_range(const TypedLaw& typed) {
  constexpr double kFrom = 0.1, kTo = 4, kFirst = 1e-3, kPart = 5, kLittle = 0.01, kStep = 1.02, kMore = 1.1;
  const auto energy = [&](double r) { return std::abs(expression::point_at(typed, r).energy); };
  const auto is_little = [&](double r) { return energy(r) < kLittle * energy(r / kPart); };
  if (is_little(kFirst)) {
    // What is drawn begins where a curve is four times its median (reach_of): the picture begins a little before that.
    const double power = std::max(1.0, std::log2(energy(0.5) / energy(1)));
    const double share = 0.425 * std::pow(4.0, -1 / power), from = share / (1 - share);
    return {2 * from / (1 + from), 2 / (1 + from)};
  }
  double to = kFirst;
  while (to < kTo && !is_little(to)) to *= kStep;
  to = std::min(kTo, kMore * to);
  return {kFrom / kTo * to, to};
}

}  // namespace

LawRange usual_range(const TypedLaw& typed) {
  const double cutoff = typed.law->cutoff(typed.values);
  double best = std::numeric_limits<double>::infinity(), at = 0;
  constexpr int kSteps = 600;
  constexpr double kFirst = 1e-3, kLast = 1e3;
  bool inside = false;
  for (int k = 0; k <= kSteps; ++k) {
    const double r = kFirst * std::pow(kLast / kFirst, static_cast<double>(k) / kSteps);
    if (cutoff > 0 && r >= cutoff) break;
    const double e = expression::point_at(typed, r).energy;
    if (!std::isfinite(e)) continue;
    if (e < best) {
      best = e, at = r, inside = false;
    } else if (e > best) {
      inside = at > kFirst;  // it has risen again since
    }
  }
  if (inside && at < kLast / 2 && best < 0) return {0.7 * at, cutoff > at ? std::min(1.1 * cutoff, 4 * at) : 3.5 * at};
  if (cutoff > 0) return {0.02 * cutoff, 1.1 * cutoff};
  return falling_range(typed);
}

expression::LawCurves sketch_curves(const TypedLaw& law, const LawRange& range, u32 points) {
  expression::LawCurves curves = expression::law_curves(law, range.from, range.to, points);
  // One reach, for they share an axis: each is drawn until it leaves the plot.
  const double reach = std::max(reach_of(curves.energy), reach_of(curves.force));
  for (auto* curve : {&curves.energy, &curves.force}) {
    for (double& v : *curve) v = std::abs(v) <= reach ? v : kNotDrawn;
  }
  return curves;
}

namespace {

/// Whether a cell is one of the gasket of that side (a power of two).
bool in_gasket(u32 row, u32 col, u32 side) { return (col & (side - 1 - row)) == 0; }

bool in_sponge(u32 row, u32 col, u32 layer) {
  for (; (row | col | layer) != 0; row /= 3, col /= 3, layer /= 3) {
    if ((row % 3 == 1) + (col % 3 == 1) + (layer % 3 == 1) > 1) return false;
  }
  return true;
}

std::vector<SketchTile> tiles_of(Domain domain, u32 side, SketchOf of) {
  std::vector<SketchTile> tiles;
  const bool sponge = of == SketchOf::sponge, deep = domain == Domain::tetrahedron;
  for (u32 layer = 0; layer < (deep ? side : 1); ++layer) {
    const u32 rows = deep && !sponge ? layer + 1 : side;
    for (u32 row = 0; row < rows; ++row) {
      const u32 columns = sponge || domain == Domain::gasket ? side : row + 1;
      for (u32 col = 0; col < columns; ++col) {
        const bool is_there = sponge                     ? in_sponge(row, col, layer)
                              : domain == Domain::gasket ? in_gasket(row, col, side)
                                                         : true;
        if (is_there) tiles.push_back({row, col, layer, 0, 0});
      }
    }
  }
  return tiles;
}

/// The tiles, none of them met, and all positions, each without a tile.
MapTrace untouched(const MapSketch& sketch, Domain domain, u32 side, const std::vector<Launch>& launches) {
  MapTrace trace{domain, side, launches, {}, {}};
  for (const SketchTile& t : sketch.tiles) trace.tiles.push_back({t.col, t.row, t.layer, kNoBlock, false});
  for (u32 pass = 0; pass < launches.size(); ++pass) {
    const Launch& l = launches[pass];
    for (u32 z = 0; z < l.z; ++z) {
      for (u32 y = 0; y < l.y; ++y) {
        for (u64 x = 0; x < l.x; ++x) trace.cells.push_back({{x, y, z, pass}, 0, 0});
      }
    }
  }
  return trace;
}

/// Where the tile is in the sketch; none: it is outside.
std::optional<std::size_t> find_tile(const MapSketch& sketch, const mapfile::AnyTile& tile) {
  const auto order = [](const auto& t) { return std::tuple<i64, i64, i64>(t.layer, t.row, t.col); };
  const auto found = std::lower_bound(sketch.tiles.begin(), sketch.tiles.end(), tile,
                                      [&](const auto& a, const auto& b) { return order(a) < order(b); });
  if (found == sketch.tiles.end() || order(*found) != order(tile)) return std::nullopt;
  return static_cast<std::size_t>(found - sketch.tiles.begin());
}

/// Sends every block to its tile, and counts what goes wrong.
void meet_all(MapSketch& sketch, const mapfile::Answers& answers) {
  mapfile::Proof& p = sketch.proof;
  p.no_launch = answers.why_not();
  p.launched = sketch.trace.cells.size(), p.expected = sketch.tiles.size();
  answers.walk([&](u64 omega, const Position& at, const mapfile::Answer& a) {
    if (a.idle) return true;
    const mapfile::MetAt met{omega, at, {a.row, a.col, a.layer}};
    const auto block = static_cast<u32>(omega);
    if (a.fault) {
      if (p.faults++ == 0) p.first_fault = met, p.fault_words = answers.text_of(a.fault);
      return sketch.strays.push_back(block), true;
    }
    ++p.useful;
    const auto tile = find_tile(sketch, met.tile);
    if (!tile) {
      if (p.outside++ == 0) p.first_outside = met;
      return sketch.strays.push_back(block), true;
    }
    sketch.trace.cells[omega].first = static_cast<u32>(*tile), sketch.trace.cells[omega].count = 1;
    SketchTile& t = sketch.tiles[*tile];
    if (t.times++ == 0) {
      t.omega = omega, sketch.trace.tiles[*tile].cell = block;
    } else if (p.duplicates++ == 0) {
      p.first_twice = met, p.met_before = mapfile::MetAt{t.omega, sketch.trace.cells[t.omega].at, met.tile};
    }
    return true;
  });
  for (const SketchTile& t : sketch.tiles) {
    if (t.times == 0 && p.missed++ == 0) p.first_missed = mapfile::AnyTile{t.row, t.col, t.layer};
  }
}

}  // namespace

MapSketch sketch_map(std::string_view text, u32 side, SketchOf of) {
  MapSketch sketch;
  try {
    sketch.map = mapfile::MapFile::from_text(text, "map");
    const Domain domain = sketch.map->info().domain;
    const bool sponge = of == SketchOf::sponge;
    if (sponge && domain != Domain::tetrahedron) {
      sketch.error = tr("The sponge has rows, columns and layers; write domain = \"triples\".");
      return sketch;
    }
    if (!sponge) side = std::clamp<u32>(side, 1, most_sketched(domain));
    if (domain == Domain::gasket) side = std::bit_floor(side);
    sketch.error = stated(mapfile::proof_refusal(*sketch.map, side));
    if (!sketch.error.empty()) return sketch;
    const auto answers = sketch.map->answers(side);
    if (const u64 launched = mapfile::launched_positions(answers->launches()); launched > kMaxTraced) {
      sketch.error = phrase("At m = {} the map launches {} blocks, and a picture has at most {}; launch fewer.", side,
                            grouped(launched), grouped(kMaxTraced));
      return sketch;
    }
    sketch.proof.name = sketch.map->info().name, sketch.proof.domain = domain, sketch.proof.side = side;
    sketch.tiles = tiles_of(domain, side, of);
    sketch.trace = untouched(sketch, domain, side, answers->launches());
    meet_all(sketch, *answers);
    if (!sponge) sketch.proof = mapfile::prove(*sketch.map, side);
  } catch (const Error& e) {
    set_fault(sketch, e.what());
    sketch.error = stated(sketch.error);
  }
  return sketch;
}

namespace {

TraceTile shown(const Tile2& t) { return {t.col, t.row, 0, 0, t.row == t.col}; }
TraceTile shown(const Tile3& t) { return {t.x, t.y, t.z, 0, t.x == t.y || t.y == t.z}; }
TraceTile shown(const CellTile& t) { return {t.x, t.y, 0, 0, false}; }

/// A typed map that is wrong may send positions elsewhere; these are drawn as idle.
bool belongs(const Tile2& t, u32 side) { return TriangleCells{side, false}.holds(t); }
bool belongs(const Tile3& t, u32 side) { return TetraCells{side, false}.holds(t); }
bool belongs(const CellTile& t, u32 side) { return GasketCells{side}.holds(t); }

template <class M>
void walk(const M& map, MapTrace& p) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    p.launches.push_back(launch);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) {
          if (p.cells.size() == kMaxTraced) return;
          const Position at{x, y, z, pass};
          TracePosition cell{at, static_cast<u32>(p.tiles.size()), 0};
          for (auto tiles = map.begin(at); tiles.valid(); tiles.next()) {
            if (!belongs(tiles.tile(), p.side)) continue;
            ++cell.count;
            p.tiles.push_back(shown(tiles.tile()));
            p.tiles.back().cell = static_cast<u32>(p.cells.size());
          }
          p.cells.push_back(cell);
        }
      }
    }
  }
}

}  // namespace

u32 MapTrace::useful() const {
  return static_cast<u32>(
      std::count_if(cells.begin(), cells.end(), [](const TracePosition& c) { return c.count > 0; }));
}

MapTrace trace_map(TriangleMapId id, u32 side, u32 workers) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTriangleSide);
  MapTrace p{tri::Domain::triangle, side, {}, {}, {}};
  visit_triangle_map(id, side, Diagonal::with, workers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(TetraMapId id, u32 side, u32 workers) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTetraSide);
  MapTrace p{tri::Domain::tetrahedron, side, {}, {}, {}};
  visit_tetra_map(id, side, Diagonal::with, workers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(GasketMapId id, u32 levels, u32 workers) {
  TRI_EXPECTS(levels <= kMaxLevels);
  MapTrace p{tri::Domain::gasket, u32{1} << levels, {}, {}, {}};
  visit_gasket_map(id, levels, workers, [&](const auto& map) { walk(map, p); });
  return p;
}

MapTrace trace_map(tri::Domain domain, u32 map, u32 side, u32 workers) {
  if (domain == tri::Domain::triangle) return trace_map(static_cast<TriangleMapId>(map), side, workers);
  if (domain == tri::Domain::tetrahedron) return trace_map(static_cast<TetraMapId>(map), side, workers);
  return trace_map(static_cast<GasketMapId>(map), side, workers);
}

std::vector<u32> owners(const MapTrace& trace, const RankShares& shares) {
  std::vector<u32> of;
  for (const TracePosition& cell : trace.cells) {
    of.push_back(shares.owner(trace.launches[cell.at.pass], cell.at, of.size(), trace.cells.size()));
  }
  return of;
}

u32 trace_workers(u32 ranks) { return ranks > 1 ? 16 * ranks : kTraceWorkers; }

namespace {

template <class M, class Cells>
std::optional<MapFault> walk_all(const M& map, const Cells& cells) {
  std::vector<u8> visits(cells.count());
  MapFault fault{cells.side, {}, 0, 0, 0};
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x) {
          for (auto tiles = map.begin({x, y, z, pass}); tiles.valid(); tiles.next()) {
            if (!cells.holds(tiles.tile())) {
              ++fault.outside;
            } else if (u8& count = visits[cells.index(tiles.tile())]; count < 255) {
              ++count;
            }
          }
        }
      }
    }
  }
  const auto wrong = std::find_if(visits.begin(), visits.end(), [](u8 count) { return count != 1; });
  if (wrong == visits.end() && fault.outside == 0) return std::nullopt;
  fault.missed = static_cast<u64>(std::count(visits.begin(), visits.end(), u8{0}));
  u64 w = static_cast<u64>(wrong - visits.begin());
  if (wrong != visits.end()) fault.visits = *wrong;
  if constexpr (std::is_same_v<Cells, TetraCells>) {
    u32 layer = 0;
    while (tetrahedral(layer + 1) <= w) ++layer;
    fault.tile.z = layer;
    w -= tetrahedral(layer);
  }
  u32 row = 0;
  while (triangular_of_row(row + 1) <= w) ++row;
  fault.tile.y = row, fault.tile.x = static_cast<u32>(w - triangular_of_row(row));
  return fault;
}

}  // namespace

std::optional<MapFault> find_fault(TriangleMapId id, u32 side) {
  TRI_EXPECTS(side >= 1 && side <= kMaxFaultSide);
  std::optional<MapFault> fault;
  visit_triangle_map(id, side, Diagonal::with, 1, [&](const auto& map) {
    fault = walk_all(map, TriangleCells{side, false});
  });
  return fault;
}

std::optional<MapFault> find_fault(TetraMapId id, u32 side) {
  TRI_EXPECTS(side >= 1 && side <= kMaxTetraFaultSide);
  std::optional<MapFault> fault;
  visit_tetra_map(id, side, Diagonal::with, 1, [&](const auto& map) {
    fault = walk_all(map, TetraCells{side, false});
  });
  return fault;
}

namespace {

using Vec = std::array<double, 3>;

double length_of(const Vec& v) { return std::hypot(v[0], v[1], v[2]); }

/// The body and the sources that move with it; index 0 is the body.
class Flight {
 public:
  Flight(const PathField& field, const PathStart& start)
      : forces_(field.forces), attracts_(field.forces.pair == PairLaw::gravity), moving_(field.moves) {
    all_.push_back({start.place, start.velocity, start.mass});
    all_.insert(all_.end(), field.sources.begin(), field.sources.end());
    pulls_.resize(moving_ ? all_.size() : 1);
    evaluate();
  }
  const Vec& place() const { return all_[0].place; }
  /// A small part of the time in which the pull on the body turns it.
  double short_step() const {
    constexpr double kPart = 0.012;
    const double pull = length_of(pulls_[0]);
    return pull > 0 ? kPart * std::sqrt(nearest_ / pull) : std::numeric_limits<double>::infinity();
  }
  void step(double dt) {
    kick(dt / 2);
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) all_[i].place[a] += dt * all_[i].velocity[a];
    }
    evaluate();
    kick(dt / 2);
  }

 private:
  void kick(double dt) {
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) all_[i].velocity[a] += dt * pulls_[i][a];
    }
  }
  void evaluate() {
    nearest_ = std::numeric_limits<double>::infinity();
    std::fill(pulls_.begin(), pulls_.end(), forces_.field);
    if (!attracts_) return;
    const double eps2 = forces_.gravity.softening * forces_.gravity.softening;
    for (std::size_t i = 0; i < pulls_.size(); ++i) {
      for (std::size_t j = i + 1; j < all_.size(); ++j) {
        const Vec &p = all_[i].place, &q = all_[j].place;
        const Vec d{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2, r = std::sqrt(r2);
        if (!(r > 0)) continue;
        if (i == 0) nearest_ = std::min(nearest_, r);
        const double f = forces_.gravity.G / (r2 * r);
        for (std::size_t a = 0; a < 3; ++a) {
          pulls_[i][a] += f * all_[j].mass * d[a];
          if (moving_) pulls_[j][a] -= f * all_[i].mass * d[a];
        }
      }
    }
  }

  const ForceField& forces_;
  bool attracts_, moving_;
  std::vector<PathField::Source> all_;
  std::vector<Vec> pulls_;  ///< accelerations of the bodies that move
  double nearest_ = 0;
};

bool is_inside(const Box& box, const Vec& p) {
  if (box.boundary == Boundary::open) return true;
  for (std::size_t a = 0; a < 3; ++a) {
    if (p[a] < box.low[a] || p[a] > box.high[a]) return false;
  }
  return true;
}

}  // namespace

std::string PathField::text() const {
  if (forces.pair != PairLaw::gravity) return "path without the other bodies: they act by contact or at short range";
  if (moves) return phrase("path beside {} {}", of, of == 1 ? "body" : "bodies");
  if (sources.size() == of) return phrase("path in the field of {} bodies, held still", grouped(of));
  return phrase("path in the field of {} of {} bodies, held still", grouped(sources.size()), grouped(of));
}

PathField path_field(const Bodies& b, const ForceField& forces, const std::vector<u32>& except) {
  PathField field;
  field.forces = forces;
  field.of = b.size() - except.size();
  field.moves = field.of <= PathField::kMoving;
  const std::size_t stride = (b.size() + PathField::kStill - 1) / PathField::kStill;
  double all = 0, taken = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (std::binary_search(except.begin(), except.end(), i)) continue;
    all += b.m[i];
    if (i % stride != 0) continue;
    taken += b.m[i];
    field.sources.push_back({{b.x[i], b.y[i], b.z[i]}, {b.vx[i], b.vy[i], b.vz[i]}, b.m[i]});
  }
  if (taken > 0 && stride > 1) {
    for (PathField::Source& s : field.sources) s.mass *= all / taken;
  }
  return field;
}

namespace {

Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec sum_of(const Vec& a, double factor, const Vec& b) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
Vec place_in(const Bodies& b, std::size_t i) { return {b.x[i], b.y[i], b.z[i]}; }
Vec velocity_in(const Bodies& b, std::size_t i) { return {b.vx[i], b.vy[i], b.vz[i]}; }

/// Mass, centre of mass and its velocity, of all but one body.
PathField::Source whole_of(const Bodies& b, std::optional<u32> except) {
  PathField::Source all{{}, {}, 0};
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (except && i == *except) continue;
    all.mass += b.m[i];
    all.place = sum_of(all.place, b.m[i], place_in(b, i)),
    all.velocity = sum_of(all.velocity, b.m[i], velocity_in(b, i));
  }
  for (Vec* v : {&all.place, &all.velocity}) {
    for (double& value : *v) value = all.mass > 0 ? value / all.mass : 0;
  }
  return all;
}

}  // namespace

std::optional<OrbitPlane> orbit_plane(const Bodies& b, std::optional<u32> except) {
  constexpr double kFlat = 0.2;
  const PathField::Source all = whole_of(b, except);
  Vec turn{};
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (except && i == *except) continue;
    turn =
        sum_of(turn, b.m[i], cross(sum_of(place_in(b, i), -1, all.place), sum_of(velocity_in(b, i), -1, all.velocity)));
  }
  const double length = length_of(turn);
  if (b.size() < 2 || !(length > 0) || !std::isfinite(length)) return std::nullopt;
  const OrbitPlane plane{all.place, {turn[0] / length, turn[1] / length, turn[2] / length}};
  double off = 0, wide = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (except && i == *except) continue;
    const Vec d = sum_of(place_in(b, i), -1, plane.centre);
    off += dot(d, plane.normal) * dot(d, plane.normal), wide += dot(d, d);
  }
  return off <= kFlat * kFlat * wide ? std::optional(plane) : std::nullopt;
}

std::array<double, 3> circular_velocity(const Bodies& b, const ForceField& forces, const std::array<double, 3>& place,
                                        double mass, std::optional<u32> except) {
  if (forces.pair != PairLaw::gravity) throw ConfigError("orbits are of gravity, and another law acts.");
  PathField::Source centre = whole_of(b, except);
  const double all = centre.mass, eps2 = forces.gravity.softening * forces.gravity.softening;
  bool one = false;
  for (std::size_t i = 0; i < b.size() && !one; ++i) {
    if ((except && i == *except) || b.m[i] <= all / 2) continue;
    centre = {place_in(b, i), velocity_in(b, i), b.m[i]}, one = true;
  }
  const Vec out = sum_of(place, -1, centre.place);
  const double r2 = dot(out, out), r = std::sqrt(r2);
  double pull = one ? (centre.mass + mass) * r / std::pow(r2 + eps2, 1.5) : 0;
  for (std::size_t i = 0; i < b.size() && !one; ++i) {
    if (except && i == *except) continue;
    const Vec d = sum_of(place_in(b, i), -1, place);
    pull -= b.m[i] * dot(d, out) / (r * std::pow(dot(d, d) + eps2, 1.5));
  }
  if (!(r > 0) || !(pull > 0))
    throw ConfigError("nothing draws the body to the centre of the others, so that it has no orbit.");
  const auto plane = orbit_plane(b, except);
  // Across the way out, as near to the turn of the others as can be; else about z, or x.
  Vec along{};
  for (const Vec& axis : {plane ? plane->normal : Vec{0, 0, 1}, Vec{0, 0, 1}, Vec{1, 0, 0}}) {
    along = cross(axis, out);
    if (length_of(along) > 1e-3 * r) break;
  }
  return sum_of(centre.velocity, std::sqrt(forces.gravity.G * pull * r) / length_of(along), along);
}

PredictedPath predicted_path(const PathField& field, const PathStart& start, const PathEnd& end) {
  constexpr std::size_t kLook = 16;  // steps between two looks at the clock
  constexpr double kLongest = 100, kShortest = 20000;
  const double begin = clock_s();
  PredictedPath path{{start.place}, {0.0}};
  Flight flight(field, start);
  double time = 0;
  for (std::size_t k = 1; k <= end.steps && time < end.time; ++k) {
    if (k % kLook == 0 && clock_s() - begin > end.seconds) break;
    double dt = std::clamp(flight.short_step(), end.time / kShortest, end.time / kLongest);
    dt = std::min(dt, end.time - time);
    flight.step(dt);
    time += dt;
    const Vec& p = flight.place();
    if (!std::isfinite(length_of(p)) || !is_inside(field.forces.box, p)) break;
    path.places.push_back(p), path.times.push_back(time);
  }
  return path;
}

std::string fault_words(const mapfile::Proof& p) {
  if (!translates() || p.passed() || !p.no_launch.empty()) return p.fault_text();
  using mapfile::text_of;
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (p.first_fault) add(phrase("{} has no tile: {}", text_of(*p.first_fault), p.fault_words));
  if (const auto& at = p.first_outside) {
    add(phrase("{} is sent outside, to {}", text_of(*at), text_of(p.domain, at->tile)));
  }
  if (const auto& at = p.first_twice) {
    add(phrase("{} meets {}{}", text_of(*at), text_of(p.domain, at->tile),
               p.met_before ? phrase(", which {} meets, too", text_of(*p.met_before)) : ""));
  }
  if (p.first_missed) add(phrase("{} is missed", text_of(p.domain, *p.first_missed)));
  return phrase("{} ({} of {} tiles missed, {} met again, {} outside, {} without a value)", text, p.missed, p.expected,
                p.duplicates, p.outside, p.faults);
}

}  // namespace tri::app
