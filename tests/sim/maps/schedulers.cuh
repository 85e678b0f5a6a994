#pragma once
/// What the three comparisons with published schedulers share: memory, times, and the ways in which blocks find their
/// positions.

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "sim/maps/work_queue.hpp"

namespace tri::schedulers {

using Half = __nv_bfloat16;
using Counter = unsigned long long;

inline bool quick = false;
inline int wrong = 0;  ///< results of ours that are not right
inline int multiprocessors = 1;

inline void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 3 : 4);
}

template <class T>
struct Array {
  T* at = nullptr;
  std::size_t count;
  explicit Array(std::size_t n) : count(n) { must(cudaMalloc(&at, (n + 1) * sizeof(T)), "memory"), zero(); }
  explicit Array(const std::vector<T>& from) : Array(from.size()) {
    must(cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  Array(const Array&) = delete;
  ~Array() { cudaFree(at); }
  void zero() { must(cudaMemset(at, 0, (count + 1) * sizeof(T)), "memset"); }
  std::vector<T> host() const {
    std::vector<T> to(count);
    must(cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost), "kernel");
    return to;
  }
};

/// The positions of a block: its own, every grid's-th from it on, or its own and then what a counter says.
enum class Way { grid, stride, queue };
inline const char* const kWays[] = {"a block a tile", "persistent, fixed", "persistent, counter"};

/// Medians of launches that take turns, in ms, after two of each that warm up. Another begins each round: the clock of
/// a GPU that gets hot slows all of them down alike.
inline std::vector<double> medians_ms(const std::vector<std::function<void()>>& launches) {
  cudaEvent_t begin, end;
  must(cudaEventCreate(&begin), "event"), must(cudaEventCreate(&end), "event");
  const std::size_t count = launches.size(), rounds = quick ? 3 : 21;
  std::vector<std::vector<float>> times(count, std::vector<float>(rounds));
  for (const auto& launch : launches) launch(), launch();
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t k = (round + turn) % count;
      must(cudaEventRecord(begin), "event");
      launches[k]();
      must(cudaEventRecord(end), "event"), must(cudaEventSynchronize(end), "kernel");
      must(cudaEventElapsedTime(&times[k][round], begin, end), "event");
    }
  }
  cudaEventDestroy(begin), cudaEventDestroy(end);
  std::vector<double> medians;
  for (auto& of : times) {
    std::nth_element(of.begin(), of.begin() + rounds / 2, of.end());
    medians.push_back(of[rounds / 2]);
  }
  return medians;
}

/// An order in one of the ways.
struct Contender {
  const char* name;
  Way way;
  bool ours;
  std::function<void()> launch;
  bool right = false;  ///< its result was
};

/// Prints the times of all; `said` adds to a line. Returns the least of ours over the least of theirs.
template <class Said>
double compare(const std::vector<Contender>& all, const Said& said) {
  std::vector<std::function<void()>> launches;
  for (const Contender& c : all) launches.push_back(c.launch);
  const std::vector<double> ms = medians_ms(launches);
  double least[2] = {1e30, 1e30};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Contender& c = all[k];
    wrong += c.ours && !c.right;
    least[c.ours] = std::min(least[c.ours], ms[k]);
    std::printf("  %-28s %-20s %9.3f ms", c.name, kWays[int(c.way)], ms[k]);
    said(ms[k]);
    std::printf("%s\n", c.right ? "" : "   WRONG");
  }
  return least[true] / least[false];
}

struct Random {
  u32 state = 12345;
  u32 next() { return (state = state * 1664525u + 1013904223u) >> 8; }
};

template <class Work>
__device__ void for_positions(Way way, u64 count, Counter* counter, const Work& work) {
  __shared__ u64 ticket;
  const WorkQueue queue(count, gridDim.x);
  for (u64 w = blockIdx.x; w < count;) {
    work(w);
    if (way == Way::grid) return;
    if (way == Way::stride) {
      w += gridDim.x;
      continue;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      ticket = atomicAdd(counter, Counter{1});
      if (queue.is_last(ticket)) *counter = 0;
    }
    __syncthreads();
    const Share run = queue.next(ticket);
    w = run.length == 0 ? count : run.first;
  }
}

inline unsigned blocks(Way way, u64 count, int resident) {
  return static_cast<unsigned>(way == Way::grid ? count : std::min<u64>(count, u64(multiprocessors) * resident));
}

inline std::vector<Half> random_half(std::size_t count) {
  std::vector<Half> out(count);
  Random random;
  for (Half& v : out) v = __float2bfloat16(float(int(random.next() >> 8) - 32768) / 32768);
  return out;
}

void attention();

}  // namespace tri::schedulers
