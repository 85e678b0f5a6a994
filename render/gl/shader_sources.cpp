#include "render/gl/shader_sources.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "blur_down_comp.hpp"
#include "blur_up_comp.hpp"
#include "bodies_glsl.hpp"
#include "clear_comp.hpp"
#include "depth_frag.hpp"
#include "expose_comp.hpp"
#include "exposure_glsl.hpp"
#include "frame_glsl.hpp"
#include "full_vert.hpp"
#include "gather_comp.hpp"
#include "glow_comp.hpp"
#include "glow_frag.hpp"
#include "line_frag.hpp"
#include "line_vert.hpp"
#include "look_glsl.hpp"
#include "nearest_comp.hpp"
#include "normal_glsl.hpp"
#include "occlusion_comp.hpp"
#include "pixels_glsl.hpp"
#include "place_comp.hpp"
#include "point_frag.hpp"
#include "point_vert.hpp"
#include "ray_glsl.hpp"
#include "shade_comp.hpp"
#include "sim/base/error.hpp"
#include "sphere_frag.hpp"
#include "splat_glsl.hpp"
#include "sprites_glsl.hpp"
#include "square_vert.hpp"
#include "srgb_glsl.hpp"
#include "stats_comp.hpp"
#include "tone_comp.hpp"
#include "tone_glow_comp.hpp"
#include "trail_comp.hpp"
#include "trail_glsl.hpp"
#include "trail_vert.hpp"

namespace tri::render {
namespace {

struct Row {
  std::string_view name;
  const std::string_view& text;  // a reference: the constant may be initialised after this table
};

const std::array kRows{Row{"point.vert", embedded::point_vert},
                       Row{"square.vert", embedded::square_vert},
                       Row{"sphere.frag", embedded::sphere_frag},
                       Row{"glow.frag", embedded::glow_frag},
                       Row{"point.frag", embedded::point_frag},
                       Row{"full.vert", embedded::full_vert},
                       Row{"depth.frag", embedded::depth_frag},
                       Row{"tone.comp", embedded::tone_comp},
                       Row{"clear.comp", embedded::clear_comp},
                       Row{"nearest.comp", embedded::nearest_comp},
                       Row{"shade.comp", embedded::shade_comp},
                       Row{"glow.comp", embedded::glow_comp},
                       Row{"line.vert", embedded::line_vert},
                       Row{"line.frag", embedded::line_frag},
                       Row{"stats.comp", embedded::stats_comp},
                       Row{"place.comp", embedded::place_comp},
                       Row{"trail.comp", embedded::trail_comp},
                       Row{"trail.vert", embedded::trail_vert},
                       Row{"blur_down.comp", embedded::blur_down_comp},
                       Row{"blur_up.comp", embedded::blur_up_comp},
                       Row{"expose.comp", embedded::expose_comp},
                       Row{"gather.comp", embedded::gather_comp},
                       Row{"occlusion.comp", embedded::occlusion_comp},
                       Row{"tone_glow.comp", embedded::tone_glow_comp},
                       Row{"include/exposure.glsl", embedded::exposure_glsl},
                       Row{"include/normal.glsl", embedded::normal_glsl},
                       Row{"include/srgb.glsl", embedded::srgb_glsl},
                       Row{"include/trail.glsl", embedded::trail_glsl},
                       Row{"include/frame.glsl", embedded::frame_glsl},
                       Row{"include/bodies.glsl", embedded::bodies_glsl},
                       Row{"include/sprites.glsl", embedded::sprites_glsl},
                       Row{"include/look.glsl", embedded::look_glsl},
                       Row{"include/splat.glsl", embedded::splat_glsl},
                       Row{"include/pixels.glsl", embedded::pixels_glsl},
                       Row{"include/ray.glsl", embedded::ray_glsl}};

}  // namespace

ShaderSources::ShaderSources(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  if (!folder_.empty() && !std::filesystem::is_directory(folder_, ignored)) {
    throw FileError(fmt::format("--shader-dir {}: there is no such folder.", folder_));
  }
}

std::string ShaderSources::raw(std::string_view name) const {
  if (!folder_.empty()) {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) {
      if (!std::filesystem::is_regular_file(path, ignored)) {
        throw FileError(fmt::format("{}: the shader is no file.", path.string()));
      }
      std::ifstream in(path, std::ios::binary);
      std::ostringstream text;
      text << in.rdbuf();
      if (!in) throw FileError(fmt::format("{}: the shader cannot be read.", path.string()));
      return text.str();
    }
  }
  for (const Row& row : kRows) {
    if (row.name == name) return std::string(row.text);
  }
  throw FileError(fmt::format("there is no shader '{}'.", name));
}

std::string ShaderSources::text(std::string_view name) const {
  std::istringstream lines(raw(name));
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kInclude = "#include \"";
    if (line.starts_with(kInclude)) {
      const std::size_t end = line.find('"', kInclude.size());
      out += raw(std::string_view(line).substr(kInclude.size(), end - kInclude.size()));
    } else {
      out += line + "\n";
    }
  }
  return out;
}

std::vector<std::string_view> shader_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) {
    if (!row.name.starts_with("include/")) names.push_back(row.name);
  }
  return names;
}

}  // namespace tri::render
