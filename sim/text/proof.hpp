#pragma once
/// The proof of a map at one side: a walk over every position, which shows that each tile of the domain is met
/// once and none outside, or where that fails.

#include <functional>
#include <optional>
#include <string>

#include "sim/text/map_file.hpp"

namespace tri::mapfile {

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
