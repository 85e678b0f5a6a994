#include "sim/backend/bench_case.hpp"

#include <chrono>

namespace tri {

u64 BenchCase::run_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  u64 times = 0;
  do {
    run();
    ++times;
  } while (std::chrono::steady_clock::now() < end);
  return times;
}

}  // namespace tri
