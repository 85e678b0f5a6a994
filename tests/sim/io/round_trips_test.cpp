/// Round trips through every pair of formats, bit for bit.

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

struct Carries {
  const char* name;
  bool radius, wide, group, time;
};

// Compared with the registry below, so that no new format is left out.
constexpr Carries kFormats[] = {{"a.tab", false, true, false, false},      {"a.csv", true, true, true, false},
                                {"a.npy", false, true, false, false},      {"a.hdf5", true, true, true, true},
                                {"a.h5", true, true, true, true},          {"a.tipsy", false, false, false, true},
                                {"a.std", false, false, false, true},      {"a.bin", false, false, false, true},
                                {"a.tipsy-le", false, false, false, true}, {"a.tipsy-64", false, false, false, true},
                                {"a.xyz", true, true, true, true},         {"a.extxyz", true, true, true, true},
                                {"a.ply", true, true, true, true},         {"a.vtp", true, true, true, true}};

Bodies with_groups(Bodies b) {
  b.group.resize(b.size());
  b.q = b.vx;  // of either sign
  for (std::size_t i = 0; i < b.size(); ++i) b.group[i] = static_cast<std::uint16_t>(i * 40503);
  return b;
}

TEST(RoundTrips, CoverEveryExtension) {
  std::size_t extensions = 0;
  for (const FormatInfo& f : list_formats()) {
    if (!f.writes) continue;
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
        if (!one.group || !other.group) continue;
        const Bodies grouped = with_groups(b), back = through(folder, one, other, grouped);
        expect_same_bodies(back, grouped);
        EXPECT_EQ(back.group, grouped.group);
        EXPECT_EQ(bits_of(back.q), bits_of(grouped.q));
      }
    }
  }
}

TEST(RoundTrips, OfTheTime) {
  TempFolder folder;
  const Bodies b = awkward_narrow_bodies(3);
  for (const Carries& one : kFormats) {
    SCOPED_TRACE(one.name);
    write_bodies(folder.at(one.name), b, 0.1);
    ReadReport reading;
    read_bodies(folder.at(one.name), reading);
    EXPECT_EQ(reading.time.has_value(), one.time);
    EXPECT_EQ(reading.time.value_or(0.1), 0.1);
  }
}

// Anything that a format drops is reported, and nothing else changes.
TEST(RoundTrips, LossesAreReported) {
  TempFolder folder;
  const Bodies whole = with_groups(awkward_bodies(20, true));
  for (const Carries& one : kFormats) {
    SCOPED_TRACE(one.name);
    const std::string path = folder.at(one.name);
    Bodies b = whole;
    if (!one.wide) {
      for (auto* a : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m}) {
        for (double& v : *a) v = std::fmod(v, 1e30);
      }
    }
    const Bodies before = b;
    const Notes notes = make_storable(path, b, 2.5);
    std::string all;
    for (const std::string& note : notes) all += note + "\n";
    EXPECT_EQ(all.find("radii") != std::string::npos, !one.radius) << all;
    EXPECT_EQ(all.find("groups") != std::string::npos, !one.group) << all;
    EXPECT_EQ(all.find("charges") != std::string::npos, !one.group) << all;  // the same formats have either
    EXPECT_EQ(all.find("the time") != std::string::npos, !one.time) << all;
    EXPECT_EQ(all.find("were rounded") != std::string::npos, !one.wide) << all;
    write_bodies(path, b, 2.5);
    const Bodies back = read_bodies(path);
    expect_same_bodies(back, b);
    for (std::size_t i = 0; i < b.size(); ++i) {
      EXPECT_EQ(back.x[i], one.wide ? before.x[i] : static_cast<double>(static_cast<float>(before.x[i])));
    }
    EXPECT_EQ(bits_of(back.q), bits_of(one.group ? before.q : std::vector<double>{}));
    EXPECT_EQ(back.group, one.group ? before.group : std::vector<std::uint16_t>{});
  }
  Bodies far = awkward_narrow_bodies(1);
  far.x[0] = 1e39;
  expect_parts(message_of<FileError>([&] { make_storable(folder.at("a.tipsy"), far, 0); }),
               {"float32", "1e+39", ".hdf5"});
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("a.pvd"), far); }), {"run writes", ".vtp"});
}

// More than one chunk of every reader and writer.
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
