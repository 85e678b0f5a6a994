// `convert`: bodies from one format to another.

#include <fmt/format.h>

#include <filesystem>

#include "app/support/commands.hpp"
#include "app/support/file_roles.hpp"
#include "sim/io/format.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

/// Bodies of a file, or of a scene at its start, and what is known of them.
Bodies bodies_of(const std::string& input, const UnitSystem* asked, ReadReport& reading) {
  std::error_code ignored;
  if (!takes_keys(input) && std::filesystem::exists(input, ignored)) {
    reading.asked = asked;
    return read_bodies(input, reading);
  }
  // Throws an error that names both possibilities.
  Scene scene = open_scene(asked == nullptr ? input : with_units(input, asked->name));
  reading.notes = scene.notes;
  reading.time = 0;
  reading.units = find_unit_system(scene.units), reading.box = scene.field.box;
  return std::move(scene.bodies);
}

}  // namespace

int run_convert(const RunConfig& config, Console& console) {
  const ConvertOptions& convert = config.convert;
  ReadReport reading;
  const std::string& units = config.run.units;
  Bodies bodies = bodies_of(convert.input, units.empty() ? nullptr : &unit_system_from(units), reading);
  for (const std::string& note : reading.notes) console.note(note);
  if (!reading.strange_cell.empty()) {
    console.note(fmt::format("warning: '{}' {}; dropped.", convert.input, reading.strange_cell));
  }
  check_files_read(config);
  const double time = reading.time.value_or(0);
  const StateInfo state{time, reading.units == nullptr ? "" : reading.units->name, reading.box.value_or(Box{})};
  for (const std::string& lost : make_storable(convert.output, bodies, state)) console.note("warning: " + lost);
  write_bodies(convert.output, bodies, state);
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
