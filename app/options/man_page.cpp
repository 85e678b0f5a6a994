// The man page: app/help.md converted to roff.

#include <algorithm>

#include "app/options/completion.hpp"
#include "help_md.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

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

std::string capitals(std::string_view title) {
  std::string text;
  for (const char c : title) text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

}  // namespace

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
      page += ".SH " + (line.starts_with("# ") ? "DESCRIPTION" : capitals(line.substr(3))) + "\n";
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
