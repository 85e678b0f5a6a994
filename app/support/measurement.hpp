#pragma once
/// What was measured: the host, statistics of samples, the trace of work.
///
/// Host information from the operating system. Linux; unavailable values are 0 or empty.

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

std::string host_name();
std::string processor_name();
u64 memory_bytes();           ///< total memory of the machine
double processor_mhz();       ///< of the first core, current
std::string nvidia_driver();  ///< version of the NVIDIA kernel module, e.g. "580.95.05"
std::string utc_now();        ///< "2026-01-31T12:34:56Z"

/// What other programs did while something was measured.
struct MachineLoad {
  double others = 0;  ///< processors that they kept busy, in the mean
  u32 cores = 0;      ///< that this program may use
  /// Whether they took a tenth of a processor or more: times are then longer than they need be, and vary.
  bool matters() const { return others >= 0.1; }
  /// "other programs used 1.3 of 2 cores"
  std::string text() const;
};
/// From its making on. Linux; children of this program count as others.
class LoadWatch {
 public:
  LoadWatch();
  /// None where the system does not tell, and for less than a fifth of a second, which its clock of 10 ms cannot show.
  std::optional<MachineLoad> read() const;

 private:
  struct Times {
    double busy = 0, own = 0, at = 0;  ///< seconds: of all these processors, of this program, of the clock
    u32 cores = 0;
  };
  static Times now();
  Times begin_;
};

// Statistics of timing samples. Times are not normally distributed (they have a floor and a tail), so everything here
// uses order statistics, which assume only that the samples are independent.

struct SampleStats {
  double median = 0, min = 0, max = 0;
  double mean = 0;
  double iqr = 0;  ///< third quartile minus first; quartiles interpolated linearly between neighbours (type 7)
};

/// Requires at least one sample.
SampleStats sample_stats(std::span<const double> samples);

/// The quantile q in [0, 1] of sorted values, interpolated at position q (n - 1).
double sorted_quantile(std::span<const double> sorted, double q);

/// A confidence interval.
struct Interval {
  double low = 0, high = 0;
  double confidence = 0;  ///< actual coverage; 0 = none (one sample)
  bool spans(double value) const { return low <= value && value <= high; }
};

/// Confidence interval of the median, by order statistics: [x_(l), x_(n+1-l)] covers it with probability 1 - 2 P(Bin(n,
/// 1/2) < l). Takes the largest l that still covers `wanted`; with too few samples (n < 6 for 0.95) the whole range,
/// with its actual coverage: 1 - 2^(1-n).
Interval median_interval(std::span<const double> samples, double wanted = 0.95);

/// The speed-up of `other` over `baseline`: T_baseline / T_other, from paired samples (one of each in every round, so
/// that clock drift cancels). Equal lengths >= 1, times > 0.
struct Improvement {
  double ratio = 1;  ///< median of the paired ratios
  Interval interval;
  std::size_t together = 1;  ///< the confidence is that of so many intervals at once
  /// Whether there are enough samples: intervals that cover the truth 9 times in 10 need 5, and 15 maps at once 9.
  bool decided() const { return interval.confidence >= 0.9; }
  /// False if the interval, written in hundredths, contains 1, or there are too few samples.
  bool differs() const { return decided() && (interval.low >= 1.005 || interval.high < 0.995); }
};
/// together: so many maps are compared at once, and the confidence is that of all their intervals (Bonferroni): of 15
/// intervals that each cover 95 %, one misses in every second run, and the best of them would be the news.
Improvement improvement(std::span<const double> baseline, std::span<const double> other, std::size_t together = 1);

/// What one row of a table shows of a comparison: a round, so that its two times and their ratio belong together, which
/// medians of each do not. It is the one whose ratio is nearest to the median; of 16 rounds and more, the one with the
/// most usual time among the eighth that is nearest, as far as the interval has them.
struct PairedFigures {
  double baseline = 0, other = 0;  ///< times of that round
  Improvement improvement;         ///< of all rounds
  double ratio() const { return baseline / other; }
};
/// Requires what improvement() requires.
PairedFigures paired_figures(std::span<const double> baseline, std::span<const double> other, std::size_t together = 1);

// When the work of the last frames was done: spans on one clock, in lanes. The parts of a frame are spans of the draw
// thread without a gap, so that their sums are those of the frame strip.

enum class WorkLane : u8 { step_thread, draw_thread, gpu_step, gpu_draw };
inline constexpr std::size_t kWorkLanes = 4;
inline constexpr std::array<const char*, kWorkLanes> kWorkLaneNames{"step-thread", "draw-thread", "gpu-step",
                                                                    "gpu-draw"};

struct WorkSpan {
  const char* name = "";  ///< a literal
  WorkLane lane = WorkLane::draw_thread;
  u8 depth = 0;               ///< > 0: within one of less depth
  double begin = 0, end = 0;  ///< seconds of clock_s()
  double seconds() const { return end - begin; }
};

class WorkTrace {
 public:
  static constexpr std::size_t kMaxFrames = 240, kMaxSpans = 20'000;
  struct Frame {
    double begin = 0, end = 0;
  };

  /// Spans of one lane and depth may come in any order; one that ends before it begins is dropped.
  void add(const WorkSpan& span);
  /// A frame of the draw thread has ended; what ended before the oldest one kept is forgotten.
  void end_frame(const Frame& frame);

  const std::deque<WorkSpan>& spans() const noexcept { return spans_; }
  const std::deque<Frame>& frames() const noexcept { return frames_; }  ///< oldest first

  /// Seconds of the spans of depth 0 in a lane, as far as they are within [begin, end]; name: of those alone.
  double sum(WorkLane lane, double begin, double end, const char* name = nullptr) const;
  bool has(WorkLane lane) const;

 private:
  std::deque<WorkSpan> spans_;
  std::deque<Frame> frames_;
};

}  // namespace tri::app
