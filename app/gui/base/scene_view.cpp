#include "app/gui/base/scene_view.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <toml++/toml.h>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>

#include "app/support/language.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"

namespace tri::app::gui {
namespace {

// Pixels at scale 1.
constexpr float kRail = 48, kStrip = 28, kStatus = 24, kLanes = 196;
constexpr float kNarrow = 900, kSlim = 1100, kTall = 1000, kWide = 2200;
constexpr float kMinScene = 160;
constexpr float kMinHeight = 200;  // of a window with a rail and a strip

/// Of the right column, in a window of width x height.
float column_width(float width, float height) {
  if (width < kSlim) return 300;
  if (height < kTall) return 408;
  return width > kWide ? 560 : 496;
}

}  // namespace

Layout layout(float width, float height, float scale, const LayoutChoice& choice) {
  Layout l;
  const float w = width / scale, h = height / scale;
  l.narrow = w < kNarrow;
  l.compact = h < kTall || w < kSlim;
  l.row = scale * (h < 640 ? 20.0f : h < kTall ? 26.0f : 32.0f);
  l.scene = {0, 0, width, height};
  if (choice.panels) {
    const bool tiny = h < kMinHeight || w < kRail * 4;
    const float status = std::min(kStatus * scale, height), strip = tiny ? 0 : kStrip * scale;
    l.status = {0, height - status, width, status};
    l.strip = {0, height - status - strip, width, strip};
    const float tall = height - status - strip;
    const float chosen = std::clamp(choice.column_width, kMinColumn, kMaxColumn);
    const float column = std::min((choice.column_width > 0 ? chosen : column_width(w, h)) * scale, width * 0.6f);
    const bool beside = !l.narrow && !tiny;
    l.rail = {0, 0, tiny ? 0 : kRail * scale, tall};
    if (beside || choice.column) l.right = {width - column, 0, column, tall};
    const float left = std::clamp(choice.left_width, kMinLeft, kMaxLeft) * scale;
    if (choice.left) l.left = {l.rail.w, 0, std::min(left, width - l.rail.w), tall};
    l.scene = {l.rail.w, 0, std::max(0.0f, width - l.rail.w - (beside ? column : 0)), tall};
    // A panel that leaves next to no scene beside it stands over it.
    if (choice.pinned && l.scene.w - l.left.w >= kMinScene * scale) {
      l.scene.x += l.left.w, l.scene.w -= l.left.w;
    }
  }
  if (choice.panels && choice.lanes) {
    const float part = std::floor(std::min(kLanes * scale, l.scene.h / 2));
    l.lanes = {l.scene.x, l.scene.h - part, l.scene.w, part};
    l.scene.h -= part;
    if (l.left.x + l.left.w > l.scene.x) l.left.h -= part;
  }
  l.free = l.scene;
  l.free.x = l.rail.w + l.left.w;
  l.free.w = std::max(0.0f, (l.right.w > 0 ? l.right.x : width) - l.free.x);
  if (choice.pane) {
    const float part = choice.whole ? l.scene.h : std::floor(l.scene.h / 2);
    l.pane = {l.scene.x, l.scene.h - part, l.scene.w, part};
    l.scene.h -= part;
    l.free.h = l.scene.h;
  }
  return l;
}

Rect fitted(float width, float height, float room_width, float room_height) {
  const float scale = std::min(room_width / width, room_height / height), w = width * scale, h = height * scale;
  return {(room_width - w) / 2, (room_height - h) / 2, w, h};
}

namespace {

/// Numbers of a pose as they are interpolated: target, logarithm of the distance, yaw, pitch.
using Channels = std::array<double, 6>;
constexpr std::size_t kDistance = 3, kYaw = 4, kPitch = 5;

Channels channels_of(const render::CameraPose& pose, double near_yaw) {
  Channels c{};
  for (int a = 0; a < 3; ++a) c[static_cast<std::size_t>(a)] = static_cast<double>(pose.target[a]);
  c[kDistance] = std::log(static_cast<double>(pose.distance));
  c[kYaw] = near_yaw + std::remainder(static_cast<double>(pose.yaw) - near_yaw, 2 * std::numbers::pi);
  c[kPitch] = static_cast<double>(pose.pitch);
  return c;
}

render::CameraPose pose_of(const Channels& c) {
  render::CameraPose pose;
  for (int a = 0; a < 3; ++a) pose.target[a] = static_cast<float>(c[static_cast<std::size_t>(a)]);
  pose.distance = static_cast<float>(std::exp(c[kDistance]));
  pose.yaw = static_cast<float>(std::remainder(c[kYaw], 2 * std::numbers::pi));
  pose.pitch = static_cast<float>(c[kPitch]);
  return pose;
}

/// Slope at a bookmark between two others, from the slopes of the lines to them and the times these take.
double slope_at(double before, double after, double time_before, double time_after, bool limited) {
  const double slope = (time_after * before + time_before * after) / (time_before + time_after);
  if (!limited) return slope;
  if (before * after <= 0) return 0;
  const double most = 3 * std::min(std::abs(before), std::abs(after));
  return std::clamp(slope, -most, most);
}

}  // namespace

std::size_t CameraPath::add(double time, const render::CameraPose& pose) {
  TRI_EXPECTS(std::isfinite(time));
  const auto at =
      std::lower_bound(marks_.begin(), marks_.end(), time, [](const Mark& m, double t) { return m.time < t; });
  const auto number = static_cast<std::size_t>(at - marks_.begin());
  if (at != marks_.end() && at->time == time) {
    at->pose = pose;
  } else {
    TRI_EXPECTS(marks_.size() < kMax);
    marks_.insert(at, {time, pose});
  }
  return number;
}

std::size_t CameraPath::move(std::size_t mark, double time) {
  const render::CameraPose pose = marks_[mark].pose;
  remove(mark);
  return add(time, pose);
}

render::CameraPose CameraPath::at(double time) const {
  TRI_EXPECTS(!marks_.empty());
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), time, [](double t, const Mark& m) { return t < m.time; });
  if (after == marks_.begin()) return marks_.front().pose;
  const auto k = static_cast<std::size_t>(after - marks_.begin()) - 1;
  if (after == marks_.end() || marks_[k].time == time) return marks_[k].pose;

  const Mark &from = marks_[k], &to = marks_[k + 1];
  const double length = to.time - from.time, t = (time - from.time) / length;
  const Channels begin = channels_of(from.pose, static_cast<double>(from.pose.yaw));
  const Channels end = channels_of(to.pose, begin[kYaw]);
  const Channels earlier = k > 0 ? channels_of(marks_[k - 1].pose, begin[kYaw]) : begin;
  const Channels later = k + 2 < marks_.size() ? channels_of(marks_[k + 2].pose, end[kYaw]) : end;
  Channels now{};
  for (std::size_t c = 0; c < now.size(); ++c) {
    const double line = (end[c] - begin[c]) / length;
    double leaves = 0, arrives = 0;
    if (k > 0) {
      const double before = from.time - marks_[k - 1].time;
      leaves = slope_at((begin[c] - earlier[c]) / before, line, before, length, c == kPitch);
    }
    if (k + 2 < marks_.size()) {
      const double behind = marks_[k + 2].time - to.time;
      arrives = slope_at(line, (later[c] - end[c]) / behind, length, behind, c == kPitch);
    }
    // Hermite's cubic.
    const double u = 1 - t;
    now[c] =
        begin[c] * u * u * (1 + 2 * t) + end[c] * t * t * (3 - 2 * t) + length * t * u * (leaves * u - arrives * t);
  }
  return pose_of(now);
}

namespace {

constexpr std::size_t kMaxPathBytes = 1u << 20;
constexpr double kDegree = std::numbers::pi / 180;
constexpr std::array<const char*, 5> kMarkKeys{"time", "target", "distance", "yaw", "pitch"};

class PathReader {
 public:
  explicit PathReader(const std::string& path) : path_(path) {}

  CameraPath read(const toml::table& root) const {
    for (const auto& [key, node] : root) {
      if (key.str() != "bookmark") fail(node, unknown_name("key", key.str(), std::array{"bookmark"}));
    }
    const toml::node* list = root.get("bookmark");
    if (list == nullptr) throw FileError(phrase("{}: it has no bookmark; write [[bookmark]] for each.", path_));
    const toml::array* tables = list->as_array();
    if (tables == nullptr || tables->empty()) fail(*list, "write [[bookmark]] for each bookmark.");
    if (tables->size() > CameraPath::kMax) {
      fail(*list, phrase("{} bookmarks, but {} at most.", tables->size(), CameraPath::kMax));
    }
    CameraPath camera;
    for (const toml::node& node : *tables) add(camera, node);
    return camera;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw FileError(fmt::format("{}:{}: {}", path_, at.source().begin.line, what));
  }

  void add(CameraPath& camera, const toml::node& node) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) fail(node, "write [[bookmark]] for each bookmark.");
    for (const auto& [key, value] : *table) {
      bool known = false;
      for (const char* k : kMarkKeys) known = known || key.str() == k;
      if (!known) fail(value, unknown_name("key of a bookmark", key.str(), kMarkKeys));
    }
    const double time = number(*table, "time", -std::numeric_limits<double>::max());
    render::CameraPose pose;
    pose.distance = static_cast<float>(number(*table, "distance", 1e-6, 1e12));
    pose.yaw = static_cast<float>(std::remainder(number(*table, "yaw", -1e6, 1e6), 360.0) * kDegree);
    pose.pitch = static_cast<float>(number(*table, "pitch", -89, 89) * kDegree);
    const toml::node& target = required(*table, "target");
    const toml::array* places = target.as_array();
    if (places == nullptr || places->size() != 3) fail(target, "target must be three numbers, [x, y, z].");
    for (std::size_t a = 0; a < 3; ++a) {
      pose.target[static_cast<int>(a)] = static_cast<float>(number_of((*places)[a], "target", -1e30, 1e30));
    }
    const std::size_t before = camera.marks().size();
    camera.add(time, pose);
    if (camera.marks().size() == before) fail(node, phrase("time {} has a bookmark already.", time));
  }

  const toml::node& required(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) fail(table, phrase("the bookmark has no {0}; add {0} = ...", key));
    return *node;
  }

  double number(const toml::table& table, const char* key, double low,
                double high = std::numeric_limits<double>::max()) const {
    return number_of(required(table, key), key, low, high);
  }

  double number_of(const toml::node& node, const char* key, double low, double high) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value)) fail(node, phrase("{} must be a number.", key));
    if (*value < low || *value > high)
      fail(node, phrase("{} is {}, but must lie in {} to {}.", key, *value, low, high));
    return *value;
  }

  const std::string& path_;
};

}  // namespace

std::string camera_path_text(const CameraPath& camera) {
  std::string text = "# A camera path of Triangulum. Times are simulated, lengths are the scene's, angles degrees.\n";
  for (const CameraPath::Mark& m : camera.marks()) {
    const render::CameraPose& p = m.pose;
    text += fmt::format("\n[[bookmark]]\ntime = {}\ntarget = [{}, {}, {}]\ndistance = {}\nyaw = {}\npitch = {}\n",
                        m.time, p.target.x, p.target.y, p.target.z, p.distance, static_cast<double>(p.yaw) / kDegree,
                        static_cast<double>(p.pitch) / kDegree);
  }
  return text;
}

CameraPath parse_camera_path(const std::string& text, const std::string& path) {
  if (const auto fault = io::toml_fault(text)) {
    throw FileError(phrase("{}:{}: it has {}.", path, fault->line, fault->what));
  }
  toml::table table;
  try {
    table = toml::parse(text, std::string_view(path));
  } catch (const toml::parse_error& error) {
    throw FileError(
        phrase("{}:{}: this is not TOML: {}.", path, error.source().begin.line, std::string(error.description())));
  }
  return PathReader(path).read(table);
}

CameraPath read_camera_path(const std::string& path) {
  const std::string text = io::read_text(path, kMaxPathBytes);
  if (text.size() > kMaxPathBytes) throw FileError(phrase("{}: the file is too long for a camera path.", path));
  return parse_camera_path(text, path);
}

void write_camera_path(const std::string& path, const CameraPath& camera) {
  io::OutputFile file(path, io::Accepts::files);
  file.write(camera_path_text(camera));
  file.commit();
}

FilmSteps film_steps(const FilmChoice& choice, double dt, double usual) {
  const double wanted = choice.speed > 0 ? choice.speed : usual;
  const double steps = wanted > 0 ? std::round(wanted / (static_cast<double>(choice.fps) * dt)) : 1;
  FilmSteps film;
  film.a_frame = static_cast<u64>(std::clamp(steps, 1.0, 1e15));
  film.speed = static_cast<double>(film.a_frame) * dt * static_cast<double>(choice.fps);
  return film;
}

bool TimeThumbs::wants(const SessionModel& model) {
  const TimelineModel& t = model.timeline;
  if (std::exchange(run, t.run) != t.run && t.branch) {  // another branch, with the steps up to there in common
    std::erase_if(all, [&](const TimeThumb& k) { return k.step > *t.branch; });
  }
  std::erase_if(all, [&](const TimeThumb& k) { return k.step > std::max(t.last, model.steps); });
  if (all.empty()) stride = 1;
  if (!all.empty() && model.steps < all.back().step + stride) return false;
  if (all.size() < kMax) return true;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < all.size(); k += 2) all[kept++] = all[k];
  all.resize(kept), stride *= 2;
  return model.steps >= all.back().step + stride;
}

const TimeThumb* TimeThumbs::of(u64 from, u64 to) const {
  const auto after = std::upper_bound(all.begin(), all.end(), to, [](u64 s, const TimeThumb& k) { return s < k.step; });
  return after != all.begin() && std::prev(after)->step >= from ? &*std::prev(after) : nullptr;
}

u64 film_frames(const FilmChoice& choice) {
  return static_cast<u64>(std::max(1.0, std::round(choice.seconds * static_cast<double>(choice.fps))));
}

namespace {

Place between(const Place& a, const Place& b) { return {b[0] - a[0], b[1] - a[1], b[2] - a[2]}; }
double length_of(const Place& a) { return std::hypot(a[0], a[1], a[2]); }

/// The same bodies where they are now.
void follow_indices(std::vector<u32>& bodies, const Population& before, const Population& now) {
  std::vector<u32> after;
  for (const u32 body : bodies) {
    if (body >= before.ids.size()) continue;
    const std::size_t at = index_of(now, before.ids[body]);
    if (at < now.ids.size()) after.push_back(static_cast<u32>(at));
  }
  bodies = std::move(after);
}

}  // namespace

double Measure::value() const {
  if (bodies.size() == 2) return length_of(between(places[0], places[1]));
  const Place a = between(places[1], places[0]), b = between(places[1], places[2]);
  const Place cross{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  return std::atan2(length_of(cross), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) * 180 / std::numbers::pi;
}

bool apply_pointer(TouchState& touch, const Pointer& pointer) {
  if (pointer.pressed && pointer.shift) {
    touch.box = Stroke{pointer.at, pointer.at};
  } else if (pointer.pressed && touch.tool == Tool::add) {
    touch.stroke = Stroke{pointer.at, pointer.at};
  }
  for (auto* stroke : {&touch.box, &touch.stroke}) {
    if (!*stroke || (*stroke)->done || (*stroke)->held) continue;
    (*stroke)->to = pointer.at;
    (*stroke)->done = !pointer.down;
    return true;
  }
  return false;
}

bool touch_pending(const TouchState& touch) {
  const auto done = [](const std::optional<Stroke>& s) { return s && s->done; };
  const auto fresh = [](const Measure& m) { return m.places.empty(); };
  return done(touch.box) || done(touch.stroke) || touch.deletes ||
         std::any_of(touch.measures.begin(), touch.measures.end(), fresh);
}

bool leave_touch(TouchState& touch) {
  if (touch.stroke || touch.box) {
    touch.stroke.reset(), touch.box.reset(), touch.draft.reset();
  } else if (!touch.picked.empty()) {
    touch.picked.clear();
  } else if (touch.tool != Tool::look) {
    touch.tool = Tool::look;
  } else if (!touch.measures.empty()) {
    touch.measures.pop_back();
  } else if (!touch.selection.bodies.empty()) {
    touch.selection.bodies.clear();
  } else {
    return false;
  }
  return true;
}

void measure_body(TouchState& touch, u32 body) {
  auto& picked = touch.picked;
  if (std::find(picked.begin(), picked.end(), body) != picked.end()) return;
  picked.push_back(body);
  if (picked.size() == 2) touch.measures.push_back({picked, {}});
  if (picked.size() < 3) return;
  if (!touch.measures.empty()) touch.measures.pop_back();
  touch.measures.push_back({picked, {}});
  picked.clear();
}

void follow_population(TouchState& touch, SceneView& view, const PopulationPtr& now) {
  const PopulationPtr before = std::exchange(touch.population, now);
  if (before == now || !before || !now) return;
  follow_indices(touch.selection.bodies, *before, *now);
  follow_indices(touch.picked, *before, *now);
  for (Measure& m : touch.measures) follow_indices(m.bodies, *before, *now);
  std::erase_if(touch.measures,
                [](const Measure& m) { return m.bodies.size() < std::max<std::size_t>(2, m.places.size()); });
  if (touch.draft && touch.draft->body) touch.stroke.reset(), touch.draft.reset();
  if (!view.selected) return;
  std::vector<u32> selected{*view.selected};
  follow_indices(selected, *before, *now);
  if (selected.empty()) {
    view.select(std::nullopt);
  } else {
    view.selected = selected.front();
  }
}

Place place_at(const render::Camera& camera, const Rect& scene, const Pixels& at, const Place& through) {
  const float slope = std::tan(camera.field_of_view / 2);
  const float x = (2 * at[0] / scene.w - 1) * slope * scene.w / scene.h, y = (1 - 2 * at[1] / scene.h) * slope;
  const glm::mat4 view = camera.view();
  const glm::vec3 right(view[0][0], view[1][0], view[2][0]), up(view[0][1], view[1][1], view[2][1]);
  const glm::vec3 eye = camera.eye(), ahead = camera.forward();
  const glm::vec3 point(static_cast<float>(through[0]), static_cast<float>(through[1]), static_cast<float>(through[2]));
  const glm::vec3 p = eye + glm::dot(point - eye, ahead) * (ahead + x * right + y * up);
  return {p.x, p.y, p.z};
}

std::optional<Place> place_on(const render::Camera& camera, const Rect& scene, const Pixels& at,
                              const OrbitPlane& plane) {
  constexpr double kFromEdge = 0.1;  // sine of the angle between view and plane, at least
  const glm::vec3 eye = camera.eye();
  const auto& target = camera.pose.target;
  const Place from{eye.x, eye.y, eye.z}, seen = place_at(camera, scene, at, {target.x, target.y, target.z});
  const Place way = between(from, seen), in = between(from, plane.centre);
  double toward = 0, height = 0;
  for (std::size_t a = 0; a < 3; ++a) toward += way[a] * plane.normal[a], height += in[a] * plane.normal[a];
  const double t = height / toward;
  if (!(std::abs(toward) > kFromEdge * length_of(way)) || !(t > 0)) return std::nullopt;
  return Place{from[0] + t * way[0], from[1] + t * way[1], from[2] + t * way[2]};
}

std::optional<Pixels> pixels_of(const render::Camera& camera, const Rect& scene, const Place& place) {
  const glm::vec4 world(static_cast<float>(place[0]), static_cast<float>(place[1]), static_cast<float>(place[2]), 1);
  const glm::vec4 p = camera.projection(scene.w / scene.h) * camera.view() * world;
  if (!(p.w > 0)) return std::nullopt;
  return Pixels{(p.x / p.w * 0.5f + 0.5f) * scene.w, (0.5f - p.y / p.w * 0.5f) * scene.h};
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double usual_speed(const Bodies& b, const ForceField& field, double extent) {
  double mass = 0;
  std::vector<double> speeds;
  for (std::size_t i = 0; i < b.size(); ++i) {
    mass += b.m[i];
    speeds.push_back(std::hypot(b.vx[i], b.vy[i], b.vz[i]));
  }
  const double orbit = field.pair == PairLaw::gravity ? std::sqrt(field.gravity.G * mass / (extent / 4)) : 0;
  if (std::isfinite(orbit) && orbit > 0) return orbit;
  const double usual = median_of(std::move(speeds));
  return usual > 0 ? usual : 1;
}

}  // namespace tri::app::gui
