// Counts of triples as products of bit matrices. A block of 4 warps multiplies a tile of 128 x 128 pairs, each warp
// 64 x 64 in registers, with the rows of bits coming through shared memory in stages of 512 columns. At the end every
// thread adds its cells to a histogram of its own in shared memory, which needs no agreement with any other thread; a
// second block of the multiprocessor multiplies meanwhile.

#include <nv/target>

#include <memory>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_count_products.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/kernel_code.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 128;
/// Bytes of a row, and of all rows, of a stage; a row has four chunks of 128 bits.
constexpr u32 kRowBytes = kBitPitch / 8, kStage = 2 * kBitBlock * kRowBytes, kStages = 4;
constexpr u32 kShared = kStages * kStage;
static_assert(kShared >= SideBins::kMax * kThreads * sizeof(u32), "the histograms take the place of the stages");
/// Products whose bits are in memory at once.
constexpr u32 kBatch = 4;

struct BinPairs {
  BinPair of[kBatch];
  u32 count;
};

/// Writes for each product of the batch the bits of 32 cells, whose bins are bytes.
__global__ void __launch_bounds__(kThreads)
    pair_bits_kernel(const u8* table, u64 words, const BinPairs batch, u32* bits) {
  const u64 w = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (w >= words) return;
  const uint4 low = reinterpret_cast<const uint4*>(table)[2 * w],
              high = reinterpret_cast<const uint4*>(table)[2 * w + 1];
  const u32 cells[8]{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  for (u32 m = 0; m < batch.count; ++m) {
    const u32 q = batch.of[m].q * 0x01010101u, r = batch.of[m].r * 0x01010101u;
    u32 word = 0;
#pragma unroll
    for (u32 c = 0; c < 8; ++c) {
      const u32 equal = __vcmpeq4(cells[c], q) | __vcmpeq4(cells[c], r);
      word |= (((equal & 0x08040201u) * 0x01010101u) >> 24) << (4 * c);  // a bit of each byte, side by side
    }
    bits[m * words + w] = word;
  }
}

// Devices before 8.0, which the host refuses (has_bit_products()), have none of the following.

/// 16 bytes to shared memory, behind the computation.
__device__ __forceinline__ void copy_chunk(u32 to, const void* from) {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                                                : "memory");))
}
__device__ __forceinline__ void end_copies() {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.commit_group;" ::: "memory");))
}
/// Waits for all but the latest kLeft groups of copies.
template <u32 kLeft>
__device__ __forceinline__ void await_copies() {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");))
}

/// Four 8 x 128 matrices of bits, whose rows are those of the 32 lanes' addresses.
__device__ __forceinline__ void load_bits(u32* to, u32 from) {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                                                : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                                                : "r"(from)
                                                : "memory");))
}

/// sums += the number of common bits of 16 rows and 8 columns, 256 of each: words of rows 0-7 and 8-15, first half and
/// second; of columns, likewise. On earlier devices it ends the kernel.
__device__ __forceinline__ void count_common(int (&sums)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
                    (asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                                  "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                  : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                                  : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));),
                    (__trap();))
}

/// A tile: rows i of i0, rows j of j0 as columns, over all k beyond j0.
class BitTile {
 public:
  __device__ BitTile(unsigned char* shared, const u8* bits, u32 pitch, u32 i0, u32 j0)
      : stages_(static_cast<u32>(__cvta_generic_to_shared(shared))),
        bits_(bits),
        pitch_(pitch),
        i0_(i0),
        j0_(j0),
        first_(j0 / kBitPitch),
        steps_(pitch / kBitPitch - first_) {}

  /// First row and column of this warp.
  __device__ static u32 row() { return threadIdx.x / 32 % 2 * 64; }
  __device__ static u32 column() { return threadIdx.x / 64 * 64; }

  /// sums [rows of 16][columns of 8] become the numbers of common bits.
  __device__ __forceinline__ void multiply(int (&sums)[4][8][4]) const {
    for (u32 s = 0; s < kStages - 1; ++s) {
      if (s < steps_) load(s);
      end_copies();
    }
    for (u32 s = 0; s < steps_; ++s) {
      await_copies<kStages - 2>();
      __syncthreads();  // all have copied stage s, and are done with the one that the next copies replace
      if (s + kStages - 1 < steps_) load(s + kStages - 1);
      end_copies();
      add_stage(stages_ + s % kStages * kStage, sums);
    }
    await_copies<0>();
    __syncthreads();
  }

 private:
  /// Where chunk c of a row is: eight rows of one chunk are in different banks.
  __device__ static u32 place(u32 row, u32 chunk) { return row * kRowBytes + (chunk ^ (row / 2 % 4)) * 16; }

  __device__ __forceinline__ void load(u32 s) const {
    const u32 to = stages_ + s % kStages * kStage;
#pragma unroll
    for (u32 k = 0; k < kStage / 16 / kThreads; ++k) {
      const u32 c = k * kThreads + threadIdx.x, row = c / 4,
                point = row < kBitBlock ? i0_ + row : j0_ + row - kBitBlock;
      copy_chunk(to + place(row, c % 4), bits_ + u64{point} * (pitch_ / 8) + (first_ + s) * kRowBytes + c % 4 * 16);
    }
  }

  __device__ __forceinline__ void add_stage(u32 stage, int (&sums)[4][8][4]) const {
    const u32 a = row() + threadIdx.x % 32, b = kBitBlock + column() + threadIdx.x % 32;
#pragma unroll
    for (u32 chunk = 0; chunk < 4; chunk += 2) {
      u32 row_low[8], row_high[8], column_low[8], column_high[8];
#pragma unroll
      for (u32 h = 0; h < 2; ++h) {
        load_bits(row_low + 4 * h, stage + place(a + 32 * h, chunk));
        load_bits(row_high + 4 * h, stage + place(a + 32 * h, chunk + 1));
        load_bits(column_low + 4 * h, stage + place(b + 32 * h, chunk));
        load_bits(column_high + 4 * h, stage + place(b + 32 * h, chunk + 1));
      }
#pragma unroll
      for (u32 m = 0; m < 4; ++m) {
#pragma unroll
        for (u32 q = 0; q < 8; ++q) {
          count_common(sums[m][q], row_low[2 * m], row_low[2 * m + 1], row_high[2 * m], row_high[2 * m + 1],
                       column_low[q], column_high[q]);
        }
      }
    }
  }

  u32 stages_;
  const u8* bits_;
  u32 pitch_, i0_, j0_, first_, steps_;
};

/// Bins of pairs that are none, i >= j or beyond n, are kNoBin.
template <class M>
__global__ void __launch_bounds__(kThreads, 2)
    bit_products_kernel(const __grid_constant__ M map, const GridPiece launch, const u8* bits, const u8* table,
                        u32 pitch, u32 n, u32 bins, unsigned long long* sums) {
  extern __shared__ uint4 memory[];
  u32* const histograms = reinterpret_cast<u32*>(memory);  // [bins][thread]
  const u32 lane = threadIdx.x % 32;
  Position position;
  if (!block_share(launch, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    const u32 i0 = walk.tile().col * kBitBlock, j0 = walk.tile().row * kBitBlock;
    int cells[4][8][4] = {};
    const BitTile tile(reinterpret_cast<unsigned char*>(memory), bits, pitch, i0, j0);
    tile.multiply(cells);
    for (u32 p = 0; p < bins; ++p) histograms[p * kThreads + threadIdx.x] = 0;
    const auto add = [&](u32 bin, int count) {
      if (bin != kNoBin) atomicAdd(histograms + bin * kThreads + threadIdx.x, static_cast<u32>(count));
    };
#pragma unroll
    for (u32 r = 0; r < 8; ++r) {  // rows of eight
      const u32 i = i0 + BitTile::row() + 8 * r + lane / 4;
      const u8* of_row = table + u64{i} * pitch + j0 + BitTile::column() + lane % 4 * 2;
#pragma unroll
      for (u32 q = 0; q < 8; ++q) {
        const uchar2 two = *reinterpret_cast<const uchar2*>(of_row + 8 * q);
        add(two.x, cells[r / 2][q][r % 2 * 2]), add(two.y, cells[r / 2][q][r % 2 * 2 + 1]);
      }
    }
    __syncthreads();
    for (u32 p = threadIdx.x / 32; p < bins; p += kThreads / 32) {
      unsigned long long sum = 0;
#pragma unroll
      for (u32 t = 0; t < kThreads; t += 32) sum += histograms[p * kThreads + t + lane];
#pragma unroll
      for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
      if (lane == 0 && sum != 0) atomicAdd(sums + p, sum);
    }
    __syncthreads();  // before the next tile's stages
  }
}

}  // namespace

BinPair bins_of_product(u32 product) {
  u32 r = 0;
  while (product > r) product -= ++r;
  return {product, r};
}

bool has_bit_products(int device) { return has_code(&bit_products_kernel<AnyTriangleMap>, device, 8); }

u64 bit_products_bytes(u64 n) {
  const u64 side = bit_pitch(static_cast<u32>(n));
  return kBatch * side * side / 8;
}

PreparedLaunch prepare_bit_products(TriangleMapId id, u32 n, u32 bins, const u8* table, unsigned long long* sums,
                                    const GridCut& cut) {
  const u32 pitch = bit_pitch(n), products = bit_products(bins), batches = (products + kBatch - 1) / kBatch;
  const u64 words = u64{pitch} * pitch / 32;
  const auto bits = std::make_shared<DeviceBuffer<u32>>(words * kBatch);
  const auto multiply = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, u32 product) {
    const auto kernel = &bit_products_kernel<std::decay_t<decltype(map)>>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    const u8* of_product = reinterpret_cast<const u8*>(bits->data() + product % kBatch * words);
    kernel<<<grid_of(piece), kThreads, kShared, stream>>>(map, piece, of_product, table, pitch, n, bins,
                                                          sums + u64{product} * bins);
    check_launch("products of bits");
  };
  GridCut of_batch = cut;
  of_batch.slices = (cut.slices + batches - 1) / batches;
  const Prepared<u32> work =
      prepare_on_map<u32>(id, n, kBitBlock, of_batch.workers(2 * multiprocessors()), on_kernel_map(multiply), of_batch);
  PreparedLaunch all;
  all.launched = work.launched, all.useful = work.useful;
  all.launches = batches * work.launches;
  all.launch = [=](cudaStream_t stream, u32 k) {
    const u32 first = k / work.launches * kBatch, end = first + kBatch < products ? first + kBatch : products;
    if (k % work.launches == 0) {
      BinPairs batch{{}, end - first};
      for (u32 p = first; p < end; ++p) batch.of[p - first] = bins_of_product(p);
      pair_bits_kernel<<<static_cast<u32>((words + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
          table, words, batch, bits->data());
      check_launch("bits of pairs");
    }
    for (u32 p = first; p < end; ++p) work.launch(stream, k % work.launches, p);
  };
  return all;
}

}  // namespace tri::cuda
