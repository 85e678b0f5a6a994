/// Formats with columns: csv, npy, tab, and round trips of all.
///
/// CSV files as bodies and as points.

#include <array>
#include <cstring>

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
  Notes notes;
  for (const char* text : {"0,1,2\n5,6,7\n", "0,1,3\n5,6,7\n", "0\n5\n"})
    read_points(folder.file("e.csv", text), {}, &notes);
  ASSERT_EQ(notes.size(), 1u);
  expect_parts(notes[0], {"e.csv", "0 to 2", "read as a row"});
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
    expect_parts(notes.at(0), {"column 1", "identifies the rows"});
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

TEST(Csv, ColumnsOfBodiesAreChosenAndATextNamesThem) {
  TempFolder folder;
  const std::string path =
      folder.file("a.csv", "planet,pos_x,pos_y,pos_z,weight,note,x\nEarth,1,2,3,4,ok,9\n\"Mars, red\",5,6,7,8,,9\n");
  EXPECT_EQ(columns_to_choose(path).size(), 7u);
  ReadReport reading;
  reading.columns = {{"x", "pos_x"}, {"y", "pos_y"}, {"z", "pos_z"}, {"mass", "weight"}, {"name", "planet"}};
  const Bodies b = read_bodies(path, reading);
  EXPECT_EQ(b.x, (std::vector<double>{1, 5}));
  EXPECT_EQ(b.m, (std::vector<double>{4, 8}));
  EXPECT_EQ(reading.names, (std::vector<std::string>{"Earth", "Mars, red"}));
  ASSERT_EQ(reading.notes.size(), 2u);
  expect_parts(reading.notes[0], {"a.csv", "column 7 ('x') is not read"});
  expect_parts(reading.notes[1], {"column 6 ('note') is not read"});
  reading = {}, reading.columns = {{"x", "pos_x"}, {"y", "pos_y"}, {"z", "pos_z"}};
  read_bodies(path, reading);
  EXPECT_EQ(reading.names[0], "Earth") << "the first column of text, where none is chosen";
  const auto refused = [&](const char* key, const char* name) {
    reading.columns = {{"x", "pos_x"}, {key, name}};
    return message_of<ConfigError>([&] { read_bodies(path, reading); });
  };
  expect_parts(refused("y", "pos_q"), {"a.csv", "y=pos_q", "unknown column 'pos_q'", "pos_y"});
  expect_parts(refused("spin", "pos_y"), {"'spin' is no column of bodies"});
  expect_parts(refused("X", "pos_y"), {"'X' has two columns"});
  reading.columns = {{"x", "x"}};
  expect_parts(message_of<ConfigError>([&] { read_bodies(folder.file("a.tab", "1 2 3 4 5 6 7\n"), reading); }),
               {"a.tab", "csv"});

  ReadReport text;  // without a choice: a column of text that nobody knows
  const std::string named = folder.file("b.csv", "x,y,z,body\n1,2,3,Sun\n4,5,6,7\n");
  EXPECT_TRUE(columns_to_choose(named).empty());
  read_bodies(named, text);
  EXPECT_EQ(text.names, (std::vector<std::string>{"Sun", "7"}));
  expect_parts(text.notes[0], {"column 4 ('body') holds the names"});
  EXPECT_TRUE(columns_to_choose(folder.file("c.csv", "1,2,3\n")).empty());
  EXPECT_TRUE(columns_to_choose(folder.at("none.csv")).empty());
  EXPECT_TRUE(columns_to_choose(folder.file("d.ply", "a,b\n")).empty());
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
        BadFile{"Blanks", "x y z\n1 2 3\n", {"line 1:", "no commas"}},
        BadFile{
            "DecimalCommas", "x;y;z\n1;2,5;3\n", {"line 2, column 2 (y)", "'2,5' is not a number; write one like 1"}},
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

// NumPy arrays: the bytes written, the types read, the headers rejected.

/// A file as numpy.save writes it, from a dictionary and raw data.
std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string header = dictionary;
  const std::size_t before = version == 1 ? 10 : 12;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < before - 8; ++i) bytes += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return bytes + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string dictionary(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

TEST(Npy, WritesWhatNumpyWrites) {
  TempFolder folder;
  const std::vector<double> values{1, 2.5, -3};
  write_npy(folder.at("a.npy"), values, std::array<u64, 1>{3});
  EXPECT_EQ(content_of(folder.at("a.npy")), npy(dictionary("<f8", "(3,)"), raw(values)));
  const std::vector<float> square{1, 2, 3, 4, 5, 6};
  write_npy(folder.at("b.npy"), square, std::array<u64, 2>{2, 3});
  const std::string bytes = content_of(folder.at("b.npy"));
  EXPECT_EQ(bytes, npy(dictionary("<f4", "(2, 3)"), raw(square)));
  EXPECT_EQ((bytes.size() - raw(square).size()) % 64, 0u);
}

TEST(Npy, AnEmptyResultIsAnArrayOfZeroItems) {
  TempFolder folder;
  write_npy(folder.at("a.npy"), std::vector<double>{}, std::array<u64, 1>{0});
  EXPECT_EQ(content_of(folder.at("a.npy")), npy(dictionary("<f8", "(0,)"), ""));
}

TEST(Npy, LargeArraysAreComplete) {
  TempFolder folder;
  std::vector<double> values(1'000'003);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / (1.0 + static_cast<double>(i));
  write_npy(folder.at("a.npy"), values, std::array<u64, 1>{values.size()});
  const PointSet p = read_points(folder.at("a.npy"));
  EXPECT_EQ(p.n, values.size());
  EXPECT_EQ(p.features, 1u);
  EXPECT_EQ(p.values, values);
}

TEST(Npy, BodiesRoundTripBitExact) {
  TempFolder folder;
  for (const std::size_t n : {1u, 40001u}) {
    const Bodies b = awkward_bodies(n, false);
    write_bodies(folder.at("a.npy"), b);
    expect_same_bodies(read_bodies(folder.at("a.npy")), b);
  }
}

template <class T>
void expect_points(const TempFolder& folder, const std::string& descr) {
  const std::vector<T> values{1, 2, 3, 4, 5, 100};
  const PointSet p = read_points(folder.file("a.npy", npy(dictionary(descr, "(3, 2)"), raw(values))));
  EXPECT_EQ(p.n, 3u) << descr;
  EXPECT_EQ(p.features, 2u) << descr;
  EXPECT_EQ(p.values, (std::vector<double>{1, 2, 3, 4, 5, 100})) << descr;
}

TEST(Npy, ReadsEveryNumberType) {
  TempFolder folder;
  expect_points<float>(folder, "<f4");
  expect_points<double>(folder, "<f8");
  expect_points<std::int8_t>(folder, "|i1");
  expect_points<std::uint8_t>(folder, "|u1");
  expect_points<std::int16_t>(folder, "<i2");
  expect_points<std::uint16_t>(folder, "<u2");
  expect_points<std::int32_t>(folder, "<i4");
  expect_points<std::uint32_t>(folder, "<u4");
  expect_points<std::int64_t>(folder, "<i8");
  expect_points<std::uint64_t>(folder, "<u8");
}

template <class T>
void expect_swapped(const TempFolder& folder, const std::string& kind) {
  const std::vector<T> values{1, 2, 3, 4, 5, 100};
  std::string bytes = raw(values);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) std::reverse(&bytes[at], &bytes[at] + sizeof(T));
  const PointSet p = read_points(folder.file("a.npy", npy(dictionary(">" + kind, "(3, 2)"), bytes)));
  EXPECT_EQ(p.values, (std::vector<double>{1, 2, 3, 4, 5, 100})) << kind;
}

TEST(Npy, ReadsTheOtherByteOrder) {
  TempFolder folder;
  expect_swapped<float>(folder, "f4");
  expect_swapped<double>(folder, "f8");
  expect_swapped<std::int16_t>(folder, "i2");
  expect_swapped<std::uint16_t>(folder, "u2");
  expect_swapped<std::int32_t>(folder, "i4");
  expect_swapped<std::uint32_t>(folder, "u4");
  expect_swapped<std::int64_t>(folder, "i8");
  expect_swapped<std::uint64_t>(folder, "u8");
  expect_points<std::int8_t>(folder, ">i1");
}

TEST(Npy, ReadsFortranOrder) {
  TempFolder folder;
  const std::size_t n = 70001;  // several chunks, and columns that end inside one
  const Bodies b = awkward_bodies(n, false);
  std::vector<double> whole, places;
  for (const auto* a : {&b.m, &b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz}) whole.insert(whole.end(), a->begin(), a->end());
  for (const auto* a : {&b.x, &b.y, &b.z}) places.insert(places.end(), a->begin(), a->end());
  const auto file = [&](const char* columns, const std::vector<double>& values) {
    return folder.file("a.npy", npy(dictionary("<f8", "(70001, " + std::string(columns) + ")", "True"), raw(values)));
  };
  expect_same_bodies(read_bodies(file("7", whole)), b);
  const Bodies at_rest = read_bodies(file("3", places));
  EXPECT_EQ(bits_of(at_rest.z), bits_of(b.z));
  EXPECT_EQ(at_rest.m, std::vector<double>(n, 1.0));
  EXPECT_EQ(at_rest.vy, std::vector<double>(n, 0.0));
  const PointSet p = read_points(file("3", places));
  ASSERT_EQ(p.values.size(), 3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(p.values[3 * i] == b.x[i] && p.values[3 * i + 1] == b.y[i] && p.values[3 * i + 2] == b.z[i]) << i;
  }
}

TEST(Npy, ReadsEveryVersionAndAnyOrderOfTheDictionary) {
  TempFolder folder;
  const std::vector<double> v{1, 2, 3};
  for (const char version : {1, 2, 3}) {
    const std::string file = npy("{'shape':(1,3),'fortran_order':False,'descr':'<f8'}", raw(v), version);
    EXPECT_EQ(read_bodies(folder.file("a.npy", file)).y[0], 2.0);
  }
}

TEST(Npy, ThreeColumnsAreUnitMassesAtRest) {
  TempFolder folder;
  const std::vector<float> v{1, 2, 3, 4, 5, 6};
  const Bodies b = read_bodies(folder.file("a.npy", npy(dictionary("<f4", "(2, 3)"), raw(v))));
  EXPECT_EQ(b.x, (std::vector<double>{1, 4}));
  EXPECT_EQ(b.z, (std::vector<double>{3, 6}));
  EXPECT_EQ(b.m, (std::vector<double>{1, 1}));
  EXPECT_EQ(b.vx, (std::vector<double>{0, 0}));
}

TEST(Npy, IntegersThatADoubleCannotHoldAreRejected) {
  TempFolder folder;
  const std::vector<i64> fits{i64{1} << 53, -(i64{1} << 62)}, not_quite{1, (i64{1} << 53) + 1};
  EXPECT_EQ(read_points(folder.file("a.npy", npy(dictionary("<i8", "(2,)"), raw(fits)))).values[0], 0x1p53);
  expect_parts(message_of<FileError>([&] { read_points(folder.at("a.npy"), {{"x"}}); }), {"npy has no names"});
  expect_parts(
      message_of<FileError>([&] { read_points(folder.file("a.npy", npy(dictionary("<i8", "(2,)"), raw(not_quite)))); }),
      {"row 1, column 0", "an integer beyond 2^53"});
  const std::vector<u64> largest{~u64{0}};
  expect_parts(
      message_of<FileError>([&] { read_points(folder.file("a.npy", npy(dictionary("<u8", "(1,)"), raw(largest)))); }),
      {"row 0, column 0", "an integer beyond 2^53"});
}

const std::string kSeven = raw(std::vector<double>{1, 2, 3, 4, 5, 6, 7});

TEST(Npy, SevenFeaturesMayBeMeantAsBodies) {
  TempFolder folder;
  Notes notes;
  EXPECT_EQ(read_points(folder.file("a.npy", npy(dictionary("<f8", "(1, 7)"), kSeven)), {}, &notes).features, 7u);
  expect_parts(notes.at(0), {"seven columns", "all of them are features"});
}
const double kNaN = std::nan("");

using NpyErrors = BadFiles;

TEST_P(NpyErrors, NameFilePositionAndRemedy) { expect_bodies_rejected("bad.npy"); }

INSTANTIATE_TEST_SUITE_P(
    Npy, NpyErrors,
    testing::Values(
        BadFile{"Empty", "", {"is empty", "numpy.save"}},
        BadFile{"Text", "x,y,z\n1,2,3\n", {"is not a NumPy file", "numpy.save"}},
        BadFile{"MagicOnly", "\x93NUMPY", {"ends inside the header"}},
        BadFile{"HeaderCutOff", npy(dictionary("<f8", "(1, 7)"), "").substr(0, 40), {"ends inside the header"}},
        BadFile{"Version9", npy(dictionary("<f8", "(1, 7)"), kSeven, 9), {"version 9", "1 to 3"}},
        BadFile{"NoDictionary", npy("hello", kSeven), {"header is not that of a NumPy array"}},
        BadFile{"NoShape", npy("{'descr': '<f8', 'fortran_order': False}", kSeven), {"header is not"}},
        BadFile{"OpenQuote", npy("{'descr: <f8, }", kSeven), {"header is not"}},
        BadFile{"ShapeOfWords", npy(dictionary("<f8", "(a, 7)"), kSeven), {"header is not"}},
        BadFile{"NegativeShape", npy(dictionary("<f8", "(-1, 7)"), kSeven), {"header is not"}},
        BadFile{"DataCutOff",
                npy(dictionary("<f8", "(1, 7)"), kSeven.substr(3)),
                {"announces 1 rows of 7 (56 bytes)", "53 bytes"}},
        BadFile{"TooMuchData", npy(dictionary("<f8", "(1, 7)"), kSeven + "x"), {"56 bytes", "has 57 bytes of data"}},
        BadFile{"ManyRowsAnnounced",
                npy(dictionary("<f8", "(1000000000000, 7)"), kSeven),
                {"announces 1000000000000 rows"}},
        BadFile{"Overflow", npy(dictionary("<f8", "(4611686018427387904, 7)"), kSeven), {"more items than any file"}},
        BadFile{"TooLargeForU64", npy(dictionary("<f8", "(99999999999999999999, 7)"), kSeven), {"header is not"}},
        BadFile{"OrderOfWords", npy(dictionary("<f8", "(1, 7)", "Maybe"), kSeven), {"header is not"}},
        BadFile{"Long", npy(dictionary("<f16", "(1, 7)"), kSeven), {"type '<f16';", "astype('<f8')"}},
        BadFile{"NaNByColumns",
                npy(dictionary("<f8", "(2, 3)", "True"), raw(std::vector<double>{1, 2, 3, kNaN, 5, 6})),
                {"row 1, column 1 (both from 0)", "not a finite number"}},
        BadFile{"NegativeMassByColumns",
                npy(dictionary("<f8", "(2, 7)", "True"),
                    raw(std::vector<double>{1, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})),
                {"row 1, column 0 (both from 0)", "-2 is negative"}},
        BadFile{"Fields",
                npy("{'descr': [('x', '<f8'), ('y', '<f8')], 'fortran_order': False, 'shape': (1,), }", kSeven),
                {"named fields", "structured_to_unstructured"}},
        BadFile{"Complex", npy(dictionary("<c8", "(1, 7)"), kSeven), {"'<c8'", "astype"}},
        BadFile{"Half", npy(dictionary("<f2", "(4, 7)"), kSeven), {"'<f2'"}},
        BadFile{"Objects", npy(dictionary("|O", "(7,)"), kSeven), {"|O"}},
        BadFile{"NoRows", npy(dictionary("<f8", "(0, 7)"), ""), {"without items"}},
        BadFile{"Scalar", npy(dictionary("<f8", "()"), kSeven.substr(0, 8)), {"0 dimensions"}},
        BadFile{"ThreeDimensions", npy(dictionary("<f8", "(1, 7, 1)"), kSeven), {"3 dimensions", "reshape"}},
        BadFile{"OneDimension", npy(dictionary("<f8", "(7,)"), kSeven), {"the shape (7,)", "[N, 3]", "[N, 7]"}},
        BadFile{"TwoColumns", npy(dictionary("<f4", "(7, 2)"), kSeven), {"the shape (7, 2)", "[N, 3]"}},
        BadFile{"NaN",
                npy(dictionary("<f8", "(2, 3)"), raw(std::vector<double>{1, 2, 3, 4, kNaN, 6})),
                {"row 1, column 1", "not a finite number"}},
        BadFile{"NegativeMass",
                npy(dictionary("<f8", "(1, 7)"), raw(std::vector<double>{-2, 2, 3, 4, 5, 6, 7})),
                {"row 0, column 0", "-2 is negative"}}),
    CaseName{});

TEST(Npy, PointsWithMoreThanSixteenFeaturesAreRejected) {
  TempFolder folder;
  const std::string file = npy(dictionary("<f8", "(1, 17)"), raw(std::vector<double>(17, 1.0)));
  expect_parts(message_of<FileError>([&] { read_points(folder.file("a.npy", file)); }), {"17 columns", "at most 16"});
}

// Tab files: exact values, and the message for every invalid line.

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

TEST(Tab, NumbersBeyondFloat64AreRejected) {
  TempFolder folder;
  const auto row = [&](const std::string& x) { return folder.file("a.tab", "1 " + x + " 0 0 0 0 0\n"); };
  EXPECT_EQ(read_bodies(row("4e-320")).x[0], 4e-320);
  EXPECT_EQ(read_bodies(row("0e-400")).x[0], 0);
  for (const std::string& no : std::vector<std::string>{"1e400", "1e9999", "1" + std::string(320, '0')}) {
    expect_parts(message_of<FileError>([&] { read_bodies(row(no)); }),
                 {"line 1, column 2 (x)", "is not a finite number"});
  }
  for (const std::string& no : std::vector<std::string>{"1e-400", "-1.5E-9999", "0." + std::string(330, '0') + "1"}) {
    expect_parts(message_of<FileError>([&] { read_bodies(row(no)); }), {"line 1, column 2 (x)", "and would be 0"});
  }
  EXPECT_THROW(read_bodies(folder.file("a.ply",
                                       "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty "
                                       "double y\nproperty double z\nend_header\n1e-400 0 0\n")),
               FileError);
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

// Round trips through every pair of formats, bit for bit.

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
      for (double& v : b.m) v = std::max(v, 1e-30);  // a mass that would be 0 is refused
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
