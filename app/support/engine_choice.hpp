#pragma once
/// From the common options to a backend and an engine's configuration.

#include <memory>
#include <string>
#include <vector>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"
#include "sim/simulation.hpp"

namespace tri::app {

/// Which domains a job has.
struct Domains {
  bool pairs = false, triples = false;
};
Domains domains_of(const ForceField& field);

/// What the command line asks for. A map that exists for pairs and for triples (bb) serves each domain that no other
/// name serves. Throws ConfigError for an unknown name, two maps for one domain, and a map or block for a domain that
/// the job does not have.
EngineOverrides engine_overrides(const CommonOptions& common, Domains domains);

/// The defaults, in this precision, with engine_overrides().
EngineConfig engine_config(const CommonOptions& common, Domains domains, Precision precision);

/// Throws ConfigError for --broad-phase and --accumulate under laws that they do nothing for.
void check_choices(const CommonOptions& common, const ForceField& field);
/// Throws ConfigError for --block and --tolerance where the engine, which has chosen what was left to it, does not use
/// them. A note where a choice is kept whatever it is; empty: none.
std::string check_effect(const CommonOptions& common, const ForceField& field, const EngineConfig& engine,
                         const std::string& backend);
/// A note where --integrator changes nothing; empty: it does.
std::string idle_integrator(const RunOptions& run, const ForceField& field);

/// The options with one device of several, the first: for work that they do not share.
CommonOptions on_one_device(CommonOptions common);
/// The CUDA device that draws, and does what one alone does.
int first_device(const CommonOptions& common);

/// --device and --devices imply cuda. Under --verbose the console gets what was chosen, and why cuda was not. Throws
/// BackendError when the backend asked for is not available, ConfigError for an option that has no meaning on the one
/// chosen.
std::unique_ptr<Backend> open_backend(const CommonOptions& common, Console* console = nullptr);
/// The same for work that is dealt out: with --devices a backend for each of them, which know nothing of each other.
std::vector<std::unique_ptr<Backend>> open_backends(const CommonOptions& common, Console* console = nullptr);
/// The name of the backend that open_backend() would open, "cpu" or "cuda", without opening it.
std::string chosen_backend(const CommonOptions& common);

// What to say about a closed system whose energy drifts.

/// By more than a hundredth.
bool energy_is_off(const DiagnosticsRow& row);

/// The error of the row, the closest pair with time step and softening, and what to try, in two sentences. Takes
/// O(n^2) time on one thread; beyond 20,000 bodies the pair is left out.
std::string energy_warning(const DiagnosticsRow& row, const Simulation& simulation);

}  // namespace tri::app
