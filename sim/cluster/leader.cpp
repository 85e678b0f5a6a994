// The first rank: an engine and a backend that pass every call on to all ranks.

#include <fmt/format.h>

#include <mutex>
#include <thread>

#include "sim/backend/bench_kernels.hpp"
#include "sim/base/memory.hpp"
#include "sim/cluster/cluster_backend.hpp"
#include "sim/cluster/cluster_bench.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "sim/cluster/orders.hpp"
#include "sim/cluster/packet.hpp"
#include "sim/cluster/rank_calls.hpp"

namespace tri {

namespace {

using Calls = RankLeader::Calls;

/// A state that every rank keeps.
class ClusterKept final : public KeptState {
 public:
  explicit ClusterKept(Calls& calls) : calls_(calls), number_(calls.next_number()) {}
  ~ClusterKept() override { calls_.tell(Order::drop_kept, number_); }

  u64 bytes() const override { return own_->bytes(); }
  u64 number() const { return number_; }
  std::unique_ptr<KeptState>& own() { return own_; }
  const std::unique_ptr<KeptState>& own() const { return own_; }

 private:
  Calls& calls_;
  u64 number_;
  std::unique_ptr<KeptState> own_;
};

class ClusterEngine final : public Engine {
 public:
  ClusterEngine(Calls& calls, const Packet& packet, const std::function<std::unique_ptr<Engine>()>& make)
      : calls_(calls), number_(calls.next_number()) {
    calls_.call(Order::make_engine, number_, packet, [&] { own_ = make(); });
  }
  ~ClusterEngine() override { calls_.tell(Order::drop_engine, number_); }

  std::size_t size() const override { return own_->size(); }
  const EngineConfig& config() const override { return own_->config(); }
  MapLimits map_limits(Domain domain) const override { return own_->map_limits(domain); }
  u64 steps_at_once() const override { return own_->steps_at_once(); }
  Bodies read() const override { return whole().read(); }
  void publish(InstanceSink& to) override { whole().publish(to); }
  u64 state_hash() const override { return whole().state_hash(); }
  Timing timing() const override { return own_->timing(); }
  RankShares shares(Domain domain) const override { return own_->shares(domain); }

  void configure(const EngineConfig& config) override {
    call(Order::configure, packet_of(config), [&] { own_->configure(config); });
  }
  void set_field(const ForceField& field) override {
    call(Order::set_field, packet_of(field), [&] { own_->set_field(field); });
  }
  void advance(Integrator integrator, double dt, u64 steps) override {
    call(Order::advance, packet_of(integrator, dt, steps), [&] { own_->advance(integrator, dt, steps); });
  }
  StepTaken advance_auto(Integrator integrator, const AutoStep& step) override {
    StepTaken taken;
    call(Order::advance_auto, packet_of(integrator, step), [&] { taken = own_->advance_auto(integrator, step); });
    return taken;
  }
  Diagnostics diagnose() override {
    Diagnostics result;
    const std::scoped_lock both(calls_.lock);
    calls_.call_locked(Order::diagnose, number_, {}, [&] { result = own_->diagnose(); });
    check_same_state(calls_.ranks, own_->state_hash());
    return result;
  }
  ForceResult forces() override {
    ForceResult result;
    call(Order::forces, {}, [&] { result = own_->forces(); });
    return result;
  }
  JerkResult jerks() override {
    JerkResult result;
    call(Order::jerks, {}, [&] { result = own_->jerks(); });
    return result;
  }
  std::unique_ptr<KeptState> keep(std::unique_ptr<KeptState> reuse) const override {
    // Every state that this engine is given is one that it made.
    std::unique_ptr<ClusterKept> kept(static_cast<ClusterKept*>(reuse.release()));
    if (!kept) kept = std::make_unique<ClusterKept>(calls_);
    whole();
    call(Order::keep, packet_of(kept->number()), [&] { kept->own() = own_->keep(std::move(kept->own())); });
    return kept;
  }
  void bring_back(const KeptState& kept) override {
    const auto& state = dynamic_cast<const ClusterKept&>(kept);
    call(Order::bring_back, packet_of(state.number()), [&] { own_->bring_back(*state.own()); });
  }

 private:
  void call(Order order, const Packet& packet, const std::function<void()>& part) const {
    calls_.call(order, number_, packet, part);
  }
  /// This rank's, with all bodies.
  Engine& whole() const {
    if (!own_->is_whole()) call(Order::make_whole, {}, [&] { own_->make_whole(); });
    return *own_;
  }

  Calls& calls_;
  u64 number_;
  std::unique_ptr<Engine> own_;
};

class ClusterBackend final : public Backend {
 public:
  ClusterBackend(Calls& calls, const std::string& name, const RankBackendMaker& make, std::shared_ptr<void> owner,
                 std::vector<std::string> names)
      : owner_(std::move(owner)),
        calls_(calls),
        names_(std::move(names)),
        own_(make(name, calls.ranks)),
        all_{calls.next_number(), name} {
    for (std::size_t r = names_.size(); r < calls_.ranks.size(); ++r) names_.push_back(fmt::format("rank {}", r));
  }
  ~ClusterBackend() override { calls_.tell(Order::drop_backend, all_.number); }

  BackendInfo info() const override {
    BackendInfo info = own_->info();
    info.ranks = calls_.ranks.size();
    if (info.ranks > 1) info.rank_names = names_;
    info.fast_repeats = false;  // shares follow the speed of the ranks
    info.detail += fmt::format(", {} rank{}", calls_.ranks.size(), calls_.ranks.size() == 1 ? "" : "s");
    return info;
  }
  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    return std::make_unique<ClusterEngine>(calls_, packet_of(all_, field, config, bodies),
                                           [&] { return own_of_all().make_engine(bodies, field, config); });
  }
  std::unique_ptr<DistanceRows> distance_rows(const PointSet& points, DistanceLayout layout,
                                              const EngineConfig& config) override {
    return own_->distance_rows(points, layout, config);
  }
  CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    if (all_.name != "cuda") return own_->collisions(bodies, config, box);  // ranks on CPUs do not share them
    CollisionResult result;
    calls_.call(Order::collisions, 0, packet_of(all_, config, box, bodies),
                [&] { result = own_of_all().collisions(bodies, config, box); });
    return result;
  }
  TripleCounts triplets(const PointSet& points, const SideBins& bins, const EngineConfig& config) override {
    TripleCounts result;
    calls_.call(Order::triplets, 0, packet_of(all_, config, points.n, points.features, points.values, bins.edges),
                [&] { result = own_of_all().triplets(points, bins, config); });
    return result;
  }
  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    if (!is_shared(spec)) return own_->make_bench(spec);
    return make_cluster_bench(calls_, packet_of(all_, spec), [&] { return own_of_all().make_bench(spec); });
  }
  std::unique_ptr<Automaton> make_automaton(const AutomatonSpec& spec) override { return own_->make_automaton(spec); }
  u64 memory_bytes() const override { return own_->memory_bytes(); }
  Tuning tune(const TuneRequest& request, const TuneListener& listener) override {
    return own_->tune(request, listener);
  }
  void use_tuning() override { own_->use_tuning(); }
  std::unique_ptr<DeviceMeter> make_meter(std::string& why_not) override { return own_->make_meter(why_not); }

 private:
  /// Once every other rank has its own, too.
  Backend& own_of_all() {
    all_or_none(calls_.ranks, [] {});
    return *own_;
  }

  std::shared_ptr<void> owner_;  ///< of the ranks, if nobody else is; goes last
  Calls& calls_;
  std::vector<std::string> names_;  ///< of the ranks
  std::unique_ptr<Backend> own_;
  BackendOfRanks all_;
};

/// Ranks that are threads of this process, and what leads them.
struct LocalTeam {
  LocalTeam(u32 size, const RankBackendMaker& make) : memory(size), ranks(make_local_ranks(size)) {
    for (u32 r = 1; r < size; ++r) {
      threads.emplace_back([&rank = *ranks[r], make] { follow(rank, make); });
    }
    leader = std::make_unique<RankLeader>(*ranks.front());
  }

  MemoryShare memory;
  std::vector<std::unique_ptr<Communicator>> ranks;
  std::vector<std::jthread> threads;
  std::unique_ptr<RankLeader> leader;  ///< ends the threads
};

}  // namespace

RankLeader::RankLeader(Communicator& ranks) : calls_(std::make_unique<Calls>(ranks)) {}
RankLeader::~RankLeader() { calls_->tell(Order::end, 0); }

std::vector<RankPlace> RankLeader::places(const DeviceOfRank& device_of) {
  std::vector<RankPlace> result;
  calls_->call(Order::places, 0, packet_of(static_cast<bool>(device_of)),
               [&] { result = gather_places(calls_->ranks, device_of); });
  return result;
}

std::unique_ptr<Backend> RankLeader::make_backend(const std::string& name, const RankBackendMaker& make,
                                                  std::shared_ptr<void> owner, std::vector<std::string> names) {
  return std::make_unique<ClusterBackend>(*calls_, name, make, std::move(owner), std::move(names));
}

std::unique_ptr<Backend> make_local_cluster(u32 size, const std::string& name, const RankBackendMaker& make,
                                            std::vector<std::string> names) {
  const auto team = std::make_shared<LocalTeam>(size, make);
  return team->leader->make_backend(name, make, team, std::move(names));
}

}  // namespace tri
