#include "sim/backend/engine.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri {

std::string map_refusal(const MapInfo& map, u64 n, const MapLimits& limits) {
  if (limits.tiles_only && map.space == Space::thread) {
    return fmt::format(
        "--map {} gives pairs to threads, and these forces are summed in tiles; use a map of blocks, such as lambda.",
        map.name);
  }
  if (map.typed != nullptr && !limits.no_typed.empty()) {
    return fmt::format("--map {} is a typed map: {}.", map.name, limits.no_typed);
  }
  return refusal(map, n, limits.block, limits.table_bytes);
}

std::string tensor_refusal(const ForceField& field, const EngineConfig& config) {
  if (field.triple == TripleLaw::axilrod_teller) return "";
  if (field.pair != PairLaw::gravity) {
    return fmt::format(
        "--arithmetic tensor computes gravity and triples of axilrod-teller, and the law here is {}. Use --arithmetic "
        "float32.",
        to_string(field.pair));
  }
  if (config.precision != Precision::fp32) {
    return "--arithmetic tensor has the accuracy of fp32, and the precision here is fp64. Use --precision fp32, or "
           "--arithmetic float32.";
  }
  const Tolerance t = config.tolerance;
  if (t < Tolerance::close && t != Tolerance::automatic) {
    return fmt::format("tensor cores do not reach --tolerance {}. Use 3e-7, or --pairs tree.", to_string(t));
  }
  if (t > Tolerance::loose) {
    return fmt::format("--tolerance {} is of --pairs tree; tensor cores know 3e-7, 1e-6 and 2e-6.", to_string(t));
  }
  return "";
}

std::string tree_refusal(const ForceField& field, const EngineConfig& config) {
  if (field.pair != PairLaw::gravity) {
    return fmt::format("--pairs tree is of gravity, and the law of pairs here is {}. Use --pairs all.",
                       to_string(field.pair));
  }
  if (field.box.boundary == Boundary::periodic) {
    return "--pairs tree knows no nearest images, and the box here is periodic. Use --pairs all.";
  }
  if (config.arithmetic == Arithmetic::tensor) {
    return "--arithmetic tensor sums all pairs. Leave it out, or use --pairs all.";
  }
  if (const MapInfo& map = info(config.pair_map); map.space == Space::thread) {
    return fmt::format(
        "--map {} gives pairs to threads, and a map of the tree visits squares. Use --map lambda, or "
        "--pairs all.",
        map.name);
  }
  if (config.precision == Precision::fp32 && config.tolerance != Tolerance::automatic &&
      config.tolerance < Tolerance::e_7) {
    return fmt::format("--tolerance {} is finer than fp32 is. Use --precision fp64, or --tolerance 1e-7.",
                       to_string(config.tolerance));
  }
  return "";
}

PairSearch choose_pairs(const EngineConfig& c, const ForceField& field, u64 n, u64 tree_from) {
  if (c.pairs != PairSearch::automatic) return c.pairs;
  // All pairs are as accurate as the precision is, and nothing less was asked for; or a tile of theirs was.
  const bool asked = c.tolerance != Tolerance::automatic && c.arithmetic != Arithmetic::tensor;
  if (!asked || field.pair != PairLaw::gravity) return PairSearch::all;
  if (const std::string text = tree_refusal(field, c); !text.empty()) throw ConfigError(text);
  return c.pair_block == 0 && n >= tree_from ? PairSearch::tree : PairSearch::all;
}

bool on_a_line(const Bodies& bodies) {
  const double n = static_cast<double>(bodies.size());
  double mean[3] = {}, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mean[0] += bodies.x[i] / n, mean[1] += bodies.y[i] / n, mean[2] += bodies.z[i] / n;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double x = bodies.x[i] - mean[0], y = bodies.y[i] - mean[1], z = bodies.z[i] - mean[2];
    xx += x * x, yy += y * y, zz += z * z, xy += x * y, xz += x * z, yz += y * z;
  }
  // Of the eigenvalues of the second moments: their sum, and the sum of the products of two.
  const double sum = xx + yy + zz, products = (xx * yy - xy * xy) + (xx * zz - xz * xz) + (yy * zz - yz * yz);
  return !(products > 1e-8 * sum * sum);  // so is a point
}

void refuse_tensor(const char* backend) {
  throw ConfigError(
      fmt::format("the {} backend has no tensor cores for --arithmetic tensor. Use --arithmetic float32.", backend));
}

StepTaken Engine::advance_auto(Integrator, const AutoStep&) {
  throw ConfigError("this engine has no steps of automatic length; give --dt a number.");
}

std::unique_ptr<SavedState> Engine::save_state(std::unique_ptr<SavedState>) const {
  throw ConfigError("this engine keeps no states.");
}

void Engine::restore_state(const SavedState&) { throw ConfigError("this engine keeps no states."); }

StateArrays Engine::borrow() {
  throw ConfigError("this engine lends no arrays, since several ranks hold its state; read copies.");
}

bool Engine::return_borrowed(bool) { return false; }

JerkResult Engine::jerks() { throw ConfigError("this engine computes no jerks; use another --integrator."); }

}  // namespace tri
