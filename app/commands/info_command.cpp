// `info`: this program and this machine; `list`: the registries of maps, laws, scenes, generators, formats and devices,
// and the failures of published index formulas.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/commands/failure_list.hpp"
#include "app/support/commands.hpp"
#include "app/support/host_info.hpp"
#include "app/support/json_text.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/threads.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDomains[] = {"pairs", "triples", "gasket"};

Json maps_json() {
  Json rows = Json::array();
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    for (const MapInfo& m : maps) {
      rows.push_back({{"domain", kDomains[static_cast<int>(m.domain)]},
                      {"name", m.name},
                      {"space", m.space == Space::block ? "block" : "thread"},
                      {"formula", m.formula},
                      {"source", m.source},
                      {"limit", m.limit},
                      {"max_side", m.max_side},
                      {"alternative", m.alternative == nullptr ? Json(nullptr) : Json(m.alternative)},
                      {"historical", m.historical}});
    }
  }
  return rows;
}

std::string maps_text(u32 width) {
  std::string text;
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    TextTable table({{fmt::format("map of {}", kDomains[static_cast<int>(maps[0].domain)])},
                     {"space; exact to; source, and the tile of position w or (x, y)"}});
    for (const MapInfo& m : maps) {
      const char* space = m.space == Space::block ? "block" : "thread";
      table.add_spanning(m.name, fmt::format("{}; {}; {}", space, m.limit, m.source));
      table.add_spanning("", m.formula);
    }
    if (!text.empty()) text += "\n";
    text += table.text(width);
  }
  return text;
}

/// Of run, view, render and compute forces.
std::string options_of(const LawInfo& law) {
  if (law.typed) return law.pair != PairLaw::none ? "--law" : "--triple-law";
  std::vector<std::string_view> options;
  for (const LawParameter& p : law.parameters) {
    if (p.option != nullptr) options.emplace_back(p.option);
  }
  return fmt::format("{}", fmt::join(options, ", "));
}

Json laws_json() {
  Json rows = Json::array();
  for (const LawInfo& law : all_laws()) {
    rows.push_back({{"name", law.name}, {"over", law.over()}, {"form", law.form}, {"options", options_of(law)}});
  }
  return rows;
}

std::string laws_text(u32 width) {
  TextTable table({{"law"}, {"over; options, and its form"}});
  for (const LawInfo& law : all_laws()) {
    table.add_spanning(law.name, fmt::format("{}; {}", law.over(), options_of(law)));
    table.add_spanning("", law.form);
  }
  return table.text(width);
}

Json keyed_json(std::span<const SceneInfo> infos) {
  Json rows = Json::array();
  for (const SceneInfo& s : infos) rows.push_back({{"name", s.name}, {"title", s.title}, {"keys", s.keys}});
  return rows;
}

std::string keyed_text(u32 width, const char* what, std::span<const SceneInfo> infos, const std::string& how) {
  TextTable table({{what}, {"what it is, and its keys"}});
  for (const SceneInfo& s : infos) {
    table.add_spanning(s.name, s.title);
    table.add_spanning("", s.keys);
  }
  return table.text(width) + folded(how, width, 0) + "\n";
}

Json scenes_json() { return keyed_json(list_scenes()); }
Json generators_json() { return keyed_json(list_generators()); }

std::string scenes_text(u32 width) {
  return keyed_text(width, "scene", list_scenes(),
                    fmt::format("Name a scene as NAME or NAME:key=value,key=value, and a TOML file of your "
                                "own, FILE.toml:key=value. The default scene is {}.",
                                kDefaultScene));
}

std::string generators_text(u32 width) {
  return keyed_text(width, "generator", list_generators(),
                    "A generator makes the bodies of a scene, or of a [[part]] of it, in a TOML file.");
}

Json fractals_json() {
  Json rows = Json::array();
  for (const Fractal& f : list_fractals()) {
    rows.push_back({{"name", f.name},
                    {"title", f.title},
                    {"replicas", f.shape.replicas()},
                    {"scale", f.shape.scale()},
                    {"dimensions", f.shape.dimensions()}});
  }
  return rows;
}

std::string fractals_text(u32 width) {
  TextTable table({{"fractal"}, {"k"}, {"s"}, {"what it is"}});
  for (const Fractal& f : list_fractals()) {
    table.add({f.name, fmt::format("{}", f.shape.replicas()), fmt::format("{}", f.shape.scale()), f.title});
  }
  const std::string how = fmt::format(
      "run NAME:key=value,... runs an automaton on it, with the keys {}; bench --kernel gasket --fractal NAME times "
      "it. "
      "A TOML file of your own has scale and table.",
      kAutomatonKeys);
  return table.text(width) + folded(how, width, 0) + "\n";
}

Json formats_json() {
  Json rows = Json::array();
  for (const FormatInfo& f : list_formats()) {
    rows.push_back({{"name", f.name},
                    {"extensions", f.extensions},
                    {"reads", f.reads},
                    {"writes", f.writes},
                    {"description", f.description}});
  }
  return rows;
}

std::string formats_text(u32 width) {
  TextTable table({{"format"}, {"extensions"}, {"reads"}, {"writes"}, {"description"}});
  for (const FormatInfo& f : list_formats()) {
    table.add({f.name, f.extensions, f.reads ? "yes" : "no", f.writes ? "yes" : "no", f.description});
  }
  return table.text(width);
}

/// A row for each backend, with the device of those that are available; key: of its name.
Json backends_json(const char* key) {
  Json rows = Json::array();
  for (const BackendEntry& entry : list_backends()) {
    Json row = {{key, entry.name}, {"available", entry.available.ok}};
    const BackendInfo about = entry.available.ok ? make_backend(entry.name)->info() : BackendInfo{};
    row["device"] = entry.available.ok ? Json(about.device) : Json(nullptr);
    row["detail"] = entry.available.ok ? Json(about.detail) : Json(nullptr);
    row["reason"] = entry.available.ok ? Json(nullptr) : Json(entry.available.reason);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string backend_text(const Json& row) {
  return row["available"] ? fmt::format("{}, {}", row["device"].get<std::string>(), row["detail"].get<std::string>())
                          : "not available: " + row["reason"].get<std::string>();
}

Json devices_json() { return backends_json("backend"); }

std::string devices_text(u32 width) {
  TextTable table({{"backend"}, {"device"}});
  for (const Json& row : devices_json()) table.add({row["backend"].get<std::string>(), backend_text(row)});
  return table.text(width);
}

std::string gib(u64 bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (u64{1} << 30)); }

Json info_json(const GuiCommands& gui) {
  Json j;
  j["version"] = kVersionFull;
  j["compiler"] = kCompiler;
  j["build"] = kBuild;
  j["backends"] = backends_json("name");
  const Availability window = gui.available();
  j["window"] = {{"available", window.ok}, {"reason", window.ok ? Json(nullptr) : Json(window.reason)}};
  j["processor"] = processor_name();
  j["threads"] = usable_threads();
  j["memory_bytes"] = memory_bytes();
  j["memory_free_bytes"] = available_memory();
  j["host"] = host_name();
  return j;
}

}  // namespace

int run_info(const RunConfig& config, Console& console, const GuiCommands& gui) {
  const Json j = info_json(gui);
  if (config.common.json) {
    console.print(json_text(j));
    return static_cast<int>(ExitCode::ok);
  }
  std::string text;
  const auto line = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  line("version", kVersionFull);
  line("build", fmt::format("{}, {}", kCompiler, kBuild));
  for (const Json& row : j["backends"]) line(row["name"].get<std::string>(), backend_text(row));
  const Availability window = gui.available();
  line("window", window.ok ? "yes" : "not available: " + window.reason);
  line("processor", fmt::format("{}, {} threads usable", processor_name(), usable_threads()));
  line("memory", fmt::format("{}, {} free", gib(memory_bytes()), gib(available_memory())));
  console.print(text);
  return static_cast<int>(ExitCode::ok);
}

int run_list(const RunConfig& config, Console& console) {
  struct Entry {
    const char* name;
    Json (*json)();
    std::string (*text)(u32 width);
  };
  static constexpr Entry kLists[] = {{"maps", maps_json, maps_text},
                                     {"laws", laws_json, laws_text},
                                     {"scenes", scenes_json, scenes_text},
                                     {"generators", generators_json, generators_text},
                                     {"fractals", fractals_json, fractals_text},
                                     {"formats", formats_json, formats_text},
                                     {"devices", devices_json, devices_text},
                                     {"failures", failures_json, failures_text}};
  for (const Entry& list : kLists) {
    if (config.list != list.name) continue;
    console.print(config.common.json ? list.json().dump(2) + "\n" : list.text(console.width()));
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
