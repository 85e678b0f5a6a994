#pragma once
/// A map as data: a TOML file with the launch and the tile of a position, in the integer language of compile.hpp.
///
///     name = "half"
///     domain = "pairs"                       # or triples, gasket
///     formula = "fold along the diagonal"    # optional: one line, for lists
///     source = "mine"                        # optional
///     limit = 100000                         # optional: the largest side m
///     once = "e = 1 - (m & 1)"               # optional: computed once a side, may be read everywhere below
///     launch = ["m + e", "(m + 1) / 2"]      # positions along x, y, z
///     tile = """
///       row = x < m - y ? m - 1 - y : y - 1 + e
///       col = x < m - y ? x : x - (m - y)
///     """
///     [tables]                               # optional
///     step = [0, 1, 3, 6]
///
/// m is the side in tiles. A tile reads x, y, z (the place in its launch), pass, w = x + X (y + Y z) and m, and assigns
/// row and col of pairs, or row, col and layer (col <= row <= layer) of triples, or row and col of the gasket, from 0;
/// `idle = ...` says which positions have none. Several launches: `launch = [["m"], ["m", "m"]]`, or `passes = "..."`
/// with one launch that reads `pass`.
///
/// Such a file is safe to open, whoever wrote it: it computes with integers, within bounds (program.hpp), and reads
/// nothing else. Immutable; any thread may call anything.

#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/mapfile/answers.hpp"
#include "sim/maps/typed_map.hpp"

namespace tri::mapfile {

/// Bytes of a file, passes of a launch, and positions and tiles of a proof.
inline constexpr std::size_t kMaxFile = 1u << 20;
inline constexpr u32 kMaxPasses = 4096;
inline constexpr u64 kMaxProof = u64{1} << 33;

/// Whether a file's name ends as C++ does: .hpp, .h, .cpp, .cc, .cu or .cuh.
bool is_cpp_map(std::string_view path);

/// What a file says.
struct MapText {
  std::string path, name, formula, source;
  Domain domain = Domain::triangle;
  u64 limit = 0;  ///< largest side; 0: none given
  std::vector<std::string> once_names;
  Program once;                              ///< of m
  Program passes;                            ///< of m and once; no code: as many as launches
  std::vector<std::vector<Program>> launch;  ///< [1 or passes][1 ... 3] of m, pass and once
  Program tile;                              ///< of TileInput, and once
  std::string file;                          ///< the whole text
};

/// Inputs of `tile`, before the names of `once`; those of `launch` are m and pass, of `once` m.
enum class TileInput : u32 { x, y, z, pass, w, m };
inline constexpr u32 kTileInputs = 6;

class MapFile final : public TypedMap, public ProvableMap {
 public:
  /// Throws FileError for a file that cannot be read or is no map, ConfigError with line, column and caret for a text
  /// that cannot be understood, for a map in C++, and for a name that a built-in map of the domain has.
  static std::shared_ptr<const MapFile> open(const std::string& path);
  /// The same of a text; path is for messages.
  static std::shared_ptr<const MapFile> from_text(std::string_view text, const std::string& path);

  const MapInfo& info() const override { return info_; }
  std::shared_ptr<const SizedTypedMap> at(u32 side) const override;
  /// Proves the side, if it was not proved yet, under the progress sink of this thread (sim/base/progress.hpp).
  std::string refusal(u64 side) const override;

  const std::string& path() const override { return text_->path; }
  std::string size_refusal(u32 side) const override;
  std::shared_ptr<const Answers> answers(u32 side) const override;

  const MapText& text() const { return *text_; }

 private:
  explicit MapFile(MapText text);

  std::shared_ptr<const MapText> text_;
  std::string limit_words_;
  MapInfo info_;
  mutable std::shared_mutex mutex_;
  mutable std::unordered_map<u64, std::string> proved_;  ///< side: why not; empty where it is proved
};

}  // namespace tri::mapfile
