#include "sim/cpu/force_sums.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/cpu/typed_tiles.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {
namespace {

using expression::Instruction;
using expression::Op;
using expression::Program;

constexpr u32 kNever = 0, kAlways = std::numeric_limits<u32>::max();

/// The instruction after which the result of each one is not read again; kNever: nothing reads it.
std::vector<u32> last_readers(const Program& program) {
  std::vector<u32> last(program.code.size(), kNever);
  for (const u32 output : program.outputs) last[output] = kAlways;
  for (std::size_t k = program.code.size(); k-- > 0;) {
    if (last[k] == kNever) continue;
    const Instruction& step = program.code[k];
    const u32 operands[3] = {step.a, step.b, step.c};
    for (u32 o = 0; o < expression::operand_count(step.op); ++o) {
      last[operands[o]] = std::max(last[operands[o]], static_cast<u32>(k));
    }
  }
  return last;
}

}  // namespace

ProgramPlan::ProgramPlan(const Program& program, std::span<const double> uniforms, u32 inputs) : inputs_(inputs) {
  TRI_EXPECTS(inputs <= 32);
  const std::vector<u32> last = last_readers(program);
  std::vector<double> scalars;
  std::vector<u32> place(program.code.size()), idle;
  // Buffers are numbered before the scalars are counted; scalars get their places at the end.
  constexpr u32 kScalar = u32{1} << 31;
  const auto add_scalar = [&](double value) {
    const auto same = [&](double v) { return std::bit_cast<u64>(v) == std::bit_cast<u64>(value); };
    const auto known = std::find_if(scalars.begin(), scalars.end(), same);
    const auto index = static_cast<u32>(known - scalars.begin());
    if (known == scalars.end()) scalars.push_back(value);
    return kScalar | index;
  };
  for (u32 k = 0; k < program.code.size(); ++k) {
    if (last[k] == kNever) continue;
    const Instruction& code = program.code[k];
    if (code.op == Op::input) {
      TRI_EXPECTS(code.a < inputs);
      place[k] = code.a, read_ |= u32{1} << code.a;
      continue;
    }
    if (code.op == Op::uniform || code.op == Op::number) {
      place[k] = add_scalar(code.op == Op::uniform ? uniforms[code.a] : program.numbers[code.a]);
      continue;
    }
    const u32 count = expression::operand_count(code.op);
    Step step{code.op, 0, 0, 0, 0};
    const u32 from[3] = {code.a, code.b, code.c};
    u32* const to[3] = {&step.a, &step.b, &step.c};
    for (u32 o = 0; o < count; ++o) {
      *to[o] = place[from[o]];
      // A step reads an element before it writes it, so its result may lie where an operand did.
      const bool buffer = place[from[o]] >= inputs && place[from[o]] < kScalar;
      const bool seen = std::find(from, from + o, from[o]) != from + o;
      if (buffer && !seen && last[from[o]] == k) idle.push_back(place[from[o]]);
    }
    if (idle.empty()) idle.push_back(inputs + buffers_++);
    step.to = place[k] = idle.back();
    idle.pop_back();
    steps_.push_back(step);
  }
  for (const u32 output : program.outputs) outputs_.push_back(place[output]);
  const u32 first_scalar = inputs + buffers_;
  const auto settle = [&](u32& p) {
    if (p >= kScalar) p = first_scalar + (p - kScalar);
  };
  for (Step& step : steps_) settle(step.a), settle(step.b), settle(step.c);
  for (u32& output : outputs_) settle(output);
  for (const double value : scalars) {
    scalars32_.insert(scalars32_.end(), kLanes<float>, static_cast<float>(value));
    scalars64_.insert(scalars64_.end(), kLanes<double>, value);
  }
}

namespace {

const expression::Program& program_of(const expression::Law& law, bool with_energy) {
  return with_energy ? law.strength_and_energy() : law.strength();
}

}  // namespace

TypedPairs::TypedPairs(const ForceField& field, bool with_energy) : box(field.box) {
  TRI_EXPECTS(field.pair == PairLaw::typed && field.typed_pair);
  const expression::Law& law = *field.typed_pair.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_pair.values);
  plan = ProgramPlan(program_of(law, with_energy), uniforms, expression::kPairInputs);
  weighs = law.weighs_masses();
  factor = uniforms[0];
}

TypedTriples::TypedTriples(const ForceField& field, bool with_energy) {
  TRI_EXPECTS(field.triple == TripleLaw::typed && field.typed_triple);
  const expression::Law& law = *field.typed_triple.law;
  const std::vector<double> uniforms = law.uniforms(field.typed_triple.values);
  plan = ProgramPlan(program_of(law, with_energy), uniforms, expression::kTripleInputs);
}

// The quantum of ordered sums (force_sums.hpp) from their largest contribution.

/// The number with these bits in this precision.
template <class Real>
double from_bits(u64 bits) {
  if constexpr (sizeof(Real) == 4) {
    return static_cast<double>(std::bit_cast<float>(static_cast<u32>(bits)));
  } else {
    return std::bit_cast<double>(bits);
  }
}

/// floor(log2(largest) / 2), largest > 0.
inline int bucket_of(double largest) {
  const int exponent = std::ilogb(largest);
  return exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
}

/// Clamped so that 2^e and 2^-e are normal numbers; contributions below 2^-950 all round to 0.
inline int scale_exponent(int bucket) { return std::min(51 - (2 * bucket + 2), 1000); }

// Sums of a law over all tiles of a map; the header describes both accumulations and the choice of the quantum.

/// What add_tile() needs of a field, once an evaluation: a typed law is made ready for its tiles.
template <class Tile>
class TileLaw {
  static constexpr bool kPairs = std::is_same_v<Tile, PairTile>;
  using Typed = std::conditional_t<kPairs, TypedPairs, TypedTriples>;

 public:
  explicit TileLaw(const ForceField& field, bool with_energy = false) : field_(field) {
    if (kPairs ? field.pair == PairLaw::typed : field.triple == TripleLaw::typed) typed_.emplace(field, with_energy);
  }

  template <class Real, class Sums>
  void add(const BodyView<Real>& bodies, const Tile& tile, Sums& sums) const {
    if (typed_) return add_tile(*typed_, bodies, tile, sums);
    add_tile(field_, bodies, tile, sums);
  }

 private:
  const ForceField& field_;
  std::optional<Typed> typed_;
};

namespace {

u32 most_tiles_a_side(u64 n, u64 block, u64 most) {
  while (block * most < n) block *= 2;
  return static_cast<u32>(block);
}

/// Adds in tile order, whichever thread or rank computed them.
TileEnergy total(std::vector<TileEnergy>& tiles, const Ranks& ranks) {
  static_assert(sizeof(TileEnergy) == 2 * sizeof(double));
  ranks.sum(std::span(&tiles.front().potential, 2 * tiles.size()));  // all but one rank have zeros
  TileEnergy sum;
  for (const TileEnergy& tile : tiles) {
    sum.potential += tile.potential;
    sum.virial += tile.virial;
  }
  return sum;
}

}  // namespace

template <class Tile, class Real, class WalkTiles>
void ForceSums::sum_fast(const ForceField& field, const BodyView<Real>& bodies, u32 n, u32 threads,
                         const WalkTiles& walk) {
  const TileLaw<Tile> law(field);
  fast_.resize(std::max<std::size_t>(fast_.size(), threads));
  for (u32 t = 0; t < threads; ++t) fast_[t].assign(std::size_t{3} * n, 0.0);
  ranks_.together([&] {
    walk([&](u32 thread, const Tile& tile) {
      double* const base = fast_[thread].data();
      FastSums sums{{base, base + n, base + std::size_t{2} * n}};
      law.add(bodies, tile, sums);
    });
  });
  std::vector<double>& total = fast_.front();
  for (u32 t = 1; t < threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += fast_[t][k];
  }
  ranks_.sum(std::span(total));
  take(n, total);
}

template <class Tile, class Real, class WalkTiles>
void ForceSums::sum_ordered(const ForceField& field, const BodyView<Real>& bodies, u32 n, u32 threads,
                            const WalkTiles& walk) {
  const TileLaw<Tile> law(field);
  ordered_.resize(std::max<std::size_t>(ordered_.size(), threads));
  int exponent = 0;
  for (attempts_ = 1;; ++attempts_) {
    exponent = scale_exponent(bucket_);
    std::vector<u64> largest(threads * std::size_t{8}, 0);  // a cache line per thread
    for (u32 t = 0; t < threads; ++t) ordered_[t].assign(std::size_t{3} * n, 0);
    ranks_.together([&] {
      walk([&](u32 thread, const Tile& tile) {
        Wide* const base = ordered_[thread].data();
        u64& most = largest[thread * std::size_t{8}];
        OrderedSums sums{{base, base + n, base + std::size_t{2} * n}, std::ldexp(1.0, exponent), most};
        law.add(bodies, tile, sums);
        most = sums.largest;
      });
    });
    u64 bits = *std::max_element(largest.begin(), largest.end());
    ranks_.max({&bits, 1});
    const double most = from_bits<Real>(bits);
    if (!std::isfinite(most)) throw NotFinite{};
    if (most == 0 || bucket_of(most) == bucket_) break;
    bucket_ = bucket_of(most);
  }
  std::vector<Wide>& total = ordered_.front();
  for (u32 t = 1; t < threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += ordered_[t][k];
  }
  const auto [begin, end] = ranks_.sum_slices(total);
  std::vector<double> sums(total.size());
  for (u64 k = begin; k < end; ++k) sums[k] = std::ldexp(static_cast<double>(total[k]), -exponent);
  ranks_.gather_slices(sums);
  take(n, sums);
}

void ForceSums::take(u32 n, std::span<const double> sums) {
  x.assign(sums.begin(), sums.begin() + n);
  y.assign(sums.begin() + n, sums.begin() + 2 * std::ptrdiff_t{n});
  z.assign(sums.begin() + 2 * std::ptrdiff_t{n}, sums.end());
}

template <class Tile, class Real, class WalkTiles>
void ForceSums::sum(const ForceField& field, const BodyView<Real>& bodies, u32 n, u32 threads, Accumulate accumulate,
                    const WalkTiles& walk) {
  if (accumulate == Accumulate::fast) return sum_fast<Tile>(field, bodies, n, threads, walk);
  sum_ordered<Tile>(field, bodies, n, threads, walk);
}

template <class Real>
void ForceSums::add_pairs(const ForceField& field, const BodyView<Real>& bodies, const Walk<TriangleMapId>& walk,
                          Accumulate accumulate) {
  sum<PairTile>(field, bodies, walk.grid.n, walk.threads, accumulate,
                [&](const auto& work) { for_each_pair_tile(walk.map, walk.grid, walk.threads, work, ranks_.share()); });
}

template <class Real>
void ForceSums::add_listed(const ForceField& field, const BodyView<Real>& bodies, u32 n,
                           std::span<const std::pair<u32, u32>> pairs, u32 threads, Accumulate accumulate) {
  // Neighbouring columns of a row form one tile.
  sum<PairTile>(field, bodies, n, threads, accumulate, [&](const auto& work) {
    const RankShare share = ranks_.share();
    const u64 first = share.first(pairs.size()), count = share.part_of(pairs.size());
    on_threads(threads, [&](u32 thread) {
      const u64 end = first + count * (thread + 1) / threads;
      for (u64 k = first + count * thread / threads; k < end;) {
        const auto [row, column] = pairs[k];
        u32 columns = 1;
        while (++k < end && pairs[k].first == row && pairs[k].second == column + columns) ++columns;
        work(thread, PairTile{row, row + 1, column, column + columns, false});
      }
    });
  });
}

template <class Real>
void ForceSums::add_triples(const ForceField& field, const BodyView<Real>& bodies, const Walk<TetraMapId>& walk,
                            Accumulate accumulate) {
  sum<TripleTile>(field, bodies, walk.grid.n, walk.threads, accumulate, [&](const auto& work) {
    for_each_tile(
        walk.map, walk.grid, walk.threads, [&](u32 thread, Tile3 tile) { work(thread, triple_tile(walk.grid, tile)); },
        ranks_.share());
  });
}

template void ForceSums::add_pairs(const ForceField&, const BodyView<float>&, const Walk<TriangleMapId>&, Accumulate);
template void ForceSums::add_pairs(const ForceField&, const BodyView<double>&, const Walk<TriangleMapId>&, Accumulate);
template void ForceSums::add_listed(const ForceField&, const BodyView<float>&, u32,
                                    std::span<const std::pair<u32, u32>>, u32, Accumulate);
template void ForceSums::add_listed(const ForceField&, const BodyView<double>&, u32,
                                    std::span<const std::pair<u32, u32>>, u32, Accumulate);
template void ForceSums::add_triples(const ForceField&, const BodyView<float>&, const Walk<TetraMapId>&, Accumulate);
template void ForceSums::add_triples(const ForceField&, const BodyView<double>&, const Walk<TetraMapId>&, Accumulate);

TileEnergy pair_energy(const ForceField& field, const BodyView<double>& bodies, u32 n, u32 threads, Ranks& ranks) {
  const u32 block = most_tiles_a_side(n, 64, 1024);
  const TileGrid grid = triangle_grid(TriangleMapId::lambda, n, block);
  std::vector<TileEnergy> tiles(triangular(grid.side));
  const TileLaw<PairTile> law(field, true);
  const auto add = [&](u32, Tile2 tile) {
    law.add(bodies, pair_tile(grid, tile), tiles[triangular(tile.row) + tile.col]);
  };
  ranks.together([&] {
    for_each_tile(TriangleMapId::lambda, grid, worthwhile_threads(u64{n} * n / 2, threads), add, ranks.share());
  });
  return total(tiles, ranks);
}

TileEnergy triple_energy(const ForceField& field, const BodyView<double>& bodies, u32 n, u32 threads, Ranks& ranks) {
  const u32 block = most_tiles_a_side(n, 16, 128);
  const TileGrid grid = tetra_grid(TetraMapId::tetra, n, block);
  std::vector<TileEnergy> tiles(tetrahedral(grid.side));
  const TileLaw<TripleTile> law(field, true);
  const auto add = [&](u32, Tile3 tile) {
    const u64 index = tetrahedral(tile.z) + triangular(tile.y) + tile.x;
    law.add(bodies, triple_tile(grid, tile), tiles[index]);
  };
  ranks.together([&] {
    for_each_tile(TetraMapId::tetra, grid, worthwhile_threads(u64{n} * n / 6 * n, threads), add, ranks.share());
  });
  return total(tiles, ranks);
}

namespace {

constexpr u32 kAxes = 6;

/// Sums that a thread adds to, in its memory of [6, n].
template <class Sums, class Number>
JerkTotals<Sums> totals_in(std::vector<Number>& memory, u32 n) {
  memory.assign(std::size_t{kAxes} * n, 0);
  JerkTotals<Sums> totals;
  for (std::size_t k = 0; k < 3; ++k) {
    totals.acceleration.axis[k] = memory.data() + k * n;
    totals.jerk.axis[k] = memory.data() + (k + 3) * n;
  }
  return totals;
}

/// The bits of the largest contribution of any thread.
u64 largest(const std::vector<JerkTotals<OrderedSums>>& threads, OrderedSums JerkTotals<OrderedSums>::*which) {
  u64 most = 0;
  for (const auto& totals : threads) most = std::max(most, (totals.*which).largest);
  return most;
}

}  // namespace

template <class Sums>
void JerkSums::reduce_rates(const std::vector<JerkTotals<Sums>>& threads) {
  fall = fly = 0;
  for (const auto& totals : threads) fall = std::max(fall, totals.fall), fly = std::max(fly, totals.fly);
  // Numbers that are not negative order like their bits.
  std::array<u64, 2> bits{std::bit_cast<u64>(fall), std::bit_cast<u64>(fly)};
  ranks_.max(bits);
  fall = std::bit_cast<double>(bits[0]), fly = std::bit_cast<double>(bits[1]);
}

void JerkSums::take(u32 n, std::span<const double> sums) {
  for (u32 k = 0; k < kAxes; ++k) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(u64{k} * n);
    axis(k).assign(begin, begin + n);
  }
}

void JerkSums::sum_fast(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk) {
  const u32 n = walk.grid.n;
  fast_.resize(std::max<std::size_t>(fast_.size(), walk.threads));
  std::vector<JerkTotals<FastSums>> totals;
  for (u32 t = 0; t < walk.threads; ++t) totals.push_back(totals_in<FastSums>(fast_[t], n));
  ranks_.together([&] {
    for_each_pair_tile(
        walk.map, walk.grid, walk.threads,
        [&](u32 thread, const PairTile& tile) { add_tile(field, bodies, tile, totals[thread]); }, ranks_.share());
  });
  std::vector<double>& total = fast_.front();
  for (u32 t = 1; t < walk.threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += fast_[t][k];
  }
  ranks_.sum(std::span(total));
  take(n, total);
  reduce_rates(totals);
}

void JerkSums::sum_ordered(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk) {
  const u32 n = walk.grid.n;
  ordered_.resize(std::max<std::size_t>(ordered_.size(), walk.threads));
  std::vector<JerkTotals<OrderedSums>> totals(walk.threads);
  std::array<int, 2> exponent{};
  for (bool again = true; again;) {
    for (std::size_t v = 0; v < 2; ++v) exponent[v] = scale_exponent(bucket_[v]);
    for (u32 t = 0; t < walk.threads; ++t) {
      totals[t] = totals_in<OrderedSums>(ordered_[t], n);
      totals[t].acceleration.scale = std::ldexp(1.0, exponent[0]);
      totals[t].jerk.scale = std::ldexp(1.0, exponent[1]);
    }
    ranks_.together([&] {
      for_each_pair_tile(
          walk.map, walk.grid, walk.threads,
          [&](u32 thread, const PairTile& tile) { add_tile(field, bodies, tile, totals[thread]); }, ranks_.share());
    });
    std::array<u64, 2> bits{largest(totals, &JerkTotals<OrderedSums>::acceleration),
                            largest(totals, &JerkTotals<OrderedSums>::jerk)};
    ranks_.max(bits);
    const double most[2] = {from_bits<double>(bits[0]), from_bits<double>(bits[1])};
    again = false;
    for (std::size_t v = 0; v < 2; ++v) {
      if (!std::isfinite(most[v])) throw ForceSums::NotFinite{};
      if (most[v] == 0 || bucket_of(most[v]) == bucket_[v]) continue;
      bucket_[v] = bucket_of(most[v]);
      again = true;
    }
  }
  std::vector<Wide>& total = ordered_.front();
  for (u32 t = 1; t < walk.threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += ordered_[t][k];
  }
  const auto [begin, end] = ranks_.sum_slices(total);
  std::vector<double> sums(total.size());
  for (u64 k = begin; k < end; ++k) {
    sums[k] = std::ldexp(static_cast<double>(total[k]), -exponent[k < std::size_t{3} * n ? 0 : 1]);
  }
  ranks_.gather_slices(sums);
  take(n, sums);
  reduce_rates(totals);
}

void JerkSums::evaluate(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk,
                        Accumulate accumulate) {
  accumulate == Accumulate::fast ? sum_fast(field, bodies, walk) : sum_ordered(field, bodies, walk);
}

}  // namespace tri::cpu
