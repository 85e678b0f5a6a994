/// tipsy: dialects made byte by byte, and the message for everything else.

#include <cstring>
#include <optional>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

/// Builds the bytes of a file of another program.
class TipsyBytes {
 public:
  explicit TipsyBytes(bool big) : big_(big) {}
  void real64(double v) {
    std::string raw(8, '\0');
    std::memcpy(raw.data(), &v, 8);
    put(raw);
  }
  void word(u32 v) {
    std::string raw(4, '\0');
    std::memcpy(raw.data(), &v, 4);
    put(raw);
  }
  void real32(float v) { word(std::bit_cast<u32>(v)); }
  void header(u32 gas, u32 dark, u32 star, u32 dimensions = 3) {
    real64(1.5);
    for (const u32 v : {gas + dark + star, dimensions, gas, dark, star}) word(v);
  }
  /// m = first, x = first + 1, ... vz = first + 6, then `more` unused words.
  void particle(float first, int more) {
    for (int c = 0; c < 7; ++c) real32(first + static_cast<float>(c));
    for (int c = 0; c < more; ++c) word(0xFFFFFFFFu);  // a NaN, if it were read
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::string raw) {  // the host is little-endian
    if (big_) std::reverse(raw.begin(), raw.end());
    bytes_ += raw;
  }
  bool big_;
  std::string bytes_;
};

/// 2 gas, 3 dark and 1 star particle; a header with a word of padding, or without one.
std::string mixed(bool big, std::optional<u32> padding) {
  TipsyBytes f(big);
  f.header(2, 3, 1);
  if (padding) f.word(*padding);
  float first = 1;
  for (const int more : {5, 5, 2, 2, 2, 4}) f.particle(first, more), first += 10;
  return f.bytes();
}

struct Dialect {
  const char* name;
  bool big;
  std::optional<u32> padding;
  std::vector<std::string> says;
};

class TipsyDialects : public testing::TestWithParam<Dialect> {};

TEST_P(TipsyDialects, AreDetectedAndRead) {
  TempFolder folder;
  Notes notes;
  const std::string path = folder.file("a.tipsy", mixed(GetParam().big, GetParam().padding));
  const Bodies b = read_bodies(path, &notes);
  ASSERT_EQ(b.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const double first = 1 + 10.0 * static_cast<double>(i);
    EXPECT_EQ((std::vector<double>{b.m[i], b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i], b.r[i]}),
              (std::vector<double>{first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, 0}));
  }
  EXPECT_EQ(b.group, (std::vector<std::uint16_t>{0, 0, 1, 1, 1, 2}));
  ASSERT_EQ(notes.size(), 1u);
  expect_parts(notes[0], {path, "2 gas, 3 dark, 1 star"});
  expect_parts(notes[0], GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(Tipsy, TipsyDialects,
                         testing::Values(Dialect{"Standard", true, 0u, {"big-endian", "32 bytes:"}},
                                         Dialect{"StandardShort", true, std::nullopt, {"big-endian", "28 bytes:"}},
                                         Dialect{"Native", false, 0u, {"little-endian", "32 bytes:"}},
                                         Dialect{"NativeShort", false, std::nullopt, {"little-endian", "28 bytes:"}},
                                         Dialect{"WideIds", false, 2u, {"little-endian", "32 bytes, 64-bit ids:"}},
                                         Dialect{"OtherWord", true, 77u, {"32 bytes, non-zero padding:"}}),
                         CaseName{});

// Without padding, the first bytes of the records are read together with the header.
TEST(Tipsy, ManyRecordsAfterAShortHeader) {
  TempFolder folder;
  constexpr u32 kCount = 20001;
  TipsyBytes f(false);
  f.header(0, kCount, 0);
  std::vector<double> masses, speeds;
  for (u32 i = 0; i < kCount; ++i) {
    f.particle(static_cast<float>(i), 2);
    masses.push_back(i), speeds.push_back(i + 6);
  }
  const Bodies b = read_bodies(folder.file("a.tipsy", f.bytes()));
  EXPECT_EQ(b.m, masses);
  EXPECT_EQ(b.vz, speeds);
}

TEST(Tipsy, TheNameSelectsTheDialect) {
  TempFolder folder;
  const Bodies b = awkward_narrow_bodies(3);
  const std::pair<const char*, const char*> dialects[] = {
      {"a.tipsy", "big-endian tipsy with a header of 32 bytes:"},
      {"a.tipsy-le", "little-endian tipsy with a header of 32 bytes, 32-bit ids:"},
      {"a.tipsy-64", "little-endian tipsy with a header of 32 bytes, 64-bit ids:"}};
  for (const auto& [name, says] : dialects) {
    Notes notes;
    write_bodies(folder.at(name), b);
    EXPECT_EQ(content_of(folder.at(name)).size(), 32u + 3 * 36u);
    expect_same_bodies(read_bodies(folder.at(name), &notes), b);
    expect_parts(notes.at(0), {says, "0 gas, 3 dark, 0 star"});
  }
  // The id of the third body, at its offsets in the 32- and 64-bit dialects.
  const std::string narrow = content_of(folder.at("a.tipsy-le")), wide = content_of(folder.at("a.tipsy-64"));
  u32 id = 0;
  u64 wide_id = 0;
  std::memcpy(&id, &narrow[32 + 2 * 36 + 32], 4);
  std::memcpy(&wide_id, &wide[32 + 2 * 36 + 28], 8);
  EXPECT_EQ(id, 2u);
  EXPECT_EQ(wide_id, 2u);
}

TEST(Tipsy, PotentialsAreNotReadAsIds) {
  TempFolder folder;
  TipsyBytes f(false);
  f.header(0, 2, 0);
  f.word(0);
  f.particle(1, 1), f.real32(-0.5f);
  f.particle(2, 1), f.word(7);
  Notes notes;
  read_bodies(folder.file("a.tipsy", f.bytes()), &notes);
  EXPECT_EQ(notes.at(0).find("ids"), std::string::npos) << notes[0];
}

TEST(Tipsy, ValuesBeyondFloat32AreRejected) {
  TempFolder folder;
  Bodies b = awkward_narrow_bodies(3);
  b.vy[1] = 0.1;
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("a.tipsy"), b); }),
               {"a.tipsy", "vy = 0.1", "of body 1", "use .hdf5", "--precision fp32"});
  EXPECT_TRUE(folder.names().empty());
}

using TipsyErrors = BadFiles;

TEST_P(TipsyErrors, NameFileAndRemedy) { expect_bodies_rejected("bad.tipsy"); }

std::string one_dark(float mass, float x, u32 dimensions = 3) {
  TipsyBytes f(true);
  f.header(0, 1, 0, dimensions);
  f.word(0);
  f.real32(mass), f.real32(x);
  for (int c = 0; c < 7; ++c) f.real32(0);
  return f.bytes();
}

std::string many_announced() {
  TipsyBytes f(false);
  f.header(0, 2000000000u, 0);
  f.word(0);
  return f.bytes();
}

INSTANTIATE_TEST_SUITE_P(
    Tipsy, TipsyErrors,
    testing::Values(BadFile{"Empty", "", {"does not start with a tipsy header"}},
                    BadFile{"Short", mixed(true, 0u).substr(0, 27), {"does not start with a tipsy header"}},
                    BadFile{"Text", std::string(500, 'x'), {"does not start with a tipsy header"}},
                    BadFile{"Zeros", std::string(500, '\0'), {"does not start with a tipsy header"}},
                    BadFile{"CutOff",
                            mixed(true, 0u).substr(0, 200),
                            {"2 gas, 3 dark and 1 star", "280 bytes", "has 200", "cut off"}},
                    BadFile{"OneByteMore", mixed(false, 0u) + 'x', {"has 281"}},
                    BadFile{"OnlyAHeader", many_announced(), {"2000000000 dark", "has 32"}},
                    BadFile{"TwoDimensions", one_dark(1, 0, 2), {"has 2 dimensions"}},
                    BadFile{"NegativeMass", one_dark(-1, 0), {"dark particle 0", "m is -1", "0 or more"}},
                    BadFile{"NaN", one_dark(1, std::nanf("")), {"dark particle 0", "x is nan", "finite"}}),
    CaseName{});

}  // namespace
}  // namespace tri::test
