#include "app/support/file_roles.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

namespace fs = std::filesystem;

struct Output {
  const char* option;
  std::string path;
};

struct Roles {
  std::vector<std::string> inputs;
  std::vector<Output> outputs;

  void reads(const std::string& path) {
    if (!path.empty()) inputs.push_back(path);
  }
  void writes(const char* option, const std::string& path) {
    if (!path.empty()) outputs.push_back({option, path});
  }
};

/// The file of a scene text; empty for a scene by its name.
std::string scene_file(const std::string& spec) {
  if (spec.empty() || !takes_keys(spec)) return spec;
  const std::string name = split_spec(spec).first;
  return name.ends_with(".toml") ? name : "";
}

Roles roles_of(const RunConfig& config) {
  Roles roles;
  roles.reads(scene_file(config.run.scene));
  roles.reads(config.run.restart);
  roles.writes("--diag", config.run.diag);
  roles.writes("--output", config.run.output);
  if (config.bench.fractal.ends_with(".toml")) roles.reads(config.bench.fractal);
  roles.writes("--output", config.bench.output);
  roles.reads(config.bench.compare);
  roles.writes("--resume", config.bench.resume);  // read and written: an output, as to the others
  roles.writes("--plot", config.bench.plot);
  roles.writes("--plot", config.law.plot);
  roles.reads(config.verify.file);
  roles.writes("--plot", config.verify.plot);
  roles.reads(config.compute.input);
  roles.writes("--output", config.compute.output);
  roles.reads(scene_file(config.convert.input));
  roles.writes("OUT", config.convert.output);
  for (const std::string& result : config.plot.inputs) roles.reads(result);
  roles.writes("--output", config.plot.output);
  roles.reads(config.view.script);
  roles.writes("--screenshot", config.view.screenshot);
  roles.writes("--record", config.view.record);
  roles.writes("--output", config.render.output);
  return roles;
}

/// Absolute and without links, as far as the path is there.
std::string resolved(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error || whole.empty() ? path : whole.string();
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const fs::file_status status = fs::status(a, ignored);
  if (!fs::exists(status)) return resolved(a) == resolved(b);
  return fs::is_regular_file(status) && fs::equivalent(a, b, ignored);
}

}  // namespace

void check_outputs(const RunConfig& config) {
  const Roles roles = roles_of(config);
  for (std::size_t i = 0; i < roles.outputs.size(); ++i) {
    const auto& [option, path] = roles.outputs[i];
    for (const std::string& input : roles.inputs) {
      if (path == "-" || !same_file(path, input)) continue;  // streams, not files
      throw ConfigError(
          fmt::format("{} {}: this file is also the input, which would be lost; name another file.", option, path));
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Output& other = roles.outputs[j];
      if (path == "-" || !same_file(path, other.path)) continue;
      throw ConfigError(fmt::format("{} {} and {} {} are one file; name two.", other.option, other.path, option, path));
    }
  }
}

}  // namespace tri::app
