#pragma once
/// From the common options to a backend and an engine's configuration.

#include <memory>

#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"

namespace tri::app {

/// Which domains a job has.
struct Domains {
  bool pairs = false, triples = false;
};
Domains domains_of(const ForceField& field);

/// A map that exists for pairs and for triples (bb) serves each domain that no other name serves. Throws ConfigError
/// for an unknown name, two maps for one domain, and a map or block for a domain that the job does not have.
EngineConfig engine_config(const CommonOptions& common, Domains domains, Precision precision);

/// Throws BackendError when the one asked for is not there, ConfigError when an option has no meaning on the one
/// chosen.
/// --device asks for CUDA. Under --verbose the console is told what was chosen, and why no faster one was.
std::unique_ptr<Backend> open_backend(const CommonOptions& common, BackendNeed need = BackendNeed::simulation,
                                      Console* console = nullptr);

}  // namespace tri::app
