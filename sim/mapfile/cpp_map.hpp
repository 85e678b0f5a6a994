#pragma once
/// A map in C++, for a proof alone: the user's compiler makes a program of it, which gives the tiles of a side in a
/// process of its own, with limits of time and memory. That process may do whatever the user may: call open() only for
/// a file that the user trusts.
///
///     Launch launch(u32 m) { return {u64{m} * (m + 1) / 2}; }
///     Tile2 tile(u64 omega, u32 m);            // or tile(Position, u32 m); or std::optional<Tile2>: nothing is idle
///
/// or a class as in sim/maps, with the file's name in capitals: triangle_fold.hpp has TriangleFold. The domain is that
/// of the tiles.

#include <string>
#include <string_view>

#include "sim/mapfile/answers.hpp"

namespace tri::mapfile {

/// Whether a file's name ends as C++ does: .hpp, .h, .cpp, .cc, .cu or .cuh.
bool is_cpp_map(std::string_view path);

struct CppSetup {
  std::string compiler;         ///< its name or path and first options; "" takes CXX, else c++
  std::string headers;          ///< the folder with maps/ and base/; "" takes those of this program
  double compile_seconds = 60;  ///< wall time
  double seconds = 10;          ///< wall time of a side
  u64 memory = u64{1} << 30;    ///< bytes of address space, of a side
};

/// The most tiles of the domain at a side that is answered.
inline constexpr u64 kMaxCppTiles = u64{1} << 25;

class CppMap final : public ProvableMap {
 public:
  /// Compiles the file into a folder for temporary files, which ends with this object. Throws ConfigError without a
  /// compiler, FileError for a file that cannot be read or does not compile, with the compiler's first lines, and what
  /// the progress sink of this thread throws.
  CppMap(const std::string& path, const CppSetup& setup);
  ~CppMap() override;
  CppMap(const CppMap&) = delete;
  CppMap& operator=(const CppMap&) = delete;

  const MapInfo& info() const override { return info_; }
  const std::string& path() const override { return path_; }
  std::string size_refusal(u32 side) const override;
  /// Runs the program. What ends it early is why_not(): a signal, the limits, too many tiles.
  std::shared_ptr<const Answers> answers(u32 side) const override;

 private:
  void compile(const std::string& compiler, const std::string& headers);

  std::string path_, name_, folder_;
  CppSetup setup_;
  MapInfo info_{};
};

/// The folder of the map headers beside a program: include/triangulum of its prefix, or sim of its sources; "" if there
/// is none.
std::string map_headers_of(const std::string& program);

}  // namespace tri::mapfile
