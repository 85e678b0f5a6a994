#pragma once
/// Settings that stay from one start to the next, and how a scene looks at first.
///
/// How a scene looks at first, in the window and in `render`: shape and colours of the bodies, camera, box and axes.
/// Numbers only, no GL.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/session/session.hpp"
#include "app/support/option_values.hpp"
#include "render/image.hpp"
#include "sim/base/user_values.hpp"

namespace tri::app::gui {

/// The value of an enum by its name. Throws ConfigError, which names the option.
template <NamedEnum Enum>
Enum enum_from(const char* option, const std::string& name) {
  return static_cast<Enum>(choice(option, name, kNamesOf<Enum>.list()));
}

/// Sets shape and colours to what the scene asks for, else to what suits its laws: glow for points that attract,
/// spheres for bodies with a size.
void set_usual_style(render::BodyStyle& style, const Scene& scene);

/// Choices for what glows: the quantity and the colour map together.
enum class StarColours : u8 { mass, temperature, plain };
constexpr auto enum_table(StarColours) {
  return enum_names<StarColours>("star colours", "mass", "temperature", "plain");
}
inline constexpr u32 kStarColoursCount = kNamesOf<StarColours>.names.size();
/// Mass and temperature have the colours of black bodies: of heavier and of faster bodies those of hotter stars.
void set_star_colours(render::BodyStyle& style, StarColours colours);
/// The choice that the style has; none: another one.
std::optional<StarColours> star_colours_of(const render::BodyStyle& style);

/// Trails are shown where there are few bodies.
void set_usual_trails(TrailChoice& trails, std::size_t bodies);

/// Light of each body beside the others, by its number, from their masses: dark matter is dim. That are the bodies more
/// than three times as heavy as the lightest, where they have most of the mass and both kinds are many. None: all shine
/// the same, as bodies of many different masses do.
std::vector<float> luminosities(std::span<const Instance> bodies);

/// Whether the bodies of the scene have this quantity; if not, why, and which ones they have.
Availability can_colour(render::Quantity quantity, const SessionModel& model);

/// Colour behind the bodies, in both themes.
inline constexpr std::array<float, 3> kBackground{0.016f, 0.018f, 0.024f};

/// Moves the camera so that a picture of this aspect (width / height) shows all bodies, or the walls if there are any.
/// Up is against the uniform field, or z where there is none.
SceneLengths fit_camera(render::Camera& camera, const Session& session, float aspect);

/// Edges of the box, where its boundary is not open, and axes of this length (0: none).
std::vector<render::Line> scene_lines(const Box& box, bool edges, float axis_length);

/// Share of the way that the exposure goes in so many seconds: most of it in half a second.
float adaptation_in(double seconds);

/// Sides of a periodic box, which trails do not cross; 0 along all axes for others.
std::array<float, 3> period_of(const Box& box);

/// A grid on the ground around the camera's target, perpendicular to its up: squares of a round length, ten each way.
std::vector<render::Line> ground_grid(const render::Camera& camera, const SceneLengths& lengths);

/// Keyword of the text that lets a picture open again as its scene.
inline constexpr const char* kSessionKey = "triangulum";
/// Texts in every picture: program, title, and the session.
render::ImageTexts picture_texts(const SessionModel& model);

// Properties of the window, described once: the panel View, scripts and app.ini read their rows.

/// What is on or off, or a factor.
struct Property {
  using Flag = bool& (*)(GuiState&);
  using Factor = float& (*)(GuiState&);
  const char* name;   ///< in scripts and app.ini
  const char* label;  ///< in the panel
  const char* about;  ///< its tooltip there
  std::variant<Flag, Factor> value;
};
inline constexpr double kMinFactor = 0.01, kMaxFactor = 100;

/// The property of that name; there must be one.
const Property& property(std::string_view name);
bool& flag_of(const Property& property, GuiState& state);
float& factor_of(const Property& property, GuiState& state);

// Settings that the window keeps between runs: theme, scale, size and appearance, as `name = value` lines in
// $XDG_CONFIG_HOME/triangulum/app.ini. Only interactive windows read and write it: scripts, pictures and
// demonstrations look the same for everybody.

inline constexpr u32 kMinWindow = 320, kMaxWindow = 16384;  ///< pixels a side

/// The values of a state that are kept, as texts in the order of the lines.
using Settings = std::vector<std::string>;
Settings settings_of(GuiState state);
Settings usual_settings();  ///< without a file
/// There must be as many values as settings_of() gives, and valid ones.
void apply_settings(const Settings& settings, GuiState& state);

/// Whether the desktop asks for no animations: by the files of GTK and KDE, the places where that is plain text.
bool system_reduces_motion();

/// Path of the file: under $XDG_CONFIG_HOME, else $HOME/.config; empty when neither is an absolute path.
std::string settings_path();

/// The settings in the text; missing ones have their defaults. Throws ConfigError "NAME:LINE: ..." for invalid lines.
Settings parse_settings(const std::string& text, const std::string& name);
std::string settings_text(const Settings& settings);

// Drafts: the texts of the editors, which stay from one start to the next as TOML.

std::string drafts_text(const GuiState& state);  ///< without those that are the editors' own examples
/// Throws FileError for a text that is none.
void apply_drafts(const std::string& text, const std::string& path, GuiState& state);

/// Keeps them in a file. path: empty = nothing is read or written; a broken file is left alone.
class DraftsFile {
 public:
  explicit DraftsFile(std::string path = {}) : path_(std::move(path)) {}
  /// Throws FileError.
  void read(GuiState& state);
  /// Writes what changed since: now and then, or at once. now: seconds. Throws FileError, once.
  void save(const GuiState& state, double now, bool at_once = false);

 private:
  std::string path_, text_;
  double saved_at_ = 0;
};

/// The text of a file of at most 64 kB. Throws FileError.
std::string read_small_file(const std::string& path);
/// Throws FileError.
void write_file(const std::string& path, const std::string& text);

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
  void save(const Settings& settings);

 private:
  std::string path_, fault_;
  bool found_ = false;
  Settings settings_ = usual_settings();
};

}  // namespace tri::app::gui
