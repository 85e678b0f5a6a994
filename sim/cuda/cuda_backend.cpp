// The face of the cuda backend: chooses the device for each call and hands the work on.

#include "sim/cuda/cuda_backend.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "sim/backend/backend.hpp"
#include "sim/backend/bench.hpp"
#include "sim/cuda/bench.hpp"
#include "sim/cuda/engine/cuda_engine.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/cuda/runtime/nvml.hpp"
#include "sim/cuda/runtime/ranks.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/checks.hpp"

namespace tri {
namespace {

nvml::Api nvml_api;  ///< once nvml_loaded() says so

const Availability& nvml_loaded() {
  static const Availability loaded = nvml::load(nvml_api);
  return loaded;
}

/// Whether forces are by kernels that are compiled at run time.
bool is_compiled(const ForceField& field, const EngineConfig& config) {
  return field.pair == PairLaw::typed || field.triple == TripleLaw::typed || info(config.pair_map).typed != nullptr ||
         info(config.triple_map).typed != nullptr;
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int device, Communicator* ranks = nullptr) : device_(device), ranks_(ranks) {}

  BackendInfo info() const override {
    for (const CudaDevice& d : cuda_devices()) {
      if (d.index != device_) continue;
      return {"cuda",
              d.name,
              fmt::format("compute capability {}.{}, {} multiprocessors, {:.4g} GiB, {}", d.major, d.minor,
                          d.multiprocessors, static_cast<double>(d.memory) / 1073741824.0, cuda_versions()),
              cuda_versions(),
              d.major == 9,  // sim/cuda/kernels/triples.hpp; Blackwell has half as much float64 or less
              false};        // atomics add in any order
    }
    return {"cuda", fmt::format("device {}", device_), cuda_versions(), cuda_versions(), false, false};
  }

  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    if (is_compiled(field, config)) cuda::load_compiler();
    check(bodies);
    check(field, largest_radius(bodies));
    check_float_values(bodies, config.precision);
    check_device_range(bodies, field, config.precision);
    use_device();
    cuda::DeviceRanks* const ranks = device_ranks();
    if (config.precision == Precision::fp32) {
      return std::make_unique<cuda::CudaEngine<float>>(bodies, field, config, device_, ranks);
    }
    return std::make_unique<cuda::CudaEngine<double>>(bodies, field, config, device_, ranks);
  }

  std::unique_ptr<DistanceRows> distance_rows(const PointSet& points, DistanceLayout layout,
                                              const EngineConfig& config) override {
    check(points);
    use_device();
    const auto moved = config.precision == Precision::fp32 ? centred(points) : std::nullopt;
    return cuda::make_distance_rows(moved ? *moved : points, layout, config, device_);
  }

  CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    check(bodies);
    ForceField spheres;
    spheres.pair = PairLaw::contact, spheres.box = box;
    check(spheres);
    check_float_values(bodies, config.precision);
    check_float_spheres(bodies, config.precision);
    check_images(bodies, box, true, config.precision);
    use_device();
    if (config.precision == Precision::fp64) return cuda::collisions(bodies, config, box, device_ranks());
    Box moved_box = box;
    const auto moved = centred(bodies, moved_box);
    return cuda::collisions(moved ? *moved : bodies, config, moved_box, device_ranks());
  }

  TripleCounts triplets(const PointSet& points, const SideBins& bins, const EngineConfig& config) override {
    check(points);
    check(bins);
    if (const double scale = scale_of(bins); scale != 1) {
      return triplets(scaled(points, scale), scaled(bins, scale), config);
    }
    use_device();
    return cuda::count_triples(points, bins, config, device_ranks());
  }

  u64 memory_bytes() const override {
    use_device();
    return cuda::free_device_memory();
  }

  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    use_device();
    return cuda::make_cuda_bench(spec, device_, is_shared(spec) ? device_ranks() : nullptr);
  }

  std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec) override {
    use_device();
    return cuda::make_automaton(spec, device_);
  }

  Tuning tune(const TuneRequest& request, const TuneListener& tell) override {
    use_device();
    return cuda::tune_device(device_, request, tell);
  }
  void use_tuning() override { cuda::forget_device_tunings(); }

  Floors floors(u32 threads) override {
    if (ranks_ != nullptr) return Backend::floors(threads);
    use_device();
    return cuda::measure_floors();
  }

  std::unique_ptr<DeviceMeter> make_meter(std::string& why_not) override {
    if (!nvml_loaded()) {
      why_not = nvml_loaded().reason;
      return nullptr;
    }
    std::array<char, 32> bus_id{};
    TRI_CUDA(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device_));
    return make_nvml_meter(nvml_api, bus_id.data(), why_not);
  }

 private:
  /// The current device belongs to the thread, and this call may come from any.
  void use_device() const { TRI_CUDA(cudaSetDevice(device_)); }

  /// Null for one alone. The first call is one that all ranks make.
  cuda::DeviceRanks* device_ranks() {
    if (ranks_ != nullptr && !device_ranks_) device_ranks_ = cuda::make_device_ranks(*ranks_, device_);
    return device_ranks_.get();
  }

  int device_;
  Communicator* ranks_;
  std::unique_ptr<cuda::DeviceRanks> device_ranks_;  ///< from the first work on that all ranks share
};

/// Throws BackendError.
void require_usable(int device) {
  const Availability usable = cuda_device_usable(device);
  if (!usable) throw BackendError("--backend cuda: " + usable.reason + ". Use --backend cpu.");
}

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(int device) {
  require_usable(device);
  return std::make_unique<CudaBackend>(device);
}

std::unique_ptr<Backend> make_cuda_backend(int device, Communicator& ranks) {
  require_usable(device);
  return std::make_unique<CudaBackend>(device, &ranks);
}

void finish_cuda_work() noexcept { cuda::finish_kernels(); }

Availability cuda_sums_by_nccl() { return cuda::nccl_available(); }

std::vector<DeviceProcess> cuda_processes(const std::string& bus_id) {
  if (!nvml_loaded()) return {};
  return nvml_processes(nvml_api, bus_id, static_cast<u32>(getpid()));
}

std::unique_ptr<Communicator> make_cuda_communicator(int device, u32 rank, u32 ranks, u32 host_rank,
                                                     const std::string& address) {
  return cuda::meet_by_nccl({rank, ranks, host_rank, device}, address);
}

}  // namespace tri
