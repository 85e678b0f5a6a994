#include "app/gui/base/gui_state.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/window.hpp"
#include "app/support/language.hpp"
#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"
#include "sim/io/format.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {
namespace {

namespace fs = std::filesystem;

/// What the names of an editor's texts end in.
const char* ending_of(FileBrowser::Kind kind) { return kind == FileBrowser::Kind::law ? ".txt" : ".toml"; }

/// Whether the extension is one that can be opened (saved): bodies, scenes, and pictures that carry one.
bool of_a_kind(const std::string& name, FileBrowser::Purpose purpose, FileBrowser::Kind kind) {
  if (kind != FileBrowser::Kind::bodies) return name.ends_with(ending_of(kind));
  if (has_known_extension(name)) return true;
  if (purpose == FileBrowser::Purpose::save) return false;
  const std::string ending = fs::path(name).extension().string();
  return ending == ".png" || ending == ".toml";
}

std::string absolute(const std::string& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored);
  return ignored ? path : whole.lexically_normal().string();
}

}  // namespace

void FileBrowser::show(Purpose purpose, const std::string& path, Kind kind) {
  purpose_ = purpose, kind_ = kind, shown_ = takes_keys = true;
  fault_.clear(), warned_.clear();
  const fs::path whole = absolute(path.empty() ? "." : path);
  std::error_code ignored;
  const bool folder = fs::is_directory(whole, ignored);
  typed = purpose == Purpose::save && !folder ? whole.filename().string() : "";
  const fs::path around = folder ? whole : whole.parent_path();
  go(fs::is_directory(around, ignored) ? around.string() : absolute("."));
}

void FileBrowser::go(const std::string& folder) {
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename() && path.has_parent_path()) path = path.parent_path();  // no slash at the end
  std::error_code problem;
  std::vector<FileRow> rows;
  fs::directory_iterator at(path, problem);
  for (; !problem && at != fs::directory_iterator(); at.increment(problem)) {
    const std::string name = at->path().filename().string();
    std::error_code unseen;
    const bool is_folder = at->is_directory(unseen);
    if (unseen || name.starts_with('.')) continue;
    if (!is_folder && !(at->is_regular_file(unseen) && (all_kinds_ || of_a_kind(name, purpose_, kind_)))) continue;
    const auto bytes = is_folder ? 0 : at->file_size(unseen);
    rows.push_back({name, is_folder, unseen ? 0 : bytes});
  }
  if (problem) {
    fault_ = phrase("{}: the folder cannot be read: {}.", path.string(), problem.message());
    return;
  }
  std::sort(rows.begin(), rows.end(),
            [](const FileRow& a, const FileRow& b) { return a.folder != b.folder ? a.folder : a.name < b.name; });
  folder_ = path.string(), rows_ = std::move(rows);
  fault_.clear();
}

void FileBrowser::refresh() { go(folder_); }

void FileBrowser::set_all_kinds(bool all) {
  all_kinds_ = all;
  refresh();
}

void FileBrowser::up() {
  const fs::path path(folder_);
  if (path.has_parent_path()) go(path.parent_path().string());
}

std::optional<std::string> FileBrowser::choose(const std::string& text) {
  if (text.empty()) return std::nullopt;
  fs::path path = text;
  const char* home = std::getenv("HOME");
  if (home != nullptr && (text == "~" || text.starts_with("~/"))) path = std::string(home) + text.substr(1);
  if (path.is_relative()) path = fs::path(folder_) / path;
  path = path.lexically_normal();
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    go(path.string());
    return std::nullopt;
  }
  const bool there = fs::exists(path, ignored);
  fault_.clear();
  if (purpose_ == Purpose::open && !there) {
    fault_ = phrase("{}: no such file.", path.string());
  } else if (purpose_ == Purpose::save && kind_ != Kind::bodies && !path.string().ends_with(ending_of(kind_))) {
    fault_ = phrase("The name of a {} ends in {}.", kind_ == Kind::law ? "law" : "map", ending_of(kind_));
  } else if (purpose_ == Purpose::save && kind_ == Kind::bodies && !has_known_extension(path.string())) {
    fault_ = tr("The extension names the format:");
    for (const FormatInfo& f : list_formats()) {
      if (f.writes) fault_ += fmt::format(" {}", f.extensions);
    }
  } else if (purpose_ == Purpose::save && there && warned_ != path.string()) {
    warned_ = path.string();
    fault_ = phrase("{} exists already. Save again to replace it.", path.filename().string());
  } else {
    shown_ = false;
    return path.string();
  }
  return std::nullopt;
}

namespace {

/// In lower case, without a unit.
std::string plain_name(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  name.erase(std::min(name.size(), name.find_first_of("[(")));
  name.erase(name.find_last_not_of(' ') + 1);
  return name;
}

/// Whether it says of a letter beside it that it is an axis: "pos" in "x_pos".
bool is_kind_of_axis(std::string_view word) {
  constexpr std::array<std::string_view, 10> kKinds{"pos", "position", "coord",    "coordinate", "v",
                                                    "vel", "velo",     "velocity", "speed",      ""};
  return std::find(kKinds.begin(), kKinds.end(), word) != kKinds.end();
}

/// What a column of this name may be: by the name, its beginning or its end, without a unit: "x", "pos_x [pc]",
/// "X_pos", "Position X", "z_kpc", "mass".
u32 kind_of_column(const std::string& header) {
  std::string name = plain_name(header);
  for (const std::string_view unit : {"_kpc", "_mpc", "_pc", "_au", "_ly", "_km", "_m", "_kms", "_km_s", "_km/s"}) {
    if (name.ends_with(unit)) name.erase(name.size() - unit.size());
  }
  const auto says = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (says("name")) return 11;
  const bool velocity = says("vel") || says("speed") || name.starts_with('v') || name.ends_with('v') ||
                        (name.starts_with('u') && name.size() <= 3);  // u_x
  std::string letters = name;
  std::erase_if(letters, [](unsigned char c) { return std::isalnum(c) == 0 && c < 0x80; });
  const auto of_axis = [&](char axis) { return static_cast<u32>(axis - 'x') + (velocity ? 4 : 1); };
  const auto is_axis = [](char c) { return c >= 'x' && c <= 'z'; };
  if (!letters.empty() && is_axis(letters.front()) && is_kind_of_axis(std::string_view(letters).substr(1))) {
    return of_axis(letters.front());
  }
  if (!letters.empty() && is_axis(letters.back())) {  // of a longer word it is a letter, as in "density"
    const std::string_view rest = std::string_view(letters).substr(0, letters.size() - 1);
    const char before = name.size() > 1 ? name[name.size() - 2] : ' ';
    if (name.size() <= 3 || is_kind_of_axis(rest) || std::isalpha(static_cast<unsigned char>(before)) == 0) {
      return of_axis(letters.back());
    }
  }
  return says("weight") || (name.starts_with('m') && name.size() <= 6) ? 7 : says("radius") ? 8 : 0;
}

/// The first column whose first value is no number; the number of columns where there is none.
std::size_t column_of_text(const std::string& path, std::size_t columns) {
  std::ifstream in(path);
  std::string line;
  char separator = ',';
  for (int rows = 0; rows < 2 && std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (++rows == 1 && line.find(',') == std::string::npos) separator = ';';
  }
  std::istringstream fields(line);
  std::size_t at = 0;
  double number = 0;
  for (std::string field; std::getline(fields, field, separator); ++at) {
    const std::string_view value = io::trimmed(field);
    if (!value.empty() && !io::parse_number(value, number)) return at;
  }
  return columns;
}

}  // namespace

ColumnChoice ColumnChoice::of(const std::string& path) {
  ColumnChoice choice{path, columns_to_choose(path), {}};
  if (choice.header.empty()) return {};
  std::vector<bool> taken(kColumnKinds.size());
  for (const std::string& name : choice.header) {
    u32 kind = kind_of_column(name);
    if (kind > 0 && taken[kind]) kind = 0;
    taken[kind] = true;
    choice.is.push_back(kind);
  }
  // Astronomers call velocities U, V and W.
  constexpr std::array kUvw{"u", "v", "w"};
  std::array<std::size_t, 3> at{};
  bool all = !taken[4] && !taken[5] && !taken[6];
  for (std::size_t a = 0; a < 3; ++a) {
    const auto is = [&](const std::string& name) { return plain_name(name) == kUvw[a]; };
    at[a] =
        static_cast<std::size_t>(std::find_if(choice.header.begin(), choice.header.end(), is) - choice.header.begin());
    all = all && at[a] < choice.header.size();
  }
  for (u32 a = 0; all && a < 3; ++a) choice.is[at[a]] = 4 + a;
  const std::size_t text = column_of_text(path, choice.is.size());
  if (text < choice.is.size() && !taken[11]) choice.is[text] = 11;
  return choice;
}

std::string ColumnChoice::spec() const {
  std::string text = path;
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (is[c] > 0) text += fmt::format("{}{}={}", text == path ? ":" : ",", kColumnKinds[is[c]], header[c]);
  }
  return text;
}

RecentFiles::RecentFiles(std::string path) : path_(std::move(path)) {
  std::error_code none;
  if (path_.empty() || !std::filesystem::is_regular_file(path_, none)) return;
  std::ifstream in(path_);
  for (std::string line; paths_.size() < kMax && std::getline(in, line);) {
    if (!line.empty() && std::find(paths_.begin(), paths_.end(), line) == paths_.end()) paths_.push_back(line);
  }
}

void RecentFiles::add(const std::string& path) {
  const std::string whole = absolute(path);
  if (whole.find('\n') != std::string::npos || (!paths_.empty() && paths_.front() == whole)) return;
  std::erase(paths_, whole);
  paths_.insert(paths_.begin(), whole);
  if (paths_.size() > kMax) paths_.resize(kMax);
  if (path_.empty()) return;
  std::string text;
  for (const std::string& p : paths_) text += p + "\n";
  try {
    std::error_code ignored;
    fs::create_directories(fs::path(path_).parent_path(), ignored);
    io::OutputFile file(path_, io::Accepts::files);
    file.write(text);
    file.commit();
  } catch (const FileError&) {
    path_.clear();  // no further attempts in this session
  }
}

std::string bytes_text(u64 bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string with_folder(const std::string& path) {
  std::error_code fault;
  const fs::path folder = fs::current_path(fault);
  return fault || fs::path(path).is_absolute() ? path : phrase("{} in {}", path, folder.string());
}

std::string free_path(const std::string& path) {
  const bool folder = path.ends_with('/');
  const fs::path wanted = folder ? fs::path(path).parent_path() : fs::path(path);
  const auto is_taken = [](const fs::path& at) {
    std::error_code fault;
    const fs::file_status there = fs::symlink_status(at, fault);
    if (fs::is_directory(there)) return !fs::is_empty(at, fault);
    return fs::is_regular_file(there) || fs::is_symlink(there);
  };
  fs::path at = wanted;
  for (int k = 2; is_taken(at); ++k) {
    at = wanted.parent_path() / fmt::format("{}-{}{}", wanted.stem().string(), k, wanted.extension().string());
  }
  return at.string() + (folder ? "/" : "");
}

std::optional<u64> free_bytes(const std::string& path) {
  std::error_code fault;
  fs::path there = absolute(path);
  while (there.has_relative_path() && !fs::exists(there, fault)) there = there.parent_path();
  const fs::space_info space = fs::space(there, fault);
  return fault ? std::nullopt : std::optional<u64>(space.available);
}

std::string disk_refusal(const std::string& path, FreeBytes free) {
  constexpr u64 kReserve = 256'000'000;
  const std::optional<u64> left = free(path);
  if (!left || *left >= kReserve) return {};
  return phrase("the disk has {} left, and {} are to stay free. Free some space, or name another disk",
                bytes_text(*left), bytes_text(kReserve));
}

namespace {

constexpr double kLinger = 1.5;  // seconds to look at what the action did
constexpr const char* kGallery = "Scene";

void go_to(GuiState& state, std::size_t stop) {
  TourState& t = state.tour;
  if (state.panels.open == kMapsPanel) state.panels.open.clear();
  if (t.stop == static_cast<std::size_t>(TourPart::strip)) state.lanes.shown = false;  // they take half of the scene
  const auto places = t.places;
  t = {};
  t.shown = true, t.stop = stop, t.places = places;
}

/// The map to try: bb where another one is in use, else the first that fits.
std::size_t map_to_try(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  const std::size_t now = map_in_use(model);
  return now != 0 && !rows.empty() && rows.front().fits() ? 0 : next_fitting(rows, now);
}

TourWords pairs_words(const SessionModel& model) {
  const u64 n = model.n, pairs = n < 2 ? 0 : triangular(n - 1);
  if (model.triple_maps.empty()) {
    return {"Two bodies need one look",
            phrase("{} bodies make {} pairs, and each pair is computed once. In a table of all bodies with all "
                   "bodies that is one half: a triangle.",
                   grouped(n), grouped(pairs)),
            ""};
  }
  return {"Three bodies need one look",
          phrase("{} bodies make {} triples, and each is computed once. In a cube of all bodies that is about a "
                 "sixth: a tetrahedron.",
                 grouped(n), grouped(n < 3 ? 0 : tetrahedral(n - 2))),
          ""};
}

}  // namespace

u64 tiles_of_scene(const SessionModel& model) {
  const u64 block = model.triple_maps.empty() ? model.engine.pair_block : model.engine.triple_block;
  return block > 0 ? (model.n + block - 1) / block : 0;
}

u32 figure_side(const SessionModel& model) {
  const bool triples = !model.triple_maps.empty();
  const u64 tiles = tiles_of_scene(model), least = triples ? 4 : 6, most = triples ? 8 : 16;
  return tiles >= least && tiles <= most ? static_cast<u32>(tiles) : triples ? 6 : 12;
}

namespace {

TourWords blocks_words(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  TourWords w{"Grey blocks do nothing", "", "Press Play below the figure: it launches them one by one."};
  if (rows.empty()) return {w.title, "This scene has no law of pairs, so nothing is launched.", ""};
  // The numbers of the figure, which the reader has before the eyes; the scene launches others.
  const Domain domain = model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
  const u32 side = figure_side(model);
  const auto own = static_cast<u32>(map_in_use(model));
  const MapTrace bb = trace_map(domain, 0, side);
  const auto all = static_cast<u32>(bb.cells.size());
  w.text = phrase(
      "Work starts in blocks of threads. In the figure, of {} tiles a side, bb starts {}, the whole {}, and {} of them "
      "find nothing to do.",
      side, all, model.triple_maps.empty() ? "square" : "cube", all - bb.useful());
  if (own != 0) {
    const MapTrace trace = trace_map(domain, own, side);
    const auto launched = static_cast<u32>(trace.cells.size()), idle = launched - trace.useful();
    w.text += phrase(" {} starts {}, and {}.", rows[own].name, launched,
                     idle == 0 ? tr("none is idle") : phrase("{} {} idle", idle, idle == 1 ? "is" : "are"));
  }
  return w;
}

TourWords maps_words(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  TourWords w{"Switch the map", tr("The bodies go on as before, only the blocks go another way."), ""};
  if (rows.empty()) return w;
  const MapRow& own = rows[map_in_use(model)];
  w.text += phrase(" Now it is {}; what an evaluation takes stands in its row.", own.name);
  const std::size_t other = map_to_try(model);
  if (other == map_in_use(model)) return w;
  w.action = other < 9 ? phrase("Press {} for {}, or click its row.", other + 1, rows[other].name)
                       : phrase("Click the row of {}.", rows[other].name);
  w.action += tr(" Watch figure and time.");
  return w;
}

TourWords race_words(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  const auto fit = std::count_if(rows.begin(), rows.end(), [](const MapRow& m) { return m.fits(); });
  return {"Where the map matters",
          phrase("Of {} maps, {} fit this scene. The race times them all with three workloads and says where the "
                 "map decides, and where it does not.",
                 rows.size(), fit),
          "Press Race (Y): it starts, and the run goes on after it. Esc comes back."};
}

TourWords strip_words(const GuiState& state) {
  const StripTimes& times = state.frames.strip;
  TourWords w{"Where the time goes", "The parts of a frame sum to 100 %.",
              "Click a part: lanes show when it was done."};
  if (!(times.whole > 0)) return w;
  const auto most = std::max_element(times.parts.begin(), times.parts.end());
  const auto k = static_cast<std::size_t>(most - times.parts.begin());
  w.text = phrase("A frame takes {} now, and {:.0f} % of that is {}. The parts sum to 100 %.", time_text(times.whole),
                  100 * *most / times.whole, kFrameParts[k].name);
  return w;
}

TourWords scenes_words() {
  return {"Make it yours",
          phrase("Scene shows {} scenes with pictures. Ctrl+P finds every action by words, and F1 lists the keys.",
                 list_scenes().size()),
          "Open the three of them, or end the tour here."};
}

/// Whether what the stop asks for was done.
bool is_done(const SessionModel& model, const GuiState& state) {
  const TourState& t = state.tour;
  switch (static_cast<TourPart>(t.stop)) {
    case TourPart::pairs:
      return false;  // asks for nothing
    case TourPart::blocks:
      return t.launched && !state.panes.domain.sweeps;  // to the end, or as far as one likes
    case TourPart::maps:
      return map_in_use(model) != t.map;
    case TourPart::race:
      return t.seen_race && !state.race.shown;
    case TourPart::strip:
      return state.lanes.shown;
    case TourPart::scenes:
      return t.seen_scenes && t.seen_palette && t.seen_help;
  }
  return false;
}

}  // namespace

void follow_first_minute(const SessionModel& model, GuiState& state, double now, Requests& requests) {
  using enum FirstMinute::Part;
  constexpr double kAlone = 15, kLine = 9, kSaid = 6;  // seconds
  constexpr double kMerged = 84;                       // time of the scene: two galaxies are one
  FirstMinute& first = state.first;
  if (first.part == over) return;
  if (state.tour.shown || model.spec != kFirstScene) {  // somebody has found the way
    first = {};
    return;
  }
  if (!first.since) first.since = now;
  const double passed = now - *first.since;
  const auto next = [&](FirstMinute::Part part) { first.part = part, first.since = now; };
  if (first.touched) {
    if (first.part != offer) next(offer);
    return;
  }
  if (first.part == alone && passed >= kAlone) {
    next(line);
  } else if (first.part == line && passed >= kLine) {
    next(offer);
  }
  const TimelineModel& kept = model.timeline;
  if (!model.running || model.time < kMerged || !kept.kept || kept.seek) return;
  requests.push_back(ask::GoTo{kept.first});
  Toast& toast = state.overlay.toast;
  toast.text = "The collision begins again.", toast.error = false, toast.until = now + kSaid;
}

std::string first_line(const SessionModel& model) {
  return phrase("{} pairs of stars, each computed once: by which map?",
                grouped(triangular(std::max<u64>(model.n, 1) - 1)));
}

void start_tour(GuiState& state, std::size_t stop) {
  state.panels.shown = true, state.panels.presents = state.panels.help = false;
  state.race.shown = state.page.shown = state.puzzle.shown = state.palette.shown = false;
  go_to(state, std::min(stop, TourState::kStops - 1));
}

void leave_tour(GuiState& state) { state.tour = {}; }

void next_stop(GuiState& state) {
  state.tour.stop + 1 < TourState::kStops ? go_to(state, state.tour.stop + 1) : leave_tour(state);
}

void previous_stop(GuiState& state) {
  if (state.tour.stop > 0) go_to(state, state.tour.stop - 1);
}

void follow_tour(const SessionModel& model, GuiState& state, double now, bool narrow) {
  TourState& t = state.tour;
  if (!t.shown) return;
  if (!t.arrived) {
    t.arrived = true, t.map = map_in_use(model);
    if (narrow && t.stop <= static_cast<std::size_t>(TourPart::race)) state.panels.open = kMapsPanel;
    if (static_cast<TourPart>(t.stop) == TourPart::blocks) state.panes.domain.sweeps = false;
  }
  t.launched = t.launched || state.panes.domain.sweeps;
  t.seen_race = t.seen_race || state.race.shown;
  t.seen_scenes = t.seen_scenes || state.panels.open == kGallery;
  t.seen_palette = t.seen_palette || state.palette.shown;
  t.seen_help = t.seen_help || state.panels.help;
  if (!t.done_at && is_done(model, state)) t.done_at = now;
  if (t.done_at && now - *t.done_at >= kLinger && !state.panels.calm) next_stop(state);
}

TourWords tour_words(std::size_t stop, const SessionModel& model, const GuiState& state) {
  switch (static_cast<TourPart>(stop)) {
    case TourPart::pairs:
      return pairs_words(model);
    case TourPart::blocks:
      return blocks_words(model);
    case TourPart::maps:
      return maps_words(model);
    case TourPart::race:
      return race_words(model);
    case TourPart::strip:
      return strip_words(state);
    case TourPart::scenes:
      break;
  }
  return scenes_words();
}

bool PendingActions::any() const {
  const bool named = !screenshot_path.empty() || !transparent_path.empty() || !settings.empty() || !open.empty() ||
                     !demo.empty() || text_file.has_value();
  return fit || quit || record || pick || screen_text || screenshot || named;
}

bool asks_for_frame(const GuiState& state) {
  return state.pending.any() || state.film.start || state.film.stop || state.picture.start || state.picture.cancel ||
         state.second.on != state.second.shown;
}

bool stop_drawing(GuiState& state) {
  FilmState& film = state.film;
  PictureState& picture = state.picture;
  if (std::exchange(picture.start, false) || (picture.share && !picture.cancel)) return picture.cancel = true;
  if (std::exchange(film.start, false)) return film.start_as.clear(), true;
  return film.now && !film.now->ends && !std::exchange(film.stop, true);
}

Rect card_place(const Layout& places, float height, float scale, float width) {
  constexpr float kColumn = 300, kMinCardHeight = 120;
  const Rect& scene = places.scene;
  const float gap = 8 * scale, bar = run_bar_place(places.free, scale).y;
  // Where the column stands over the scene it comes and goes.
  const float right = places.narrow ? scene.x + scene.w - kColumn * scale : scene.x + scene.w;
  // Above legend and scale bar, which stand on the run bar where that leaves no room beside it, panels being open.
  constexpr float kCorners = 88, kTall = 420, kWide = 1280;
  const float lift = scene.h < kTall * scale || scene.w >= kWide * scale ? 0 : kCorners * scale;
  const float bottom = (bar > 0 ? bar : scene.y + scene.h) - gap - lift;
  const float w = std::min(width * scale, scene.w - 2 * gap), h = std::min(height, bottom - scene.y - gap);
  if (h < std::min(height, kMinCardHeight * scale)) return {};
  const float x = std::max(scene.x + gap, right - gap - w);
  return {std::floor(x), std::floor(bottom - h), w, h};
}

Rect run_bar_place(const Rect& free, float scale) {
  constexpr float kWide = 608, kNarrow = 544, kMinWidth = 150, kHeight = 48, kAbove = 16;
  const float w = free.w / scale;
  if (w < kMinWidth || free.h < (kHeight + kAbove) * scale) return {};
  const float wide = w >= kWide + 24 ? kWide : w >= kNarrow + 16 ? kNarrow : std::max(140.0f, w - 16);
  return {std::floor(free.x + (free.w - wide * scale) / 2), std::floor(free.y + free.h - (kAbove + kHeight) * scale),
          wide * scale, kHeight * scale};
}

}  // namespace tri::app::gui
