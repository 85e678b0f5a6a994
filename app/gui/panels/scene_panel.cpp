// The panel Scene: the gallery, pictures of its scenes, demos, the tour.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>
#include <spawn.h>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/look.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/session/demo_table.hpp"
#include "app/support/run_config.hpp"
#include "render/gl/gl.hpp"
#include "render/image.hpp"
#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/files/file.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::app::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = 4u << 20;  // of a file that gets a picture

/// How the picture of a scene is taken; the others, and files, from their start.
struct Shot {
  const char *scene, *keys, *skip, *camera;
};
constexpr Shot kShots[] = {{"argon-crystal", "", "0", "30,20,1.05"},     {"argon-droplet", "", "0", "30,20,1.2"},
                           {"cold-collapse", "n=2048", "330", "30,20"},  {"cosmic-web", "n=4096", "1200", "30,20,1.1"},
                           {"falling-pile", "", "120", "30,15,1.15"},    {"figure-8", "", "600", "30,60,1.05"},
                           {"galaxy", "n=4096", "0", "30,55"},           {"gas", "n=2048", "200", "30,20,1.15"},
                           {"kepler", "", "1024", "30,50,1.05"},         {"lagrange", "", "700", "30,50,1.2"},
                           {"merger", "n=2048", "600", "35,30,1.1"},     {"plummer", "", "0", "30,20,1.8"},
                           {"pythagorean", "", "5000", "30,60,1.1"},     {"salt", "", "0", "30,20,1.05"},
                           {"solar-system", "", "20000", "30,40,1.5"},   {"sphere-box", "", "300", "30,20,1.15"},
                           {"uniform-ball", "n=2048", "0", "30,20,1.1"}, {"uniform-box", "n=2048", "0", "30,20,1.1"}};
constexpr Shot kUsual{"", "", "0", "30,30"};

const Shot& shot_of(const std::string& name) {
  const auto* at = std::find_if(std::begin(kShots), std::end(kShots), [&](const Shot& s) { return name == s.scene; });
  return at == std::end(kShots) ? kUsual : *at;
}

/// n of "n=4096, seed=42, ..." times the parts that have so many; without n, the bodies that the scene is made of.
u64 bodies_of(const SceneInfo& scene) {
  const std::string_view keys = scene.keys;
  if (!keys.starts_with("n=")) return make_scene(scene.name).bodies.size();
  constexpr u64 kFew = 256;  // quickly made
  const u64 n = std::stoull(std::string(keys.substr(2)));
  return n * make_scene(fmt::format("{}:n={}", scene.name, kFew)).bodies.size() / kFew;
}

}  // namespace

const std::vector<SceneCard>& scene_cards() {
  static const std::vector<SceneCard> kCards = [] {
    std::vector<SceneCard> cards;
    for (const SceneInfo& s : list_scenes()) cards.push_back({s.name, s.name, s.title, bodies_of(s)});
    return cards;
  }();
  return kCards;
}

SceneCard file_card(const std::string& path) {
  const fs::path file(path);
  return {path, file.filename().string(), file.parent_path().string(), 0};
}

std::vector<std::string> picture_arguments(const std::string& spec, const std::string& output) {
  const std::string name = scene_name(spec);
  const bool built_in =
      std::any_of(list_scenes().begin(), list_scenes().end(), [&](const SceneInfo& s) { return name == s.name; });
  std::error_code fault;
  if (!built_in && (spec.ends_with(".png") || fs::file_size(spec, fault) > kMaxBytes || fault)) return {};
  const Shot& shot = built_in ? shot_of(name) : kUsual;
  const std::string scene = *shot.keys == '\0' ? spec : fmt::format("{}:{}", spec, shot.keys);
  return {
      "render", scene,       "--output", output,      "--size",  fmt::format("{}x{}", kPictureWidth, kPictureHeight),
      "--skip", shot.skip,   "--camera", shot.camera, "--quiet", "--backend",
      "cpu",    "--threads", "1"};
}

std::string picture_name(const std::string& spec) {
  std::string key(kVersionFull);
  for (const std::string& argument : picture_arguments(spec, "")) key += '\n' + argument;
  std::error_code fault;
  if (const auto bytes = fs::file_size(spec, fault); !fault) {
    key += fmt::format("\n{} {}", bytes, fs::last_write_time(spec, fault).time_since_epoch().count());
  }
  return hash_text(fnv1a(kFnvOffset, key.data(), key.size())) + ".png";
}

namespace {

namespace fs = std::filesystem;

constexpr int kLowest = 19;  // priority

/// Runs this program; nothing is read or printed. 0: it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments) {
  std::error_code fault;
  const std::string program = fs::read_symlink("/proc/self/exe", fault).string();
  if (fault) return 0;
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  }
  pid_t process = 0;
  const int error = posix_spawn(&process, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return 0;
  setpriority(PRIO_PROCESS, static_cast<id_t>(process), kLowest);
  return process;
}

}  // namespace

std::string picture_folder() { return io::user_cache("pictures"); }

ScenePictures::~ScenePictures() {
  if (made_) {
    kill(made_->process, SIGTERM);  // it ends by itself, at its low priority
    if (temporary_) waitpid(made_->process, nullptr, 0);
  }
  std::error_code ignored;
  if (temporary_) fs::remove_all(folder_, ignored);
}

bool ScenePictures::make_folder() {
  if (std::exchange(ready_, true)) return !folder_.empty();
  std::error_code fault;
  if (!folder_.empty()) fs::create_directories(folder_, fault);
  if (!folder_.empty() && !fault && access(folder_.c_str(), W_OK) == 0) return true;
  std::string name = (fs::temp_directory_path(fault) / "triangulum-XXXXXX").string();
  temporary_ = !fault && mkdtemp(name.data()) != nullptr;
  folder_ = temporary_ ? name : std::string();
  return temporary_;
}

/// Whether the file held a picture; it is then a texture.
bool ScenePictures::take(GalleryState& gallery, const std::string& spec, const std::string& path) {
  std::error_code fault;
  if (!fs::exists(path, fault)) return false;
  try {
    const render::Image image = render::read_png(path);
    gl::Texture texture = gl::make_texture(GL_TEXTURE_2D);
    const auto width = static_cast<GLsizei>(image.width), height = static_cast<GLsizei>(image.height);
    glTextureStorage2D(texture.get(), 1, GL_RGB8, width, height);
    glTextureParameteri(texture.get(), GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(texture.get(), 0, 0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, image.rgb.data());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gallery.pictures[spec] = texture.get();
    textures_[spec] = std::move(texture);
    return true;
  } catch (const Error&) {  // damaged: it is made again
    fs::remove(path, fault);
    return false;
  }
}

void ScenePictures::begin(GalleryState& gallery, const std::string& spec, const std::string& path) {
  const std::vector<std::string> arguments = picture_arguments(spec, path);
  const pid_t process = arguments.empty() ? 0 : start_program(arguments);
  if (process > 0) {
    made_ = {process, spec, path};
  } else {
    gallery.pictures[spec] = 0;  // none
  }
}

void ScenePictures::work(GalleryState& gallery) {
  for (std::string& spec : gallery.wanted) {
    const bool known = gallery.pictures.contains(spec) || (made_ && made_->spec == spec) ||
                       std::find(waiting_.begin(), waiting_.end(), spec) != waiting_.end();
    if (!known) waiting_.push_back(std::move(spec));
  }
  gallery.wanted.clear();
  if (made_ && waitpid(made_->process, nullptr, WNOHANG) != 0) {
    const Made made = *std::exchange(made_, std::nullopt);
    if (!take(gallery, made.spec, made.path)) gallery.pictures[made.spec] = 0;
  } else if (!made_ && !waiting_.empty()) {
    const std::string spec = std::move(waiting_.front());
    waiting_.pop_front();
    if (!make_folder()) {
      gallery.pictures[spec] = 0;
    } else if (const std::string path = folder_ + "/" + picture_name(spec); !take(gallery, spec, path)) {
      begin(gallery, spec, path);
    }
  }
  gallery.pending = waiting_.size() + (made_ ? 1 : 0);
}

namespace {

constexpr float kPicture = 112, kTall = 70, kPictureGap = 8;  // pixels at scale 1

/// The picture, or the place where it will be.
void card_picture(const SceneCard& card, GalleryState& state, ImVec2 low, ImVec2 high, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto at = state.pictures.find(card.spec);
  if (at == state.pictures.end()) state.wanted.push_back(card.spec);
  if (at == state.pictures.end() || at->second == 0) {
    draw.AddRectFilled(low, high, theme_of(true).page, 4 * scale);
    const bool comes = at == state.pictures.end();
    write_middle(draw, Face::caption, {(low.x + high.x) / 2, (low.y + high.y) / 2}, theme_of(true).text3,
                 comes ? "being drawn" : "no picture", Align::centre);
    return;
  }
  draw.AddImageRounded(texture_of(at->second), low, high, {0, 0}, {1, 1}, IM_COL32_WHITE, 4 * scale);
}

/// Lines of words that fit the width, the last one cut where more is to come.
void card_words(const std::string& english, ImVec2 at, float width, int lines) {
  const InFace in(Face::caption);
  std::string text = in_lines(tr(english), width);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (int k = 0; k < lines && !text.empty(); ++k, at.y += height_of(face(Face::caption))) {
    const std::size_t end = k + 1 < lines ? std::min(text.find('\n'), text.size()) : text.size();
    std::string line = text.substr(0, end);
    std::replace(line.begin(), line.end(), '\n', ' ');
    write(draw, Face::caption, at, theme().text2, fitting(Face::caption, line, width));
    text.erase(0, end + 1);
  }
}

/// True when it was chosen.
bool card(const SceneCard& card, bool open, GalleryState& state, float width, float scale) {
  const float gap = kPictureGap * scale, height = kTall * scale + gap;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(card.spec.c_str());
  const bool pressed = invisible_button("card", {width, height});
  ImGui::PopID();
  if (!ImGui::IsItemVisible()) return pressed;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + height};
  if (ImGui::IsItemHovered() || open) {
    draw.AddRectFilled(at, end, open ? theme().selected : theme().raised, 4 * scale);
  }
  const ImVec2 low{at.x + gap / 2, at.y + gap / 2};
  card_picture(card, state, low, {low.x + kPicture * scale, low.y + kTall * scale}, scale);
  const float x = low.x + kPicture * scale + gap, room = end.x - gap - x, line = height_of(face(Face::strong));
  write(draw, Face::strong, {x, low.y}, theme().text, fitting(Face::strong, card.name, room));
  card_words(card.about, {x, low.y + line}, room, card.n > 0 ? 2 : 3);
  if (card.n > 0) {
    write(draw, Face::caption, {x, low.y + kTall * scale - height_of(face(Face::caption))}, theme().text3,
          counted(card.n, "body", "bodies"));
  }
  tip(card.about);
  return pressed;
}

}  // namespace

std::string gallery(const std::string& now, const RecentFiles& recent, GalleryState& state, float height, float scale) {
  std::string chosen;
  const std::string name = scene_name(now);
  ImGui::BeginChild("gallery", {0, height}, false, ImGuiWindowFlags_NavFlattened);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 4 * scale});
  const float width = ImGui::GetContentRegionAvail().x;
  for (const SceneCard& c : scene_cards()) {
    if (card(c, c.spec == name, state, width, scale)) chosen = c.spec;
  }
  if (!recent.paths().empty()) {
    ImGui::Dummy({1, 4 * scale});
    strong_text("Recent files");
  }
  for (const std::string& path : recent.paths()) {
    if (card(file_card(path), path == now, state, width, scale)) chosen = path;
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  return chosen;
}

// Scene: the gallery, and of the scene that is open the text, number of bodies and seed; opening and saving.
namespace {

void choose_demo(const std::string& demo, PendingActions& pending) {
  std::vector<std::string> names{"none"};
  u32 at = 0;
  for (const std::string_view name : demo_names()) {
    if (demo == name) at = static_cast<u32>(names.size());
    names.emplace_back(name);
  }
  if (choose("demo", at, names)) pending.demo = names[at];
  tip("A demonstration that runs by itself until you choose another one or none");
}

/// What each column of a csv file is to be whose names nobody knows.
void choose_columns(ColumnChoice& columns, PendingActions& pending) {
  static const std::vector<std::string> kNames{"nothing",    "x",    "y",      "z",     "velocity x", "velocity y",
                                               "velocity z", "mass", "radius", "group", "charge",     "name"};
  static_assert(kColumnKinds.size() == 12);
  strong_text("Columns of the file");
  coloured_text(theme().text2, phrase("{} has columns of other names. What are they?", columns.path));
  for (std::size_t c = 0; c < columns.header.size(); ++c) {
    ImGui::PushID(static_cast<int>(c));
    choose(columns.header[c].c_str(), columns.is[c], kNames);
    ImGui::PopID();
  }
  const auto has = [&](u32 kind) { return std::count(columns.is.begin(), columns.is.end(), kind) == 1; };
  if (button("Open with these columns", "Bodies need x, y and z, each once; a name stands beside its body",
             {has(1) && has(2) && has(3), "One of them is missing, or is there twice."})) {
    pending.open = columns.spec();
  }
  ImGui::SameLine();
  if (button("Leave it", "Opens nothing")) columns = {};
  ImGui::Separator();
}

bool has_own_field(const SceneKey& k) { return k.key == "n" || k.key == "seed"; }

/// Rows that the parameters take, with their head.
float rows_of_keys(FileState& files, const std::string& spec) {
  if (std::exchange(files.keys_of, spec) != spec) files.keys = keys_with_values(spec);
  const auto rows =
      std::count_if(files.keys.begin(), files.keys.end(), [](const auto& k) { return !has_own_field(k); });
  return rows == 0 ? 0 : 1 + (files.shows_keys ? static_cast<float>(rows) : 0);
}

/// Every other key of the scene, which opens again with what is typed.
void parameters_of_scene(const std::string& spec, FileState& files, Requests& requests) {
  files.shows_keys = ImGui::CollapsingHeader("Parameters");
  tip("Every key of the scene. It opens with what you type; an empty field has the default.");
  if (!files.shows_keys) return;
  constexpr u32 kRoom = 18;  // of "orbit.eccentricity"
  for (const SceneKey& k : files.keys) {
    std::string value = k.given;
    if (has_own_field(k) || !text_or_usual(k.key.c_str(), value, k.usual, kRoom)) continue;
    requests.push_back(ask::Open{value.empty() ? without_key(spec, k.key) : with_key(spec, k.key, value)});
  }
}

}  // namespace

void scene(const SessionModel& model, GuiState& state, Requests& requests) {
  FileState& files = state.files;
  if (!files.columns.path.empty()) choose_columns(files.columns, state.pending);
  const float rows = rows_of_keys(files, model.spec), line = ImGui::GetFrameHeightWithSpacing();
  const float all = ImGui::GetContentRegionAvail().y - 5 * line;
  const float room = all - std::min(rows * line, std::max(line, 0.5f * all));  // the panel scrolls
  if (room > 100 * state.panels.scale) {
    const std::string chosen = gallery(model.spec, files.recent, state.gallery, room, state.panels.scale);
    if (!chosen.empty()) state.pending.open = chosen;
  }
  ImGui::SetNextItemWidth(field_width(13));
  const bool enter = ImGui::InputText("scene text", &files.scene_text, ImGuiInputTextFlags_EnterReturnsTrue);
  tip("NAME:key=value,key=value, or the path of a file. Enter opens it.");
  if (enter && !files.scene_text.empty()) state.pending.open = files.scene_text;

  const bool has_n = scene_takes(model.spec, "n"), has_seed = scene_takes(model.spec, "seed");
  const u64 own = scene_count(model.spec, "n").value_or(model.n);
  u64 n = own, seed = model.scene.seed;
  std::optional<Disabled> disabled(!has_n);
  if (whole(own == model.n ? "n###n" : "n of each###n", n,
            !has_n ? "The number of bodies of this scene is fixed."
            : own == model.n
                ? "Number of bodies. The scene opens with that many."
                : "Number of bodies at the start, of each of its parts. The scene opens with that many.")) {
    requests.push_back(ask::Open{with_key(model.spec, "n", fmt::format("{}", n))});
  }
  disabled.emplace(!has_seed);
  if (whole("seed", seed,
            has_seed ? "Seed of the random numbers. The scene opens with it." : "Nothing in this scene is random.")) {
    requests.push_back(ask::Open{with_key(model.spec, "seed", fmt::format("{}", seed))});
  }
  disabled.reset();
  if (rows > 0) parameters_of_scene(model.spec, files, requests);

  choose_demo(state.overlay.demo, state.pending);
  if (button("Open...", "A file of bodies, a scene, or a screenshot, which opens as its scene (Ctrl+O)")) {
    files.browser.show(FileBrowser::Purpose::open, files.browser.folder());
  }
  ImGui::SameLine();
  if (button("Save as...", "Saves the present bodies (Ctrl+S)")) {
    files.browser.show(FileBrowser::Purpose::save, files.save_path);
  }
}

// The file browser.

namespace {

/// The entries of the folder; returns the folder clicked or the file double-clicked, if any.
std::string folder_rows(FileBrowser& files, float height) {
  std::string chosen;
  ImGui::BeginChild("rows", {0, height}, true);
  for (const FileRow& row : files.rows()) {
    const std::string label = row.folder ? row.name + "/" : row.name;
    const bool pressed =
        ImGui::Selectable(label.c_str(), row.name == files.typed, ImGuiSelectableFlags_AllowDoubleClick);
    if (!row.folder) {
      const std::string size = bytes_text(row.bytes);
      ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(size.c_str()).x);
      ImGui::TextDisabled("%s", size.c_str());
    }
    if (!pressed) continue;
    if (row.folder || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      chosen = row.name;
    } else {
      files.typed = row.name;
    }
  }
  if (files.rows().empty())
    ImGui::TextDisabled("%s", files.purpose() == FileBrowser::Purpose::open ? "nothing to open here" : "nothing here");
  ImGui::EndChild();
  return chosen;
}

std::string recent_rows(const RecentFiles& recent) {
  std::string chosen;
  if (recent.paths().empty()) return chosen;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (!ImGui::BeginCombo("##recent", "recent files")) return chosen;
  for (const std::string& path : recent.paths()) {
    if (ImGui::Selectable(path.c_str())) chosen = path;
  }
  ImGui::EndCombo();
  return chosen;
}

void folder_line(FileBrowser& files) {
  if (button("Up", "Parent folder")) files.up();
  ImGui::SameLine();
  bool all = files.all_kinds();
  if (checkbox("all files", all, "Also files with unknown extensions")) files.set_all_kinds(all);
  ImGui::SameLine();
  ImGui::TextDisabled("%s", files.folder().c_str());
}

}  // namespace

std::optional<std::string> files(FileBrowser& files, const RecentFiles& recent, float scale) {
  if (!files.shown()) return std::nullopt;
  const bool opens = files.purpose() == FileBrowser::Purpose::open;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float room = screen.y - 124 * scale;  // above the run bar
  const ImVec2 size{std::min(560 * scale, screen.x * 0.96f), std::min(460 * scale, room - 8 * scale)};
  ImGui::SetNextWindowPos({(screen.x - size.x) / 2, std::min((screen.y - size.y) / 2, room - size.y)});
  ImGui::SetNextWindowSize(size);
  bool open = true;
  constexpr const char* kHeads[][3] = {{"Open###files", "Open a law###files", "Open a map###files"},
                                       {"Save as###files", "Save a law###files", "Save a map###files"}};
  ImGui::Begin(kHeads[opens ? 0 : 1][static_cast<int>(files.kind())], &open,
               ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoSavedSettings);
  folder_line(files);
  std::string text = recent_rows(recent);
  const float below = 3 * ImGui::GetFrameHeightWithSpacing();
  const std::string row = folder_rows(files, ImGui::GetContentRegionAvail().y - below);
  if (!row.empty()) text = row;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  // Once: the request takes the activation of the next frame, which is then no other item's.
  if (std::exchange(files.takes_keys, false)) ImGui::SetKeyboardFocusHere(), expect_field(2);
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  if (ImGui::InputTextWithHint("##path", "name or path", &files.typed, kFlags)) {
    text = files.typed;
    files.takes_keys = true;  // where the dialog stays: a folder was entered, or a file is there already
  }
  if (ImGui::Button(opens ? "Open" : "Save")) text = files.typed;
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) open = false;
  ImGui::SameLine();
  coloured_text(theme().fault, files.fault());
  ImGui::End();
  std::optional<std::string> chosen = files.choose(text);
  if (!open) files.hide();
  return chosen;
}

// View: shape, colours, size, light, trails, camera; the window itself.

namespace {

/// The quantities to colour by; those that the scene lacks are disabled, with the reason.
void choose_quantity(const SessionModel& model, render::Quantity& quantity) {
  ImGui::SetNextItemWidth(field_width(13));
  if (!ImGui::BeginCombo("colour by", to_string(quantity).c_str())) return;
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto q = static_cast<render::Quantity>(k);
    const Availability can = can_colour(q, model);
    const Disabled disabled(!can.ok);
    if (ImGui::Selectable(to_string(q).c_str(), q == quantity) && can.ok) quantity = q;
    tip(can.reason);
  }
  ImGui::EndCombo();
}

void slider(const char* label, float& value, float low, float high) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::SliderFloat(label, &value, low, high, "%.3g", ImGuiSliderFlags_Logarithmic);
}

/// 0 = what the display asks for.
void choose_scale(std::optional<double>& chosen) {
  constexpr std::array kScales{0.0, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0};
  const auto name = [](double scale) { return scale > 0 ? fmt::format("{} %", 100 * scale) : std::string("display"); };
  std::vector<std::string> names;
  for (const double scale : kScales) names.push_back(name(scale));
  const double now = chosen.value_or(0);
  auto at = static_cast<u32>(std::find(kScales.begin(), kScales.end(), now) - kScales.begin());
  if (choose("UI scale", at, names, 0, name(now))) chosen = at > 0 ? std::optional(kScales[at]) : std::nullopt;
}

void picture_part(PictureState& picture, render::BodyStyle& style, float scale) {
  ImGui::AlignTextToFramePadding();
  strong_text("Picture");
  constexpr const char* kTake = "Take picture";
  const float wide = ImGui::CalcTextSize(kTake).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SameLine(ImGui::GetContentRegionMax().x - wide);
  if (button(kTake, kAboutPicture, {!picture.busy, "The last one is being written."})) picture.start = true;
  if (picture.share) {
    progress_bar(*picture.share, theme().text2, scale);
    ImGui::AlignTextToFramePadding();
    coloured_text(theme().text2, phrase("{:.0f} % is drawn", 100 * *picture.share));
    ImGui::SameLine();
    if (button("Cancel###cancel picture", "Nothing is written (Esc)")) picture.cancel = true;
  }
  PictureForm& form = picture.form;
  choose_picture_size(form.width, form.height, false);
  u32 ground = static_cast<u32>(form.ground);
  if (choose("ground", ground, {"dark", "white", "transparent"}, 0, "")) form.ground = static_cast<Ground>(ground);
  const bool pale = style.shape == render::BodyShape::glow || style.colours == render::ColourMap::black_body;
  if (form.ground == Ground::white && pale) {
    coloured_text(theme().text2, "On white, light is pale, and so are the colours of stars.");
    if (button("As spheres", "In the scene, too; the colours of stars become viridis")) {
      style.shape = render::BodyShape::spheres;
      if (style.colours == render::ColourMap::black_body) style.colours = render::ColourMap::viridis;
    }
  }
  u64 dpi = form.dpi;
  if (whole("dots an inch", dpi, "That the file announces; letters are then 10.5 points on paper. 0: none")) {
    form.dpi = static_cast<u32>(std::min<u64>(dpi, PictureForm::kMaxDpi));
  }
  const double cm = form.dpi > 0 ? 2.54 / form.dpi : 0;
  coloured_text(theme().text2, cm > 0 ? phrase("{:.1f} \u00d7 {:.1f} cm on paper", cm * form.width, cm * form.height)
                                      : std::string("The file says no size on paper."));
  mark_boxes(form.marks);
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::InputText("file##picture", &picture.path);
  tip("A name, which ends in .png; empty: one by the clock, in the folder in which the program was started");
  if (picture.command.empty()) return;
  coloured_text(theme().text2, "The command that makes the last one again:");
  command_text(theme().text, picture.command);
  if (button("Copy the command", "To the clipboard; it is in the picture, too")) {
    ImGui::SetClipboardText(picture.command.c_str());
  }
  ImGui::Dummy({0, 4 * scale});
}

void bookmarks(SceneView& view) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("views");
  for (std::size_t k = 0; k < SceneView::kBookmarks; ++k) {
    ImGui::SameLine();
    const std::string number = std::to_string(k + 1), id = fmt::format("{0}###view{0}", number);
    const bool empty = !view.bookmarks[k];
    if (empty) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
    const bool pressed = ImGui::Button(id.c_str());
    if (empty) ImGui::PopStyleVar();
    const bool other = ImGui::IsItemClicked(ImGuiMouseButton_Right);
    if (other || (pressed && empty)) {
      view.save_bookmark(k);
    } else if (pressed) {
      view.restore_bookmark(k);
    }
    tip(empty ? phrase("Empty: click to save the present view (Ctrl+{})", number)
              : phrase("Restores this view (Shift+{}). Right-click to replace it with the present one.", number));
  }
}

void count(const char* label, u32& value, u32 low, u32 high) {
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::SliderScalar(label, ImGuiDataType_U32, &value, &low, &high, "%u",
                      ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
}

}  // namespace

void view(const SessionModel& model, GuiState& state) {
  SceneView& view = state.view;
  PendingActions& pending = state.pending;
  choose_enum("shape", view.style.shape);
  choose_quantity(model, view.style.quantity);
  const auto stars = star_colours_of(view.style);
  auto now = static_cast<u32>(stars.value_or(StarColours::mass));
  if (!stars) now = kStarColoursCount;
  if (choose("star colours", now, choices<StarColours>(), 0, stars ? to_string(*stars) : "other")) {
    set_star_colours(view.style, static_cast<StarColours>(now));
  }
  tip("By mass or by temperature (speed), in the colours of black bodies, or all alike");
  choose_enum("colour map", view.style.colours);
  for (const char* name : {"size", "light"}) slider(name, factor_of(property(name), state), 0.05f, 20);
  const auto flags = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const Property& p = property(name);
      if (name != *names.begin()) ImGui::SameLine();
      checkbox(p.label, flag_of(p, state), p.about);
    }
  };
  flags({"logarithm", "box", "axes"});
  view.labels.empty() ? flags({"grid", "clock"}) : flags({"grid", "clock", "names"});
  flags({"trails"});
  if (view.trails.shown) {
    count("trails of", view.trails.bodies, 0, render::Trails::kMaxBodies);
    tip("Number of bodies with trails, evenly spread over the indices; the selected one always has one");
    count("trail length", view.trails.length, 2, render::Trails::kMaxLength);
    tip("In frames that took steps");
  }
  if (button("Fit", "Shows all bodies (F)")) pending.fit = true;
  ImGui::SameLine();
  if (button(state.frames.recording ? "Stop###record" : "Record###record", kAboutRecord)) pending.record = true;
  ImGui::SameLine();
  bool fly = view.camera.mode == render::CameraMode::fly;
  if (checkbox("fly", fly, "Fly through the scene with W A S D Q E (G)")) {
    view.camera.mode = fly ? render::CameraMode::fly : render::CameraMode::orbit;
  }
  bookmarks(view);
  picture_part(state.picture, view.style, state.panels.scale);
}

void window(PanelState& panels, bool& bottom_pane) {
  checkbox("bottom pane", bottom_pane, "Where the blocks of the map go, distances and automata (O)");
  ImGui::SameLine();
  bool light = !panels.dark;
  if (checkbox("light theme", light)) panels.dark = !light;
  checkbox("high contrast", panels.contrast, "Text of 7 : 1 or more, and lines of 3 : 1");
  const Property& calm = property("reduced-motion");
  checkbox(calm.label, panels.calm, calm.about);
  ImGui::SameLine();
  checkbox("full screen", panels.full_screen, "The window fills the screen, panels included (Shift+F11)");
  choose_scale(panels.chosen_scale);
  std::vector<std::string> names;
  for (const Language l : {Language::english, Language::german, Language::chinese}) names.push_back(name_in_itself(l));
  if (letter_of(face(Face::body), 0x4e2d) == nullptr) names.back() = "Chinese";  // its own name has no letters here
  auto language = static_cast<u32>(panels.language);
  if (choose("language", language, names)) panels.language = static_cast<Language>(language);
  tip("Of the window; the command line and files stay English");
  checkbox(
      "V-sync", panels.vsync,
      "One frame for each that the display shows. Off: as many frames and steps as possible; the display shows the "
      "newest");
}

}  // namespace tri::app::gui
