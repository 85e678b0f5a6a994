#include "app/gui/base/plot_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "app/gui/base/plot.hpp"

namespace tri::app::gui {
namespace {

std::map<std::string, std::string, std::less<>>& wanted_files() {
  static std::map<std::string, std::string, std::less<>> wanted;  // id, path
  return wanted;
}

std::vector<PlotFile>& drawn_files() {
  static std::vector<PlotFile> files;
  return files;
}

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

/// "triangulum-energy-error.csv", or with the next number where there is such a file.
std::string free_name(std::string id) {
  std::replace(id.begin(), id.end(), ' ', '-');
  std::string name = fmt::format("triangulum-{}.csv", id);
  for (int k = 2; std::filesystem::exists(name); ++k) name = fmt::format("triangulum-{}-{}.csv", id, k);
  return name;
}

}  // namespace

PlotView& plot_view(std::string_view id) {
  static std::map<std::string, PlotView, std::less<>> views;
  const auto at = views.find(id);
  return at != views.end() ? at->second : views[std::string(id)];
}

double on_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::log2(value) : std::log10(value);
}

double from_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::exp2(value) : std::pow(10.0, value);
}

std::string plot_csv(const PlotSpec& plot) {
  std::string text = plot.x_name;
  for (const PlotLine& line : plot.lines) text += "," + line.name;
  text += "\n";
  for (std::size_t k = 0; k < plot.x.size(); ++k) {
    text += cell(plot.x[k]);
    for (const PlotLine& line : plot.lines) text.append(",").append(cell(line.y[k]));
    text += "\n";
  }
  return text;
}

void save_plot(std::string_view id, std::string path) { wanted_files()[std::string(id)] = std::move(path); }

void write_if_asked(const PlotSpec& plot) {
  const auto at = wanted_files().find(std::string_view(plot.id));
  if (at == wanted_files().end()) return;
  drawn_files().push_back({at->second.empty() ? free_name(plot.id) : at->second, plot_csv(plot)});
  wanted_files().erase(at);
}

std::vector<PlotFile> take_plot_files() { return std::exchange(drawn_files(), {}); }

}  // namespace tri::app::gui
