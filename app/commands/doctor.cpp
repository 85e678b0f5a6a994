// `doctor`: checks what Triangulum can use on this machine, and how to fix what is missing.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "app/plot/picture.hpp"
#include "app/support/commands.hpp"
#include "app/support/host_info.hpp"
#include "app/support/json_text.hpp"
#include "sim/backend/backend.hpp"
#include "sim/backend_ranks.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/threads.hpp"
#include "sim/io/files/user_file.hpp"

namespace tri::app {
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
          "build where the CUDA toolkit is (docs/building.md)"};
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

/// Processes that are none of the ranks on the GPU of rank r, unless an earlier one has it, too.
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
    return {State::bad, "display", works.reason,
            "set DISPLAY to a working display (ssh -X, xvfb-run), XAUTHORITY to its key; or unset it and use run"};
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
