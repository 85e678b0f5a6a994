#pragma once
/// GL errors as exceptions, and collection of the driver's messages.

#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri::gl {

/// OpenGL is missing, too old, or failed (exit 7). The sentence says what to do.
struct GlError : Error {
  explicit GlError(const std::string& sentence) : Error(ExitCode::no_display, sentence) {}
};

/// Loads the OpenGL functions through `load`. Throws GlError unless the current context has version 4.5 or later.
using LoadFunction = void (*(*)(const char* name))();
void load_functions(LoadFunction load);

/// Renderer and version strings of the current context.
std::string renderer_name();

/// Whether the current context renders in software (Mesa without a GPU).
bool is_software();
/// "GPU", or the name of the software that draws in its place.
std::string driver_kind();

/// Collects the driver's messages for the current context. Must outlive the use of the context; not movable, since the
/// driver keeps its address.
class Messages {
 public:
  Messages();
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Number of errors since the start, reported by the driver or found by check().
  u64 errors() const noexcept { return errors_; }
  /// The text of each error; the first 16.
  const std::vector<std::string>& texts() const noexcept { return texts_; }
  void add(const std::string& text);

  /// Collects all pending errors of glGetError(), with `where` in their texts.
  void check(const char* where);

 private:
  u64 errors_ = 0;
  std::vector<std::string> texts_;
};

}  // namespace tri::gl
