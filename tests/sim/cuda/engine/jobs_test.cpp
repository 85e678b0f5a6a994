// Jobs on a device: distances, and contacts of a caller's arrays.
//
// The distance kernels against the oracle, at awkward sizes, on every map, block and layout, and rec in its three
// forms.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <list>

#include "sim/backend/backend.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/engine/device_arrays.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/triangle_blocks.hpp"
#include "sim/reference/reference.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using cuda::DeviceBuffer;
using cuda::PreparedLaunch;
using cuda::Stream;

using CudaDistances = CudaTest;
using CudaGraphs = CudaTest;

constexpr std::size_t kGuard = 64;

/// All maps and blocks at one size: every value right, not a byte written past the end, and all maps bit-equal.
template <class Real>
void check_distances(u32 n, u32 features, DistanceLayout layout, const std::vector<u32>& blocks) {
  const Stream stream;
  const PointSet points = random_points(n, features, kPrecisionOf<Real>);
  const std::vector<double> expected = reference_distances(points, layout);
  const auto packed = cuda::pack_points<Real>(points);
  DeviceBuffer<cuda::Vec4<Real>> input(packed.size());
  input.upload(packed, stream);
  DeviceBuffer<Real> output(expected.size() + kGuard);
  const double tolerance = sizeof(Real) == 4 ? 2e-6 : 1e-14;
  for (const u32 block : blocks) {
    std::vector<Real> first;
    for (const TriangleMapId map : maps_for(n, block)) {
      output.fill_bytes(0xff, stream);
      const PreparedLaunch work =
          block > 32
              ? cuda::prepare_distance_tiles<Real>(map, n, features, layout, input.data(), output.data())
              : cuda::prepare_distance_elements<Real>(map, n, block, features, layout, input.data(), output.data());
      work.enqueue(stream);
      std::vector<Real> got = output.download(stream);
      for (std::size_t k = expected.size(); k < got.size(); ++k) ASSERT_TRUE(std::isnan(got[k])) << name(map, n, block);
      got.resize(expected.size());
      double worst = 0;
      for (std::size_t k = 0; k < got.size(); ++k) {
        const double error = std::fabs(static_cast<double>(got[k]) - expected[k]);
        if (!(error <= worst)) worst = error;
      }
      ASSERT_LE(worst, tolerance) << name(map, n, block) << ", features " << features;
      if (first.empty()) first = got;
      ASSERT_TRUE(std::equal(first.begin(), first.end(), got.begin(), got.end())) << name(map, n, block);
    }
  }
}

TEST_F(CudaDistances, EveryMapBlockLayoutAndPrecision) {
  for (const DistanceLayout layout : kDistanceLayouts) {
    for (const u32 n : sizes({1, 2, 3, 31, 127, 128, 129, 255, 300, 641})) {
      for (const u32 features : thinned<u32>({4, 1, 16, 5})) {
        const std::vector<u32> blocks = thinned(n > 129 ? std::vector<u32>{16, 8, 32, cuda::kDistanceTile}
                                                        : std::vector<u32>{16, 1, 5, 8, 32, cuda::kDistanceTile});
        check_distances<float>(n, features, layout, blocks);
        check_distances<double>(n, features, layout, blocks);
      }
    }
  }
}

/// Rows as a caller has them, also at an odd address: the bits of packed points.
template <class Real>
void check_rows_as_given(u32 n, u32 features, u32 offset) {
  const Stream stream;
  const PointSet points = random_points(n, features, kPrecisionOf<Real>);
  std::vector<Real> rows(offset);
  for (const double v : points.values) rows.push_back(static_cast<Real>(v));
  DeviceBuffer<Real> given(rows.size());
  given.upload(rows, stream);
  const auto packed = cuda::pack_points<Real>(points);
  DeviceBuffer<cuda::Vec4<Real>> input(packed.size());
  input.upload(packed, stream);
  for (const DistanceLayout layout : kDistanceLayouts) {
    DeviceBuffer<Real> output(distance_count(n, layout) + kGuard);
    output.fill_bytes(0xff, stream);
    cuda::prepare_distance_tiles<Real>(TriangleMapId::lambda, n, features, layout, input.data(), output.data())
        .enqueue(stream);
    const std::vector<Real> expected = output.download(stream);
    for (const u32 block : {0u, 16u}) {
      output.fill_bytes(0xff, stream);
      stream.synchronize();
      EngineConfig config;
      config.pair_block = block;
      enqueue_distances<Real>({0, stream}, {given.data() + offset, n, features}, layout, config, output.data());
      const std::vector<Real> got = output.download(stream);
      // As bits, since the guard is NaN.
      ASSERT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(Real)), 0)
          << "n " << n << ", features " << features << ", offset " << offset << ", block " << block;
    }
  }
}

TEST_F(CudaDistances, RowsAsGiven) {
  for (const u32 n : sizes({1, 2, 257, 600})) {
    for (u32 features = 1; features <= (small_only() ? 5 : 16); ++features) {
      for (const u32 offset : {0u, 1u}) {
        check_rows_as_given<float>(n, features, offset);
        check_rows_as_given<double>(n, features, offset);
      }
    }
  }
}

TEST_F(CudaDistances, RowsThatDoNotFitAreRefused) {
  float out = 0;
  EXPECT_THROW(enqueue_distances<float>({}, {&out, 3, 0}, DistanceLayout::lower, {}, &out), ConfigError);
  EXPECT_THROW(enqueue_distances<float>({}, {&out, 3, 17}, DistanceLayout::lower, {}, &out), ConfigError);
  EXPECT_THROW(enqueue_distances<float>({}, {&out, u64{1} << 32, 1}, DistanceLayout::lower, {}, &out), ConfigError);
  EXPECT_NO_THROW(enqueue_distances<float>({}, {nullptr, 0, 3}, DistanceLayout::lower, {}, nullptr));
}

TEST_F(CudaDistances, EveryNumberOfFeatures) {
  for (u32 features = 1; features <= (small_only() ? 1 : 16); ++features) {
    check_distances<float>(100, features, DistanceLayout::condensed, {16, cuda::kDistanceTile});
    check_distances<double>(100, features, DistanceLayout::lower, {16, cuda::kDistanceTile});
  }
}

/// Blocks of rows with the bits of the whole, and not a byte written before or after them.
template <class Real>
void check_row_blocks(u32 n, u32 features, DistanceLayout layout, u32 block) {
  const Stream stream;
  const auto packed = cuda::pack_points<Real>(random_points(n, features, kPrecisionOf<Real>));
  DeviceBuffer<cuda::Vec4<Real>> input(packed.size());
  input.upload(packed, stream);
  DeviceBuffer<Real> output(distance_count(n, layout) + 2 * kGuard);
  const auto computed = [&](TriangleMapId map, const cuda::DistanceRowRange& rows) {
    output.fill_bytes(0xff, stream);
    Real* const out = output.data() + kGuard;
    const PreparedLaunch work =
        block > 32 ? cuda::prepare_distance_tiles<Real>(map, n, rows, features, layout, input.data(), out)
                   : cuda::prepare_distance_elements<Real>(map, n, rows, block, features, layout, input.data(), out);
    work.enqueue(stream);
    return output.download(stream);
  };
  const std::vector<Real> whole = computed(TriangleMapId::lambda, {0, n});
  const u32 unit = distance_row_unit(layout);
  for (cuda::DistanceRowRange rows :
       {cuda::DistanceRowRange{0, 1}, {n - 1, n}, {0, n / 2 + 1}, {n / 2, n}, {n / 3, n / 3 + 1}, {n / 4, n - n / 4}}) {
    rows.first -= rows.first % unit, rows.last = std::min(n, (rows.last + unit - 1) / unit * unit);
    const u64 begin = distance_row_begin(n, layout, rows.first);
    const u64 count = distance_row_begin(n, layout, rows.last) - begin;
    for (const TriangleMapId map : maps_for(rows.last - rows.first, block)) {
      const std::vector<Real> got = computed(map, rows);
      const auto text = [&] {
        return testing::Message() << name(map, n, block) << ", rows " << rows.first << " to " << rows.last;
      };
      for (std::size_t k = 0; k < got.size(); ++k) {
        if (k >= kGuard && k < kGuard + count) continue;
        ASSERT_TRUE(std::isnan(got[k])) << k << ", " << text();
      }
      ASSERT_TRUE(std::equal(got.begin() + kGuard, got.begin() + static_cast<i64>(kGuard + count),
                             whole.begin() + static_cast<i64>(kGuard + begin)))
          << text();
    }
  }
}

TEST_F(CudaDistances, BlocksOfRowsHaveTheBitsOfTheWhole) {
  for (const DistanceLayout layout : kDistanceLayouts) {
    for (const u32 n : sizes({1, 2, 3, 31, 129, 300, 641, 1031})) {
      for (const u32 features : thinned<u32>({3, 16, 5})) {
        for (const u32 block : {1u, 8u, 16u, 32u, cuda::kDistanceTile}) {
          check_row_blocks<float>(n, features, layout, block);
          check_row_blocks<double>(n, features, layout, block);
        }
      }
    }
  }
}

/// The check of large benches must itself detect one bad value, at any position.
TEST_F(CudaDistances, ThePlainLoopSeesOneDamagedValue) {
  const Stream stream;
  const u32 n = 100;
  const auto packed = cuda::pack_points<float>(random_points(n, 3, Precision::fp32));
  DeviceBuffer<cuda::Vec4<float>> input(packed.size());
  input.upload(packed, stream);
  for (const DistanceLayout layout : kDistanceLayouts) {
    DeviceBuffer<float> output(reference_distances(random_points(n, 3, Precision::fp32), layout).size());
    cuda::prepare_distance_tiles<float>(TriangleMapId::lambda, n, 3, layout, input.data(), output.data())
        .enqueue(stream);
    const std::vector<float> good = output.download(stream);
    const auto worst = [&](std::vector<float> values) {
      DeviceBuffer<unsigned long long> bits(1);
      bits.fill_bytes(0, stream);
      output.upload(values, stream);
      cuda::plain_distance_error(input.data(), n, 3, layout, output.data(), bits.data(), stream);
      return std::bit_cast<double>(bits.download(stream)[0]);
    };
    EXPECT_LE(worst(good), 1e-6);
    const std::size_t last =
        layout == DistanceLayout::blocks ? blocks_index(n - 1, n - 1, kDistanceBlock) : good.size() - 1;
    for (const std::size_t at : {std::size_t{0}, good.size() / 3, last}) {
      std::vector<float> bad = good;
      bad[at] = bad[at] * 1.001f + 1e-3f;
      EXPECT_GT(worst(bad), 1e-4) << at;
      bad[at] = std::nanf("");
      EXPECT_TRUE(std::isinf(worst(bad))) << at;
    }
  }
}

/// rec in its three forms: the same results.
TEST_F(CudaGraphs, RecByBranchesAndFromTheDevice) {
  const Stream stream;
  for (const u32 n : sizes({1, 100, 129, 1000, 2049})) {
    for (const u32 features : {2u, 6u}) {
      const PointSet points = random_points(n, features, Precision::fp32);
      const auto packed = cuda::pack_points<float>(points);
      DeviceBuffer<cuda::Vec4<float>> input(packed.size());
      input.upload(packed, stream);
      for (const DistanceLayout layout : kDistanceLayouts) {
        DeviceBuffer<float> output(reference_distances(points, layout).size());
        for (const u32 block : {8u, 16u, cuda::kDistanceTile}) {
          const PreparedLaunch chain =
              block > 32 ? cuda::prepare_distance_tiles<float>(TriangleMapId::rec, n, features, layout, input.data(),
                                                               output.data())
                         : cuda::prepare_distance_elements<float>(TriangleMapId::rec, n, block, features, layout,
                                                                  input.data(), output.data());
          output.fill_bytes(0xff, stream);
          chain.enqueue(stream);
          const std::vector<float> expected = output.download(stream);
          ASSERT_TRUE(std::none_of(expected.begin(), expected.end(), [](float v) { return std::isnan(v); }));
          const cuda::Graph graph(chain, cuda::GraphShape::branches, 2);
          output.fill_bytes(0xff, stream);
          graph.launch(stream);
          EXPECT_TRUE(output.download(stream) == expected) << "branches, n " << n << ", block " << block;
          output.fill_bytes(0xff, stream);
          cuda::prepare_distances_from_device(n, block, features, layout, input.data(), output.data()).enqueue(stream);
          EXPECT_TRUE(output.download(stream) == expected) << "from the device, n " << n << ", block " << block;
        }
      }
    }
  }
}

/// Every store of the dummy kernel shows in its scratch: launches from the device write the same slots as launches from
/// the host.
TEST_F(CudaGraphs, RecDummyFromTheDeviceStoresTheSame) {
  const Stream stream;
  DeviceBuffer<u32> scratch(cuda::kDummySlots);
  const auto slots = [&](const PreparedLaunch& work) {
    scratch.fill_bytes(0xff, stream);
    work.enqueue(stream);
    return scratch.download(stream);
  };
  // Below 1024 no two elements share a slot.
  for (const u32 n : sizes({1, 17, 130, 1000})) {
    for (const u32 rho : {1u, 8u, 16u, 32u}) {
      EXPECT_TRUE(slots(cuda::prepare_dummy_from_device(n, rho, BenchForm::store, scratch.data())) ==
                  slots(cuda::prepare_dummy(TriangleMapId::bb, n, rho, BenchForm::store, scratch.data())))
          << n << ", " << rho;
    }
  }
}

// Contacts of spheres in device memory against those of the cpu backend.

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
  config.precision = kPrecisionOf<Real>;
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
