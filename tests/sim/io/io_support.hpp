#pragma once
/// Files in a temporary folder, and comparisons of bodies.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/io/format.hpp"
#include "sim/model/bodies.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::test {

inline std::vector<u64> bits_of(const std::vector<double>& values) {
  std::vector<u64> bits;
  for (const double v : values) bits.push_back(std::bit_cast<u64>(v));
  return bits;
}

/// Equal in every bit of every array.
inline void expect_same_bodies(const Bodies& a, const Bodies& b) {
  EXPECT_EQ(bits_of(a.x), bits_of(b.x));
  EXPECT_EQ(bits_of(a.y), bits_of(b.y));
  EXPECT_EQ(bits_of(a.z), bits_of(b.z));
  EXPECT_EQ(bits_of(a.vx), bits_of(b.vx));
  EXPECT_EQ(bits_of(a.vy), bits_of(b.vy));
  EXPECT_EQ(bits_of(a.vz), bits_of(b.vz));
  EXPECT_EQ(bits_of(a.m), bits_of(b.m));
  EXPECT_EQ(bits_of(a.r), bits_of(b.r));
}

/// Bodies whose numbers are hard to print: full mantissas over hundreds of decades, -0, the smallest and largest. If
/// there are several, the last has neither mass nor radius.
inline Bodies awkward_bodies(std::size_t n, bool with_radius) {
  SplitMix64 random{7};
  const auto any = [&] { return (random.uniform() - 0.5) * std::pow(10.0, 600.0 * random.uniform() - 300.0); };
  Bodies b;
  for (std::size_t i = 0; i < n; ++i) {
    b.add(any(), any(), any(), any(), any(), any(), std::abs(any()), with_radius ? std::abs(any()) : 0.0);
  }
  b.x[0] = -0.0, b.y[0] = 5e-324, b.z[0] = 1.7976931348623157e308, b.vx[0] = 0.1, b.m[0] = 2.2250738585072014e-308;
  if (n > 1) b.m[n - 1] = b.r[n - 1] = 0;
  return b;
}

/// The same, rounded to float32 and within its range.
inline Bodies awkward_narrow_bodies(std::size_t n) {
  SplitMix64 random{11};
  const auto any = [&] {
    return static_cast<double>(
        static_cast<float>((random.uniform() - 0.5) * std::pow(10.0, 60.0 * random.uniform() - 30.0)));
  };
  Bodies b;
  for (std::size_t i = 0; i < n; ++i) b.add(any(), any(), any(), any(), any(), any(), std::abs(any()));
  b.x[0] = -0.0, b.y[0] = 0x1p-149, b.z[0] = 0x1.fffffep127;
  if (n > 1) b.m[n - 1] = 0;
  return b;
}

/// Reading the file must fail, with its path and every part in the message.
template <class Read>
void expect_rejected(const std::string& path, const std::vector<std::string>& parts, Read&& read) {
  const std::string message = message_of<FileError>([&] { read(path); });
  expect_parts(message, {path});
  expect_parts(message, parts);
}

struct BadFile {
  const char* name;
  std::string bytes;
  std::vector<std::string> parts;  ///< of the message
};

inline void PrintTo(const BadFile& one, std::ostream* out) { *out << one.name; }

/// A suite over files that read_bodies() or read_points() must reject.
class BadFiles : public testing::TestWithParam<BadFile> {
 protected:
  void expect_bodies_rejected(const char* name) {
    expect_rejected(folder_.file(name, GetParam().bytes), GetParam().parts,
                    [](const auto& path) { read_bodies(path); });
  }
  void expect_points_rejected(const char* name) {
    expect_rejected(folder_.file(name, GetParam().bytes), GetParam().parts,
                    [](const auto& path) { read_points(path); });
  }

 private:
  TempFolder folder_;
};

/// The name of a parametrised case.
struct CaseName {
  template <class T>
  std::string operator()(const testing::TestParamInfo<T>& one) const {
    return one.param.name;
  }
  std::string operator()(const testing::TestParamInfo<const char*>& one) const { return one.param; }
};

}  // namespace tri::test
