/// Bodies through every pair of formats that can carry them: what comes out is what went in, bit for bit.

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

struct Carries {
  const char* name;
  bool radius, wide;
};

// Held against the registry below, so that a new format cannot be left out.
constexpr Carries kFormats[] = {{"a.tab", false, true},      {"a.csv", true, true},   {"a.npy", false, true},
                                {"a.hdf5", true, true},      {"a.h5", true, true},    {"a.tipsy", false, false},
                                {"a.std", false, false},     {"a.bin", false, false}, {"a.tipsy-le", false, false},
                                {"a.tipsy-64", false, false}};

TEST(RoundTrips, AreTriedForEveryExtension) {
  std::size_t extensions = 0;
  for (const FormatInfo& f : list_formats()) {
    const std::string all = f.extensions;
    extensions += 1 + static_cast<std::size_t>(std::count(all.begin(), all.end(), ' '));
  }
  EXPECT_EQ(extensions, std::size(kFormats));
}

Bodies through(const TempFolder& folder, const Carries& one, const Carries& other, const Bodies& b) {
  const std::string first = folder.at(std::string("1") + one.name), second = folder.at(std::string("2") + other.name);
  write_bodies(first, b);
  write_bodies(second, read_bodies(first));
  return read_bodies(second);
}

TEST(RoundTrips, OfEveryPairOfFormats) {
  TempFolder folder;
  for (const Carries& one : kFormats) {
    for (const Carries& other : kFormats) {
      const bool wide = one.wide && other.wide, radius = one.radius && other.radius;
      for (const std::size_t n : {1u, 2u, 1000u}) {
        SCOPED_TRACE(std::string(one.name) + " to " + other.name + ", n = " + std::to_string(n));
        const Bodies b = wide ? awkward_bodies(n, radius) : awkward_narrow_bodies(n);
        expect_same_bodies(through(folder, one, other, b), b);
      }
    }
  }
}

// Beyond one piece of every reader and writer.
TEST(RoundTrips, OfManyBodies) {
  TempFolder folder;
  const Bodies b = awkward_narrow_bodies(70001);
  for (const Carries& one : kFormats) {
    SCOPED_TRACE(one.name);
    write_bodies(folder.at(one.name), b);
    expect_same_bodies(read_bodies(folder.at(one.name)), b);
  }
}

}  // namespace
}  // namespace tri::test
