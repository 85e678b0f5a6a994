// Options of `compute`, and which of them belongs to which job and law.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <map>

#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/typed_text.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::app {
namespace {

/// Calls f(law, parameter) for every parameter of a law that forces depend on and that has an option.
template <class F>
void for_each_law_option(const F& f) {
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.option != nullptr && !p.of_motion) f(law, p);
    }
  }
}

constexpr std::string_view kJobs[] = {"distances", "collisions", "forces", "triplets"};

std::string_view name_of(ComputeJob job) { return kJobs[static_cast<int>(job)]; }

/// Options that belong to one job only.
void check_job(const RunConfig& config) {
  const ComputeJob job = config.compute.job;
  std::map<std::string, ComputeJob> owners = {
      {"--layout", ComputeJob::distances},    {"--rows-at-once", ComputeJob::distances},
      {"--per-body", ComputeJob::collisions}, {"--bins", ComputeJob::triplets},
      {"--box", ComputeJob::collisions},      {"--law", ComputeJob::forces},
      {"--triple-law", ComputeJob::forces},   {"--accumulate", ComputeJob::forces},
      {"--arithmetic", ComputeJob::forces},   {"--tolerance", ComputeJob::forces}};
  for_each_law_option([&](const LawInfo&, const LawParameter& p) { owners[p.option] = ComputeJob::forces; });
  for (const std::string& option : config.given) {
    const auto owner = owners.find(option);
    if (owner == owners.end() || owner->second == job) continue;
    throw ConfigError(
        fmt::format("{} is an option of compute {}, not of compute {}.", option, name_of(owner->second), name_of(job)));
  }
}

/// "L" or "LX,LY,LZ" as a periodic box from 0.
Box parse_box(const std::string& text) {
  std::vector<std::string> sides{""};
  for (const char c : text) {
    if (c == ',') {
      sides.emplace_back();
    } else {
      sides.back() += c;
    }
  }
  if (sides.size() != 1 && sides.size() != 3) {
    throw ConfigError(fmt::format("--box takes the side of a periodic box, or three; got '{}'.", text));
  }
  Box box{{0, 0, 0}, {}, Boundary::periodic};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.high[axis] = positive_number("--box", sides[sides.size() == 3 ? axis : 0]);
  }
  return box;
}

/// "a:b:step" as edges a, a + step, ... b, or the edges themselves.
std::vector<double> parse_bins(const std::string& text) {
  std::vector<double> edges;
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos) {
    for (const std::string& part : name_list("--bins", text)) edges.push_back(non_negative_number("--bins", part));
    return edges;
  }
  if (second == std::string::npos) {
    throw ConfigError(fmt::format("--bins {}: a range is from:to:step, as in 0:3:0.5.", text));
  }
  const double low = non_negative_number("--bins", text.substr(0, first));
  const double high = non_negative_number("--bins", text.substr(first + 1, second - first - 1));
  const double step = positive_number("--bins", text.substr(second + 1)), steps = (high - low) / step;
  const double whole = std::round(steps);
  if (whole < 1 || whole > SideBins::kMax || std::fabs(steps - whole) > 1e-9 * whole) {
    throw ConfigError(
        fmt::format("--bins {}: the step goes {:.9g} times from {} to {}; it must go 1 to {} times, whole.", text,
                    steps, low, high, SideBins::kMax));
  }
  for (u32 e = 0; e <= static_cast<u32>(whole); ++e) edges.push_back(low + e * step);
  edges.back() = high;
  return edges;
}

/// Integers need no precision.
void check_triplets(const RunConfig& config) {
  if (config.compute.bins.empty()) throw ConfigError("compute triplets needs --bins, as in 0:3:0.5 or 0,1,2,4.");
  check(SideBins{config.compute.bins});
  if (config.given.count("--precision")) {
    throw ConfigError("--precision has no meaning for compute triplets, which counts in float64; leave it out.");
  }
}

/// Points have columns to choose from, bodies those that they need.
void check_columns(const RunConfig& config) {
  const ComputeJob job = config.compute.job;
  if (config.compute.columns.empty() || job == ComputeJob::distances || job == ComputeJob::triplets) return;
  throw ConfigError(fmt::format("--columns is an option of compute distances and compute triplets, not of compute {}.",
                                name_of(job)));
}

/// A grid finds spheres that touch, and nothing else.
void check_broad_phase(const RunConfig& config) {
  if (!config.given.count("--broad-phase")) return;
  if (config.compute.job == ComputeJob::distances || config.compute.job == ComputeJob::triplets) {
    throw ConfigError(
        fmt::format("--broad-phase is an option of compute collisions and compute forces, not of compute "
                    "{}.",
                    name_of(config.compute.job)));
  }
  if (config.compute.job == ComputeJob::forces && config.compute.law != "contact") {
    throw ConfigError(fmt::format("--broad-phase belongs to --law contact, and --law is {}.", config.compute.law));
  }
}

void check_law(RunConfig& config) {
  ComputeOptions& compute = config.compute;
  if (compute.law.empty() && compute.triple_law.empty()) {
    throw ConfigError(fmt::format("compute forces needs --law: an energy, as in \"-mi*mj/r\", or one of {}.",
                                  fmt::join(law_names(), ", ")));
  }
  ForceField& field = compute.field;
  field.pair = PairLaw::none, field.triple = TripleLaw::none;
  if (is_law_text(compute.law)) {
    set_pair_law(field, compute.law);
  } else if (!compute.law.empty()) {
    select_law(field, compute.law);
  }
  if (!compute.triple_law.empty()) {
    if (field.triple != TripleLaw::none) {
      throw ConfigError(
          fmt::format("--law {} and --triple-law are both of triples; leave one of them out.", compute.law));
    }
    set_triple_law(field, compute.triple_law);
  }
  for_each_law_option([&](const LawInfo& law, const LawParameter& p) {
    if (!config.given.count(p.option) || law.acts(field)) return;
    const bool triples = law.triple != TripleLaw::none && !compute.triple_law.empty();
    throw ConfigError(fmt::format("{} belongs to --law {}, and {} is {}.", p.option, law.name,
                                  triples ? "--triple-law" : "--law", triples ? compute.triple_law : compute.law));
  });
  check(compute.field);
}

/// The extension names the format.
void check_output(const ComputeOptions& compute) {
  const bool distances = compute.job == ComputeJob::distances;
  const char* const all = distances ? ".npy, .hdf5, .h5 or .csv" : ".npy or .csv";
  if (compute.output.empty()) throw ConfigError(fmt::format("compute needs -o FILE, with the extension {}.", all));
  const std::string format = format_name(compute.output);
  if (format == "npy" || format == "csv" || (distances && format == "hdf5")) return;
  throw ConfigError(fmt::format("-o {}: the extension names the format; take {}, or - for csv on standard output.",
                                compute.output, all));
}

void check_compute(RunConfig& config) {
  const ComputeOptions& compute = config.compute;
  check_job(config);
  if (config.common.maps.size() > 1) throw ConfigError("compute takes one --map.");
  if (config.common.blocks.size() > 1) throw ConfigError("compute takes one --block.");
  if (compute.job == ComputeJob::forces) check_law(config);
  if (compute.job == ComputeJob::triplets) check_triplets(config);
  check_columns(config);
  check_broad_phase(config);
  check_output(compute);
}

}  // namespace

CommandSpec compute_spec(RunConfig& config) {
  ComputeOptions& compute = config.compute;
  CommandSpec spec{Command::compute, "compute", {}, {}, [&config] { check_compute(config); }};
  const std::vector<std::string_view> jobs(std::begin(kJobs), std::end(kJobs));
  const auto read_job = [&compute, jobs](const std::string& v) {
    compute.job = static_cast<ComputeJob>(choice("compute", v, jobs));
  };
  spec.positionals.push_back({fmt::format("{}", fmt::join(jobs, "|")), true, read_job, false, hint_names(jobs)});
  spec.positionals.push_back({"INPUT", true, text_into(compute.input), false, hint_file()});
  spec.add("-o,--output", text_into(compute.output)).hint = hint_file();
  spec.one_of<DistanceLayout>("--layout", kLayouts.list(), compute.layout);
  spec.value("--columns", compute.columns, name_list).hint = hint_list({"x", "y", "z", "vx", "vy", "vz", "m", "r"});
  spec.add("--rows-at-once", [&compute](const std::string& v) {
    compute.rows_at_once = static_cast<u32>(whole_number("--rows-at-once", v, 1, std::numeric_limits<u32>::max()));
  });
  spec.flag("--per-body", compute.per_body);
  spec.add("--box", [&compute](const std::string& v) { compute.box = parse_box(v); });
  spec.add("--bins", [&compute](const std::string& v) { compute.bins = parse_bins(v); });
  spec.add("--law", [&compute](const std::string& v) { compute.law = law_words("--law", v, law_names(), false); })
      .hint = hint_names(law_names());
  spec.add("--triple-law",
           [&compute](const std::string& v) {
             compute.triple_law = law_words("--triple-law", v, triple_law_names(), true);
           })
      .hint = hint_names(triple_law_names());
  for_each_law_option([&](const LawInfo&, const LawParameter& p) {
    if (p.flag != nullptr) {
      spec.flag(p.option, p.is_set(compute.field));
    } else {
      spec.value(p.option, p.value(compute.field), number_in, p.range);
    }
  });
  spec.append(common_specs(config.common, kBackend | kWork | kPrecision | kAccumulate | kArithmetic | kTolerance |
                                              kThreads | kBroadPhase | kSlices | kDevices));
  for (OptionSpec& option : spec.options) {
    if (option.names == "--map") option.hint.several = false;
  }
  return spec;
}

}  // namespace tri::app
