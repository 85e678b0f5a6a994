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

namespace {

/// Sums that a thread adds to, in its memory of [3 kVectors, n].
template <class Sums, std::size_t kVectors, class Number>
std::array<Sums, kVectors> vectors_in(std::vector<Number>& memory, u32 n) {
  memory.assign(3 * kVectors * n, 0);
  std::array<Sums, kVectors> vectors;
  for (std::size_t k = 0; k < 3 * kVectors; ++k) vectors[k / 3].axis[k % 3] = memory.data() + k * n;
  return vectors;
}

/// The sums of all threads, in their order, in the memory of the first.
template <class Number>
std::vector<Number>& total_of(std::vector<std::vector<Number>>& parts, u32 threads) {
  std::vector<Number>& total = parts.front();
  for (u32 t = 1; t < threads; ++t) {
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += parts[t][k];
  }
  return total;
}

}  // namespace

template <std::size_t kVectors>
template <class Walk, class Add>
std::span<double> VectorSums<kVectors>::sum_fast(u32 n, u32 threads, const Walk& walk, const Add& add) {
  fast_.resize(std::max<std::size_t>(fast_.size(), threads));
  std::vector<Vectors<FastSums>> vectors;
  for (u32 t = 0; t < threads; ++t) vectors.push_back(vectors_in<FastSums, kVectors>(fast_[t], n));
  ranks_.together([&] { walk([&](u32 thread, const auto& tile) { add(thread, tile, vectors[thread]); }); });
  std::vector<double>& total = total_of(fast_, threads);
  ranks_.sum(std::span(total));
  return total;
}

template <std::size_t kVectors>
template <class Real, class Walk, class Add>
std::vector<double> VectorSums<kVectors>::sum_ordered(u32 n, u32 threads, const Walk& walk, const Add& add) {
  struct alignas(64) Thread {  // a cache line or more each
    Vectors<OrderedSums> vectors;
  };
  ordered_.resize(std::max<std::size_t>(ordered_.size(), threads));
  std::array<int, kVectors> exponent{};
  bool again = true;
  for (attempts_ = 0; again; ++attempts_) {
    again = false;
    std::vector<Thread> each(threads);
    for (std::size_t v = 0; v < kVectors; ++v) exponent[v] = scale_exponent(bucket_[v]);
    for (u32 t = 0; t < threads; ++t) {
      each[t].vectors = vectors_in<OrderedSums, kVectors>(ordered_[t], n);
      for (std::size_t v = 0; v < kVectors; ++v) each[t].vectors[v].scale = std::ldexp(1.0, exponent[v]);
    }
    ranks_.together([&] { walk([&](u32 thread, const auto& tile) { add(thread, tile, each[thread].vectors); }); });
    std::array<u64, kVectors> bits{};
    for (std::size_t v = 0; v < kVectors; ++v) {
      for (const Thread& thread : each) bits[v] = std::max(bits[v], thread.vectors[v].largest);
    }
    ranks_.max(bits);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const double most = from_bits<Real>(bits[v]);
      if (!std::isfinite(most)) throw NotFinite{};
      if (most == 0 || bucket_of(most) == bucket_[v]) continue;
      bucket_[v] = bucket_of(most);
      again = true;
    }
  }
  std::vector<Wide>& total = total_of(ordered_, threads);
  const auto [begin, end] = ranks_.sum_slices(total);
  std::vector<double> sums(total.size());
  for (u64 k = begin; k < end; ++k) {
    sums[k] = std::ldexp(static_cast<double>(total[k]), -exponent[k / (std::size_t{3} * n)]);
  }
  ranks_.gather_slices(sums);
  return sums;
}

template <std::size_t kVectors>
template <class Real, class Walk, class Add, class Use>
void VectorSums<kVectors>::sum(u32 n, u32 threads, Accumulate accumulate, const Walk& walk, const Add& add,
                               const Use& use) {
  if (accumulate == Accumulate::fast) return use(sum_fast(n, threads, walk, add));
  std::vector<double> sums = sum_ordered<Real>(n, threads, walk, add);
  use(std::span(sums));
}

template <class Tile, class Real, class WalkTiles>
void ForceSums::sum_law(const ForceField& field, const BodyView<Real>& bodies, u32 n, u32 threads,
                        Accumulate accumulate, const WalkTiles& walk) {
  const TileLaw<Tile> law(field);
  const auto add = [&](u32, const Tile& tile, auto& vectors) { law.add(bodies, tile, vectors[0]); };
  sum<Real>(n, threads, accumulate, walk, add, [&](auto sums) {
    std::vector<double>* const axes[] = {&x, &y, &z};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = sums.subspan(k * n, n);
      axes[k]->assign(axis.begin(), axis.end());
    }
  });
}

template <class Real>
void ForceSums::add_pairs(const ForceField& field, const BodyView<Real>& bodies, const Walk<TriangleMapId>& walk,
                          Accumulate accumulate) {
  sum_law<PairTile>(field, bodies, walk.grid.n, walk.threads, accumulate, [&](const auto& work) {
    for_each_pair_tile(walk.map, walk.grid, walk.threads, work, ranks_.share());
  });
}

template <class Real>
void ForceSums::add_listed(const ForceField& field, const BodyView<Real>& bodies, u32 n,
                           std::span<const std::pair<u32, u32>> pairs, u32 threads, Accumulate accumulate) {
  // Neighbouring columns of a row form one tile.
  sum_law<PairTile>(field, bodies, n, threads, accumulate, [&](const auto& work) {
    const RankShare share = ranks_.share();
    const u64 first = share.first(pairs.size()), count = share.part_of(pairs.size());
    WalkReport report(count);
    on_threads(threads, [&](u32 thread) {
      const u64 begin = first + count * thread / threads, end = first + count * (thread + 1) / threads;
      for (u64 k = begin; k < end && report.keep_going(thread, (k - begin) * threads);) {
        const auto [row, column] = pairs[k];
        u32 columns = 1;
        while (++k < end && pairs[k].first == row && pairs[k].second == column + columns) ++columns;
        work(thread, PairTile{row, row + 1, column, column + columns, false});
      }
    });
  });
}

template <class Real>
void ForceSums::add_tiles(const ForceField& field, const BodyView<Real>& bodies, u32 n, std::span<const PairTile> tiles,
                          u32 threads, Accumulate accumulate) {
  constexpr u64 kAtOnce = 64;  // which thread gets which tile depends on their numbers alone
  sum_law<PairTile>(field, bodies, n, threads, accumulate, [&](const auto& work) {
    const RankShare share = ranks_.share();
    const u64 first = share.first(tiles.size()), end = first + share.part_of(tiles.size());
    WalkReport report(end - first);
    on_threads(threads, [&](u32 thread) {
      for (u64 begin = first + kAtOnce * thread; begin < end && report.keep_going(thread, begin - first);
           begin += kAtOnce * threads) {
        for (u64 k = begin; k < std::min(begin + kAtOnce, end); ++k) work(thread, tiles[k]);
      }
    });
  });
}

template <class Real>
void ForceSums::add_triples(const ForceField& field, const BodyView<Real>& bodies, const Walk<TetraMapId>& walk,
                            Accumulate accumulate) {
  sum_law<TripleTile>(field, bodies, walk.grid.n, walk.threads, accumulate, [&](const auto& work) {
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
template void ForceSums::add_tiles(const ForceField&, const BodyView<float>&, u32, std::span<const PairTile>, u32,
                                   Accumulate);
template void ForceSums::add_tiles(const ForceField&, const BodyView<double>&, u32, std::span<const PairTile>, u32,
                                   Accumulate);
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

void JerkSums::evaluate(const ForceField& field, const BodyView<double>& bodies, const Walk<TriangleMapId>& walk,
                        Accumulate accumulate) {
  const u32 n = walk.grid.n;
  struct alignas(64) Rates {
    double fall = 0, fly = 0;
  };
  std::vector<Rates> rates(walk.threads);
  const auto add = [&]<class Sums>(u32 thread, const PairTile& tile, std::array<Sums, 2>& vectors) {
    JerkTotals<Sums> totals{vectors[0], vectors[1], rates[thread].fall, rates[thread].fly};
    add_tile(field, bodies, tile, totals);
    vectors = {totals.acceleration, totals.jerk};
    rates[thread] = {totals.fall, totals.fly};
  };
  const auto walk_tiles = [&](const auto& work) {
    for_each_pair_tile(walk.map, walk.grid, walk.threads, work, ranks_.share());
  };
  sum<double>(n, walk.threads, accumulate, walk_tiles, add, [&](auto sums) {
    for (std::size_t k = 0; k < 6; ++k) {
      const auto axis = sums.subspan(k * n, n);
      (k < 3 ? a[k] : j[k - 3]).assign(axis.begin(), axis.end());
    }
  });
  fall = fly = 0;
  for (const Rates& r : rates) fall = std::max(fall, r.fall), fly = std::max(fly, r.fly);
  // Numbers that are not negative order like their bits.
  std::array<u64, 2> bits{std::bit_cast<u64>(fall), std::bit_cast<u64>(fly)};
  ranks_.max(bits);
  fall = std::bit_cast<double>(bits[0]), fly = std::bit_cast<double>(bits[1]);
}

}  // namespace tri::cpu
