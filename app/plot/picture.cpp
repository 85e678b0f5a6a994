#include "app/plot/picture.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "app/plot/picture_module.hpp"
#include "sim/base/module_file.hpp"

namespace tri::app {
namespace {

constexpr double kDotsAnInch = 300;

using Draw = decltype(&tri_draw_picture);

struct PictureModule {
  Draw draw = nullptr;
  std::string why_not;
};

const PictureModule& picture_module() {
  static const PictureModule loaded = [] {
    PictureModule module;
    void* handle = open_module("libtriangulum-picture.so", "install librsvg2-dev", false, module.why_not);
    if (handle != nullptr) module.draw = reinterpret_cast<Draw>(dlsym(handle, "tri_draw_picture"));
    return module;
  }();
  return loaded;
}

int append_piece(void* to, const unsigned char* data, std::size_t size) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
  return 1;
}

std::string drawn(const std::string& svg, const std::string& file, bool pdf) {
  const PictureModule& module = picture_module();
  if (module.draw == nullptr) {
    throw ConfigError(fmt::format("{}: figures as PNG and PDF are not available: {}. Or name a .svg or .html file.",
                                  file, module.why_not));
  }
  std::string picture;
  std::array<char, 256> problem{};
  const bool done = module.draw(svg.data(), svg.size(), pdf ? 1 : 0, kDotsAnInch, append_piece, &picture,
                                problem.data(), problem.size()) != 0;
  if (!done) throw ConfigError(fmt::format("{}: {}. Name a .svg file.", file, problem.data()));
  return picture;
}

}  // namespace

Availability pictures_available() {
  const PictureModule& module = picture_module();
  return {module.draw != nullptr, module.why_not};
}

std::string png_of(const std::string& svg, const std::string& file) { return drawn(svg, file, false); }
std::string pdf_of(const std::string& svg, const std::string& file) { return drawn(svg, file, true); }

}  // namespace tri::app
