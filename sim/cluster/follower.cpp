// Every rank but the first: carries out orders.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <vector>

#include "sim/base/progress.hpp"
#include "sim/cluster/cluster_backend.hpp"
#include "sim/cluster/cluster_bench.hpp"
#include "sim/cluster/orders.hpp"
#include "sim/cluster/packet.hpp"
#include "sim/cluster/rank_places.hpp"

namespace tri {
namespace {

/// Ends the work of all ranks once, after a signal that this one alone got.
class InterruptSink final : public ProgressSink {
 public:
  explicit InterruptSink(const std::atomic<bool>* flag) : flag_(flag) {}
  void report(const ProgressReport&) override { look(); }
  void look() {
    if (told_ || flag_ == nullptr || !flag_->load()) return;
    told_ = true;
    throw InterruptedError("interrupted.");
  }

 private:
  const std::atomic<bool>* flag_;
  bool told_ = false;
};

/// What may end early, as the first rank ends it after Ctrl-C.
bool is_work(Order order) {
  constexpr Order kWork[] = {Order::make_engine, Order::advance,   Order::advance_auto,  Order::diagnose,
                             Order::forces,      Order::jerks,     Order::collisions,    Order::triplets,
                             Order::make_bench,  Order::run_bench, Order::run_bench_for, Order::check_bench};
  return std::find(std::begin(kWork), std::end(kWork), order) != std::end(kWork);
}

class Follower {
 public:
  Follower(Communicator& ranks, const RankBackendMaker& make, const DeviceOfRank& device_of,
           const std::atomic<bool>* interrupted)
      : ranks_(ranks), make_(make), device_of_(device_of), interrupt_(interrupted) {}

  void serve() {
    for (;;) {
      OrderHeader header;
      ranks_.broadcast(std::as_writable_bytes(std::span(&header, 1)), 0);
      std::vector<std::byte> bytes(header.bytes);
      if (!bytes.empty()) ranks_.broadcast(bytes, 0);
      if (header.order == Order::end) return;
      if (header.order == Order::drop_engine) {
        engines_.erase(header.number);
      } else if (header.order == Order::drop_kept) {
        kept_.erase(header.number);
      } else if (header.order == Order::drop_bench) {
        benches_.erase(header.number);
      } else if (header.order == Order::drop_backend) {
        backends_.erase(header.number);
      } else {
        answer(header, Packet(std::move(bytes)));
      }
    }
  }

 private:
  void answer(const OrderHeader& header, Packet packet) {
    const bool watched = header.watched != 0;
    std::optional<ScopedTask> named;
    if (watched) named.emplace("rank");
    const ScopedProgressSink looking(interrupt_);
    try {
      take_part(ranks_, watched, [&] {
        if (is_work(header.order)) interrupt_.look();
        carry_out(header, packet);
      });
      if (header.order == Order::diagnose) check_same_state(ranks_, engines_.at(header.number)->state_hash());
    } catch (const std::exception&) {  // the first rank tells
      if (header.order == Order::make_engine) engines_.erase(header.number);
      if (header.order == Order::make_bench) benches_.erase(header.number);
    }
  }

  void carry_out(const OrderHeader& header, Packet& packet) {
    if (header.order == Order::make_engine) return make_engine(header.number, packet);
    if (header.order == Order::triplets) return count_triplets(packet);
    if (header.order == Order::collisions) return find_collisions(packet);
    if (header.order >= Order::make_bench) return carry_out_bench(header, packet);
    if (header.order == Order::places) {
      gather_places(ranks_, packet.take<bool>() ? device_of_ : DeviceOfRank());
      return;
    }
    Engine& engine = *engines_.at(header.number);
    switch (header.order) {
      case Order::configure:
        return engine.configure(packet.take<EngineConfig>());
      case Order::set_field:
        return engine.set_field(packet.take<ForceField>());
      case Order::advance: {
        const auto integrator = packet.take<Integrator>();
        const auto dt = packet.take<double>();
        return engine.advance(integrator, dt, packet.take<u64>());
      }
      case Order::advance_auto: {
        const auto integrator = packet.take<Integrator>();
        engine.advance_auto(integrator, packet.take<AutoStep>());
        return;
      }
      case Order::diagnose:
        engine.diagnose();
        return;
      case Order::forces:
        engine.forces();
        return;
      case Order::jerks:
        engine.jerks();
        return;
      case Order::make_whole:
        return engine.make_whole();
      case Order::keep: {
        auto& kept = kept_[packet.take<u64>()];
        kept = engine.keep(std::move(kept));
        return;
      }
      case Order::bring_back:
        return engine.bring_back(*kept_.at(packet.take<u64>()));
      case Order::make_engine:
      case Order::drop_engine:
      case Order::drop_kept:
      case Order::drop_backend:
      case Order::places:
      case Order::collisions:
      case Order::triplets:
      case Order::make_bench:
      case Order::drop_bench:
      case Order::run_bench:
      case Order::run_bench_for:
      case Order::check_bench:
      case Order::corrupt_bench:
      case Order::end:
        break;
    }
    TRI_UNREACHABLE("an Order that is no call");
  }

  void carry_out_bench(const OrderHeader& header, Packet& packet) {
    if (header.order == Order::make_bench) {
      Backend& backend = take_backend(packet);
      benches_[header.number] = backend.make_bench(packet.take<BenchSpec>());
      return;
    }
    BenchCase& bench = *benches_.at(header.number);
    if (header.order == Order::run_bench) {
      run_with_all(ranks_, bench);
    } else if (header.order == Order::run_bench_for) {
      bench.run_for(packet.take<double>());
    } else if (header.order == Order::check_bench) {
      check_with_all(ranks_, bench);
    } else {
      TRI_EXPECTS(header.order == Order::corrupt_bench);
      bench.corrupt_output();
    }
  }

  /// The one that is next in the packet.
  Backend& take_backend(Packet& packet) {
    const auto of = packet.take<BackendOfRanks>();
    auto& backend = backends_[of.number];
    all_or_none(ranks_, [&] {
      if (!backend) backend = make_(of.name, ranks_);
    });
    return *backend;
  }

  void make_engine(u64 number, Packet& packet) {
    Backend& backend = take_backend(packet);
    const auto field = packet.take<ForceField>();
    const auto config = packet.take<EngineConfig>();
    engines_[number] = backend.make_engine(packet.take<Bodies>(), field, config);
  }

  void find_collisions(Packet& packet) {
    Backend& backend = take_backend(packet);
    const auto config = packet.take<EngineConfig>();
    const auto box = packet.take<Box>();
    backend.collisions(packet.take<Bodies>(), config, box);
  }

  void count_triplets(Packet& packet) {
    Backend& backend = take_backend(packet);
    const auto config = packet.take<EngineConfig>();
    PointSet points;
    packet.take(points.n);
    packet.take(points.features);
    packet.take(points.values);
    SideBins bins;
    packet.take(bins.edges);
    backend.triplets(points, bins, config);
  }

  Communicator& ranks_;
  const RankBackendMaker& make_;
  const DeviceOfRank& device_of_;
  InterruptSink interrupt_;
  std::map<u64, std::unique_ptr<Backend>> backends_;
  std::map<u64, std::unique_ptr<Engine>> engines_;
  std::map<u64, std::unique_ptr<KeptState>> kept_;
  std::map<u64, std::unique_ptr<BenchCase>> benches_;
};

}  // namespace

void follow(Communicator& ranks, const RankBackendMaker& make, const DeviceOfRank& device_of,
            const std::atomic<bool>* interrupted) {
  try {
    Follower(ranks, make, device_of, interrupted).serve();
  } catch (...) {  // between two calls, where the first rank does not listen
    end_all(ranks, std::current_exception());
  }
}

void check_same_state(Communicator& ranks, u64 hash) {
  std::vector<u64> hashes(ranks.size(), 0);
  hashes[ranks.rank()] = hash;
  ranks.max(hashes);
  const auto count = [&](u64 of) { return std::count(hashes.begin(), hashes.end(), of); };
  const auto least = [&](u64 a, u64 b) { return count(a) < count(b); };
  const u64 usual = *std::max_element(hashes.begin(), hashes.end(), least);
  const auto odd = std::find_if(hashes.begin(), hashes.end(), [&](u64 of) { return of != usual; });
  if (odd == hashes.end()) return;
  throw Error(ExitCode::check_failed,
              fmt::format("rank {} holds another state than the other ranks: a fault of its memory or processor, or of "
                          "this program. Restart from the last snapshot without it.",
                          odd - hashes.begin()));
}

}  // namespace tri
