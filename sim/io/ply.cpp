/// ply (Turk 1994, the Stanford polygon format): header lines, then the element vertex, as text or binary in either
/// byte order. Its properties x y z, vx vy vz, mass, radius, charge and group become bodies; other elements (faces) are
/// not read. Written as little-endian binary float64, with the time as a comment.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <sstream>
#include <vector>

#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"

namespace tri::io {

namespace {

enum class Form : u8 { text, little, big };

struct Property {
  std::string name;
  char kind = 'f';  ///< f, i, u
  std::size_t bytes = 8;
  std::optional<Quantity> quantity;
};

struct Header {
  Form form = Form::text;
  u64 vertices = 0;
  bool has_vertices = false;
  std::vector<Property> properties;
  std::optional<double> time;
  ReadReport units;  ///< of the numbers, and notes
  std::vector<std::string> elements_before;
  std::vector<std::string> elements_after;  ///< they are not read
  bool has_format = false;
};

constexpr std::size_t kMaxHeader = 65536;
constexpr std::size_t kTextChunk = 4096;

Property property_of(const std::string& type, const std::string& name) {
  struct KnownType {
    const char* name;
    char kind;
    std::size_t bytes;
  };
  constexpr KnownType kTypes[] = {{"char", 'i', 1},  {"int8", 'i', 1},    {"uchar", 'u', 1},  {"uint8", 'u', 1},
                                  {"short", 'i', 2}, {"int16", 'i', 2},   {"ushort", 'u', 2}, {"uint16", 'u', 2},
                                  {"int", 'i', 4},   {"int32", 'i', 4},   {"uint", 'u', 4},   {"uint32", 'u', 4},
                                  {"float", 'f', 4}, {"float32", 'f', 4}, {"double", 'f', 8}, {"float64", 'f', 8}};
  for (const KnownType& known : kTypes) {
    if (type == known.name) return {name, known.kind, known.bytes, quantity_of(name)};
  }
  return {name, '?', 0, std::nullopt};
}

double value_of(const char* at, const Property& p, bool swap) {
  const auto as = [&]<class Item>(Item) { return static_cast<double>(item_at<Item>(at, swap)); };
  if (p.kind == 'f') return p.bytes == 4 ? as(0.0f) : as(0.0);
  const bool sign = p.kind == 'i';
  if (p.bytes == 1) return sign ? as(std::int8_t{}) : as(std::uint8_t{});
  if (p.bytes == 2) return sign ? as(std::int16_t{}) : as(std::uint16_t{});
  return sign ? as(std::int32_t{}) : as(std::uint32_t{});
}

/// Reads a file sequentially: the header as lines, the rest as bytes.
class PlyReader {
 public:
  explicit PlyReader(const std::string& path) : file_(path) { read_header(); }

  const Header& header() const { return header_; }

  Bodies bodies(ReadReport& reading) {
    check_header();
    Bodies b;
    if (header_.form == Form::text) {
      read_text(b);
    } else {
      read_binary(b);
    }
    check_end();
    reading.time = header_.time;
    reading.units = header_.units.units, reading.unknown_units = header_.units.unknown_units;
    reading.loose_unit = header_.units.loose_unit;
    reading.notes.insert(reading.notes.end(), header_.units.notes.begin(), header_.units.notes.end());
    const auto is_mass = [](const Property& p) { return p.quantity == Quantity::mass; };
    if (std::none_of(header_.properties.begin(), header_.properties.end(), is_mass)) {
      reading.without_masses = "no property mass";
    }
    for (const std::string& element : header_.elements_after) {
      reading.notes.push_back(fmt::format("'{}': the element {} is not read; the vertices are the bodies.",
                                          file_.path(), in_quotes(element)));
    }
    for (const Property& p : header_.properties) {
      if (!p.quantity) reading.notes.push_back(fmt::format("'{}': the property {} is not used.", file_.path(), p.name));
    }
    return b;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(fmt::format("'{}', line {}: {}.", file_.path(), line_, what));
  }

  /// The next byte; false at the end of the file.
  bool next(char& c) {
    if (at_ == chunk_.size()) {
      chunk_.resize(kTextChunk);
      chunk_.resize(file_.read(chunk_.data(), kTextChunk));
      at_ = 0;
      if (chunk_.empty()) return false;
    }
    c = chunk_[at_++];
    return true;
  }

  bool next_line(std::string& line) {
    line.clear();
    char c = 0;
    bool any = false;
    while (next(c)) {
      any = true;
      if (c == '\n') break;
      line += c;
      if (line.size() > kMaxHeader)
        fail("is longer than 65536 bytes, so this is not a ply header; write the file again");
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    line_ += any;
    return any;
  }

  void read_header() {
    std::string line;
    if (!next_line(line) || line != "ply") {
      throw FileError(fmt::format("'{}' does not start with the line ply; does it have another format?", file_.path()));
    }
    std::string element;
    for (;;) {
      if (!next_line(line)) fail("the file ends in its header; it may have been cut off");
      if (line_ > 1000) fail("the header has more than 1000 lines, so the file is damaged; copy it again");
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "end_header") return leave_colours();
      if (word == "comment" || word == "obj_info") parse_comment(words);
      if (word == "format") parse_format(words);
      if (word == "element") parse_element(words, element);
      if (word == "property" && element == "vertex") parse_property(words);
    }
  }

  void parse_comment(std::istringstream& words) {
    std::string text, key, value, more;
    std::getline(words, text);
    apply_units_comment(file_.path(), text, header_.units);
    double time = 0;
    std::istringstream parts(text);
    if (!(parts >> key >> value) || key != "time") return;
    const bool is_number = parse_number(value, time) && std::isfinite(time), is_alone = !(parts >> more);
    if (!is_number && !is_alone) return;  // "time of ..."
    if (header_.time) fail("the time is said twice; remove one line");
    if (is_number && is_alone) return void(header_.time = time);
    header_.units.notes.push_back(
        fmt::format("'{}': the {} is no number and is not used.", file_.path(), in_quotes(trimmed(text))));
  }

  /// r, g and b are a colour, and so are integers r.
  void leave_colours() {
    auto& all = header_.properties;
    const auto has = [&](const char* name) {
      return std::any_of(all.begin(), all.end(), [name](const Property& p) { return p.name == name; });
    };
    for (Property& p : all) {
      if (p.name == "r" && (p.kind != 'f' || (has("g") && has("b")))) p.quantity.reset();
    }
  }

  void parse_format(std::istringstream& words) {
    std::string name;
    words >> name;
    if (header_.has_format) fail("the format is said twice; remove one line");
    header_.has_format = true;
    if (name == "ascii") return void(header_.form = Form::text);
    if (name == "binary_little_endian") return void(header_.form = Form::little);
    if (name == "binary_big_endian") return void(header_.form = Form::big);
    fail(fmt::format("the format {} is not one of ascii, binary_little_endian, binary_big_endian", in_quotes(name)));
  }

  void parse_element(std::istringstream& words, std::string& element) {
    std::string count;
    words >> element >> count;
    u64 n = 0;
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), n);
    if (error != std::errc() || end != count.data() + count.size()) {
      fail(fmt::format("{} is not an element count", in_quotes(count)));
    }
    if (element == "vertex") {
      if (header_.has_vertices) fail("the element vertex is said twice; remove one");
      header_.vertices = n, header_.has_vertices = true;
    } else if (!header_.has_vertices && n > 0) {
      header_.elements_before.push_back(element);
    } else if (n > 0) {
      header_.elements_after.push_back(element);
    }
  }

  void parse_property(std::istringstream& words) {
    std::string type, name;
    words >> type >> name;
    Property p = property_of(type, name);
    if (p.bytes == 0 || name.empty()) {
      fail(fmt::format("a vertex has a property of type {}; only numbers are read, so remove it", in_quotes(type)));
    }
    if (header_.properties.size() == 256)
      fail("a vertex has more than 256 properties; remove some, or copy the file again if it should have fewer");
    for (const Property& other : header_.properties) {
      if (p.quantity && other.quantity == p.quantity) {
        fail(fmt::format("{} and {} are the same quantity; remove one", in_quotes(other.name), in_quotes(name)));
      }
    }
    header_.properties.push_back(std::move(p));
  }

  void check_header() const {
    if (!header_.elements_before.empty()) {
      fail(
          fmt::format("the element {} comes before vertex; write vertex first", in_quotes(header_.elements_before[0])));
    }
    for (const Quantity q : {Quantity::x, Quantity::y, Quantity::z}) {
      const auto has = [q](const Property& p) { return p.quantity == q; };
      if (std::none_of(header_.properties.begin(), header_.properties.end(), has)) {
        fail("the element vertex has no properties x, y and z, the positions of the bodies");
      }
    }
    if (!header_.has_format) fail("the header has no line \"format ascii 1.0\", or binary_little_endian; add it");
    const auto velocities = std::count_if(header_.properties.begin(), header_.properties.end(), [](const Property& p) {
      return p.quantity && *p.quantity >= Quantity::vx && *p.quantity <= Quantity::vz;
    });
    if (velocities != 0 && velocities != 3) {
      fail("the element vertex has some of vx, vy, vz but not all three; add the missing ones (0 where at rest)");
    }
    if (header_.vertices == 0) fail("the header counts no vertices, and so no bodies");
    check_count(header_.vertices, [&](const char* what) { fail(what); });
  }

  void put(Bodies& b, const Property& p, double value) const {
    const std::string problem = store_value(b, b.size() - 1, *p.quantity, value);
    if (problem.empty()) return;
    throw FileError(fmt::format("'{}', vertex {} (from 0), {}: {}.", file_.path(), b.size() - 1, p.name, problem));
  }

  [[noreturn]] void fail_cut(const Bodies& b) const {
    throw FileError(fmt::format("'{}' announces {} vertices and ends after {}: it is cut off; write it again.",
                                file_.path(), header_.vertices, b.size()));
  }

  /// Nothing but blanks may follow the last element.
  void check_end() {
    char c = 0;
    while (header_.elements_after.empty() && next(c)) {
      if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) continue;
      throw FileError(fmt::format("'{}' goes on after the {} vertices that it announces; write it again.", file_.path(),
                                  header_.vertices));
    }
  }

  void read_text(Bodies& b) {
    std::string line;
    for (u64 i = 0; i < header_.vertices; ++i) {
      if (!next_line(line)) fail_cut(b);
      std::string_view rest = trimmed(line);
      b.add(0, 0, 0, 0, 0, 0, 1);
      for (const Property& p : header_.properties) {
        const std::string_view field = rest.substr(0, rest.find_first_of(" \t"));
        rest = trimmed(rest.substr(field.size()));
        double value = 0;
        if (!parse_number(field, value)) fail(fmt::format("{} = {} is not a number", p.name, in_quotes(field)));
        if (p.quantity) put(b, p, value);
      }
      if (!rest.empty()) fail(fmt::format("has more than the {} properties of a vertex", header_.properties.size()));
    }
  }

  void read_binary(Bodies& b) {
    std::size_t bytes = 0;
    for (const Property& p : header_.properties) bytes += p.bytes;
    const bool swap = is_swapped(header_.form == Form::big);
    std::vector<char> record(bytes);
    for (u64 i = 0; i < header_.vertices; ++i) {
      for (char& c : record) {
        if (!next(c)) fail_cut(b);
      }
      b.add(0, 0, 0, 0, 0, 0, 1);
      const char* at = record.data();
      for (const Property& p : header_.properties) {
        if (p.quantity) put(b, p, value_of(at, p, swap));
        at += p.bytes;
      }
    }
  }

  InputFile file_;
  Header header_;
  std::string chunk_;
  std::size_t at_ = 0;
  u64 line_ = 0;
};

}  // namespace

Bodies read_ply(const std::string& path, ReadReport& reading) { return PlyReader(path).bodies(reading); }

void write_ply(OutputFile& file, const Bodies& b, const StateInfo& state) {
  static_assert(std::endian::native == std::endian::little, "values are written as they are in memory");
  std::string header = "ply\nformat binary_little_endian 1.0\ncomment time ";
  append_number(header, state.time);
  if (find_unit_system(state.units) != nullptr) header += fmt::format("\ncomment units {}", state.units);
  header += fmt::format("\nelement vertex {}\n", b.size());
  std::string whole;
  for (const ColumnInfo& c : body_columns()) {
    if (!c.has(ColumnInfo::kOptional)) header += fmt::format("property double {}\n", c.long_name);
  }
  for_each_optional(b, [&](const ColumnInfo& c, const auto&) {
    // Some readers do not know ushort.
    (c.highest != 0 ? whole : header) +=
        fmt::format("property {} {}\n", c.highest != 0 ? "uint" : "double", c.long_name);
  });
  file.write(header + whole + "end_header\n");
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    const std::array<double, 8> row{b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i], b.m[i], b.r[i]};
    file.write(row.data(), sizeof row);
    for (const bool of_whole : {false, true}) {
      for_each_optional(b, [&]<class T>(const ColumnInfo& c, const std::vector<T>& values) {
        if ((c.highest != 0) != of_whole) return;
        const std::conditional_t<std::is_integral_v<T>, u32, T> value = values[i];
        file.write(&value, sizeof value);
      });
    }
  }
}

}  // namespace tri::io
