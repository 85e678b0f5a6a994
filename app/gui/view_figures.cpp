// What the window measures of its own frames.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/gui/view_app.hpp"
#include "app/support/sample_stats.hpp"
#include "sim/base/clock.hpp"

namespace tri::app::gui {
namespace {

constexpr std::size_t kMaxMeasured = 1u << 15;  // frames; older ones are written over

}  // namespace

void ViewApp::add_cost(double whole_ms) {
  const SessionModel& m = session_.model();
  FrameCost cost;
  const render::BodyRenderer::Costs gpu = renderer_.costs();
  now_.whole = whole_ms, now_.gpu = gpu.count + gpu.place + gpu.splat + gpu.draw + gpu.tone;
  now_.count = gpu.count, now_.place = gpu.place, now_.splat = gpu.splat, now_.draw = gpu.draw, now_.tone = gpu.tone;
  const auto list = stages(m.scene.integrator);
  const auto drifts = std::count_if(list.begin(), list.end(), [](auto& s) { return s.kind == Stage::Kind::drift; });
  const auto steps = static_cast<float>(steps_drawn_);
  if (steps_drawn_ > 0) {
    cost.force = static_cast<float>(m.force.last()) * static_cast<float>(drifts) * steps;  // one evaluation a drift
    cost.integrate = static_cast<float>(m.integrate.last()) * steps;
    cost.publish = static_cast<float>(m.publish.last());
  }
  cost.render = static_cast<float>(now_.gpu);
  cost.whole = static_cast<float>(whole_ms);
  if (is_measured()) {
    if (measured_.size() < kMaxMeasured) {
      measured_.push_back(now_);
    } else {
      measured_[drawn_ % kMaxMeasured] = now_;
    }
    ++drawn_;
  }
  state_.frames.push_back(cost);
  if (state_.frames.size() > GuiState::kMaxFrames) state_.frames.pop_front();
}

/// How many frames a second the display gets, for the line at the bottom.
void ViewApp::count_shown(double now) {
  constexpr double kEvery = 0.5;
  if (begun_ == 0) begun_ = counted_at_ = now;
  if (now - counted_at_ < kEvery) return;
  const u64 shown = present_thread_.shown().frames;
  state_.shown_per_second = static_cast<double>(shown - counted_) / (now - counted_at_);
  counted_ = shown, counted_at_ = now;
}

/// What a scripted run measured, on standard error under --verbose.
void ViewApp::report() const {
  if (measured_.empty()) return;
  const auto at = [this](double Measured::*part, double q) {
    std::vector<double> values;
    for (const Measured& m : measured_) values.push_back(m.*part);
    std::sort(values.begin(), values.end());
    return sorted_quantile(values, q);
  };
  const double seconds = clock_s() - begun_;
  console_.detail(fmt::format(
      "{} frames of {} x {} in {:.3g} s, present: {}: {:.1f} frames/s; median {:.3g} ms, p99 "
      "{:.3g} ms, longest {:.3g} ms",
      drawn_, window_.width(), window_.height(), seconds, publisher_.path(), static_cast<double>(drawn_) / seconds,
      at(&Measured::whole, 0.5), at(&Measured::whole, 0.99), at(&Measured::whole, 1)));
  const PresentThread::Shown shown = present_thread_.shown();
  console_.detail(fmt::format(
      "steps: {:.1f} a second, {} frames drawn beside a long one; on the display: {:.1f} frames a second, {:.3g} ms "
      "each",
      static_cast<double>(session_.model().steps - session_.model().first_step) / seconds, beside_,
      static_cast<double>(shown.frames) / seconds, shown.ms / static_cast<double>(std::max<u64>(1, shown.frames))));
  console_.detail(fmt::format(
      "medians: input {:.3g} ms, wait for steps {:.3g}, publishing and looking {:.3g}, wait for a canvas "
      "{:.3g}, scene {:.3g}, panels {:.3g}, handing over {:.3g}",
      at(&Measured::input, 0.5), at(&Measured::steps, 0.5), at(&Measured::look, 0.5), at(&Measured::wait, 0.5),
      at(&Measured::scene, 0.5), at(&Measured::panel, 0.5), at(&Measured::hand, 0.5)));
  console_.detail(
      fmt::format("bodies on the GPU: {:.3g} ms (range {:.3g}, place {:.3g}, splat {:.3g}, draw {:.3g}, tone {:.3g})",
                  at(&Measured::gpu, 0.5), at(&Measured::count, 0.5), at(&Measured::place, 0.5),
                  at(&Measured::splat, 0.5), at(&Measured::draw, 0.5), at(&Measured::tone, 0.5)));
  console_.detail(memory_.text());
  for (const Notice& n : session_.model().notices) console_.detail(fmt::format("notice: {}", n.text));
}

}  // namespace tri::app::gui
