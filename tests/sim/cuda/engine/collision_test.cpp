// The collision kernels against a plain host loop, at awkward sizes, on every map, block and dimension.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/splitmix64.hpp"
#include "sim/cuda/kernels/plain/plain_kernels.hpp"
#include "sim/laws/overlap.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using cuda::DeviceBuffer;
using cuda::Stream;

using CudaCollision = CudaTest;

struct Contacts {
  std::vector<std::pair<u32, u32>> pairs;
  std::vector<u32> per_body;
};

template <class Real>
Contacts contacts_of(const std::vector<cuda::Sphere<Real>>& spheres, u32 dimensions) {
  const u32 n = static_cast<u32>(spheres.size());
  Contacts found{{}, std::vector<u32>(n, 0)};
  const Real zero = 0;
  const auto body = [&](const cuda::Sphere<Real>& s) {
    const bool flat = dimensions == 1;
    return laws::Body<Real>{s.x, flat ? zero : s.y, flat ? zero : s.z, zero, s.r, zero, zero, zero, zero};
  };
  for (u32 i = 0; i < n; ++i) {
    for (u32 j = 0; j < i; ++j) {
      if (!laws::Overlap<Real>{}.touches(body(spheres[i]), body(spheres[j]))) continue;
      found.pairs.emplace_back(i, j);
      ++found.per_body[i], ++found.per_body[j];
    }
  }
  return found;
}

template <class Real>
void check_spheres(const std::vector<cuda::Sphere<Real>>& spheres, u32 dimensions, const std::vector<u32>& blocks,
                   const std::string& what) {
  const Stream stream;
  const u32 n = static_cast<u32>(spheres.size());
  const Contacts expected = contacts_of(spheres, dimensions);
  const u64 capacity = expected.pairs.size() + 5;
  DeviceBuffer<cuda::Sphere<Real>> input(n);
  input.upload(spheres, stream);
  DeviceBuffer<unsigned long long> count(1);
  DeviceBuffer<u32> per_body(n);
  DeviceBuffer<uint2> pairs(capacity);
  const cuda::CollisionOutput out{count.data(), per_body.data(), pairs.data(), capacity};
  for (const u32 block : blocks) {
    for (const TriangleMapId map : maps_for(n, block)) {
      count.fill_bytes(0, stream);
      per_body.fill_bytes(0, stream);
      pairs.fill_bytes(0xff, stream);
      (block > 32 ? cuda::prepare_collision_tiles<Real>(map, n, block, dimensions, input.data(), out)
                  : cuda::prepare_collision_elements<Real>(map, n, block, dimensions, input.data(), out))
          .enqueue(stream);
      ASSERT_EQ(count.download(stream)[0], expected.pairs.size()) << name(map, n, block) << ", " << what;
      ASSERT_TRUE(per_body.download(stream) == expected.per_body) << name(map, n, block) << ", " << what;
      std::vector<std::pair<u32, u32>> got;
      for (const uint2& p : pairs.download(stream)) got.emplace_back(p.x, p.y);
      got.resize(expected.pairs.size());
      std::sort(got.begin(), got.end());
      ASSERT_TRUE(got == expected.pairs) << name(map, n, block) << ", " << what;
    }
  }
  DeviceBuffer<unsigned long long> plain(1);
  plain.fill_bytes(0, stream);
  cuda::plain_collision_count(input.data(), n, dimensions, plain.data(), stream);
  EXPECT_EQ(plain.download(stream)[0], expected.pairs.size());
}

template <class Real>
void check_collisions(u32 n, u32 dimensions, double radius, const std::vector<u32>& blocks) {
  SplitMix64 random{n + 7 * dimensions};
  std::vector<cuda::Sphere<Real>> spheres(n);
  const auto draw = [&] { return static_cast<Real>(random.uniform()); };
  for (auto& s : spheres) s.x = draw(), s.y = draw(), s.z = draw(), s.r = static_cast<Real>(radius) * draw();
  check_spheres(spheres, dimensions, blocks, fmt::format("radius {}", radius));
}

/// Spheres of a lattice that touch, or miss by the last bit, at `origin`, in units of `unit`.
template <class Real>
std::vector<cuda::Sphere<Real>> touching_spheres(u32 n, double origin, double unit) {
  std::vector<cuda::Sphere<Real>> spheres(n);
  for (u32 i = 0; i < n; ++i) {
    const auto at = [&](u32 k) { return static_cast<Real>((origin + k) * unit); };
    const auto half = static_cast<Real>(unit / 2);
    spheres[i] = {at(i % 8), at(i / 8 % 8), at(i / 64), i % 3 == 0 ? half : std::nextafter(half, Real(0))};
  }
  return spheres;
}

/// The filter of the fast kernel expands squares and must not reject what the law's test accepts.
template <class Real>
void check_hard_spheres(u32 dimensions) {
  const u32 n = 700;
  const std::vector<u32> blocks{512, 128};
  for (const double origin : {0.0, 1000.0, -3e5}) {
    for (const double unit : {1.0, 1e-3, 1e15, 1e-19, 1e-24}) {
      check_spheres(touching_spheres<Real>(n, origin, unit), dimensions, blocks,
                    fmt::format("touching from {} on, in units of {}", origin, unit));
    }
  }
  SplitMix64 random{dimensions};
  std::vector<cuda::Sphere<Real>> spheres(n);
  const auto draw = [&] { return static_cast<Real>(random.uniform()); };
  // On a line in space, where the filter lets most chunks pass; sizes over 40 decades; numbers that are none.
  for (auto& s : spheres) s = {draw(), draw() * Real(1e-6), 0, draw() * Real(1e-3)};
  check_spheres(spheres, dimensions, blocks, "on a line");
  for (auto& s : spheres) {
    const auto size = static_cast<Real>(std::pow(10.0, 40 * random.uniform() - 20));
    s = {draw() * size, draw() * size, draw() * size, draw() * size};
  }
  check_spheres(spheres, dimensions, blocks, "of all sizes");
  const Real large = std::numeric_limits<Real>::max(), infinite = std::numeric_limits<Real>::infinity(),
             none = std::numeric_limits<Real>::quiet_NaN();
  for (auto& s : spheres) s = {draw(), draw(), draw(), Real(0.01) * draw()};
  spheres[0].x = large, spheres[9].r = large, spheres[77].y = infinite, spheres[130].r = infinite,
  spheres[300].x = none;
  spheres[555].z = -large, spheres[699].x = -infinite;
  check_spheres(spheres, dimensions, blocks, "with numbers that are none");
}

TEST_F(CudaCollision, TouchingHugeAndTinySpheres) {
  for (const u32 dimensions : {1u, 3u}) {
    check_hard_spheres<float>(dimensions);
    check_hard_spheres<double>(dimensions);
  }
}

TEST_F(CudaCollision, EveryMapBlockAndDimension) {
  for (const u32 dimensions : {1u, 3u}) {
    for (const double radius : thinned<double>({0.05, 0.0, 0.002, 2.0})) {
      for (const u32 n : sizes({1, 2, 31, 127, 129, 513, 1000, 1537})) {
        if (radius == 2.0 && n > 600) continue;
        const std::vector<u32> blocks =
            thinned(n > 200 ? std::vector<u32>{8, 16, 32, 512, 128} : std::vector<u32>{8, 1, 7, 16, 32, 512, 128});
        check_collisions<float>(n, dimensions, radius, blocks);
        check_collisions<double>(n, dimensions, radius, blocks);
      }
    }
  }
}

/// The list reports how many pairs there were even if it has room for fewer.
TEST_F(CudaCollision, OverflowIsReported) {
  const Stream stream;
  const u32 n = 300;
  std::vector<cuda::Sphere<float>> spheres(n, {0.5f, 0.5f, 0.5f, 0.1f});
  DeviceBuffer<cuda::Sphere<float>> input(n);
  input.upload(spheres, stream);
  DeviceBuffer<unsigned long long> count(1);
  DeviceBuffer<uint2> pairs(100 + 1);
  count.fill_bytes(0, stream);
  pairs.fill_bytes(0xff, stream);
  cuda::prepare_collision_tiles<float>(TriangleMapId::lambda, n, 128, 3, input.data(),
                                       {count.data(), nullptr, pairs.data(), 100})
      .enqueue(stream);
  EXPECT_EQ(count.download(stream)[0], 300u * 299 / 2);
  const std::vector<uint2> got = pairs.download(stream);
  for (u32 k = 0; k < 100; ++k) EXPECT_LT(got[k].y, got[k].x);
  EXPECT_EQ(got[100].x, ~0u) << "written behind the capacity";
}

}  // namespace
}  // namespace tri::test
