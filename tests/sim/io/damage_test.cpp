/// Valid files with random damage: every reader returns valid bodies or throws FileError, nothing else.

#include <array>
#include <functional>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

/// The sanitizers look these functions up by name. On a file with damaged tables HDF5 1.10 leaks some bytes, and
/// requests more memory than exists, which it tolerates.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace tri::test {
namespace {

constexpr int kRounds = 1500;

/// Cuts, flips, swaps, doubles or blanks a random part.
std::string damaged(std::string bytes, SplitMix64& random) {
  const auto place = [&] { return random.next() % bytes.size(); };
  const u64 wounds = 1 + random.next() % 4;
  for (u64 w = 0; w < wounds && !bytes.empty(); ++w) {
    switch (random.next() % 6) {
      case 0:
        bytes.resize(place());
        break;
      case 1:
        bytes[place()] ^= static_cast<char>(1u << (random.next() % 8));
        break;
      case 2:
        bytes[place()] = static_cast<char>(random.next());
        break;
      case 3:
        bytes.insert(place(), bytes.substr(place(), random.next() % 40));
        break;
      case 4:
        bytes.erase(place(), random.next() % 40);
        break;
      default:
        std::swap(bytes[place()], bytes[place()]);
        break;
    }
  }
  return bytes;
}

struct Outcome {
  int read = 0, refused = 0;
};

Outcome survive(const TempFolder& folder, const std::string& name, const std::function<void()>& read) {
  const std::string path = folder.at(name), bytes = content_of(path);
  SplitMix64 random{2024};
  Outcome outcome;
  for (int round = 0; round < kRounds; ++round) {
    folder.file(name, damaged(bytes, random));
    try {
      read();
      ++outcome.read;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      ++outcome.refused;
    }
  }
  return outcome;
}

class DamagedBodies : public testing::TestWithParam<const char*> {};
class DamagedPoints : public testing::TestWithParam<const char*> {};

TEST_P(DamagedBodies, AreValidOrRejected) {
  TempFolder folder;
  const std::string name = std::string("a.") + GetParam(), path = folder.at(name);
  const std::string format = GetParam();
  write_bodies(path, format == "tipsy" ? awkward_narrow_bodies(12) : awkward_bodies(12, format == "csv"));
  const Outcome outcome = survive(folder, name, [&] { check(read_bodies(path)); });
  EXPECT_GT(outcome.read, 10);
  EXPECT_GT(outcome.refused, 100);
}

TEST_P(DamagedPoints, AreValidOrRejected) {
  TempFolder folder;
  const std::string name = std::string("a.") + GetParam(), path = folder.at(name);
  write_bodies(path, awkward_bodies(12, false));
  const Outcome outcome = survive(folder, name, [&] {
    const PointSet p = read_points(path);
    ASSERT_EQ(p.values.size(), std::size_t{p.n} * p.features);
    ASSERT_TRUE(p.n > 0 && p.features > 0 && p.features <= 16);
    for (const double v : p.values) ASSERT_TRUE(std::isfinite(v));
  });
  EXPECT_GT(outcome.read, 10);
  EXPECT_GT(outcome.refused, 100);
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedBodies,
                         testing::Values("tab", "csv", "npy", "tipsy", "hdf5", "xyz", "ply", "vtp"), CaseName{});
INSTANTIATE_TEST_SUITE_P(Formats, DamagedPoints, testing::Values("csv", "npy"), CaseName{});

// A file truncated at any byte: never a crash, and never an incomplete row.
TEST(Truncation, AtEveryByte) {
  TempFolder folder;
  for (const char* name : {"a.tab", "a.csv", "a.npy"}) {
    const Bodies whole = awkward_bodies(3, false);
    write_bodies(folder.at(name), whole);
    const std::string bytes = content_of(folder.at(name));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      folder.file(name, bytes.substr(0, size));
      try {
        const Bodies b = read_bodies(folder.at(name));
        ASSERT_STRNE(name, "a.npy") << size;  // its header knows the size
        ASSERT_LE(b.size(), 3u);
        for (std::size_t i = 0; i + 1 < b.size(); ++i) ASSERT_EQ(b.x[i], whole.x[i]);
      } catch (const FileError&) {
      }
    }
  }
}

}  // namespace
}  // namespace tri::test
