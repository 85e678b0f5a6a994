/// The commands that only tell: `list`, `list failures`, `info`, `doctor`.
///
/// `list failures`: published index formulas and the first index at which each is wrong
/// (app/bench/verify.hpp).

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/bench/verify.hpp"
#include "app/plot/picture.hpp"
#include "app/support/json.hpp"
#include "app/support/measurement.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/backend.hpp"
#include "sim/backends.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/platform.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::app {

/// One row a formula, in their order. Searches, which takes a few seconds.
nlohmann::ordered_json failures_json();
/// The same as a table of that width (0: unlimited), then the command of each row in a line of its own, unfolded, so
/// that it can be copied.
std::string failures_text(u32 width);

namespace {

using Json = nlohmann::ordered_json;

std::string failure_text(const IndexFailure& at) {
  if (!at.found) return at.scanned;
  const std::string where = at.side == 0 ? fmt::format("index {}", grouped(at.index))
                                         : fmt::format("n = {}, index {}", grouped(at.side), grouped(at.index));
  const std::string given = at.given ? fmt::format("{}", *at.given) : "the root of a negative number";
  return fmt::format("wrong from {} on: {} for {} (tried: {})", where, given, at.right, at.scanned);
}

}  // namespace

Json failures_json() {
  Json rows = Json::array();
  for (const IndexFormula& f : index_formulas()) {
    const IndexFailure at = f.find();
    Json row = {
        {"name", f.name}, {"numbers", f.numbers}, {"formula", f.formula}, {"project", f.project}, {"place", f.place}};
    row["n"] = at.side == 0 ? Json(nullptr) : Json(at.side);
    row["index"] = at.found ? Json(at.index) : Json(nullptr);
    row["given"] = at.given ? Json(*at.given) : Json(nullptr);
    row["right"] = at.found ? Json(at.right) : Json(nullptr);
    row["tried"] = at.scanned;
    row["command"] = at.found ? Json(f.command(at)) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string failures_text(u32 width) {
  TextTable table(
      {{"formula"}, {"source; numbers; the row of an index from 0, and where it is wrong for the first time"}});
  std::string commands;
  for (const IndexFormula& f : index_formulas()) {
    const IndexFailure at = f.find();
    table.add_spanning(f.name, fmt::format("{}, {}; {}", f.project, f.place, f.numbers));
    table.add_spanning("", f.formula);
    table.add_spanning("", failure_text(at));
    if (at.found) commands += f.command(at) + "\n";
  }
  return table.text(width) + "\n" +
         folded("Each of these prints what a formula gives there, and the right row:", width, 0) + "\n" + commands;
}

// `info`: this program and this machine; `list`: the registries of maps, laws, scenes, generators, formats and devices,
// and the failures of published index formulas.

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
  return keyed_text(
      width, "scene", list_scenes(),
      fmt::format("Name a scene as NAME or NAME:key=value,key=value, and a TOML file of your "
                  "own, FILE.toml:key=value. The default scene is {}. Automata and spins are scenes, too: "
                  "triangle-life, and the fractals of list fractals.",
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
      "A TOML file of your own has scale and table. {} runs life on the triangle, with the keys {}.",
      kAutomatonKeys, kTriangleLife, kTriangleKeys);
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

// `doctor`: checks what Triangulum can use on this machine, and how to fix what is missing.

namespace {

using Json = nlohmann::ordered_json;

namespace fs = std::filesystem;

/// good; absent: something optional is missing; bad: present but unusable.
enum class State : u8 { good, absent, bad };
constexpr const char* kStates[] = {"good", "absent", "bad"};

struct Finding {
  State state = State::good;
  std::string what;   ///< "device", "driver", "OpenGL", ...
  std::string found;  ///< what was found, or the reason
  std::string cure;   ///< how to fix it; empty if there is nothing to fix
};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The container or virtual machine that this process runs in; empty if none.
std::string container() {
  if (!variable("container").empty()) return variable("container");
  if (is_there("/.dockerenv")) return "docker";
  if (is_there("/run/.containerenv")) return "podman";
  std::ifstream groups("/proc/1/cgroup");
  for (std::string line; std::getline(groups, line);) {
    for (const char* word : {"docker", "kubepods", "lxc", "containerd"}) {
      if (line.find(word) != std::string::npos) return word;
    }
  }
  return "";
}

Finding processor() {
  return {State::good, "processor",
          fmt::format("{}, {} threads, {:.1f} GiB free", processor_name(), usable_threads(),
                      static_cast<double>(available_memory()) / (u64{1} << 30)),
          ""};
}

/// Whether the machine has an NVIDIA GPU at all: the driver's files, or its device on the bus.
bool has_card() {
  if (is_there("/proc/driver/nvidia/version") || is_there("/dev/nvidiactl") || is_there("/dev/nvidia0")) return true;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", ignored)) {
    std::ifstream vendor(entry.path() / "vendor"), kind(entry.path() / "class");
    std::string a, b;
    if (vendor >> a && kind >> b && a == "0x10de" && b.starts_with("0x03")) return true;
  }
  return false;
}

Finding driver(bool card, const std::string& box) {
  const std::string version = nvidia_driver();
  if (!version.empty()) return {State::good, "driver", "NVIDIA " + version, ""};
  if (!card) return {State::absent, "driver", "no NVIDIA GPU", "nothing to do: the cpu backend does everything"};
  return {State::bad, "driver", "there is an NVIDIA GPU, but its kernel module is not loaded",
          box.empty() ? "install NVIDIA's driver (Debian: nvidia-driver) and reboot"
                      : "start the container with its device: docker run --gpus all"};
}

Finding device(bool card, const std::string& box) {
  for (const BackendEntry& entry : list_backends()) {
    if (entry.name != std::string("cuda")) continue;
    if (entry.available.ok && has_ranks()) return {State::good, "device", "of the ranks: see below", ""};
    if (entry.available.ok) {
      const BackendInfo about = make_backend(entry.name)->info();
      return {State::good, "device", fmt::format("{}, {}", about.device, about.detail), ""};
    }
    const char* cure = !card          ? "nothing to do: the cpu backend does everything"
                       : !box.empty() ? "start the container with its device (docker run --gpus all), and see info"
                                      : "see triangulum info for the reason; nvidia-smi must list the GPU";
    return {card ? State::bad : State::absent, "device", entry.available.reason, cure};
  }
  return {State::absent, "device", "this build has no CUDA backend",
          "build where the CUDA toolkit is (docs/install.md)"};
}

/// Several GPUs, and whether they can work together at speed.
std::vector<Finding> team_findings() {
  const DevicesTogether found = devices_together();
  if (found.names.size() < 2) return {};
  const std::string names = fmt::format("{}: {}", found.names.size(), fmt::join(found.names, ", "));
  if (found.by_nccl.ok) return {{State::good, "--devices", names + "; " + found.by_nccl.reason, ""}};
  return {
      {State::absent, "--devices", names + "; " + found.by_nccl.reason,
       "for several GPUs at once: install NCCL (Debian, Ubuntu: libnccl2); sums go through host memory without it"}};
}

/// "GPU NVIDIA H200 at 0000:19:00.0 near mlx5_0, NCCL 2.28.3", or nothing where no rank has one.
std::string device_text(const RankPlace& place) {
  const RankDevice& device = place.device;
  if (device.name.empty()) return "";
  return fmt::format("; {} at {}{}, {}", device.name, device.bus_id,
                     place.adapters.empty() ? "" : " near " + place.adapters, device.sums);
}

/// What is wrong with the GPUs of ranks, that of rank r among them: a cause and its cure, or nothing.
std::string device_trouble(const std::vector<RankPlace>& places, std::size_t r) {
  const RankPlace& own = places[r];
  if (own.device.name.empty()) {
    const bool any =
        std::any_of(places.begin(), places.end(), [](const RankPlace& place) { return !place.device.name.empty(); });
    return any ? fmt::format("no GPU, and other ranks have one: {}", own.device.reason) : "";
  }
  for (std::size_t other = 0; other < places.size(); ++other) {
    const RankPlace& place = places[other];
    if (other == r || place.device.name.empty()) continue;
    if (place.host == own.host && place.device.bus_id == own.device.bus_id) {
      return fmt::format(
          "it has the GPU of rank {}, so sums go through host memory: start as many ranks there as it has "
          "GPUs",
          other);
    }
    if (place.device.sums != own.device.sums) {
      return fmt::format("rank {} has {}: install one version of NCCL everywhere", other, place.device.sums);
    }
  }
  if (!own.device.by_nccl) return "install NCCL (Debian, Ubuntu: libnccl2); sums go through host memory without it";
  if (!own.device.reaches_all) {
    return "its GPU does not reach the memory of every other GPU of the machine: nvidia-smi topo -p2p r says why";
  }
  if (own.far_cores) return "its cores are far from its GPU: bind ranks to the NUMA node of their GPUs";
  return "";
}

/// Processes on the GPU of rank r that do not belong to the run, unless an earlier rank has it, too.
std::vector<Finding> stranger_findings(const std::vector<RankPlace>& places, std::size_t r) {
  const RankPlace& own = places[r];
  const auto has_it = [&](const RankPlace& place) {
    return place.host == own.host && place.device.bus_id == own.device.bus_id;
  };
  if (own.strangers == 0) return {};
  if (std::any_of(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(r), has_it)) return {};
  const std::string memory =
      own.stranger_bytes == 0
          ? ""
          : fmt::format(" with {:.1f} GiB of its memory", static_cast<double>(own.stranger_bytes) / (u64{1} << 30));
  return {{State::bad, fmt::format("rank {}", r),
           fmt::format("{} other process{} on its GPU at {}{}", own.strangers,
                       own.strangers == 1 ? " computes" : "es compute", own.device.bus_id, memory),
           "all ranks wait for the slowest GPU: end them (nvidia-smi lists them), or leave that GPU out by "
           "CUDA_VISIBLE_DEVICES"}};
}

/// Where the ranks run, and whether each machine has a core for every thread.
std::vector<Finding> rank_findings() {
  std::vector<Finding> findings;
  std::map<std::string, u32> threads;  // of the ranks on each machine
  const std::vector<RankPlace> places = rank_places();
  for (std::size_t r = 0; r < places.size(); ++r) {
    const RankPlace& place = places[r];
    const bool crowded = (threads[place.host] += place.threads) > place.host_cores;
    const std::string cure = crowded ? fmt::format(
                                           "{} has {} cores, fewer than its ranks have threads: start fewer "
                                           "ranks there, or set OMP_NUM_THREADS",
                                           place.host, place.host_cores)
                                     : device_trouble(places, r);
    findings.push_back({cure.empty() ? State::good : State::bad, fmt::format("rank {}", r),
                        fmt::format("{}, {} thread{} on cores {}{}", place.host, place.threads,
                                    place.threads == 1 ? "" : "s", place.cores, device_text(place)),
                        cure});
    for (Finding& strangers : stranger_findings(places, r)) findings.push_back(std::move(strangers));
  }
  return findings;
}

Finding display(const GuiCommands& gui) {
  const Availability window = gui.available();
  if (window.ok) {
    const std::string name = variable(variable("DISPLAY").empty() ? "WAYLAND_DISPLAY" : "DISPLAY");
    const Availability works = gui.display_answers();
    if (works.ok) return {State::good, "display", name, ""};
    const bool without_library = works.reason.find("install GLFW") != std::string::npos;
    return {
        State::bad, "display", works.reason,
        without_library
            ? "for the app: apt install libglfw3; without: run, bench and render"
            : "set DISPLAY to a working display (ssh -X, xvfb-run), XAUTHORITY to its key; or unset it and use run"};
  }
  return {State::absent, "display", window.reason,
          "for the app: a desktop, ssh -X, or xvfb-run; without: run, bench and render"};
}

Finding graphics(const GuiCommands& gui) {
  std::string renderer;
  const Availability gl = gui.offscreen(renderer);
  if (gl.ok) return {State::good, "OpenGL", renderer, ""};
  return {State::absent, "OpenGL", gl.reason, "for pictures and the app: apt install libegl1 libgl1-mesa-dri"};
}

Finding films() {
  std::string path = variable("PATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string file = path.substr(at, end - at) + "/ffmpeg";
    if (access(file.c_str(), X_OK) == 0) return {State::good, "films", file, ""};
    at = end + 1;
  }
  return {State::absent, "films", "ffmpeg is not in PATH", "for .mp4: apt install ffmpeg; PNG files need nothing"};
}

Finding figures() {
  const Availability pictures = pictures_available();
  if (pictures.ok) return {State::good, "figures", "SVG, HTML, PNG and PDF", ""};
  return {State::absent, "figures", "no PNG and PDF: " + pictures.reason,
          "for .png and .pdf: apt install librsvg2-2, to build librsvg2-dev; .svg and .html need nothing"};
}

/// Whether files can be created there.
Finding examine_folder(const std::string& what, const std::string& folder, const std::string& cure) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return {State::good, what, folder + " can be written", ""};
  return {State::bad, what, fmt::format("{} cannot be written", folder), cure};
}

Finding settings() {
  const std::string path = io::user_file("tuning.txt");
  if (path.empty()) {
    return {State::absent, "settings", "neither XDG_CONFIG_HOME nor HOME is a path from /",
            "no settings are saved; set one of them"};
  }
  // The folder itself is created on first use: its nearest existing ancestor must be writable.
  fs::path folder = fs::path(path).parent_path();
  while (!is_there(folder) && folder.has_parent_path() && folder != folder.parent_path()) folder = folder.parent_path();
  return examine_folder("settings", folder.string(),
                        "settings and tuning are not saved; set XDG_CONFIG_HOME to a folder of yours");
}

Finding working_folder() {
  std::error_code gone;
  const std::string folder = fs::current_path(gone).string();
  if (gone) return {State::bad, "this folder", "it was removed (" + gone.message() + ")", "cd to another"};
  return examine_folder("this folder", folder, "name outputs in another: -o /path/to/file");
}

/// Checks everything once. Briefly creates an OpenGL context without a window, and queries the name of a CUDA device.
std::vector<Finding> examine(const GuiCommands& gui) {
  const std::string box = container();
  const bool card = has_card();
  std::error_code ignored;
  std::string temporary = fs::temp_directory_path(ignored).string();
  if (temporary.empty()) temporary = variable("TMPDIR");
  std::vector<Finding> findings{processor(),
                                driver(card, box),
                                device(card, box),
                                display(gui),
                                graphics(gui),
                                films(),
                                figures(),
                                {State::good, "container", box.empty() ? "none" : box, ""},
                                settings(),
                                working_folder(),
                                examine_folder("temporary", temporary, "set TMPDIR to a folder of yours")};
  for (Finding& team : team_findings()) findings.push_back(std::move(team));
  for (Finding& rank : rank_findings()) findings.push_back(std::move(rank));
  return findings;
}

std::string findings_json(const std::vector<Finding>& findings) {
  Json rows = Json::array();
  for (const Finding& f : findings) {
    rows.push_back({{"what", f.what},
                    {"state", kStates[static_cast<int>(f.state)]},
                    {"found", f.found},
                    {"cure", f.cure.empty() ? Json(nullptr) : Json(f.cure)}});
  }
  return json_text(rows);
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += fmt::format("{:<8}{:<13}{}\n", kStates[static_cast<int>(f.state)], f.what, f.found);
    if (!f.cure.empty()) text += fmt::format("{:<21}-> {}\n", "", f.cure);
  }
  return text;
}

}  // namespace

int run_doctor(const RunConfig& config, Console& console, const GuiCommands& gui) {
  const std::vector<Finding> findings = examine(gui);
  console.print(config.common.json ? findings_json(findings) : findings_text(findings));
  const bool bad =
      std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.state == State::bad; });
  return static_cast<int>(bad ? ExitCode::check_failed : ExitCode::ok);
}

}  // namespace tri::app
