#include "app/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/options.hpp"
#include "sim/contracts.hpp"
#include "sim/error.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

/// What completes the words of one command.
struct Words {
  std::string command;
  std::vector<std::string> options;  ///< every spelling
  std::vector<std::string> values;   ///< options that take a value, every spelling
  std::vector<std::string> words;    ///< that its first argument may be
  bool files = false;                ///< or a file
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_word(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

/// A positional argument's name tells what it may be: words in small letters stand for themselves, SCENE for the
/// scenes, other capitals for files.
void add_positional(const PositionalSpec& positional, Words& to) {
  for (const std::string& part : split(positional.name, '|')) {
    if (is_word(part)) {
      to.words.push_back(part);
    } else if (part == "SCENE") {
      for (const SceneInfo& scene : list_scenes()) to.words.emplace_back(scene.name);
    } else {
      to.files = true;
    }
  }
}

std::vector<Words> all_words() {
  RunConfig config;
  std::vector<Words> all;
  for (const CommandSpec& command : command_specs(config)) {
    Words words{command.name, {"--help"}, {}, {}, false};
    for (const OptionSpec& option : command.options) {
      for (const std::string& spelling : split(option.names, ',')) {
        words.options.push_back(spelling);
        if (!option.flag) words.values.push_back(spelling);
      }
    }
    for (const PositionalSpec& positional : command.positionals) add_positional(positional, words);
    all.push_back(std::move(words));
  }
  return all;
}

std::string command_names(const std::vector<Words>& all) {
  std::string names;
  for (const Words& words : all) names += (names.empty() ? "" : " ") + words.command;
  return names;
}

/// After an option that takes a value comes a file, as far as a shell can know.
std::string bash_script(const std::vector<Words>& all) {
  std::string cases;
  for (const Words& w : all) {
    cases += fmt::format("    {}) options=\"{}\" values=\" {} \" words=\"{}\" files={} ;;\n", w.command,
                         fmt::join(w.options, " "), fmt::join(w.values, " "), fmt::join(w.words, " "), w.files ? 1 : 0);
  }
  return fmt::format(R"(# bash completion of triangulum; made by: triangulum completion bash
_triangulum() {{
  local now="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
  local options="" values="" words="" files=0
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$now"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}    *) return ;;
  esac
  case "$values" in
    *" $before "*) compopt -o default; return ;;
  esac
  case "$now" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$now")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$now"))
       if [ "$files" -eq 1 ]; then compopt -o default; fi ;;
  esac
}}
complete -F _triangulum triangulum
)",
                     command_names(all), cases);
}

std::string zsh_script(const std::vector<Words>& all) {
  std::string cases;
  for (const Words& w : all) {
    cases += fmt::format("    {}) options=({}) values=({}) first=({}) files={} ;;\n", w.command,
                         fmt::join(w.options, " "), fmt::join(w.values, " "), fmt::join(w.words, " "), w.files ? 1 : 0);
  }
  return fmt::format(R"(#compdef triangulum
# zsh completion of triangulum; made by: triangulum completion zsh
_triangulum() {{
  local -a options values first
  local files=0
  if (( CURRENT == 2 )); then
    compadd -- {} --help --version
    return
  fi
  case "$words[2]" in
{}    *) return ;;
  esac
  if (( ${{values[(Ie)$words[CURRENT-1]]}} )); then
    _files
    return
  fi
  if [[ "$words[CURRENT]" == -* ]]; then
    compadd -- $options
    return
  fi
  (( $#first )) && compadd -- $first
  (( files )) && _files
}}
compdef _triangulum triangulum
)",
                     command_names(all), cases);
}

std::string fish_script(const std::vector<Words>& all) {
  std::string text =
      "# fish completion of triangulum; made by: triangulum completion fish\ncomplete -c triangulum -f\n";
  for (const Words& w : all) {
    text += fmt::format("complete -c triangulum -n __fish_use_subcommand -a {}\n", w.command);
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", w.command);
    for (const std::string& option : w.options) {
      const bool value = std::find(w.values.begin(), w.values.end(), option) != w.values.end();
      const bool wide = option.starts_with("--");
      text += fmt::format("complete -c triangulum {} -{} {}{}\n", when, wide ? "l" : "s", option.substr(wide ? 2 : 1),
                          value ? " -r -F" : "");
    }
    if (!w.words.empty()) text += fmt::format("complete -c triangulum {} -a '{}'\n", when, fmt::join(w.words, " "));
    if (w.files) text += fmt::format("complete -c triangulum {} -F\n", when);
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  const std::vector<Words> all = all_words();
  if (shell == "bash") return bash_script(all);
  if (shell == "zsh") return zsh_script(all);
  TRI_EXPECTS(shell == "fish");
  return fish_script(all);
}

int run_completion(const RunConfig& config, Console& console) {
  console.print(completion_script(config.shell));
  return static_cast<int>(ExitCode::ok);
}

int run_man(const RunConfig&, Console& console) {
  console.print(man_page());
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
