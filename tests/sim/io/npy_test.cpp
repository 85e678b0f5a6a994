/// NumPy arrays: the bytes written, the types read, the headers rejected.

#include <array>
#include <cstring>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

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

}  // namespace
}  // namespace tri::test
