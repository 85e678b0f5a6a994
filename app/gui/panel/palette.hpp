#pragma once
/// What the palette finds: every action of the keys, and every map, scene, demonstration and panel.

#include <functional>
#include <string>
#include <vector>

#include "app/gui/base/keys.hpp"

namespace tri::app::gui::panel {

struct PaletteEntry {
  std::string text, keys;
  std::function<void(const ActionContext&)> act;
};

std::vector<PaletteEntry> palette_entries(const SessionModel& model);
/// The entries that have all words of the text, in any case; where they begin a word, and early ones, go first.
std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries, const std::string& text);

}  // namespace tri::app::gui::panel
