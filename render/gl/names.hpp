#pragma once
/// Owning names of GL objects (direct state access). Use them on the thread with the current context, and destroy them
/// before the context.

#include <utility>

#include "render/gl/gl.hpp"

namespace tri::gl {

/// `Kind` has drop(name). A name of 0 owns nothing.
template <class Kind>
class Name {
 public:
  Name() = default;
  explicit Name(GLuint name) : name_(name) {}
  Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Name& operator=(Name&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~Name() {
    if (name_ != 0) Kind::drop(name_);
  }
  GLuint get() const noexcept { return name_; }
  explicit operator bool() const noexcept { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

struct BufferKind {
  static void drop(GLuint name) { glDeleteBuffers(1, &name); }
};
struct TextureKind {
  static void drop(GLuint name) { glDeleteTextures(1, &name); }
};
struct VertexArrayKind {
  static void drop(GLuint name) { glDeleteVertexArrays(1, &name); }
};
struct FramebufferKind {
  static void drop(GLuint name) { glDeleteFramebuffers(1, &name); }
};
struct QueryKind {
  static void drop(GLuint name) { glDeleteQueries(1, &name); }
};
struct ProgramKind {
  static void drop(GLuint name) { glDeleteProgram(name); }
};
struct ShaderKind {
  static void drop(GLuint name) { glDeleteShader(name); }
};

using Buffer = Name<BufferKind>;
using Texture = Name<TextureKind>;
using VertexArray = Name<VertexArrayKind>;
using Framebuffer = Name<FramebufferKind>;
using Query = Name<QueryKind>;
using Program = Name<ProgramKind>;
using Shader = Name<ShaderKind>;

inline Buffer make_buffer() {
  GLuint name = 0;
  glCreateBuffers(1, &name);
  return Buffer(name);
}
inline Texture make_texture(GLenum target) {
  GLuint name = 0;
  glCreateTextures(target, 1, &name);
  return Texture(name);
}
inline VertexArray make_vertex_array() {
  GLuint name = 0;
  glCreateVertexArrays(1, &name);
  return VertexArray(name);
}
inline Framebuffer make_framebuffer() {
  GLuint name = 0;
  glCreateFramebuffers(1, &name);
  return Framebuffer(name);
}
inline Query make_query(GLenum target) {
  GLuint name = 0;
  glCreateQueries(target, 1, &name);
  return Query(name);
}

}  // namespace tri::gl
