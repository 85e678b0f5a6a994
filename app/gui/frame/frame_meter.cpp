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

void FrameMeter::add(const SessionModel& model, u64 steps, FrameState& frames) {
  FrameCost cost;
  if (steps > 0) {
    const auto list = stages(model.scene.integrator);
    const auto drifts = std::count_if(list.begin(), list.end(), [](auto& s) { return s.kind == Stage::Kind::drift; });
    const auto count = static_cast<float>(steps);
    cost.force = static_cast<float>(model.force.last()) * static_cast<float>(drifts) * count;  // evaluated once a drift
    cost.integrate = static_cast<float>(model.integrate.last()) * count;
    cost.publish = static_cast<float>(model.publish.last());
  }
  cost.render = static_cast<float>(now.gpu_total());
  cost.whole = static_cast<float>(now.whole);
  frames.costs.push_back(cost);
  if (frames.costs.size() > FrameState::kMaxFrames) frames.costs.pop_front();
  if (!keep_) return;
  if (times_.size() < kMaxTimes) {
    times_.push_back(now);
  } else {
    times_[drawn_ % kMaxTimes] = now;
  }
  ++drawn_;
}

void FrameMeter::count_shown(double now_s, u64 frames_shown, FrameState& frames) {
  constexpr double kPeriod = 0.5;
  if (begin_s_ == 0) begin_s_ = counted_s_ = now_s;
  if (now_s - counted_s_ < kPeriod) return;
  frames.shown_per_second = static_cast<double>(frames_shown - counted_) / (now_s - counted_s_);
  counted_ = frames_shown, counted_s_ = now_s;
}

void FrameMeter::report(Console& console, const SessionModel& model, const std::string& setup,
                        const PresentThread::Shown& shown) const {
  if (times_.empty()) return;
  const auto quantile = [this](auto part, double q) {
    std::vector<double> values;
    for (const FrameTimes& t : times_) values.push_back(std::invoke(part, t));
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
  console.detail(fmt::format(
      "medians: input {:.3g} ms, wait for steps {:.3g}, update {:.3g}, wait for a canvas {:.3g}, scene {:.3g}, panels "
      "{:.3g}, present {:.3g}",
      median(&FrameTimes::input), median(&FrameTimes::steps), median(&FrameTimes::update), median(&FrameTimes::wait),
      median(&FrameTimes::scene), median(&FrameTimes::panels), median(&FrameTimes::present)));
  console.detail(
      fmt::format("bodies on the GPU: {:.3g} ms (range {:.3g}, place {:.3g}, splat {:.3g}, draw {:.3g}, tone {:.3g})",
                  median(&FrameTimes::gpu_total), gpu(&Costs::count), gpu(&Costs::place), gpu(&Costs::splat),
                  gpu(&Costs::draw), gpu(&Costs::tone)));
  console.detail(memory_.text());
  for (const Notice& n : model.notices) console.detail(fmt::format("notice: {}", n.text));
}

}  // namespace tri::app::gui
