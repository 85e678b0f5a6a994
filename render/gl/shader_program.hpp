#pragma once
/// Shaders compiled and linked into a program.

#include <initializer_list>
#include <string_view>

#include "render/gl/names.hpp"
#include "render/gl/shader_sources.hpp"

namespace tri::gl {

class ShaderProgram {
 public:
  /// The stage of each follows from its ending: .vert, .frag, .comp. Throws GlError with the shader's name and the
  /// first line of what the driver says.
  ShaderProgram(const render::ShaderSources& sources, std::initializer_list<std::string_view> shaders);

  void use() const { glUseProgram(program_.get()); }

 private:
  Program program_;
};

}  // namespace tri::gl
