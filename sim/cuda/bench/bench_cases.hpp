#pragma once
/// The bench cases of the cuda backend: data from a seed, timed runs, and a check of the whole output.

#include <memory>

#include "sim/backend/bench_case.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/bench/timed_work.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"

namespace tri::cuda {

/// Whether this backend has the kernel; if not, the reason.
Availability cuda_benches(BenchKernel kernel);

/// On the current device, which is `device`. Throws ConfigError (n, block, features or dimensions out of range, a map's
/// refusal, an unknown map, a kernel or form that this backend does not have) and MemoryError, predicted.
std::unique_ptr<BenchCase> make_cuda_bench(const BenchSpec& spec, int device);

/// What stands in position of a map to compare with.
enum class BaselineKernel : u8 {
  none,
  lambda_alone,  ///< "lambda-alone": a kernel compiled for that map only
  fill,          ///< "fill": the bytes of the output, written without any work
};

/// What a family is given: the spec, with its map looked up.
struct CaseSpec {
  BenchSpec bench;
  TriangleMapId map;
  int device;
  BaselineKernel baseline_kernel = BaselineKernel::none;
  TetraMapId tetra = TetraMapId::tetra;  ///< of kernels over triples, in position of `map`
  u32 n() const { return static_cast<u32>(bench.n); }
};

std::unique_ptr<BenchCase> make_dummy_bench(const CaseSpec& spec);
std::unique_ptr<BenchCase> make_distance_bench(const CaseSpec& spec);
std::unique_ptr<BenchCase> make_collision_bench(const CaseSpec& spec);
std::unique_ptr<BenchCase> make_gravity_bench(const CaseSpec& spec);
std::unique_ptr<BenchCase> make_dummy3_bench(const CaseSpec& spec);
std::unique_ptr<BenchCase> make_triplet_bench(const CaseSpec& spec);
/// Its map is looked up anew: CaseSpec holds one of pairs.
std::unique_ptr<BenchCase> make_gasket_bench(const CaseSpec& spec);

/// What all cases share: the device, the stream, the clock and the counts.
class CudaCase : public BenchCase {
 public:
  double run() final;
  u64 run_for(double seconds) final;
  BenchCheck check() final;
  void corrupt_output() final;
  u64 blocks_launched() const final { return timed_->work().launched; }
  u64 blocks_useful() const final { return timed_->work().useful; }
  u32 block() const final { return block_; }

 protected:
  explicit CudaCase(const CaseSpec& spec) : spec_(spec) {}

  /// Called once by the constructor of a case, when its memory stands.
  void set_work(PreparedLaunch work, u32 block);

  /// Fills the output with what no right answer holds; enqueued before each timed run.
  virtual void poison() = 0;
  /// Of the last run's output, which did the work repeats() times.
  virtual BenchCheck compare() = 0;
  virtual void damage() = 0;

  u32 repeats() const { return timed_->repeats(); }
  const Stream& stream() const { return stream_; }
  const CaseSpec& spec() const { return spec_; }
  u32 n() const { return spec_.n(); }

 private:
  CaseSpec spec_;
  Stream stream_;
  std::unique_ptr<TimedWork> timed_;
  u32 block_ = 0;
  bool ran_ = false;
};

/// Throws ConfigError when rec cannot be launched from the device with this block, or in this precision.
void check_rec_from_device(const CaseSpec& spec, u32 block);
/// Whether the spec asks for dynamic parallelism and means something by it.
inline bool rec_from_device(const CaseSpec& spec) {
  return spec.map == TriangleMapId::rec && spec.bench.rec == RecForm::device;
}

}  // namespace tri::cuda
