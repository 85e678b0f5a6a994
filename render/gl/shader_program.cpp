#include "render/gl/shader_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "render/gl/check.hpp"

namespace tri::gl {
namespace {

GLenum stage_of(std::string_view name) {
  if (name.ends_with(".vert")) return GL_VERTEX_SHADER;
  if (name.ends_with(".frag")) return GL_FRAGMENT_SHADER;
  if (name.ends_with(".comp")) return GL_COMPUTE_SHADER;
  throw GlError(fmt::format("the shader {} must end in .vert, .frag or .comp.", name));
}

/// A log joined into one line.
std::string one_line(std::string log) {
  log.resize(std::min(log.find('\0'), log.size()));
  while (!log.empty() && log.back() == '\n') log.pop_back();
  std::replace(log.begin(), log.end(), '\n', ';');
  return log;
}

Shader compile(std::string_view name, const std::string& text) {
  Shader shader(glCreateShader(stage_of(name)));
  const char* source = text.c_str();
  glShaderSource(shader.get(), 1, &source, nullptr);
  glCompileShader(shader.get());
  GLint ok = 0, length = 0;
  glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &ok);
  if (ok == GL_TRUE) return shader;
  glGetShaderiv(shader.get(), GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
  glGetShaderInfoLog(shader.get(), length, nullptr, log.data());
  throw GlError(fmt::format("the shader {} does not compile: {}", name, one_line(log)));
}

}  // namespace

ShaderProgram::ShaderProgram(const render::ShaderSources& sources, std::initializer_list<std::string_view> shaders)
    : program_(glCreateProgram()) {
  std::string names;
  std::vector<Shader> parts;
  for (const std::string_view name : shaders) {
    parts.push_back(compile(name, sources.text(name)));
    glAttachShader(program_.get(), parts.back().get());
    names += fmt::format("{}{}", names.empty() ? "" : " + ", name);
  }
  glLinkProgram(program_.get());
  GLint ok = 0, length = 0;
  glGetProgramiv(program_.get(), GL_LINK_STATUS, &ok);
  if (ok != GL_TRUE) {
    glGetProgramiv(program_.get(), GL_INFO_LOG_LENGTH, &length);
    std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
    glGetProgramInfoLog(program_.get(), length, nullptr, log.data());
    throw GlError(fmt::format("the shaders {} do not link: {}", names, one_line(log)));
  }
  for (const Shader& part : parts) glDetachShader(program_.get(), part.get());
}

}  // namespace tri::gl
