#pragma once
/// Where ranks run: their machines, cores and threads.

#include <string>
#include <vector>

#include "sim/backend/communicator.hpp"

namespace tri {

struct RankPlace {
  std::string host;    ///< the machine's name
  std::string cores;   ///< the cores that the rank may use, as "0-3,8"
  u32 host_cores = 1;  ///< of the machine
  u32 threads = 1;     ///< that it uses unless --threads says otherwise
};

/// Threads for a rank of a cpu backend: usable_threads(), but where ranks share cores, an equal part of the machine's.
/// OMP_NUM_THREADS has the last word.
u32 threads_of_rank(const Communicator& ranks);

/// The places of all ranks; a call that every rank makes.
std::vector<RankPlace> gather_places(Communicator& ranks);

/// "0-3,8" for {0, 1, 2, 3, 8}; rising numbers.
std::string ranges_text(const std::vector<u32>& numbers);

}  // namespace tri
