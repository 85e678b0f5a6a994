#pragma once
/// What an editor shows of a map file: what is wrong with its text, and at one side its proof and its order.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/mapfile/proof.hpp"

namespace tri::app {

/// A tile of the domain, and who meets it.
struct SketchTile {
  u32 row = 0, col = 0, layer = 0;
  u64 omega = 0;  ///< the first position that meets it
  u32 times = 0;  ///< 0: it is missed
};

struct MapSketch {
  std::shared_ptr<const mapfile::MapFile> map;  ///< null: the text is none
  std::string error;  ///< why not, or why this side cannot be proved; one or several lines, with a caret
  mapfile::Proof proof;
  std::vector<SketchTile> tiles;  ///< all of the domain in the order of rows (layers); empty with an error
};

/// The largest side of a sketch, by domain: its proof takes no noticeable time.
constexpr u32 most_sketched(Domain domain) {
  return domain == Domain::triangle ? 64 : domain == Domain::tetrahedron ? 12 : 64;
}

/// Never throws for a text, whatever is wrong with it. side: 1 and more; a larger one than most_sketched() is taken as
/// that, and of the gasket it becomes the power of two below it.
MapSketch sketch_map(std::string_view text, u32 side);

}  // namespace tri::app
