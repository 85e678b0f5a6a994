// `verify`: runs the checks and prints them as a table or as JSON.

#include <fmt/format.h>

#include <algorithm>

#include "app/support/commands.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/progress_line.hpp"
#include "app/support/text_table.hpp"
#include "app/verify/verify_checks.hpp"
#include "sim/base/clock.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kNameWidth = 33;
constexpr std::size_t kCasesWidth = 6;

/// The row in fixed columns, so that it can be printed at once: 33 name, 6 cases, 9 error, verdict, and what was
/// checked last, omitted on a narrow terminal.
std::string row_text(const VerifyRow& row, const Console& console) {
  const VerifyOutcome& o = row.outcome;
  const bool exact = row.check.limit == 0, skipped = !o.skipped.empty();
  const std::string worst = skipped ? "-"
                            : exact ? (o.worst == 0 ? "exact" : fmt::format("{:.0f} wrong", o.worst))
                                    : fmt::format("{:.1e}", o.worst);
  std::string text = fmt::format(
      "{:<{}} {:>{}}  {:>9}  {}", row.check.name, kNameWidth, o.cases, kCasesWidth, worst,
      skipped ? "skip  " : console.toned(o.passed ? "ok    " : "FAILED", o.passed ? Tone::good : Tone::bad));
  constexpr u32 kUsed = kNameWidth + 1 + kCasesWidth + 2 + 9 + 2 + 6 + 2;
  std::string what = row.check.what;
  if (!exact) what += fmt::format(", limit {:.0e}", row.check.limit);
  if (console.width() >= kUsed + what.size()) text += "  " + what;
  text.erase(text.find_last_not_of(' ') + 1);
  if (!o.passed || skipped)
    text += "\n    " + folded(skipped ? o.skipped : o.note, std::max(console.width(), 40u) - 4, 4);
  return text + "\n";
}

}  // namespace

int run_checks(const std::vector<VerifyCheck>& checks, bool json, Console& console, const std::atomic<bool>& stop) {
  std::vector<VerifyRow> rows;
  std::size_t failed = 0, skipped = 0, done = 0;
  const Stopwatch watch;
  const auto seconds = [&watch] { return watch.ms() / 1e3; };
  CheckRuns runs(checks);
  if (!json) {
    console.print(fmt::format("{:<{}} {:>{}}  {:>9}  verdict{}\n", "check", kNameWidth, "cases", kCasesWidth, "worst",
                              console.width() >= 100 ? " what was checked" : ""));
  }
  for (const VerifyCheck& check : checks) {
    if (stop.load()) break;
    console.progress(fmt::format("{} of {}: {}{}", done + 1, checks.size(), check.name,
                                 time_left(static_cast<double>(done), static_cast<double>(checks.size()), seconds())));
    const VerifyRow row = runs.next();
    ++done;
    failed += !row.outcome.passed, skipped += !row.outcome.skipped.empty();
    if (json) {
      rows.push_back(row);
    } else {
      console.print(row_text(row, console));
    }
  }
  const bool interrupted = done < checks.size();
  if (json) {
    console.print(verify_json(rows, seconds(), interrupted));
  } else {
    const std::string verdict = failed > 0    ? fmt::format("{} FAILED", failed)
                                : skipped > 0 ? fmt::format("{} skipped, the others passed", skipped)
                                              : "all passed";
    console.print(fmt::format("{} checks, {}, in {:.1f} s\n", done, verdict, seconds()));
  }
  if (interrupted) {
    console.note(fmt::format("interrupted after {} of {} checks.", done, checks.size()));
    return static_cast<int>(ExitCode::interrupted);
  }
  return static_cast<int>(failed == 0 ? ExitCode::ok : ExitCode::check_failed);
}

int run_verify(const RunConfig& config, Console& console) {
  VerifyPlan plan;
  plan.full = config.verify.full;
  plan.seed = config.common.seed.value_or(plan.seed);
  plan.threads = config.common.threads.value_or(0);
  plan.law = config.verify.law, plan.triple_law = config.verify.triple_law;
  plan.maps = all_maps();
  const auto owned = backends_to_check(config.common, &console);
  for (const auto& backend : owned) plan.backends.push_back(backend.get());
  return run_checks(make_checks(plan), config.common.json, console, interrupt_flag());
}

}  // namespace tri::app
