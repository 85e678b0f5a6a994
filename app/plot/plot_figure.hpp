#pragma once
/// The contents of a figure before layout: results in facets (small multiples), one series per map. Pure; errors are
/// ConfigError.

#include <optional>
#include <string>
#include <vector>

#include "app/plot/plot_axis.hpp"
#include "app/plot/plot_data.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Quantity on the y axis of a panel.
enum class Quantity : u8 { time, improvement, rate };

/// One map at one x; unknown quantities are NaN.
struct PlotPoint {
  double x = 0;
  bool failed = false;                ///< marked, and not connected to others
  Spread time_ms, improvement, rate;  ///< rate: bytes/s where the facet has bytes, else items/s
  const Spread& of(Quantity quantity) const {
    return quantity == Quantity::time ? time_ms : quantity == Quantity::rate ? rate : improvement;
  }
};

/// A map in a facet. points[i] belongs to facet.x[i]; nullopt if skipped or not run.
struct PlotSeries {
  std::size_t map = 0;  ///< of figure.maps
  std::vector<std::optional<PlotPoint>> points;
};

struct PlotFacet {
  std::string kernel;
  std::string title;      ///< the settings that distinguish it from other facets; empty for a single facet
  std::vector<double> x;  ///< ascending
  std::vector<PlotSeries> series;
  std::vector<std::optional<double>> bound;  ///< of the improvement at each x
  bool bytes = false;                        ///< whether all rates are in bytes

  /// With a single x there are no lines; the maps are rows of dots.
  bool single() const { return x.size() == 1; }
};

struct PlotFigure {
  std::vector<Quantity> panels;  ///< of each facet, from left to right
  std::string title, subtitle;
  std::vector<std::string> maps;      ///< of all facets, in the order of the legend, the baseline first
  std::vector<std::string> captions;  ///< commands, meaning of bands, missing results
  std::string baseline;               ///< empty if documents have different ones
  std::string x_label;
  std::vector<PlotFacet> facets;
  bool any_failed = false;
};

/// Groups by every setting that varies. x is the user's choice, else the first of n, block and features that all
/// results have and that varies for a map. Throws ConfigError for names that are not in the data (with the nearest), if
/// nothing is left to draw, for --kind improvement without a baseline, and if results coincide.
PlotFigure plot_figure(const PlotData& data, const PlotOptions& options);

/// "4 features", "block 16", "fp32": a setting in readable form.
std::string setting_text(std::string_view name, std::string_view text);

/// Title, subtitle and captions, of the results drawn and of those asked for, with the skipped ones.
void add_words(PlotFigure& figure, const PlotData& data, const std::vector<const PlotResult*>& asked,
               const std::vector<const PlotResult*>& drawn);

}  // namespace tri::app
