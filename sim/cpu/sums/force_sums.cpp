// Sums of a law over all tiles of a map; the header describes both accumulations and the choice of the quantum.

#include "sim/cpu/sums/force_sums.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "sim/cpu/kernels/tuning.hpp"
#include "sim/cpu/sums/quantum.hpp"
#include "sim/cpu/typed/typed_tiles.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {
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

}  // namespace tri::cpu
