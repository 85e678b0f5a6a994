// `bench --tune`: which tiles are fastest on this device.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/bench/tune_plan.hpp"
#include "app/support/commands.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/text_table.hpp"
#include "sim/io/tuning_file.hpp"

namespace tri::app {
namespace {

std::string choice_text(TunedWork work, u32 choice) {
  if (work != TunedWork::grid) return fmt::format("{}", choice);
  return choice == 0 ? "all pairs" : "grid";
}

std::string line_of(const TuneStep& step) {
  std::vector<std::string> times;
  for (const auto& [choice, ms] : step.times) {
    times.push_back(
        fmt::format("{}{}: {}", choice_text(step.work, choice), choice == step.chosen ? "*" : "", duration_text(ms)));
  }
  return fmt::format("{:<14} {}  {:>7}  {}\n", to_string(step.work), to_string(step.precision), step.n,
                     fmt::join(times, "  "));
}

}  // namespace

int run_tune(const RunConfig& config, Console& console) {
  const std::string path = config.bench.output.empty() ? io::tuning_path() : config.bench.output;
  if (path.empty()) {
    throw FileError(
        "--tune has nowhere to keep what it finds: neither XDG_CONFIG_HOME nor HOME is set. Name a file "
        "with -o.");
  }
  io::read_tunings(path);  // report an unreadable file now, not after all measurements
  const auto backend = open_backend(config.common, &console);
  TuneRequest request;
  request.sizes = tune_sizes(config);
  request.stop = &interrupt_flag();
  request.precisions = {Precision::fp32, Precision::fp64};
  if (config.common.precision) request.precisions = {*config.common.precision};
  bool begun = false;
  const Tuning tuning = backend->tune(request, [&](const TuneStep& step) {
    if (!begun) console.print(fmt::format("{}\ntime of one evaluation by tile; * is kept\n\n", backend->info().device));
    begun = true;
    console.print(line_of(step));
  });
  if (interrupt_flag().load()) {
    console.note("interrupted; nothing is kept.");
    return static_cast<int>(ExitCode::interrupted);
  }
  io::write_tuning(path, tuning);
  backend->use_tuning();
  console.note(fmt::format("wrote {}{}", path, path == io::tuning_path() ? "; every later run goes by it" : ""));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
