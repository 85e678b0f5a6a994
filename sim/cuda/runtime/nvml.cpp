#include "sim/cuda/runtime/nvml.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <condition_variable>
#include <initializer_list>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "sim/base/progress.hpp"

namespace tri::nvml {
namespace {

using Find = std::function<void*(const char*)>;

/// Sets the function to the first of the names that exists.
template <class Function>
void resolve(const Find& find, Function*& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (function == nullptr) function = reinterpret_cast<Function*>(find(name));
  }
}

}  // namespace

Availability api_from(const Find& find, Api& api) {
  api = {};
  resolve(find, api.init, {"nvmlInit_v2", "nvmlInit"});
  resolve(find, api.shutdown, {"nvmlShutdown"});
  resolve(find, api.device_by_pci, {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"});
  if (api.init == nullptr) return {false, "NVML has no function nvmlInit"};
  if (api.shutdown == nullptr) return {false, "NVML has no function nvmlShutdown"};
  if (api.device_by_pci == nullptr) return {false, "NVML has no function nvmlDeviceGetHandleByPciBusId"};
  resolve(find, api.error_string, {"nvmlErrorString"});
  resolve(find, api.clock, {"nvmlDeviceGetClockInfo"});
  resolve(find, api.power, {"nvmlDeviceGetPowerUsage"});
  resolve(find, api.energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  resolve(find, api.temperature, {"nvmlDeviceGetTemperature"});
  // Renamed with driver 535; the bits are the same.
  resolve(find, api.reasons, {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  resolve(find, api.mig_mode, {"nvmlDeviceGetMigMode"});
  resolve(find, api.processes, {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"});
  return {true, ""};
}

Availability load(Api& api, const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return {false, fmt::format("the GPU's meters are read through NVML, but {} is missing; it comes with the NVIDIA "
                               "driver",
                               library)};
  }
  return api_from([handle](const char* name) { return dlsym(handle, name); }, api);
}

std::string text_of(const Api& api, Status status) {
  const char* text = api.error_string != nullptr ? api.error_string(status) : nullptr;
  return text != nullptr ? fmt::format("{} (NVML status {})", text, status) : fmt::format("NVML status {}", status);
}

}  // namespace tri::nvml

namespace tri {
namespace {

/// For an even number of samples, the mean of the middle two.
double median(const std::map<u32, u64>& histogram) {
  u64 count = 0;
  for (const auto& [mhz, samples] : histogram) count += samples;
  const auto at = [&](u64 rank) {
    u64 below = 0;
    for (const auto& [mhz, samples] : histogram) {
      if (rank < (below += samples)) return mhz;
    }
    return u32{0};
  };
  return 0.5 * (static_cast<double>(at((count - 1) / 2)) + static_cast<double>(at(count / 2)));
}

}  // namespace

void MeterSamples::add(const MeterSample& sample) {
  if (sample.power_w) {
    const PowerPoint point{sample.at, *sample.power_w};
    if (last_power_) joules_ += 0.5 * (last_power_->watts + point.watts) * (point.at - last_power_->at);
    if (!first_power_) first_power_ = point;
    last_power_ = point;
  }
  const u64 reasons = sample.reasons.value_or(0);
  const bool idle = (reasons & nvml::kReasonIdle) != 0;
  if (sample.clock_mhz) ++(idle ? idle_ : busy_)[*sample.clock_mhz];
  if (sample.memory_clock_mhz) ++(idle ? idle_memory_ : busy_memory_)[*sample.memory_clock_mhz];
  reasons_ |= reasons;
}

std::optional<double> MeterSamples::energy_j(double begin, double end) const {
  if (!first_power_) return std::nullopt;
  return joules_ + first_power_->watts * (first_power_->at - begin) + last_power_->watts * (end - last_power_->at);
}

void MeterSamples::fill(MeterReading& reading) const {
  if (const Histogram& clocks = busy_.empty() ? idle_ : busy_; !clocks.empty()) {
    reading.clock_mhz = median(clocks);
    reading.clock_low_mhz = clocks.begin()->first;
  }
  if (const Histogram& clocks = busy_memory_.empty() ? idle_memory_ : busy_memory_; !clocks.empty()) {
    reading.memory_clock_mhz = median(clocks);
  }
  reading.throttling = throttle_phrases(reasons_);
}

std::vector<std::string> throttle_phrases(u64 reasons) {
  struct Phrase {
    u64 bit;
    const char* text;
  };
  static constexpr Phrase kPhrases[] = {
      {nvml::kReasonPowerCap, "power cap"},
      {nvml::kReasonThermal, "temperature"},
      {nvml::kReasonHardwareThermal, "temperature (hardware slowdown)"},
      {nvml::kReasonPowerBrake, "power brake"},
      {nvml::kReasonHardwareSlowdown, "hardware slowdown"},
      {nvml::kReasonSyncBoost, "sync boost"},
      {nvml::kReasonApplicationClocks, "application clocks setting"},
      {nvml::kReasonDisplayClocks, "display clocks setting"},
  };
  u64 left = reasons & ~nvml::kReasonIdle;
  if ((left & (nvml::kReasonHardwareThermal | nvml::kReasonPowerBrake)) != 0) left &= ~nvml::kReasonHardwareSlowdown;
  std::vector<std::string> phrases;
  for (const Phrase& phrase : kPhrases) {
    if ((left & phrase.bit) != 0) phrases.emplace_back(phrase.text);
    left &= ~phrase.bit;
  }
  if (left != 0) phrases.push_back(fmt::format("reason 0x{:x}", left));
  return phrases;
}

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
  constexpr unsigned kMax = 1024;
  const Session session(api);
  nvml::Device device = nullptr;
  if (api.processes == nullptr || session.status() != nvml::kSuccess) return {};
  if (api.device_by_pci(pci_bus_id.c_str(), &device) != nvml::kSuccess) return {};
  std::vector<nvml::Process> found(kMax);
  unsigned count = kMax;
  if (api.processes(device, &count, found.data()) != nvml::kSuccess) return {};
  found.resize(std::min(count, kMax));
  std::vector<DeviceProcess> processes;
  bool knows_this = false;
  for (const nvml::Process& process : found) {
    processes.push_back({process.pid, process.bytes == ~0ULL ? 0 : process.bytes});
    knows_this = knows_this || process.pid == own_pid;
  }
  return knows_this ? processes : std::vector<DeviceProcess>();
}

}  // namespace tri
