#include "sim/io/pvd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sim/io/files/text_input.hpp"
#include "sim/io/files/xml_tags.hpp"
#include "sim/io/format_table.hpp"

namespace tri::io {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

}  // namespace

std::vector<PvdEntry> read_pvd_entries(const std::string& path) {
  InputFile file(path);
  std::string text(std::min(kMaxBytes, static_cast<std::size_t>(file.size().value_or(kMaxBytes)) + 1), '\0');
  text.resize(file.read(text.data(), text.size()));
  XmlTags tags(text);
  XmlTag tag;
  std::vector<PvdEntry> entries;
  const auto fail = [&](const std::string& what) {
    throw FileError(fmt::format("'{}', line {}: {}.", path, tags.line_of(tag.end), what));
  };
  bool collection = false;
  try {
    while (tags.next(tag)) {
      if (tag.name == "VTKFile" && tag.opens) collection = tag.attribute("type") == "Collection";
      if (tag.name != "DataSet" || !tag.opens) continue;
      PvdEntry entry{0, tag.attribute("file")};
      if (!parse_number(tag.attribute("timestep"), entry.time) || !std::isfinite(entry.time) || entry.file.empty()) {
        fail("a DataSet needs timestep=\"NUMBER\" and file=\"NAME\"");
      }
      // To the system, the name would end there: another one than the .vtp that is looked at.
      if (entry.file.find('\0') != std::string::npos) fail("the name of a file holds a NUL byte");
      entries.push_back(std::move(entry));
    }
  } catch (const std::string& reason) {
    fail(reason + "; the file is cut off, or not a .pvd");
  }
  if (!collection) fail("there is no <VTKFile type=\"Collection\">, so this is not a .pvd; write it again");
  return entries;
}

void write_pvd_entries(const std::string& path, const std::vector<PvdEntry>& entries) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const PvdEntry& e : entries) {
    text += "<DataSet timestep=\"";
    append_number(text, e.time);
    text += fmt::format("\" part=\"0\" file=\"{}\"/>\n", xml_escaped(e.file));
  }
  OutputFile file(path, Accepts::files);  // beside a series, which is no pipe either
  file.write(text + "</Collection>\n</VTKFile>\n");
  file.commit();
}

Bodies read_pvd(const std::string& path, ReadReport& reading) {
  const std::vector<PvdEntry> entries = read_pvd_entries(path);
  if (entries.empty()) throw FileError(fmt::format("'{}' lists no files, and so no bodies.", path));
  const auto last = std::max_element(entries.begin(), entries.end(),
                                     [](const PvdEntry& a, const PvdEntry& b) { return a.time < b.time; });
  const std::string file = (std::filesystem::path(path).parent_path() / last->file).string();
  if (format_name(file) != "vtp") {
    throw FileError(fmt::format("'{}' lists '{}'; only .vtp files are read.", path, last->file));
  }
  Bodies bodies = read_vtp(file, reading);
  reading.time = last->time;
  reading.notes.push_back(
      fmt::format("'{}' lists {} states; the last, '{}', is read.", path, entries.size(), last->file));
  return bodies;
}

}  // namespace tri::io
