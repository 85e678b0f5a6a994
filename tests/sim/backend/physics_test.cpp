/// The subjects of test_physics_backends: engines of every backend in both precisions and accumulations, each with a
/// different map and tile side.

#include <gtest/gtest.h>

#include "sim/laws/physics_params.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri::test {
namespace {

class EngineProbe final : public Probe {
 public:
  EngineProbe(const std::string& backend, const Bodies& bodies, const ForceField& field, const EngineConfig& config)
      : backend_(make_named(backend)), engine_(backend_->make_engine(bodies, field, config)) {}

  void advance(Integrator integrator, double dt, u64 steps) override { engine_->advance(integrator, dt, steps); }

  ReferenceForces forces() override {
    const ForceResult f = engine_->forces();
    return {f.fx, f.fy, f.fz, f.potential, f.virial, 0.0};
  }

  Diagnostics diagnose() override { return engine_->diagnose(); }
  Bodies read() override { return engine_->read(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Engine> engine_;
};

EngineConfig config_of(Precision precision, Accumulate accumulate, TriangleMapId pair_map, TetraMapId triple_map,
                       u32 block, u32 threads) {
  EngineConfig c;
  c.precision = precision;
  c.accumulate = accumulate;
  c.pair_map = pair_map;
  c.triple_map = triple_map;
  c.pair_block = c.triple_block = block;
  c.threads = threads;
  return c;
}

/// The same for the cuda backend, which supports a few tile sides and only block-space maps.
EngineConfig on_cuda(EngineConfig config) {
  if (info(config.pair_map).space == Space::thread) config.pair_map = TriangleMapId::lambda_stream;
  if (config.pair_block != 0) config.pair_block = 128;
  if (config.triple_block != 0) config.triple_block = 64;
  return config;
}

}  // namespace

std::vector<Subject> subjects() {
  constexpr auto fp32 = Precision::fp32, fp64 = Precision::fp64;
  constexpr auto fast = Accumulate::fast, ordered = Accumulate::ordered;
  // block 0: the backend's choice.
  const EngineConfig configs[] = {
      config_of(fp32, fast, TriangleMapId::lambda, TetraMapId::tetra, 0, 0),
      config_of(fp64, fast, TriangleMapId::lambda, TetraMapId::tetra, 0, 0),
      config_of(fp32, ordered, TriangleMapId::fold, TetraMapId::tetra_stream, 3, 2),
      config_of(fp64, ordered, TriangleMapId::circulant, TetraMapId::tetra_lut, 7, 2),
      config_of(fp64, fast, TriangleMapId::rb, TetraMapId::bb, 2, 1),
      config_of(fp32, fast, TriangleMapId::h, TetraMapId::tetra_r, 5, 1),
  };
  std::vector<Subject> all;
  for (const std::string& backend : backend_names()) {
    if (!availability_of(backend)) {  // one subject, which every suite skips with the reason
      all.push_back({backend, fp64, {}, availability_of(backend)});
      continue;
    }
    for (const EngineConfig& given : configs) {
      if (backend == "ranks" && &given != &configs[2]) continue;  // cluster_test.cpp has more of them
      const EngineConfig config = backend == "cuda" ? on_cuda(given) : given;
      std::string name = backend + "_" + to_string(config.precision) + "_" + to_string(config.accumulate) + "_" +
                         info(config.pair_map).name + "_" + info(config.triple_map).name;
      for (char& letter : name) letter = letter == '-' ? '_' : letter;
      const auto make = [backend, config](const Bodies& b, const ForceField& f) {
        return std::unique_ptr<Probe>(std::make_unique<EngineProbe>(backend, b, f, config));
      };
      all.push_back({name, config.precision, make});
    }
  }
  return all;
}

}  // namespace tri::test
