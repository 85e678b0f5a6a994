#include "app/views/fractal_world.hpp"

#include <algorithm>
#include <chrono>

#include "sim/base/error.hpp"

namespace tri::app {
namespace {

bool same(const CellWork& a, const CellWork& b) {
  return a.map == b.map && a.placement == b.placement && a.block == b.block && a.threads == b.threads;
}

}  // namespace

void FractalWorld::open(const FractalChoice& choice) {
  AutomatonSpec spec = automaton_from(choice.scene);
  spec.work = choice.work;
  if (!backend_) backend_ = backends_(), backend_name_ = backend_->info().name;
  auto automaton = backend_->make_automaton(spec);
  picture_ = std::make_unique<FractalPicture>(spec.fractal.shape, spec.levels);
  automaton_ = std::move(automaton);
  owed_ = 0;
  ++changes_;
}

void FractalWorld::take(FractalChoice& choice) {
  const bool other = choice.scene != scene_ || choice.restarts != restarts_;
  const bool work = !same(choice.work, work_);
  if (!other && !work) return;
  scene_ = choice.scene, restarts_ = choice.restarts, work_ = choice.work;
  try {
    if (other) {
      open(choice);
      choice.steps = 0;
    } else if (automaton_) {
      automaton_->configure(choice.work);
    }
    choice.told.clear();
  } catch (const Error& error) {
    choice.told = error.what();
  }
}

void FractalWorld::advance(FractalChoice& choice, double seconds, double budget) {
  if (!automaton_) return;
  if (choice.running) owed_ += choice.speed * std::min(seconds, 0.1);
  const auto begin = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < budget;
  };
  while (choice.asked > 0 || owed_ >= 1) {
    automaton_->step(1);
    ++choice.steps;
    ++changes_;
    if (choice.asked > 0) {
      --choice.asked;
    } else {
      owed_ = in_time() ? owed_ - 1 : 0;
    }
  }
}

const FractalPicture& FractalWorld::picture() {
  if (pictured_ != changes_) picture_->update(automaton_->read()), pictured_ = changes_;
  return *picture_;
}

}  // namespace tri::app
