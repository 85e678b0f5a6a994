#include "app/gui/base/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "app/gui/base/layout.hpp"
#include "app/gui/base/view_defaults.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/user_file.hpp"

namespace tri::app::gui {
namespace {

constexpr double kMinScale = 0.5, kMaxScale = 4, kMinFactor = 0.01, kMaxFactor = 100;
constexpr std::size_t kMaxBytes = 1u << 16;  // a longer file holds no settings

/// One line of the file: its name, its reader and its writer.
struct Row {
  const char* name;
  std::function<void(Settings&, const std::string&)> read;
  std::function<std::string(const Settings&)> write;
};

Row flag(const char* name, bool Settings::*value, std::string_view no = "off", std::string_view yes = "on") {
  return {name,
          [=](Settings& s, const std::string& t) {
            s.*value = choice(name, t, {no, yes}) == 1;
          },
          [=](const Settings& s) { return std::string(s.*value ? yes : no); }};
}

Row side(const char* name, u32 Settings::*value) {
  return {name,
          [=](Settings& s, const std::string& t) {
            s.*value = static_cast<u32>(whole_number(name, t, Settings::kMinSide, Settings::kMaxSide));
          },
          [=](const Settings& s) { return fmt::format("{}", s.*value); }};
}

double within(const char* name, const std::string& text, double low, double high) {
  const double value = positive_number(name, text);
  if (value < low || value > high) throw ConfigError(fmt::format("{} {}: it takes {} to {}.", name, text, low, high));
  return value;
}

Row factor(const char* name, double Settings::*value) {
  return {name, [=](Settings& s, const std::string& t) { s.*value = within(name, t, kMinFactor, kMaxFactor); },
          [=](const Settings& s) { return fmt::format("{}", s.*value); }};
}

void read_scale(Settings& s, const std::string& text) {
  s.scale.reset();
  if (text != "display") s.scale = within("scale", text, kMinScale, kMaxScale);
}

void read_quantity(Settings& s, const std::string& text) {
  s.quantity = enum_from<render::Quantity>("colour", text, render::kQuantityCount);
}

constexpr std::string_view kSorts[] = {"key", "blocks", "time", "gain"};  // by MapSort

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows{
      flag("theme", &Settings::dark, "light", "dark"),
      {"scale", read_scale,
       [](const Settings& s) { return s.scale ? fmt::format("{}", *s.scale) : std::string("display"); }},
      side("width", &Settings::width),
      side("height", &Settings::height),
      flag("panels", &Settings::panels),
      {"panel", [](Settings& s, const std::string& t) { s.panel = t == "none" ? "" : t; },
       [](const Settings& s) { return s.panel.empty() ? std::string("none") : s.panel; }},
      {"panel width",
       [](Settings& s, const std::string& t) {
         s.panel_width = within("panel width", t, static_cast<double>(kLeastLeft), static_cast<double>(kMostLeft));
       },
       [](const Settings& s) { return fmt::format("{}", s.panel_width); }},
      {"column width",
       [](Settings& s, const std::string& t) {
         s.column_width = t == "window" ? 0
                                        : within("column width", t, static_cast<double>(kLeastColumn),
                                                 static_cast<double>(kMostColumn));
       },
       [](const Settings& s) {
         return s.column_width > 0 ? fmt::format("{}", s.column_width) : std::string("window");
       }},
      flag("pinned", &Settings::pinned),
      flag("lanes", &Settings::lanes),
      {"maps by",
       [](Settings& s, const std::string& t) {
         s.sort = static_cast<MapSort>(choice("maps by", t, {kSorts[0], kSorts[1], kSorts[2], kSorts[3]}));
       },
       [](const Settings& s) { return std::string(kSorts[static_cast<std::size_t>(s.sort)]); }},
      flag("box", &Settings::box),
      flag("axes", &Settings::axes),
      {"colour", read_quantity, [](const Settings& s) { return std::string(to_string(s.quantity)); }},
      flag("logarithm", &Settings::logarithmic),
      factor("size", &Settings::size),
      factor("light", &Settings::light),
  };
  return kRows;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlank) - begin + 1));
}

void read_line(Settings& settings, const std::string& line, std::set<std::string>& seen) {
  const std::size_t sign = line.find('=');
  if (sign == std::string::npos) throw ConfigError(fmt::format("'{}' is not of the form NAME = VALUE.", line));
  const std::string name = trimmed(line.substr(0, sign));
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return name == r.name; });
  if (row == rows().end()) {
    std::vector<std::string> names;
    for (const Row& r : rows()) names.emplace_back(r.name);
    throw ConfigError(unknown_name("setting", name, names));
  }
  if (!seen.insert(name).second) throw ConfigError(fmt::format("{} is set twice.", name));
  row->read(settings, trimmed(line.substr(sign + 1)));
}

std::string read_text(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text(kMaxBytes + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  if (text.size() > kMaxBytes) throw FileError(fmt::format("{}: the file is too long to hold settings.", path));
  return text;
}

}  // namespace

std::string settings_path() { return io::user_file("app.ini"); }

Settings parse_settings(const std::string& text, const std::string& name) {
  Settings settings;
  std::set<std::string> seen;
  std::istringstream lines(text);
  u64 number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    try {
      read_line(settings, line, seen);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  return settings;
}

std::string settings_text(const Settings& settings) {
  std::string text = "# Settings of Triangulum's window, written when it closes.\n";
  for (const Row& row : rows()) text += fmt::format("{} = {}\n", row.name, row.write(settings));
  return text;
}

SettingsFile::SettingsFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  found_ = !path_.empty() && std::filesystem::exists(path_, ignored);
  if (!found_) return;
  try {
    settings_ = parse_settings(read_text(path_), path_);
  } catch (const Error& error) {
    fault_ =
        fmt::format("{} The window uses the defaults and leaves this file alone; correct or remove it.", error.what());
    path_.clear();
  }
}

void SettingsFile::keep(const Settings& settings) {
  if (path_.empty() || (found_ && settings == settings_)) return;
  std::error_code problem;
  const auto folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem) throw FileError(fmt::format("{}: the folder cannot be created: {}.", path_, problem.message()));
  io::OutputFile file(path_, io::Accepts::files);
  file.write(settings_text(settings));
  file.commit();
  settings_ = settings, found_ = true;
}

void apply(const Settings& settings, GuiState& state) {
  SceneView& view = state.view;
  PanelState& panels = state.panels;
  panels.width = static_cast<float>(settings.panel_width), panels.column = static_cast<float>(settings.column_width);
  panels.pinned = settings.pinned;
  state.lanes.shown = settings.lanes;
  panels.dark = settings.dark, panels.shown = settings.panels, panels.chosen_scale = settings.scale;
  panels.open = settings.panel, panels.sort = settings.sort;
  view.box = settings.box, view.axes = settings.axes;
  view.style.logarithmic = settings.logarithmic, view.style.quantity = settings.quantity;
  view.style.size = static_cast<float>(settings.size), view.style.exposure = static_cast<float>(settings.light);
}

Settings settings_of(const GuiState& state, Settings settings) {
  const SceneView& view = state.view;
  const PanelState& panels = state.panels;
  settings.panel_width = static_cast<double>(std::round(panels.width));
  settings.column_width = static_cast<double>(std::round(panels.column));
  settings.pinned = panels.pinned, settings.lanes = state.lanes.shown;
  // The shortest text of the float: 1.2 and not 1.2000000476837158.
  const auto rounded = [](float x) { return std::clamp(std::stod(fmt::format("{}", x)), kMinFactor, kMaxFactor); };
  settings.dark = panels.dark, settings.panels = panels.shown, settings.scale = panels.chosen_scale;
  settings.panel = panels.open, settings.sort = panels.sort;
  settings.box = view.box, settings.axes = view.axes;
  settings.logarithmic = view.style.logarithmic, settings.quantity = view.style.quantity;
  settings.size = rounded(view.style.size), settings.light = rounded(view.style.exposure);
  return settings;
}

}  // namespace tri::app::gui
