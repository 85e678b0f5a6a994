#pragma once
/// A map of sim/maps/map_ids.hpp to be proved as a map file is.

#include <string>

#include "sim/mapfile/answers.hpp"

namespace tri::mapfile {

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

}  // namespace tri::mapfile
