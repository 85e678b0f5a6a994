#include "app/options/help.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "help_md.hpp"
#include "sim/base/contracts.hpp"
#include "tri_version.hpp"

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

/// A line of text, escaped for roff; with `marks`, code is bold.
std::string roff_line(std::string_view line, bool marks) {
  std::string text = !line.empty() && (line.front() == '.' || line.front() == '\'') ? "\\&" : "";
  bool bold = false;
  for (const char c : line) {
    if (c == '`' && marks) {
      bold = !bold;
      text += bold ? "\\fB" : "\\fR";
    } else if (c == '\\') {
      text += "\\e";
    } else if (c == '-') {
      text += "\\-";
    } else {
      text += c;
    }
  }
  return text + "\n";
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

std::string man_page() {
  std::string page = ".TH TRIANGULUM 1 \"\" \"triangulum " + std::string(kVersion) + "\" \"User Commands\"\n";
  page += ".SH NAME\ntriangulum \\- meets every pair and every triple of bodies once\n";
  bool code = false, some = false, parted = false;  // some text in the section; a paragraph of it has ended
  const auto begin = [&](const std::string& text) {
    if (some && parted) page += ".PP\n";
    page += text;
    some = true, parted = false;
  };
  std::string_view rest = embedded::help_md;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.starts_with("```")) {
      code = !code;
      if (code) {
        begin(".nf\n.RS 4\n");
      } else {
        page += ".RE\n.fi\n", parted = true;
      }
    } else if (code) {
      page += roff_line(line, false);
    } else if (line.starts_with("#")) {
      page += ".SH " + (line.starts_with("# ") ? "DESCRIPTION" : in_capitals(line.substr(3))) + "\n";
      some = parted = false;
    } else if (line.empty()) {
      parted = true;
    } else {
      begin(roff_line(line, true));
    }
  }
  return page;
}

}  // namespace tri::app
