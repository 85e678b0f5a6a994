#pragma once
/// One run of the program of a map in C++ (cpp_driver.cpp). Internal to the room.

#include <string>
#include <vector>

#include "sim/mapfile/cpp_map.hpp"

namespace tri::mapfile {

class CppAnswers final : public Answers {
 public:
  struct Tile {
    u64 omega;
    u32 row, col, layer;
  };

  /// Runs the program for a side; side 0: for domain and limit alone. most_tiles: more are not taken. Throws what the
  /// progress sink of this thread throws, and FileError if it cannot be started or writes what is no answer.
  CppAnswers(const std::string& program, u32 side, const CppSetup& setup, u64 most_tiles);

  const std::vector<Launch>& launches() const override { return launches_; }
  const std::string& why_not() const override { return why_not_; }
  void walk(const Visit& visit) const override;
  std::string text_of(const Fault&) const override { return {}; }

  Domain domain() const { return domain_; }
  u64 limit() const { return limit_; }  ///< the largest side; 0: the map says none

 private:
  struct Record {
    u64 omega;
    u32 a, b, c, kind;
  };
  class Reader;

  std::vector<Launch> launches_;
  std::vector<Tile> tiles_;
  std::string why_not_;
  Domain domain_ = Domain::triangle;
  u64 limit_ = 0;
};

}  // namespace tri::mapfile
