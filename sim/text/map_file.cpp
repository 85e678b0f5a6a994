#include "sim/text/map_file.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/files/file.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/text/proof.hpp"

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
        "headers of maps, which is there, too, or added to this one (\"Add a map\" in CONTRIBUTING.md).",
        path));
  }
  io::InputFile file(path, io::Accepts::files);
  std::string text(kMaxFile + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  return from_text(text, path);
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

}  // namespace tri::mapfile
