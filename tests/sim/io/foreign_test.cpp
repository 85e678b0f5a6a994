// Files written by the libraries of other programs (tests/data/foreign): the same three bodies in each.

#include <gtest/gtest.h>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

struct ForeignFile {
  const char* name;
  bool sizes;  ///< with radii and groups
  std::optional<double> time;
};

void PrintTo(const ForeignFile& file, std::ostream* out) { *out << file.name; }

class Foreign : public testing::TestWithParam<ForeignFile> {};

TEST_P(Foreign, HoldsTheThreeBodies) {
  const ForeignFile& file = GetParam();
  Bodies want;
  want.add(0.5, -1.25, 3.0, 0.25, 0.0, -0.5, 1.0);
  want.add(8.0, 0.0, -0.125, -1.0, 2.0, 0.75, 2.0);
  want.add(-2.5, 4.75, 1.0, 3.5, -0.25, 1.5, 0.5);
  if (file.sizes) want.r = {0.25, 0.5, 0.125}, want.group = {0, 7, 7};
  ReadReport reading;
  const std::string folder = TRI_TEST_DATA "/foreign/";
  const Bodies got = read_bodies(folder + file.name, reading);
  ASSERT_EQ(got.size(), want.size());
  expect_same_bodies(got, want);
  EXPECT_EQ(got.group, want.group);
  EXPECT_EQ(reading.time, file.time);
  if (std::string(file.name) != "ase.extxyz") return;
  EXPECT_EQ(got.species, (std::vector<u8>{18, 18, 18}));
  ASSERT_TRUE(reading.box.has_value());
  EXPECT_EQ(reading.box->high, (std::array<double, 3>{9, 9, 9}));
  EXPECT_EQ(reading.box->boundary, Boundary::periodic);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Foreign,
    testing::Values(ForeignFile{"h5py_big_endian.hdf5", true, 1.5}, ForeignFile{"h5py_gzip_shuffle.hdf5", true, 1.5},
                    ForeignFile{"vtk_ascii.vtp", true, {}}, ForeignFile{"vtk_binary_big_endian.vtp", true, {}},
                    ForeignFile{"vtk_appended_base64.vtp", true, {}}, ForeignFile{"plyfile_big_endian.ply", true, {}},
                    ForeignFile{"vtk_zlib_default.vtp", true, {}}, ForeignFile{"vtk_zlib_raw_blocks.vtp", true, {}},
                    ForeignFile{"vtk_zlib_binary.vtp", true, {}}, ForeignFile{"plyfile_text.ply", true, {}},
                    ForeignFile{"ase.extxyz", true, {}}, ForeignFile{"pynbody.tipsy", false, 0.0},
                    ForeignFile{"numpy_float32.npy", false, {}},
                    ForeignFile{"numpy_transposed_big_endian.npy", false, {}},
                    ForeignFile{"numpy_savetxt.tab", false, {}}));

}  // namespace
}  // namespace tri::test
