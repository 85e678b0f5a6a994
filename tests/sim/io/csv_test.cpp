/// CSV files as bodies and as points.

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

TEST(Csv, ReadsColumnsByNameInAnyOrderAndCase) {
  TempFolder folder;
  const Bodies b = read_bodies(folder.file("a.csv", "# units: AU\nVZ, vy ,\"Vx\",R,M,Z,Y,X\r\n1,2,3,4,5,6,7,8\r\n"));
  ASSERT_EQ(b.size(), 1u);
  EXPECT_EQ((std::vector<double>{b.vz[0], b.vy[0], b.vx[0], b.r[0], b.m[0], b.z[0], b.y[0], b.x[0]}),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Csv, MassAndRadiusHaveTheirLongNames) {
  TempFolder folder;
  for (const char* names : {"x,y,z,mass,radius", "x,y,z,Masses,Radius"}) {
    const Bodies b = read_bodies(folder.file("a.csv", std::string(names) + "\n1,2,3,4,5\n"));
    EXPECT_EQ(b.m, std::vector<double>{4}) << names;
    EXPECT_EQ(b.r, std::vector<double>{5}) << names;
  }
}

TEST(Csv, NumbersOfTheRowsAreLeftOutWithANote) {
  TempFolder folder;
  for (const char* name : {"", "id", "Index", "Unnamed: 0"}) {
    ReadReport reading;
    const Bodies b = read_bodies(folder.file("a.csv", std::string(name) + ",x,y,z\na,1,2,3\n"), reading);
    EXPECT_EQ((std::vector<double>{b.x[0], b.y[0], b.z[0]}), (std::vector<double>{1, 2, 3})) << name;
    ASSERT_EQ(reading.notes.size(), 2u) << name;
    expect_parts(reading.notes[0], {"a.csv", "column 1", "it is not read"});
    expect_parts(reading.notes[1], {"a.csv", "no column m", "every mass is 1"});
  }
}

TEST(Csv, MissingColumnsHaveTheirDefaults) {
  TempFolder folder;
  const Bodies b = read_bodies(folder.file("a.csv", "x,y,z\n1,2,3\n4,5,6\n"));
  EXPECT_EQ(b.x, (std::vector<double>{1, 4}));
  EXPECT_EQ(b.m, (std::vector<double>{1, 1}));
  for (const auto* a : {&b.r, &b.vx, &b.vy, &b.vz}) EXPECT_EQ(*a, (std::vector<double>{0, 0}));
}

TEST(Csv, RoundTripIsBitExactWithRadii) {
  TempFolder folder;
  for (const std::size_t n : {1u, 3u, 20001u}) {
    const Bodies b = awkward_bodies(n, true);
    write_bodies(folder.at("a.csv"), b);
    expect_same_bodies(read_bodies(folder.at("a.csv")), b);
  }
}

TEST(Csv, PointsOfIris) {
  const PointSet p = read_points(TRI_TEST_DATA "/iris.csv");
  EXPECT_EQ(p.n, 150u);
  EXPECT_EQ(p.features, 4u);
  ASSERT_EQ(p.values.size(), 600u);
  EXPECT_EQ((std::vector<double>(p.values.begin(), p.values.begin() + 4)), (std::vector<double>{5.1, 3.5, 1.4, 0.2}));
  EXPECT_EQ((std::vector<double>(p.values.end() - 4, p.values.end())), (std::vector<double>{5.9, 3.0, 5.1, 1.8}));
}

TEST(Csv, PointsWithAndWithoutNames) {
  TempFolder folder;
  const PointSet named = read_points(folder.file("a.csv", "a,b\n1,2\n3,4\n"));
  const PointSet bare = read_points(folder.file("b.csv", "1,2\n\n# comment\n3,4"));
  EXPECT_EQ(named.n, 2u);
  EXPECT_EQ(named.values, bare.values);
  EXPECT_EQ(bare.values, (std::vector<double>{1, 2, 3, 4}));
  const PointSet quoted = read_points(folder.file("d.csv", "\"length, cm\",\" width \"\n1,2\n\"3\",4\n"));
  EXPECT_EQ(quoted.features, 2u);
  EXPECT_EQ(quoted.values, named.values);
  const PointSet line = read_points(folder.file("c.csv", "5\n\"6\"\n"));
  EXPECT_EQ(line.features, 1u);
  EXPECT_EQ(line.values, (std::vector<double>{5, 6}));
}

TEST(Csv, PointsOfBodiesAreTheirPositions) {
  TempFolder folder;
  const std::string path = folder.file("a.csv", ",m,x,y,z,vx,vy,vz\n0,9,1,2,3,7,7,7\n1,9,4,5,6,7,7,7\n");
  Notes notes;
  const PointSet p = read_points(path, {}, &notes);
  EXPECT_EQ(p.features, 3u);
  EXPECT_EQ(p.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  ASSERT_EQ(notes.size(), 2u);
  expect_parts(notes[0], {"without a name", "not read"});
  expect_parts(notes[1], {"holds bodies", "x, y, z", "--columns"});
  EXPECT_EQ(read_points(folder.file("b.csv", "x,y,z,w\n1,2,3,4\n")).features, 4u) << "no bodies";
  for (const char* name : {"", "id", "Index", "Unnamed: 0"}) {
    notes.clear();
    const PointSet numbered =
        read_points(folder.file("d.csv", std::string(name) + ",a,b\n70,1,2\n90,3,4\n"), {}, &notes);
    EXPECT_EQ(numbered.values, (std::vector<double>{1, 2, 3, 4})) << name;
    expect_parts(notes.at(0), {"column 1", "numbers the rows"});
  }
  EXPECT_EQ(read_points(folder.file("e.csv", "id\n1\n3\n")).values, (std::vector<double>{1, 3})) << "the only one";
  EXPECT_EQ(read_points(folder.file("f.csv", "id,a\n1,2\n"), {{"id"}}).values, std::vector<double>{1});
  EXPECT_EQ(read_points(folder.file("c.csv", ",a,b\n0,1,2\n1,3,4\n")).values, (std::vector<double>{1, 2, 3, 4}));
}

TEST(Csv, ColumnsOfPointsByName) {
  TempFolder folder;
  const std::string path = folder.file("a.csv", "name,a,b,m\nred,1,2,3\nblue,4,5,6\n");
  EXPECT_EQ(read_points(path, {{"m", "a"}}).values, (std::vector<double>{3, 1, 6, 4}));
  expect_parts(message_of<FileError>([&] { read_points(path, {{"aa"}}); }),
               {"a.csv", "unknown column 'aa'", "name, a, b, m"});
  const std::string bare = folder.file("b.csv", "1,2\n3,4\n");
  expect_parts(message_of<FileError>([&] { read_points(bare, {{"a"}}); }), {"line 1", "instead of column names"});
}

TEST(Csv, PointsBeyondFloat32AreRefusedOnRequest) {
  TempFolder folder;
  const std::string path = folder.file("a.csv", "a,b\n1,3e38\n2,1e39\n");
  EXPECT_EQ(read_points(path).values[3], 1e39);
  expect_parts(message_of<FileError>([&] {
                 read_points(path, {{}, true});
               }),
               {"line 3, column 2 (b)", "'1e39' is beyond float32", "--precision fp64"});
}

using CsvBodyErrors = BadFiles;

TEST_P(CsvBodyErrors, NameFilePositionAndRemedy) { expect_bodies_rejected("bad.csv"); }

INSTANTIATE_TEST_SUITE_P(
    Csv, CsvBodyErrors,
    testing::Values(
        BadFile{"Empty", "", {"holds no bodies", "at least one row"}},
        BadFile{"NamesOnly", "x,y,z\n", {"holds no bodies"}},
        BadFile{
            "NoNames", "1,2,3\n4,5,6\n", {"line 1:", "numbers instead of column names", "start the file with x,y,z"}},
        BadFile{"NoZ", "x,y,m\n1,2,3\n", {"line 1:", "no column is named z"}},
        BadFile{"Unknown", "x,y,z,spin\n1,2,3,4\n", {"line 1, column 4", "'spin'", "the names are x,y,z"}},
        BadFile{"Twice", "x,y,z,X\n1,2,3,4\n", {"line 1, column 4 (x)", "column 1 has that name already"}},
        BadFile{"NoName", "x,,y,z\n1,0,2,3\n", {"line 1, column 2", "no name", "name it, or remove it"}},
        BadFile{"TwoMasses", "x,y,z,m,mass\n1,2,3,4,5\n", {"line 1, column 5 (m)", "column 4 has that name already"}},
        BadFile{"SomeVelocities", "x,y,z,vx\n1,2,3,4\n", {"some of vx, vy, vz", "add the missing ones"}},
        BadFile{"Semicolons", "x;y;z\n1;2;3\n", {"line 1:", "no commas"}},
        BadFile{"TooFew", "x,y,z\n1,2,3\n4,5\n6,7,8\n", {"line 3:", "has 2 columns instead of 3"}},
        BadFile{"TooMany", "x,y,z\n1,2,3,4\n", {"line 2:", "has 4 columns instead of 3"}},
        BadFile{"CutOff", "x,y,z\n1,2", {"line 2:", "2 columns", "cut off"}},
        BadFile{"EmptyField", "x,y,z\n1,,3\n", {"line 2, column 2 (y)", "is empty"}},
        BadFile{"Word", "x,y,z\n1,2,three\n", {"line 2, column 3 (z)", "'three' is not a number"}},
        BadFile{"NaN", "x,y,z\n1,NaN,3\n", {"line 2, column 2 (y)", "'NaN' is not a finite number"}},
        BadFile{"NegativeMass", "m,x,y,z\n-1,1,2,3\n", {"line 2, column 1 (m)", "negative", "a mass is 0 or more"}},
        BadFile{"NegativeRadius", "x,y,z,r\n1,2,3,-0.5\n", {"line 2, column 4 (r)", "'-0.5'", "a radius is 0 or more"}},
        BadFile{"GroupTooHigh",
                "x,y,z,group\n1,2,3,65535\n1,2,3,65536\n",
                {"line 3, column 4 (group)", "'65536' is not a group"}},
        BadFile{"GroupNotWhole", "x,y,z,group\n1,2,3,0.5\n", {"line 2, column 4 (group)", "'0.5' is not a group"}},
        BadFile{"Binary", std::string("x,y,z\n1,\0,3\n", 12), {"line 2:", "binary data"}}),
    CaseName{});

using CsvPointErrors = BadFiles;

TEST_P(CsvPointErrors, NameFilePositionAndRemedy) { expect_points_rejected("bad.csv"); }

INSTANTIATE_TEST_SUITE_P(
    Csv, CsvPointErrors,
    testing::Values(
        BadFile{"Empty", "\n\n", {"holds no points"}}, BadFile{"NamesOnly", "a,b\n", {"holds no points"}},
        BadFile{"SpeciesColumn", "a,species\n1,setosa\n", {"line 2, column 2 (species)", "'setosa' is not a number"}},
        BadFile{"WordInFirstLine", "1,setosa\n2,3\n", {"line 1, column 2:", "'setosa' is not a number"}},
        BadFile{"Ragged", "1,2\n3,4,5\n", {"line 2:", "has 3 columns instead of 2"}},
        BadFile{"Infinity", "1,2\ninf,4\n", {"line 2, column 1:", "not a finite number"}},
        BadFile{"SeventeenFeatures", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n", {"17 columns", "at most 16"}}),
    CaseName{});

TEST(Csv, SixteenFeaturesAreAccepted) {
  TempFolder folder;
  EXPECT_EQ(read_points(folder.file("a.csv", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n")).features, 16u);
}

}  // namespace
}  // namespace tri::test
