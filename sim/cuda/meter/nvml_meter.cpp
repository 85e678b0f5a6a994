#include "sim/cuda/meter/nvml_meter.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "sim/base/clock.hpp"
#include "sim/cuda/meter/meter_samples.hpp"

namespace tri {
namespace {

/// NVML in use: init() and shutdown() are counted by the library itself.
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

/// One card, asked one question at a time. What it does not answer is not set.
class Card {
 public:
  Card(std::unique_ptr<Session> session, nvml::Device device) : session_(std::move(session)), device_(device) {}

  std::optional<double> energy_j() const {
    unsigned long long millijoules = 0;
    const auto ask = session_->api().energy;
    if (ask == nullptr || ask(device_, &millijoules) != nvml::kSuccess) return std::nullopt;
    return 1e-3 * static_cast<double>(millijoules);
  }
  std::optional<double> power_w() const {
    unsigned milliwatts = 0;
    const auto ask = session_->api().power;
    if (ask == nullptr || ask(device_, &milliwatts) != nvml::kSuccess) return std::nullopt;
    return 1e-3 * milliwatts;
  }
  std::optional<u32> clock_mhz(int type) const {
    unsigned mhz = 0;
    const auto ask = session_->api().clock;
    if (ask == nullptr || ask(device_, type, &mhz) != nvml::kSuccess) return std::nullopt;
    return mhz;
  }
  std::optional<double> temperature_c() const {
    unsigned celsius = 0;
    const auto ask = session_->api().temperature;
    if (ask == nullptr || ask(device_, nvml::kSensorGpu, &celsius) != nvml::kSuccess) return std::nullopt;
    return celsius;
  }
  std::optional<u64> reasons() const {
    unsigned long long bits = 0;
    const auto ask = session_->api().reasons;
    if (ask == nullptr || ask(device_, &bits) != nvml::kSuccess) return std::nullopt;
    return bits;
  }
  bool split() const {
    unsigned current = 0, pending = 0;
    const auto ask = session_->api().mig_mode;
    return ask != nullptr && ask(device_, &current, &pending) == nvml::kSuccess && current == nvml::kMigEnabled;
  }
  MeterSample sample(double at) const {
    return {at, power_w(), clock_mhz(nvml::kClockSm), clock_mhz(nvml::kClockMemory), reasons()};
  }

 private:
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
    stop();  // of a span that was never ended
    samples_ = {};
    try {
      stopping_ = false;
      sampler_ = std::thread([this] { sample_until_stopped(); });
    } catch (...) {
      // No thread to be had: both ends must do.
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
    // A counter that ran backwards began anew with its driver, and says nothing about this span.
    if (begin_j_ && end_j && *end_j >= *begin_j_) {
      reading.energy_j = *end_j - *begin_j_;
    } else {
      reading.energy_j = samples_.energy_j(begin_s_, end_s);
    }
    if (reading.energy_j && reading.seconds > 0) reading.power_w = *reading.energy_j / reading.seconds;
    return reading;
  }

  double least_energy_seconds() const override { return counts_energy_ ? kCounterSeconds : kPowerSeconds; }

 private:
  /// The counters of cards move every 20 to 100 ms: twenty of the longest steps leave 5 % at most.
  static constexpr double kCounterSeconds = 2.0;
  /// Power is a mean over the last second.
  static constexpr double kPowerSeconds = 10.0;

  void sample_until_stopped() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval_, [this] { return stopping_; })) add_sample();
  }

  /// Nothing of a sample that there is no memory for.
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

std::unique_ptr<DeviceMeter> make_nvml_meter(const nvml::Api& api, const std::string& pci_bus_id, std::string& why_not,
                                             std::chrono::microseconds interval) {
  auto session = std::make_unique<Session>(api);
  if (session->status() != nvml::kSuccess) {
    why_not = fmt::format("NVML does not start: {}", nvml::text_of(api, session->status()));
    return nullptr;
  }
  nvml::Device device = nullptr;
  if (const nvml::Status status = api.device_by_pci(pci_bus_id.c_str(), &device); status != nvml::kSuccess) {
    why_not = fmt::format("NVML does not show the card at {}: {}", pci_bus_id, nvml::text_of(api, status));
    return nullptr;
  }
  Card card(std::move(session), device);
  if (card.split()) {
    why_not = "the card is split into parts (MIG), and its meters count the work of all of them";
    return nullptr;
  }
  const MeterSample sample = card.sample(0);
  if (!card.energy_j() && !sample.power_w && !sample.clock_mhz && !sample.memory_clock_mhz && !card.temperature_c()) {
    why_not = fmt::format("NVML reads none of the meters of the card at {}", pci_bus_id);
    return nullptr;
  }
  return std::make_unique<NvmlMeter>(std::move(card), interval);
}

}  // namespace tri
