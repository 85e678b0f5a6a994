#pragma once
/// Owning names of GL objects (direct state access). Use them on the thread with the current context, and destroy them
/// before the context.

#include <type_traits>
#include <utility>

#include "render/gl/gl.hpp"

namespace tri::gl {

/// kDelete: the GL function that deletes such objects. A name of 0 owns nothing.
template <auto& kDelete>
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
    if (name_ == 0) return;
    if constexpr (std::is_invocable_v<decltype(kDelete), GLuint>) {
      kDelete(name_);
    } else {
      kDelete(1, &name_);
    }
  }
  GLuint get() const noexcept { return name_; }
  explicit operator bool() const noexcept { return name_ != 0; }

 private:
  GLuint name_ = 0;
};

using Buffer = Name<glDeleteBuffers>;
using Texture = Name<glDeleteTextures>;
using VertexArray = Name<glDeleteVertexArrays>;
using Framebuffer = Name<glDeleteFramebuffers>;
using Query = Name<glDeleteQueries>;
using Program = Name<glDeleteProgram>;
using Shader = Name<glDeleteShader>;

/// One object from a glCreate function that may take a target.
template <class Object, class Create, class... Target>
Object created(Create create, Target... target) {
  GLuint name = 0;
  create(target..., 1, &name);
  return Object(name);
}

inline Buffer make_buffer() { return created<Buffer>(glCreateBuffers); }
inline Texture make_texture(GLenum target) { return created<Texture>(glCreateTextures, target); }
inline VertexArray make_vertex_array() { return created<VertexArray>(glCreateVertexArrays); }
inline Framebuffer make_framebuffer() { return created<Framebuffer>(glCreateFramebuffers); }
inline Query make_query(GLenum target) { return created<Query>(glCreateQueries, target); }

}  // namespace tri::gl
