/// Maps beside the schedulers that others publish, on their own shapes: right, and how fast.
///
///     nvcc -std=c++20 -O3 -arch=native -I. tests/sim/maps/schedulers*.cu -o schedulers && ./schedulers
///
/// A triangular product (QuACK), causal attention (FlashAttention 2 and 3) and a broad phase of all pairs (MuJoCo-Warp,
/// Newton): one kernel each, in which only the order of tiles differs. The index arithmetic of others is written anew
/// from what their sources do. Every time is the median of 21 launches; `quick` makes it 3, and the shapes small. Exits
/// with 1 where a result of ours is wrong, with 3 without a GPU.

#include <cstring>

#include "tests/sim/maps/schedulers.cuh"

int main(int argc, char** argv) {
  using namespace tri::schedulers;
  quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  cudaDeviceProp device{};
  must(cudaGetDeviceProperties(&device, 0), "device");
  multiprocessors = device.multiProcessorCount;
  std::printf("%s, %d multiprocessors\n", device.name, multiprocessors);
  products();
  attention();
  broad_phases();
  std::printf(wrong == 0 ? "Every result of ours is right.\n" : "%d results of ours are WRONG.\n", wrong);
  return wrong == 0 ? 0 : 1;
}
