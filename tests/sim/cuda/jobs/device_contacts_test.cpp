// Contacts of spheres in device memory against those of the cpu backend.

#include <algorithm>
#include <cmath>
#include <list>

#include "sim/backend/backend.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/jobs/device_arrays.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/graph.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using cuda::DeviceBuffer;
using cuda::Stream;

using CudaDeviceContacts = CudaTest;

/// Fills what it gives with bytes that are no valid numbers.
class TestMemory final : public DeviceAllocator {
 public:
  explicit TestMemory(cudaStream_t stream) : stream_(stream) {}
  void* scratch(u64 bytes) override {
    EXPECT_GT(bytes, 0u);
    blocks_.emplace_back(bytes).fill_bytes(0xff, stream_);
    return blocks_.back().data();
  }
  i64* result(u64 rows, u64 columns) override {
    EXPECT_EQ(result_.size(), 0u);
    result_ = DeviceBuffer<i64>(rows * (columns == 0 ? 1 : columns));
    result_.fill_bytes(0xff, stream_);
    return result_.data();
  }
  std::vector<i64> values() const { return result_.download(stream_); }

 private:
  cudaStream_t stream_;
  std::list<DeviceBuffer<unsigned char>> blocks_;
  DeviceBuffer<i64> result_;
};

template <class Real>
struct TestSpheres {
  u32 n, columns;
  std::vector<Real> centres, radii;

  /// Coordinates are multiples of 1/64, so that no rounding decides about a touch.
  TestSpheres(u32 count, u32 dimensions, u32 side, u32 largest) : n(count), columns(dimensions) {
    SplitMix64 random{count + dimensions};
    const auto multiple = [&](u32 below) { return static_cast<Real>(std::floor(random.uniform() * below) / 64); };
    for (u32 k = 0; k < n * columns; ++k) centres.push_back(multiple(side));
    for (u32 k = 0; k < n; ++k) radii.push_back(multiple(largest));
  }
  Bodies bodies() const {
    Bodies b;
    b.resize(n);
    std::vector<double>* const axes[] = {&b.x, &b.y, &b.z};
    for (u32 i = 0; i < n; ++i) {
      for (u32 k = 0; k < columns; ++k) (*axes[k])[i] = static_cast<double>(centres[i * columns + k]);
      b.r[i] = static_cast<double>(radii[i]);
    }
    return b;
  }
};

template <class Real>
std::vector<i64> contacts_of(const TestSpheres<Real>& spheres, bool per_body, bool one_radius = false) {
  const Stream stream;
  DeviceBuffer<Real> centres(spheres.centres.size()), radii(spheres.n);
  centres.upload(spheres.centres, stream);
  radii.upload(spheres.radii, stream);
  TestMemory memory(stream);
  device_contacts<Real>({0, stream}, {centres.data(), spheres.n, spheres.columns}, one_radius ? nullptr : radii.data(),
                        one_radius ? spheres.radii[0] : Real(-1), {}, per_body, memory);
  return memory.values();
}

template <class Real>
void check_contacts(const TestSpheres<Real>& spheres, const std::string& what) {
  EngineConfig config;
  config.precision = sizeof(Real) == 4 ? Precision::fp32 : Precision::fp64;
  CollisionResult expected = make_backend("cpu")->collisions(spheres.bodies(), config);
  for (auto& [i, j] : expected.pairs) std::swap(i, j);
  std::sort(expected.pairs.begin(), expected.pairs.end());
  std::vector<i64> flat;
  for (const auto& [i, j] : expected.pairs) flat.push_back(i), flat.push_back(j);
  EXPECT_EQ(contacts_of(spheres, false), flat) << what;
  const std::vector<i64> counts(expected.per_body.begin(), expected.per_body.end());
  EXPECT_EQ(contacts_of(spheres, true), counts) << what;
}

TEST_F(CudaDeviceContacts, SizesAndDimensions) {
  for (const u32 n : sizes({1, 2, 3, 33, 257, 5000, 30000})) {
    for (u32 columns = 1; columns <= 3; ++columns) {
      const std::string what = "n " + std::to_string(n) + ", columns " + std::to_string(columns);
      // In fewer dimensions there are more contacts at the same radii.
      check_contacts(TestSpheres<float>(n, columns, columns == 1 ? 64 * n : 1280, 40), what);
      check_contacts(TestSpheres<double>(n, columns, columns == 1 ? 64 * n : 1280, 40), what);
    }
  }
}

TEST_F(CudaDeviceContacts, MoreThanTheFirstListHolds) {
  check_contacts(TestSpheres<float>(700, 3, 64, 6400), "all of them");
}

TEST_F(CudaDeviceContacts, OneRadiusAndPoints) {
  TestSpheres<float> spheres(3000, 3, 640, 2);
  std::fill(spheres.radii.begin(), spheres.radii.end(), 0.25f);
  check_contacts(spheres, "equal");
  EXPECT_EQ(contacts_of(spheres, false, true), contacts_of(spheres, false));
  std::fill(spheres.radii.begin(), spheres.radii.end(), 0.0f);
  spheres.centres[3] = spheres.centres[0], spheres.centres[4] = spheres.centres[1];
  spheres.centres[5] = spheres.centres[2];
  check_contacts(spheres, "points");
}

TEST_F(CudaDeviceContacts, Refusals) {
  const auto refusal = [](TestSpheres<float> spheres, std::size_t at, float value, bool radius) {
    (radius ? spheres.radii : spheres.centres)[at] = value;
    try {
      (void)contacts_of(spheres, false);
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
    return std::string("none");
  };
  const TestSpheres<float> good(100, 3, 640, 40);
  EXPECT_EQ(refusal(good, 3 * 41 + 1, INFINITY, false), "body 41 has y = inf; every value must be a finite number.");
  EXPECT_EQ(refusal(good, 7, -1, true), "body 7 has r = -1; a radius may not be negative.");
  EXPECT_NE(refusal(good, 99, NAN, true).find("body 99 has r = "), std::string::npos);
  EXPECT_NE(refusal(good, 5, 1e-30f, true).find("the contacts of body 5 would be lost"), std::string::npos);
  EXPECT_EQ(refusal(good, 0, 1, true), "none");
  const Stream stream;
  TestMemory memory(stream);
  EXPECT_THROW(device_contacts<float>({0, stream}, {nullptr, 1, 4}, nullptr, 1, {}, false, memory), ConfigError);
  device_contacts<float>({0, stream}, {nullptr, 0, 3}, nullptr, 1, {}, false, memory);
  EXPECT_TRUE(memory.values().empty());
}

TEST_F(CudaDeviceContacts, ACaptureIsRefused) {
  bool refused = false;
  const cuda::Graph graph([&](cudaStream_t stream) {
    TestMemory memory(stream);
    try {
      device_contacts<float>({0, stream}, {nullptr, 1, 3}, nullptr, 1, {}, false, memory);
    } catch (const ConfigError&) {
      refused = true;
    }
  });
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace tri::test
