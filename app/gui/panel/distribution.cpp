// Profile: the density of the bodies over the distance from their centre of mass, or how many have which speed, mass,
// radius or distance.

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <limits>
#include <string>

#include "app/gui/base/plot.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/panel/panel_table.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr const char* kSurveyNames[kSurveyCount] = {"density over radius", "speed", "mass", "radius of the bodies",
                                                    "distance from the centre"};

const char* unit_of(SurveyOf of) { return of == SurveyOf::speed ? "speed" : of == SurveyOf::mass ? "mass" : "length"; }

/// Of density with the interval of Poisson's law around each value, one standard deviation wide either side.
PlotSpec survey_plot(const Survey& survey, const std::string& unit) {
  const bool density = survey.of == SurveyOf::density;
  PlotSpec plot{"distribution", density ? "density" : "bodies", {}, {}, {}};
  plot.x_name = std::string(density ? "radius" : to_string(survey.of)) + (unit.empty() ? "" : " in" + unit);
  PlotLine value{density ? "density" : "bodies", {}}, low{"less an error", {}}, high{"and an error", {}};
  for (std::size_t k = 0; k < survey.value.size(); ++k) {
    const double from = survey.edges[k], to = survey.edges[k + 1];
    plot.x.push_back(density && from > 0 ? std::sqrt(from * to) : (from + to) / 2);
    const double share = survey.bodies[k] > 0 ? 1 / std::sqrt(static_cast<double>(survey.bodies[k]))
                                              : std::numeric_limits<double>::quiet_NaN();
    value.y.push_back(survey.value[k]);
    low.y.push_back(survey.value[k] * (1 - share)), high.y.push_back(survey.value[k] * (1 + share));
  }
  plot.lines = {value};
  if (density) plot.lines.insert(plot.lines.end(), {low, high});
  plot.legend = false;
  plot.logarithmic = density, plot.logarithmic_x = density;
  plot.height = 240;
  return plot;
}

}  // namespace

void distribution(const PanelContext& c) {
  SurveyState& state = c.state.survey;
  state.in_sight = true;
  u32 at = static_cast<u32>(state.of);
  if (choose("##of", at, {kSurveyNames, kSurveyNames + kSurveyCount})) state.of = static_cast<SurveyOf>(at);
  const std::optional<Survey>& survey = c.model.survey;
  if (!survey || survey->of != state.of) return ImGui::TextDisabled("being computed");
  draw_plot(survey_plot(*survey, unit_behind(find_unit_system(c.model.scene.units), unit_of(state.of))),
            c.state.panels.scale);
  std::string text =
      fmt::format("Step {}, {} bodies in {} bins", grouped(survey->step), grouped(c.model.n - survey->left_out),
                  survey->edges.empty() ? 0 : survey->value.size());
  if (state.of == SurveyOf::density) text += "; the outer lines are one standard error (Poisson) away";
  if (survey->left_out > 0) text += fmt::format("; {} are not finite", grouped(survey->left_out));
  ImGui::TextWrapped("%s.", text.c_str());
}

}  // namespace tri::app::gui::panel
