#include "render/gl/check.hpp"

#include <fmt/format.h>

#include "render/gl/gl.hpp"

namespace tri::gl {
namespace {

constexpr std::size_t kMaxTexts = 16;

void GLAPIENTRY on_message(GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar* text, const void* user) {
  // Performance and memory hints are not for users.
  if (type == GL_DEBUG_TYPE_ERROR) static_cast<Messages*>(const_cast<void*>(user))->add(text);
}

const char* text_of(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "invalid enum";
    case GL_INVALID_VALUE:
      return "invalid value";
    case GL_INVALID_OPERATION:
      return "invalid operation";
    case GL_OUT_OF_MEMORY:
      return "out of memory";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "invalid framebuffer operation";
    default:
      return "unknown error";
  }
}

}  // namespace

void load_functions(LoadFunction load) {
  const int version = gladLoadGL(load);
  const int major = GLAD_VERSION_MAJOR(version), minor = GLAD_VERSION_MINOR(version);
  if (major > 4 || (major == 4 && minor >= 5)) return;
  throw GlError(
      fmt::format("this context has OpenGL {}.{}, but rendering needs 4.5. Use a newer driver, or software OpenGL "
                  "(LIBGL_ALWAYS_SOFTWARE=1 with Mesa).",
                  major, minor));
}

std::string renderer_name() {
  const auto text = [](GLenum name) {
    const GLubyte* bytes = glGetString(name);
    return std::string(bytes == nullptr ? "?" : reinterpret_cast<const char*>(bytes));
  };
  return fmt::format("{}, OpenGL {}", text(GL_RENDERER), text(GL_VERSION));
}

std::string driver_kind() {
  const std::string name = renderer_name();
  for (const char* processor : {"llvmpipe", "softpipe", "SWR", "Software Rasterizer"}) {
    if (name.find(processor) != std::string::npos) return processor;
  }
  return "GPU";
}

bool is_software() { return driver_kind() != "GPU"; }

Messages::Messages() {
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);  // messages arrive on this thread, before the call returns
  glDebugMessageCallback(on_message, this);
}

Messages::~Messages() { glDebugMessageCallback(nullptr, nullptr); }

void Messages::add(const std::string& text) {
  ++errors_;
  if (texts_.size() < kMaxTexts) texts_.push_back(text.substr(0, text.find('\n')));
}

void Messages::check(const char* where) {
  for (GLenum error = glGetError(); error != GL_NO_ERROR; error = glGetError()) {
    add(fmt::format("{}: {}", where, text_of(error)));
    if (error == GL_OUT_OF_MEMORY) throw MemoryError("the GPU is out of memory. Use fewer bodies.");
  }
}

}  // namespace tri::gl
