#include "app/support/engine_choice.hpp"

#include <fmt/format.h>

#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

[[noreturn]] void fail_unknown_map(const std::string& name, Domains domains) {
  if (find_gasket_map(name)) {
    throw ConfigError(
        fmt::format("--map {} is a map of the gasket; bench --kernel gasket and run gasket take it.", name));
  }
  std::vector<std::string> names;
  if (domains.pairs) {
    for (const MapInfo& map : triangle_maps()) names.emplace_back(map.name);
  }
  if (domains.triples) {
    for (const MapInfo& map : tetra_maps()) {
      if (!find_triangle_map(map.name) || !domains.pairs) names.emplace_back(map.name);
    }
  }
  throw ConfigError("--map: " + unknown_name("map", name, names));
}

/// Gives a domain its map; two for one domain are an error.
template <class Id>
void take(std::optional<Id>& place, Id id, const char* domain) {
  if (place) {
    throw ConfigError(
        fmt::format("--map {},{}: both are maps of {}; name one of them.", info(*place).name, info(id).name, domain));
  }
  place = id;
}

void choose_maps(EngineConfig& config, const std::vector<std::string>& names, Domains domains) {
  std::optional<TriangleMapId> pairs;
  std::optional<TetraMapId> triples;
  std::vector<std::string> shared;
  for (const std::string& name : names) {
    const auto pair = find_triangle_map(name);
    const auto triple = find_tetra_map(name);
    if (!pair && !triple) fail_unknown_map(name, domains);
    if (!(pair && domains.pairs) && !(triple && domains.triples)) {
      throw ConfigError(fmt::format("--map {} is a map of {}, and nothing here goes over {}.", name,
                                    pair ? "pairs" : "triples", pair ? "pairs" : "triples"));
    }
    if (pair && triple && domains.pairs && domains.triples) {
      shared.push_back(name);
    } else if (pair && domains.pairs) {
      take(pairs, *pair, "pairs");
    } else {
      take(triples, *triple, "triples");
    }
  }
  for (const std::string& name : shared) {
    if (pairs && triples) take(pairs, *find_triangle_map(name), "pairs");
    if (!pairs) pairs = find_triangle_map(name);
    if (!triples) triples = find_tetra_map(name);
  }
  if (pairs) config.pair_map = *pairs;
  if (triples) config.triple_map = *triples;
}

}  // namespace

Domains domains_of(const ForceField& field) { return {field.pair != PairLaw::none, field.triple != TripleLaw::none}; }

EngineConfig engine_config(const CommonOptions& common, Domains domains, Precision precision) {
  EngineConfig config;
  config.precision = common.precision.value_or(precision);
  config.accumulate = common.accumulate.value_or(config.accumulate);
  config.broad_phase = common.broad_phase.value_or(config.broad_phase);
  config.threads = common.threads;
  config.slice_ms = common.slice_ms.value_or(config.slice_ms);
  choose_maps(config, common.maps, domains);
  if (common.blocks.size() == 2 && !(domains.pairs && domains.triples)) {
    throw ConfigError(
        fmt::format("--block {},{} gives a side to pairs and one to triples, and nothing here goes over {}.",
                    common.blocks[0], common.blocks[1], domains.pairs ? "triples" : "pairs"));
  }
  if (!common.blocks.empty()) {
    if (domains.pairs) config.pair_block = common.blocks.front();
    if (domains.triples) config.triple_block = common.blocks.back();
  }
  return config;
}

std::unique_ptr<Backend> open_backend(const CommonOptions& common, BackendNeed need, Console* console) {
  const bool device = common.device >= 0;
  std::string passed_over;
  auto backend = make_backend(device ? "cuda" : common.backend, device ? common.device : 0, need, &passed_over);
  const BackendInfo about = backend->info();
  const std::string& chosen = about.name;
  if (console != nullptr) {
    console->detail(fmt::format("backend {}: {}, {}", about.name, about.device, about.detail));
    if (!passed_over.empty()) console->detail(fmt::format("not {}.", passed_over));
  }
  if (common.threads != 0 && chosen != "cpu") {
    throw ConfigError(
        fmt::format("--threads counts host threads of the cpu backend, and --backend {} chose {}. Add "
                    "--backend cpu, or leave --threads out.",
                    common.backend, chosen));
  }
  return backend;
}

}  // namespace tri::app
