#include "app/gui/script/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/script/script_rows.hpp"
#include "sim/base/suggest.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app::gui {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

bool second_pending(const SecondChoice& second) { return second.on != second.shown || second.behind; }

/// All commands, in the order of the documentation.
std::vector<ScriptRow> all_rows() {
  std::vector<ScriptRow> rows;
  for (const auto& part : {session_rows(), view_rows(), touch_rows(), job_rows(), film_rows(), check_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

}  // namespace

Script Script::parse(const std::string& text, const std::string& name) {
  Script script;
  const std::vector<ScriptRow> rows = all_rows();
  std::istringstream lines(text);
  u64 number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    std::istringstream in(line.substr(0, line.find('#')));
    ScriptWords words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) continue;
    const std::string first = words.front();
    words.erase(words.begin());
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ScriptRow& r) { return first == r.name; });
    if (row == rows.end()) {
      std::vector<std::string> names;
      for (const ScriptRow& r : rows) names.emplace_back(r.name);
      throw ConfigError(fmt::format("{}: {}", where, unknown_name("command", first, names)));
    }
    static constexpr std::array kSettled{"screenshot", "back",   "goto",   "branch", "add",  "change",
                                         "delete",     "export", "stroke", "path",   "film", "second"};
    const bool stops = first == "film" && words == ScriptWords{"stop"};  // a film would be awaited
    const bool settled = first.starts_with("expect-") || first.ends_with("save") ||
                         (!stops && std::find(kSettled.begin(), kSettled.end(), first) != kSettled.end());
    Command command{fmt::format("{}: {}", where, first), 0, settled, nullptr};
    try {
      if (row->read == nullptr) {
        command.wait = whole_number("it", one(words, "a number of frames"), 1, kMaxCount);
      } else {
        command.act = row->read(words);
      }
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}: {} (written: {}).", where, first, error.what(), row->form));
    }
    script.commands_.push_back(std::move(command));
  }
  return script;
}

Script Script::read(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text, piece(kPiece, '\0');
  for (std::size_t got = 1; got > 0; text.append(piece, 0, got)) got = file.read(piece.data(), piece.size());
  return parse(text, path);
}

void Script::frame(ScriptHost host) {
  if (waits_ > 0 && --waits_ > 0) return;
  while (at_ < commands_.size()) {
    const Command& command = commands_[at_];
    // Expectations, saving, pictures and ways through time wait until earlier commands have taken effect.
    const bool asked = !host.requests.empty() || host.model.steps_asked > 0 || host.model.timeline.seek ||
                       !host.state.pending.open.empty() || !host.state.pending.settings.empty() ||
                       bench_pending(host.state.bench) || race_pending(host.state.race) || host.state.pending.pick ||
                       touch_pending(host.state.touch) || host.state.film.start || host.state.film.now ||
                       second_pending(host.state.second) || host.state.gallery.pending > 0;
    if (command.settled && asked) return;
    ++at_;
    if (command.wait > 0) {
      waits_ = command.wait;
      return;
    }
    try {
      command.act(host);
      // A picture is taken at the end of a frame and must not show later commands of the script. A scene is opened then
      // too and sets its own style, which later commands change.
      const bool opens = !host.requests.empty() && std::holds_alternative<ask::Open>(host.requests.back());
      const PendingActions& w = host.state.pending;
      if (opens || !w.open.empty() || !w.settings.empty() || !w.screenshot_path.empty() ||
          !w.transparent_path.empty() || host.state.film.start)
        return;
    } catch (const ConfigError& error) {
      throw Error(ExitCode::check_failed, fmt::format("{}: {}.", command.where, error.what()));
    }
  }
}

std::string script_help() {
  std::string text;
  for (const ScriptRow& row : all_rows()) text += fmt::format("{}\n", row.form);
  return text;
}

}  // namespace tri::app::gui
