// Options of `compute`, and which of them belongs to which job and law.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/model/triple_counts.hpp"

namespace tri::app {
namespace {

/// A parameter of a law: one row gives the option, the law that reads it, its range and its place.
struct LawOption {
  const char* name;
  const char* law;
  enum class Range { any, positive, non_negative } range;
  double& (*place)(ForceField&);
};

using Range = LawOption::Range;
const LawOption kLawOptions[] = {
    {"--G", "gravity", Range::any, [](ForceField& f) -> double& { return f.gravity.G; }},
    {"--eps", "gravity", Range::non_negative, [](ForceField& f) -> double& { return f.gravity.softening; }},
    {"--epsilon", "lennard-jones", Range::positive, [](ForceField& f) -> double& { return f.lennard_jones.epsilon; }},
    {"--sigma", "lennard-jones", Range::positive, [](ForceField& f) -> double& { return f.lennard_jones.sigma; }},
    {"--cutoff", "lennard-jones", Range::non_negative, [](ForceField& f) -> double& { return f.lennard_jones.cutoff; }},
    {"--stiffness", "contact", Range::positive, [](ForceField& f) -> double& { return f.contact.stiffness; }},
    {"--damping", "contact", Range::non_negative, [](ForceField& f) -> double& { return f.contact.damping; }},
    {"--shear", "contact", Range::non_negative, [](ForceField& f) -> double& { return f.contact.shear; }},
    {"--nu", "axilrod-teller", Range::any, [](ForceField& f) -> double& { return f.axilrod_teller.nu; }},
};

double read_number(const LawOption& option, const std::string& text) {
  switch (option.range) {
    case Range::positive:
      return positive_number(option.name, text);
    case Range::non_negative:
      return non_negative_number(option.name, text);
    default:
      return finite_number(option.name, text);
  }
}

constexpr std::string_view kJobs[] = {"distances", "collisions", "forces", "triplets"};

std::string_view name_of(ComputeJob job) { return kJobs[static_cast<int>(job)]; }

/// Options that belong to one job only, and what the others say.
void check_job(const RunConfig& config) {
  const ComputeJob job = config.compute.job;
  const std::map<std::string, ComputeJob> owners = {
      {"--layout", ComputeJob::distances}, {"--per-body", ComputeJob::collisions},
      {"--bins", ComputeJob::triplets},    {"--law", ComputeJob::forces},
      {"--shifted", ComputeJob::forces},   {"--accumulate", ComputeJob::forces}};
  for (const std::string& option : config.given) {
    const auto owner = owners.find(option);
    const bool of_law = std::any_of(std::begin(kLawOptions), std::end(kLawOptions),
                                    [&](const LawOption& o) { return option == o.name; });
    if (owner == owners.end() && !of_law) continue;
    const ComputeJob belongs = of_law ? ComputeJob::forces : owner->second;
    if (belongs != job) {
      throw ConfigError(
          fmt::format("{} is an option of compute {}, not of compute {}.", option, name_of(belongs), name_of(job)));
    }
  }
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
  if (compute.law.empty()) {
    throw ConfigError(fmt::format("compute forces needs --law; the laws are {}.", fmt::join(force_law_names(), ", ")));
  }
  for (const LawOption& option : kLawOptions) {
    if (config.given.count(option.name) && compute.law != option.law) {
      throw ConfigError(fmt::format("{} belongs to --law {}, and --law is {}.", option.name, option.law, compute.law));
    }
  }
  if (compute.field.lennard_jones.shifted && compute.law != "lennard-jones") {
    throw ConfigError(fmt::format("--shifted belongs to --law lennard-jones, and --law is {}.", compute.law));
  }
  compute.field.pair = PairLaw::none;
  if (compute.law == "axilrod-teller") {
    compute.field.triple = TripleLaw::axilrod_teller;
  } else {
    compute.field.pair = pair_law_from(compute.law);
  }
  check(compute.field);
}

void check_compute(RunConfig& config) {
  const ComputeOptions& compute = config.compute;
  check_job(config);
  if (config.common.maps.size() > 1) throw ConfigError("compute takes one --map.");
  if (config.common.blocks.size() > 1) throw ConfigError("compute takes one --block.");
  if (compute.job == ComputeJob::forces) check_law(config);
  if (compute.job == ComputeJob::triplets) check_triplets(config);
  check_broad_phase(config);
  if (compute.output.empty()) throw ConfigError("compute needs -o FILE, with the extension .npy or .csv.");
  if (!compute.output.ends_with(".npy") && !compute.output.ends_with(".csv")) {
    throw ConfigError(fmt::format("-o {}: the extension names the format; take .npy or .csv.", compute.output));
  }
}

}  // namespace

std::vector<std::string_view> force_law_names() { return {"gravity", "lennard-jones", "contact", "axilrod-teller"}; }

CommandSpec compute_spec(RunConfig& config) {
  ComputeOptions& compute = config.compute;
  CommandSpec spec{Command::compute, "compute", {}, {}, [&config] { check_compute(config); }};
  const std::vector<std::string_view> jobs(std::begin(kJobs), std::end(kJobs));
  const auto read_job = [&compute, jobs](const std::string& v) {
    compute.job = static_cast<ComputeJob>(choice("compute", v, jobs));
  };
  spec.positionals.push_back({fmt::format("{}", fmt::join(jobs, "|")), true, read_job, false, hint_names(jobs)});
  spec.positionals.push_back(
      {"INPUT", true, [&compute](const std::string& v) { compute.input = v; }, false, hint_file()});
  const auto add = [&spec](const char* names, bool flag, std::function<void(const std::string&)> read) {
    spec.options.push_back({names, flag, std::move(read)});
  };
  add("-o,--output", false, [&compute](const std::string& v) { compute.output = v; });
  spec.options.back().hint = hint_file();
  spec.options.push_back(one_of("--layout", layout_names(),
                                [&compute](std::size_t k) { compute.layout = static_cast<DistanceLayout>(k); }));
  add("--per-body", true, [&compute](const std::string&) { compute.per_body = true; });
  add("--bins", false, [&compute](const std::string& v) { compute.bins = parse_bins(v); });
  spec.options.push_back(one_of("--law", force_law_names(),
                                [&compute](std::size_t k) { compute.law = std::string(force_law_names()[k]); }));
  for (const LawOption& option : kLawOptions) {
    add(option.name, false,
        [&compute, &option](const std::string& v) { option.place(compute.field) = read_number(option, v); });
  }
  add("--shifted", true, [&compute](const std::string&) { compute.field.lennard_jones.shifted = true; });
  const u32 takes = kBackend | kWork | kPrecision | kAccumulate | kThreads | kBroadPhase | kSlices;
  for (auto& o : common_specs(config.common, takes)) {
    if (o.long_name() == "--map") o.hint.several = false;
    spec.options.push_back(std::move(o));
  }
  return spec;
}

}  // namespace tri::app
