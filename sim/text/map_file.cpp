// Map files at a side, and the proof of a map.

#include "sim/text/map_file.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::mapfile {
namespace {

constexpr i64 kMaxAlongX = i64{1} << 62, kMaxAcross = (i64{1} << 32) - 1;

constexpr bool fits_u32(i64 value) { return value >= 0 && value <= kMaxAcross; }

u64 most_side(Domain domain) { return domain == Domain::tetrahedron ? kExactTetraSide : kExactTriangleSide; }

}  // namespace

SizedMapFile::SizedMapFile(std::shared_ptr<const MapText> text, u32 side) : text_(std::move(text)), side_(side) {
  if (side_ == 0) return;
  evaluate();
  if (!why_not_.empty()) launches_.clear();
}

void SizedMapFile::evaluate() {
  const MapText& t = *text_;
  bool idle = false;
  Program::Frame frame;
  std::vector<i64> values{i64{side_}};
  if (!t.once_names.empty()) {
    t.once.fill(frame, values.data());
    if (const Fault fault = t.once.run(frame, idle)) return void(why_not_ = "once: " + t.once.text_of(fault));
    for (const Register r : t.once.outputs) once_.push_back(frame[r]);
  }
  if (t.passes.outputs.empty()) {
    for (u32 pass = 0; pass < t.launch.size(); ++pass) {
      if (!add_launch(t.launch[pass], pass)) return;
    }
    return;
  }
  values.insert(values.end(), once_.begin(), once_.end());
  t.passes.fill(frame, values.data());
  if (const Fault fault = t.passes.run(frame, idle)) return void(why_not_ = "passes: " + t.passes.text_of(fault));
  const i64 passes = frame[t.passes.outputs[0]];
  if (passes < 0 || passes > i64{kMaxPasses}) {
    return void(why_not_ = fmt::format("passes is {}, and may be 0 to {}", passes, kMaxPasses));
  }
  for (u32 pass = 0; pass < passes; ++pass) {
    if (!add_launch(t.launch[0], pass)) return;
  }
}

bool SizedMapFile::add_launch(const std::vector<Program>& grid, u32 pass) {
  std::vector<i64> values{i64{side_}, i64{pass}};
  values.insert(values.end(), once_.begin(), once_.end());
  i64 sides[3] = {1, 1, 1};
  for (u32 d = 0; d < grid.size(); ++d) {
    bool idle = false;
    Program::Frame frame;
    grid[d].fill(frame, values.data());
    if (const Fault fault = grid[d].run(frame, idle)) {
      why_not_ = "launch: " + grid[d].text_of(fault);
      return false;
    }
    sides[d] = frame[grid[d].outputs[0]];
    if (sides[d] < 0 || sides[d] > (d == 0 ? kMaxAlongX : kMaxAcross)) {
      why_not_ = fmt::format("launch {} has {} positions along {}, and may have 0 to {}", pass, sides[d], "xyz"[d],
                             d == 0 ? "2^62" : "2^32 - 1");
      return false;
    }
  }
  i64 all = 0;
  const bool wraps = __builtin_mul_overflow(sides[1], sides[2], &all) || __builtin_mul_overflow(all, sides[0], &all);
  if (wraps || all > kMaxAlongX) {
    why_not_ = fmt::format("launch {} has more than 2^62 positions", pass);
    return false;
  }
  launches_.push_back({static_cast<u64>(sides[0]), static_cast<u32>(sides[1]), static_cast<u32>(sides[2]), pass});
  return true;
}

SizedMapFile::Walk::Walk(const SizedMapFile& map, u32 pass) : text_(*map.text_) {
  std::vector<i64> values(kTileInputs);
  values[static_cast<u32>(TileInput::pass)] = pass, values[static_cast<u32>(TileInput::m)] = map.side_;
  values.insert(values.end(), map.once_.begin(), map.once_.end());
  text_.tile.fill(frame_, values.data());
}

Answer SizedMapFile::Walk::at(u64 x, u32 y, u32 z, u64 w) {
  frame_[static_cast<u32>(TileInput::x)] = static_cast<i64>(x);
  frame_[static_cast<u32>(TileInput::y)] = y;
  frame_[static_cast<u32>(TileInput::z)] = z;
  frame_[static_cast<u32>(TileInput::w)] = static_cast<i64>(w);
  Answer answer;
  answer.fault = text_.tile.run(frame_, answer.idle);
  if (answer.fault || answer.idle) return answer;
  answer.row = frame_[text_.tile.outputs[0]], answer.col = frame_[text_.tile.outputs[1]];
  if (text_.tile.outputs.size() > 2) answer.layer = frame_[text_.tile.outputs[2]];
  return answer;
}

void SizedMapFile::walk(const Visit& visit) const {
  u64 omega = 0;
  for (const Launch& launch : launches_) {
    Walk walk(*this, launch.pass);
    u64 w = 0;
    for (u32 z = 0; z < launch.z; ++z) {
      for (u32 y = 0; y < launch.y; ++y) {
        for (u64 x = 0; x < launch.x; ++x, ++w, ++omega) {
          if (!visit(omega, Position{x, y, z, launch.pass}, walk.at(x, y, z, w))) return;
        }
      }
    }
  }
}

bool SizedMapFile::tile(const Position& p, u32 at[3]) const {
  const Launch& launch = launches_[p.pass];
  Walk walk(*this, p.pass);
  const Answer answer = walk.at(p.x, p.y, p.z, p.x + launch.x * (p.y + u64{launch.y} * p.z));
  if (answer.idle || answer.fault) return false;
  if (!fits_u32(answer.row) || !fits_u32(answer.col) || !fits_u32(answer.layer)) return false;
  const u32 row = static_cast<u32>(answer.row), col = static_cast<u32>(answer.col);
  const bool pairs = text_->domain == Domain::triangle;
  at[0] = pairs ? row : col, at[1] = pairs ? col : row, at[2] = static_cast<u32>(answer.layer);
  return true;
}

MapFile::MapFile(MapText text) : text_(std::make_shared<const MapText>(std::move(text))) {
  const MapText& t = *text_;
  limit_words_ = t.limit == 0 ? "each side that is proved" : fmt::format("{} tiles a side, each proved", t.limit);
  info_ = {t.name.c_str(),
           t.domain,
           Space::block,
           t.formula.c_str(),
           t.source.c_str(),
           limit_words_.c_str(),
           t.limit == 0 ? most_side(t.domain) : t.limit,
           nullptr,
           false};
  info_.typed = this;
}

bool is_cpp_map(std::string_view path) {
  constexpr std::string_view kEndings[] = {".hpp", ".h", ".cpp", ".cc", ".cu", ".cuh"};
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](auto ending) { return path.ends_with(ending); });
}

std::shared_ptr<const MapFile> MapFile::from_text(std::string_view text, const std::string& path) {
  MapText read = map_text_of(text, path);
  const std::span<const MapInfo> built_in = built_in_maps(read.domain);
  if (std::any_of(built_in.begin(), built_in.end(), [&](const MapInfo& m) { return m.name == read.name; })) {
    throw ConfigError(fmt::format("{}: a built-in map has the name {}; take another name.", path, read.name));
  }
  return std::shared_ptr<const MapFile>(new MapFile(std::move(read)));
}

std::shared_ptr<const MapFile> MapFile::open(const std::string& path) {
  if (is_cpp_map(path)) {
    throw ConfigError(fmt::format(
        "{}: a map file is TOML (docs/typed-maps.md). A map in C++ is checked by a program of ten lines with the "
        "headers of maps, which is there, too, or added to this one (docs/extending.md).",
        path));
  }
  return from_text(io::read_text(path, kMaxFile), path);
}

std::shared_ptr<const SizedTypedMap> MapFile::at(u32 side) const { return std::make_shared<SizedMapFile>(text_, side); }
std::shared_ptr<const Answers> MapFile::answers(u32 side) const { return std::make_shared<SizedMapFile>(text_, side); }

std::string MapFile::size_refusal(u32 side) const {
  const u64 count = launched_positions(answers(side)->launches());
  if (count <= kMaxProof) return {};
  return fmt::format("{} launches {} positions at m = {}, and a proof goes through at most 2^33; take larger blocks.",
                     info_.name, count, side);
}

std::string MapFile::refusal(u64 side) const {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = proved_.find(side); found != proved_.end()) return found->second;
  }
  if (side > info_.max_side) {
    return fmt::format("--map {} is limited to {} tiles a side, and here are {}.", info_.name, info_.max_side, side);
  }
  std::string why = proof_refusal(*this, side);
  if (why.empty()) {
    const Proof proof = prove(*this, static_cast<u32>(side));
    if (!proof.passed()) {
      why = fmt::format("--map {} is wrong at m = {} tiles a side: {}. See triangulum verify map {} --n {}.",
                        info_.name, side, proof.fault_text(), text_->path, side);
    }
  }
  const std::unique_lock lock(mutex_);
  return proved_.try_emplace(side, std::move(why)).first->second;
}

namespace {

/// Calls f with the map at a side, as its own type.
template <class F>
void visit_built_in(Domain domain, u32 id, u32 side, const F& f) {
  if (domain == Domain::triangle) {
    visit_triangle_map(static_cast<TriangleMapId>(id), side, Diagonal::with, kProofWorkers, f);
  } else if (domain == Domain::tetrahedron) {
    visit_tetra_map(static_cast<TetraMapId>(id), side, Diagonal::with, kProofWorkers, f);
  } else {
    const auto levels = static_cast<u32>(std::countr_zero(side));
    visit_built_in_gasket_map(static_cast<GasketMapId>(id), levels, kProofWorkers, f);
  }
}

Answer answer_of(const Tile2& t) { return {false, {}, t.row, t.col, 0}; }
Answer answer_of(const Tile3& t) { return {false, {}, t.y, t.x, t.z}; }
Answer answer_of(const CellTile& t) { return {false, {}, t.y, t.x, 0}; }

/// False when visit() ended the walk.
template <class M>
bool walk_launch(const M& map, const Launch& launch, u64& omega, const Answers::Visit& visit) {
  for (u32 z = 0; z < launch.z; ++z) {
    for (u32 y = 0; y < launch.y; ++y) {
      for (u64 x = 0; x < launch.x; ++x, ++omega) {
        const Position at{x, y, z, launch.pass};
        for (auto tiles = map.begin(at); tiles.valid(); tiles.next()) {
          if (!visit(omega, at, answer_of(tiles.tile()))) return false;
        }
      }
    }
  }
  return true;
}

class BuiltInAnswers final : public Answers {
 public:
  BuiltInAnswers(Domain domain, u32 id, u32 side) : domain_(domain), id_(id), side_(side) {
    visit_built_in(domain_, id_, side_, [&](const auto& map) {
      for (u32 pass = 0; pass < map.launch_count(); ++pass) launches_.push_back(map.launch(pass));
    });
  }

  const std::vector<Launch>& launches() const override { return launches_; }
  const std::string& why_not() const override { return nothing_; }
  std::string text_of(const Fault&) const override { return nothing_; }  // a built-in map has a tile or none
  void walk(const Visit& visit) const override {
    visit_built_in(domain_, id_, side_, [&](const auto& map) {
      u64 omega = 0;
      for (const Launch& launch : launches_) {
        if (!walk_launch(map, launch, omega, visit)) return;
      }
    });
  }

 private:
  Domain domain_;
  u32 id_, side_;
  std::vector<Launch> launches_;
  std::string nothing_;
};

}  // namespace

BuiltInMap::BuiltInMap(Domain domain, u32 id) : info_(built_in_maps(domain)[id]), id_(id) {}

const std::string& BuiltInMap::path() const {
  static const std::string none;
  return none;
}

u64 BuiltInMap::largest_side() const { return std::min(info_.historical ? kMaxProof : info_.max_side, u64{1} << 31); }

std::string BuiltInMap::size_refusal(u32 side) const {
  if (info_.table_bytes != nullptr) {
    require_memory(static_cast<double>(info_.table_bytes(side)), fmt::format("the table of {}", info_.name),
                   "Take a smaller side");
  }
  const u64 count = launched_positions(BuiltInAnswers(info_.domain, id_, side).launches());
  if (count <= kMaxProof) return {};
  return fmt::format("{} launches {} positions at m = {}, and a proof goes through at most 2^33; take larger blocks.",
                     info_.name, count, side);
}

std::shared_ptr<const Answers> BuiltInMap::answers(u32 side) const {
  return std::make_shared<BuiltInAnswers>(info_.domain, id_, side);
}

namespace {

std::span<const MapInfo> maps_like(const MapFile& map) {
  const Domain domain = map.info().domain;
  return domain == Domain::triangle ? triangle_maps() : domain == Domain::tetrahedron ? tetra_maps() : gasket_maps();
}

}  // namespace

const MapInfo& add_map(const std::shared_ptr<const MapFile>& map) {
  static std::mutex adding;  // between the look for the name and its row
  const std::lock_guard lock(adding);
  for (const MapInfo& row : maps_like(*map)) {
    if (std::string_view(row.name) != map->info().name) continue;
    const MapFile* other = map_file_of(row);
    if (other != nullptr && other->text().file == map->text().file) return row;
    throw ConfigError(fmt::format("{}: another map has the name {}{}; take another name.", map->text().path, row.name,
                                  other == nullptr ? "" : ", from " + other->text().path));
  }
  const std::optional<u32> id = add_typed_map(map);
  if (!id)
    throw ConfigError(
        fmt::format("{}: there are {} typed maps of this domain already.", map->text().path, kMaxTypedMaps));
  return maps_like(*map)[*id];
}

const MapFile* map_file_of(const MapInfo& map) { return dynamic_cast<const MapFile*>(map.typed); }

std::string proved_text(const MapInfo& map, u64 side) {
  return map.typed == nullptr ? std::string() : fmt::format("proved for m = {}", side);
}

// The proof.

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
