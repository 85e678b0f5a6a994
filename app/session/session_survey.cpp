// The distribution of the bodies, computed on the step thread so that a million of them hold up no frame.

#include <utility>

#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app {
namespace {

constexpr double kSurveyShare = 0.05;  // of the time, at most

}  // namespace

/// Reads the engine; touches no model.
struct Session::SurveyJob {
  const Engine& engine;
  SurveyOf of;
  u64 step;
  double time;
  Survey survey = {};
  std::exception_ptr failure = nullptr;
  double took = 0;

  void run() noexcept {
    const Stopwatch watch;
    try {
      survey = survey_of(engine.read(), of);
      survey.step = step, survey.time = time;
    } catch (...) {
      failure = std::current_exception();
    }
    took = watch.ms() / 1e3;
  }
};

bool Session::survey(std::optional<SurveyOf> of, double now_seconds) {
  TRI_EXPECTS(!busy());
  std::optional<Survey>& now = model_.survey;
  if (!of) {
    now.reset();
    return false;
  }
  const bool same = now && now->of == *of;
  if (same && now->step == model_.steps && now->time == model_.time) return false;
  if (same && now_seconds - surveyed_at_ < survey_cost_ / kSurveyShare) return false;
  survey_job_.reset(new SurveyJob{engine(), *of, model_.steps, model_.time});
  surveyed_at_ = now_seconds, begun_at_ = clock_s();
  thread_.begin([job = survey_job_.get()] { job->run(); });
  return true;
}

void Session::account_survey() {
  const std::shared_ptr<SurveyJob> job = std::exchange(survey_job_, nullptr);
  survey_cost_ = job->took;
  add_work("survey", WorkLane::step_thread, 0, {begun_at_, begun_at_ + job->took});
  if (job->failure) {
    recover(job->failure);
  } else {
    model_.survey = std::move(job->survey);
  }
}

}  // namespace tri::app
