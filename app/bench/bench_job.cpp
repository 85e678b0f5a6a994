#include "app/bench/bench_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "app/plot/plot_svg.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app {

std::vector<std::string> bench_argv(const RunConfig& config) {
  std::vector<std::string> argv{"triangulum", "bench"};
  const auto add = [&argv](const char* name, std::string value) {
    if (!value.empty()) argv.emplace_back(name), argv.push_back(std::move(value));
  };
  std::vector<std::string_view> kernels;
  for (const BenchKernel k : config.bench.kernels) kernels.emplace_back(to_string(k));
  add("--kernel", fmt::format("{}", fmt::join(kernels, ",")));
  add("--map", fmt::format("{}", fmt::join(config.common.maps, ",")));
  add("--n", fmt::format("{}", fmt::join(config.bench.sizes, ",")));
  add("--block", fmt::format("{}", fmt::join(config.common.blocks, ",")));
  if (config.bench.samples) add("--samples", fmt::format("{}", *config.bench.samples));
  if (config.common.backend != "auto") add("--backend", config.common.backend);
  if (config.common.device >= 0) add("--device", fmt::format("{}", config.common.device));
  if (config.common.threads.value_or(0) > 0) add("--threads", fmt::format("{}", *config.common.threads));
  return argv;
}

BenchJob::~BenchJob() {
  cancel();
  wait();
}

void BenchJob::start(RunConfig config, Opener opener) {
  if (status().running) throw ConfigError("a benchmark is running; cancel it first.");
  wait();
  config.argv = bench_argv(config);
  BenchPlan plan = bench_plan(config);
  const std::lock_guard lock(mutex_);
  const u64 version = status_.version + 1;
  status_ = {};
  status_.running = true, status_.version = version;
  status_.planned = planned_groups(plan).size();
  status_.command = fmt::format("{}", fmt::join(config.argv, " "));
  config_ = std::move(config), plan_ = std::move(plan);
  stop_ = false;
  thread_ = std::thread([this, opener = std::move(opener)] { work(opener); });
}

void BenchJob::cancel() { stop_ = true; }

void BenchJob::wait() {
  if (thread_.joinable()) thread_.join();
}

u64 BenchJob::version() const {
  const std::lock_guard lock(mutex_);
  return status_.version;
}

BenchStatus BenchJob::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void BenchJob::work(const Opener& opener) {
  const auto change = [this](auto&& what) {
    const std::lock_guard lock(mutex_);
    what(status_);
    ++status_.version;
  };
  std::string error;
  try {
    const auto backend = opener();
    BenchMeta meta = bench_meta(config_, backend->info());
    const std::unique_ptr<DeviceMeter> meter = backend->make_meter(meta.no_meter);
    if (meter != nullptr) meta.no_meter.clear();
    change([&](BenchStatus&) { settle_on(*backend, plan_, meta), meta_ = std::move(meta); });
    BenchHooks hooks;
    hooks.stop = &stop_;
    hooks.meter = meter.get();
    hooks.progress = [&](const std::string& line) { change([&](BenchStatus& s) { s.progress = line; }); };
    hooks.group_finished = [&](const BenchGroup&, const BenchSlots& slots) {
      change([&](BenchStatus& s) {
        s.groups = filled(slots);
        std::erase_if(s.groups, [](const BenchGroup& g) { return g.rows.empty(); });
        s.finished = s.groups.size();
      });
    };
    run_bench(*backend, plan_, hooks);
  } catch (const std::exception& problem) {
    error = problem.what();
  }
  change([&](BenchStatus& s) {
    s.running = false, s.error = error, s.progress.clear();
    s.cancelled = error.empty() && stop_;
  });
}

void BenchJob::save(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  if (status_.groups.empty()) throw ConfigError(fmt::format("{}: no benchmark has been timed yet; start one.", path));
  std::string text;
  if (path.ends_with(".csv")) {
    text = report_csv(status_.groups);
  } else if (path.ends_with(".json")) {
    text = report_json(meta_, plan_, status_.groups);
  } else if (path.ends_with(".svg")) {
    text = plot_svg(report_json(meta_, plan_, status_.groups), PlotOptions{});
  } else {
    throw ConfigError(fmt::format("{}: a benchmark is written as .csv, .json or .svg; end the name so.", path));
  }
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace tri::app
