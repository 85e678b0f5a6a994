// SizedMap: a map at one side, which tells where its launch positions go.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "app/python/parts.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

constexpr u32 kLookEvery = 1 << 16;

/// A whole number of 64 bits, or the package's sentence: nanobind's own has five lines.
i64 whole(const char* name, nb::handle value) {
  return nb::cast<i64>(nb::module_::import_("triangulum._arrays").attr("whole")(name, value));
}

std::span<const MapInfo> maps_of(Domain domain) {
  return domain == Domain::triangle ? triangle_maps() : domain == Domain::tetrahedron ? tetra_maps() : gasket_maps();
}

/// Cells that look at signals while they are counted.
template <class Cells>
struct WatchedCells : Cells {
  WatchedCells(Cells cells, SignalWatch& to) : Cells(cells), watch(&to) {}

  template <class Tile>
  bool holds(Tile tile) const {
    if (++met % (1u << 20) == 0) watch->look();
    return Cells::holds(tile);
  }

  SignalWatch* watch;
  mutable u32 met = 0;
};

void append(std::vector<i64>& to, Tile2 t) { to.push_back(t.row), to.push_back(t.col); }
void append(std::vector<i64>& to, Tile3 t) { to.push_back(t.x), to.push_back(t.y), to.push_back(t.z); }
void append(std::vector<i64>& to, CellTile t) { to.push_back(t.x), to.push_back(t.y); }
void append(std::vector<i64>& to, u64 entry) { to.push_back(static_cast<i64>(entry)); }

/// Calls f(position) for the positions [first, last) of all launches, x fastest.
template <class M, class F>
void for_positions(const M& map, u64 first, u64 last, F&& f) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch g = map.launch(pass);
    const u64 count = positions(g);
    for (u64 w = first; w < std::min(last, count); ++w) {
      f(Position{w % g.x, static_cast<u32>(w / g.x % g.y), static_cast<u32>(w / g.x / g.y), pass});
    }
    first -= std::min(first, count), last -= std::min(last, count);
  }
}

nb::object array_of(std::vector<i64>&& values, std::size_t columns) {
  const std::size_t n = values.size();
  return columns == 1 ? numpy_array(std::move(values), {n}) : numpy_array(std::move(values), {n / columns, columns});
}

class SizedMap {
 public:
  SizedMap(const std::string& domain, const std::string& name, i64 side, bool diagonal, std::optional<i64> workers) {
    domain_ = static_cast<Domain>(std::find(std::begin(kDomains), std::end(kDomains), domain) - std::begin(kDomains));
    if (static_cast<std::size_t>(domain_) >= std::size(kDomains)) throw ConfigError("unknown domain " + domain);
    const auto maps = maps_of(domain_);
    const auto at = std::find_if(maps.begin(), maps.end(), [&](const MapInfo& map) { return map.name == name; });
    if (at == maps.end()) throw ConfigError(fmt::format("no map of {} has the name '{}'.", domain, name));
    id_ = static_cast<u32>(at - maps.begin());
    if (side < 1) throw ConfigError(fmt::format("side is {}; give 1 or more.", side));
    if (workers && (*workers < 1 || *workers > i64{0xffffffff})) {
      throw ConfigError(fmt::format("workers is {}; give 1 to {}, or None.", *workers, 0xffffffffu));
    }
    check_side(static_cast<u64>(side));
    if (domain_ == Domain::gasket && !diagonal) throw ConfigError("the gasket has no diagonal; leave diagonal out.");
    side_ = static_cast<u32>(side), diagonal_ = diagonal, workers_ = static_cast<u32>(workers.value_or(1));
    if (workers && !persistent()) {
      throw ConfigError(fmt::format("{} has a position for each tile, and no workers; leave workers out.", written()));
    }
  }

  const MapInfo& info() const { return maps_of(domain_)[id_]; }
  const char* domain() const { return kDomains[static_cast<int>(domain_)]; }
  u32 side() const { return side_; }
  /// Of the constructor, for copies and pickles.
  nb::tuple arguments() const {
    const nb::object workers = persistent() ? nb::cast(workers_) : nb::object(nb::none());
    return nb::make_tuple(domain(), info().name, side_, diagonal_, workers);
  }
  bool diagonal() const { return diagonal_; }

  u64 tile_count() const {
    u64 count = 0;
    visit([&](const auto& map) { count = map.tile_count(); });
    return count;
  }

  nb::dict launch() const {
    nb::list grids;
    LaunchCounts counts;
    visit([&](const auto& map) {
      counts = launch_counts(map);
      for (u32 pass = 0; pass < map.launch_count(); ++pass) {
        const Launch g = map.launch(pass);
        grids.append(nb::make_tuple(g.x, g.y, g.z));
      }
    });
    nb::dict to;
    to["grids"] = grids, to["positions"] = counts.launched, to["useful"] = counts.useful, to["idle"] = counts.idle();
    return to;
  }

  nb::object tiles(nb::handle given_start, nb::handle given_stop) const {
    const i64 start = whole("start", given_start);
    const std::optional<i64> stop = given_stop.is_none() ? std::nullopt : std::optional(whole("stop", given_stop));
    const u64 launched = counts().launched;
    if (start < 0 || (stop && *stop < start)) {
      throw ConfigError(fmt::format("start is {} and stop is {}; give 0 <= start <= stop, or None.", start,
                                    stop ? std::to_string(*stop) : "None"));
    }
    const u64 first = static_cast<u64>(start), last = stop ? std::min(static_cast<u64>(*stop), launched) : launched;
    if (first < last) {
      const double share = static_cast<double>(last - first) / static_cast<double>(launched);
      check_memory("the array", share * 8.0 * static_cast<double>(columns()) * static_cast<double>(tile_count()),
                   "give start and stop, and take the tiles in parts");
    }
    return array_of(run_released(fmt::format("tiles of {}", info().name),
                                 [&](SignalWatch& watch) { return tiles_between(first, last, watch); }),
                    columns());
  }

  nb::object tile(nb::handle given) const {
    const i64 place = whole("omega", given);
    const u64 launched = counts().launched, omega = static_cast<u64>(place);
    if (place < 0 || omega >= launched) {
      throw nb::index_error(fmt::format("omega is {}; {} has {} positions at side {}, and the first is 0.", place,
                                        written(), launched, side_)
                                .c_str());
    }
    std::vector<i64> values;
    run_released([&](SignalWatch& watch) {
      visit_whole(watch, [&](const auto& map) {
        for_positions(map, omega, omega + 1, [&](Position at) {
          const auto cursor = map.begin(at);
          if (cursor.valid()) append(values, cursor.tile());
        });
      });
      return 0;
    });
    if (values.size() == 2) return nb::make_tuple(values[0], values[1]);
    return values.empty() ? nb::none() : nb::object(nb::make_tuple(values[0], values[1], values[2]));
  }

  nb::dict verify() const {
    check_memory("a mark for each tile", static_cast<double>(tile_count()), "give a smaller side");
    const MapReport report = run_released(fmt::format("checking {}", info().name), [&](SignalWatch& watch) {
      MapReport all;
      visit_whole(watch, [&](const auto& map) { all = report_of(map, watch); });
      return all;
    });
    nb::dict to;
    to["passed"] = report.passed(), to["launched"] = report.launched, to["useful"] = report.useful;
    to["tiles"] = report.tiles, to["expected"] = report.expected, to["duplicates"] = report.duplicates;
    to["holes"] = report.holes, to["outside"] = report.outside;
    to["fault"] = report.sentence.empty() ? nb::object(nb::none()) : nb::cast(report.sentence);
    return to;
  }

  nb::object lut() const {
    std::size_t width = 0;
    const auto bytes = static_cast<double>(sizeof(Tile2) + 2 * sizeof(i64));
    if (is_lambda_lut()) check_memory("the array", bytes * static_cast<double>(tile_count()), "give a smaller side");
    std::vector<i64> values = run_released([&](SignalWatch& watch) { return table_values(watch, width); });
    return width == 0 ? nb::none() : array_of(std::move(values), width);
  }

  std::string text() const {
    return fmt::format("<triangulum.SizedMap {}({}{}): {} tiles>", written(), side_,
                       diagonal_ ? "" : ", diagonal=False", tile_count());
  }

  double idle_share() const {
    const LaunchCounts c = counts();
    return c.launched == 0 ? 0 : static_cast<double>(c.idle()) / static_cast<double>(c.launched);
  }

 private:
  Diagonal with() const { return diagonal_ ? Diagonal::with : Diagonal::without; }

  /// The map whose table is as large as its domain.
  bool is_lambda_lut() const {
    return domain_ == Domain::triangle && id_ == static_cast<u32>(TriangleMapId::lambda_lut);
  }

  std::vector<Tile2> lambda_table(SignalWatch& watch) const {
    return TriangleLambdaLut::make_table(side_, with(), [&] { watch.look(); });
  }

  /// Calls f(map) with the map's own type, which is asked for no tile of lambda-lut.
  template <class F>
  void visit(F&& f) const {
    const Diagonal with = this->with();
    if (is_lambda_lut()) return f(TriangleLambdaLut(side_, with, nullptr));
    if (domain_ == Domain::triangle) visit_triangle_map(static_cast<TriangleMapId>(id_), side_, with, workers_, f);
    if (domain_ == Domain::tetrahedron) visit_tetra_map(static_cast<TetraMapId>(id_), side_, with, workers_, f);
    if (domain_ == Domain::gasket) {
      visit_gasket_map(static_cast<GasketMapId>(id_), static_cast<u32>(std::bit_width(side_)) - 1, workers_, f);
    }
  }

  /// The same of a map that can be asked for tiles. A table lives for the call.
  template <class F>
  void visit_whole(SignalWatch& watch, F&& f) const {
    if (!is_lambda_lut()) return visit(f);
    const std::vector<Tile2> table = lambda_table(watch);
    f(TriangleLambdaLut(side_, with(), table.data()));
  }

  /// The map's table, and how many numbers an entry has: 0 without one.
  std::vector<i64> table_values(SignalWatch& watch, std::size_t& width) const {
    std::vector<i64> values;
    const auto add = [&]<class T>(const std::vector<T>& table) {
      width = std::is_same_v<T, Tile2> ? 2 : 1;
      values.reserve(width * table.size());
      for (std::size_t k = 0; k < table.size(); ++k) {
        if (k % kLookEvery == 0) watch.look();
        append(values, table[k]);
      }
    };
    if (is_lambda_lut()) {
      add(lambda_table(watch));
      return values;
    }
    visit([&]<class M>(const M&) {
      if constexpr (tri::detail::HasTable<M, u32, Diagonal>) add(M::make_table(side_, with()));
    });
    return values;
  }

  LaunchCounts counts() const {
    LaunchCounts all;
    visit([&](const auto& map) { all = launch_counts(map); });
    return all;
  }

  std::size_t columns() const { return domain_ == Domain::tetrahedron ? 3 : 2; }

  bool persistent() const {
    bool has = false;
    visit([&]<class M>(const M&) { has = !std::is_same_v<typename M::Cursor, OneTile<typename M::Tile>>; });
    return has;
  }

  std::vector<i64> tiles_between(u64 first, u64 last, SignalWatch& watch) const {
    std::vector<i64> all;
    u32 met = 0;
    const auto count = [&] {
      if (++met % kLookEvery == 0) watch.look();
    };
    visit_whole(watch, [&](const auto& map) {
      for_positions(map, first, last, [&](Position at) {
        count();
        tile_visits(map, at, [&](auto tile) { count(), append(all, tile); });
      });
    });
    return all;
  }

  template <class M>
  MapReport report_of(const M& map, SignalWatch& watch) const {
    if constexpr (M::kInfo.domain == Domain::triangle) {
      return check_cover(map, WatchedCells(TriangleCells{side_, !diagonal_}, watch));
    } else if constexpr (M::kInfo.domain == Domain::tetrahedron) {
      return check_cover(map, WatchedCells(TetraCells{side_, !diagonal_}, watch));
    } else {
      return check_cover(map, WatchedCells(GasketCells{side_}, watch));
    }
  }

  /// As Python's caller writes it: maps['lambda'], maps['bb', 'pairs'].
  std::string written(const char* name) const {
    int domains = 0;
    for (const Domain d : {Domain::triangle, Domain::tetrahedron, Domain::gasket}) {
      for (const MapInfo& map : maps_of(d)) domains += std::string_view(map.name) == name;
    }
    return domains < 2 ? fmt::format("maps['{}']", name) : fmt::format("maps['{}', '{}']", name, domain());
  }
  std::string written() const { return written(info().name); }

  /// Throws when the map cannot have this side, with what to do instead.
  void check_side(u64 side) const {
    const MapInfo& map = info();
    if (domain_ == Domain::gasket && !std::has_single_bit(side)) {
      throw ConfigError(fmt::format("side is {}, and that of the gasket is a power of two; give {} or {}.", side,
                                    std::bit_floor(side), std::bit_floor(side) * 2));
    }
    const std::string other = map.alternative == nullptr ? "" : fmt::format(", or take {}", written(map.alternative));
    if (side > map.max_side) {
      throw ConfigError(fmt::format("side is {}, and {} is exact to {}; give {} or less{}.", side, written(), map.limit,
                                    map.max_side, other));
    }
    if (map.table_bytes == nullptr) return;
    check_memory("the table of " + written(), static_cast<double>(map.table_bytes(side)),
                 "give a smaller side" + other);
  }

  /// Refuses what may take too much memory, before it is taken.
  static void check_memory(const std::string& what, double bytes, const std::string& cure) {
    const auto memory = static_cast<double>(table_memory());
    if (bytes <= memory) return;
    throw MemoryError(fmt::format("{} takes {:.0f} MiB, and {:.0f} MiB may be taken; {}.", what, bytes / 0x1p20,
                                  memory / 0x1p20, cure));
  }

  Domain domain_;
  u32 id_ = 0, side_ = 1, workers_ = 1;
  bool diagonal_ = true;
};

}  // namespace

void add_maps(nb::module_& module) {
  nb::class_<SizedMap> type(module, "SizedMap",
                            "A map at one side: maps[name](side). Tiles are (row, column) of the triangle, row >= "
                            "column; (x, y, z)\nof the tetrahedron, x <= y <= z; (x, y) of the gasket. A position, "
                            "omega, is a place in the launch, x fastest,\none grid after another.");
  type.def(nb::init<const std::string&, const std::string&, i64, bool, std::optional<i64>>(), nb::arg("domain"),
           nb::arg("name"), nb::arg("side"), nb::arg("diagonal") = true, nb::arg("workers") = nb::none());
  type.def("__len__", &SizedMap::tile_count, "Tiles of the domain.");
  type.def(
      "__reduce__", [](const SizedMap& map) { return nb::make_tuple(nb::type<SizedMap>(), map.arguments()); },
      nb::sig("def __reduce__(self) -> tuple[object, ...]"));
  type.def("__repr__", &SizedMap::text);
  type.def_prop_ro("name", [](const SizedMap& map) { return map.info().name; });
  type.def_prop_ro("domain", &SizedMap::domain);
  type.def_prop_ro("side", &SizedMap::side, "In tiles; of a map for threads, in elements.");
  type.def_prop_ro("diagonal", &SizedMap::diagonal, "Whether tiles with equal coordinates belong to the domain.");
  type.def_prop_ro(
      "limit", [](const SizedMap& map) { return map.info().limit; }, "To what the map is exact.");
  type.def_prop_ro("launch", &SizedMap::launch, nb::sig("def launch(self) -> dict[str, object]"),
                   "grids: (x, y, z) of each grid in blocks (of a map for threads: in threads); positions: their "
                   "number;\nuseful: those that find a tile; idle: those that do not.");
  type.def_prop_ro("waste", &SizedMap::idle_share, "The share of idle positions.");
  type.def("tiles", &SizedMap::tiles, nb::arg("start").none() = 0, nb::arg("stop") = nb::none(),
           nb::sig("def tiles(self, start: typing.SupportsIndex = 0, stop: typing.SupportsIndex | None = None) -> "
                   "numpy.typing.NDArray[numpy.int64]"),
           "The tiles of the positions start to stop in their order, (k, 2) or (k, 3) int64. Idle positions are left "
           "out; a\nposition of a persistent map has a run of tiles.");
  type.def("tile", &SizedMap::tile, nb::arg("omega").none(),
           nb::sig("def tile(self, omega: typing.SupportsIndex) -> tuple[int, ...] | None"),
           "The tile of one position, or None for an idle one. Of a persistent map: the first of its run.");
  type.def("verify", &SizedMap::verify, nb::sig("def verify(self) -> dict[str, object]"),
           "Walks the whole launch and counts every tile: passed is True when each was met once and none outside. The "
           "counts:\nlaunched, useful, tiles, expected, duplicates, holes, outside; fault: a sentence, or None.");
  type.def("lut", &SizedMap::lut, nb::sig("def lut(self) -> numpy.typing.NDArray[numpy.int64] | None"),
           "The table that the map reads: (k, 2) tiles of lambda-lut, (m + 1,) prefixes of tetra-lut; None without.");
}

}  // namespace tri::python
