#pragma once
/// Map files: contents, sizes, answers, maps of the program as such, text for a device, and the proof of any map.
///
/// What a proof walks: a map of which nothing is known but the launches and the tiles of a side.

#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/maps/map_concepts.hpp"
#include "sim/maps/typed_map.hpp"
#include "sim/text/map_program.hpp"

namespace tri::mapfile {

/// What a position is sent to: idle, a tile (row, col, layer), or a fault.
struct Answer {
  bool idle = false;
  Fault fault{};
  i64 row = 0, col = 0, layer = 0;
};

/// A map at one side. Immutable; any thread may call anything.
class Answers {
 public:
  /// omega counts the positions of all launches. Ends the walk when it returns false.
  using Visit = std::function<bool(u64 omega, const Position&, const Answer&)>;

  virtual ~Answers() = default;
  virtual const std::vector<Launch>& launches() const = 0;
  /// Why the map gives no answers here, or not all; empty where it does.
  virtual const std::string& why_not() const = 0;
  /// Visits positions in the order of omega, x fastest. Idle ones may be left out; a position with several tiles comes
  /// several times.
  virtual void walk(const Visit& visit) const = 0;
  virtual std::string text_of(const Fault& fault) const = 0;
};

/// Positions of all launches, at most 2^62.
u64 launched_positions(const std::vector<Launch>& launches);

class ProvableMap {
 public:
  virtual ~ProvableMap() = default;
  virtual const MapInfo& info() const = 0;      ///< its strings live as long as this
  virtual const std::string& path() const = 0;  ///< of its file; empty for a built-in map
  /// In tiles; from 1 up to here a side may be asked for.
  virtual u64 largest_side() const { return info().max_side; }
  /// One sentence why a side within largest_side() is too large for this map to answer; empty when it is not.
  virtual std::string size_refusal(u32 side) const = 0;
  virtual std::shared_ptr<const Answers> answers(u32 side) const = 0;
};

// A map as data: a TOML file with the launch and the tile of a position, in the integer language of map_program.hpp.
//
//     name = "half"
//     domain = "pairs"                       # or triples, gasket
//     formula = "fold along the diagonal"    # optional: one line, for lists
//     source = "mine"                        # optional
//     limit = 100000                         # optional: the largest side m
//     once = "e = 1 - (m & 1)"               # optional: computed once a side, may be read everywhere below
//     launch = ["m + e", "(m + 1) / 2"]      # positions along x, y, z
//     tile = """
//       row = x < m - y ? m - 1 - y : y - 1 + e
//       col = x < m - y ? x : x - (m - y)
//     """
//     [tables]                               # optional
//     step = [0, 1, 3, 6]
//
// m is the side in tiles. A tile reads x, y, z (the place in its launch), pass, w = x + X (y + Y z) and m, and assigns
// row and col of pairs, or row, col and layer (col <= row <= layer) of triples, or row and col of the gasket, from 0;
// `idle = ...` says which positions have none. Several launches: `launch = [["m"], ["m", "m"]]`, or `passes = "..."`
// with one launch that reads `pass`.
//
// Such a file is safe to open, whoever wrote it: it computes with integers, within bounds (map_program.hpp), and reads
// nothing else. Immutable; any thread may call anything.

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

// Reads the TOML of a map file. Internal to the room.

/// Throws FileError and ConfigError as MapFile::from_text().
MapText map_text_of(std::string_view text, const std::string& path);

// Map files among the maps of the program.

/// Makes a map file one of the maps of its domain (sim/maps/map_registry.hpp), under its name, until the program ends,
/// and returns that row of the list. The same text again is the same map. Throws ConfigError for another text under a
/// name that is taken, and when there are kMaxTypedMaps. Any thread may call it.
const MapInfo& add_map(const std::shared_ptr<const MapFile>& map);

/// The map file of a map; nullptr for a built-in one.
const MapFile* map_file_of(const MapInfo& map);

/// "proved for m = 32", or nothing for a built-in map. side: one that the map has not refused.
std::string proved_text(const MapInfo& map, u64 side);

// A map of sim/maps/map_ids.hpp to be proved as a map file is.

/// Positions of a persistent map in a proof.
inline constexpr u32 kProofWorkers = 4;

/// Immutable; any thread may call anything.
class BuiltInMap final : public ProvableMap {
 public:
  /// id: its place among the built-in maps of the domain.
  BuiltInMap(Domain domain, u32 id);

  const MapInfo& info() const override { return info_; }
  /// Empty: it has no file.
  const std::string& path() const override;
  /// A published map is walked beyond its limit, too, where the proof shows what is wrong.
  u64 largest_side() const override;
  /// Throws MemoryError for a map whose table does not fit.
  std::string size_refusal(u32 side) const override;
  std::shared_ptr<const Answers> answers(u32 side) const override;

 private:
  const MapInfo& info_;
  u32 id_;
};

// A map file at one side: its values of `once`, its launches, and its tile at a position. Internal to the room.

class SizedMapFile final : public SizedTypedMap, public Answers {
 public:
  SizedMapFile(std::shared_ptr<const MapText> text, u32 side);

  const std::vector<Launch>& launches() const override { return launches_; }
  bool tile(const Position& position, u32 at[3]) const override;

  const std::string& why_not() const override { return why_not_; }  ///< then there are no launches
  void walk(const Visit& visit) const override;
  std::string text_of(const Fault& fault) const override { return text_->tile.text_of(fault); }
  u32 side() const { return side_; }
  const std::vector<i64>& once() const { return once_; }  ///< in the order of once_names
  const MapText& text() const { return *text_; }

  /// Answers positions of one launch after another, with the constants in place.
  class Walk {
   public:
    Walk(const SizedMapFile& map, u32 pass);
    /// w: x + X (y + Y z).
    Answer at(u64 x, u32 y, u32 z, u64 w);

   private:
    const MapText& text_;
    Program::Frame frame_;
  };

 private:
  void evaluate();
  bool add_launch(const std::vector<Program>& grid, u32 pass);

  std::shared_ptr<const MapText> text_;
  u32 side_;
  std::vector<i64> once_;
  std::vector<Launch> launches_;
  std::string why_not_;
};

// A map file as C++ for a device: a struct whose begin() computes what the bytecode computes, without its checks,
// which a proved side does not need.
//
//     struct Typed : tri::TriangleBase { ... TRI_HD Cursor begin(const tri::Position& p) const; };
//
// The text needs sim/maps/{integer_math,triangle_base,tetra_base,gasket_base}.hpp and compiles with nvcc, NVRTC and
// g++. It is made for one side, at which it takes 32 bits for what fits there (map_program.hpp); so most sides have the
// text of their neighbours. The values of a side are in DeviceMap, computed on the host. Pure functions.

/// Passes that a device map can have.
inline constexpr u32 kMaxDevicePasses = 64;

/// The declaration of the struct. It has the constructor of its domain's base class and these members, to be filled in
/// from device_map(): `tri::i64 once[]` (at least one), and `tri::u64 wide[], high[]`, one a pass, for w. Throws as
/// device_map().
std::string cuda_text(const MapFile& map, u32 side, const std::string& name);

/// Lengths of its arrays.
struct DeviceShape {
  u32 once = 1, passes = 1;
};
DeviceShape device_shape(const MapFile& map);

/// Values of the struct's members at a side (of the domain with its diagonal).
struct DeviceMap {
  std::vector<i64> once;
  std::vector<u64> wide, high;  ///< X and Y of each pass
};

/// Throws ConfigError for more passes than kMaxDevicePasses, and for a side without launches.
DeviceMap device_map(const MapFile& map, u32 side);

// The proof of a map at one side: a walk over every position, which shows that each tile of the domain is met once and
// none outside, or where that fails.

/// A tile as the text gave it: row, col, layer (0 but for triples).
struct AnyTile {
  i64 row = 0, col = 0, layer = 0;
  friend bool operator==(const AnyTile&, const AnyTile&) = default;
};

/// A position and its tile; omega counts the positions of all launches.
struct MetAt {
  u64 omega = 0;
  Position position;
  AnyTile tile;
};

struct Proof {
  std::string name;
  Domain domain = Domain::triangle;
  u32 side = 0;
  u64 launched = 0;                     ///< positions
  u64 useful = 0;                       ///< those with a tile
  u64 expected = 0;                     ///< tiles of the domain
  u64 missed = 0;                       ///< tiles that no position meets
  u64 duplicates = 0;                   ///< meetings beyond the first
  u64 outside = 0;                      ///< meetings of what is no tile
  u64 faults = 0;                       ///< positions for which the text has no value
  std::string no_launch;                ///< why there are no answers, or not all (Answers::why_not())
  std::optional<AnyTile> first_missed;  ///< in the order of rows (layers; cells in base 3)
  std::optional<MetAt> first_twice;     ///< the first position whose tile was met before
  std::optional<MetAt> met_before;      ///< and the position that met it first
  std::optional<MetAt> first_outside;
  std::optional<MetAt> first_fault;  ///< without a tile
  std::string fault_words;           ///< of first_fault

  u64 idle() const { return launched - useful; }
  bool passed() const { return missed == 0 && duplicates == 0 && outside == 0 && faults == 0 && no_launch.empty(); }
  /// What is wrong, first things first, without a full stop; empty where nothing is.
  std::string fault_text() const;
};

/// One sentence why the side cannot be proved (the limit, more than kMaxProof tiles); empty when it can.
std::string proof_refusal(const ProvableMap& map, u64 side);

/// Takes a bit a tile and one pass over all positions (two where a tile is met twice); reports progress as a named
/// task. Throws MemoryError when the bits do not fit, and what the progress sink throws. side: one that proof_refusal()
/// accepts; of the gasket a power of two.
Proof prove(const ProvableMap& map, u32 side);

/// Calls visit(MetAt, idle, fault) for every answer of a side, as prove() meets them; ends when it returns false.
void for_each_answer(const ProvableMap& map, u32 side,
                     const std::function<bool(const MetAt&, bool idle, bool fault)>& visit);

/// "(row 2, col 1)", with the layer of triples.
std::string text_of(Domain domain, const AnyTile& tile);
/// "omega 7 (x = 3, y = 1, launch 0)": what the launch has.
std::string text_of(const MetAt& met);

}  // namespace tri::mapfile
