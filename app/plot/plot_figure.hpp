#pragma once
/// What a figure shows, before it has a place on paper: results in facets (small multiples), a series for each map.
/// Pure; errors are ConfigError.

#include <optional>
#include <string>
#include <vector>

#include "app/plot/plot_axis.hpp"
#include "app/plot/plot_data.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// What stands on the y axis of a panel.
enum class Quantity : u8 { time, improvement, rate };

/// One map at one place of the x axis; NaN where the quantity is not known.
struct PlotPoint {
  double x = 0;
  bool failed = false;                ///< to be marked, and joined with nothing
  Spread time_ms, improvement, rate;  ///< rate: bytes/s where the facet has bytes, else items/s
  const Spread& of(Quantity quantity) const {
    return quantity == Quantity::time ? time_ms : quantity == Quantity::rate ? rate : improvement;
  }
};

/// A map in a facet. points[i] belongs to facet.x[i]; nothing where it was skipped or not asked for.
struct PlotSeries {
  std::size_t map = 0;  ///< of figure.maps
  std::vector<std::optional<PlotPoint>> points;
};

struct PlotFacet {
  std::string kernel;
  std::string title;      ///< what sets it apart from the other facets; empty when there is one
  std::vector<double> x;  ///< ascending
  std::vector<PlotSeries> series;
  std::vector<std::optional<double>> bound;  ///< of the improvement at each x
  bool bytes = false;                        ///< every rate in it is one of bytes

  /// One place on the x axis is no line: the maps stand below each other then.
  bool single() const { return x.size() == 1; }
};

struct PlotFigure {
  std::vector<Quantity> panels;  ///< of each facet, from left to right
  std::string title, subtitle;
  std::vector<std::string> maps;      ///< of all facets, in the order of the legend, the baseline first
  std::vector<std::string> captions;  ///< how it was made, what bands mean, what is missing
  std::string baseline;               ///< empty when documents differ in it
  std::string x_label;
  std::vector<PlotFacet> facets;
  bool any_failed = false;
};

/// Groups by every setting that varies; x is what the user said, else n, else block, else features: the first that
/// all results have and that varies for a map. Throws ConfigError for names that are not in the data (with the
/// nearest), when nothing is left to draw, for --kind improvement without a baseline, and when results cannot be told
/// apart.
PlotFigure plot_figure(const PlotData& data, const PlotOptions& options);

/// "4 features", "block 16", "fp32": a setting as people say it.
std::string setting_text(std::string_view name, std::string_view text);

}  // namespace tri::app
