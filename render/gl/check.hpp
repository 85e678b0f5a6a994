#pragma once
/// What the driver says: its messages, collected, and errors as exceptions.

#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri::gl {

/// OpenGL that is missing, too old or in error (exit 7). The sentence says what to do.
struct GlError : Error {
  explicit GlError(const std::string& sentence) : Error(ExitCode::no_display, sentence) {}
};

/// Finds the functions of OpenGL through `load`. Throws GlError unless the current context is of version 4.5 or later.
using LoadFunction = void (*(*)(const char* name))();
void load_functions(LoadFunction load);

/// Name of the renderer and version of the current context, as the driver gives them.
std::string renderer_name();

/// Whether a processor does the drawing of the current context (Mesa without a card).
bool is_software();

/// Collects the driver's messages of the current context. Must outlive the context's use; not movable, since the
/// driver keeps its address.
class Messages {
 public:
  Messages();
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Errors since the start, told by the driver or found by check().
  u64 errors() const noexcept { return errors_; }
  /// The text of each error; the first 16.
  const std::vector<std::string>& texts() const noexcept { return texts_; }
  void add(const std::string& text);

  /// Reads glGetError until it is clean; `where` stands in the text of what it finds.
  void check(const char* where);

 private:
  u64 errors_ = 0;
  std::vector<std::string> texts_;
};

}  // namespace tri::gl
