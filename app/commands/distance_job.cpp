#include "app/commands/distance_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "app/commands/distance_file.hpp"
#include "app/support/axes.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/row_pipeline.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/part_file.hpp"
#include "sim/io/format.hpp"

namespace tri::app {
namespace {

/// Up to so many bytes there is one block, if it is no large part of the memory.
constexpr double kOneBlockBytes = 4 * kBlockBytes, kPartOfMemory = 0.25;

double value_bytes(const DistanceJob& job) { return job.engine.precision == Precision::fp32 ? 4 : 8; }

u64 values_of(const DistanceJob& job) { return distance_count(job.points.n, job.layout); }

/// Whether there is one block, which nothing is kept of when it ends early.
bool is_small(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends) {
  if (job.rows_at_once > 0 || io::PartFile::bytes_left(job.output)) return false;
  double most = std::min(kOneBlockBytes, kPartOfMemory * static_cast<double>(available_memory()));
  for (const auto& backend : backends) {
    const u64 device = backend->memory_bytes();
    if (device > 0) most = std::min(most, kPartOfMemory * static_cast<double>(device));
  }
  return value_bytes(job) * static_cast<double>(values_of(job)) <= most;
}

/// Throws FileError if the output's folder has no room for it: better now than after hours, with a full disk.
void require_room(const DistanceJob& job) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path path(io::target_of(job.output));
  if (io::stream_of(job.output) || (fs::exists(path, none) && !fs::is_regular_file(path, none))) return;
  const std::string format = format_name(job.output);
  const double bytes = (format == "csv" ? 2.0 : value_bytes(job)) * static_cast<double>(values_of(job));
  const u64 there = io::PartFile::bytes_left(job.output).value_or(0);
  const fs::space_info disk = fs::space(path.has_parent_path() ? path.parent_path() : fs::path("."), none);
  if (none || bytes <= static_cast<double>(disk.available) + static_cast<double>(there)) return;
  throw FileError(fmt::format(
      "'{}' takes {}{}, and its disk has {} free. Take another disk, --precision fp32, --layout "
      "condensed or fewer points.",
      job.output, gib_text(bytes), format == "csv" ? " or more" : "", gib_text(static_cast<double>(disk.available))));
}

/// Each worker has two blocks; all of them take no large part of the memory.
u64 block_values(const DistanceJob& job, std::size_t workers) {
  const double part = kPartOfMemory * static_cast<double>(available_memory()) / (2.0 * static_cast<double>(workers));
  return static_cast<u64>(std::min(kBlockBytes, part) / value_bytes(job));
}

/// All that the bits of the output depend on, and its form.
io::PartFile::Facts facts_of(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends) {
  std::set<std::string> devices;
  for (const auto& backend : backends) devices.insert(backend->info().name + ", " + backend->info().device);
  const std::string format = format_name(job.output);
  return {{"format", format},
          {"n", fmt::format("{}", job.points.n)},
          {"features", fmt::format("{}", job.points.features)},
          {"points", hash_text(fnv1a(kFnvOffset, std::span<const double>(job.points.values)))},
          {"layout", to_string(job.layout)},
          {"precision", to_string(job.engine.precision)},
          {"backend", fmt::format("{}", fmt::join(devices, "; "))}};
}

/// Distances of finite points may overflow.
void check_finite(const DistanceJob& job, const RowPipeline::Done& block) {
  const auto look = [&](const auto& values) {
    const auto bad = std::find_if(values.begin(), values.end(), [](auto d) { return !std::isfinite(d); });
    if (bad == values.end()) return;
    const u64 index =
        distance_row_begin(job.points.n, job.layout, block.rows.first) + static_cast<u64>(bad - values.begin());
    throw NumericalError(
        fmt::format("distance {} (from 0, in the order of the output) is not finite: it left the range of {}. Use {}.",
                    index, to_string(job.engine.precision),
                    job.engine.precision == Precision::fp32 ? "--precision fp64" : "smaller units"));
  };
  std::visit(look, block.values);
}

class DistanceRun {
 public:
  DistanceRun(const DistanceJob& job, bool small, std::span<const std::unique_ptr<Backend>> backends, Console& console)
      : job_(job),
        small_(small),
        file_(job.output, job.points.n, job.layout, job.engine.precision,
              small_ ? std::nullopt : std::optional(facts_of(job, backends))),
        rows_(file_.rows_done()),
        name_(fmt::format("distances of {} points", grouped(job.points.n))) {
    if (!file_.keeps()) return;
    set_cut_off_sentence(fmt::format("interrupted; what is done is kept in '{}'. {}", file_.part(), kGoOn));
    if (rows_ == 0) return;
    console.note(fmt::format("goes on with '{}' after {} of {} rows.", file_.part(), rows_, job.points.n));
  }

  double run(std::span<const std::unique_ptr<Backend>> backends) {
    std::vector<std::unique_ptr<DistanceRows>> workers;
    for (const auto& backend : backends) {
      workers.push_back(backend->distance_rows(job_.points, job_.layout, job_.engine));
    }
    const u32 at_once = small_ ? job_.points.n : job_.rows_at_once;
    auto blocks = row_blocks(job_.points.n, job_.layout, rows_, at_once, block_values(job_, workers.size()));
    const bool whole = blocks.size() == 1;
    RowPipeline pipeline(std::move(workers), std::move(blocks));
    double ms = 0;
    // One block is as far as the loop over its tiles; of several, those that are written count.
    while (const RowPipeline::Done* block = pipeline.next([&](double part) { report(whole ? part : 0); })) {
      check_finite(job_, *block);
      file_.write(block->values, block->rows.last, [&] { report(whole ? 1 : 0); });
      rows_ = block->rows.last;
      ms += block->ms;
    }
    file_.commit();
    return ms;
  }

  /// After a failure of the computation: what is written is worth more than the last second of it.
  void keep() noexcept {
    try {
      file_.keep();
    } catch (const Error&) {  // what was kept before stays
    }
  }
  void discard() { file_.discard(); }
  bool keeps() const { return file_.keeps(); }

  std::string interrupted() {
    return fmt::format("interrupted after {} of {} rows, which are kept in '{}'. {}", rows_, job_.points.n,
                       file_.part(), kGoOn);
  }

 private:
  static constexpr const char* kGoOn = "The same command goes on from there.";

  void report(double part) const {
    const auto total = static_cast<double>(values_of(job_));
    const auto before = static_cast<double>(distance_row_begin(job_.points.n, job_.layout, rows_));
    report_progress(ProgressKind::computing, name_, before + part * (total - before), total);
  }

  const DistanceJob& job_;
  bool small_;
  DistanceFile file_;
  u32 rows_;
  std::string name_;
};

}  // namespace

double compute_distances(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends, Console& console) {
  check(job.points);
  const bool small = is_small(job, backends);
  if (!small) require_room(job);
  DistanceRun run(job, small, backends, console);
  try {
    return run.run(backends);
  } catch (const NumericalError&) {
    run.discard();
    throw;
  } catch (const FileError&) {
    throw;
  } catch (const InterruptedError&) {
    if (!run.keeps()) throw;
    run.keep();
    throw InterruptedError(run.interrupted());
  } catch (...) {
    run.keep();
    throw;
  }
}

}  // namespace tri::app
