// Every rank but the first: carries out orders.

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "sim/base/progress.hpp"
#include "sim/cluster/cluster_backend.hpp"
#include "sim/cluster/orders.hpp"
#include "sim/cluster/packet.hpp"
#include "sim/cluster/rank_places.hpp"

namespace tri {
namespace {

/// Ends loops when the first rank asks for it.
class StopSink final : public ProgressSink {
 public:
  explicit StopSink(Communicator& ranks) : ranks_(ranks) {}
  void report(const ProgressReport& /*report*/) override {
    if (ranks_.stop_requested()) throw RankStopped();
  }

 private:
  Communicator& ranks_;
};

class Follower {
 public:
  Follower(Communicator& ranks, const RankBackendMaker& make) : ranks_(ranks), make_(make) {}

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
      } else {
        answer(header, Packet(std::move(bytes)));
      }
    }
  }

 private:
  void answer(const OrderHeader& header, Packet packet) {
    StopSink stop(ranks_);
    std::optional<ScopedProgressSink> bound;
    std::optional<ScopedTask> named;
    if (header.watched != 0) bound.emplace(stop), named.emplace("rank");
    try {
      take_part(ranks_, [&] { carry_out(header, packet); });
    } catch (const std::exception&) {  // the first rank tells
      if (header.order == Order::make_engine) engines_.erase(header.number);
    }
  }

  void carry_out(const OrderHeader& header, Packet& packet) {
    if (header.order == Order::make_engine) return make_engine(header.number, packet);
    if (header.order == Order::triplets) return count_triplets(packet);
    if (header.order == Order::places) {
      gather_places(ranks_);
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
        return check_same_state(ranks_, engine.state_hash());
      case Order::forces:
        engine.forces();
        return;
      case Order::jerks:
        engine.jerks();
        return;
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
      case Order::places:
      case Order::triplets:
      case Order::end:
        break;
    }
    TRI_UNREACHABLE("an Order that is no call");
  }

  /// The backend whose name and device are next in the packet.
  Backend& take_backend(Packet& packet) {
    const auto name = packet.take<std::string>();
    const auto device = packet.take<int>();
    auto& backend = backends_[{name, device}];
    if (!backend) backend = make_(name, device, ranks_);
    return *backend;
  }

  void make_engine(u64 number, Packet& packet) {
    Backend& backend = take_backend(packet);
    const auto field = packet.take<ForceField>();
    const auto config = packet.take<EngineConfig>();
    engines_[number] = backend.make_engine(packet.take<Bodies>(), field, config);
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
  std::map<std::pair<std::string, int>, std::unique_ptr<Backend>> backends_;
  std::map<u64, std::unique_ptr<Engine>> engines_;
  std::map<u64, std::unique_ptr<KeptState>> kept_;
};

}  // namespace

void follow(Communicator& ranks, const RankBackendMaker& make) { Follower(ranks, make).serve(); }

void check_same_state(Communicator& ranks, u64 hash) {
  u64 range[2] = {hash, ~hash};
  ranks.max(range);
  if (range[0] == ~range[1]) return;
  throw Error(ExitCode::check_failed,
              fmt::format("rank {} on {} holds another state than the other ranks: a fault of its memory or processor, "
                          "or of this program. Restart from the last snapshot without it.",
                          ranks.rank(), ranks.host()));
}

}  // namespace tri
