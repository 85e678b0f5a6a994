#include "sim/text/proof.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/map_check.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kBeyondU32 = i64{1} << 32;

bool is_u32(i64 v) { return v >= 0 && v < kBeyondU32; }
u32 narrow(i64 v) { return static_cast<u32>(v); }

/// The tile of a domain that the text means; the caller checks the range.
Tile2 as_tile(const TriangleCells&, const AnyTile& t) { return {narrow(t.row), narrow(t.col)}; }
Tile3 as_tile(const TetraCells&, const AnyTile& t) { return {narrow(t.col), narrow(t.row), narrow(t.layer)}; }
CellTile as_tile(const GasketCells&, const AnyTile& t) { return {narrow(t.col), narrow(t.row)}; }
AnyTile as_any(Tile2 t) { return {t.row, t.col, 0}; }
AnyTile as_any(Tile3 t) { return {t.y, t.x, t.z}; }
AnyTile as_any(CellTile t) { return {t.y, t.x, 0}; }

u64 tiles_of(Domain domain, u32 side) {
  if (domain == Domain::triangle) return TriangleCells{side, false}.count();
  if (domain == Domain::tetrahedron) return TetraCells{side, false}.count();
  return GasketCells{side}.count();
}

template <class Cells>
class Prover {
 public:
  Prover(const Answers& map, const Cells& cells, Proof& proof) : map_(map), cells_(cells), proof_(proof) {}

  void run() {
    bits_.assign(proof_.expected / 64 + 1, 0);
    LoopProgress progress(proof_.launched);
    map_.walk([&](u64 omega, const Position& at, const Answer& answer) {
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

  void take(u64 omega, const Position& at, const Answer& answer) {
    if (answer.fault) {
      ++proof_.faults;
      if (!proof_.first_fault) {
        proof_.first_fault = MetAt{omega, at, {}}, proof_.fault_words = map_.text_of(answer.fault);
      }
      return;
    }
    if (answer.idle) return;
    if (std::exchange(last_useful_, omega) != omega) ++proof_.useful;
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
    map_.walk([&](u64 omega, const Position& at, const Answer& answer) {
      const AnyTile tile{answer.row, answer.col, answer.layer};
      if (answer.idle || answer.fault || !(tile == proof_.first_twice->tile)) return true;
      proof_.met_before = MetAt{omega, at, tile};
      return false;
    });
  }

  const Answers& map_;
  const Cells& cells_;
  Proof& proof_;
  std::vector<u64> bits_;
  u64 last_useful_ = ~u64{0};
};

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

u64 launched_positions(const std::vector<Launch>& launches) {
  u64 sum = 0;
  for (const Launch& launch : launches) sum = std::min(sum + positions(launch), u64{1} << 62);
  return sum;
}

std::string proof_refusal(const ProvableMap& map, u64 side) {
  const MapInfo& info = map.info();
  if (const u64 largest = map.largest_side(); side == 0 || side > largest) {
    return fmt::format("the side of {} is 1 to {} tiles, and here it is {}.", info.name, largest, side);
  }
  if (info.domain == Domain::gasket && !std::has_single_bit(side)) {
    return fmt::format("the side of the gasket is a power of two, and here it is {}.", side);
  }
  const u64 tiles = tiles_of(info.domain, static_cast<u32>(side));
  if (tiles > kMaxProof) {
    return fmt::format("{} has {} tiles at m = {}, and a proof goes through at most 2^33; take larger blocks.",
                       info.name, tiles, side);
  }
  return map.size_refusal(static_cast<u32>(side));
}

Proof prove(const ProvableMap& map, u32 side) {
  const auto answers = map.answers(side);
  const Answers& at = *answers;
  Proof proof;
  proof.name = map.info().name, proof.domain = map.info().domain, proof.side = side;
  proof.no_launch = at.why_not();
  proof.expected = tiles_of(proof.domain, side), proof.launched = launched_positions(at.launches());
  require_memory(static_cast<double>(proof.expected) / 8, fmt::format("a bit for each tile of {}", proof.name),
                 "Take a smaller side");
  const ScopedTask task(fmt::format("proving {} at m = {}", proof.name, side));
  if (proof.domain == Domain::triangle) Prover(at, TriangleCells{side, false}, proof).run();
  if (proof.domain == Domain::tetrahedron) Prover(at, TetraCells{side, false}, proof).run();
  if (proof.domain == Domain::gasket) Prover(at, GasketCells{side}, proof).run();
  return proof;
}

void for_each_answer(const ProvableMap& map, u32 side,
                     const std::function<bool(const MetAt&, bool idle, bool fault)>& visit) {
  map.answers(side)->walk([&](u64 omega, const Position& at, const Answer& answer) {
    return visit({omega, at, {answer.row, answer.col, answer.layer}}, answer.idle, static_cast<bool>(answer.fault));
  });
}

}  // namespace tri::mapfile
