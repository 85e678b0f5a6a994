#include "app/gui/base/settings.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "app/session/session_model.hpp"
#include "app/support/language.hpp"
#include "render/view.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/files/process.hpp"
#include "tri_version.hpp"

namespace tri::app::gui {

namespace {

/// The value of that name; an empty name changes nothing.
template <class Enum>
void take(const std::string& name, Enum& value) {
  value = kNamesOf<Enum>.find(name).value_or(value);
}

}  // namespace

void set_usual_style(render::BodyStyle& style, const Scene& scene) {
  const ForceField& field = scene.field;
  const bool bodies_have_size = field.pair == PairLaw::contact || field.pair == PairLaw::lennard_jones;
  style.shape = bodies_have_size ? render::BodyShape::spheres : render::BodyShape::glow;
  style.quantity = render::BodyStyle{}.quantity;
  take(scene.view.shape, style.shape);
  // What glows has the colours of stars; matter has those that are easiest to compare.
  style.colours = style.shape == render::BodyShape::glow ? render::ColourMap::black_body : render::ColourMap::viridis;
  take(scene.view.colours, style.colours);
  take(scene.view.colour, style.quantity);
}

void set_star_colours(render::BodyStyle& style, StarColours colours) {
  style.colours = colours == StarColours::plain ? render::ColourMap::plain : render::ColourMap::black_body;
  if (colours == StarColours::plain) return;
  style.quantity = colours == StarColours::mass ? render::Quantity::mass : render::Quantity::speed;
  style.logarithmic = colours == StarColours::mass;  // the masses of stars differ by factors
}

std::optional<StarColours> star_colours_of(const render::BodyStyle& style) {
  if (style.colours == render::ColourMap::plain) return StarColours::plain;
  for (const StarColours colours : {StarColours::mass, StarColours::temperature}) {
    render::BodyStyle same = style;
    set_star_colours(same, colours);
    if (same.colours == style.colours && same.quantity == style.quantity && same.logarithmic == style.logarithmic)
      return colours;
  }
  return std::nullopt;
}

void set_usual_trails(TrailChoice& trails, std::size_t bodies) {
  constexpr std::size_t kFew = 20;
  trails.shown = bodies < kFew;
}

std::vector<float> luminosities(std::span<const Instance> bodies) {
  constexpr std::size_t kMin = 64, kMaxKinds = 16;
  constexpr float kHeavy = 3, kOfHalo = 0.1f;
  constexpr double kRare = 0.1, kMaxMass = 0.5;
  if (bodies.size() < kMin) return {};
  std::map<float, std::size_t> kinds;  // bodies by their mass
  auto kind = kinds.end();             // of the body before: mostly the same
  for (const Instance& body : bodies) {
    if (kind == kinds.end() || kind->first != body.mass) kind = kinds.try_emplace(body.mass, 0).first;
    ++kind->second;
    if (kinds.size() > kMaxKinds) return {};
  }
  const float lightest = kinds.begin()->first;
  double all = 0, halo = 0;
  std::size_t count = 0;
  for (const auto& [mass, number] : kinds) {
    const double of_kind = static_cast<double>(mass) * static_cast<double>(number);
    all += of_kind;
    if (mass > kHeavy * lightest) halo += of_kind, count += number;
  }
  const auto rare = static_cast<std::size_t>(kRare * static_cast<double>(bodies.size()));
  if (!(lightest > 0) || halo <= kMaxMass * all || count < rare || bodies.size() - count < rare) return {};
  std::vector<float> light(bodies.size(), 1);
  for (const Instance& body : bodies) {
    if (body.mass > kHeavy * lightest) light[body.id] = kOfHalo;
  }
  return light;
}

Availability can_colour(render::Quantity quantity, const SessionModel& model) {
  if (quantity == render::Quantity::group && model.groups == 0) {
    return {false, "This scene has no groups: its bodies are of one kind. Colour by mass or index."};
  }
  if (quantity == render::Quantity::contacts && model.scene.field.pair != PairLaw::contact) {
    return {false, "Only the contact law has contacts. Colour by acceleration or speed."};
  }
  return {true, ""};
}

namespace {

/// Of those that have a radius; 0 where none has.
float mean_radius(std::span<const Instance> bodies) {
  double sum = 0;
  std::size_t count = 0;
  for (const Instance& body : bodies) {
    if (body.radius > 0) sum += static_cast<double>(body.radius), ++count;
  }
  return count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : 0;
}

/// The box of those bodies that shine, where others are dim; along each axis without the outer 2 % at both ends.
Box bright_box(const Session& session, std::span<const Instance> bodies) {
  Box box = session.view_box();
  const std::vector<float> light = luminosities(bodies);
  if (light.empty()) return box;
  constexpr double kOutside = 0.02;
  std::array<std::vector<float>, 3> places;
  for (const Instance& body : bodies) {
    if (light[body.id] < 1 || !std::isfinite(body.x + body.y + body.z)) continue;
    places[0].push_back(body.x), places[1].push_back(body.y), places[2].push_back(body.z);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    std::sort(places[a].begin(), places[a].end());
    const auto last = places[a].size() - 1;
    const auto out = static_cast<std::size_t>(kOutside * static_cast<double>(last));
    box.low[a] = static_cast<double>(places[a][out]), box.high[a] = static_cast<double>(places[a][last - out]);
  }
  return box;
}

}  // namespace

SceneLengths fit_camera(render::Camera& camera, const Session& session, float aspect) {
  const ForceField& field = session.model().scene.field;
  const std::vector<Instance> bodies = session.drawn();
  const Box box = bright_box(session, bodies), &walls = field.box;
  render::Bounds bounds;
  double volume = 1;
  for (int a = 0; a < 3; ++a) {
    const auto k = static_cast<std::size_t>(a);
    if (walls.boundary != Boundary::open) {
      bounds.low[a] = static_cast<float>(walls.low[k]), bounds.high[a] = static_cast<float>(walls.high[k]);
      continue;
    }
    bounds.low[a] = static_cast<float>(box.low[k]), bounds.high[a] = static_cast<float>(box.high[k]);
    volume *= std::max(box.high[k] - box.low[k], 1e-3);
  }
  const glm::vec3 down(field.field[0], field.field[1], field.field[2]);
  camera.up = glm::length(down) > 0 ? -glm::normalize(down) : glm::vec3(0, 0, 1);
  camera.fit(bounds, aspect);
  const float diagonal = camera.pose.distance * std::sin(camera.field_of_view / 2) * 2;
  const auto spacing = static_cast<float>(std::cbrt(volume / static_cast<double>(session.model().n)));
  SceneLengths lengths;
  lengths.body_radius = std::clamp(0.1f * spacing, 1e-4f * diagonal, 4e-3f * diagonal);
  if (field.pair == PairLaw::lennard_jones) lengths.body_radius = static_cast<float>(field.lennard_jones.sigma) / 2;
  lengths.axis_length = 0.35f * diagonal;
  lengths.extent = diagonal;
  const glm::vec3 middle = 0.5f * (bounds.low + bounds.high), half_size = 0.5f * (bounds.high - bounds.low);
  lengths.ground = glm::dot(middle, camera.up) - glm::dot(half_size, glm::abs(camera.up));
  lengths.sphere_radius = mean_radius(bodies);
  return lengths;
}

std::vector<render::Line> scene_lines(const Box& box, bool edges, float axis_length) {
  std::vector<render::Line> lines;
  if (axis_length > 0) {
    const float l = axis_length;
    lines.push_back({{0, 0, 0}, {l, 0, 0}, {0.35f, 0.07f, 0.07f}});
    lines.push_back({{0, 0, 0}, {0, l, 0}, {0.07f, 0.3f, 0.07f}});
    lines.push_back({{0, 0, 0}, {0, 0, l}, {0.09f, 0.13f, 0.45f}});
  }
  if (!edges || box.boundary == Boundary::open) return lines;
  const auto corner = [&](u32 k) {
    const auto side = [&](std::size_t a) { return static_cast<float>((k >> a & 1u) ? box.high[a] : box.low[a]); };
    return glm::vec3(side(0), side(1), side(2));
  };
  for (u32 k = 0; k < 8; ++k) {
    for (const u32 bit : {1u, 2u, 4u}) {
      if ((k & bit) == 0) lines.push_back({corner(k), corner(k | bit), {0.2f, 0.22f, 0.26f}});
    }
  }
  return lines;
}

float adaptation_in(double seconds) {
  constexpr double kSlowness = 0.25;
  return static_cast<float>(1 - std::exp(-seconds / kSlowness));
}

std::array<float, 3> period_of(const Box& box) {
  std::array<float, 3> period{};
  for (std::size_t a = 0; a < 3 && box.boundary == Boundary::periodic; ++a) {
    period[a] = static_cast<float>(box.high[a] - box.low[a]);
  }
  return period;
}

std::vector<render::Line> ground_grid(const render::Camera& camera, const SceneLengths& lengths) {
  constexpr int kEachWay = 10;
  constexpr std::array kInk{0.03f, 0.034f, 0.04f};
  const glm::vec3 up = camera.up;
  const glm::vec3 right =
      glm::normalize(glm::cross(up, std::abs(up.x) < 0.9f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0)));
  const glm::vec3 ahead = glm::cross(up, right);
  const auto step = static_cast<float>(render::round_length(static_cast<double>(lengths.extent) / kEachWay));
  // Lines stay where they are when the target moves: they pass through whole multiples of the step.
  const auto whole = [&](const glm::vec3& axis) {
    return std::round(glm::dot(camera.pose.target, axis) / step) * step;
  };
  const glm::vec3 middle = lengths.ground * up + whole(right) * right + whole(ahead) * ahead;
  const float reach = kEachWay * step;
  std::vector<render::Line> lines;
  for (int k = -kEachWay; k <= kEachWay; ++k) {
    const glm::vec3 a = middle + static_cast<float>(k) * step * right,
                    b = middle + static_cast<float>(k) * step * ahead;
    lines.push_back({a - reach * ahead, a + reach * ahead, kInk});
    lines.push_back({b - reach * right, b + reach * right, kInk});
  }
  return lines;
}

render::ImageTexts picture_texts(const SessionModel& model) {
  return {{"Software", fmt::format("Triangulum {}", kVersionFull)},
          {"Title", model.scene.title},
          {kSessionKey, session_text(model)}};
}

namespace {

constexpr double kMinScale = 0.5, kMaxScale = 4;
constexpr std::size_t kMaxFileBytes = 1u << 16;

using S = GuiState&;
constexpr Property kProperties[] = {
    {"panels", "panels", "", [](S s) -> bool& { return s.panels.shown; }},
    {"pinned", "pinned", "", [](S s) -> bool& { return s.panels.pinned; }},
    {"contrast", "high contrast", "Text of 7 : 1 or more, and lines of 3 : 1",
     [](S s) -> bool& { return s.panels.contrast; }},
    {"reduced-motion", "reduced motion",
     "The camera stands where a drag ends, light changes at once, no caret blinks, and no stop of the tour ends by "
     "itself",
     [](S s) -> bool& { return s.panels.calm; }},
    {"help", "help", "", [](S s) -> bool& { return s.panels.help; }},
    {"present", "presentation", "", [](S s) -> bool& { return s.panels.presents; }},
    {"lanes", "lanes", "", [](S s) -> bool& { return s.lanes.shown; }},
    {"logarithm", "log scale", "Colours by the logarithm of the quantity (L)",
     [](S s) -> bool& { return s.view.style.logarithmic; }},
    {"box", "box", "", [](S s) -> bool& { return s.view.box; }},
    {"axes", "axes", "", [](S s) -> bool& { return s.view.axes; }},
    {"grid", "grid", "A thin grid on the ground", [](S s) -> bool& { return s.view.grid; }},
    {"clock", "clock", "The simulated time in the picture, with its unit", [](S s) -> bool& { return s.view.clock; }},
    {"names", "names", "Of the bodies that have one", [](S s) -> bool& { return s.view.names; }},
    {"trails", "trails", "Past positions of bodies, fading with age (T)",
     [](S s) -> bool& { return s.view.trails.shown; }},
    {"size", "size", "", [](S s) -> float& { return s.view.style.size; }},
    {"light", "light", "", [](S s) -> float& { return s.view.style.exposure; }},
};

/// One line of the file: its name, its reader and its writer.
struct Row {
  const char* name;
  std::function<void(GuiState&, const std::string&)> read;
  std::function<std::string(GuiState&)> write;
};

double within(const char* name, const std::string& text, double low, double high) {
  const double value = positive_number(name, text);
  if (value < low || value > high) throw ConfigError(phrase("{} {}: it takes {} to {}.", name, text, low, high));
  return value;
}

Row flag(const char* name, Property::Flag of, std::string_view no = "off", std::string_view yes = "on") {
  return {name,
          [=](S s, const std::string& t) {
            of(s) = choice(name, t, {no, yes}) == 1;
          },
          [=](S s) { return std::string(of(s) ? yes : no); }};
}

Row kept(const char* name) {
  const Property& p = property(name);
  if (const auto* of = std::get_if<Property::Flag>(&p.value)) return flag(name, *of);
  return {name,
          [&p](S s, const std::string& t) {
            factor_of(p, s) = static_cast<float>(within(p.name, t, kMinFactor, kMaxFactor));
          },
          [&p](S s) {  // the shortest text of the float: 1.2 and not 1.2000000476837158
            return fmt::format("{}", std::clamp(std::stod(fmt::format("{}", factor_of(p, s))), kMinFactor, kMaxFactor));
          }};
}

Row side(const char* name, u32 PanelState::*value) {
  return {name,
          [=](S s, const std::string& t) {
            s.panels.*value = static_cast<u32>(whole_number(name, t, kMinWindow, kMaxWindow));
          },
          [=](S s) { return fmt::format("{}", s.panels.*value); }};
}

/// Pixels of a panel; `usual`: the word for 0, or none.
Row width(const char* name, float PanelState::*value, float low, float high, std::string_view usual = {}) {
  return {name,
          [=](S s, const std::string& t) {
            const bool own = usual.empty() || t != usual;
            s.panels.*value =
                own ? static_cast<float>(within(name, t, static_cast<double>(low), static_cast<double>(high))) : 0;
          },
          [=](S s) {
            const float now = std::round(s.panels.*value);
            return now > 0 || usual.empty() ? fmt::format("{}", now) : std::string(usual);
          }};
}

constexpr std::string_view kSorts[] = {"key", "blocks", "time", "gain"};  // by MapSort

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows{
      flag(
          "theme", [](S s) -> bool& { return s.panels.dark; }, "light", "dark"),
      {"scale",
       [](S s, const std::string& t) {
         s.panels.chosen_scale.reset();
         if (t != "display") s.panels.chosen_scale = within("scale", t, kMinScale, kMaxScale);
       },
       [](S s) { return s.panels.chosen_scale ? fmt::format("{}", *s.panels.chosen_scale) : std::string("display"); }},
      side("width", &PanelState::window_width),
      side("height", &PanelState::window_height),
      kept("panels"),
      {"panel", [](S s, const std::string& t) { s.panels.open = t == "none" ? "" : t; },
       [](S s) { return s.panels.open.empty() ? std::string("none") : s.panels.open; }},
      width("panel width", &PanelState::width, kMinLeft, kMaxLeft),
      width("column width", &PanelState::column, kMinColumn, kMaxColumn, "window"),
      kept("pinned"),
      kept("contrast"),
      kept("reduced-motion"),
      {"language", [](S s, const std::string& t) { s.panels.language = enum_from<Language>("language", t); },
       [](S s) { return to_string(s.panels.language); }},
      kept("lanes"),
      {"maps by",
       [](S s, const std::string& t) {
         s.panels.sort = static_cast<MapSort>(choice("maps by", t, {kSorts[0], kSorts[1], kSorts[2], kSorts[3]}));
       },
       [](S s) { return std::string(kSorts[static_cast<std::size_t>(s.panels.sort)]); }},
      kept("box"),
      kept("axes"),
      {"colour", [](S s, const std::string& t) { s.view.style.quantity = enum_from<render::Quantity>("colour", t); },
       [](S s) { return std::string(to_string(s.view.style.quantity)); }},
      kept("logarithm"),
      kept("size"),
      kept("light"),
  };
  return kRows;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlank) - begin + 1));
}

void read_line(GuiState& state, const std::string& line, std::set<std::string>& seen) {
  const std::size_t sign = line.find('=');
  if (sign == std::string::npos) throw ConfigError(phrase("'{}' is not of the form NAME = VALUE.", line));
  const std::string name = trimmed(line.substr(0, sign));
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return name == r.name; });
  if (row == rows().end()) {
    std::vector<std::string> names;
    for (const Row& r : rows()) names.emplace_back(r.name);
    throw ConfigError(unknown_name("setting", name, names));
  }
  if (!seen.insert(name).second) throw ConfigError(phrase("{} is set twice.", name));
  row->read(state, trimmed(line.substr(sign + 1)));
}

}  // namespace

std::string read_small_file(const std::string& path) {
  std::string text = io::read_text(path, kMaxFileBytes);
  if (text.size() > kMaxFileBytes) throw FileError(phrase("{}: the file is too long, 64 kB are the most.", path));
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  io::OutputFile file(path, io::Accepts::files);
  file.write(text);
  file.commit();
}

namespace {

void make_folder_of(const std::string& path) {
  std::error_code problem;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem) throw FileError(phrase("{}: the folder cannot be created: {}.", path, problem.message()));
}

/// As a string of TOML over several lines has it.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if ((static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == 127) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string puzzle_key(std::size_t level) { return fmt::format("puzzle-{}", puzzles()[level].name); }

}  // namespace

std::string drafts_text(const GuiState& state) {
  const bool pairs = state.law_editor.over == expression::Over::pairs;
  const LawEditor& law = state.law_editor;
  std::string drafts = "# Texts of the editors in Triangulum's window.\n";
  const auto keep = [&](const char* key, const std::string& text, const std::string& usual) {
    if (!text.empty() && text != usual) drafts += fmt::format("{} = \"\"\"\n{}\"\"\"\n", key, escaped(text));
  };
  keep("pairs", pairs ? law.text : law.other, LawEditor{}.text);
  keep("triples", pairs ? law.other : law.text, "");
  keep("map", state.map_editor.text, MapEditor{}.text);
  for (std::size_t k = 0; k < kPuzzleCount; ++k) {
    keep(puzzle_key(k).c_str(), state.puzzle.texts[k], puzzles()[k].begin);
  }
  return drafts;
}

void apply_drafts(const std::string& text, const std::string& path, GuiState& state) {
  try {
    const toml::table drafts = toml::parse(text, std::string_view(path));
    const auto take = [&](const char* key, std::string& to) { to = drafts[key].value_or(to); };
    state.law_editor.over = expression::Over::pairs;
    take("pairs", state.law_editor.text), take("triples", state.law_editor.other), take("map", state.map_editor.text);
    for (std::size_t k = 0; k < kPuzzleCount; ++k) take(puzzle_key(k).c_str(), state.puzzle.texts[k]);
  } catch (const toml::parse_error& error) {
    throw FileError(phrase("{}:{}: these are no drafts: {}. They stay as they are; correct or remove the file.", path,
                           error.source().begin.line, std::string(error.description())));
  }
}

void DraftsFile::read(GuiState& state) {
  std::error_code ignored;
  if (path_.empty()) return;
  text_ = drafts_text(state);
  if (!std::filesystem::exists(path_, ignored)) return;
  const std::string path = std::exchange(path_, {});  // left alone where this throws
  apply_drafts(read_small_file(path), path, state);
  path_ = path, text_ = drafts_text(state);
}

void DraftsFile::save(const GuiState& state, double now, bool at_once) {
  constexpr double kPeriod = 5;  // seconds
  if (path_.empty() || (!at_once && now - saved_at_ < kPeriod)) return;
  saved_at_ = now;
  const std::string text = drafts_text(state);
  if (text == std::exchange(text_, text)) return;
  const std::string path = std::exchange(path_, {});
  make_folder_of(path);
  write_file(path, text);
  path_ = path;
}

const Property& property(std::string_view name) {
  const auto* at =
      std::find_if(std::begin(kProperties), std::end(kProperties), [&](const Property& p) { return name == p.name; });
  TRI_EXPECTS(at != std::end(kProperties));
  return *at;
}

bool& flag_of(const Property& property, GuiState& state) { return std::get<Property::Flag>(property.value)(state); }

float& factor_of(const Property& property, GuiState& state) {
  return std::get<Property::Factor>(property.value)(state);
}

namespace {

/// GNOME keeps its settings in a database, which a program of its own reads.
bool gnome_reduces_motion() {
  constexpr int kPatience = 1000;  // ms
  const char* const desktop = std::getenv("XDG_CURRENT_DESKTOP");
  const std::string program = io::find_program("gsettings");
  if (desktop == nullptr || std::string_view(desktop).find("GNOME") == std::string_view::npos || program.empty()) {
    return false;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const io::Descriptor from(ends[0]), to(ends[1]);
  io::ChildProcess child({program, {"get", "org.gnome.desktop.interface", "enable-animations"}, {{to.get(), 1}}});
  std::array<char, 16> said{};
  if (child.error() != 0 || !child.ended(kPatience) || child.wait() != 0) return false;
  return read(from.get(), said.data(), said.size()) > 0 && std::string_view(said.data()).starts_with("false");
}

}  // namespace

bool system_reduces_motion() {
  if (gnome_reduces_motion()) return true;
  const auto folder = std::filesystem::path(io::user_file("app.ini")).parent_path().parent_path();
  for (const char* name : {"gtk-4.0/settings.ini", "gtk-3.0/settings.ini", "kdeglobals"}) {
    std::ifstream in(folder / name);
    for (std::string line; !folder.empty() && std::getline(in, line);) {
      const std::size_t sign = line.find('=');
      if (sign == std::string::npos) continue;
      const std::string key = trimmed(line.substr(0, sign)), value = trimmed(line.substr(sign + 1));
      if (key == "gtk-enable-animations" && (value == "0" || value == "false")) return true;
      if (key == "AnimationDurationFactor" && value == "0") return true;
    }
  }
  return false;
}

std::string settings_path() { return io::user_file("app.ini"); }

Settings parse_settings(const std::string& text, const std::string& name) {
  GuiState state;
  std::set<std::string> seen;
  std::istringstream lines(text);
  u64 number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    try {
      read_line(state, line, seen);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
  return settings_of(state);
}

std::string settings_text(const Settings& settings) {
  std::string text = "# Settings of Triangulum's window, written when it closes.\n";
  for (std::size_t k = 0; k < rows().size(); ++k) text += fmt::format("{} = {}\n", rows()[k].name, settings[k]);
  return text;
}

SettingsFile::SettingsFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  found_ = !path_.empty() && std::filesystem::exists(path_, ignored);
  if (!found_) return;
  try {
    settings_ = parse_settings(read_small_file(path_), path_);
  } catch (const Error& error) {
    fault_ = phrase("{} The window uses the defaults and leaves this file alone; correct or remove it.",
                    stated(error.what()));
    path_.clear();
  }
}

void SettingsFile::save(const Settings& settings) {
  if (path_.empty() || (found_ && settings == settings_)) return;
  make_folder_of(path_);
  write_file(path_, settings_text(settings));
  settings_ = settings, found_ = true;
}

void apply_settings(const Settings& settings, GuiState& state) {
  for (std::size_t k = 0; k < rows().size(); ++k) rows()[k].read(state, settings[k]);
}

Settings settings_of(GuiState state) {
  Settings settings;
  for (const Row& row : rows()) settings.push_back(row.write(state));
  return settings;
}

Settings usual_settings() {
  const GuiState state;
  return settings_of(state);
}

}  // namespace tri::app::gui
