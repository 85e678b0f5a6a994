/// Tab files: exact values, and the message for every invalid line.

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

TEST(Tab, ReadsSevenColumnsInTheOrderMassPositionVelocity) {
  TempFolder folder;
  const Bodies b = read_bodies(folder.file("a.tab", "1 2 3 4 5 6 7\n0.5 -1e-3 +2.5 .25 0 -0 1e3\n"));
  ASSERT_EQ(b.size(), 2u);
  EXPECT_EQ(b.m, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(b.x, (std::vector<double>{2, -1e-3}));
  EXPECT_EQ(b.y, (std::vector<double>{3, 2.5}));
  EXPECT_EQ(b.z, (std::vector<double>{4, 0.25}));
  EXPECT_EQ(b.vx, (std::vector<double>{5, 0}));
  EXPECT_EQ(b.vy, (std::vector<double>{6, 0}));
  EXPECT_EQ(b.vz, (std::vector<double>{7, 1000}));
  EXPECT_EQ(b.r, (std::vector<double>{0, 0}));
}

TEST(Tab, SkipsCommentsBlankLinesMarksAndForeignLineEnds) {
  TempFolder folder;
  const std::string text =
      "\xEF\xBB\xBF# a comment\r\n\r\n  1\t2 3 4 5 6 7   # the first\r\n   \n#\n8 9 10 11 12 13 14";
  const Bodies b = read_bodies(folder.file("a.TAB", text));
  ASSERT_EQ(b.size(), 2u);
  EXPECT_EQ(b.m, (std::vector<double>{1, 8}));
  EXPECT_EQ(b.vz, (std::vector<double>{7, 14}));
}

TEST(Tab, UnitsStandInCommentsBehindNumbersToo) {
  TempFolder folder;
  ReadReport reading;
  read_bodies(folder.file("a.tab", "1 2 3 4 5 6 7 # units: si\n"), reading);
  ASSERT_NE(reading.units, nullptr);
  EXPECT_EQ(reading.units->name, std::string("si"));
}

TEST(Tab, RoundTripIsBitExact) {
  TempFolder folder;
  for (const std::size_t n : {1u, 2u, 1000u, 30001u}) {
    const Bodies b = awkward_bodies(n, false);
    write_bodies(folder.at("a.tab"), b);
    expect_same_bodies(read_bodies(folder.at("a.tab")), b);
  }
}

TEST(Tab, ReadsTheDataSets) {
  const Bodies sun = read_bodies(TRI_TEST_DATA "/solar_system.tab");
  ASSERT_EQ(sun.size(), 9u);
  EXPECT_EQ(sun.m[0], 0.9999999999950272);
  EXPECT_EQ(sun.vz[0], 8.127678560998346e-07);
  const Bodies galaxy = read_bodies(TRI_TEST_DATA "/milky_way_andromeda_10k.tab");
  ASSERT_EQ(galaxy.size(), 10241u);
  EXPECT_EQ(galaxy.x[0], 1.74668);
}

TEST(Tab, UnderflowBecomesZeroAndOverflowIsRejected) {
  TempFolder folder;
  EXPECT_EQ(read_bodies(folder.file("a.tab", "1 1e-400 0 0 0 0 0\n")).x[0], 0.0);
  EXPECT_EQ(read_bodies(folder.file("a.tab", "1 4e-320 0 0 0 0 0\n")).x[0], 4e-320);
  expect_parts(message_of<FileError>([&] { read_bodies(folder.file("a.tab", "1 1e400 0 0 0 0 0\n")); }),
               {"line 1, column 2 (x)", "'1e400' is not a finite number"});
}

using TabErrors = BadFiles;

TEST_P(TabErrors, NameFilePositionAndRemedy) { expect_bodies_rejected("bad.tab"); }

const std::string kGood = "1 2 3 4 5 6 7\n";

INSTANTIATE_TEST_SUITE_P(
    Tab, TabErrors,
    testing::Values(
        BadFile{"Empty", "", {"holds no bodies", "m x y z vx vy vz"}},
        BadFile{"OnlyComments", "# nothing\n\n", {"holds no bodies"}},
        BadFile{"TooFew", kGood + "1 2 3\n", {"line 2:", "has 3 columns instead of 7"}},
        BadFile{"TooMany", kGood + kGood + "1 2 3 4 5 6 7 8 9\n", {"line 3:", "has 9 columns instead of 7"}},
        BadFile{"CutOff", kGood + "1 2 3 4", {"line 2:", "has 4 columns", "may have been cut off"}},
        BadFile{
            "Word", kGood + "\n1 2 x3 4 5 6 7\n", {"line 3, column 3 (y)", "'x3' is not a number", "write one like"}},
        BadFile{"TwoPoints", "1 2 3 4 5 6 7.0.0\n", {"line 1, column 7 (vz)", "'7.0.0' is not a number"}},
        BadFile{"TwoSigns", "1 2 3 4 +-5 6 7\n", {"column 5 (vx)", "'+-5'"}},
        BadFile{"Hexadecimal", "1 2 3 0x4 5 6 7\n", {"column 4 (z)", "'0x4'"}},
        BadFile{
            "NaN", kGood + "1 2 3 4 nan 6 7\n", {"line 2, column 5 (vx)", "'nan' is not a finite number", "repair"}},
        BadFile{"Infinity", "1 -inf 3 4 5 6 7\n", {"line 1, column 2 (x)", "'-inf' is not a finite number"}},
        BadFile{"NegativeMass",
                kGood + "-1e-9 2 3 4 5 6 7\n",
                {"line 2, column 1 (m)", "'-1e-9' is negative", "0 or more"}},
        BadFile{"Commas", "1,2,3,4,5,6,7\n", {"line 1:", "has commas", ".csv"}},
        BadFile{"Zeros", std::string(500, '\0'), {"line 1:", "binary data"}},
        BadFile{"ControlBytes", "1 2 3 4 5 6 \x01\x02\n", {"line 1, column 7", "binary data"}},
        BadFile{"HighBytes", "1 2 3 4 5 6 \xFF\xFE\n", {"column 7", "'\\xff\\xfe' is not a number"}},
        BadFile{"LongLine", std::string(3u << 20, '7'), {"line 1:", "is longer than 1048576 bytes", "no text file"}}),
    CaseName{});

// Lines that cross the end of the reader's buffer, at every offset.
TEST(Tab, LinesAcrossTheBufferAreComplete) {
  TempFolder folder;
  std::string text((1u << 20) - 39, '#');
  text += '\n';
  for (int i = 0; i < 60; ++i) text += "1.25 -2.5 3.75 4 5 6 " + std::to_string(i) + "\n";
  for (int shift = 0; shift < 60; ++shift) {
    const Bodies b = read_bodies(folder.file("a.tab", text));
    ASSERT_EQ(b.size(), 60u);
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(b.x[i] == -2.5 && b.vz[i] == i) << shift << " " << i;
    text.erase(1, 1);
  }
}

}  // namespace
}  // namespace tri::test
