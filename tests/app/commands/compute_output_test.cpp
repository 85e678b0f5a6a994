// Result files: shapes, order, and exact round trips.

#include "app/commands/compute_output.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.hpp"
#include "sim/io/format.hpp"

namespace tri::app {
namespace {

class ComputeOutput : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tri-output-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string text(const std::string& file) {
    std::ifstream in(file);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ComputeOutput, Triplets) {
  TripleCounts r{2, {0, 7, 0, 3, 0, 0, 0, 0}, 0, 10, 0};  // bins (0, 0, 1) and (0, 1, 1)
  const SideBins bins{{0, 0.5, 2}};
  write_triple_counts(path("t.csv"), bins, r);
  EXPECT_EQ(text(path("t.csv")), "low1,high1,low2,high2,low3,high3,count\n0,0.5,0,0.5,0.5,2,7\n0,0.5,0.5,2,0.5,2,3\n");
  write_triple_counts(path("t.npy"), bins, r);
  const std::string bytes = text(path("t.npy"));
  EXPECT_NE(bytes.find("'shape': (2, 2, 2), "), std::string::npos) << bytes;
  EXPECT_NE(bytes.find("'descr': '<i8'"), std::string::npos) << bytes;
  std::vector<i64> values(8);
  ASSERT_GE(bytes.size(), 64u);
  std::memcpy(values.data(), bytes.data() + bytes.size() - 64, 64);
  EXPECT_EQ(values, (std::vector<i64>{0, 7, 0, 3, 0, 0, 0, 0}));
  r.counts[1] = (u64{1} << 53) + 1;  // no float64
  write_triple_counts(path("t.npy"), bins, r);
  const std::string exact = text(path("t.npy"));
  std::memcpy(values.data(), exact.data() + exact.size() - 64, 64);
  EXPECT_EQ(values[1], (i64{1} << 53) + 1);
  r.counts[1] = u64{1} << 63;
  EXPECT_THROW(write_triple_counts(path("t.npy"), bins, r), FileError);
  EXPECT_EQ(text(path("t.npy")), exact) << "the earlier file stays";
}

TEST_F(ComputeOutput, PairsCountsAndForces) {
  write_pairs(path("p.csv"), {{0, 1}, {7, 4000000000u}});
  EXPECT_EQ(text(path("p.csv")), "i,j\n0,1\n7,4000000000\n");
  write_pairs(path("none.csv"), {});
  EXPECT_EQ(text(path("none.csv")), "i,j\n");
  write_pairs(path("p.npy"), {{0, 1}, {7, 4000000000u}});
  EXPECT_NE(text(path("p.npy")).find("'descr': '<i8'"), std::string::npos);
  write_counts(path("c.npy"), {2, 0, 1});
  EXPECT_NE(text(path("c.npy")).find("'descr': '<i8'"), std::string::npos);
  write_counts(path("c.csv"), {2, 0, 1});
  EXPECT_EQ(text(path("c.csv")), "body,contacts\n0,2\n1,0\n2,1\n");
  const std::vector<double> fx{1, 2}, fy{3, 4}, fz{5, 6.25};
  write_forces(path("f.csv"), fx, fy, fz);
  EXPECT_EQ(text(path("f.csv")), "fx,fy,fz\n1,3,5\n2,4,6.25\n");
  write_forces(path("f.npy"), fx, fy, fz);
  const PointSet back = read_points(path("f.npy"));
  EXPECT_EQ(back.features, 3u);
  EXPECT_EQ(back.values, (std::vector<double>{1, 3, 5, 2, 4, 6.25}));
}

// More rows than one chunk of the writer holds.
TEST_F(ComputeOutput, ManyRowsInChunks) {
  constexpr u32 kRows = 24001;
  std::vector<double> fx, fy, fz;
  std::vector<u32> counts;
  std::vector<std::pair<u32, u32>> pairs;
  for (u32 i = 0; i < kRows; ++i) {
    fx.push_back(i / 7.0), fy.push_back(-i / 3.0), fz.push_back(1e300 / (i + 1));
    counts.push_back(i * 2654435761u), pairs.emplace_back(i, i + 4000000000u - kRows);
  }
  for (const char* name : {"f.npy", "f.csv"}) {
    write_forces(path(name), fx, fy, fz);
    const PointSet read = read_points(path(name));
    ASSERT_EQ(read.n, kRows);
    ASSERT_EQ(read.features, 3u);
    for (u32 i = 0; i < kRows; ++i) {
      ASSERT_TRUE(read.values[3 * i] == fx[i] && read.values[3 * i + 1] == fy[i] && read.values[3 * i + 2] == fz[i])
          << i;
    }
  }
  for (const char* name : {"p.npy", "p.csv"}) {
    write_pairs(path(name), pairs);
    const PointSet read = read_points(path(name));
    ASSERT_EQ(read.values.size(), 2 * std::size_t{kRows});
    for (u32 i = 0; i < kRows; ++i) {
      ASSERT_TRUE(read.values[2 * i] == pairs[i].first && read.values[2 * i + 1] == pairs[i].second) << i;
    }
  }
  write_counts(path("c.npy"), counts);
  const PointSet read = read_points(path("c.npy"));
  ASSERT_EQ(read.values, std::vector<double>(counts.begin(), counts.end()));
}

}  // namespace
}  // namespace tri::app
