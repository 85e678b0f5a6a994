#pragma once
/// Shader sources: embedded in the program, or overridden by files in a folder (--shader-dir).

#include <string>
#include <string_view>
#include <vector>

namespace tri::render {

class ShaderSources {
 public:
  /// A file in `folder`, if not empty, overrides the embedded shader of the same name.
  explicit ShaderSources(std::string folder = {});

  /// The source with #include "..." lines expanded, one level deep. Throws FileError for an unknown name or an
  /// unreadable file.
  std::string text(std::string_view name) const;

 private:
  std::string raw(std::string_view name) const;
  std::string folder_;
};

/// File names of all shaders in shaders/, without those in shaders/include.
std::vector<std::string_view> shader_names();

}  // namespace tri::render
