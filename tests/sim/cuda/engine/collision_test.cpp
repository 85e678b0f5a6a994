// The collision kernels against a plain host loop, at awkward sizes, on every map, block and dimension.

#include <algorithm>

#include "sim/base/splitmix64.hpp"
#include "sim/cuda/kernels/pairs/plain_kernels.hpp"
#include "sim/laws/overlap.hpp"
#include "sim/laws/scalar_math.hpp"
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
    return laws::Body<Real>{s.x, flat ? zero : s.y, flat ? zero : s.z, zero, s.r, zero, zero, zero};
  };
  for (u32 i = 0; i < n; ++i) {
    for (u32 j = 0; j < i; ++j) {
      if (!laws::Overlap<Real>{}(laws::ScalarMath<Real>{}, body(spheres[i]), body(spheres[j]))) continue;
      found.pairs.emplace_back(i, j);
      ++found.per_body[i], ++found.per_body[j];
    }
  }
  return found;
}

template <class Real>
void check_collisions(u32 n, u32 dimensions, double radius, const std::vector<u32>& blocks) {
  const Stream stream;
  SplitMix64 random{n + 7 * dimensions};
  std::vector<cuda::Sphere<Real>> spheres(n);
  const auto draw = [&] { return static_cast<Real>(random.uniform()); };
  for (auto& s : spheres) s.x = draw(), s.y = draw(), s.z = draw(), s.r = static_cast<Real>(radius) * draw();
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
      ASSERT_EQ(count.download(stream)[0], expected.pairs.size()) << name(map, n, block) << ", radius " << radius;
      ASSERT_TRUE(per_body.download(stream) == expected.per_body) << name(map, n, block);
      std::vector<std::pair<u32, u32>> got;
      for (const uint2& p : pairs.download(stream)) got.emplace_back(p.x, p.y);
      got.resize(expected.pairs.size());
      std::sort(got.begin(), got.end());
      ASSERT_TRUE(got == expected.pairs) << name(map, n, block);
    }
  }
  DeviceBuffer<unsigned long long> plain(1);
  plain.fill_bytes(0, stream);
  cuda::plain_collision_count(input.data(), n, dimensions, plain.data(), stream);
  EXPECT_EQ(plain.download(stream)[0], expected.pairs.size());
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
