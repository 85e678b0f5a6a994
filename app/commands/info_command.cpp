#include "app/commands/info_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/doctor.hpp"
#include "app/support/host_info.hpp"
#include "app/support/json_text.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

std::string gib(u64 bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (u64{1} << 30)); }

/// Probes only, without creating a GPU backend.
Json backend_json(const BackendEntry& entry) {
  Json j = {{"name", entry.name}, {"available", entry.available.ok}};
  if (entry.available.ok) {
    const BackendInfo about = make_backend(entry.name)->info();
    j["device"] = about.device, j["detail"] = about.detail;
    j["reason"] = nullptr;
  } else {
    j["device"] = nullptr, j["detail"] = nullptr;
    j["reason"] = entry.available.reason;
  }
  return j;
}

Json info_json(const GuiCommands& gui) {
  Json j;
  j["version"] = kVersionFull;
  j["compiler"] = kCompiler;
  j["build"] = kBuild;
  j["backends"] = Json::array();
  for (const BackendEntry& entry : list_backends()) j["backends"].push_back(backend_json(entry));
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

std::string findings_json(const std::vector<Finding>& findings) {
  static constexpr const char* kStates[] = {"good", "absent", "bad"};
  Json rows = Json::array();
  for (const Finding& f : findings) {
    rows.push_back({{"what", f.what},
                    {"state", kStates[static_cast<int>(f.state)]},
                    {"found", f.found},
                    {"cure", f.cure.empty() ? Json(nullptr) : Json(f.cure)}});
  }
  return json_text(rows);
}

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
  for (const Json& b : j["backends"]) {
    const std::string what = b["available"]
                                 ? fmt::format("{}, {}", b["device"].get<std::string>(), b["detail"].get<std::string>())
                                 : "not available: " + b["reason"].get<std::string>();
    line(b["name"].get<std::string>(), what);
  }
  const Availability window = gui.available();
  line("window", window.ok ? "yes" : "not available: " + window.reason);
  line("processor", fmt::format("{}, {} threads usable", processor_name(), usable_threads()));
  line("memory", fmt::format("{}, {} free", gib(memory_bytes()), gib(available_memory())));
  console.print(text);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
