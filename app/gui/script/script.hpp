#pragma once
/// Scripts (--script): one command per line, '#' begins a comment. A script is read and checked as a whole before the
/// window opens. script_help() lists the commands.

#include <functional>
#include <string>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui {

/// What commands act on.
struct ScriptHost {
  const SessionModel& model;
  GuiState& state;
  Requests& requests;
  std::function<void(u32 width, u32 height)> resize;
};

class Script {
 public:
  /// Throws FileError when the file cannot be read, ConfigError with file and line for an invalid command.
  static Script read(const std::string& path);
  static Script parse(const std::string& text, const std::string& name);

  /// Runs the commands of this frame: up to the next `wait`, `scene`, `open` or `screenshot`, or the end. Throws Error
  /// (exit 1) where an expectation does not hold.
  void frame(ScriptHost host);
  bool ended() const noexcept { return at_ >= commands_.size() && waits_ == 0; }

 private:
  struct Command {
    std::string where;     ///< "file:line"
    u64 wait = 0;          ///< frames; otherwise `act`
    bool settled = false;  ///< runs only when earlier commands have taken effect
    std::function<void(ScriptHost&)> act;
  };
  std::vector<Command> commands_;
  std::size_t at_ = 0;
  u64 waits_ = 0;
};

/// One line per command, for the documentation.
std::string script_help();

}  // namespace tri::app::gui
