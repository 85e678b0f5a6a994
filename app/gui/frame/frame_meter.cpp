#include "app/gui/frame/frame_meter.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "app/support/sample_stats.hpp"
#include "sim/base/clock.hpp"

namespace tri::app::gui {
namespace {

constexpr std::size_t kMaxTimes = 1u << 15;  // frames; the oldest are overwritten

std::string megabytes(u64 bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

u64 resident_bytes() {
  std::ifstream in("/proc/self/statm");
  u64 all = 0, resident = 0;
  if (!(in >> all >> resident)) return 0;
  return resident * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

void MemoryLog::frame(u64 frames) {
  if (frames < next_) return;
  seen_.emplace_back(frames, resident_bytes());
  constexpr u64 kFactors[] = {2, 5, 10};  // of the power of ten below
  for (const u64 factor : kFactors) {
    if (decade_ * factor <= frames) continue;
    next_ = decade_ * factor;
    if (factor == 10) decade_ = next_;
    return;
  }
}

std::string MemoryLog::text() const {
  const u64 now = resident_bytes();
  if (now == 0) return "";
  std::string text = "resident memory: ";
  for (const auto& [frames, bytes] : seen_) text += fmt::format("{} after {} frames, ", megabytes(bytes), frames);
  return text + "now " + megabytes(now);
}

void FrameMeter::begin(double now_s) {
  now = {};
  from_s_ = mark_s_ = now_s;
  laps_.clear();
}

void FrameMeter::lap(FramePart part) {
  const double at = clock_s();
  const auto k = static_cast<std::size_t>(part);
  now.parts[k] += (at - mark_s_) * 1e3;
  if (!laps_.empty() && laps_.back().name == kFrameParts[k].name) {
    laps_.back().end = at;
  } else {
    laps_.push_back({kFrameParts[k].name, WorkLane::draw_thread, 0, mark_s_, at});
  }
  mark_s_ = at;
}

void FrameMeter::add(FrameState& frames) {
  FrameCost cost;
  std::transform(now.parts.begin(), now.parts.end(), cost.parts.begin(),
                 [](double ms) { return static_cast<float>(ms); });
  cost.drawing = static_cast<float>(now.gpu_total());
  frames.costs.push_back(cost);
  if (frames.costs.size() > FrameState::kMaxFrames) frames.costs.pop_front();
  for (const WorkSpan& lap : laps_) frames.work.add(lap);
  frames.work.end_frame({from_s_, mark_s_});
  if (!keep_) return;
  if (times_.size() < kMaxTimes) {
    times_.push_back(now);
  } else {
    times_[drawn_ % kMaxTimes] = now;
  }
  ++drawn_;
}

void FrameMeter::count_shown(double now_s, const PresentThread::Shown& shown, FrameState& frames) {
  constexpr double kPeriod = 0.5;
  now.beside_presenting = presenting_ || shown.begun != begun_;
  begun_ = shown.begun, presenting_ = shown.begun != shown.frames;
  if (begin_s_ == 0) begin_s_ = counted_s_ = now_s;
  if (now_s - counted_s_ < kPeriod) return;
  frames.shown_per_second = static_cast<double>(shown.frames - counted_) / (now_s - counted_s_);
  counted_ = shown.frames, counted_s_ = now_s;
}

void FrameMeter::report(Console& console, const SessionModel& model, const std::string& setup,
                        const std::string& drawn_by, const PresentThread::Shown& shown) const {
  if (times_.empty()) return;
  const auto quantile = [this](auto part, double q, bool all = true) {
    std::vector<double> values;
    for (const FrameTimes& t : times_) {
      if (all || !t.beside_presenting) values.push_back(std::invoke(part, t));
    }
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return sorted_quantile(values, q);
  };
  const auto whole = [&](double q) { return quantile(&FrameTimes::whole, q); };
  const auto median = [&](auto part) { return quantile(part, 0.5); };
  using Costs = render::BodyRenderer::Costs;
  const auto gpu = [&](double Costs::*part) { return median([part](const FrameTimes& t) { return t.gpu.*part; }); };
  const double seconds = clock_s() - begin_s_;
  console.detail(
      fmt::format("{} frames of {} in {:.3g} s: {:.1f} frames/s; median {:.3g} ms, p99 {:.3g} ms, longest {:.3g} ms",
                  drawn_, setup, seconds, static_cast<double>(drawn_) / seconds, whole(0.5), whole(0.99), whole(1)));
  console.detail(fmt::format(
      "steps: {:.1f} per second, {} frames drawn during a long one; on the display: {:.1f} frames per second, {:.3g} "
      "ms each",
      static_cast<double>(model.steps - model.first_step) / seconds, during_step_,
      static_cast<double>(shown.frames) / seconds, shown.ms / static_cast<double>(std::max<u64>(1, shown.frames))));
  console.detail(fmt::format("frames while the display took none: median {:.3g} ms, p99 {:.3g} ms",
                             quantile(&FrameTimes::whole, 0.5, false), quantile(&FrameTimes::whole, 0.99, false)));
  // Means, because medians of parts do not sum to the median of the whole.
  const auto mean = [this](auto part) {
    double sum = 0;
    for (const FrameTimes& t : times_) sum += std::invoke(part, t);
    return sum / static_cast<double>(times_.size());
  };
  std::string parts;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    parts += fmt::format("{}{} {:.4f}", k > 0 ? ", " : "", kFrameParts[k].name,
                         mean([k](const FrameTimes& t) { return t.parts[k]; }));
  }
  console.detail(fmt::format("a frame in the mean: {:.4f} ms = {}", mean(&FrameTimes::whole), parts));
  console.detail(fmt::format(
      "bodies drawn by the {}: {:.3g} ms (range {:.3g}, place {:.3g}, splat {:.3g}, draw {:.3g}, light {:.3g}, tone "
      "{:.3g})",
      drawn_by, median(&FrameTimes::gpu_total), gpu(&Costs::count), gpu(&Costs::place), gpu(&Costs::splat),
      gpu(&Costs::draw), gpu(&Costs::light), gpu(&Costs::tone)));
  console.detail(memory_.text());
  for (const Notice& n : model.notices) console.detail(fmt::format("notice: {}", n.text));
}

}  // namespace tri::app::gui
