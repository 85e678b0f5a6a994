#include "app/gui/second_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/session_text.hpp"
#include "app/support/engine_choice.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

constexpr double kBudget = 1.0 / 30;  // seconds of steps before B looks for requests

template <class... Kinds>
bool is_one_of(const Request& request) {
  return (std::holds_alternative<Kinds>(request) || ...);
}

}  // namespace

bool is_of_one_run(const Request& request) {
  return is_one_of<ask::Save, ask::TimeStep, ask::AutoStep, ask::Scheme, ask::Field, ask::PairMap, ask::TripleMap,
                   ask::Blocks, ask::Sums, ask::Accuracy, ask::Contacts>(request);
}

void SecondRun::begin(Session& a) {
  if (a.model().timeline.recorded) throw ConfigError("a recorded run has no second one; Branch here goes on from it.");
  if (!config_.common.devices.empty()) {
    // Two runs would exchange sums over the same devices at the same time, and could wait for each other without end.
    throw ConfigError("several devices work on one run. Start with one, --device N, to see two side by side.");
  }
  a.apply(ask::Reset{});
  Requests then = session_requests(session_text(a.model()));
  const auto first = std::get<ask::Open>(then.front());
  then.erase(then.begin());
  auto b = std::make_unique<Session>(open_backend(config_.common), first, EngineOverrides{}, then);
  b->keep_timeline();
  publisher_ = std::make_unique<BodyPublisher>(config_.view.present, first_device(config_.common));
  b_ = std::move(b);
  generation_ = a.generation(), notices_ = b_->model().notices.size();
  waiting_.clear();
}

bool SecondRun::level(const Session& a) const {
  return !b_ || b_->model().broken || b_->model().steps == a.model().steps;
}

/// Steps to where A is, forwards or back.
void SecondRun::follow(const SessionModel& a) {
  const SessionModel& b = b_->model();
  if (b.broken || b_->asked_for_steps() || b.steps == a.steps) return;
  if (b.steps < a.steps) return b_->apply(ask::Take{a.steps - b.steps});
  a.steps == b.first_step ? b_->apply(ask::Reset{}) : b_->apply(ask::GoTo{a.steps});
}

void SecondRun::update(Session& a, SecondChoice& choice, Requests& requests, double now) {
  try {
    if (choice.on && !b_) begin(a);
  } catch (const std::exception& error) {
    a.note(error.what(), true);
    choice.on = false;
  }
  if (b_ && generation_ != a.generation()) choice.on = false;
  if (b_ && choice.on && choice.controls_b) {
    const auto of_b =
        std::stable_partition(requests.begin(), requests.end(), [](const Request& r) { return !is_of_one_run(r); });
    waiting_.insert(waiting_.end(), of_b, requests.end());
    requests.erase(of_b, requests.end());
  }
  if (!choice.on) b_.reset(), publisher_.reset(), choice.controls_b = false;
  choice.shown = b_ != nullptr;
  choice.behind = false;
  if (!b_) return;
  if (b_->finish_steps(0)) {
    b_->apply(std::exchange(waiting_, {}));
    follow(a.model());
    b_->set_scalar(a.model().scalar);
    publisher_->publish(*b_);
    b_->diagnose(now);
    const auto& said = b_->model().notices;
    for (; notices_ < said.size(); ++notices_) a.note("B: " + said[notices_].text, said[notices_].error);
    if (b_->failure() && !b_->model().broken) {
      choice.on = false;
      return;
    }
    if (b_->asked_for_steps()) b_->begin_steps(kBudget);
  }
  choice.behind = !waiting_.empty() || b_->busy() || !level(a);
}

}  // namespace tri::app::gui
