#include "app/options/help.hpp"

#include <cctype>
#include <vector>

#include "help_md.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app {
namespace {

struct Section {
  std::string_view title;  ///< of its "## " line; the first section has the "# " line's
  std::string body;        ///< plain text
};

/// Removes backquotes.
std::string plain_line(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c != '`') text += c;
  }
  return text;
}

std::vector<Section> sections() {
  std::vector<Section> all;
  std::string_view rest = embedded::help_md;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, rest[end] == '\n' ? end : end + 1);
    rest.remove_prefix(end + 1);
    const bool heading = line.substr(0, 2) == "# " || line.substr(0, 3) == "## ";
    if (heading) {
      all.push_back({line.substr(line.find(' ') + 1), ""});
    } else if (line.substr(0, 3) != "```" && !all.empty()) {
      all.back().body += plain_line(line) + "\n";
    }
  }
  for (Section& s : all) {
    s.body.erase(0, s.body.find_first_not_of('\n'));
    s.body.erase(s.body.find_last_not_of('\n') + 1);
    s.body += '\n';
  }
  return all;
}

std::string in_capitals(std::string_view title) {
  std::string text;
  for (const char c : title) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string with_title(const Section& s) { return in_capitals(s.title) + "\n\n" + s.body; }

}  // namespace

std::string help_text(std::string_view command) {
  const auto all = sections();
  std::string text;
  for (const Section& s : all) {
    const bool of_command = s.title == command || s.title == "common options";
    if (!command.empty() && !of_command) continue;
    if (!text.empty()) text += "\n";
    text += with_title(s);
  }
  TRI_ENSURES(!text.empty());
  return text;
}

std::string short_help_text() { return sections().front().body; }

}  // namespace tri::app
