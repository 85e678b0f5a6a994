#pragma once
/// What the first rank sends to the others (cluster_backend.hpp): a header, then the bytes of a packet.

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "sim/backend/communicator.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"

namespace tri {

enum class Order : u32 {
  end,
  make_engine,   ///< backend (BackendOfRanks), field, configuration, bodies
  drop_engine,   ///< no answer
  configure,     ///< configuration
  set_field,     ///< field
  advance,       ///< integrator, dt, steps
  advance_auto,  ///< integrator, AutoStep
  diagnose,
  forces,
  jerks,
  make_whole,
  keep,          ///< number of the kept state; an earlier one of that number is reused
  bring_back,    ///< number of the kept state
  drop_kept,     ///< no answer
  drop_backend,  ///< no answer
  places,        ///< whether with devices (gather_places())
  collisions,    ///< backend, configuration, bodies
  triplets,      ///< backend, configuration, n, features and values of the points, edges of the bins
  make_bench,    ///< backend, specification; from here on all orders are those of benches
  drop_bench,    ///< no answer
  run_bench,
  run_bench_for,  ///< seconds
  check_bench,
  corrupt_bench,
};

/// A backend that every rank has. The others make theirs with the first order that needs it.
struct BackendOfRanks {
  u64 number = 0;
  std::string name;
};

struct OrderHeader {
  Order order = Order::end;
  u32 watched = 0;  ///< whether the first rank may be interrupted, so that all must be able to stop
  u64 number = 0;   ///< of the engine, or of what to drop
  u64 bytes = 0;    ///< of the packet
};

/// Reports to `outer`, if any, and ends loops when another rank asks for it.
class RankStopSink final : public ProgressSink {
 public:
  RankStopSink(Communicator& ranks, ProgressSink* outer) : ranks_(ranks), outer_(outer) {}
  void report(const ProgressReport& report) override {
    if (outer_ != nullptr) outer_->report(report);
    if (ranks_.stop_requested()) throw RankStopped();
  }

 private:
  Communicator& ranks_;
  ProgressSink* outer_;
};

/// Does this rank's part of a call that all ranks make, and agrees on its end (end_call()). watched: whether another
/// rank may end loops of the part.
inline void take_part(Communicator& ranks, bool watched, const std::function<void()>& part) {
  std::exception_ptr failure;
  RankStopSink stop(ranks, progress_sink());
  std::optional<ScopedProgressSink> bound;
  if (watched) bound.emplace(stop);
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
