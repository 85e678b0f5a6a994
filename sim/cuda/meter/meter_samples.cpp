#include "sim/cuda/meter/meter_samples.hpp"

#include <fmt/format.h>

#include "sim/cuda/meter/nvml_api.hpp"

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

}  // namespace tri
