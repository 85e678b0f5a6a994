/// Damaged headers of HDF5 objects, which would make the library read out of bounds.

#include <hdf5.h>

#include <cstring>

#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/hdf5_headers.hpp"
#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

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

}  // namespace
}  // namespace tri::test
