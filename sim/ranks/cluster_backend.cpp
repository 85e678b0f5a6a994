#include "sim/ranks/cluster_backend.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "sim/backend/bench.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/ranks/packet.hpp"

namespace tri {
namespace {

class ClusterBenchCase final : public BenchCase {
 public:
  ClusterBenchCase(RankLeader::Calls& calls, const Packet& packet,
                   const std::function<std::unique_ptr<BenchCase>()>& make)
      : calls_(calls), number_(calls.next_number()) {
    calls_.call(Order::make_bench, number_, packet, [&] { own_ = make(); });
  }
  ~ClusterBenchCase() override { calls_.tell(Order::drop_bench, number_); }

  double run() override {
    double ms = 0;
    calls_.call(Order::run_bench, number_, {}, [&] { ms = run_with_all(calls_.ranks, *own_); });
    return ms;
  }
  u64 run_for(double seconds) override {
    u64 times = 0;
    calls_.call(Order::run_bench_for, number_, packet_of(seconds), [&] { times = own_->run_for(seconds); });
    return times;
  }
  BenchCheck check() override {
    BenchCheck check;
    calls_.call(Order::check_bench, number_, {}, [&] { check = check_with_all(calls_.ranks, *own_); });
    return check;
  }
  void corrupt_output() override {
    calls_.call(Order::corrupt_bench, number_, {}, [&] { own_->corrupt_output(); });
  }
  u64 work_items() const override { return own_->work_items(); }
  std::optional<TreeWork> tree() const override { return own_->tree(); }
  u64 bytes() const override { return own_->bytes(); }
  u64 blocks_launched() const override { return own_->blocks_launched(); }
  u64 blocks_useful() const override { return own_->blocks_useful(); }
  u32 block() const override { return own_->block(); }

 private:
  RankLeader::Calls& calls_;
  u64 number_;
  std::unique_ptr<BenchCase> own_;
};

}  // namespace

std::unique_ptr<BenchCase> make_cluster_bench(RankLeader::Calls& calls, const Packet& packet,
                                              const std::function<std::unique_ptr<BenchCase>()>& make) {
  return std::make_unique<ClusterBenchCase>(calls, packet, make);
}

double run_with_all(Communicator& ranks, BenchCase& own) {
  u64 longest = 0;  // bits of numbers from 0 on have their order
  all_or_none(ranks, [&] { longest = std::bit_cast<u64>(own.run()); });
  ranks.max({&longest, 1});
  return std::bit_cast<double>(longest);
}

BenchCheck check_with_all(Communicator& ranks, BenchCase& own) {
  BenchCheck check;
  all_or_none(ranks, [&] { check = own.check(); });
  std::array<u64, 2> worst{check.passed ? u64{0} : u64{1}, std::bit_cast<u64>(check.max_rel_err)};  // NaN is largest
  ranks.max(worst);
  check.passed = worst[0] == 0, check.max_rel_err = std::bit_cast<double>(worst[1]);
  return check;
}

// The first rank: an engine and a backend that pass every call on to all ranks.

namespace {

using Calls = RankLeader::Calls;

/// A state that every rank keeps.
class ClusterKept final : public SavedState {
 public:
  explicit ClusterKept(Calls& calls) : calls_(calls), number_(calls.next_number()) {}
  ~ClusterKept() override { calls_.tell(Order::drop_kept, number_); }

  u64 bytes() const override { return own_->bytes(); }
  u64 number() const { return number_; }
  std::unique_ptr<SavedState>& own() { return own_; }
  const std::unique_ptr<SavedState>& own() const { return own_; }

 private:
  Calls& calls_;
  u64 number_;
  std::unique_ptr<SavedState> own_;
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
  ForceResult forces(bool energies) override {
    ForceResult result;
    call(Order::forces, packet_of(energies), [&] { result = own_->forces(energies); });
    return result;
  }
  JerkResult jerks() override {
    JerkResult result;
    call(Order::jerks, {}, [&] { result = own_->jerks(); });
    return result;
  }
  std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse) const override {
    // Every state that this engine is given is one that it made.
    std::unique_ptr<ClusterKept> kept(static_cast<ClusterKept*>(reuse.release()));
    if (!kept) kept = std::make_unique<ClusterKept>(calls_);
    whole();
    call(Order::save_state, packet_of(kept->number()), [&] { kept->own() = own_->save_state(std::move(kept->own())); });
    return kept;
  }
  void restore_state(const SavedState& kept) override {
    const auto& state = dynamic_cast<const ClusterKept&>(kept);
    call(Order::restore_state, packet_of(state.number()), [&] { own_->restore_state(*state.own()); });
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

// Every rank but the first: carries out orders.

namespace {

/// Ends the work of all ranks once, after a signal that this one alone got.
class InterruptSink final : public ProgressSink {
 public:
  explicit InterruptSink(const std::atomic<bool>* flag) : flag_(flag) {}
  void report(const ProgressReport&) override { look(); }
  void look() {
    if (reported_ || flag_ == nullptr || !flag_->load()) return;
    reported_ = true;
    throw InterruptedError("interrupted.");
  }

 private:
  const std::atomic<bool>* flag_;
  bool reported_ = false;
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
      participate(ranks_, watched, [&] {
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
        engine.forces(packet.take<bool>());
        return;
      case Order::jerks:
        engine.jerks();
        return;
      case Order::make_whole:
        return engine.make_whole();
      case Order::save_state: {
        auto& kept = kept_[packet.take<u64>()];
        kept = engine.save_state(std::move(kept));
        return;
      }
      case Order::restore_state:
        return engine.restore_state(*kept_.at(packet.take<u64>()));
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
      Backend& backend = read_backend(packet);
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
  Backend& read_backend(Packet& packet) {
    const auto of = packet.take<BackendOfRanks>();
    auto& backend = backends_[of.number];
    all_or_none(ranks_, [&] {
      if (!backend) backend = make_(of.name, ranks_);
    });
    return *backend;
  }

  void make_engine(u64 number, Packet& packet) {
    Backend& backend = read_backend(packet);
    const auto field = packet.take<ForceField>();
    const auto config = packet.take<EngineConfig>();
    engines_[number] = backend.make_engine(packet.take<Bodies>(), field, config);
  }

  void find_collisions(Packet& packet) {
    Backend& backend = read_backend(packet);
    const auto config = packet.take<EngineConfig>();
    const auto box = packet.take<Box>();
    backend.collisions(packet.take<Bodies>(), config, box);
  }

  void count_triplets(Packet& packet) {
    Backend& backend = read_backend(packet);
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
  std::map<u64, std::unique_ptr<SavedState>> kept_;
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
