#include "app/gui/camera/path_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/text_fault.hpp"

namespace tri::app::gui {
namespace {

constexpr std::size_t kMostBytes = 1u << 20;
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
    if (list == nullptr) throw FileError(fmt::format("{}: it has no bookmark; write [[bookmark]] for each.", path_));
    const toml::array* tables = list->as_array();
    if (tables == nullptr || tables->empty()) fail(*list, "write [[bookmark]] for each bookmark.");
    if (tables->size() > CameraPath::kMost) {
      fail(*list, fmt::format("{} bookmarks, but {} at most.", tables->size(), CameraPath::kMost));
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
    if (camera.marks().size() == before) fail(node, fmt::format("time {} has a bookmark already.", time));
  }

  const toml::node& required(const toml::table& table, const char* key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) fail(table, fmt::format("the bookmark has no {0}; add {0} = ...", key));
    return *node;
  }

  double number(const toml::table& table, const char* key, double low,
                double high = std::numeric_limits<double>::max()) const {
    return number_of(required(table, key), key, low, high);
  }

  double number_of(const toml::node& node, const char* key, double low, double high) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value)) fail(node, fmt::format("{} must be a number.", key));
    if (*value < low || *value > high)
      fail(node, fmt::format("{} is {}, but must lie in {} to {}.", key, *value, low, high));
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
    throw FileError(fmt::format("{}:{}: it has {}.", path, fault->line, fault->what));
  }
  toml::table table;
  try {
    table = toml::parse(text, std::string_view(path));
  } catch (const toml::parse_error& error) {
    throw FileError(
        fmt::format("{}:{}: this is not TOML: {}.", path, error.source().begin.line, std::string(error.description())));
  }
  return PathReader(path).read(table);
}

CameraPath read_camera_path(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text(kMostBytes + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  if (text.size() > kMostBytes) throw FileError(fmt::format("{}: the file is too long for a camera path.", path));
  return parse_camera_path(text, path);
}

void write_camera_path(const std::string& path, const CameraPath& camera) {
  io::OutputFile file(path, io::Accepts::files);
  file.write(camera_path_text(camera));
  file.commit();
}

}  // namespace tri::app::gui
