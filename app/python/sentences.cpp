#include "app/python/sentences.hpp"

#include <algorithm>
#include <cctype>

namespace tri::python {
namespace {

struct Words {
  std::string_view option, python;
};

/// What is no keyword.
constexpr Words kPhrases[] = {{"--threads 1", "one thread: os.sched_setaffinity(0, {0})"},
                              {"--restart", "Simulation.load()"}};

/// Commands that have a function.
constexpr Words kCommands[] = {{"`triangulum list scenes`", "triangulum.scenes()"},
                               {"`triangulum list maps`", "triangulum.maps()"},
                               {"triangulum list scenes", "triangulum.scenes()"},
                               {"triangulum list maps", "triangulum.maps()"}};

/// What is another keyword.
constexpr Words kOthers[] = {{"triple_law", "law"}, {"bins", "edges"}};

/// What follows an option that has no value there.
constexpr std::string_view kVerbs[] = {"a",         "accepts", "and",   "are",  "belongs", "chooses", "choose",
                                       "continues", "counts",  "for",   "from", "goes",    "has",     "in",
                                       "is",        "names",   "needs", "of",   "on",      "or",      "out",
                                       "reads",     "takes",   "that",  "to",   "twice",   "which",   "with"};

/// Names that may follow a value after "or".
constexpr std::string_view kNames[] = {"kdk",  "hermite", "yoshida4", "symplectic-euler", "cpu", "cuda",
                                       "fp32", "fp64",    "fast",     "ordered"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

std::size_t end_of_name(std::string_view text, std::size_t from) {
  while (from < text.size() && is_of_name(text[from])) ++from;
  return from;
}

/// Where the value ends that begins at `from`: at a blank or at punctuation before one; with its quotes.
std::size_t end_of_value(std::string_view text, std::size_t from) {
  if (text[from] == '"') return std::min(text.find('"', from + 1), text.size() - 1) + 1;
  std::size_t end = std::min(text.find_first_of(" )\n", from), text.size());
  while (end > from && std::string_view(".,;:").find(text[end - 1]) != std::string_view::npos) --end;
  return end;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.,+-e") == std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(word.back())) != 0;
}

std::string quoted(std::string_view word) {
  const bool bare = is_number(word) || word.front() == '"' || word.front() == '{';
  return bare ? std::string(word) : "'" + std::string(word) + "'";
}

/// Whether a part of a sentence ends within: by a bracket, or punctuation before a blank.
bool has_end(std::string_view text) {
  for (std::size_t at = text.find_first_of("`,;:)("); at != std::string::npos;
       at = text.find_first_of("`,;:)(", at + 1)) {
    if (std::string_view("`)(").find(text[at]) != std::string_view::npos || text.substr(at + 1).starts_with(' '))
      return true;
  }
  return text.find(". ") != std::string_view::npos;
}

/// Whether the place is in a whole command: after the name of a program, in the same part of the sentence.
bool is_in_command(std::string_view text, std::size_t at) {
  for (const std::string_view program : {"triangulum ", "mpirun ", "srun ", "cmake "}) {
    const std::size_t from = text.rfind(program, at);
    if (from == std::string_view::npos) continue;
    if (!has_end(text.substr(from, at - from))) return true;
  }
  return false;
}

/// Appends the keyword of the option at `at`, with its value; the place behind them.
std::size_t append_keyword(std::string_view text, std::size_t at, std::string& to) {
  for (const auto& [option, python] : kPhrases) {
    const std::size_t end = at + option.size();
    if (!text.substr(at).starts_with(option) || (end < text.size() && is_of_name(text[end]))) continue;
    to += python;
    return end;
  }
  std::size_t end = end_of_name(text, at + 2);
  std::string name(text.substr(at + 2, end - at - 2));
  std::replace(name.begin(), name.end(), '-', '_');
  for (const Words& other : kOthers) {
    if (name == other.option) name = other.python;
  }
  to += name;
  if (end + 1 >= text.size() || text[end] != ' ' ||
      std::string_view("(-").find(text[end + 1]) != std::string_view::npos) {
    return end;
  }
  const std::size_t stop = end_of_value(text, end + 1);
  const std::string_view value = text.substr(end + 1, stop - end - 1);
  if (value.empty() || is_one_of(kVerbs, value)) return end;
  to += "=" + quoted(value);
  end = stop;
  constexpr std::string_view kOr = " or ";
  if (text.substr(end).starts_with(kOr)) {
    const std::size_t from = end + kOr.size(), second = end_of_name(text, from);
    if (is_one_of(kNames, text.substr(from, second - from))) {
      to += " or " + quoted(text.substr(from, second - from));
      end = second;
    }
  }
  return end;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// "map='M' is wrong at m = N ...: See triangulum verify map FILE --n N." has the check of the map M as a function.
void name_map_check(std::string& text) {
  constexpr std::string_view kCommand = "triangulum verify map ", kMap = "map='";
  const std::size_t at = text.find(kCommand), map = text.find(kMap), side = text.rfind(" --n ");
  if (at == std::string::npos || map == std::string::npos || side == std::string::npos || side < at) return;
  const std::string name = text.substr(map + kMap.size(), text.find('\'', map + kMap.size()) - map - kMap.size());
  const std::string n = text.substr(side + 5, text.find_last_not_of('.') - side - 4);
  text.replace(at, std::string::npos, "triangulum.maps['" + name + "'](" + n + ").verify().");
}

}  // namespace

std::string of_arrays(std::string sentence) {
  replace_all(sentence, ", a smaller --dt or ", " or ");
  replace_all(sentence, "--precision fp64", "float64 arrays");
  replace_all(sentence, "--precision fp32", "float32 arrays");
  return sentence;
}

std::string in_keywords(std::string_view text) {
  std::string made;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool option = text.substr(at).starts_with("--") && at + 2 < text.size() &&
                        std::isalpha(static_cast<unsigned char>(text[at + 2])) != 0 &&
                        (at == 0 || !is_of_name(text[at - 1])) && !is_in_command(text, at);
    if (option) {
      at = append_keyword(text, at, made);
    } else {
      made += text[at++];
    }
  }
  name_map_check(made);
  for (const auto& [command, python] : kCommands) replace_all(made, command, python);
  return made;
}

}  // namespace tri::python
