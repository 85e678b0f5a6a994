#pragma once
/// Scripts and demonstrations of the window.
///
/// A demonstration of demo_table.hpp. It runs by itself while the window is open, from stop to stop and over again, and
/// the domain view shows one map after another, block by block. Logic only; the app calls it once a frame.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/gui/base/gui_state.hpp"
#include "app/session/demo_table.hpp"
#include "app/session/session_model.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {

class Demo {
 public:
  /// scene: replaces the demonstration's own; empty = none. opens: whether the first scene is still to be opened.
  /// Throws ConfigError for an unknown name.
  Demo(const std::string& name, const std::string& scene, bool opens = false)
      : stops_(demo_stops(name, scene)), opens_(opens) {}

  /// The scene to open with.
  const std::string& first_scene() const { return stops_.front().scene; }
  /// seconds: since the last frame.
  void frame(double seconds, const SessionModel& model, GuiState& state, Requests& requests);

 private:
  void begin_stop(const SessionModel& model, GuiState& state, Requests& requests);
  void arrive(const SessionModel& model, GuiState& state, Requests& requests);
  bool is_over(const SessionModel& model) const;
  void next_map(const SessionModel& model, GuiState& state);
  void next_fractal_map(GuiState& state);

  std::vector<DemoStop> stops_;
  std::size_t stop_ = 0;
  double stop_seconds_ = 0, rest_seconds_ = 0, fractal_seconds_ = 0;
  std::optional<u32> map_;  ///< shown last; none: the first comes
  bool opens_, begun_ = false, arrived_ = false;
};

// Scripts (--script): one command per line, '#' begins a comment. A script is read and checked as a whole before the
// window opens. script_help() lists the commands.

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
  bool ended() const;

 private:
  struct Command {
    std::string where;     ///< "file:line"
    u64 wait = 0;          ///< frames; otherwise `act`
    bool settled = false;  ///< runs only when earlier commands have taken effect
    std::function<void(ScriptHost&)> act;
  };
  std::vector<Command> commands_;
  std::size_t at_ = 0;
  u64 waits_ = 0, unseen_ = 0;  ///< frames: to come; in which a plot to be saved was not drawn
};

/// One line per command, for the documentation.
std::string script_help();

// Script commands, in tables by subject: a new one is a row, and its line in docs/app-scripts.md.

using ScriptAct = std::function<void(ScriptHost&)>;
using ScriptWords = std::vector<std::string>;

/// A command: its name, its form, and its reader, which gets the words after the name and throws ConfigError. Null:
/// waits that many frames. A ConfigError of an act ends the program with exit code 1.
struct ScriptRow {
  const char* name;
  std::string form;
  std::function<ScriptAct(const ScriptWords& words)> read;
};

std::vector<ScriptRow> session_rows();  ///< requests to the session
std::vector<ScriptRow> view_rows();     ///< scene view and panes
std::vector<ScriptRow> touch_rows();    ///< bodies by hand
std::vector<ScriptRow> job_rows();      ///< benchmarks, files, the window
std::vector<ScriptRow> film_rows();     ///< camera path, film, pictures
std::vector<ScriptRow> check_rows();    ///< expect-...

// Shared by readers.

inline constexpr u64 kMaxCount = u64{1} << 40;

inline ScriptAct asks(Request request) {
  return [request = std::move(request)](ScriptHost& h) { h.requests.push_back(request); };
}

inline std::string one(const ScriptWords& w, const char* what) {
  if (w.size() != 1) throw ConfigError(fmt::format("it takes {}", what));
  return w[0];
}
inline void none(const ScriptWords& w) {
  if (!w.empty()) throw ConfigError("it takes nothing");
}
/// A command that takes nothing and sends this request.
inline ScriptRow asks_row(const char* name, Request request) {
  return {name, name, [request = std::move(request)](const ScriptWords& w) { return none(w), asks(request); }};
}
/// A command whose words `read` makes a value, with which `act` then works on the window.
template <class Read, class Act>
ScriptRow value_row(const char* name, const std::string& form, Read read, Act act) {
  return {name, form, [read, act](const ScriptWords& w) -> ScriptAct {
            return [act, value = read(w)](ScriptHost& h) { act(h, value); };
          }};
}
/// One that takes a file.
template <class Act>
ScriptRow file_row(const char* name, const std::string& form, Act act) {
  return value_row(
      name, form, [](const ScriptWords& w) { return one(w, "a file"); }, act);
}
/// An expectation of a number: of(host) must be that. otherwise: a sentence about the number that it is.
template <class Of>
ScriptRow count_row(const char* name, const char* what, u64 most, Of of, const char* otherwise) {
  return value_row(
      name, fmt::format("{} COUNT", name),
      [=](const ScriptWords& w) { return whole_number("it", one(w, what), 0, most); },
      [=](ScriptHost& h, u64 count) {
        const u64 now = of(h);
        if (now != count) throw ConfigError(fmt::format(fmt::runtime(otherwise), now));
      });
}
inline bool on_off(const ScriptWords& w) { return choice("it", one(w, "on or off"), {"off", "on"}) == 1; }

/// Index of a body, or none.
std::optional<u32> body_or_none(const ScriptWords& words);

}  // namespace tri::app::gui
