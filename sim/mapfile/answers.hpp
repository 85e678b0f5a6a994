#pragma once
/// What a proof walks: a map of which nothing is known but the launches and the tiles of a side.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/mapfile/program.hpp"
#include "sim/maps/map_concepts.hpp"

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

}  // namespace tri::mapfile
