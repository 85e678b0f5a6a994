#pragma once
/// Two runs side by side: B, a second session of the same scene from the same start, on a step thread of its own. It
/// takes the steps that the window's run, A, takes; its laws, map, sums and integrator can be others.

#include <memory>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/frame/body_publisher.hpp"
#include "app/session/session.hpp"
#include "app/support/run_config.hpp"

namespace tri::app::gui {

class SecondRun {
 public:
  explicit SecondRun(const RunConfig& config) : config_(config) {}

  /// At a step boundary of A, before its requests: begins and ends B as chosen, takes the requests that are B's, and
  /// lets it follow A. Failures are notices of A, and end B. now: seconds of the clock.
  void update(Session& a, SecondChoice& choice, Requests& requests, double now);
  /// Whether B stands where A stands, so that A may go on. True without B.
  bool level(const Session& a) const;
  /// Null without B.
  const SessionModel* model() const { return b_ ? &b_->model() : nullptr; }
  render::InstanceBuffer* bodies() const { return b_ ? publisher_->buffer() : nullptr; }
  bool busy() const { return b_ && (b_->busy() || b_->asked_for_steps()); }

 private:
  void begin(Session& a);
  void follow(const SessionModel& a);

  const RunConfig& config_;
  std::unique_ptr<BodyPublisher> publisher_;
  std::unique_ptr<Session> b_;
  Requests waiting_;  ///< of B, while it steps
  u64 generation_ = 0;
  std::size_t notices_ = 0;
};

/// Whether a request changes how a run is computed, so that it can be that of B alone.
bool is_of_one_run(const Request& request);

}  // namespace tri::app::gui
