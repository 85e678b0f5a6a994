/// vtp: VTK's XML PolyData, points only (VTK File Formats, "XML File Formats"). Points are the positions; the arrays
/// velocity, mass, radius, charge and group of PointData the quantities of that name; TimeValue of FieldData the time.
/// Written as appended raw float64; read in every encoding, compressed only by zlib.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/io/columns.hpp"
#include "sim/io/files/text_input.hpp"
#include "sim/io/files/xml_tags.hpp"
#include "sim/io/format_table.hpp"
#include "sim/io/vtk_array.hpp"

namespace tri::io {

namespace {

std::string read_all(const std::string& path) {
  InputFile file(path);
  std::string text;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  if (file.size()) text.reserve(static_cast<std::size_t>(*file.size()) + 1);
  for (std::size_t got = kChunk; got == kChunk;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    got = file.read(text.data() + before, kChunk);
    text.resize(before + got);
  }
  return text;
}

/// The contents of a file; arrays are not decoded yet.
struct Content {
  VtkEncoding encoding;
  u64 points = 0, pieces = 0;
  std::vector<VtkArray> positions, data, field;
};

class Parser {
 public:
  Parser(const std::string& path, std::string_view text) : path_(path), text_(text), tags_(text) {}

  Content parse() {
    XmlTag tag;
    try {
      while (tags_.next(tag)) {
        if (tag.opens) open(tag);
        if (tag.closes && tag.name == section_) section_ = "";
      }
    } catch (const std::string& reason) {
      fail(tag, reason + "; the file is cut off, or not a .vtp");
    }
    if (!seen_file_ && text_.starts_with("# vtk DataFile")) {
      fail(tag, "this is a legacy VTK file; write it as XML (ParaView: Save Data as .vtp)");
    }
    if (!seen_file_) fail(tag, "there is no <VTKFile>, so this is not a .vtp; write it again");
    if (content_.pieces != 1) {
      fail(tag, fmt::format("there are {} pieces, but only one is read; join them first", content_.pieces));
    }
    return std::move(content_);
  }

 private:
  [[noreturn]] void fail(const XmlTag& tag, const std::string& what) const {
    throw FileError(fmt::format("'{}', line {}: {}.", path_, tags_.line_of(tag.end), what));
  }

  u64 integer(const XmlTag& tag, std::string_view key, const std::string& fallback) const {
    const std::string given = tag.attribute(key), &text = given.empty() ? fallback : given;
    u64 value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(tag, fmt::format("{} = {} is not an integer", key, in_quotes(text)));
    }
    return value;
  }

  void open(const XmlTag& tag) {
    if (tag.name == "VTKFile") return open_file(tag);
    if (tag.name == "Piece") {
      ++content_.pieces;
      content_.points = integer(tag, "NumberOfPoints", "");
    } else if (tag.name == "AppendedData") {
      open_appended(tag);
    } else if (tag.name == "DataArray") {
      open_array(tag);
    } else if (!tag.closes) {
      for (const char* name : {"Points", "PointData", "FieldData"}) {
        if (tag.name == name) section_ = name;
      }
    }
  }

  void open_file(const XmlTag& tag) {
    seen_file_ = true;
    if (tag.attribute("type") != "PolyData") {
      fail(tag, fmt::format("the type is {}, but only PolyData is read; convert it (ParaView: Extract Surface)",
                            in_quotes(tag.attribute("type"))));
    }
    const std::string compressor = tag.attribute("compressor");
    content_.encoding.zlib = compressor == "vtkZLibDataCompressor";
    if (!compressor.empty() && !content_.encoding.zlib) {
      fail(tag, fmt::format("the data is compressed by {}, but only ZLib is read; write it with ZLib or uncompressed "
                            "(ParaView: Compressor Type)",
                            in_quotes(compressor)));
    }
    const std::string order = tag.attribute("byte_order");
    content_.encoding.swap = !order.empty() && (order == "BigEndian") == (std::endian::native == std::endian::little);
    content_.encoding.wide_header = tag.attribute("header_type") == "UInt64";
  }

  void open_appended(const XmlTag& tag) {
    content_.encoding.appended_base64 = tag.attribute("encoding") == "base64";
    const std::size_t mark = text_.find('_', tag.end);
    if (mark == std::string_view::npos) fail(tag, "the appended data does not start with _");
    content_.encoding.appended = text_.substr(mark + 1);
    tags_.seek(text_.size());  // the rest is binary
  }

  void open_array(const XmlTag& tag) {
    VtkArray array;
    array.name = tag.attribute("Name"), array.type = tag.attribute("type"), array.format = tag.attribute("format");
    array.components = integer(tag, "NumberOfComponents", "1");
    array.offset = integer(tag, "offset", "0");
    if (!tag.closes) array.text = text_.substr(tag.end, text_.find('<', tag.end) - tag.end);
    auto& to = section_ == "Points" ? content_.positions : section_ == "FieldData" ? content_.field : content_.data;
    constexpr std::size_t kMax = 1000;
    if (section_.empty()) return;  // of cells
    if (to.size() == kMax) fail(tag, "there are more than 1000 arrays");
    to.push_back(std::move(array));
  }

  const std::string& path_;
  std::string_view text_;
  XmlTags tags_;
  std::string section_;
  Content content_;
  bool seen_file_ = false;
};

/// Stores the columns of an array in the bodies.
void store(const std::string& path, const VtkArray& array, const Content& content, Quantity first, Bodies& b) {
  const u64 columns = first == Quantity::x ? 3 : array.components;
  const auto fail = [&](const std::string& what) {
    throw FileError(fmt::format("'{}': the array {} {}.", path, array.name, what));
  };
  if (array.components != columns) fail(fmt::format("has {} components instead of {}", array.components, columns));
  std::vector<double> values;
  try {
    values = values_of(array, content.encoding, content.points * columns);
  } catch (const std::string& reason) {
    fail(reason);
  }
  if (values.size() != content.points * columns) {
    fail(fmt::format("holds {} values for {} points", values.size(), content.points));
  }
  if (first == Quantity::x) b.resize(static_cast<std::size_t>(content.points));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string problem = store_value(b, i / columns, after(first, i % columns), values[i]);
    if (!problem.empty()) fail(fmt::format("at point {} (from 0): {}", i / columns, problem));
  }
}

void read_time(const Content& content, ReadReport& reading) {
  for (const VtkArray& array : content.field) {
    if (array.name != "TimeValue") continue;
    try {
      const std::vector<double> values = values_of(array, content.encoding, 1);
      if (values.size() == 1 && std::isfinite(values[0])) reading.time = values[0];
    } catch (const std::string& reason) {
      reading.notes.push_back(fmt::format("the time is not used: TimeValue {}.", reason));
    }
  }
}

struct Written {
  const char* section;
  const char* name;
  u32 components;
  std::array<const std::vector<double>*, 3> columns;
};

}  // namespace

Bodies read_vtp(const std::string& path, ReadReport& reading) {
  const std::string text = read_all(path);
  const Content content = Parser(path, text).parse();
  if (content.points == 0) throw FileError(fmt::format("'{}' announces no points, and so no bodies.", path));
  check_count(content.points, [&](const char* what) { throw FileError(fmt::format("'{}' {}.", path, what)); });
  if (content.positions.size() != 1) {
    throw FileError(fmt::format("'{}' has {} arrays under <Points> instead of one.", path, content.positions.size()));
  }
  Bodies b;
  store(path, content.positions[0], content, Quantity::x, b);
  std::fill(b.m.begin(), b.m.end(), 1.0);
  std::array<const VtkArray*, kQuantities> stored{};
  for (const VtkArray& array : content.data) {
    const auto quantity = array.components == 3   ? vector_of(array.name)
                          : array.components == 1 ? quantity_of(array.name)
                                                  : std::nullopt;
    if (!quantity || *quantity < Quantity::vx) {
      reading.notes.push_back(fmt::format("'{}': the array {} is not used.", path, array.name));
      continue;
    }
    for (u64 c = 0; c < array.components; ++c) {
      const VtkArray*& place = stored[static_cast<std::size_t>(after(*quantity, c))];
      if (place != nullptr) {
        throw FileError(fmt::format("'{}': the arrays {} and {} are the same quantity; remove one.", path, place->name,
                                    array.name));
      }
      place = &array;
    }
    store(path, array, content, *quantity, b);
  }
  const auto velocities = std::count(stored.begin() + static_cast<int>(Quantity::vx),
                                     stored.begin() + static_cast<int>(Quantity::vz) + 1, nullptr);
  if (velocities != 0 && velocities != 3) {
    throw FileError(fmt::format(
        "'{}' has some of the arrays vx, vy, vz but not all three; add the missing ones (0 where at rest).", path));
  }
  if (stored[static_cast<std::size_t>(Quantity::mass)] == nullptr) reading.without_masses = "no array mass";
  read_time(content, reading);
  return b;
}

void write_vtp(OutputFile& file, const Bodies& b, const StateInfo& state) {
  static_assert(std::endian::native == std::endian::little, "values are written as they are in memory");
  std::vector<Written> arrays = {{"Points", "Points", 3, {&b.x, &b.y, &b.z}},
                                 {"PointData", "velocity", 3, {&b.vx, &b.vy, &b.vz}},
                                 {"", "mass", 1, {&b.m}},
                                 {"", "radius", 1, {&b.r}}};
  if (!b.q.empty()) arrays.push_back({"", "charge", 1, {&b.q}});
  const u64 n = b.size();
  const bool groups = !b.group.empty();
  u64 offset = 0;
  const auto array = [&](const char* type, const char* name, u32 components, u64 bytes) {
    std::string tag = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        name, components, offset);
    offset += 8 + bytes;
    return tag;
  };
  std::string head = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" ";
  head += "header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" ";
  head += "NumberOfTuples=\"1\" format=\"ascii\">";
  append_number(head, state.time);
  head += fmt::format("</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"1\">\n", n);
  for (const Written& w : arrays) {
    if (*w.section != '\0') head += fmt::format("<{}>\n", w.section);
    head += array("Float64", w.name, w.components, 8 * n * w.components);
    if (w.section == std::string_view("Points")) head += "</Points>\n";
  }
  if (groups) head += array("UInt16", "group", 1, 2 * n);
  // One cell of all points: programs that draw cells do not draw bare points.
  head += "</PointData>\n<Verts>\n";
  head += array("Int64", "connectivity", 1, 8 * n);
  head += array("Int64", "offsets", 1, 8);
  head += "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_";
  file.write(head);
  const auto count = [&file](u64 bytes) { file.write(&bytes, sizeof bytes); };
  u64 done = 0;
  for (const Written& w : arrays) {
    count(8 * n * w.components);
    for (std::size_t i = 0; i < n; ++i) {
      file.progress(done++, n * std::size(arrays));
      for (u32 c = 0; c < w.components; ++c) file.write(&(*w.columns[c])[i], sizeof(double));
    }
  }
  if (groups) count(2 * n), file.write(b.group.data(), 2 * n);
  count(8 * n);
  for (u64 i = 0; i < n; ++i) file.write(&i, sizeof i);
  count(8), file.write(&n, sizeof n);
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

}  // namespace tri::io
