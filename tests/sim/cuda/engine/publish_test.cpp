/// Instances in device memory: the same as on the host, at once or in the order of a stream.

#include <algorithm>
#include <span>

#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/stream.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaPublish = CudaTest;

bool same_instances(std::span<const Instance> a, std::span<const Instance> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

TEST_F(CudaPublish, PublishesIntoDeviceMemory) {
  const u32 n = 77;
  const auto engine = engine_of(cloud_bodies(n), gravity_field(), {});
  engine->advance(Integrator::kdk, 1e-3, 3);
  std::vector<Instance> host(n), copied(n);
  InstanceSink to_host{InstanceSink::Place::host, host};
  engine->publish(to_host);
  cuda::DeviceBuffer<Instance> memory(n);
  InstanceSink to_device{InstanceSink::Place::cuda_device, std::span<Instance>(memory.data(), n)};
  engine->publish(to_device);
  const cuda::Stream stream;
  memory.download(std::span<Instance>(copied), stream);
  EXPECT_TRUE(same_instances(host, copied));
  EXPECT_EQ(host[76].id, 76u);
}

/// With a stream, the memory is written in its order although publish() does not wait, and steps that follow change
/// nothing of it.
TEST_F(CudaPublish, PublishesInTheOrderOfAStream) {
  const u32 n = 5000;
  const auto engine = engine_of(cloud_bodies(n), gravity_field(), config_of(Precision::fp32, Accumulate::ordered));
  const auto again = engine_of(cloud_bodies(n), gravity_field(), config_of(Precision::fp32, Accumulate::ordered));
  cuda::DeviceBuffer<Instance> memory(n), kept(n);
  const cuda::Stream stream;
  std::vector<Instance> want(n), got(n);
  for (int round = 0; round < 20; ++round) {
    engine->advance(Integrator::kdk, 1e-3, 1);
    again->advance(Integrator::kdk, 1e-3, 1);
    memory.fill_bytes(0xFF, stream);  // the sink's earlier work: it comes before the instances
    InstanceSink sink{InstanceSink::Place::cuda_device, std::span<Instance>(memory.data(), n)};
    sink.stream = static_cast<cudaStream_t>(stream);
    engine->publish(sink);
    TRI_CUDA(cudaMemcpyAsync(kept.data(), memory.data(), kept.bytes(), cudaMemcpyDeviceToDevice, stream));
    if (round % 2 == 0) engine->advance(Integrator::kdk, 1e-3, 3);
    kept.download(std::span<Instance>(got), stream);
    InstanceSink host{InstanceSink::Place::host, want};
    again->publish(host);
    ASSERT_TRUE(same_instances(want, got)) << round;
    if (round % 2 == 0) again->advance(Integrator::kdk, 1e-3, 3);
  }
  EXPECT_GT(engine->timing().publish, 0);
}

}  // namespace
}  // namespace tri::test
