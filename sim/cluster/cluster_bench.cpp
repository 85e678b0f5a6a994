#include "sim/cluster/cluster_bench.hpp"

#include <array>
#include <bit>

#include "sim/backend/ranks.hpp"
#include "sim/cluster/rank_calls.hpp"

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

}  // namespace tri
