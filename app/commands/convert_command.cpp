// `convert`: bodies from one format to another.

#include <fmt/format.h>

#include <filesystem>

#include "app/support/commands.hpp"
#include "sim/io/format.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

/// Bodies of a file, or of a scene at its start, and what is known of them.
Bodies bodies_of(const std::string& input, ReadReport& reading) {
  std::error_code ignored;
  if (!takes_keys(input) && std::filesystem::exists(input, ignored)) return read_bodies(input, reading);
  Scene scene = open_scene(input);  // throws an error that names both possibilities
  reading.notes = scene.notes;
  reading.time = 0;
  return std::move(scene.bodies);
}

}  // namespace

int run_convert(const RunConfig& config, Console& console) {
  const ConvertOptions& convert = config.convert;
  ReadReport reading;
  Bodies bodies = bodies_of(convert.input, reading);
  for (const std::string& note : reading.notes) console.note(note);
  const double time = reading.time.value_or(0);
  for (const std::string& lost : make_storable(convert.output, bodies, time)) console.note("warning: " + lost);
  write_bodies(convert.output, bodies, time);
  if (config.common.json) {
    // None of these values needs escaping in JSON.
    console.print(fmt::format("{{\"n\": {}, \"format\": \"{}\", \"time\": {}}}\n", bodies.size(),
                              format_name(convert.output), time));
  } else {
    console.note(fmt::format("{} bodies written to {}", bodies.size(), convert.output));
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
