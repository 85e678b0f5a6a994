// The backend's interface: laws that come and go, rejected input, memory, the stub of builds or machines without a
// device; and bench cases.

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/cuda/kernels/pair_jobs.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/fractal/fractal.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

using CudaBackendTest = CudaTest;

// The stub is tested on every machine.
TEST(CudaStub, AutoSelectsCudaWhereItIsAvailable) {
  EXPECT_EQ(make_backend("auto")->info().name, cuda_available() ? "cuda" : "cpu");
}

TEST(CudaStub, WithoutADeviceItGivesTheReason) {
  const Availability usable = cuda_available();
  if (usable) {
    EXPECT_TRUE(usable.reason.empty());
    EXPECT_FALSE(cuda_devices().empty());
    return;
  }
  EXPECT_FALSE(usable.reason.empty());
  const std::string text = message_of([] { make_backend("cuda"); });
  expect_parts(text, {usable.reason, "--backend cpu"});
}

TEST_F(CudaBackendTest, DescribesItself) {
  const BackendInfo about = make_backend("cuda")->info();
  EXPECT_EQ(about.name, "cuda");
  EXPECT_EQ(about.device, cuda_devices().front().name);
  EXPECT_NE(about.detail.find("compute capability"), std::string::npos) << about.detail;
  EXPECT_NE(about.driver.find("driver for CUDA"), std::string::npos) << about.driver;
  const u64 free = make_backend("cuda")->memory_bytes();
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, cuda_devices().front().memory);
  EXPECT_THROW(make_backend("cuda", 1000), BackendError);
  EXPECT_THROW(make_backend("cuda", -1), BackendError);
}

TEST_F(CudaBackendTest, TripleLawsComeAndGoWithTheField) {
  const auto backend = make_backend("cuda");
  const Bodies bodies = lattice_bodies(70);
  const auto engine = backend->make_engine(bodies, lennard_jones_field(), config_of(Precision::fp64, Accumulate::fast));
  EXPECT_EQ(engine->config().triple_block, 0u);
  for (const ForceField& field : {argon_field(), lennard_jones_field(), triple_field(), argon_field()}) {
    engine->set_field(field);
    const ForceResult got = engine->forces();
    const ReferenceForces expected = reference_forces(bodies, field);
    expect_close(got, expected, Precision::fp64, to_string(field.pair) + " " + to_string(field.triple));
    EXPECT_NEAR(got.potential, expected.potential, 1e-12 * std::fabs(expected.potential));
    EXPECT_NEAR(got.virial, expected.virial, 1e-11 * std::fabs(expected.virial));
    const Diagnostics d = engine->diagnose();
    EXPECT_NEAR(d.potential, expected.potential, 1e-12 * std::fabs(expected.potential));
    EXPECT_NEAR(d.triple_potential, expected.triple_potential, 1e-12 * std::fabs(expected.triple_potential));
    const bool triples = field.triple != TripleLaw::none;
    EXPECT_EQ(got.work_items, (field.pair == PairLaw::none ? 0u : 2415u) + (triples ? 54740u : 0u));
    EXPECT_EQ(engine->config().triple_block > 0, triples);
  }
}

/// More pairs than the list's initial capacity.
TEST_F(CudaBackendTest, ALongListIsFoundByASecondRun) {
  const u32 n = small_only() ? 200 : 3000;
  Bodies bodies;
  for (u32 i = 0; i < n; ++i) bodies.add(0, 0, 0, 0, 0, 0, 1, 1);
  const auto got = make_backend("cuda")->collisions(bodies, {});
  ASSERT_EQ(got.pairs.size(), u64{n} * (n - 1) / 2);
  EXPECT_EQ(got.pairs.front(), (std::pair<u32, u32>{1, 0}));
  EXPECT_EQ(got.pairs.back(), (std::pair<u32, u32>{n - 1, n - 2}));
  for (const u32 contacts : got.per_body) ASSERT_EQ(contacts, n - 1);
}

TEST_F(CudaBackendTest, TooLargeIsPredictedWithTheLargestThatFits) {
  const auto backend = make_backend("cuda");
  BenchSpec spec;
  spec.kernel = BenchKernel::edm;
  spec.n = 100'000'000;
  EXPECT_THROW(backend->make_bench(spec), MemoryError);
  const std::string bench = message_of([&] { backend->make_bench(spec); });
  const auto at = bench.find("--n ");
  ASSERT_NE(at, std::string::npos) << bench;
  // The size that the message suggests must be accepted, and one in ten more must not.
  const u64 largest = std::stoull(bench.substr(at + 4));
  if (small_only()) return;
  spec.n = largest + largest / 10;
  EXPECT_THROW(backend->make_bench(spec), MemoryError);
  spec.n = largest;
  EXPECT_NO_THROW(backend->make_bench(spec)) << largest;
}

TEST_F(CudaBackendTest, BadInputIsRejected) {
  const auto backend = make_backend("cuda");
  EXPECT_THROW(backend->collisions({}, {}), ConfigError);
  const PointSet points{5000, 2, std::vector<double>(10000)};
  EXPECT_THROW(backend->distances(points, DistanceLayout::lower,
                                  config_of(Precision::fp32, Accumulate::fast, TriangleMapId::utm)),
               ConfigError);
  EXPECT_THROW(backend->distances(points, DistanceLayout::lower,
                                  config_of(Precision::fp32, Accumulate::fast, TriangleMapId::lambda, 64)),
               ConfigError);
  EXPECT_THROW(backend->distances(points, DistanceLayout::lower,
                                  config_of(Precision::fp32, Accumulate::fast, TriangleMapId::rb, cuda::kDistanceTile)),
               ConfigError);
}

// Messages for unusable machines: every status with which CUDA fails, without a device.

using cuda::CudaError;
using cuda::no_tensor_code;
using cuda::ProbeFailure;
using cuda::unavailable_reason;

CudaDevice card(const char* name, u32 major, u32 minor) { return {0, name, major, minor, 0, 0, ""}; }

ProbeFailure here(std::optional<CudaDevice> device = {}) { return {{13000, 12040}, std::move(device), {}}; }

TEST(CudaReason, NoDriverAndOneTooOld) {
  EXPECT_EQ(unavailable_reason(cudaErrorInsufficientDriver, {{0, 12040}, {}, {}}), "no NVIDIA driver is installed");
  EXPECT_EQ(unavailable_reason(cudaErrorInsufficientDriver, {{11080, 12040}, {}, {}}),
            "the NVIDIA driver is too old: it runs CUDA 11.8 and this build needs 12.4; update the driver");
}

TEST(CudaReason, NoDevice) {
  ProbeFailure refused = here();
  EXPECT_EQ(unavailable_reason(cudaErrorNoDevice, refused), "the NVIDIA driver finds no GPU");
  refused.visible = "";
  EXPECT_EQ(unavailable_reason(cudaErrorNoDevice, refused),
            "CUDA_VISIBLE_DEVICES='' leaves no GPU; unset it, or let it name one");
  refused.visible = "7";
  EXPECT_NE(unavailable_reason(cudaErrorNoDevice, refused).find("='7'"), std::string::npos);
}

TEST(CudaReason, NoCodeNamesTheArchitectureToBuildFor) {
  for (const cudaError_t status : {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction}) {
    EXPECT_EQ(unavailable_reason(status, here(card("NVIDIA H200", 9, 0))),
              "this build has no code for NVIDIA H200 (compute capability 9.0); rebuild with "
              "-DCMAKE_CUDA_ARCHITECTURES=90");
  }
  // CUDA 13 compiles for Turing and later only.
  ProbeFailure volta{{13000, 13000}, card("Tesla V100", 7, 0), {}};
  EXPECT_EQ(unavailable_reason(cudaErrorNoKernelImageForDevice, volta),
            "this build has no code for Tesla V100 (compute capability 7.0); rebuild with a CUDA toolkit before 13 and "
            "-DCMAKE_CUDA_ARCHITECTURES=70");
  volta.versions.runtime = 12080;
  EXPECT_EQ(unavailable_reason(cudaErrorNoKernelImageForDevice, volta).find("toolkit"), std::string::npos);
  // CUDA 12.8 is the first that knows Blackwell.
  const ProbeFailure blackwell{{13000, 12060}, card("NVIDIA B200", 10, 0), {}};
  EXPECT_EQ(unavailable_reason(cudaErrorNoKernelImageForDevice, blackwell),
            "this build has no code for NVIDIA B200 (compute capability 10.0); rebuild with the CUDA toolkit 12.8 or "
            "later and -DCMAKE_CUDA_ARCHITECTURES=100");
  const ProbeFailure old_jit{{12040, 13000}, card("NVIDIA L4", 8, 9), {}};
  EXPECT_EQ(unavailable_reason(cudaErrorUnsupportedPtxVersion, old_jit),
            "this build has no code for NVIDIA L4 (compute capability 8.9); rebuild with "
            "-DCMAKE_CUDA_ARCHITECTURES=89, and the NVIDIA driver (CUDA 12.4) does not compile the portable code in it "
            "(CUDA 13.0)");
}

// A card is never told that it needs what it is newer than.
TEST(CudaReason, TensorCoresAreRefusedForTheCardOrForTheBuild) {
  EXPECT_EQ(no_tensor_code(card("NVIDIA L4", 8, 9), 9, " for triples in fp64"),
            "--arithmetic tensor needs a GPU of compute capability 9.0 or later for triples in fp64; this one has 8.9. "
            "Use --arithmetic float32.");
  EXPECT_EQ(no_tensor_code(card("NVIDIA B200", 10, 0), 9, " for triples in fp64"),
            "--arithmetic tensor needs program code for compute capability 9.0 or later for triples in fp64; what this "
            "build has for this GPU (10.0) is older. Rebuild with -DCMAKE_CUDA_ARCHITECTURES=100, or use --arithmetic "
            "float32.");
}

TEST(CudaReason, EachStatusHasItsOwnMessage) {
  std::set<std::string> said;
  const cudaError_t known[] = {
      cudaErrorInsufficientDriver,     cudaErrorStubLibrary,           cudaErrorNoDevice,
      cudaErrorNoKernelImageForDevice, cudaErrorUnsupportedPtxVersion, cudaErrorSystemDriverMismatch,
      cudaErrorSystemNotReady,         cudaErrorDevicesUnavailable,    cudaErrorMemoryAllocation};
  for (const cudaError_t status : known) {
    const std::string text = unavailable_reason(status, here(card("NVIDIA A2", 8, 6)));
    EXPECT_EQ(text.find("cannot be used"), std::string::npos) << text;
    EXPECT_NE(text.back(), '.') << text;
    EXPECT_TRUE(said.insert(text).second) << text;
  }
  EXPECT_EQ(unavailable_reason(cudaErrorECCUncorrectable, here(card("NVIDIA A2", 8, 6))),
            "NVIDIA A2 (compute capability 8.6) cannot be used: uncorrectable ECC error encountered "
            "(cudaErrorECCUncorrectable)");
  EXPECT_EQ(unavailable_reason(cudaErrorInitializationError, here()),
            "the NVIDIA driver cannot be used: initialization error (cudaErrorInitializationError)");
}

TEST(CudaCheck, ExitCodes) {
  for (const cudaError_t status :
       {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorInvalidDevice, cudaErrorNoKernelImageForDevice,
        cudaErrorUnsupportedPtxVersion, cudaErrorInitializationError, cudaErrorSystemNotReady, cudaErrorStubLibrary}) {
    EXPECT_EQ(CudaError(status, "call()").code(), ExitCode::no_gpu) << cudaGetErrorName(status);
  }
  EXPECT_EQ(CudaError(cudaErrorIllegalAddress, "call()").code(), ExitCode::numerical);
  EXPECT_THROW(cuda::throw_if_failed(cudaErrorMemoryAllocation, "call()"), MemoryError);
  EXPECT_THROW(cuda::throw_if_failed(cudaErrorIllegalAddress, "call()"), CudaError);
  EXPECT_NO_THROW(cuda::throw_if_failed(cudaSuccess, "call()"));
  const std::string text = message_of([] { cuda::throw_if_failed(cudaErrorMemoryAllocation, "cudaGraphInstantiate"); });
  EXPECT_NE(text.find("cudaGraphInstantiate failed"), std::string::npos) << text;
}

TEST(CudaCheck, ACountOfBytesBeyond64BitsIsNoMemory) {
  EXPECT_EQ(cuda::allocate_device_memory(0, 8), nullptr);
  // 2^64 bytes, which an allocator would see as zero.
  expect_parts(message_of<MemoryError>([] { cuda::allocate_device_memory(std::size_t{1} << 61, 8); }),
               {"1.72e+10 GiB"});
}

using CudaMemory = CudaTest;

/// Another program may take memory between prediction and allocation: the allocation fails, and the next launch works.
/// More than all addresses: of less the driver takes all that there is from the tests beside this one, and then fails.
TEST_F(CudaMemory, AFailedAllocationIsAMemoryErrorAndLeavesNothingBehind) {
  EXPECT_THROW(cuda::DeviceBuffer<u8>(std::size_t{1} << 60), MemoryError);
  EXPECT_NO_THROW(cuda::check_launch("nothing"));
  EXPECT_THROW(TRI_CUDA(cudaSetDevice(100000)), CudaError);
  EXPECT_NO_THROW(cuda::check_launch("nothing"));
}

// The device meters on a real GPU.

using CudaMeter = CudaTest;

TEST_F(CudaMeter, ReadsPlausibleFiguresOfABusyCard) {
  const auto backend = make_backend("cuda");
  std::string why_not;
  const auto meter = backend->make_meter(why_not);
  if (meter == nullptr) GTEST_SKIP() << why_not;
  BenchSpec spec;
  spec.kernel = BenchKernel::collision;
  spec.n = small_only() ? 1000 : 65536;
  const auto bench = backend->make_bench(spec);
  bench->run();
  meter->begin();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) bench->run();
  const MeterReading r = meter->end();
  EXPECT_GE(r.seconds, 0.3);
  EXPECT_TRUE(r.energy_j || r.clock_mhz || r.temperature_c);
  if (r.energy_j) {
    EXPECT_GT(*r.power_w, 1.0);
    EXPECT_LT(*r.power_w, 3000.0);
    EXPECT_DOUBLE_EQ(*r.power_w, *r.energy_j / r.seconds);
  }
  if (r.clock_mhz) {
    EXPECT_GT(*r.clock_low_mhz, 50.0);
    EXPECT_LE(*r.clock_low_mhz, *r.clock_mhz);
    EXPECT_LT(*r.clock_mhz, 5000.0);
  }
  if (r.temperature_c) {
    EXPECT_GT(*r.temperature_c, 0.0);
    EXPECT_LT(*r.temperature_c, 120.0);
  }
}

// The bench cases: every kernel, form and map yields the right result, and its check detects a single damaged value.

using CudaBench = CudaTest;

std::vector<u64> bench_sizes() {
  return small_only() ? std::vector<u64>{1, 65} : std::vector<u64>{1, 2, 65, 300, 1300};
}

TEST_F(CudaBench, DummyInEveryForm) {
  const auto backend = make_backend("cuda");
  for (const BenchForm form : {BenchForm::hold, BenchForm::store, BenchForm::write, BenchForm::automaton}) {
    for (const u64 n : bench_sizes()) {
      for (const u32 block : thinned<u32>({0, 32, 8})) {
        for (const TriangleMapId map : usable_maps(static_cast<u32>(n), block == 0 ? 16 : block)) {
          BenchSpec spec = spec_of(BenchKernel::dummy, info(map).name, n, block);
          spec.form = form;
          exercise(*backend, spec);
        }
      }
    }
  }
}

TEST_F(CudaBench, EdmInEveryLayout) {
  const auto backend = make_backend("cuda");
  for (const DistanceLayout layout : kDistanceLayouts) {
    for (const Precision precision : kPrecisions) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : {0u, 16u}) {
          for (const TriangleMapId map : usable_maps(static_cast<u32>(n), 16)) {
            BenchSpec spec = spec_of(BenchKernel::edm, info(map).name, n, block);
            spec.layout = layout;
            spec.precision = precision;
            spec.features = n == 300 ? 16 : 4;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, Baselines) {
  const auto backend = make_backend("cuda");
  for (const u64 n : bench_sizes()) {
    for (const DistanceLayout layout : kDistanceLayouts) {
      for (const char* map : {"fill", "lambda-alone"}) {
        BenchSpec spec = spec_of(BenchKernel::edm, map, n);
        spec.layout = layout;
        exercise(*backend, spec);
      }
    }
    for (const u32 block : {cuda::kCollisionTileSmall, cuda::kCollisionTileLarge}) {
      exercise(*backend, spec_of(BenchKernel::collision, "lambda-alone", n, block));
    }
  }
  BenchSpec wide = spec_of(BenchKernel::edm, "lambda-alone", 100);
  wide.features = 5;
  EXPECT_THROW(backend->make_bench(wide), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::edm, "lambda-alone", 100, 16)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::dummy, "fill", 100)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::collision, "fill", 100)), ConfigError);
}

TEST_F(CudaBench, CollisionInEveryDimension) {
  const auto backend = make_backend("cuda");
  for (const u32 dimensions : {1u, 3u}) {
    for (const Precision precision : kPrecisions) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : thinned<u32>({0, cuda::kCollisionTileLarge, 8})) {
          for (const TriangleMapId map : usable_maps(static_cast<u32>(n), 8)) {
            if (block > 32 && info(map).space == Space::thread) continue;
            BenchSpec spec = spec_of(BenchKernel::collision, info(map).name, n, block);
            spec.dimensions = dimensions;
            spec.precision = precision;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, GravityInEveryPrecisionAndAccumulation) {
  const auto backend = make_backend("cuda");
  for (const Precision precision : kPrecisions) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : thinned<u32>({0, 256, 1024})) {
          for (const TriangleMapId map : maps_for(n, 128)) {
            BenchSpec spec = spec_of(BenchKernel::gravity, info(map).name, n, block);
            spec.precision = precision;
            spec.accumulate = accumulate;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, Dummy3InEveryForm) {
  const auto backend = make_backend("cuda");
  for (const BenchForm form : {BenchForm::hold, BenchForm::store, BenchForm::write}) {
    for (const u64 n : bench_sizes()) {
      if (n > 300) continue;
      for (const u32 block : thinned<u32>({0, 10, 4})) {
        for (const TetraMapId map : usable_triple_maps(static_cast<u32>(n), block == 0 ? 8 : block)) {
          BenchSpec spec = spec_of(BenchKernel::dummy3, info(map).name, n, block);
          spec.form = form;
          exercise(*backend, spec);
        }
      }
    }
  }
  BenchSpec life = spec_of(BenchKernel::dummy3, "tetra", 64);
  life.form = BenchForm::automaton;
  EXPECT_THROW(backend->make_bench(life), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::dummy3, "tetra", 64, 11)), ConfigError);
  const auto bb = backend->make_bench(spec_of(BenchKernel::dummy3, "bb", 80));
  EXPECT_EQ(bb->work_items(), 82160u);
  EXPECT_EQ(bb->blocks_launched(), 1000u);
  EXPECT_EQ(bb->blocks_useful(), 220u);
}

TEST_F(CudaBench, TripletInEveryPrecisionAndAccumulation) {
  const auto backend = make_backend("cuda");
  for (const Precision precision : kPrecisions) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      for (const u64 n : bench_sizes()) {
        for (const u32 block : thinned<u32>({0, 8, 64})) {
          if (block == 8 && (precision == Precision::fp64 || accumulate == Accumulate::ordered)) continue;
          for (const TetraMapId map : usable_triple_maps(static_cast<u32>(n), block == 0 ? 32 : block)) {
            BenchSpec spec = spec_of(BenchKernel::triplet, info(map).name, n, block);
            spec.precision = precision;
            spec.accumulate = accumulate;
            exercise(*backend, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, RecInThreeWays) {
  const auto backend = make_backend("cuda");
  for (const RecForm rec : {RecForm::launches, RecForm::graph, RecForm::device}) {
    for (const BenchKernel kernel : {BenchKernel::dummy, BenchKernel::edm}) {
      for (const u64 n : bench_sizes()) {
        BenchSpec spec = spec_of(kernel, "rec", n);
        spec.rec = rec;
        exercise(*backend, spec);
        spec.block = 8;
        exercise(*backend, spec);
        spec.timing = LaunchTiming::synchronised;
        exercise(*backend, spec);
      }
    }
  }
  BenchSpec wide = spec_of(BenchKernel::edm, "rec", 100);
  wide.rec = RecForm::device;
  wide.precision = Precision::fp64;
  EXPECT_THROW(backend->make_bench(wide), ConfigError);
  BenchSpec large = spec_of(BenchKernel::dummy, "rec", 65536 * 8 + 1, 8);
  large.rec = RecForm::device;
  EXPECT_THROW(backend->make_bench(large), ConfigError);
}

std::string gasket_text(const BenchSpec& s) {
  return s.fractal + ", form " + std::to_string(static_cast<int>(s.form)) + ", placement " +
         std::to_string(static_cast<int>(s.placement));
}

TEST_F(CudaBench, GasketInEveryForm) {
  const auto backend = make_backend("cuda");
  const std::pair<const char*, u32> fractals[] = {{"gasket", 9}, {"vicsek", 4}, {"carpet", 4}, {"gasket-3d", 5}};
  for (const auto& [fractal, levels] : fractals) {
    const FractalShape shape = open_fractal(fractal).shape;
    for (const BenchForm form : info(BenchKernel::gasket).forms) {
      for (const GasketPlacement placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
        for (const MapInfo& map : gasket_maps()) {
          // One launch of a whole kernel is enough to time it, so that thousands of graphs need not be created.
          for (const u32 r : small_only() ? std::vector<u32>{3} : std::vector<u32>{0, 2, levels}) {
            for (u32 block = 1; block <= 32 && block <= power_of(shape.scale(), r); block *= shape.scale()) {
              if (placement == GasketPlacement::subbox && power_of(block, shape.dimensions()) > 1024) continue;
              if (small_only() && block == 1) continue;
              BenchSpec spec = spec_of(BenchKernel::gasket, map.name, power_of(shape.scale(), r), block);
              spec.form = form, spec.fractal = fractal, spec.placement = placement;
              spec.timing = block == 4 ? LaunchTiming::work : LaunchTiming::synchronised;
              SCOPED_TRACE(gasket_text(spec));
              exercise(*backend, spec);
            }
          }
        }
      }
    }
  }
}

TEST_F(CudaBench, GasketBySectors) {
  const auto backend = make_backend("cuda");
  for (const MapInfo& map : gasket_maps()) {
    for (const u32 r : {5u, 6u, 11u}) {
      BenchSpec spec = spec_of(BenchKernel::gasket, map.name, u64{1} << r, 32);
      spec.placement = GasketPlacement::sectors;
      spec.timing = r == 6 ? LaunchTiming::averaged : LaunchTiming::work;
      exercise(*backend, spec);
    }
  }
  BenchSpec bad = spec_of(BenchKernel::gasket, "gasket", 1024, 16);
  bad.placement = GasketPlacement::sectors;
  EXPECT_THROW(backend->make_bench(bad), ConfigError);
  bad.block = 32, bad.form = BenchForm::reduce;
  EXPECT_THROW(backend->make_bench(bad), ConfigError);
  bad.placement = GasketPlacement::subbox, bad.block = 64;
  EXPECT_THROW(backend->make_bench(bad), ConfigError) << "4096 threads";
}

/// r to 17: whole arrays of bytes, and sums, at the side where indices need more than 32 bits.
TEST_F(CudaBench, GasketAtSeventeenLevels) {
  if (small_only()) GTEST_SKIP() << "large";
  const auto backend = make_backend("cuda");
  if (backend->memory_bytes() < (u64{20} << 30)) GTEST_SKIP() << "needs 17 GiB of the card's memory";
  for (const MapInfo& map : gasket_maps()) {
    for (const GasketPlacement placement : {GasketPlacement::lut, GasketPlacement::sectors}) {
      BenchSpec spec = spec_of(BenchKernel::gasket, map.name, u64{1} << 17, 32);
      spec.placement = placement;
      const auto bench = backend->make_bench(spec);
      bench->run();
      EXPECT_TRUE(bench->check().passed) << map.name;
      EXPECT_EQ(bench->work_items(), 129140163u);
    }
    BenchSpec spec = spec_of(BenchKernel::gasket, map.name, u64{1} << 17, 16);
    spec.form = BenchForm::compact, spec.placement = GasketPlacement::unroll;
    const auto bench = backend->make_bench(spec);
    bench->run();
    EXPECT_TRUE(bench->check().passed) << map.name;
  }
}

TEST_F(CudaBench, SynchronisedTimesHoldTheLaunch) {
  if (small_only()) GTEST_SKIP() << "times mean nothing under a checker";
  const auto backend = make_backend("cuda");
  BenchSpec spec = spec_of(BenchKernel::dummy, "lambda", 64);
  const auto work = backend->make_bench(spec);
  spec.timing = LaunchTiming::synchronised;
  const auto whole = backend->make_bench(spec);
  double best_work = 1e9, best_whole = 1e9;
  for (int i = 0; i < 20; ++i)
    best_work = std::min(best_work, work->run()), best_whole = std::min(best_whole, whole->run());
  EXPECT_TRUE(whole->check().passed);
  EXPECT_LT(best_work, best_whole);
}

TEST_F(CudaBench, LargerThanTheOracleReaches) {
  if (small_only()) GTEST_SKIP() << "large";
  const auto backend = make_backend("cuda");
  exercise(*backend, spec_of(BenchKernel::edm, "lambda", 8193));
  exercise(*backend, spec_of(BenchKernel::collision, "lambda", 70000));
  exercise(*backend, spec_of(BenchKernel::dummy, "lambda-stream", 65536));
  BenchSpec gravity = spec_of(BenchKernel::gravity, "lambda", 30001);
  exercise(*backend, gravity);
  gravity.accumulate = Accumulate::ordered;
  exercise(*backend, gravity);
  gravity.precision = Precision::fp64;
  exercise(*backend, gravity);
}

TEST_F(CudaBench, ErrorsNameTheRemedy) {
  const auto backend = make_backend("cuda");
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::dummy, "lambda", 100, 33)), ConfigError);
  for (const char* map : {"rb", "utm", "plain"}) {
    EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, map, 100)), ConfigError) << map;
  }
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, "lambda", 100, 16)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, "lambda", 0)), ConfigError);
  BenchSpec branches = spec_of(BenchKernel::gravity, "rec", 100);
  branches.rec = RecForm::graph;
  EXPECT_THROW(backend->make_bench(branches), ConfigError);
  BenchSpec flat = spec_of(BenchKernel::collision, "lambda", 100);
  flat.dimensions = 2;
  EXPECT_THROW(backend->make_bench(flat), ConfigError);
}

TEST_F(CudaBench, BlocksOfDistances) {
  const auto backend = make_backend("cuda");
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::edm, "lambda", 1024))->block(), cuda::kDistanceTile);
  EXPECT_EQ(backend->make_bench(spec_of(BenchKernel::edm, "rb", 1024))->block(), 16u);
}

}  // namespace
}  // namespace tri::test
