#pragma once
/// A bench in the background, on a thread and a backend of its own. Its state can be read at any time; cancelling takes
/// effect after the sample in progress.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/bench/report.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// What a job has done so far; plain data, a copy.
struct BenchStatus {
  bool running = false, cancelled = false;
  std::string command;                    ///< equivalent command line; empty = none was started
  std::string progress;                   ///< one line
  std::string error;                      ///< why it failed; empty = it did not
  std::size_t finished = 0, planned = 0;  ///< groups that have results, and all of them
  std::vector<BenchGroup> groups;         ///< finished, or in progress when cancelled
  u64 version = 0;                        ///< grows with each change of the members above
};

/// All members are for one thread; the work runs on another.
class BenchJob {
 public:
  /// Makes the backend; called on the worker thread.
  using Opener = std::function<std::unique_ptr<Backend>()>;

  BenchJob() = default;
  /// Stops it and waits for the sample in progress.
  ~BenchJob();
  BenchJob(const BenchJob&) = delete;
  BenchJob& operator=(const BenchJob&) = delete;

  /// Starts the bench of `config` and drops earlier results. Throws ConfigError for an invalid bench, and while one is
  /// running.
  void start(RunConfig config, Opener opener);
  void cancel();  ///< returns at once; see status() for the end
  void wait();    ///< until it has ended

  u64 version() const;
  BenchStatus status() const;

  /// CSV, JSON or an SVG figure by the extension of the path, written beside and renamed. Throws ConfigError for
  /// another extension and when nothing was timed, FileError.
  void save(const std::string& path) const;

 private:
  void work(const Opener& opener);

  mutable std::mutex mutex_;
  BenchStatus status_;
  RunConfig config_;
  BenchPlan plan_;
  BenchMeta meta_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// The bench of `config` as a command line: "triangulum bench --kernel gravity --map bb,lambda --n 1024,2048 ...".
std::vector<std::string> bench_argv(const RunConfig& config);

}  // namespace tri::app
