/// HDF5 in the GADGET layout: files as other programs write them (made here with the C library), and rejected files.

#include <sys/stat.h>
#include <array>
#include <cstring>
#include <functional>

#include <hdf5.h>

#include "sim/files/file.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/files/process.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "tests/sim/io/io_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

/// A file of another program. The file's strong close degree closes all ids.
class GadgetFile {
 public:
  explicit GadgetFile(const std::string& path) {
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    EXPECT_GE(file_, 0);
  }
  ~GadgetFile() { H5Fclose(file_); }
  GadgetFile(const GadgetFile&) = delete;
  GadgetFile& operator=(const GadgetFile&) = delete;

  void group(const char* name) { H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT); }
  void counts(std::vector<i32> values, hid_t type = H5T_STD_I32BE) {
    attribute("NumPart_ThisFile", type, H5T_NATIVE_INT32, values.data(), values.size());
  }
  void mass_table(std::vector<double> values) {
    attribute("MassTable", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size());
  }
  void files(i32 count) { attribute("NumFilesPerSnapshot", H5T_STD_I32LE, H5T_NATIVE_INT32, &count, 1); }
  void attribute(const char* name, hid_t type, hid_t memory, const void* data, hsize_t size) {
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t a = H5Acreate_by_name(file_, "/Header", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(a, memory, data), 0);
  }

  /// values: rows * columns of them, or none for a dataset that is declared and never written. chunk > 0: compressed
  /// if the library can.
  void dataset(const char* name, hid_t type, u64 rows, u64 columns, const std::vector<double>& values,
               hsize_t chunk = 0) {
    const std::array<hsize_t, 2> sizes{rows, columns}, chunks{chunk, columns};
    const int rank = columns == 1 ? 1 : 2;
    const hid_t space = H5Screate_simple(rank, sizes.data(), nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk > 0) {
      H5Pset_chunk(list, rank, chunks.data());
      H5Pset_shuffle(list);
      if (filter > 0) H5Pset_filter(list, filter, H5Z_FLAG_MANDATORY, 0, nullptr);
      if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_deflate(list, 6);
    }
    const hid_t set = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    EXPECT_GE(set, 0) << name;
    if (values.empty()) return;
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  hid_t id() const { return file_; }
  H5Z_filter_t filter = 0;  ///< an additional filter of compressed datasets; 0: none

 private:
  hid_t file_ = -1;
};

/// first, first + 1, ...
std::vector<double> ramp(u64 count, double first) {
  std::vector<double> values(count);
  for (u64 i = 0; i < count; ++i) values[i] = first + static_cast<double>(i);
  return values;
}

/// 3 gas particles with individual masses, 2 stars (type 4) with a mass from the table.
void two_types(const std::string& path, bool groups = false) {
  GadgetFile f(path);
  f.group("/Header"), f.group("/PartType0"), f.group("/PartType4");
  f.counts({3, 0, 0, 0, 2, 0}), f.mass_table({0, 0, 0, 0, 0.25, 0}), f.files(1);
  f.dataset("/PartType4/Coordinates", H5T_IEEE_F64BE, 2, 3, ramp(6, 100));
  f.dataset("/PartType4/Velocities", H5T_IEEE_F32LE, 2, 3, ramp(6, -10));
  f.dataset("/PartType0/Coordinates", H5T_IEEE_F32BE, 3, 3, ramp(9, 0), 2);
  f.dataset("/PartType0/Velocities", H5T_STD_I16LE, 3, 3, ramp(9, 50), 1);
  f.dataset("/PartType0/Masses", H5T_IEEE_F32LE, 3, 1, {0.5, 1.5, 2.5});
  f.dataset("/PartType0/Density", H5T_IEEE_F32LE, 3, 1, {1, 2, 3});
  f.dataset("/PartType0/ParticleIDs", H5T_STD_U64LE, 3, 1, {9, 7, 8});
  if (!groups) return;
  f.dataset("/PartType0/Group", H5T_STD_U16BE, 3, 1, {11, 12, 65535});
  f.dataset("/PartType4/Group", H5T_STD_I32LE, 2, 1, {21, 0});
}

TEST(Gadget, ForeignTypesAndTablesAreReadByTheOrderOfTypes) {
  TempFolder folder;
  Notes notes;
  two_types(folder.at("a.hdf5"));
  const Bodies b = read_bodies(folder.at("a.hdf5"), &notes);
  EXPECT_EQ(b.x, (std::vector<double>{0, 3, 6, 100, 103}));
  EXPECT_EQ(b.y, (std::vector<double>{1, 4, 7, 101, 104}));
  EXPECT_EQ(b.z, (std::vector<double>{2, 5, 8, 102, 105}));
  EXPECT_EQ(b.vx, (std::vector<double>{50, 53, 56, -10, -7}));
  EXPECT_EQ(b.vz, (std::vector<double>{52, 55, 58, -8, -5}));
  EXPECT_EQ(b.m, (std::vector<double>{0.5, 1.5, 2.5, 0.25, 0.25}));
  EXPECT_EQ(b.r, std::vector<double>(5, 0.0));
  EXPECT_EQ(b.group, (std::vector<std::uint16_t>{0, 0, 0, 4, 4}));
  ASSERT_EQ(notes.size(), 2u);
  expect_parts(notes[0], {"a.hdf5", "/PartType0", "Density"});
  EXPECT_EQ(notes[0].find("ParticleIDs"), std::string::npos);
  expect_parts(notes[1], {"/PartType0/ParticleIDs is not kept"});
}

TEST(Gadget, GroupsFollowTheTypes) {
  TempFolder folder;
  two_types(folder.at("a.hdf5"), true);
  EXPECT_EQ(read_bodies(folder.at("a.hdf5")).group, (std::vector<std::uint16_t>{11, 12, 65535, 21, 0}));
}

TEST(Gadget, IdsContinueAcrossPieces) {
  TempFolder folder;
  Bodies b;
  b.resize((1u << 17) + 3);
  write_bodies(folder.at("a.hdf5"), b);
  std::vector<double> ids(b.size());
  const hid_t f = H5Fopen(folder.at("a.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              set = H5Dopen2(f, "/PartType1/ParticleIDs", H5P_DEFAULT);
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids.data()), 0);
  H5Dclose(set), H5Fclose(f);
  EXPECT_EQ(ids, ramp(b.size(), 1));
}

TEST(Gadget, HeaderAndGroupsFollowTheLayout) {
  TempFolder folder;
  Bodies b = awkward_narrow_bodies(5);
  b.r.assign(5, 0.5);
  const std::string path = folder.at("a.hdf5");
  {
    io::OutputFile file(path);
    io::Hdf5Output out(file);
    const Box box{{0, 0, 0}, {10, 10, 10}, Boundary::periodic};
    io::write_gadget(out, b, Precision::fp32, {2.5, "", box});
    out.close();
    file.commit();
  }
  const hid_t f = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);  // the library's default driver
  ASSERT_GE(f, 0);
  const auto number = [&](const char* name) {
    double value = -1;
    const hid_t a = H5Aopen_by_name(f, "/Header", name, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Aread(a, H5T_NATIVE_DOUBLE, &value), 0) << name;
    H5Aclose(a);
    return value;
  };
  EXPECT_EQ(number("Time"), 2.5);
  EXPECT_EQ(number("BoxSize"), 10.0);
  EXPECT_EQ(number("NumFilesPerSnapshot"), 1);
  EXPECT_EQ(number("HubbleParam"), 1);
  EXPECT_EQ(number("Flag_DoublePrecision"), 0);
  std::array<u32, 6> counts{};
  const hid_t a = H5Aopen_by_name(f, "/Header", "NumPart_Total", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Aread(a, H5T_NATIVE_UINT32, counts.data()), 0);
  EXPECT_EQ(counts, (std::array<u32, 6>{0, 5, 0, 0, 0, 0}));
  H5Aclose(a);
  std::vector<double> ids(5), places(15), radii(5);
  const auto read = [&](const char* name, std::vector<double>& to, std::size_t bytes) {
    const hid_t set = H5Dopen2(f, name, H5P_DEFAULT), type = H5Dget_type(set);
    EXPECT_EQ(H5Tget_size(type), bytes) << name;
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to.data()), 0) << name;
    H5Tclose(type), H5Dclose(set);
  };
  read("/PartType1/ParticleIDs", ids, 4), read("/PartType1/Coordinates", places, 4),
      read("/PartType1/Radius", radii, 4);
  EXPECT_EQ(ids, (std::vector<double>{1, 2, 3, 4, 5}));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(places[3 * i], b.x[i]);
    EXPECT_EQ(places[3 * i + 1], b.y[i]);
    EXPECT_EQ(places[3 * i + 2], b.z[i]);
  }
  EXPECT_EQ(radii, b.r);
  H5Fclose(f);
}

struct BadGadget {
  const char* name;
  std::function<void(GadgetFile&)> make;  ///< after the group Header
  std::vector<std::string> parts;
};

void PrintTo(const BadGadget& one, std::ostream* out) { *out << one.name; }

class GadgetErrors : public testing::TestWithParam<BadGadget> {};

TEST_P(GadgetErrors, NameFileObjectAndRemedy) {
  TempFolder folder;
  const std::string path = folder.at("bad.hdf5");
  {
    GadgetFile f(path);
    f.group("/Header"), f.group("/PartType1");
    GetParam().make(f);
  }
  expect_rejected(path, GetParam().parts, [](const auto& file) { read_bodies(file); });
}

std::size_t leave_as_it_is(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

TEST(Gadget, AMissingFilterIsNamedWithTheRemedy) {
  TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  const H5Z_filter_t number = 300;  // in the range reserved for tests
  const H5Z_class2_t filter{H5Z_CLASS_T_VERS, number, 1, 1, "squeeze", nullptr, nullptr, leave_as_it_is};
  ASSERT_GE(H5Zregister(&filter), 0);
  {
    GadgetFile f(path);
    f.group("/Header"), f.group("/PartType1");
    f.counts({0, 2}), f.mass_table({0, 1}), f.filter = number;
    f.dataset("/PartType1/Velocities", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
    f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2, 3, ramp(6, 0), 2);
  }
  EXPECT_EQ(read_bodies(path).z, (std::vector<double>{2, 5})) << "with the filter";
  ASSERT_GE(H5Zunregister(number), 0);
  expect_parts(message_of<FileError>([&] { read_bodies(path); }),
               {"/PartType1/Coordinates", "the filter 'squeeze', number 300", "write it with gzip"});
}

void two_at_rest(GadgetFile& f) {
  f.counts({0, 2, 0, 0, 0, 0});
  f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
  f.dataset("/PartType1/Velocities", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
}

INSTANTIATE_TEST_SUITE_P(
    Gadget, GadgetErrors,
    testing::Values(BadGadget{"NoCounts", [](GadgetFile&) {}, {"/Header has no attribute NumPart_ThisFile"}},
                    BadGadget{"NoParticles",
                              [](GadgetFile& f) {
                                f.counts({0, 0});
                              },
                              {"counts no particles"}},
                    BadGadget{"OtherCount",
                              [](GadgetFile& f) {
                                f.counts({0, 3, 0, 0, 0, 0});
                                f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
                              },
                              {"counts 3 particles of type 1", "/PartType1/Coordinates has 2"}},
                    BadGadget{"OneOfMany",
                              [](GadgetFile& f) {
                                f.files(2);
                                two_at_rest(f);
                              },
                              {"one of 2 files", "join them"}},
                    BadGadget{"NoVelocities",
                              [](GadgetFile& f) {
                                f.counts({0, 2, 0, 0, 0, 0});
                                f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
                              },
                              {"/PartType1 has no dataset Velocities"}},
                    BadGadget{"NoMasses", [](GadgetFile& f) { two_at_rest(f); }, {"no dataset Masses", "MassTable"}},
                    BadGadget{"TableWithoutMass",
                              [](GadgetFile& f) {
                                f.mass_table({1, 0});
                                two_at_rest(f);
                              },
                              {"/PartType1 has no dataset Masses", "MassTable"}},
                    BadGadget{"NegativeMass",
                              [](GadgetFile& f) {
                                two_at_rest(f);
                                f.dataset("/PartType1/Masses", H5T_IEEE_F64LE, 2, 1, {1, -2});
                              },
                              {"/PartType1/Masses has -2 in row 1", "0 or more"}},
                    BadGadget{
                        "NaN",
                        [](GadgetFile& f) {
                          f.mass_table({0, 1});
                          f.counts({0, 2});
                          f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2, 3, {0, 1, 2, 3, std::nan(""), 5});
                          f.dataset("/PartType1/Velocities", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
                        },
                        {"/PartType1/Coordinates has nan in row 1"}},
                    BadGadget{"TwoColumns",
                              [](GadgetFile& f) {
                                f.counts({0, 2});
                                f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2, 2, ramp(4, 0));
                                f.dataset("/PartType1/Velocities", H5T_IEEE_F64LE, 2, 3, ramp(6, 0));
                              },
                              {"/PartType1/Coordinates has the shape [2, 2] instead of [2, 3]"}},
                    BadGadget{"Announced",
                              [](GadgetFile& f) {
                                f.counts({0, 2000000000});
                                f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 2000000000u, 3, {}, 1000000);
                              },
                              {"/PartType1/Coordinates announces 2000000000 x 3 values", "holds 0 bytes"}},
                    BadGadget{"NeverWritten",
                              [](GadgetFile& f) {
                                f.counts({0, 1000});
                                f.dataset("/PartType1/Coordinates", H5T_IEEE_F64LE, 1000, 3, {});
                              },
                              {"announces 1000 x 3 values", "holds 0 bytes"}},
                    BadGadget{"AGroupForADataset",
                              [](GadgetFile& f) {
                                f.counts({0, 2});
                                f.group("/PartType1/Coordinates");
                              },
                              {"/PartType1/Coordinates cannot be opened as a dataset"}}),
    CaseName{});

// Compressed twice, so that one byte expands to a million, beyond the ratio of a single filter.
TEST(Gadget, AZipBombIsRejectedUnread) {
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) GTEST_SKIP() << "this HDF5 has no deflate";
  TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  {
    GadgetFile f(path);
    f.group("/Header"), f.group("/PartType1");
    f.counts({0, 1000000}), f.mass_table({0, 1});
    const std::array<hsize_t, 2> sizes{1000000, 3};
    const std::vector<double> zeros(3000000);
    const hid_t space = H5Screate_simple(2, sizes.data(), nullptr), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, sizes.data());
    H5Pset_deflate(list, 9), H5Pset_deflate(list, 9);
    for (const char* name : {"/PartType1/Coordinates", "/PartType1/Velocities"}) {
      const hid_t set = H5Dcreate2(f.id(), name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
      EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()), 0);
    }
  }
  EXPECT_LT(std::filesystem::file_size(path), 20000u);
  expect_parts(message_of<FileError>([&] { read_bodies(path); }),
               {path, "/PartType1/Coordinates announces 1000000 x 3 values"});
}

// The other file exists and contains the linked dataset.
TEST(Gadget, ALinkIntoAnotherFileIsNotFollowed) {
  TempFolder folder;
  write_bodies(folder.at("other.hdf5"), awkward_bodies(2, false));
  {
    GadgetFile f(folder.at("a.hdf5"));
    f.group("/Header"), f.group("/PartType1");
    f.counts({0, 2});
    H5Lcreate_external("other.hdf5", "/PartType1/Coordinates", f.id(), "/PartType1/Coordinates", H5P_DEFAULT,
                       H5P_DEFAULT);
  }
  const hid_t whole = H5Fopen(folder.at("a.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              set = H5Dopen2(whole, "/PartType1/Coordinates", H5P_DEFAULT);
  EXPECT_GE(set, 0) << "the library itself would follow it";
  H5Dclose(set), H5Fclose(whole);
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("a.hdf5")); }),
               {"a.hdf5", "/PartType1/Coordinates is a link to another file", "h5copy"});
}

TEST(Gadget, OtherFilesAreReported) {
  TempFolder folder;
  expect_parts(message_of<FileError>([&] { read_bodies(folder.file("a.hdf5", "")); }), {"a.hdf5", "is it complete"});
  expect_parts(message_of<FileError>([&] { read_bodies(folder.file("a.hdf5", std::string(5000, 'x'))); }),
               {"a.hdf5", "as HDF5"});
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("none.hdf5")); }), {"there is no file"});
  { GadgetFile f(folder.at("empty.hdf5")); }
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("empty.hdf5")); }),
               {"/Header is missing", "GADGET layout"});
  expect_parts(message_of<FileError>([&] { read_points(folder.at("empty.hdf5")); }),
               {"/Header is missing", "GADGET layout"});
  std::filesystem::create_symlink("/dev/null", folder.at("null.hdf5"));
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("null.hdf5"), awkward_bodies(2, true)); }),
               {"null.hdf5", "not a pipe or a device"});
}

// A truncated file is rejected, wherever it is cut.
TEST(Gadget, Truncated) {
  TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  write_bodies(path, awkward_bodies(300, true));
  const std::string whole = content_of(path);
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    folder.file("a.hdf5", whole.substr(0, size));
    expect_parts(message_of<FileError>([&] { read_bodies(path); }), {path});
  }
}

// The same with a header that claims the full size: data beyond the end must not read as zeros.
TEST(Gadget, TruncatedWithAPatchedHeader) {
  TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  write_bodies(path, awkward_bodies(300, true));
  const hid_t f = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              set = H5Dopen2(f, "/PartType1/Radius", H5P_DEFAULT);
  const haddr_t radii = H5Dget_offset(set);
  H5Dclose(set), H5Fclose(f);
  std::string bytes = content_of(path);
  ASSERT_LT(radii + 100, bytes.size());
  ASSERT_EQ(bytes[8], 0) << "a superblock that every HDF5 reads, whatever the library writes by itself";
  bytes.resize(radii + 100);
  const u64 size = bytes.size();
  std::memcpy(&bytes[40], &size, sizeof size);  // the end of the file in a superblock of version 0
  folder.file("a.hdf5", bytes);
  expect_parts(message_of<FileError>([&] { read_bodies(path); }),
               {path, "/PartType1/Radius ", "cut off or damaged"});  // HDF5 1.14 finds it when it opens the dataset
}

// Damaged headers of HDF5 objects, which would make the library read out of bounds.

using Message = std::vector<unsigned char>;

void put(Message& to, u64 value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to.push_back(static_cast<unsigned char>(value >> (8 * i)));
}

/// "Time" with `values` float64, as the library writes it.
Message attribute(unsigned version, u64 values) {
  Message m{static_cast<unsigned char>(version), 0};
  const std::size_t head = version == 1 ? 8 : 4;  // of a dataspace, in the version used with it
  put(m, 5, 2), put(m, 20, 2), put(m, head + 8, 2);
  if (version == 3) m.push_back(1);
  const auto pad = [&](std::size_t to) {
    if (version == 1) m.resize((m.size() + to - 1) / to * to);
  };
  for (const char c : std::string("Time\0", 5)) m.push_back(static_cast<unsigned char>(c));
  pad(8);
  put(m, 0x3F2011, 4), put(m, 8, 4), put(m, 0x400000, 4), put(m, 0x34000B34, 4), put(m, 0x3FF, 4);
  pad(8);
  put(m, version == 1 ? 0x0101 : 0x01000102, 4), put(m, 0, head - 4);
  put(m, values, 8);
  pad(8);
  m.resize(m.size() + 8 * values);
  return m;
}

TEST(Hdf5Headers, AnAttributeIsValidAndInvalidIfTruncatedAnywhere) {
  for (const unsigned version : {1u, 2u, 3u}) {
    for (const u64 values : {0u, 1u, 6u}) {
      SCOPED_TRACE(std::to_string(version) + ", " + std::to_string(values));
      const Message whole = attribute(version, values);
      EXPECT_TRUE(io::valid_attribute(whole));
      for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_FALSE(io::valid_attribute(std::span(whole).first(size))) << size;
      }
      // Sizes of name, type and space, the size of a value, the count of values.
      const std::size_t type = version == 1 ? 16 : version == 2 ? 13 : 14, space = type + (version == 1 ? 24 : 20);
      for (const std::size_t at : {std::size_t{3}, std::size_t{5}, std::size_t{7}, space + (version == 1 ? 15 : 11)}) {
        Message damaged = whole;
        damaged[at] = 0xFF;
        EXPECT_FALSE(io::valid_attribute(damaged)) << at;
      }
      if (values == 0) continue;
      Message damaged = whole;
      damaged[type + 5] = 1;
      EXPECT_FALSE(io::valid_attribute(damaged)) << "each value is said to have 264 bytes";
    }
  }
  Message endless = attribute(1, 1);
  std::fill_n(endless.begin() + 8, 8, 'x');
  EXPECT_FALSE(io::valid_attribute(endless)) << "its name is not terminated";
  Message elsewhere = attribute(3, 1);
  elsewhere[1] = 1;  // the type message holds the address of a shared type
  elsewhere.resize(elsewhere.size() - 8);
  EXPECT_TRUE(io::valid_attribute(elsewhere));
}

// Each of the three sizes in the attributes of a file.
void expect_damaged_sizes_are_refused(const std::string& whole) {
  TempFolder folder;
  const std::string path = folder.file("a.hdf5", whole);
  const Bodies b = read_bodies(path);
  for (const char* name :
       {"NumPart_ThisFile", "MassTable", "Time", "BoxSize", "Flag_DoublePrecision", "Flag_Feedback"}) {
    const std::size_t letters = whole.find(std::string(name) + '\0');
    ASSERT_NE(letters, std::string::npos) << name;
    for (const std::size_t size : {letters - 6, letters - 4, letters - 2}) {
      for (const char high : {'\x01', '\xFF'}) {
        std::string damaged = whole;
        damaged[size + 1] = high;
        folder.file("a.hdf5", damaged);
        expect_parts(message_of<FileError>([&] { read_bodies(path); }),
                     {path, "/Header cannot be read", "copy it again"});
      }
    }
  }
  folder.file("a.hdf5", whole);
  expect_same_bodies(read_bodies(path), b);
}

// At each offset where the library searches for the signature, whatever base address the file claims.
TEST(Hdf5Headers, ADamagedSizeOfAnAttributeIsRejected) {
  TempFolder folder;
  write_bodies(folder.at("a.hdf5"), awkward_bodies(3, true));
  std::string whole = content_of(folder.at("a.hdf5"));
  expect_damaged_sizes_are_refused(whole);
  expect_damaged_sizes_are_refused(std::string(512, 'u') + whole);
  expect_damaged_sizes_are_refused(std::string(2048, 'u') + whole);
  whole[24] = 'j';  // the base of addresses in a superblock of version 0
  expect_damaged_sizes_are_refused(whole);
}

// Bit ranges of an integer attribute, and of the parts of a float in each dataset, beyond its bytes. HDF5 1.14 finds
// them too, and first.
TEST(Hdf5Headers, BitFieldsOfANumberMustLieInItsBytes) {
  TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  write_bodies(path, awkward_bodies(3, true));
  const std::string whole = content_of(path);
  const auto refused = [&](std::size_t at, char value, std::string what) {
    std::string damaged = whole;
    damaged[at] = value;
    folder.file("a.hdf5", damaged);
    const std::string said = message_of<FileError>([&] { read_bodies(path); });
    if (said.find("out of bounds") != std::string::npos) what = "damaged";
    expect_parts(said, {path, what});
  };
  using namespace std::string_literals;
  const std::size_t counts = whole.find("\x10\0\0\0\x04\0\0\0"s, whole.find("NumPart_ThisFile"));
  for (const std::size_t byte : {8u, 9u, 10u, 11u}) refused(counts + byte, 0x40, "NumPart_ThisFile");  // offset, bits
  int datasets = 0;
  for (std::size_t at = whole.find("Flag_Feedback");
       (at = whole.find("\x11\x20\x3F\0\x08\0\0\0"s, at + 1)) != std::string::npos; ++datasets) {
    // Sign position, bit offset and precision, position and size of exponent and mantissa.
    for (const std::size_t byte : {2u, 9u, 11u, 12u, 13u, 14u, 15u})
      refused(at + byte, 0x7F, "numbers of a valid type");
  }
  EXPECT_EQ(datasets, 4);
}

TEST(Hdf5Headers, ADriverBlockMustLieInTheFile) {
  TempFolder folder;
  std::string bytes(100, '\0');
  bytes[44] = 44;  // at 40: 16 bytes, and these 44 up to the end
  const auto sound = [&](u64 at, u64 count) {
    const io::InputFile file(folder.file("a", bytes));
    const io::Hdf5Storage storage{file.descriptor(), file.path(), *file.size(), false, 0};
    return io::valid_driver_block(storage, at, count);
  };
  EXPECT_TRUE(sound(40, 16));
  EXPECT_FALSE(sound(100, 16)) << "beyond the end";
  bytes[44] = 45;
  EXPECT_FALSE(sound(40, 16));
  EXPECT_TRUE(sound(40, 8)) << "the search for the signature";
  bytes[44] = 0, bytes[47] = '\xFF';
  EXPECT_FALSE(sound(40, 16));
  bytes.replace(40, 8, "\x89HDF\r\n\x1a\n");
  EXPECT_TRUE(sound(40, 16));
  for (const std::size_t size : {53u, 54u}) {  // of addresses, of lengths
    bytes[size] = 16;
    EXPECT_FALSE(sound(40, 16));
    EXPECT_FALSE(sound(40, 8));
    bytes[size] = 8;
    EXPECT_TRUE(sound(40, 8));
  }
}

TEST(Hdf5Headers, AHeapMustFitTheFile) {
  TempFolder folder;
  for (const char* name : {"HEAP", "GCOL"}) {
    std::string bytes(100, '\0');
    bytes.replace(40, 4, name);
    const auto sound = [&](u64 at) {
      const io::InputFile file(folder.file("a", bytes));
      return io::valid_heap({file.descriptor(), file.path(), *file.size(), false, 0}, at);
    };
    bytes[48] = 100;
    EXPECT_TRUE(sound(40));
    bytes[48] = 101;
    EXPECT_FALSE(sound(40));
    EXPECT_TRUE(sound(39)) << "no heap";
    bytes[48] = 0, bytes[52] = 1;
    EXPECT_FALSE(sound(40)) << "4 GB";
    EXPECT_TRUE(sound(90));
  }
}

TEST(Hdf5Headers, ATreeMustLeadSomewhere) {
  TempFolder folder;
  const std::string found = content_of(TRI_TEST_DATA "/foreign/h5py_gzip_shuffle.hdf5"), undefined(8, '\xFF');
  const auto sound = [&](const std::string& bytes, u64 at, u64 count) {
    const io::InputFile file(folder.file("a", bytes));
    return io::valid_tree({file.descriptor(), file.path(), *file.size(), false, 0}, at, count);
  };
  const auto changed = [&](std::size_t at, const std::string& to) {
    return std::string(found).replace(at, to.size(), to);
  };
  std::size_t chunks = 0, links = 0;
  for (std::size_t at = found.find("TREE"); at != found.npos; at = found.find("TREE", at + 1)) {
    const bool of_chunks = found[at + 4] == 1, used = found[at + 6] > 0;
    for (const u64 key : of_chunks ? std::vector<u64>{24, 32} : std::vector<u64>{8}) {
      const u64 room = of_chunks ? 64 : 32, count = 24 + room * (key + 8) + key;
      ASSERT_TRUE(sound(found, at, count));
      const bool known = !of_chunks || found.compare(at + 24 + key, 8, std::string(8, '\0')) != 0;
      if (!used || !known) continue;
      EXPECT_FALSE(sound(changed(at + 24 + key, undefined), at, count)) << "a child at an undefined address";
      EXPECT_TRUE(sound(changed(at + 24 + key, undefined), at, count - 8)) << "no node";
      EXPECT_EQ(sound(changed(at + 24, std::string(4, '\0')), at, count), !of_chunks) << "a chunk of no bytes";
      of_chunks ? ++chunks : ++links;
    }
  }
  EXPECT_GE(chunks, 6u);
  EXPECT_GE(links, 2u);
}

/// Attributes that no reader uses, in every form that other programs write.
void adorn(const std::string& path, bool latest) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (latest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const hid_t f = H5Fopen(path.c_str(), H5F_ACC_RDWR, access), header = H5Oopen(f, "/Header", H5P_DEFAULT);
  ASSERT_GE(header, 0);
  const hid_t text = H5Tcopy(H5T_C_S1), pair = H5Tcreate(H5T_COMPOUND, 16), flag = H5Tenum_create(H5T_NATIVE_INT8);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tinsert(pair, "a", 0, H5T_NATIVE_DOUBLE), H5Tinsert(pair, "b", 8, H5T_NATIVE_INT32);
  const signed char no = 0, yes = 1;
  H5Tenum_insert(flag, "FALSE", &no), H5Tenum_insert(flag, "TRUE", &yes);
  H5Tcommit2(f, "/its_type", pair, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t none = 0, sizes[2] = {3, 2};
  const hid_t scalar = H5Screate(H5S_SCALAR), null = H5Screate(H5S_NULL), empty = H5Screate_simple(1, &none, nullptr),
              table = H5Screate_simple(2, sizes, nullptr);
  const char* const word = "a text";
  const unsigned char zeros[96] = {};
  const auto give = [&](const std::string& name, hid_t type, hid_t space, const void* data) {
    const hid_t a = H5Acreate2(header, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(a, 0) << name;
    EXPECT_TRUE(data == nullptr || H5Awrite(a, type, data) >= 0) << name;
    H5Aclose(a);
  };
  give("text", text, scalar, &word), give("pair", pair, table, zeros), give("flag", flag, scalar, &yes);
  give("null", H5T_NATIVE_DOUBLE, null, nullptr), give("empty", H5T_NATIVE_INT32, empty, nullptr);
  for (int i = 0; i < 40; ++i) give("more" + std::to_string(i), H5T_NATIVE_DOUBLE, table, zeros);
  for (const hid_t id : {scalar, null, empty, table}) H5Sclose(id);
  for (const hid_t id : {text, pair, flag}) H5Tclose(id);
  H5Oclose(header), H5Fclose(f), H5Pclose(access);
}

TEST(Hdf5Headers, AdditionsOfOtherProgramsAreAccepted) {
  TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  const Bodies b = awkward_bodies(5, true);
  for (const bool latest : {false, true}) {
    write_bodies(path, b);
    adorn(path, latest);
    expect_same_bodies(read_bodies(path), b);
  }
}

// The process that reads HDF5: what a program that is not one does instead, and reading without it.

/// Reads in this process again at its end.
class Hdf5Process : public testing::Test {
 protected:
  void SetUp() override {
    Bodies b;
    b.add(1, 2, 3, 4, 5, 6, 7, 8);
    write_bodies(folder_.at("b.hdf5"), b, 0);
    if (!io::can_confine()) GTEST_SKIP() << "this system has no confined processes";
  }
  void TearDown() override { io::read_hdf5_apart(""); }

  /// The message of reading by a shell script.
  std::string message_by(const std::string& script) {
    folder_.file("reader", "#!/bin/sh\n" + script + "\n");
    chmod(folder_.at("reader").c_str(), 0700);
    io::read_hdf5_apart(folder_.at("reader"));
    return message_of<FileError>([&] { read_bodies(folder_.at("b.hdf5")); });
  }

  TempFolder folder_;
};

TEST_F(Hdf5Process, EndsThatAreNotInOrderAreABrokenFile) {
  expect_parts(message_by("kill -SEGV $$"), {"b.hdf5' made the HDF5 reader crash (Segmentation fault)"});
  expect_parts(message_by("exit 3"), {"b.hdf5' made the HDF5 reader crash (exit code 3)"});
  expect_parts(message_by("test \"$1\" = hdf5-reader && test -f /dev/fd/4 && exit 5"), {"(exit code 5)"});
}

TEST_F(Hdf5Process, AProgramThatDoesNotStart) {
  io::read_hdf5_apart(folder_.at("none"));
  expect_parts(message_of<FileError>([&] { read_bodies(folder_.at("b.hdf5")); }),
               {"cannot start the process that reads HDF5 (No such file or directory)"});
}

TEST_F(Hdf5Process, WithoutAProgramThisProcessReads) {
  io::read_hdf5_apart("");
  EXPECT_EQ(read_bodies(folder_.at("b.hdf5")).y, std::vector<double>{2});
}

TEST_F(Hdf5Process, NobodyElseIsTheReader) {
  const char* const argv[] = {"triangulum", "hdf5-reader"};
  EXPECT_FALSE(io::is_hdf5_server(2, argv)) << "no parent gave it a file";
}

}  // namespace
}  // namespace tri::test
