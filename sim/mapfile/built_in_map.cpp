#include "sim/mapfile/built_in_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/base/memory.hpp"
#include "sim/mapfile/map_file.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::mapfile {
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

}  // namespace tri::mapfile
