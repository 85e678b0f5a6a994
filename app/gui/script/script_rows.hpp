#pragma once
/// Script commands, in tables by subject: a new one is a row, and its line in docs/app.md.

#include <fmt/format.h>

#include <span>

#include "app/gui/script/script.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {

using ScriptAct = std::function<void(ScriptHost&)>;
using ScriptWords = std::vector<std::string>;

/// A command: its name, its form, and its reader, which gets the words after the name and throws ConfigError. Null:
/// waits that many frames. A ConfigError of an act ends the program with exit code 1.
struct ScriptRow {
  const char* name;
  const char* form;
  ScriptAct (*read)(const ScriptWords& words);
};

std::span<const ScriptRow> session_rows();  ///< requests to the session
std::span<const ScriptRow> view_rows();     ///< scene view and panes
std::span<const ScriptRow> touch_rows();    ///< bodies by hand
std::span<const ScriptRow> job_rows();      ///< benchmarks, files, the window
std::span<const ScriptRow> film_rows();     ///< camera path, film, pictures
std::span<const ScriptRow> check_rows();    ///< expect-...

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
inline bool on_off(const ScriptWords& w) { return choice("it", one(w, "on or off"), {"off", "on"}) == 1; }

/// Index of a body, or none.
std::optional<u32> body_or_none(const ScriptWords& words);

}  // namespace tri::app::gui
