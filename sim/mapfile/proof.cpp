#include "sim/mapfile/proof.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/base/memory.hpp"
#include "sim/base/progress.hpp"
#include "sim/mapfile/sized.hpp"
#include "sim/maps/map_check.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kEnd = i64{1} << 32;

bool is_u32(i64 v) { return v >= 0 && v < kEnd; }
u32 narrow(i64 v) { return static_cast<u32>(v); }

/// The tile of a domain that the text means; the caller checks the range.
Tile2 as_tile(const TriangleCells&, const AnyTile& t) { return {narrow(t.row), narrow(t.col)}; }
Tile3 as_tile(const TetraCells&, const AnyTile& t) { return {narrow(t.col), narrow(t.row), narrow(t.layer)}; }
CellTile as_tile(const GasketCells&, const AnyTile& t) { return {narrow(t.col), narrow(t.row)}; }
AnyTile as_any(Tile2 t) { return {t.row, t.col, 0}; }
AnyTile as_any(Tile3 t) { return {t.y, t.x, t.z}; }
AnyTile as_any(CellTile t) { return {t.y, t.x, 0}; }

struct BuiltInAt {
  const BuiltIn& map;
  u32 side;
};

/// Calls f(omega, position, answer) for every position; ends when it returns false.
template <class F>
void walk(const SizedMapFile& map, const F& f) {
  u64 omega = 0;
  for (const Launch& launch : map.launches()) {
    SizedMapFile::Walk walk(map, launch.pass);
    u64 w = 0;
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x, ++w, ++omega) {
          if (!f(omega, Position{x, y, z, launch.pass}, walk.at(x, y, z, w))) return;
        }
      }
    }
  }
}

/// The same of a built-in map.
template <class F>
void walk(const BuiltInAt& map, const F& f) {
  for_each_answer(map.map, map.side, [&](const MetAt& met, bool idle, bool) {
    return f(met.omega, met.position, SizedMapFile::Answer{idle, {}, met.tile.row, met.tile.col, met.tile.layer});
  });
}

/// Positions of a side, saturated.
u64 launched(const SizedMapFile& map) {
  u64 sum = 0;
  for (const Launch& launch : map.launches()) sum = std::min(sum + positions(launch), u64{1} << 62);
  return sum;
}

u64 tiles_of(Domain domain, u32 side) {
  if (domain == Domain::triangle) return TriangleCells{side, false}.count();
  if (domain == Domain::tetrahedron) return TetraCells{side, false}.count();
  return GasketCells{side}.count();
}

std::string words_of(const SizedMapFile& map, const Fault& fault) { return map.text().tile.text_of(fault); }
std::string words_of(const BuiltInAt&, const Fault&) { return {}; }  // a built-in map has a tile or none

template <class Map, class Cells>
class Prover {
 public:
  Prover(const Map& map, const Cells& cells, Proof& proof) : map_(map), cells_(cells), proof_(proof) {}

  void run() {
    bits_.assign(proof_.expected / 64 + 1, 0);
    LoopProgress progress(proof_.launched);
    walk(map_, [&](u64 omega, const Position& at, const SizedMapFile::Answer& answer) {
      progress.at(omega);
      take(omega, at, answer);
      return true;
    });
    count_missed();
    if (proof_.first_twice) find_before();
  }

 private:
  bool holds(const AnyTile& t) const {
    return is_u32(t.row) && is_u32(t.col) && is_u32(t.layer) && cells_.holds(as_tile(cells_, t));
  }

  void take(u64 omega, const Position& at, const SizedMapFile::Answer& answer) {
    if (answer.fault) {
      ++proof_.faults;
      if (!proof_.first_fault) {
        proof_.first_fault = MetAt{omega, at, {}}, proof_.fault_words = words_of(map_, answer.fault);
      }
      return;
    }
    if (answer.idle) return;
    if (proof_.useful == 0 || omega != last_) ++proof_.useful;  // a position may have several tiles
    last_ = omega;
    const AnyTile tile{answer.row, answer.col, answer.layer};
    if (!holds(tile)) {
      ++proof_.outside;
      if (!proof_.first_outside) proof_.first_outside = MetAt{omega, at, tile};
      return;
    }
    const u64 index = cells_.index(as_tile(cells_, tile)), bit = u64{1} << (index % 64);
    u64& word = bits_[index / 64];
    if (word & bit) {
      ++proof_.duplicates;
      if (!proof_.first_twice) proof_.first_twice = MetAt{omega, at, tile};
    }
    word |= bit;
  }

  void count_missed() {
    u64 met = 0;
    for (const u64 word : bits_) met += static_cast<u64>(std::popcount(word));
    proof_.missed = proof_.expected - met;
    if (proof_.missed == 0) return;
    u64 index = 0;
    while (bits_[index / 64] >> (index % 64) & 1) ++index;
    proof_.first_missed = as_any(tri::detail::tile_of(cells_, index));
  }

  void find_before() {
    walk(map_, [&](u64 omega, const Position& at, const SizedMapFile::Answer& answer) {
      const AnyTile tile{answer.row, answer.col, answer.layer};
      if (answer.idle || answer.fault || !(tile == proof_.first_twice->tile)) return true;
      proof_.met_before = MetAt{omega, at, tile};
      return false;
    });
  }

  const Map& map_;
  const Cells& cells_;
  Proof& proof_;
  std::vector<u64> bits_;
  u64 last_ = 0;
};

/// Fills in what the walk shows, under a named task.
template <class Map>
void prove_at(const Map& map, Proof& proof) {
  require_memory(static_cast<double>(proof.expected) / 8, fmt::format("a bit for each tile of {}", proof.name),
                 "Take a smaller side");
  const ScopedTask task(fmt::format("proving {} at m = {}", proof.name, proof.side));
  if (proof.domain == Domain::triangle) Prover(map, TriangleCells{proof.side, false}, proof).run();
  if (proof.domain == Domain::tetrahedron) Prover(map, TetraCells{proof.side, false}, proof).run();
  if (proof.domain == Domain::gasket) Prover(map, GasketCells{proof.side}, proof).run();
}

/// Calls f with a built-in map at a side, as its own type.
template <class F>
void visit_built_in(const BuiltIn& map, u32 side, const F& f) {
  if (map.domain == Domain::triangle) {
    visit_triangle_map(static_cast<TriangleMapId>(map.id), side, Diagonal::with, kProofWorkers, f);
  } else if (map.domain == Domain::tetrahedron) {
    visit_tetra_map(static_cast<TetraMapId>(map.id), side, Diagonal::with, kProofWorkers, f);
  } else {
    visit_built_in_gasket_map(static_cast<GasketMapId>(map.id), static_cast<u32>(std::countr_zero(side)), kProofWorkers,
                              f);
  }
}

/// Calls visit for every position of a map, and for each of its tiles.
template <class M>
void walk_built_in(const M& map, const VisitAnswer& visit) {
  u64 omega = 0;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x, ++omega) {
          const Position at{x, y, z, pass};
          auto tiles = map.begin(at);
          if (!tiles.valid() && !visit({omega, at, {}}, true, false)) return;
          for (; tiles.valid(); tiles.next()) {
            if (!visit({omega, at, as_any(tiles.tile())}, false, false)) return;
          }
        }
      }
    }
  }
}

std::string shape_refusal(const MapInfo& info, u64 side, u64 largest) {
  if (side == 0 || side > largest) {
    return fmt::format("the side of {} is 1 to {} tiles, and here it is {}.", info.name, largest, side);
  }
  if (info.domain == Domain::gasket && !std::has_single_bit(side)) {
    return fmt::format("the side of the gasket is a power of two, and here it is {}.", side);
  }
  const u64 tiles = tiles_of(info.domain, static_cast<u32>(side));
  if (tiles <= kMaxProof) return {};
  return fmt::format("{} has {} tiles at m = {}, and a proof goes through at most 2^33; take larger blocks.", info.name,
                     tiles, side);
}

std::string launch_refusal(const MapInfo& info, u64 side, u64 count) {
  if (count <= kMaxProof) return {};
  return fmt::format("{} launches {} positions at m = {}, and a proof goes through at most 2^33; take larger blocks.",
                     info.name, count, side);
}

}  // namespace

std::string text_of(Domain domain, const AnyTile& t) {
  const std::string layer = domain == Domain::tetrahedron ? fmt::format(", layer {}", t.layer) : "";
  return fmt::format("(row {}, col {}{})", t.row, t.col, layer);
}

std::string text_of(const MetAt& m) {
  const Position& p = m.position;
  std::string at = fmt::format("x = {}, y = {}", p.x, p.y);
  if (p.z != 0) at += fmt::format(", z = {}", p.z);
  if (p.pass != 0) at += fmt::format(", pass = {}", p.pass);
  return fmt::format("omega {} ({})", m.omega, at);
}

std::string Proof::fault_text() const {
  if (passed()) return {};
  if (!no_launch.empty()) return no_launch;
  std::vector<std::string> parts;
  if (first_fault) parts.push_back(fmt::format("{} has no tile: {}", text_of(*first_fault), fault_words));
  if (first_outside) {
    parts.push_back(
        fmt::format("{} is sent outside, to {}", text_of(*first_outside), text_of(domain, first_outside->tile)));
  }
  if (first_twice) {
    const std::string before = met_before ? fmt::format(", which {} meets, too", text_of(*met_before)) : "";
    parts.push_back(fmt::format("{} meets {}{}", text_of(*first_twice), text_of(domain, first_twice->tile), before));
  }
  if (first_missed) parts.push_back(fmt::format("{} is missed", text_of(domain, *first_missed)));
  return fmt::format("{} ({} of {} tiles missed, {} met again, {} outside, {} without a value)", fmt::join(parts, "; "),
                     missed, expected, duplicates, outside, faults);
}

std::string proof_refusal(const MapFile& map, u64 side) {
  const MapInfo& info = map.info();
  if (std::string why = shape_refusal(info, side, info.max_side); !why.empty()) return why;
  const auto sized = map.at(static_cast<u32>(side));
  return launch_refusal(info, side, launched(static_cast<const SizedMapFile&>(*sized)));
}

std::string proof_refusal(const BuiltIn& map, u64 side) {
  const MapInfo& info = map.info();
  const u64 largest = info.historical ? kMaxProof : info.max_side;
  if (std::string why = shape_refusal(info, side, std::min(largest, u64{1} << 31)); !why.empty()) return why;
  if (info.table_bytes != nullptr) {
    require_memory(static_cast<double>(info.table_bytes(side)), fmt::format("the table of {}", info.name),
                   "Take a smaller side");
  }
  u64 count = 0;
  visit_built_in(map, static_cast<u32>(side), [&](const auto& at) { count = launched_positions(at); });
  return launch_refusal(info, side, count);
}

Proof prove(const MapFile& map, u32 side) {
  const auto sized = map.at(side);
  const auto& at = static_cast<const SizedMapFile&>(*sized);
  Proof proof;
  proof.name = map.info().name, proof.domain = map.info().domain, proof.side = side;
  proof.no_launch = at.why_not();
  proof.expected = tiles_of(proof.domain, side), proof.launched = launched(at);
  prove_at(at, proof);
  return proof;
}

Proof prove(const BuiltIn& map, u32 side) {
  Proof proof;
  proof.name = map.info().name, proof.domain = map.domain, proof.side = side;
  proof.expected = tiles_of(proof.domain, side);
  visit_built_in(map, side, [&](const auto& at) { proof.launched = launched_positions(at); });
  prove_at(BuiltInAt{map, side}, proof);
  return proof;
}

void for_each_answer(const MapFile& map, u32 side, const VisitAnswer& visit) {
  const auto sized = map.at(side);
  walk(static_cast<const SizedMapFile&>(*sized), [&](u64 omega, const Position& at, const auto& answer) {
    return visit({omega, at, {answer.row, answer.col, answer.layer}}, answer.idle, static_cast<bool>(answer.fault));
  });
}

void for_each_answer(const BuiltIn& map, u32 side, const VisitAnswer& visit) {
  visit_built_in(map, side, [&](const auto& at) { walk_built_in(at, visit); });
}

}  // namespace tri::mapfile
