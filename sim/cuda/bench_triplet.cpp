// The bench kernel triplet: Axilrod-Teller forces and energy of a jittered lattice, the same bodies as on the cpu
// backend.
//
// Every component is held against a plain float64 loop on the device, which shares no formula with the kernels, and the
// energy that fast sums give beside the forces against the loop's.

#include <fmt/format.h>

#include <cmath>

#include "sim/cuda/bench_cases.hpp"
#include "sim/cuda/device_buffer.hpp"
#include "sim/cuda/device_memory.hpp"
#include "sim/cuda/kernels/pair_check.hpp"
#include "sim/cuda/triple_forces.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/memory.hpp"
#include "sim/reference/cloud.hpp"

namespace tri::cuda {
namespace {

/// A cubic lattice of step 1, each atom moved at random by up to 0.2 an axis.
template <class Real>
std::vector<Quad<Real>> jittered_lattice(const BenchSpec& spec) {
  SplitMix64 random{spec.seed};
  const u64 side = static_cast<u64>(std::ceil(std::cbrt(static_cast<double>(spec.n))));
  const auto at = [&](u64 cell) {
    return static_cast<Real>(static_cast<double>(cell) + 0.4 * (random.uniform() - 0.5));
  };
  std::vector<Quad<Real>> places(spec.n);
  for (u64 i = 0; i < spec.n; ++i) {
    Quad<Real>& p = places[i];
    p.a = at(i % side);
    p.b = at(i / side % side);
    p.c = at(i / side / side);
    p.d = 1;
  }
  return places;
}

template <class Real>
class TripletCase final : public CudaCase {
 public:
  TripletCase(const CaseSpec& spec, const EngineConfig& config)
      : CudaCase(spec), forces_(law_, config, n(), spec.device), places_(spec.bench.n), sums_(spec.bench.n) {
    places_.upload(jittered_lattice<Real>(spec.bench), stream());
    Prepared work;
    work.launch = [this](cudaStream_t on, u32) { forces_.enqueue(on, state(), sums_.data()); };
    work.launched = forces_.blocks_launched();
    work.useful = forces_.blocks_useful();
    work.launches = 1;
    set_work(std::move(work), forces_.block());
  }

  u64 work_items() const override { return n() < 3 ? 0 : tetrahedral(u64{n()} - 2); }
  u64 bytes() const override { return 0; }

 private:
  DeviceState<Real> state() const { return {places_.data(), nullptr, n()}; }

  /// NaNs.
  void poison() override { sums_.fill_bytes(0xff, stream()); }

  BenchCheck compare() override {
    if (forces_.left_range(stream())) return {false, 1.0, "the range of ordered sums"};
    DeviceBuffer<PairErrors> errors(1);
    DeviceBuffer<double> energy(1);
    errors.fill_bytes(0, stream());
    energy.fill_bytes(0, stream());
    plain_triple_errors(state(), law_.nu, sums_.data(), errors.data(), energy.data(), stream());
    const PairErrors e = errors.download(stream())[0];
    const double expected = energy.download(stream())[0];
    const bool fp32 = sizeof(Real) == 4;
    const double rms = e.differences == 0 ? 0 : std::sqrt(e.differences / e.squares);
    const double most = e.largest == 0 ? 0 : std::sqrt(e.largest / e.squares * n());
    bool right = rms <= (fp32 ? 1e-5 : 1e-12) && most <= (fp32 ? 1e-4 : 1e-11);
    if (spec().bench.accumulate == Accumulate::fast) {
      double got = 0;
      for (const Quad<Real>& s : sums_.download(stream())) got += double{s.d};
      right = right && std::fabs(got - expected) <= (fp32 ? 1e-5 : 1e-12) * std::fabs(expected);
    }
    return {right, most, "every component and the energy by a plain float64 loop"};
  }

  void damage() override {
    std::vector<Quad<Real>> sums = sums_.download(stream());
    double square = 0;
    for (const Quad<Real>& s : sums) square += double{s.b} * double{s.b};
    sums.back().b += static_cast<Real>(std::sqrt(square / n()) + 1e-30);
    sums_.upload(sums, stream());
  }

  AxilrodTellerParams law_;
  TripleForces<Real> forces_;
  DeviceBuffer<Quad<Real>> places_;
  DeviceBuffer<Quad<Real>> sums_;
};

}  // namespace

std::unique_ptr<BenchCase> make_triplet_bench(const CaseSpec& spec) {
  const BenchSpec& bench = spec.bench;
  EngineConfig config;
  config.precision = bench.precision;
  config.accumulate = bench.accumulate;
  config.triple_map = spec.tetra;
  config.triple_block = bench.block;
  const auto bytes = [&](u64 n) {
    return n * 2 * (bench.precision == Precision::fp32 ? sizeof(Quad<float>) : sizeof(Quad<double>)) +
           triple_forces_bytes(config, n);
  };
  need_device_memory_for(bytes, bench.n, fmt::format("the data of {} bodies", bench.n), "Use --n ", " or less");
  if (bench.precision == Precision::fp32) return std::make_unique<TripletCase<float>>(spec, config);
  return std::make_unique<TripletCase<double>>(spec, config);
}

}  // namespace tri::cuda
