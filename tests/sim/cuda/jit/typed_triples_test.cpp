// Typed triple laws on the device: against the oracle of Axilrod and Teller, against a law's program in float64, over
// maps and tiles.

#include <algorithm>
#include <cmath>

#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "tests/sim/cuda/engine/pair_support.hpp"
#include "tests/sim/cuda/jit/runtime_kernel_test.hpp"
#include "tests/sim/cuda/jit/typed_laws.hpp"

namespace tri::test {
namespace {

using CudaTypedTriples = RuntimeKernelTest;

ForceField typed_triples(const char* text) {
  ForceField field;
  field.pair = PairLaw::none;
  field.triple = TripleLaw::typed;
  field.typed_triple = triple_law(text);
  return field;
}

struct ExpectedTriples {
  std::vector<double> x, y, z;  ///< [n] forces
  double potential = 0, virial = 0;
};

/// The law's program over all triples, in float64.
ExpectedTriples expected_triples(const Bodies& b, const ForceField& field) {
  const expression::Law& law = *field.typed_triple.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_triple.values);
  const std::size_t n = b.size();
  ExpectedTriples sums{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  const auto square = [&](std::size_t p, std::size_t q) {
    const double x = b.x[q] - b.x[p], y = b.y[q] - b.y[p], z = b.z[q] - b.z[p];
    return x * x + y * y + z * z;
  };
  const auto pull = [&](std::size_t p, std::size_t q, double strength) {
    const double x = strength * (b.x[q] - b.x[p]), y = strength * (b.y[q] - b.y[p]), z = strength * (b.z[q] - b.z[p]);
    sums.x[p] += x, sums.y[p] += y, sums.z[p] += z;
    sums.x[q] -= x, sums.y[q] -= y, sums.z[q] -= z;
    sums.virial -= strength * square(p, q);
  };
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const double inputs[] = {square(i, j), square(j, k), square(k, i)};
        const std::vector<double> out = law.strength_and_energy().run<double>(inputs, uniforms);
        pull(i, j, out[0]), pull(j, k, out[1]), pull(k, i, out[2]);
        sums.potential += out[3];
      }
    }
  }
  return sums;
}

template <class Real>
Sums<Real> triple_sums_by(cuda::TripleForces<Real>& forces, const HeldBodies<Real>& held, cudaStream_t stream) {
  cuda::DeviceBuffer<cuda::Vec4<Real>> out(held.view().n);
  out.fill_bytes(0xff, stream);
  forces.enqueue(stream, held.view(), out.data());
  return out.download(stream);
}

std::vector<TetraMapId> tetra_maps_for(u32 n, u32 tile) {
  std::vector<TetraMapId> maps;
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    if (info(map).space == Space::block && refusal(info(map), n, tile).empty()) maps.push_back(map);
  }
  return maps;
}

template <class Real>
void check_triples(const char* text, u32 n, const ExpectedTriples* oracle = nullptr) {
  const bool fp32 = sizeof(Real) == 4;
  const ForceField field = typed_triples(text);
  const Bodies bodies = as_held(lattice_bodies(n), kPrecisionOf<Real>);
  const ExpectedTriples expected = oracle != nullptr ? *oracle : expected_triples(bodies, field);
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  for (const Accumulate accumulate : kAccumulates) {
    Sums<Real> first;
    for (const u32 tile : thinned(std::vector<u32>(cuda::kTripleTiles))) {
      for (const TetraMapId map : tetra_maps_for(n, tile)) {
        EngineConfig config = pair_config<Real>(accumulate);
        config.triple_map = map, config.triple_block = tile;
        cuda::TripleForces<Real> forces(field, config, n, 0);
        const Sums<Real> sums = triple_sums_by(forces, held, stream);
        const std::string what = std::string(info(map).name) + ", tile " + std::to_string(tile) + ", n " +
                                 std::to_string(n) + ", " + to_string(accumulate) + (fp32 ? ", fp32" : ", fp64");
        double square = 0, difference = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const double ex = double{sums[i].x} - expected.x[i], ey = double{sums[i].y} - expected.y[i];
          const double ez = double{sums[i].z} - expected.z[i];
          ASSERT_EQ(sums[i].w, Real(0)) << what;
          square += expected.x[i] * expected.x[i] + expected.y[i] * expected.y[i] + expected.z[i] * expected.z[i];
          difference += ex * ex + ey * ey + ez * ez;
        }
        ASSERT_LE(std::sqrt(difference), (fp32 ? 5e-5 : 1e-11) * std::sqrt(square)) << what;
        if (accumulate == Accumulate::fast) continue;
        if (first.empty()) first = sums;
        ASSERT_TRUE(same_bits(sums, first)) << what;
      }
    }
    cuda::TripleForces<Real> forces(field, pair_config<Real>(accumulate), n, 0);
    const cuda::PairEnergy energies = forces.energies(stream, held.view());
    const double scale = std::fabs(expected.potential) + std::fabs(expected.virial);
    EXPECT_NEAR(energies.potential, expected.potential, 1e-10 * scale) << n;
    EXPECT_NEAR(energies.virial, expected.virial, 1e-10 * scale) << n;
  }
}

TEST_F(CudaTypedTriples, EveryMapAndTileAgreesWithTheProgram) {
  for (const u32 n : sizes({1, 2, 3, 31, 33, 65, 130})) {
    for (const char* text : {kTypedAxilrodTeller, kTypedTriples}) {
      check_triples<float>(text, n);
      check_triples<double>(text, n);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaTypedTriples, AgreeWithTheOracleOfAxilrodAndTeller) {
  const u32 n = 100;
  const ReferenceForces reference = reference_forces(lattice_bodies(n), triple_field());
  ASSERT_EQ(triple_field().axilrod_teller.nu, 0.072);
  const ExpectedTriples expected{reference.fx, reference.fy, reference.fz, reference.potential, reference.virial};
  check_triples<double>(kTypedAxilrodTeller, n, &expected);
}

TEST_F(CudaTypedTriples, GoWithPairsInAnEngine) {
  const Bodies bodies = lattice_bodies(90);
  ForceField typed = typed_triples(kTypedAxilrodTeller), built_in = argon_field();
  typed.pair = PairLaw::typed, typed.typed_pair = pair_law(kTypedLennardJones);
  EngineConfig config;
  config.precision = Precision::fp64;
  const auto a = engine_of(bodies, typed, config), b = engine_of(bodies, built_in, config);
  a->advance(Integrator::kdk, 1e-4, 20), b->advance(Integrator::kdk, 1e-4, 20);
  const Bodies x = a->read(), y = b->read();
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x.vx[i], y.vx[i], 1e-9) << i;
  const Diagnostics of_typed = a->diagnose(), of_built_in = b->diagnose();
  EXPECT_NEAR(of_typed.potential, of_built_in.potential, 1e-9 * std::fabs(of_built_in.potential));
  EXPECT_NEAR(of_typed.triple_potential, of_built_in.triple_potential, 1e-9 * std::fabs(of_built_in.triple_potential));
  EXPECT_NEAR(of_typed.virial, of_built_in.virial, 1e-9 * std::fabs(of_built_in.virial));
}

}  // namespace
}  // namespace tri::test
