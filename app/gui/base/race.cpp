#include "app/gui/base/race.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/gui/base/look.hpp"
#include "app/support/language.hpp"
#include "app/support/option_values.hpp"
#include "report_h200.hpp"
#include "report_h200_tetra.hpp"

namespace tri::app::gui {
namespace {

constexpr u32 kMaxSamples = 1000;
constexpr std::size_t kMaxLines = 8;

const BenchRow* row_of(const BenchGroup& group, const std::string& map) {
  const auto at = std::find_if(group.rows.begin(), group.rows.end(), [&](const BenchRow& r) {
    return r.spec.map == map && r.improvement.has_value() && r.check.passed;
  });
  return at == group.rows.end() ? nullptr : &*at;
}

}  // namespace

RunConfig bench_config(const BenchChoice& choice) {
  RunConfig config;
  config.command = Command::bench;
  config.bench.kernels = {choice.kernel};
  config.bench.sizes = parse_sizes("n", choice.sizes);
  config.bench.samples = static_cast<u32>(whole_number("samples", fmt::format("{}", choice.samples), 1, kMaxSamples));
  config.common.maps = choice.maps.empty() ? std::vector<std::string>{"all"} : choice.maps;
  config.common.backend = choice.backend;
  config.common.device = choice.device;
  config.common.threads = choice.threads;
  return config;
}

bool bench_pending(const BenchPanel& b) {
  return b.start || b.cancel || !b.save.empty() || (b.status != nullptr && b.status->running);
}

PlotSpec improvement_plot(const std::vector<BenchGroup>& groups) {
  PlotSpec plot;
  plot.id = "I(n)", plot.title = "I(n) against bb", plot.x_name = "n";
  plot.logarithmic_x = plot.maps = true, plot.legend = false;
  std::vector<const BenchGroup*> sorted;
  for (const BenchGroup& g : groups) sorted.push_back(&g);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->common.n < b->common.n; });
  if (sorted.empty()) return plot;
  for (const BenchGroup* g : sorted) plot.x.push_back(static_cast<double>(g->common.n));
  std::vector<const BenchRow*> last;
  for (const BenchRow& row : sorted.back()->rows) {
    if (row.spec.map != "bb" && row_of(*sorted.back(), row.spec.map) != nullptr) last.push_back(&row);
  }
  std::stable_sort(last.begin(), last.end(),
                   [](auto* a, auto* b) { return a->improvement->ratio > b->improvement->ratio; });
  if (last.size() > kMaxLines) last.resize(kMaxLines);
  for (const BenchRow* row : last) {
    PlotLine line{row->spec.map, {}};
    for (const BenchGroup* g : sorted) {
      const BenchRow* there = row_of(*g, row->spec.map);
      line.y.push_back(there != nullptr ? there->improvement->ratio : std::numeric_limits<double>::quiet_NaN());
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

namespace {

constexpr u32 kSamples = 15;

struct Workload {
  const char *title, *about;
  bool empty;  ///< a dummy kernel
  BenchForm form;
};
constexpr std::array<Workload, 3> kWorkloads{{
    {"Empty kernel", "nothing to compute, nothing written", true, BenchForm::hold},
    {"One write a cell", "a number into every cell", true, BenchForm::store},
    {"Forces", "as the scene runs them", false, BenchForm::hold},
}};

BenchKernel kernel_of(Domain domain, bool empty) {
  if (domain == Domain::triangle) return empty ? BenchKernel::dummy : BenchKernel::gravity;
  return empty ? BenchKernel::dummy3 : BenchKernel::triplet;
}

const BenchGroup* group_of(const BenchStatus& status, BenchKernel kernel, const Workload& work) {
  for (const BenchGroup& group : status.groups) {
    if (group.common.kernel == kernel && (!work.empty || group.common.form == work.form)) return &group;
  }
  return nullptr;
}

/// A refusal in the words of a row.
std::string in_short(const std::string& reason) {
  if (reason.find("tiles") != std::string::npos && reason.find("threads") != std::string::npos) return "not for forces";
  if (reason.find("use cuda") != std::string::npos) return "needs a GPU";
  return reason.find("memory") != std::string::npos || reason.find("table") != std::string::npos ? "does not fit"
                                                                                                 : "beyond its limit";
}

/// bb's times and how many maps are compared with bb in the whole race.
struct RaceBasis {
  const BenchRow* bb = nullptr;
  std::size_t together = 1;
};

RaceBasis basis_of(const BenchStatus& status, const BenchGroup& group) {
  RaceBasis basis{nullptr, 0};
  const auto is_timed = [](const BenchRow& r) { return !r.skipped && r.check.passed && !r.samples_ms.empty(); };
  for (const BenchGroup& g : status.groups) {
    for (const BenchRow& row : g.rows) {
      const bool bb = row.spec.map == "bb";
      if (is_timed(row)) basis.together += bb ? 0 : 1;
      if (is_timed(row) && bb && &g == &group) basis.bb = &row;
    }
  }
  basis.together = std::max<std::size_t>(1, basis.together);
  return basis;
}

/// Time and ratio are of the same rounds: bb's median, and the share of it that the ratio leaves. Medians of the two
/// would contradict the ratio where half of the rounds were disturbed.
RaceRow row_from(const BenchRow& bench, const RaceBasis& basis) {
  RaceRow row{bench.spec.map, "", 0, {}, bench.improvement};
  if (bench.skipped) {
    row.reason = in_short(*bench.skipped);
  } else if (!bench.check.passed) {
    row.reason = "wrong result";
  } else if (!bench.samples_ms.empty() && (basis.bb == nullptr || &bench == basis.bb)) {
    row.ms = bench.stats.median, row.interval = median_interval(bench.samples_ms);
  } else if (!bench.samples_ms.empty()) {
    const std::size_t rounds = std::min(bench.samples_ms.size(), basis.bb->samples_ms.size());
    const Improvement i = improvement(std::span(basis.bb->samples_ms).first(rounds),
                                      std::span(bench.samples_ms).first(rounds), basis.together);
    const double bb = basis.bb->stats.median;
    row.improvement = i, row.ms = bb / i.ratio;
    row.interval = {bb / i.interval.high, bb / i.interval.low, i.interval.confidence};
    if (bench.above_bound) row.above = bench.bound;
  }
  return row;
}

/// The size nearest to the scene's, unless one was chosen since the scene has so many bodies.
void choose_size(const SessionModel& model, RaceState& race) {
  const std::pair at(model.n, race.domain);
  if (std::exchange(race.opened_at, at) == at) return;
  const auto sizes = race_sizes(race.domain);
  const auto factor = [&](u64 n) { return std::abs(std::log2(static_cast<double>(n) / static_cast<double>(model.n))); };
  race.n = *std::min_element(sizes.begin(), sizes.end(), [&](u64 a, u64 b) { return factor(a) < factor(b); });
}

}  // namespace

std::span<const u64> race_sizes(Domain domain) {
  static constexpr std::array<u64, 4> kPairs{4096, 16384, 65536, 262144}, kTriples{256, 512, 1024, 2048};
  return domain == Domain::triangle ? kPairs : kTriples;
}

void open_race(const SessionModel& model, RaceState& race) {
  const Domain domain = model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
  race.shown = true;
  if (race.domain != domain) race.domain = domain, race.maps.clear(), race.status.reset(), race.extras = {};
  choose_size(model, race);
}

void press_race(const SessionModel& model, RaceState& race) {
  open_race(model, race);
  if (race.status == nullptr && !race_pending(race)) race.start = true;
}

bool race_pending(const RaceState& race) {
  const auto runs = [](const auto& status) { return status != nullptr && status->running; };
  return race.start || race.cancel || race.extra || !race.save.empty() || runs(race.status) ||
         std::any_of(race.extras.begin(), race.extras.end(), runs);
}

void race_map(const SessionModel& model, RaceState& race, Domain domain, const std::string& map) {
  open_race(model, race);
  if (race.domain != domain) {
    race.domain = domain, race.opened_at.reset();
    choose_size(model, race);
  }
  race.maps.clear();
  if (map != "bb") race.maps = {"bb", map};
  race.start = true;
}

RunConfig race_config(const RaceState& race, const CommonOptions& common) {
  RunConfig config = race_config(race.domain, race.n, common);
  if (!race.maps.empty()) config.common.maps = race.maps;
  return config;
}

RunConfig race_config(Domain domain, u64 n, const CommonOptions& common) {
  RunConfig config;
  config.command = Command::bench;
  config.common = common;
  config.common.maps = {"all"}, config.common.blocks.clear();
  config.bench.kernels = {kernel_of(domain, true), kernel_of(domain, false)};
  config.bench.forms = {BenchForm::hold, BenchForm::store};
  config.bench.sizes = {n};
  config.bench.samples = kSamples;
  bench_plan(config);
  return config;
}

std::vector<RaceColumn> race_columns(Domain domain, const BenchStatus* status) {
  std::vector<RaceColumn> columns;
  for (const Workload& work : kWorkloads) {
    RaceColumn column{work.title, work.about, "", false, 1, false, false, {}};
    const BenchGroup* group = status == nullptr ? nullptr : group_of(*status, kernel_of(domain, work.empty), work);
    if (group == nullptr) {
      column.headline = status != nullptr && status->running ? "waits" : "";
      columns.push_back(std::move(column));
      continue;
    }
    const RaceBasis basis = basis_of(*status, *group);
    column.loaded = group->load && group->load->matters();
    for (const BenchRow& bench : group->rows) {
      column.rows.push_back(row_from(bench, basis));
      const RaceRow& row = column.rows.back();
      column.timed |= row.ms > 0 && row.map != "bb";
      if (row.faster()) column.best = std::max(column.best, row.improvement->ratio);
    }
    column.differs = column.best > 1;
    const auto any = [&](const auto& is) { return std::any_of(column.rows.begin(), column.rows.end(), is); };
    const bool decided =
        any([](const RaceRow& r) { return r.map != "bb" && r.improvement && r.improvement->decided(); });
    column.headline = !column.timed                                      ? "not timed here"
                      : column.differs                                   ? phrase("up to {}", times_text(column.best))
                      : !decided                                         ? "too few rounds"
                      : any([](const RaceRow& r) { return r.slower(); }) ? "no map is faster"
                                                                         : "no difference";
    columns.push_back(std::move(column));
  }
  return columns;
}

namespace {

/// Of a race of one map against bb.
std::string duel_sentence(const std::vector<RaceColumn>& columns, const std::string& map, u64 n) {
  std::string text = phrase("{} over bb at {} bodies: ", map, grouped(n));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto row =
        std::find_if(columns[k].rows.begin(), columns[k].rows.end(), [&](auto& r) { return r.map == map; });
    const bool known = row != columns[k].rows.end() && row->improvement && row->ms > 0;
    const std::string gain = !known                         ? (row != columns[k].rows.end() ? row->reason : "")
                             : !row->improvement->decided() ? "too few rounds"
                             : row->improvement->differs()  ? times_text(row->improvement->ratio)
                                                            : "no difference";
    constexpr std::array kWhat{"with an empty kernel", "with one write a cell", "with forces"};
    text += phrase("{}{} {}", k == 0 ? "" : ", ", tr(gain.empty() ? "not timed" : gain), kWhat[k]);
  }
  return text + ".";
}

}  // namespace

namespace {

using RaceRowTest = bool (RaceRow::*)() const;

/// "utm is slower, 0.0056 \u00d7", "rb and utm are slower, down to 0.0056 \u00d7", "rb, utm and 2 more are ..."; empty:
/// none is.
std::string slower_words(const RaceColumn& column) {
  const auto slower = std::count_if(column.rows.begin(), column.rows.end(), [](auto& r) { return r.slower(); });
  const std::size_t named = slower == 3 ? 3 : 2;  // one more has a name
  double least = 1;
  std::size_t count = 0;
  std::string names;
  for (const RaceRow& row : column.rows) {
    if (!row.slower()) continue;
    least = std::min(least, row.improvement->ratio);
    if (count++ >= named) continue;
    const bool last = slower == static_cast<std::ptrdiff_t>(count);
    names += (names.empty() ? "" : last ? tr(" and ") : ", ") + row.map;
  }
  if (count == 0) return "";
  if (count > named) names += phrase(" and {} more", count - named);
  return phrase("{} {} slower, {}{}", names, count == 1 ? "is" : "are", count == 1 ? "" : "down to ",
                times_text(least));
}

/// What the figures of a workload say.
std::string column_words(const RaceColumn& column) {
  const std::string slower = slower_words(column);
  if (column.differs) return tr(column.headline) + (slower.empty() ? "" : " (" + slower + ")");
  return slower.empty() ? tr(column.headline) : phrase("no map is faster than bb, and {}", slower);
}

/// The highest gain over bb that the intervals leave possible.
double possible_gain(const RaceColumn& column) {
  double most = 0;
  for (const RaceRow& row : column.rows) {
    if (row.ms > 0 && row.improvement && row.map != "bb") most = std::max(most, row.improvement->interval.high);
  }
  return most;
}

/// Of the first figure above its bound; empty: there is none.
std::string doubts(const std::vector<RaceColumn>& columns) {
  for (const RaceColumn& column : columns) {
    for (const RaceRow& row : column.rows) {
      if (!row.above || !(row.ms > 0)) continue;
      return phrase(" The {} of {} is more than the {} that its blocks explain, also when timed again.",
                    times_text(row.improvement->ratio), row.map, times_text(*row.above));
    }
  }
  return "";
}

}  // namespace

std::string race_progress(const std::vector<RaceColumn>& columns, const BenchStatus& status) {
  const std::size_t after = status.progress.find(": ");  // the kernel and the number of bodies
  if (after == std::string::npos || status.finished >= columns.size()) return status.progress;
  std::string text = tr(columns[status.finished].title) + status.progress.substr(after);
  constexpr std::string_view kGroup = " (group ";
  if (const std::size_t at = text.rfind(kGroup); at != std::string::npos) {
    text.replace(at, kGroup.size(), tr(" (workload "));
  }
  return text;
}

std::string race_sentence(const std::vector<RaceColumn>& columns, u64 n) {
  if (std::any_of(columns.begin(), columns.end(), [](const RaceColumn& c) { return c.rows.empty(); })) return "";
  if (columns[0].rows.size() == 2) return duel_sentence(columns, columns[0].rows[1].map, n) + doubts(columns);
  const RaceColumn &empty = columns[0], &write = columns[1], &forces = columns[2];
  constexpr double kSame = 1.1;
  std::string text;
  if (std::any_of(columns.begin(), columns.end(), [](const RaceColumn& c) { return c.best >= kSame && c.loaded; })) {
    text = tr("Other programs ran: race again before you rely on a gain. ");
  } else if (forces.best >= kSame) {
    text = tr("The map matters for forces, too. ");
  } else if (std::max(empty.best, write.best) >= kSame) {
    text = tr("The map matters where a block does little. ");
  } else if (empty.timed && possible_gain(empty) < kSame) {
    text = tr("On this device an idle block costs next to nothing. ");
  }
  constexpr std::array kWith{"with an empty kernel", "with one write a cell", "with forces"};
  const std::size_t before = text.size();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!columns[k].timed) continue;
    text += phrase("{}{} {}", text.size() == before ? phrase("At {} bodies ", grouped(n)) : "; ", kWith[k],
                   column_words(columns[k]));
  }
  if (text.size() == before) return phrase("No map could be timed at {} bodies.", grouped(n));
  return text + "." + doubts(columns);
}

namespace {

/// A row of the report, as a race has it.
RaceRow shipped_row(const nlohmann::json& row, double usual) {
  RaceRow shown;
  shown.map = row.at("map");
  if (!row.at("skipped").is_null()) {
    const std::string why = row.at("skipped");
    shown.reason = why.find("threads") != std::string::npos ? "not for forces" : "beyond its limit";
    return shown;
  }
  Improvement over;
  over.ratio = row.at("improvement");
  over.interval = {row.at("improvement_low"), row.at("improvement_high"), row.at("confidence")};
  shown.ms = usual / over.ratio;
  shown.interval = {usual / over.interval.high, usual / over.interval.low, over.interval.confidence};
  shown.improvement = over;
  return shown;
}

ShippedRace read_shipped(Domain domain) {
  constexpr u32 kBlock = 8;  // of the other report, as it is in this one
  const auto report = nlohmann::json::parse(embedded::report_h200);
  const auto of_writes = nlohmann::json::parse(embedded::report_h200_tetra);
  ShippedRace race{report.at("meta").at("device"), 0, race_columns(domain, nullptr)};
  for (std::size_t k = 0; k < race.columns.size(); ++k) {
    RaceColumn& column = race.columns[k];
    const Workload& work = kWorkloads[k];
    const bool writes = work.empty && work.form != BenchForm::hold;
    if (writes && domain == Domain::triangle) {
      column.about = "The reports that come with the program have no writes of pairs: there is no figure of an H200.";
      continue;
    }
    double usual = 0;
    for (const MapInfo& map : maps_of(domain)) {  // in the order of the page
      if (map.typed != nullptr) continue;
      RaceRow shown{.map = map.name, .reason = "not in the report", .interval = {}, .improvement = {}};
      for (const auto& row : (writes ? of_writes : report).at("results")) {
        if (row.at("kernel") != to_string(kernel_of(domain, work.empty)) || row.at("map") != map.name) continue;
        const bool same = row.at("form") == "store" && row.at("n") == race.n && row.at("requested_block") == kBlock;
        if (writes && !same) continue;
        if (shown.map == "bb") usual = row.at("median_ms"), race.n = row.at("n");
        shown = shipped_row(row, usual);
      }
      if (shown.faster()) column.best = std::max(column.best, shown.improvement->ratio);
      column.rows.push_back(std::move(shown));
    }
    column.timed = usual > 0, column.differs = column.best > 1;
    column.headline = column.differs ? phrase("up to {}", times_text(column.best)) : "no map is faster";
  }
  return race;
}

}  // namespace

const ShippedRace& shipped_race(Domain domain) {
  static ShippedRace pairs, triples;
  static std::string language;  // of their headlines
  if (std::string now = phrase("up to {}", "1"); now != language) {
    language = std::move(now), pairs = read_shipped(Domain::triangle), triples = read_shipped(Domain::tetrahedron);
  }
  return domain == Domain::triangle ? pairs : triples;
}

std::optional<ShippedFigure> shipped_figure(Domain domain, const std::string& map) {
  const ShippedRace& race = shipped_race(domain);
  std::optional<ShippedFigure> best;
  for (const RaceRow& row : race.columns.front().rows) {  // of the empty kernel
    const bool counts = row.map != "bb" && row.improvement && row.improvement->differs();
    if (!counts || (!map.empty() && row.map != map)) continue;
    if (best && best->over_bb.ratio >= row.improvement->ratio) continue;
    best = ShippedFigure{race.device, row.map, race.n, *row.improvement};
  }
  return best;
}

std::optional<MachineLoad> race_load(const BenchStatus* status) {
  std::optional<MachineLoad> most;
  if (status == nullptr) return most;
  for (const BenchGroup& group : status->groups) {
    if (group.load && (!most || group.load->others > most->others)) most = group.load;
  }
  return most;
}

// What is timed beside the race: forces over n, triples, gasket.

namespace {

constexpr u32 kRounds = 15;

/// The map whose forces are the fastest over bb in the race; lambda (tetra) before it.
std::string best_of_forces(const RaceState& race) {
  std::string best = race.domain == Domain::triangle ? "lambda" : "tetra";
  double most = 0;
  const std::vector<RaceColumn> columns = race_columns(race.domain, race.status.get());
  for (const RaceRow& row : columns[2].rows) {
    if (!row.faster() || row.improvement->ratio <= most) continue;
    most = row.improvement->ratio, best = row.map;
  }
  return best;
}

}  // namespace

RunConfig race_extra_config(RaceExtra extra, const RaceState& race, const CommonOptions& common, bool device) {
  RunConfig config;
  config.command = Command::bench;
  config.common = common;
  config.common.maps = {"all"}, config.common.blocks.clear();
  config.bench.samples = kRounds;
  if (extra == RaceExtra::over_n) {
    const bool pairs = race.domain == Domain::triangle;
    config.bench.kernels = {pairs ? BenchKernel::gravity : BenchKernel::triplet};
    config.common.maps = {"bb", best_of_forces(race)};
    for (u64 part = 16; part >= 1; part /= 2) {
      if (race.n / part >= 16) config.bench.sizes.push_back(race.n / part);
    }
  } else if (extra == RaceExtra::triples) {
    config.bench.kernels = {BenchKernel::dummy3}, config.bench.forms = {BenchForm::hold};
    config.bench.sizes = {device ? u64{1024} : u64{256}};
  } else {
    config.bench.kernels = {BenchKernel::gasket}, config.bench.forms = {BenchForm::write};
    config.bench.sizes = {device ? u64{65536} : u64{2048}};
    if (device) config.bench.placements = {GasketPlacement::sectors};
  }
  bench_plan(config);
  return config;
}

std::optional<RaceFigure> race_figure(const BenchStatus* status) {
  std::optional<RaceFigure> best;
  if (status == nullptr) return best;
  for (const BenchGroup& group : status->groups) {
    for (const BenchRow& row : group.rows) {
      if (row.skipped || !row.check.passed || row.above_bound) continue;
      if (!row.improvement || !row.improvement->differs()) continue;
      const bool better = row.improvement->ratio > (best ? best->over_bb.ratio : 1);
      if (better) best = RaceFigure{row.spec.map, *row.improvement, group.common.n};
    }
  }
  return best;
}

PlotSpec race_plot(const BenchStatus* status) {
  PlotSpec plot{"race over n", "", {}, "bodies", {}};
  plot.logarithmic = plot.logarithmic_x = plot.maps = true, plot.unit = " ms";
  std::vector<const BenchGroup*> groups;
  if (status != nullptr) {
    for (const BenchGroup& g : status->groups) groups.push_back(&g);
  }
  std::sort(groups.begin(), groups.end(), [](auto* a, auto* b) { return a->common.n < b->common.n; });
  for (const BenchGroup* group : groups) {
    plot.x.push_back(static_cast<double>(group->common.n));
    for (const BenchRow& row : group->rows) {
      auto line = std::find_if(plot.lines.begin(), plot.lines.end(), [&](auto& l) { return l.name == row.spec.map; });
      if (line == plot.lines.end()) line = plot.lines.insert(line, {row.spec.map, {}});
      line->y.resize(plot.x.size() - 1, std::numeric_limits<double>::quiet_NaN());
      const bool timed = !row.skipped && row.check.passed && !row.samples_ms.empty();
      line->y.push_back(timed ? row.stats.median : std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (PlotLine& line : plot.lines) line.y.resize(plot.x.size(), std::numeric_limits<double>::quiet_NaN());
  return plot;
}

std::string race_csv(const RaceState& race) {
  std::vector<BenchGroup> groups;
  const auto add = [&](const std::shared_ptr<const BenchStatus>& status) {
    if (status != nullptr) groups.insert(groups.end(), status->groups.begin(), status->groups.end());
  };
  add(race.status);
  for (const auto& extra : race.extras) add(extra);
  return groups.empty() ? std::string() : report_csv(groups);
}

}  // namespace tri::app::gui
