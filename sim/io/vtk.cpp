/// VTK's XML files: vtp and pvd.
///
/// Decodes a <DataArray> of VTK's XML files: text, base64, or bytes appended at the end of the file.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <fmt/format.h>
#include <zlib.h>

#include "sim/base/platform.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"

namespace tri::io {

/// Encoding of all arrays of a file.
struct VtkEncoding {
  bool swap = false;          ///< byte order differs from this machine's
  bool wide_header = false;   ///< byte counts before arrays have 64 bits, else 32
  bool zlib = false;          ///< arrays other than text are zlib blocks
  std::string_view appended;  ///< after the '_' of <AppendedData>
  bool appended_base64 = false;
};

struct VtkArray {
  std::string name, type, format;  ///< type: Float32 .. UInt64; format: ascii, binary, appended
  u64 components = 1;
  u64 offset = 0;         ///< into the appended data
  std::string_view text;  ///< between the tags
};

/// All values as float64. Throws BadText, also for more than max_values values.
std::vector<double> values_of(const VtkArray& array, const VtkEncoding& encoding, u64 max_values);

namespace {

template <class Item>
double value_of(const char* bytes, bool swap) {
  return static_cast<double>(item_at<Item>(bytes, swap));
}

struct Type {
  std::string_view name;
  std::size_t bytes;
  double (*value)(const char* bytes, bool swap);
};

constexpr Type kNumberTypes[] = {{"Float64", 8, value_of<double>},     {"Float32", 4, value_of<float>},
                                 {"Int8", 1, value_of<std::int8_t>},   {"UInt8", 1, value_of<std::uint8_t>},
                                 {"Int16", 2, value_of<std::int16_t>}, {"UInt16", 2, value_of<std::uint16_t>},
                                 {"Int32", 4, value_of<std::int32_t>}, {"UInt32", 4, value_of<std::uint32_t>},
                                 {"Int64", 8, value_of<std::int64_t>}, {"UInt64", 8, value_of<std::uint64_t>}};

/// A count in a header of an array, at this place of it.
u64 count_in(std::string_view header, const VtkEncoding& encoding, u64 place = 0) {
  if (encoding.wide_header) return item_at<u64>(header.data() + 8 * place, encoding.swap);
  return item_at<u32>(header.data() + 4 * place, encoding.swap);
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Decodes base64 up to its end, a '=' or a '<', to at most max_bytes.
std::string from_base64(std::string_view text, u64 max_bytes) {
  std::string bytes;
  u32 bits = 0, count = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const int digit = base64_digit(c);
    if (digit < 0) {
      if (c == '=' || c == '<') break;
      throw BadText("has an invalid base64 character");
    }
    bits = bits << 6 | static_cast<u32>(digit), count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
    if (bytes.size() >= max_bytes) break;
  }
  return bytes;
}

std::vector<double> from_text(std::string_view text, u64 max_values) {
  std::vector<double> values;
  for (;;) {
    text = trimmed(text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())));
    if (text.empty()) return values;
    const std::string_view field = text.substr(0, text.find_first_of(" \t\r\n"));
    double value = 0;
    if (!parse_number(field, value)) throw BadText(fmt::format("holds {}, which is not a number", in_quotes(field)));
    if (values.size() == max_values) throw BadText(fmt::format("holds more than the {} values announced", max_values));
    values.push_back(value);
    text.remove_prefix(field.size());
  }
}

/// The bytes of an array, without the count before them.
std::string_view data_of(std::string_view bytes, const VtkEncoding& encoding) {
  const std::size_t head = encoding.wide_header ? 8 : 4;
  if (bytes.size() < head) throw BadText("ends before its data: the file is cut off");
  const auto count = static_cast<double>(count_in(bytes, encoding));
  bytes.remove_prefix(head);
  if (count > static_cast<double>(bytes.size())) {
    throw BadText(fmt::format("announces {:.0f} bytes but has {}: the file is cut off", count, bytes.size()));
  }
  return bytes.substr(0, static_cast<std::size_t>(count));
}

/// The rest of a base64 text after the characters that encode the first `bytes` bytes.
std::string_view after_base64(std::string_view text, u64 bytes) {
  u64 characters = (bytes + 2) / 3 * 4;
  std::size_t at = 0;
  for (; at < text.size() && characters > 0; ++at) {
    if (std::string_view(" \n\r\t").find(text[at]) == std::string_view::npos) --characters;
  }
  return text.substr(at);
}

/// The header of compressed data: number of blocks, uncompressed bytes of a block, of the last one if it is shorter,
/// and compressed bytes of each.
struct Blocks {
  u64 block_bytes = 0, bytes = 0;  ///< uncompressed: of a block; of all
  std::vector<u64> compressed;     ///< bytes of each block
  u64 compressed_bytes = 0;        ///< of all
};

Blocks blocks_of(std::string_view counts, const VtkEncoding& encoding, u64 available) {
  const std::size_t each = encoding.wide_header ? 8 : 4;
  const auto count = [&](u64 k) { return count_in(counts, encoding, k); };
  Blocks blocks;
  blocks.block_bytes = count(1);
  const u64 number = counts.size() / each - 3, last = count(2) == 0 ? blocks.block_bytes : count(2);
  for (u64 k = 0; k < number; ++k) {
    blocks.compressed.push_back(count(3 + k));
    if (__builtin_add_overflow(blocks.compressed_bytes, blocks.compressed.back(), &blocks.compressed_bytes)) {
      blocks.compressed_bytes = ~u64{0};
      break;
    }
  }
  const double bytes = number == 0 ? 0
                                   : static_cast<double>(number - 1) * static_cast<double>(blocks.block_bytes) +
                                         static_cast<double>(last);
  if (last > blocks.block_bytes || blocks.compressed_bytes > available ||
      bytes > max_expanded(static_cast<double>(blocks.compressed_bytes))) {
    throw BadText(fmt::format("announces {:.0f} bytes in {} compressed ones but has {}: the file is cut off or damaged",
                              bytes, blocks.compressed_bytes, available));
  }
  blocks.bytes = static_cast<u64>(bytes);
  return blocks;
}

/// Decompresses an array of zlib blocks. In base64, the header and the blocks are encoded separately.
std::string inflated(std::string_view source, bool base64, const VtkEncoding& encoding, u64 max_bytes) {
  const std::size_t each = encoding.wide_header ? 8 : 4;
  const auto first = [&](u64 bytes) {
    return base64 ? from_base64(source, bytes) : std::string(source.substr(0, bytes));
  };
  const std::string begin = first(3 * each);
  if (begin.size() < 3 * each) throw BadText("ends before its data: the file is cut off");
  const auto number = static_cast<double>(count_in(begin, encoding));
  if (number > static_cast<double>(source.size())) {
    throw BadText(fmt::format("announces {:.0f} compressed blocks: the file is cut off or damaged", number));
  }
  const u64 head = (3 + static_cast<u64>(number)) * each;
  const std::string counts = first(head);
  if (counts.size() < head) throw BadText("ends before its data: the file is cut off");
  source = base64 ? after_base64(source, head) : source.substr(head);
  const Blocks blocks = blocks_of(counts, encoding, source.size());
  if (blocks.bytes > max_bytes)
    throw BadText(fmt::format("holds {} bytes, but {} are announced", blocks.bytes, max_bytes));
  const std::string decoded = base64 ? from_base64(source, blocks.compressed_bytes) : "";
  std::string_view packed = base64 ? std::string_view(decoded) : source;
  if (packed.size() < blocks.compressed_bytes) throw BadText("ends before its data: the file is cut off");
  std::string bytes(blocks.bytes, '\0');
  for (u64 k = 0, at = 0; k < blocks.compressed.size(); ++k) {
    uLongf size = std::min(blocks.block_bytes, blocks.bytes - at);
    const uLongf expected = size;
    const auto* from = reinterpret_cast<const Bytef*>(packed.data());
    if (uncompress(reinterpret_cast<Bytef*>(bytes.data() + at), &size, from, blocks.compressed[k]) != Z_OK ||
        size != expected) {
      throw BadText(
          fmt::format("has a damaged block, number {} of {}; copy the file again", k + 1, blocks.compressed.size()));
    }
    at += size;
    packed.remove_prefix(blocks.compressed[k]);
  }
  return bytes;
}

}  // namespace

std::vector<double> values_of(const VtkArray& array, const VtkEncoding& encoding, u64 max_values) {
  const auto type = std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes),
                                 [&](const Type& t) { return t.name == array.type; });
  if (type == std::end(kNumberTypes))
    throw BadText(fmt::format("has the type {}; only numbers are read", in_quotes(array.type)));
  if (array.format == "ascii") return from_text(array.text, max_values);
  const bool appended = array.format == "appended";
  if (!appended && array.format != "binary")
    throw BadText(fmt::format("has the unknown format {}", in_quotes(array.format)));
  if (appended && array.offset > encoding.appended.size()) {
    throw BadText("starts after the end of the file: it is cut off");
  }
  const std::string_view source = appended ? encoding.appended.substr(array.offset) : array.text;
  const bool base64 = !appended || encoding.appended_base64;
  const std::string decoded = encoding.zlib ? inflated(source, base64, encoding, max_values * type->bytes)
                              : base64      ? from_base64(source, 8 + max_values * type->bytes)
                                            : "";
  const std::string_view bytes =
      encoding.zlib ? std::string_view(decoded) : data_of(base64 ? decoded : source, encoding);
  if (bytes.size() % type->bytes != 0 || bytes.size() / type->bytes > max_values) {
    throw BadText(fmt::format("holds {} bytes, which are not {} values of {}", bytes.size(), max_values, array.type));
  }
  std::vector<double> values;
  values.reserve(bytes.size() / type->bytes);
  for (std::size_t at = 0; at < bytes.size(); at += type->bytes) {
    values.push_back(type->value(&bytes[at], encoding.swap));
  }
  return values;
}

// vtp: VTK's XML PolyData, points only (VTK File Formats, "XML File Formats"). Points are the positions; the arrays
// velocity, mass, radius, charge and group of PointData the quantities of that name; TimeValue of FieldData the time.
// Written as appended raw float64; read in every encoding, compressed only by zlib.

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
  std::vector<std::string> unread;  ///< "radius (CellData)"
  u64 cells = 0;                    ///< lines, strips and polygons
};

constexpr std::string_view kTime = "TimeValue";
constexpr std::size_t kMaxNamed = 20;  ///< arrays in a note

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
    } catch (const BadText& reason) {
      fail(tag, reason.what() + std::string("; the file is cut off, or not a .vtp"));
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
      for (const char* kind : {"NumberOfLines", "NumberOfStrips", "NumberOfPolys"}) {
        content_.cells += std::min<u64>(integer(tag, kind, "0"), std::numeric_limits<u32>::max());
      }
    } else if (tag.name == "AppendedData") {
      open_appended(tag);
    } else if (tag.name == "DataArray" || tag.name == "Array") {
      open_array(tag);
    } else if (!tag.closes) {
      for (const char* name : {"Points", "PointData", "FieldData", "CellData"}) {
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

  /// Arrays of texts that are no quantity, those of cells, and all of the field but the time are not read; nor are
  /// connectivity and offsets, which are no data.
  bool is_unread(const VtkArray& array) const {
    const bool quantity = section_ == "PointData" && (quantity_of(array.name) || vector_of(array.name));
    return (array.type == "String" && !quantity) || section_ == "CellData" ||
           (section_ == "FieldData" && array.name != kTime);
  }

  void open_array(const XmlTag& tag) {
    VtkArray array;
    array.name = tag.attribute("Name"), array.type = tag.attribute("type"), array.format = tag.attribute("format");
    if (section_.empty()) return;
    if (is_unread(array)) {
      if (content_.unread.size() < kMaxNamed) content_.unread.push_back(fmt::format("{} ({})", array.name, section_));
      return;
    }
    array.components = integer(tag, "NumberOfComponents", "1");
    array.offset = integer(tag, "offset", "0");
    if (!tag.closes) array.text = text_.substr(tag.end, text_.find('<', tag.end) - tag.end);
    auto& to = section_ == "Points" ? content_.positions : section_ == "FieldData" ? content_.field : content_.data;
    constexpr std::size_t kMax = 1000;
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
    throw FileError(fmt::format("'{}': the array {} {}.", path, array.name.empty() ? "of Points" : array.name, what));
  };
  if (array.components != columns) fail(fmt::format("has {} components instead of {}", array.components, columns));
  std::vector<double> values;
  try {
    values = values_of(array, content.encoding, content.points * columns);
  } catch (const BadText& reason) {
    fail(reason.what());
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

void note_unread(const std::string& path, const Content& content, ReadReport& reading) {
  if (!content.unread.empty()) {
    reading.notes.push_back(fmt::format("'{}': these arrays are not read: {}{}.", path, fmt::join(content.unread, ", "),
                                        content.unread.size() == kMaxNamed ? " ..." : ""));
  }
  if (content.cells > 0) {
    reading.notes.push_back(fmt::format(
        "'{}': its {} lines, strips and polygons are not read; their points are bodies.", path, content.cells));
  }
}

void read_time(const std::string& path, const Content& content, ReadReport& reading) {
  for (const VtkArray& array : content.field) {
    if (reading.time) throw FileError(fmt::format("'{}' has two arrays {}; remove one.", path, kTime));
    try {
      const std::vector<double> values = values_of(array, content.encoding, 1);
      if (values.size() != 1 || !std::isfinite(values[0])) throw BadText("is no number");
      reading.time = values[0];
    } catch (const BadText& reason) {
      reading.notes.push_back(fmt::format("the time is not used: TimeValue {}.", reason.what()));
    }
  }
}

struct Written {
  const char* section;
  std::string_view name;
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
  std::vector<const VtkArray*> stored(body_columns().size());
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
  note_unread(path, content, reading);
  read_time(path, content, reading);
  return b;
}

void write_vtp(OutputFile& file, const Bodies& b, const StateInfo& state) {
  static_assert(std::endian::native == std::endian::little, "values are written as they are in memory");
  std::vector<Written> arrays = {{"Points", "Points", 3, {&b.x, &b.y, &b.z}},
                                 {"PointData", "velocity", 3, {&b.vx, &b.vy, &b.vz}},
                                 {"", "mass", 1, {&b.m}},
                                 {"", "radius", 1, {&b.r}}};
  for_each_optional(b, [&]<class T>(const ColumnInfo& c, const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, double>) arrays.push_back({"", c.long_name, 1, {&values}});
  });
  const auto for_each_whole = [&](const auto& visit) {
    for_each_optional(b, [&]<class T>(const ColumnInfo& c, const std::vector<T>& values) {
      if constexpr (std::is_integral_v<T>) visit(c, values);
    });
  };
  const u64 n = b.size();
  u64 offset = 0;
  const auto array = [&](std::string_view type, std::string_view name, u32 components, u64 bytes) {
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
  for_each_whole([&]<class T>(const ColumnInfo& c, const std::vector<T>&) {
    head += array(fmt::format("UInt{}", 8 * sizeof(T)), c.long_name, 1, sizeof(T) * n);
  });
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
  for_each_whole([&]<class T>(const ColumnInfo&, const std::vector<T>& values) {
    count(sizeof(T) * n), file.write(values.data(), sizeof(T) * n);
  });
  count(8 * n);
  for (u64 i = 0; i < n; ++i) file.write(&i, sizeof i);
  count(8), file.write(&n, sizeof n);
  file.write("\n</AppendedData>\n</VTKFile>\n");
}

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
  std::map<double, std::string> states;  // with the file of each
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
      if (states.emplace(entry.time, entry.file).first->second != entry.file)
        fail(fmt::format("another file is a part of the state at {:.6g}; join them into one first", entry.time));
      count_as_read((std::filesystem::path(path).parent_path() / entry.file).string());
      entries.push_back(std::move(entry));
    }
  } catch (const BadText& reason) {
    fail(reason.what() + std::string("; the file is cut off, or not a .pvd"));
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
