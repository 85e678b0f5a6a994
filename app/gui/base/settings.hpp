#pragma once
/// Settings that the window keeps between runs: theme, scale, size and appearance, as `name = value` lines in
/// $XDG_CONFIG_HOME/triangulum/app.ini. Only interactive windows read and write it: scripts, pictures and
/// demonstrations look the same for everybody.

#include <optional>
#include <string>

#include "app/gui/base/gui_state.hpp"

namespace tri::app::gui {

struct Settings {
  static constexpr u32 kMinSide = 320, kMaxSide = 16384;
  bool dark = true, panels = true, box = true, axes = true, logarithmic = render::BodyStyle{}.logarithmic;
  std::optional<double> scale;     ///< 0.5 to 4; none: what the display asks for
  u32 width = 1280, height = 720;  ///< 320 to 16384, of the window in pixels
  render::Quantity quantity = render::BodyStyle{}.quantity;
  double size = 1, light = 1;  ///< of bodies, 0.01 to 100
  std::string panel;           ///< the rail's panel that is open; empty: none
  double panel_width = 320;    ///< of it, 240 to 720 at scale 1
  double column_width = 0;     ///< of the column of maps, 300 to 900 at scale 1; 0: what suits the window
  bool pinned = false;         ///< it narrows the scene
  bool lanes = false;          ///< where the time goes, above the frame strip
  MapSort sort = MapSort::key;

  bool operator==(const Settings&) const = default;
};

/// Path of the file: under $XDG_CONFIG_HOME, else $HOME/.config; empty when neither is an absolute path.
std::string settings_path();

/// The settings in the text; missing ones have their defaults. Throws ConfigError "NAME:LINE: ..." for invalid lines.
Settings parse_settings(const std::string& text, const std::string& name);
std::string settings_text(const Settings& settings);

/// Reads and writes the file.
class SettingsFile {
 public:
  /// path: empty = nothing is read or written. A missing file is no fault; a broken one leaves the defaults and a
  /// sentence in fault(), and is never overwritten.
  explicit SettingsFile(std::string path);

  const Settings& settings() const noexcept { return settings_; }
  const std::string& fault() const noexcept { return fault_; }  ///< empty = none
  bool found() const noexcept { return found_; }                ///< whether there is a file
  /// Writes the file, atomically, when there is none or the settings changed since it was read; creates the folder.
  /// Throws FileError.
  void keep(const Settings& settings);

 private:
  std::string path_, fault_;
  bool found_ = false;
  Settings settings_;
};

/// From the settings to the state, and back. `settings` gives the size of the window, which the state does not hold.
void apply(const Settings& settings, GuiState& state);
Settings settings_of(const GuiState& state, Settings settings);

}  // namespace tri::app::gui
