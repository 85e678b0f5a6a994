#pragma once
/// Plots: data of benches, figures, panels, reports of devices, pictures of maps and laws.
///
/// Bench results for plotting, read from documents of `bench --format json` (schema 1) with any axes.

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/plot/canvas.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/platform.hpp"
#include "sim/text/law.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {

/// A median with its spread: quartiles of a time, the confidence interval of an improvement.
struct Spread {
  double low = 0, mid = 0, high = 0;
};

/// The least time of a run that follows from what the device does at most.
struct PlotFloor {
  std::string by;    ///< arithmetic, memory or launches
  double ms = 0;     ///< > 0
  double share = 0;  ///< of the median time, > 0
};

/// One row of "results": a map in a group.
struct PlotResult {
  std::string map;
  /// Every setting but the map as (name, text), including "kernel" and "n": the strings and integers of the row, and
  /// those of the document that apply to all rows (device, baseline, file ...). Settings that do not apply are missing.
  /// All rows of a group have the same settings: the block is that of most rows (thread-space maps have another one),
  /// and settings that only some rows have (how rec is launched) are copied to all.
  std::vector<std::pair<std::string, std::string>> settings;
  std::optional<std::string> skipped;  ///< the reason; then there are no values
  bool failed = false;                 ///< its check failed; then the values are meaningless
  u64 samples = 0;
  Spread time_ms;                     ///< quartiles around the median, all > 0
  std::optional<Spread> improvement;  ///< over the baseline, > 0; low = mid = high without an interval
  double confidence = 0;              ///< of that interval; 0 = none
  bool together = false;              ///< it is that of the intervals of all maps beside it
  std::optional<double> bound;        ///< of the improvement, by launched blocks; none for the baseline
  bool own_block = false;             ///< its block, and so its bound, differs from the group's
  double items_per_s = 0;
  std::optional<double> bytes_per_s;
  double max_rel_err = 0;  ///< of its check
  std::optional<PlotFloor> floor;
  std::optional<double> idle;           ///< share of the launched blocks
  std::vector<std::string> throttling;  ///< why the device held itself back during the samples
  std::size_t source = 0;               ///< of the data's sources

  /// "" if it does not apply.
  std::string_view setting(std::string_view name) const;
};

/// Metadata of a document, for title and caption. Empty if missing.
struct PlotSource {
  /// A rate that the device reaches when it does nothing else.
  struct Rate {
    std::string name;  ///< arithmetic, memory or launches
    double per_s = 0;  ///< > 0
    std::string how;
  };
  std::string file;     ///< as given, for errors and to distinguish documents
  std::string command;  ///< argv, with the program name without folders, quoted for a shell
  std::string version, device, driver, utc, baseline, detail, host;
  std::optional<double> clock_mhz, clock_low_mhz;
  std::vector<Rate> floors;  ///< empty unless they were measured
};

struct PlotData {
  std::vector<PlotSource> sources;
  std::vector<PlotResult> results;  ///< in the order of the documents
};

/// Adds the results of one document; `file` names it in errors. Throws FileError for invalid JSON, another schema, or
/// missing fields.
void add_document(PlotData& data, const std::string& file, std::string_view json);

/// The documents of files, in order; throws FileError.
PlotData read_plot_data(std::span<const std::string> files);

/// Those of the kernels and maps that the options name, or all. Throws ConfigError for a name that is not among them;
/// source: what they are in a sentence, "results".
std::vector<const PlotResult*> wanted_rows(const PlotData& data, const PlotOptions& options, const char* source);

template <class List, class Value>
void add_once(List& list, const Value& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.emplace_back(value);
}

// The contents of a figure before layout: results in facets (small multiples), one series per map. Pure; errors are
// ConfigError.

/// Quantity on the y axis of a panel.
enum class Quantity : u8 {
  time,
  improvement,
  rate,
  idle,    ///< share of the launched blocks that have no tile; in thread space of threads
  theory,  ///< the improvement that follows from launched blocks and the cost of a block; see add_theory()
};
inline bool is_ratio(Quantity quantity) { return quantity == Quantity::improvement || quantity == Quantity::theory; }

/// One map at one x; unknown quantities are NaN.
struct PlotPoint {
  double x = 0;
  bool failed = false;                ///< marked, and not connected to others
  Spread time_ms, improvement, rate;  ///< rate: bytes/s where the facet has bytes, else items/s
  Spread idle, theory;                ///< without a spread
  const Spread& of(Quantity quantity) const {
    const Spread* const all[] = {&time_ms, &improvement, &rate, &idle, &theory};
    return *all[static_cast<std::size_t>(quantity)];
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

// One panel of a figure: a quantity of a facet as lines with bands over x, or, for a single x, as rows of dots. Used
// by plot_panels.cpp.

inline constexpr Font kTickFont{7, Anchor::start, false, "#333333"};
inline constexpr double kTickLength = 2.5;  // points
inline constexpr std::string_view kInk = "#333333", kGridColour = "#e4e4e4";
inline constexpr std::string_view kFailedColour = "#c00000";
inline constexpr Stroke kBoundStroke{"#666666", 1, "5 2.5"};

/// Scales of a panel, the same in all facets of a kernel for comparison.
struct PanelScale {
  Scale x_scale = Scale::linear, y_scale = Scale::linear;
  Range x, y;  ///< y in the displayed unit
  std::vector<double> x_values;
  double factor = 1;    ///< from the data's unit (ms, 1, 1/s) to the displayed unit
  std::string unit;     ///< "ms", "GB/s"; empty for an improvement
  std::string heading;  ///< above the axis: "time (ms)"
};
PanelScale panel_scale(const PlotFigure& figure, const PlotFacet& facet, Quantity quantity, PlotLog log);

/// A panel to draw; the box includes the axis labels.
struct Panel {
  const PlotFigure& figure;
  const PlotFacet& facet;
  Quantity quantity;
  const std::vector<SeriesStyle>& styles;  ///< of figure.maps
  const PanelScale& scale;
  PlotBox box;
};
void draw_lines(Canvas& canvas, const Panel& panel);
void draw_dots(Canvas& canvas, const Panel& panel);
/// Height of draw_dots().
double dots_height(const PlotFacet& facet);

/// An axis of `length` points whose labels do not overlap; along_x: the x axis, else the y axis.
Axis fitting_axis(const PanelScale& scale, bool along_x, double length);
/// 3 significant digits, without an exponent for moderate values: "1,234", "12.3", "0.012".
std::string value_text(double value);

// Bench results as an SVG document. Pure.

/// The document, options.width_mm wide and as high as needed; reports of devices become the page of plot.hpp
/// unless options.kind asks for another figure. Ignores the input and output files of the options. Throws
/// ConfigError when there is nothing to draw (see plot_figure()).
std::string plot_svg(const PlotData& data, const PlotOptions& options);

/// The same for one result in memory: `json` as written by `bench --format json`.
std::string plot_svg(const std::string& json, const PlotOptions& options);

// Reports of devices on one page: what each device does at most, and each kernel on each map as a share of that. Pure.

/// Whether every document is a report of a device: it has floors.
bool is_report(const PlotData& data);

/// A kernel in all reports.
struct ReportPanel {
  std::string kernel, title;                            ///< title: "gravity, n = 4,096", or the sizes of all reports
  std::vector<std::string> maps;                        ///< in the order of the reports
  std::vector<std::vector<const PlotResult*>> results;  ///< [map][report]; null where a report lacks it
};

/// One panel a kernel if each report has it at one size and choice of its axes, else one for each of these. `kernels`
/// and `maps` of the options apply. Throws ConfigError for names that no report has, and when nothing is left.
std::vector<ReportPanel> report_panels(const PlotData& data, const PlotOptions& options);

/// "0.1.0 on H200": what tells this report from the others.
std::string report_name(const PlotSource& source);
/// "exact", "2e-07", "FAILED"; empty for a skipped result.
std::string check_words(const PlotResult& result);
/// "44 %"; empty without a floor.
std::string share_words(const PlotResult& result);
/// "1,980 MHz (low 1,755)"; empty when it is not known.
std::string clock_words(const PlotSource& source);
/// Why devices held themselves back, one sentence a report; empty where none did.
std::vector<std::string> throttling_words(const PlotData& data);

/// The page as SVG, options.width_mm wide. Throws as report_panels() does.
std::string report_svg(const PlotData& data, const PlotOptions& options);

/// The same as a page for browsers that needs nothing else: the picture, and every figure in tables.
std::string report_html(const PlotData& data, const PlotOptions& options);

/// Any picture as such a page.
std::string html_page(const std::string& title, const std::string& svg, const std::string& tables);

// A picture of a map at one side: the domain, each tile in the colour of the position that meets it and with its
// omega where there is room. Tiles that no position meets are hollow and crossed, tiles that several meet are red, and
// positions that are sent beyond the domain are listed. Triples are drawn layer beside layer.

/// Sides up to these are drawn.
inline constexpr u32 kMaxPictureSide = 128, kMaxPictureLayers = 32;

/// Whether a side can be drawn; else why not, in a sentence.
std::string picture_refusal(const mapfile::ProvableMap& map, u64 side);

/// An SVG document. proof: of the same side.
std::string map_picture(const mapfile::ProvableMap& map, const mapfile::Proof& proof);

// A law as a plot: its energy and force over the distance.

struct LawWords {
  std::string title, subtitle;
  std::string x_name;  ///< of the distance
};

/// An SVG document, 180 mm wide. The scale of each curve shows its wells and barriers; what passes it is cut off.
/// Values that are not finite are left out.
std::string law_svg(const LawWords& words, const expression::LawCurves& curves);

}  // namespace tri::app
