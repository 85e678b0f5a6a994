// Untrusted input: files of every format, scenes, command lines, and laws that are typed. The entry point is
// libFuzzer's, so that the same file is driven by libFuzzer (libfuzzer.sh) and by our mutator (driver.cpp, in ctest).
//
// TRI_FUZZ names the target. For any bytes, a reader returns valid bodies or throws an error of
// sim/base/error.hpp, and never returns more bodies than the bytes can hold.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "app/options/options.hpp"
#include "sim/io/formats.hpp"
#include "sim/scene/scene.hpp"
#include "sim/text/law.hpp"
#include "sim/text/map_file.hpp"

namespace {

using tri::Bodies;

/// Largest number of bodies per byte of input.
constexpr std::size_t kMaxOfCompressed = 1100, kMaxOfOthers = 1;

[[noreturn]] void broken(const char* what) {
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// The bytes as a file with a path.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size) : fd_(memfd_create("fuzz", 0)) {
    std::size_t done = 0;
    while (fd_ >= 0 && done < size) {
      const ssize_t written = write(fd_, data + done, size - done);
      if (written <= 0) broken("no memory for the input");
      done += static_cast<std::size_t>(written);
    }
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

struct Reader {
  std::string_view name;
  Bodies (*bodies)(const std::string& path, tri::ReadReport& reading);
  tri::PointSet (*points)(const std::string& path, const tri::PointColumns& columns, tri::Notes& notes);
  std::size_t most;  ///< bodies per byte
};

using namespace tri::io;
constexpr Reader kReaders[] = {{"tab", read_tab, nullptr, kMaxOfOthers},
                               {"csv", read_csv, nullptr, kMaxOfOthers},
                               {"npy", read_npy, nullptr, kMaxOfOthers},
                               {"hdf5", read_hdf5, nullptr, kMaxOfCompressed},
                               {"tipsy", read_tipsy, nullptr, kMaxOfOthers},
                               {"xyz", read_xyz, nullptr, kMaxOfOthers},
                               {"ply", read_ply, nullptr, kMaxOfOthers},
                               {"vtp", read_vtp, nullptr, kMaxOfCompressed},
                               {"pvd", read_pvd, nullptr, kMaxOfOthers},
                               {"csv-points", nullptr, read_csv_points, kMaxOfOthers},
                               {"npy-points", nullptr, read_npy_points, kMaxOfOthers}};

void read_with(const Reader& reader, const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  if (reader.points != nullptr) {
    tri::Notes notes;
    const tri::PointSet points = reader.points(file.path(), {}, notes);
    check(points);
    if (points.n > size) broken("more points than bytes");
    return;
  }
  tri::ReadReport reading;
  const Bodies bodies = reader.bodies(file.path(), reading);
  check(bodies);
  if (bodies.size() > reader.most * size) broken("more bodies than the file can hold");
}

/// A scene with few bodies, whatever number the file requests.
void make_scene_of(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/tmp/tri-fuzz-" + std::to_string(getpid()) + ".toml";
  static const bool removed_at_end = std::atexit([] { unlink(path.c_str()); }) == 0;
  if (!removed_at_end) broken("no room for an exit handler");
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) broken("no temporary file");
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  const tri::Scene scene = tri::make_scene(path + ":n=16");
  check(scene.bodies);
}

/// Arguments are split at line ends.
void parse_arguments(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments{"triangulum", ""};
  for (std::size_t i = 0; i < size; ++i) {
    const char c = static_cast<char>(data[i]);
    if (c == '\n') {
      arguments.emplace_back();
    } else if (c != '\0') {
      arguments.back() += c;
    }
  }
  tri::app::parse_options(arguments);
}

bool equal(const tri::expression::Program& x, const tri::expression::Program& y) {
  const auto same = [](const auto& i, const auto& j) { return i.op == j.op && i.a == j.a && i.b == j.b && i.c == j.c; };
  return std::equal(x.code.begin(), x.code.end(), y.code.begin(), y.code.end(), same) && x.numbers == y.numbers &&
         x.outputs == y.outputs;
}

/// What a law's text says, its own text with the values in it says again.
void make_law_of(const std::uint8_t* data, std::size_t size) {
  using namespace tri::expression;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Over over = text.find('r') == text.npos ? Over::triples : Over::pairs;  // there is no r in those seeds
  const TypedLaw first = typed_law(text, over);
  const Law& law = *first.law;
  const std::string again = first.text();
  const TypedLaw second = typed_law(again, over);
  if (!equal(law.strength(), second.law->strength())) broken("another strength");
  if (!equal(law.strength_and_energy(), second.law->strength_and_energy())) broken("another energy");
  if (law.uniforms(first.values) != second.law->uniforms(second.values)) broken("other uniforms");
  if (second.values != first.values || second.text() != again) broken("another text");
  if (law.strength_and_energy().code.size() > Law::kMaxInstructions) broken("a program beyond its limit");
  if (law.uniform_count() > Law::kMaxUniforms) broken("more uniforms than the limit");
  law.at(1.25, first.values);
}

/// Some sides of a map file, walked and proved: it ends, and what the map answers is what the proof counts.
void make_map_of(const std::uint8_t* data, std::size_t size) {
  using namespace tri::mapfile;
  const auto map = MapFile::from_text(std::string_view(reinterpret_cast<const char*>(data), size), "map.toml");
  if (map->text().tile.most_steps > kMaxSteps || map->text().tile.code.size() > kMaxInstructions) broken("a long tile");
  if (map->text().tile.most_steps > 10'000) return;  // within the limits, and too long for thousands of inputs
  for (const tri::u32 side : {1u, 2u, 4u, 8u}) {
    tri::u64 positions = 0, found = 0;
    const auto at = map->at(side);
    for (const tri::Launch& launch : at->launches()) {
      const tri::u64 across = tri::u64{launch.y} * launch.z;
      if (launch.x > 4096 || across > 4096 || launch.x * across > 4096) return;
      positions += launch.x * across;
    }
    if (positions > 4096) return;
    for_each_answer(*map, side, [&](const MetAt& met, bool idle, bool fault) {
      tri::u32 tile[3];
      const bool answers = at->tile(met.position, tile);
      if (answers && (idle || fault)) broken("an idle position with a tile");
      found += !idle && !fault;
      return true;
    });
    const Proof proof = prove(*map, side);
    if (proof.launched != positions || proof.useful != found) broken("a proof that counts other positions");
    if (proof.passed() && found != proof.expected) broken("a proof of a wrong map");
    if (proof.passed() != proof.fault_text().empty()) broken("a fault without words");
    if (proof.passed() && at->launches().size() <= kMaxDevicePasses) cuda_text(*map, side, "Typed");
  }
}

void one_input(const std::uint8_t* data, std::size_t size) {
  static const char* const target = std::getenv("TRI_FUZZ");
  const std::string_view name = target == nullptr ? "" : target;
  if (name == "scene") return make_scene_of(data, size);
  if (name == "options") return parse_arguments(data, size);
  if (name == "law") return make_law_of(data, size);
  if (name == "mapfile") return make_map_of(data, size);
  for (const Reader& reader : kReaders) {
    if (name == reader.name) return read_with(reader, data, size);
  }
  broken("TRI_FUZZ must name a target: a format, csv-points, npy-points, scene, options, law or mapfile");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    one_input(data, size);
  } catch (const tri::Error& error) {
    if (std::strlen(error.what()) < 10) broken("an error without a message");
  }
  return 0;
}
