#include "sim/cuda/meter/nvml_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "sim/base/clock.hpp"
#include "sim/cuda/meter/meter_samples.hpp"

namespace tri {
namespace {

/// Holds NVML initialised; the library counts init() and shutdown().
class Session {
 public:
  explicit Session(const nvml::Api& api) : api_(api), status_(api.init()) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (status_ == nvml::kSuccess) (void)api_.shutdown();
  }
  nvml::Status status() const { return status_; }
  const nvml::Api& api() const { return api_; }

 private:
  nvml::Api api_;
  nvml::Status status_;
};

/// The readings of one GPU; values that it cannot provide are not set.
class Card {
 public:
  Card(std::unique_ptr<Session> session, nvml::Device device) : session_(std::move(session)), device_(device) {}

  std::optional<double> energy_j() const { return scaled(ask<unsigned long long>(session_->api().energy)); }
  std::optional<double> power_w() const { return scaled(ask<unsigned>(session_->api().power)); }
  std::optional<u32> clock_mhz(int type) const { return ask<unsigned>(session_->api().clock, type); }
  std::optional<double> temperature_c() const { return ask<unsigned>(session_->api().temperature, nvml::kSensorGpu); }
  std::optional<u64> reasons() const { return ask<unsigned long long>(session_->api().reasons); }
  bool split() const {
    unsigned current = 0, pending = 0;
    const auto ask = session_->api().mig_mode;
    return ask != nullptr && ask(device_, &current, &pending) == nvml::kSuccess && current == nvml::kMigEnabled;
  }
  MeterSample sample(double at) const {
    return {at, power_w(), clock_mhz(nvml::kClockSm), clock_mhz(nvml::kClockMemory), reasons()};
  }

 private:
  /// What the function says of this GPU; nothing where it is missing or fails.
  template <class Value, class Function, class... Which>
  std::optional<Value> ask(Function function, Which... which) const {
    Value value = 0;
    if (function == nullptr || function(device_, which..., &value) != nvml::kSuccess) return std::nullopt;
    return value;
  }
  /// From thousandths.
  template <class Value>
  static std::optional<double> scaled(const std::optional<Value>& value) {
    return value ? std::optional(1e-3 * static_cast<double>(*value)) : std::nullopt;
  }

  std::unique_ptr<Session> session_;
  nvml::Device device_;
};

/// The samples belong to the thread while it runs, and to end() after it has been joined.
class NvmlMeter final : public DeviceMeter {
 public:
  NvmlMeter(Card card, std::chrono::microseconds interval)
      : card_(std::move(card)), interval_(interval), counts_energy_(card_.energy_j().has_value()) {}
  ~NvmlMeter() override { stop(); }

  void begin() override {
    stop();  // in case the previous span was never ended
    samples_ = {};
    try {
      stopping_ = false;
      sampler_ = std::thread([this] { sample_until_stopped(); });
    } catch (...) {
      // Without a thread, the readings at both ends must suffice.
    }
    begin_j_ = card_.energy_j();
    begin_s_ = clock_s();
  }

  MeterReading end() override {
    MeterReading reading;
    const double end_s = clock_s();
    const std::optional<double> end_j = card_.energy_j();
    stop();
    add_sample();
    reading.seconds = end_s - begin_s_;
    samples_.fill(reading);
    reading.temperature_c = card_.temperature_c();
    // A counter that went backwards was reset with its driver and is invalid for this span.
    if (begin_j_ && end_j && *end_j >= *begin_j_) {
      reading.energy_j = *end_j - *begin_j_;
    } else {
      reading.energy_j = samples_.energy_j(begin_s_, end_s);
    }
    if (reading.energy_j && reading.seconds > 0) reading.power_w = *reading.energy_j / reading.seconds;
    return reading;
  }

  double min_energy_seconds() const override { return counts_energy_ ? kCounterSeconds : kPowerSeconds; }

 private:
  /// The energy counters update every 20 to 100 ms: twenty of the longest intervals bound the error by 5 %.
  static constexpr double kCounterSeconds = 2.0;
  /// Power is averaged over the last second.
  static constexpr double kPowerSeconds = 10.0;

  void sample_until_stopped() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval_, [this] { return stopping_; })) add_sample();
  }

  /// Drops the sample if there is no memory for it.
  void add_sample() noexcept {
    try {
      samples_.add(card_.sample(clock_s()));
    } catch (...) {
      return;
    }
  }

  void stop() {
    if (!sampler_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    sampler_.join();
  }

  Card card_;
  std::chrono::microseconds interval_;
  bool counts_energy_;
  std::thread sampler_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  MeterSamples samples_;
  std::optional<double> begin_j_;
  double begin_s_ = 0;
};

}  // namespace

std::unique_ptr<DeviceMeter> make_nvml_meter(const nvml::Api& api, const std::string& pci_bus_id, std::string& reason,
                                             std::chrono::microseconds interval) {
  auto session = std::make_unique<Session>(api);
  if (session->status() != nvml::kSuccess) {
    reason = fmt::format("NVML does not start: {}", nvml::text_of(api, session->status()));
    return nullptr;
  }
  nvml::Device device = nullptr;
  if (const nvml::Status status = api.device_by_pci(pci_bus_id.c_str(), &device); status != nvml::kSuccess) {
    reason = fmt::format("NVML does not find the GPU at {}: {}", pci_bus_id, nvml::text_of(api, status));
    return nullptr;
  }
  Card card(std::move(session), device);
  if (card.split()) {
    reason = "the GPU is partitioned (MIG), and its meters count the work of all partitions";
    return nullptr;
  }
  const MeterSample sample = card.sample(0);
  if (!card.energy_j() && !sample.power_w && !sample.clock_mhz && !sample.memory_clock_mhz && !card.temperature_c()) {
    reason = fmt::format("NVML provides no meters for the GPU at {}", pci_bus_id);
    return nullptr;
  }
  return std::make_unique<NvmlMeter>(std::move(card), interval);
}

std::vector<DeviceProcess> nvml_processes(const nvml::Api& api, const std::string& pci_bus_id, u32 own_pid) {
  constexpr unsigned kMost = 1024;
  const Session session(api);
  nvml::Device device = nullptr;
  if (api.processes == nullptr || session.status() != nvml::kSuccess) return {};
  if (api.device_by_pci(pci_bus_id.c_str(), &device) != nvml::kSuccess) return {};
  std::vector<nvml::Process> found(kMost);
  unsigned count = kMost;
  if (api.processes(device, &count, found.data()) != nvml::kSuccess) return {};
  found.resize(std::min(count, kMost));
  std::vector<DeviceProcess> processes;
  bool knows_this = false;
  for (const nvml::Process& process : found) {
    processes.push_back({process.pid, process.bytes == ~0ULL ? 0 : process.bytes});
    knows_this = knows_this || process.pid == own_pid;
  }
  return knows_this ? processes : std::vector<DeviceProcess>();
}

}  // namespace tri
