// Diagnostics: conserved quantities over time.

#include <imgui.h>

#include <cmath>

#include "app/gui/base/plot.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {

void diagnostics(const SessionModel& model, float scale) {
  const auto& rows = model.diagnostics;
  std::vector<double> x;
  PlotLine error{"error", {}}, virial{"virial", {}}, kinetic{"kinetic", {}}, potential{"potential", {}},
      momentum{"|p|", {}};
  for (const DiagnosticsRow& row : rows) {
    // Steps keep counting when time is reversed, so the lines never run backwards.
    x.push_back(static_cast<double>(row.step));
    error.y.push_back(row.energy_error);
    virial.y.push_back(row.values.virial_ratio());
    kinetic.y.push_back(row.values.kinetic);
    potential.y.push_back(row.values.potential);
    const auto& p = row.values.momentum;
    momentum.y.push_back(std::hypot(p[0], p[1], p[2]));
  }
  draw_plot({"energy error", "energy error, relative", x, "step", {error}}, scale);
  draw_plot({"energies", "energy", x, "step", {kinetic, potential}}, scale);
  draw_plot({"virial", "2K / |sum r.F|", x, "step", {virial}}, scale);
  draw_plot({"momentum", "momentum |p|", x, "step", {momentum}}, scale);
}

}  // namespace tri::app::gui::panel
