#pragma once
/// Shared by the bench tests of all backends and of the cuda backend.

#include "sim/backend/bench_kernels.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {

inline BenchSpec spec_of(BenchKernel kernel, const std::string& map, u64 n, u32 block = 0) {
  BenchSpec spec;
  spec.kernel = kernel;
  spec.form = info(kernel).default_form();
  spec.map = map;
  spec.n = n;
  spec.block = block;
  spec.threads = 2;
  return spec;
}

/// A rank whose benches have other bodies than those of the other ranks. Where they share the sums, all are wrong.
class OtherBodies final : public Backend {
 public:
  explicit OtherBodies(std::unique_ptr<Backend> real) : real_(std::move(real)) {}
  BackendInfo info() const override { return real_->info(); }
  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    return real_->make_engine(bodies, field, config);
  }
  CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    return real_->collisions(bodies, config, box);
  }
  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    BenchSpec other = spec;
    ++other.seed;
    return real_->make_bench(other);
  }

 private:
  std::unique_ptr<Backend> real_;
};

/// Runs twice, checks, damages, checks again.
inline void exercise(Backend& backend, const BenchSpec& spec) {
  SCOPED_TRACE(std::string(to_string(spec.kernel)) + ", map " + spec.map + ", n " + std::to_string(spec.n) +
               ", block " + std::to_string(spec.block) + ", " + to_string(spec.precision) + ", form " +
               std::to_string(static_cast<int>(spec.form)) + ", rec " + std::to_string(static_cast<int>(spec.rec)));
  const auto bench = backend.make_bench(spec);
  if (bench->work_items() > 0 || backend.info().name == "cuda") {
    EXPECT_FALSE(bench->check().passed) << "before any run";
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(bench->run(), 0.0);
    const BenchCheck good = bench->check();
    EXPECT_TRUE(good.passed) << "error " << good.max_rel_err << " against " << good.reference;
    EXPECT_FALSE(good.reference.empty());
  }
  if (bench->work_items() > 0) {
    bench->corrupt_output();
    EXPECT_FALSE(bench->check().passed) << "damaged";
    bench->run();
    EXPECT_TRUE(bench->check().passed) << "after another run";
  }
  EXPECT_GE(bench->blocks_launched(), bench->blocks_useful());
  EXPECT_EQ(bench->block() == 0, spec.map == "fill");
}

}  // namespace tri::test
