#pragma once
/// A map file at one side: its values of `once`, its launches, and its tile at a position. Internal to the room.

#include <memory>
#include <string>
#include <vector>

#include "sim/mapfile/map_file.hpp"

namespace tri::mapfile {

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
  bool take_launch(const std::vector<Program>& grid, u32 pass);

  std::shared_ptr<const MapText> text_;
  u32 side_;
  std::vector<i64> once_;
  std::vector<Launch> launches_;
  std::string why_not_;
};

}  // namespace tri::mapfile
