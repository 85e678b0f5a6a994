#pragma once
/// What a plot shows, by a user's hands, and its numbers as a file.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/base/zoom.hpp"
#include "app/plot/plot_axis.hpp"

namespace tri::app::gui {

struct PlotSpec;

/// Kept for each plot by its id while the program runs.
struct PlotView {
  std::optional<Extent> x, y;               ///< on the scale of the axis, logarithms on a logarithmic one; none: all
  std::optional<bool> log_x, log_y;         ///< none: as the plot has it
  std::optional<std::array<float, 2>> box;  ///< where the button went down that draws a box
  void show_all() { x.reset(), y.reset(); }
};
PlotView& plot_view(std::string_view id);

/// A value on the scale of an axis, and back.
double on_scale(Scale scale, double value);
double from_scale(Scale scale, double value);

/// "step,energy error\n0,0\n..."; values that are not finite are empty.
std::string plot_csv(const PlotSpec& plot);

/// A plot as a file, which the window writes.
struct PlotFile {
  std::string path, text;
};
/// The plot of that id becomes a file when it is drawn next; path: empty = triangulum-ID.csv, or another number.
void save_plot(std::string_view id, std::string path = {});
/// Called by a plot that is drawn.
void write_if_asked(const PlotSpec& plot);
/// What was asked for and drawn since the last call.
std::vector<PlotFile> take_plot_files();

}  // namespace tri::app::gui
