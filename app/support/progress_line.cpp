#include "app/support/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/support/text_table.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app {
namespace {

/// Shorter work needs no line.
constexpr double kQuietSeconds = 0.5;
/// After Ctrl-C: a step that ends within it is taken to its end.
constexpr double kPatience = 0.1;

std::string doing(const ProgressReport& report) {
  switch (report.kind) {
    case ProgressKind::reading:
      return "reading " + report.name;
    case ProgressKind::writing:
      return "writing " + report.name;
    case ProgressKind::computing:
      return report.name;
  }
  TRI_UNREACHABLE("a ProgressKind outside its enum");
}

}  // namespace

std::string wall_text(double seconds) {
  const auto s = static_cast<u64>(std::clamp(seconds + 0.5, 0.0, 1e15));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86400, s / 3600 % 24);
}

std::string time_left(double done, double whole, double seconds) {
  if (!(done > 0) || !(seconds > 0) || whole < done) return "";
  return fmt::format(", {} left", wall_text((whole - done) * seconds / done));
}

std::optional<std::string> ProgressFormatter::line(const ProgressReport& report, double quiet) {
  const double now = clock_s();
  const bool begins = kind_ != report.kind || report.done < done_ || name_ != report.name;  // or begins again
  if (begins) kind_ = report.kind, name_ = report.name, begin_s_ = now, begin_done_ = report.done;
  done_ = report.done;
  if (now - begin_s_ < quiet) return std::nullopt;
  if (!(report.total > 0) && report.kind == ProgressKind::computing) return doing(report);
  if (!(report.total > 0)) return fmt::format("{}: {}bytes", doing(report), with_prefix(report.done));
  const double percent = std::floor(100 * std::min(1.0, report.done / report.total));
  return fmt::format("{}: {:.0f} %{}", doing(report), percent,
                     time_left(report.done - begin_done_, report.total - begin_done_, now - begin_s_));
}

bool ProgressLine::ends(ProgressKind kind) {
  if (!interrupted_.load(std::memory_order_relaxed)) return false;
  if (gives_up_ || kind == ProgressKind::reading) return true;
  if (kind == ProgressKind::writing) return false;
  if (!interrupted_s_) interrupted_s_ = clock_s();
  return clock_s() - *interrupted_s_ > kPatience;
}

void ProgressLine::report(const ProgressReport& report) {
  if (ends(report.kind)) {
    throw InterruptedError(fmt::format("interrupted while {}{}; nothing was written.",
                                       report.kind == ProgressKind::computing ? "computing " : "", doing(report)));
  }
  if (const auto line = words_.line(report, kQuietSeconds)) console_.progress(*line);
}

}  // namespace tri::app
