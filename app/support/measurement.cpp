#include "app/support/measurement.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/support/language.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

/// The text after "key ... :" in a file of such lines; empty if there is none.
std::string value_of(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

u64 kilobytes(const std::string& key) {
  std::istringstream text(value_of("/proc/meminfo", key));
  u64 value = 0;
  text >> value;
  return value * 1024;
}

}  // namespace

std::string host_name() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "";
}

std::string processor_name() {
  std::string name = value_of("/proc/cpuinfo", "model name");
  if (!name.empty()) return name;
  utsname system{};
  return uname(&system) == 0 ? system.machine : "";
}

u64 memory_bytes() { return kilobytes("MemTotal"); }

double processor_mhz() {
  std::istringstream text(value_of("/proc/cpuinfo", "cpu MHz"));
  double mhz = 0;
  text >> mhz;
  return mhz;
}

std::string nvidia_driver() {
  std::istringstream words(value_of("/proc/driver/nvidia/version", "NVRM version"));
  for (std::string word; words >> word;) {
    const bool version =
        word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos;
    if (version) return word;
  }
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::string MachineLoad::text() const { return phrase("other programs used {:.1f} of {} cores", others, cores); }

/// Busy is all but idle and waiting for a disk, also what the host of a virtual machine took.
LoadWatch::Times LoadWatch::now() {
  Times t;
  timespec clock{}, own{};
  clock_gettime(CLOCK_MONOTONIC, &clock), clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  t.at = static_cast<double>(clock.tv_sec) + 1e-9 * static_cast<double>(clock.tv_nsec);
  t.own = static_cast<double>(own.tv_sec) + 1e-9 * static_cast<double>(own.tv_nsec);
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return t;
  std::ifstream in("/proc/stat");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 3, "cpu") != 0 || line.size() < 4 || line[3] == ' ') continue;
    std::istringstream words(line.substr(3));
    int cpu = 0;
    std::array<double, 8> ticks{};  // user, nice, system, idle, iowait, irq, softirq, steal
    words >> cpu;
    for (double& v : ticks) words >> v;
    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(static_cast<std::size_t>(cpu), &usable)) continue;
    const double all = std::accumulate(ticks.begin(), ticks.end(), 0.0);
    t.busy += (all - ticks[3] - ticks[4]) / static_cast<double>(sysconf(_SC_CLK_TCK));
    ++t.cores;
  }
  return t;
}

LoadWatch::LoadWatch() : begin_(now()) {}

std::optional<MachineLoad> LoadWatch::read() const {
  constexpr double kShortest = 0.2;  // seconds
  const Times t = now();
  const double took = t.at - begin_.at, busy = t.busy - begin_.busy, own = t.own - begin_.own;
  const bool counts = busy >= 0.5 * own;  // where it does not, the file is none of a kernel
  if (took < kShortest || t.cores == 0 || t.cores != begin_.cores || !counts) return std::nullopt;
  return MachineLoad{std::clamp((busy - own) / took, 0.0, static_cast<double>(t.cores)), t.cores};
}

namespace {

std::vector<double> sorted_copy(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

double sorted_quantile(std::span<const double> sorted, double q) {
  TRI_EXPECTS(!sorted.empty() && q >= 0 && q <= 1);
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

SampleStats sample_stats(std::span<const double> samples) {
  const auto sorted = sorted_copy(samples);
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {sorted_quantile(sorted, 0.5), sorted.front(), sorted.back(), sum / static_cast<double>(sorted.size()),
          sorted_quantile(sorted, 0.75) - sorted_quantile(sorted, 0.25)};
}

Interval median_interval(std::span<const double> samples, double wanted) {
  const auto sorted = sorted_copy(samples);
  const std::size_t n = sorted.size();
  TRI_EXPECTS(n >= 1);
  if (n == 1) return {sorted[0], sorted[0], 0};
  // below = P(Bin(n, 1/2) < l), accumulated in logarithms: 2^-n underflows in double at n > 1074.
  double below = 0;
  Interval best{sorted.front(), sorted.back(), 1 - std::exp2(1 - static_cast<double>(n))};
  for (std::size_t l = 1; 2 * l <= n; ++l) {
    const double k = static_cast<double>(l - 1), total = static_cast<double>(n);
    below += std::exp(std::lgamma(total + 1) - std::lgamma(k + 1) - std::lgamma(total - k + 1) - total * std::log(2.0));
    const double covers = 1 - 2 * below;
    if (covers < wanted) break;
    best = {sorted[l - 1], sorted[n - l], covers};
  }
  return best;
}

Improvement improvement(std::span<const double> baseline, std::span<const double> other, std::size_t together) {
  TRI_EXPECTS(baseline.size() == other.size() && !baseline.empty() && together >= 1);
  std::vector<double> ratios(baseline.size());
  for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = baseline[i] / other[i];
  const auto all = static_cast<double>(together);
  Interval interval = median_interval(ratios, 1 - 0.05 / all);
  if (interval.confidence > 0) interval.confidence = std::max(0.0, 1 - all * (1 - interval.confidence));
  return {sample_stats(ratios).median, interval, together};
}

PairedFigures paired_figures(std::span<const double> baseline, std::span<const double> other, std::size_t together) {
  constexpr std::size_t kShare = 8;  // of many rounds one in so many is near enough, and its time can be a usual one
  const Improvement all = improvement(baseline, other, together);
  const double usual = sample_stats(other).median;
  std::vector<std::size_t> rounds(other.size());
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  const auto miss = [&](std::size_t i) { return std::abs(baseline[i] / other[i] - all.ratio); };
  const auto unusual = [&](std::size_t i) { return std::abs(other[i] - usual); };
  std::sort(rounds.begin(), rounds.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(miss(a), unusual(a)) < std::pair(miss(b), unusual(b));
  });
  rounds.resize(std::max<std::size_t>(1, rounds.size() / kShare));
  while (rounds.size() > 1 && !all.interval.spans(baseline[rounds.back()] / other[rounds.back()])) rounds.pop_back();
  const std::size_t best = *std::min_element(rounds.begin(), rounds.end(),
                                             [&](std::size_t a, std::size_t b) { return unusual(a) < unusual(b); });
  return {baseline[best], other[best], all};
}

void WorkTrace::add(const WorkSpan& span) {
  if (!(span.end >= span.begin)) return;
  spans_.push_back(span);
  if (spans_.size() > kMaxSpans) spans_.pop_front();
}

void WorkTrace::end_frame(const Frame& frame) {
  frames_.push_back(frame);
  if (frames_.size() > kMaxFrames) frames_.pop_front();
  // Spans of other lanes come late, but never by more than some frames: the oldest stand near the front.
  while (!spans_.empty() && spans_.front().end < frames_.front().begin) spans_.pop_front();
}

double WorkTrace::sum(WorkLane lane, double begin, double end, const char* name) const {
  double seconds = 0;
  for (const WorkSpan& s : spans_) {
    if (s.lane != lane || s.depth > 0 || (name != nullptr && std::string_view(s.name) != name)) continue;
    seconds += std::max(0.0, std::min(s.end, end) - std::max(s.begin, begin));
  }
  return seconds;
}

bool WorkTrace::has(WorkLane lane) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const WorkSpan& s) { return s.lane == lane; });
}

}  // namespace tri::app
