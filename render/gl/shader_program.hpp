#pragma once
/// A linked shader program.

#include <initializer_list>
#include <string_view>

#include "render/gl/names.hpp"
#include "render/gl/shader_sources.hpp"

namespace tri::gl {

class ShaderProgram {
 public:
  /// The extension of each shader determines its stage: .vert, .frag, .comp. Throws GlError with the shader's name and
  /// the driver's log in one line.
  ShaderProgram(const render::ShaderSources& sources, std::initializer_list<std::string_view> shaders);

  void use() const { glUseProgram(program_.get()); }

 private:
  Program program_;
};

}  // namespace tri::gl
