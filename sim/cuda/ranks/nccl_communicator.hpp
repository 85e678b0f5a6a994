#pragma once
/// Ranks that are processes with a GPU each, without MPI: NCCL carries their messages. There is no message that a rank
/// could send while another is at work, so request_stop() does nothing: a stop takes effect when the others have done
/// their parts. A rank whose process ends takes the others of its machine with it.

#include <memory>
#include <string>

#include "sim/backend/communicator.hpp"
#include "sim/cuda/ranks/nccl_api.hpp"

namespace tri::cuda {

/// What a rank knows of itself before it meets the others.
struct NcclSeat {
  u32 rank = 0, size = 1;
  u32 host_rank = 0;  ///< its number on its machine
  int device = 0;     ///< its own alone
};

/// Seconds that a rank waits for the others.
inline constexpr double kNcclMeeting = 120;

/// Every rank of the id makes one. Ends the process with a sentence if the others do not come in time. Throws
/// BackendError and CudaError.
std::unique_ptr<Communicator> make_nccl_communicator(const NcclSeat& seat, const nccl::UniqueId& id,
                                                     double within_s = kNcclMeeting);

/// The same for ranks that meet at "host:port", an address of the first one's machine. One thread of a process at a
/// time: NCCL reads the address from the environment.
std::unique_ptr<Communicator> meet_by_nccl(const NcclSeat& seat, const std::string& address,
                                           double within_s = kNcclMeeting);

}  // namespace tri::cuda
