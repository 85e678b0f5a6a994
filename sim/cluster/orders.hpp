#pragma once
/// What the first rank sends to the others (cluster_backend.hpp): a header, then the bytes of a packet.

#include <exception>
#include <functional>

#include "sim/backend/communicator.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/platform.hpp"

namespace tri {

enum class Order : u32 {
  end,
  make_engine,   ///< backend's name and device, bodies, field, configuration
  drop_engine,   ///< no answer
  configure,     ///< configuration
  set_field,     ///< field
  advance,       ///< integrator, dt, steps
  advance_auto,  ///< integrator, AutoStep
  diagnose,
  forces,
  jerks,
  keep,        ///< number of the kept state; an earlier one of that number is reused
  bring_back,  ///< number of the kept state
  drop_kept,   ///< no answer
  places,      ///< gather_places()
  triplets,    ///< backend's name and device, configuration, n, features and values of the points, edges of the bins
};

struct OrderHeader {
  Order order = Order::end;
  u32 watched = 0;  ///< whether the first rank may be interrupted, so that all must be able to stop
  u64 number = 0;   ///< of the engine, or of the kept state to drop
  u64 bytes = 0;    ///< of the packet
};

/// Does this rank's part of a call that all ranks make, and agrees on its end (end_call()).
inline void take_part(Communicator& ranks, const std::function<void()>& part) {
  std::exception_ptr failure;
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  end_call(ranks, failure);
}

/// After a call: throws on every rank if they hold different states, which would be an error of this program or of a
/// machine.
void check_same_state(Communicator& ranks, u64 hash);

}  // namespace tri
