#pragma once
/// The texts of the shaders: those embedded in the program, or files of a folder in their place (--shader-dir).

#include <string>
#include <string_view>
#include <vector>

namespace tri::render {

class ShaderSources {
 public:
  /// `folder` empty: the embedded texts. Otherwise each shader is the file of its name there, where there is one.
  explicit ShaderSources(std::string folder = {});

  /// The text with its #include "..." lines replaced, as often as they stand there and one level deep. Throws
  /// FileError for a name that is none, or a file that cannot be read.
  std::string text(std::string_view name) const;

 private:
  std::string raw(std::string_view name) const;
  std::string folder_;
};

/// Every shader by the name of its file in shaders/, without those of shaders/include.
std::vector<std::string_view> shader_names();

}  // namespace tri::render
