#include "app/python/choices.hpp"

#include <unistd.h>

#include <atomic>

#include "sim/maps/map_registry.hpp"
#include "sim/model/map_choice.hpp"

namespace tri::python {
namespace {

/// The process that used the GPU; 0: none did.
std::atomic<pid_t> process_of_gpu{0};

void choose_map(const ForceField& field, const std::string& name, EngineOverrides& to) {
  const auto pair = find_triangle_map(name);
  const auto triple = find_tetra_map(name);
  if (!pair && !triple) triangle_map_from(name);  // throws, with the nearest name
  if (pair && field.pair != PairLaw::none) to.pair_map = pair;
  if (triple && field.triple != TripleLaw::none) to.triple_map = triple;
  if (!to.pair_map && !to.triple_map) {
    throw ConfigError(fmt::format("map '{}' is a map of {}, and the scene has no law of {}.", name,
                                  pair ? "pairs" : "triples", pair ? "pairs" : "triples"));
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const Name& name, int device) {
  if (name && *name != "auto" && *name != "cpu" && *name != "cuda") {
    throw ConfigError(fmt::format("backend is '{}'; give 'cpu', 'cuda' or None.", *name));
  }
  const pid_t before = process_of_gpu, now = getpid();
  if (before != 0 && before != now) {
    if (name == "cuda") {
      throw BackendError(
          "backend 'cuda' was in use before this process was forked, and CUDA does not survive a fork; start "
          "processes by multiprocessing's method 'spawn', or give backend='cpu'.");
    }
    return make_backend("cpu");
  }
  auto backend = make_backend(name.value_or("auto"), device);
  if (before == 0 && backend->info().name == "cuda") process_of_gpu = now;
  return backend;
}

EngineOverrides overrides_of(const ForceField& field, const Choices& choices) {
  EngineOverrides asked;
  if (choices.precision) asked.precision = precision_from(*choices.precision);
  if (choices.accumulate) asked.accumulate = accumulate_from(*choices.accumulate);
  if (choices.map) choose_map(field, *choices.map, asked);
  if (asked.triple_map) asked.arithmetic = Arithmetic::float32;  // products go over pairs
  if (asked.accumulate && field.pair == PairLaw::none && field.triple == TripleLaw::none) {
    throw ConfigError("--accumulate says how forces are summed, and no law gives any; leave it out.");
  }
  return asked;
}

}  // namespace tri::python
