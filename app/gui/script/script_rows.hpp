#pragma once
/// The commands of scripts, in tables by what they do: a new one is a row, and its line in docs/app.md.

#include <fmt/format.h>

#include <span>

#include "app/gui/script/script.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {

using ScriptAct = std::function<void(ScriptHost&)>;
using ScriptWords = std::vector<std::string>;

/// A command by name: how it is written, and its reader, which gets the words after the name and throws ConfigError;
/// null: a wait of that many frames. Of an act, a ConfigError ends the program with exit code 1.
struct ScriptRow {
  const char* name;
  const char* form;
  ScriptAct (*read)(const ScriptWords& words);
};

std::span<const ScriptRow> session_rows();  ///< asks the session
std::span<const ScriptRow> look_rows();     ///< changes what is seen
std::span<const ScriptRow> job_rows();      ///< benchmarks, files, the window
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

/// A body by its number, or nobody.
std::optional<u32> body_or_none(const ScriptWords& words);

}  // namespace tri::app::gui
