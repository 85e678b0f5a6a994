#include "app/gui/start/letters.hpp"

#include "app/gui/look/type.hpp"

namespace tri::app::gui::start {

bool new_letters(const SessionModel& model, const GuiState& state) {
  bool found = want_letters(model.scene.title);
  const auto look = [&](const std::string& text) { found = want_letters(text) || found; };
  look(model.spec);
  if (!model.notices.empty()) look(model.notices.back().text);
  for (const NamedBody& body : state.view.labels) look(body.name);
  for (const std::string& path : state.files.recent.paths()) look(path);
  if (!state.files.browser.shown()) return found;
  look(state.files.browser.folder());
  for (const FileRow& row : state.files.browser.rows()) look(row.name);
  return found;
}

}  // namespace tri::app::gui::start
