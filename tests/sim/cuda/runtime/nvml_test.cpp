// The device meters, driven by a table of functions that replaces NVML: no GPU is needed.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "sim/cuda/runtime/nvml.hpp"

namespace tri {
namespace {

using Words = std::vector<std::string>;

/// The GPU that the fake functions describe. The sampling thread may read everything.
struct FakeCard {
  std::atomic<int> init_status{0}, pci_status{0}, energy_status{0}, power_status{0}, clock_status{0};
  std::atomic<int> sessions{0}, samples{0};
  std::atomic<unsigned long long> millijoules{0}, reasons{0};
  std::atomic<unsigned> milliwatts{0}, sm_mhz{0}, memory_mhz{0}, celsius{0}, mig{0};
  std::string asked_for;
  std::vector<nvml::Process> processes;
};
FakeCard* card = nullptr;
constexpr int kNotSupported = 3;
int position = 0;  ///< its address is the handle

nvml::Api full_api() {
  nvml::Api api;
  api.init = [] {
    if (card->init_status == 0) ++card->sessions;
    return card->init_status.load();
  };
  api.shutdown = [] { return --card->sessions, 0; };
  api.device_by_pci = [](const char* id, nvml::Device* device) {
    card->asked_for = id;
    *device = &position;
    return card->pci_status.load();
  };
  api.error_string = [](nvml::Status status) { return status == kNotSupported ? "Not Supported" : "Unknown Error"; };
  api.clock = [](nvml::Device device, int type, unsigned* mhz) {
    EXPECT_EQ(device, &position);
    *mhz = type == nvml::kClockSm ? card->sm_mhz : card->memory_mhz;
    return card->clock_status.load();
  };
  api.power = [](nvml::Device, unsigned* milliwatts) {
    ++card->samples;
    *milliwatts = card->milliwatts;
    return card->power_status.load();
  };
  api.energy = [](nvml::Device, unsigned long long* millijoules) {
    *millijoules = card->millijoules;
    return card->energy_status.load();
  };
  api.temperature = [](nvml::Device, int, unsigned* celsius) { return *celsius = card->celsius, 0; };
  api.reasons = [](nvml::Device, unsigned long long* bits) { return *bits = card->reasons, 0; };
  api.processes = [](nvml::Device, unsigned* count, nvml::Process* to) {
    if (*count < card->processes.size()) return 7;  // too small
    *count = static_cast<unsigned>(card->processes.size());
    std::copy(card->processes.begin(), card->processes.end(), to);
    return 0;
  };
  api.mig_mode = [](nvml::Device, unsigned* current, unsigned* pending) { return *current = *pending = card->mig, 0; };
  return api;
}

class NvmlMeterTest : public testing::Test {
 protected:
  void SetUp() override {
    card = &card_;
    card_.milliwatts = 250'000, card_.sm_mhz = 1500, card_.memory_mhz = 2600, card_.celsius = 41;
  }

  static std::unique_ptr<DeviceMeter> meter(const nvml::Api& api, std::chrono::microseconds every) {
    std::string why_not;
    auto made = make_nvml_meter(api, "0000:3b:00.0", why_not, every);
    EXPECT_NE(made, nullptr) << why_not;
    return made;
  }
  static std::string refusal(const nvml::Api& api) {
    std::string why_not;
    EXPECT_EQ(make_nvml_meter(api, "0000:3b:00.0", why_not), nullptr);
    return why_not;
  }
  /// Waits until the sampling thread has taken this many more samples.
  void wait_for_samples(int more) const {
    const int wanted = card_.samples + more;
    for (int i = 0; card_.samples < wanted && i < 10000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_GE(card_.samples.load(), wanted);
  }

  static constexpr std::chrono::microseconds kOften{500}, kNever{std::chrono::hours(1)};
  FakeCard card_;
};

TEST_F(NvmlMeterTest, ReadsTheDevice) {
  {
    const auto m = meter(full_api(), kNever);
    EXPECT_EQ(card_.asked_for, "0000:3b:00.0");
    EXPECT_EQ(card_.sessions, 1);
    card_.millijoules = 1'000'000;
    m->begin();
    card_.millijoules = 1'012'500;
    card_.celsius = 55;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const MeterReading r = m->end();
    EXPECT_GE(r.seconds, 0.005);
    EXPECT_LT(r.seconds, 5.0);
    EXPECT_DOUBLE_EQ(r.energy_j.value(), 12.5);  // the counter's, not the 250 W of the samples
    EXPECT_DOUBLE_EQ(r.power_w.value(), 12.5 / r.seconds);
    EXPECT_EQ(r.clock_mhz, 1500.0);
    EXPECT_EQ(r.clock_low_mhz, 1500.0);
    EXPECT_EQ(r.memory_clock_mhz, 2600.0);
    EXPECT_EQ(r.temperature_c, 55.0);
    EXPECT_TRUE(r.throttling.empty());
  }
  EXPECT_EQ(card_.sessions, 0);
}

TEST_F(NvmlMeterTest, SamplesWhileASpanIsOpenAndThenNoMore) {
  const auto m = meter(full_api(), kOften);
  const int closed = card_.samples;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(card_.samples, closed) << "before a span";
  m->begin();
  card_.reasons = nvml::kReasonPowerCap, card_.sm_mhz = 1200;
  wait_for_samples(3);
  card_.reasons = nvml::kReasonThermal, card_.sm_mhz = 1800;
  wait_for_samples(20);
  card_.reasons = 0;
  const MeterReading first = m->end();
  EXPECT_EQ(first.throttling, (Words{"power cap", "temperature"}));
  EXPECT_EQ(first.clock_low_mhz, 1200.0);
  const int ended = card_.samples;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(card_.samples, ended) << "after a span";
  m->begin();
  wait_for_samples(2);
  const MeterReading second = m->end();
  EXPECT_TRUE(second.throttling.empty()) << "of the span before";
  EXPECT_EQ(second.clock_low_mhz, 1800.0);
}

/// Anything that makes the counter useless: integrates power over time.
TEST_F(NvmlMeterTest, PowerOverTimeWhereTheCounterFails) {
  const auto check = [&](const char* what, const nvml::Api& api, auto&& between) {
    card_.millijoules = 5'000'000, card_.energy_status = 0;
    const auto m = meter(api, kOften);
    m->begin();
    wait_for_samples(3);
    between();
    const MeterReading r = m->end();
    ASSERT_TRUE(r.energy_j) << what;
    EXPECT_NEAR(*r.energy_j, 250.0 * r.seconds, 1e-9 + 1e-6 * r.seconds) << what;
    EXPECT_NEAR(r.power_w.value(), 250.0, 1e-3) << what;
  };
  nvml::Api without = full_api();
  without.energy = nullptr;
  check("no such function", without, [] {});
  check("refused on the way", full_api(), [&] { card_.energy_status = kNotSupported; });
  check("counted backwards", full_api(), [&] { card_.millijoules = 10; });
  EXPECT_GT(meter(without, kNever)->min_energy_seconds(), meter(full_api(), kNever)->min_energy_seconds());
}

TEST_F(NvmlMeterTest, WhatIsMissingIsNotSet) {
  nvml::Api bare = full_api();
  bare.energy = nullptr, bare.power = nullptr, bare.temperature = nullptr, bare.reasons = nullptr;
  bare.mig_mode = nullptr, bare.error_string = nullptr;
  const auto m = meter(bare, kNever);
  m->begin();
  const MeterReading r = m->end();
  EXPECT_FALSE(r.energy_j || r.power_w || r.temperature_c);
  EXPECT_EQ(r.clock_mhz, 1500.0);
  card_.clock_status = kNotSupported;
  m->begin();
  EXPECT_FALSE(m->end().clock_mhz) << "a meter that fails on the way reports less";
}

TEST_F(NvmlMeterTest, ErrorsGiveTheReason) {
  card_.pci_status = kNotSupported;
  EXPECT_EQ(refusal(full_api()), "NVML does not find the GPU at 0000:3b:00.0: Not Supported (NVML status 3)");
  card_.pci_status = 0, card_.mig = nvml::kMigEnabled;
  EXPECT_NE(refusal(full_api()).find("MIG"), std::string::npos);
  card_.mig = 0;
  nvml::Api nothing = full_api();
  nothing.energy = nullptr, nothing.power = nullptr, nothing.clock = nullptr, nothing.temperature = nullptr;
  EXPECT_EQ(refusal(nothing), "NVML provides no meters for the GPU at 0000:3b:00.0");
  EXPECT_EQ(card_.sessions, 0) << "a refused meter leaves NVML as it was";
  card_.init_status = 9;
  EXPECT_EQ(refusal(full_api()), "NVML does not start: Unknown Error (NVML status 9)");
  EXPECT_EQ(card_.sessions, 0);
  nvml::Api silent = full_api();
  silent.error_string = nullptr;
  EXPECT_EQ(refusal(silent), "NVML does not start: NVML status 9");
}

TEST_F(NvmlMeterTest, ListsProcessesIfItKnowsThisOne) {
  card_.processes = {{41, u64{3} << 30, 0, 0}, {7, ~0ULL, 0, 0}, {42, 5, 0, 0}};
  const std::vector<DeviceProcess> found = nvml_processes(full_api(), "0000:3b:00.0", 42);
  EXPECT_EQ(card_.asked_for, "0000:3b:00.0");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].pid, 41u);
  EXPECT_EQ(found[0].bytes, u64{3} << 30);
  EXPECT_EQ(found[1].bytes, 0u) << "unknown";
  EXPECT_TRUE(nvml_processes(full_api(), "0000:3b:00.0", 43).empty()) << "numbers of another namespace";
  nvml::Api old = full_api();
  old.processes = nullptr;
  EXPECT_TRUE(nvml_processes(old, "0000:3b:00.0", 42).empty());
  card_.processes.resize(5000);
  EXPECT_TRUE(nvml_processes(full_api(), "0000:3b:00.0", 42).empty());
  card_.processes.clear(), card_.pci_status = kNotSupported;
  EXPECT_TRUE(nvml_processes(full_api(), "0000:3b:00.0", 42).empty());
  card_.init_status = 9;
  EXPECT_TRUE(nvml_processes(full_api(), "0000:3b:00.0", 42).empty());
  EXPECT_EQ(card_.sessions, 0);
}

TEST_F(NvmlMeterTest, ASpanThatIsNotEndedEndsWithTheMeter) {
  {
    const auto m = meter(full_api(), kOften);
    m->begin();
    wait_for_samples(1);
    m->begin();  // joins the thread of the first span
    wait_for_samples(1);
  }
  const int ended = card_.samples;
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(card_.samples, ended) << "a thread outlived the meter";
}

TEST(NvmlApi, NewestNamesFirstAndOlderOnesWhereTheyAreMissing) {
  std::map<std::string, void*> symbols;
  int marks[32] = {};
  const auto mark = [&](const char* name) { return symbols[name] = &marks[symbols.size()]; };
  const auto find = [&](const char* name) { return symbols.count(name) != 0 ? symbols[name] : nullptr; };
  nvml::Api api;
  EXPECT_EQ(nvml::api_from(find, api).reason, "NVML has no function nvmlInit");
  void* old_init = mark("nvmlInit");
  EXPECT_EQ(nvml::api_from(find, api).reason, "NVML has no function nvmlShutdown");
  mark("nvmlShutdown");
  EXPECT_EQ(nvml::api_from(find, api).reason, "NVML has no function nvmlDeviceGetHandleByPciBusId");
  mark("nvmlDeviceGetHandleByPciBusId");
  void* old_reasons = mark("nvmlDeviceGetCurrentClocksThrottleReasons");
  ASSERT_TRUE(nvml::api_from(find, api));
  EXPECT_EQ(reinterpret_cast<void*>(api.init), old_init);
  EXPECT_EQ(reinterpret_cast<void*>(api.reasons), old_reasons);
  EXPECT_EQ(api.energy, nullptr);
  void* new_init = mark("nvmlInit_v2");
  void* new_reasons = mark("nvmlDeviceGetCurrentClocksEventReasons");
  ASSERT_TRUE(nvml::api_from(find, api));
  EXPECT_EQ(reinterpret_cast<void*>(api.init), new_init);
  EXPECT_EQ(reinterpret_cast<void*>(api.reasons), new_reasons);
}

TEST(NvmlApi, ALibraryThatIsNotThereIsNamed) {
  nvml::Api api;
  const Availability loaded = nvml::load(api, "libno-such-library.so.1");
  EXPECT_FALSE(loaded);
  EXPECT_NE(loaded.reason.find("libno-such-library.so.1 is missing"), std::string::npos) << loaded.reason;
}

MeterSample at(double time, double watts) { return {time, watts, {}, {}, {}}; }

TEST(MeterSamples, PowerOverTime) {
  MeterSamples s;
  EXPECT_FALSE(s.energy_j(0, 1));
  s.add(at(1, 100));
  EXPECT_DOUBLE_EQ(s.energy_j(0, 4).value(), 400);  // level before and after
  s.add({1.5, {}, 1000, {}, {}});                   // a sample without a power reading
  s.add(at(3, 200));
  s.add(at(4, 400));
  EXPECT_DOUBLE_EQ(s.energy_j(0, 6).value(), 100 + 300 + 300 + 800);
}

TEST(MeterSamples, MedianAndLowestClock) {
  MeterSamples s;
  for (const u32 mhz : {1980u, 1200u, 1980u, 1500u}) s.add({0, {}, mhz, 2619, {}});
  MeterReading r;
  s.fill(r);
  EXPECT_EQ(r.clock_mhz, 1740.0);  // between 1500 and 1980
  EXPECT_EQ(r.clock_low_mhz, 1200.0);
  EXPECT_EQ(r.memory_clock_mhz, 2619.0);
  s.add({0, {}, 1500, {}, {}});
  s.fill(r);
  EXPECT_EQ(r.clock_mhz, 1500.0);
  MeterReading none;
  MeterSamples().fill(none);
  EXPECT_FALSE(none.clock_mhz || none.clock_low_mhz || none.memory_clock_mhz);
}

TEST(MeterSamples, IdleClocksCountOnlyAmongThemselves) {
  MeterSamples s;
  s.add({0, {}, 345, 100, nvml::kReasonIdle});
  MeterReading r;
  s.fill(r);
  EXPECT_EQ(r.clock_mhz, 345.0);
  s.add({0, {}, 1980, 2619, u64{0}});
  s.fill(r);
  EXPECT_EQ(r.clock_mhz, 1980.0);
  EXPECT_EQ(r.clock_low_mhz, 1980.0);
  EXPECT_EQ(r.memory_clock_mhz, 2619.0);
  EXPECT_TRUE(r.throttling.empty());
}

TEST(MeterSamples, EachReasonHasItsPhrase) {
  EXPECT_EQ(throttle_phrases(0), Words{});
  EXPECT_EQ(throttle_phrases(nvml::kReasonIdle), Words{});
  EXPECT_EQ(throttle_phrases(0x2), Words{"application clocks setting"});
  EXPECT_EQ(throttle_phrases(0x4), Words{"power cap"});
  EXPECT_EQ(throttle_phrases(0x8), Words{"hardware slowdown"});
  EXPECT_EQ(throttle_phrases(0x10), Words{"sync boost"});
  EXPECT_EQ(throttle_phrases(0x20), Words{"temperature"});
  EXPECT_EQ(throttle_phrases(0x48), Words{"temperature (hardware slowdown)"});
  EXPECT_EQ(throttle_phrases(0x88), Words{"power brake"});
  EXPECT_EQ(throttle_phrases(0x100), Words{"display clocks setting"});
  EXPECT_EQ(throttle_phrases(0x1025), (Words{"power cap", "temperature", "reason 0x1000"}));
}

}  // namespace
}  // namespace tri
