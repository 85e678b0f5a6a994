#pragma once
/// What the window keeps from one day to the next: theme, scale, size and looks, as `name = value` lines in
/// $XDG_CONFIG_HOME/triangulum/app.ini. Only a window that a person drives reads and writes it: scripts, pictures and
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

  bool operator==(const Settings&) const = default;
};

/// The file's path: under $XDG_CONFIG_HOME, else $HOME/.config; empty when neither is an absolute path.
std::string settings_path();

/// What stands in the text; what it leaves out is as by default. Throws ConfigError "NAME:LINE: ..." for what is no
/// setting.
Settings parse_settings(const std::string& text, const std::string& name);
std::string settings_text(const Settings& settings);

/// Reads and writes the file, and keeps what the user must hear of it.
class SettingsFile {
 public:
  /// path: empty = nothing is read or written. A file that is not there is no fault; a broken one leaves the defaults
  /// and a sentence in fault(), and is not written over.
  explicit SettingsFile(std::string path);

  const Settings& settings() const noexcept { return settings_; }
  const std::string& fault() const noexcept { return fault_; }  ///< empty = none
  /// Writes what changed since it was read, beside and renamed; makes the folder. Throws FileError.
  void keep(const Settings& settings);

 private:
  std::string path_, fault_;
  Settings settings_;
};

/// From the settings to how things look, and back. `settings` gives what the state does not hold: the window.
void apply(const Settings& settings, GuiState& state);
Settings settings_of(const GuiState& state, Settings settings);

}  // namespace tri::app::gui
