#include "app/views/fractal_world.hpp"

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
  if (!backend_) backend_ = make_backend_(), backend_name_ = backend_->info().name;
  auto automaton = backend_->make_automaton(spec);
  picture_ = std::make_unique<FractalPicture>(spec.fractal.shape, spec.levels);
  automaton_ = std::move(automaton);
  due_ = 0;
  ++changes_;
}

void FractalWorld::apply(FractalChoice& choice) {
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
    choice.error.clear();
  } catch (const Error& error) {
    choice.error = error.what();
  }
}

void FractalWorld::advance(FractalChoice& choice, double seconds, double budget) {
  if (!automaton_) return;
  take_steps(choice, due_, seconds, budget, [&] {
    automaton_->step(1);
    ++choice.steps, ++changes_;
  });
}

const FractalPicture& FractalWorld::picture() {
  if (pictured_ != changes_) picture_->update(automaton_->read()), pictured_ = changes_;
  return *picture_;
}

}  // namespace tri::app
