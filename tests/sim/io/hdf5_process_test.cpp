// The process that reads HDF5: what a program that is not one does instead, and reading without it.

#include <sys/stat.h>

#include "sim/io/files/confined_process.hpp"
#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

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
