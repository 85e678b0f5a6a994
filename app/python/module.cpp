// triangulum._core: the compiled part of the Python module. The package (triangulum/) checks arrays before it calls.

#include <nanobind/stl/string.h>

#include <new>

#include "app/python/parts.hpp"
#include "app/python/work.hpp"
#include "sim/base/progress.hpp"
#include "sim/mapfile/add_map.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::python {
namespace {

namespace nb = nanobind;

/// Makes a map file one of the maps; its domain and name.
nb::tuple open_map_file(const std::string& path) {
  constexpr const char* kNames[] = {"pairs", "triples", "gasket"};
  const MapInfo& map = mapfile::add_map(mapfile::MapFile::open(path));
  return nb::make_tuple(kNames[static_cast<int>(map.domain)], map.name);
}

nb::list maps() {
  constexpr const char* kNames[] = {"pairs", "triples", "gasket"};
  nb::list rows;
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    for (const MapInfo& map : maps) {
      nb::dict row;
      row["domain"] = kNames[static_cast<int>(map.domain)];
      row["name"] = map.name;
      row["space"] = map.space == Space::block ? "block" : "thread";
      row["formula"] = map.formula, row["source"] = map.source, row["limit"] = map.limit;
      row["max_side"] = map.max_side;
      row["alternative"] = map.alternative == nullptr ? nb::object(nb::none()) : nb::object(nb::str(map.alternative));
      row["historical"] = map.historical;
      rows.append(row);
    }
  }
  return rows;
}

nb::list scenes() {
  nb::list rows;
  for (const SceneInfo& scene : list_scenes()) {
    nb::dict row;
    row["name"] = scene.name, row["title"] = scene.title, row["keys"] = scene.keys;
    rows.append(row);
  }
  return rows;
}

/// A thread's first exception and its first look at thread-local data take memory, and end the process where there is
/// none. At the import there still is.
void take_thread_data() {
  try {
    throw std::bad_alloc();
  } catch (const std::bad_alloc&) {
    progress_is_wanted();
  }
}

}  // namespace
}  // namespace tri::python

NB_MODULE(_core, module) {
  using namespace tri::python;
  // Triton keeps the globals of a kernel, with objects of ours among them, to the very end of the interpreter.
  nanobind::set_leak_warnings(false);
  module.attr("version") = nanobind::str(tri::kVersion.data(), tri::kVersion.size());
  take_thread_data();
  InterpreterEnd::watch();
  add_errors(module);
  add_dlpack(module);
  add_distances(module);
  add_contacts(module);
  add_forces(module);
  add_triplets(module);
  add_maps(module);
  add_measure(module);
  add_simulation(module);
  module.def("open_map", &open_map_file, nanobind::arg("path"),
             nanobind::sig("def open_map(path: str) -> tuple[str, str]"),
             "Makes a map file one of the maps; its domain and its name.");
  module.def("maps", &maps, nanobind::sig("def maps() -> list[dict[str, object]]"),
             "The maps, a dict each: domain, name, space, formula, source, limit, max_side, alternative, historical.");
  module.def("scenes", &scenes, nanobind::sig("def scenes() -> list[dict[str, str]]"),
             "The built-in scenes, a dict each: name, title, and every key with its default.");
}
