#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/text/map_file.hpp"
#include "sim/text/map_program.hpp"

namespace tri::mapfile {
namespace {

bool fits(const Range& range) { return range.within(std::numeric_limits<i32>::min(), std::numeric_limits<i32>::max()); }

/// A number of 32 or 64 bits.
const char* type_name(bool narrow) { return narrow ? "tri::i32" : "tri::i64"; }

std::string literal(i64 value, bool narrow) {
  const char* const end = narrow ? "" : "ll";
  if (value == std::numeric_limits<i64>::min() || (narrow && value == std::numeric_limits<i32>::min())) {
    return fmt::format("({}{} - 1)", value + 1, end);
  }
  return fmt::format("{}{}", value, end);
}

/// Prints the tile of a program, for inputs in these ranges. Registers are variables, of 32 bits where all their values
/// fit, and jumps are jumps.
class Printer {
 public:
  Printer(const Program& program, const std::vector<Range>& inputs)
      : program_(program), met_(ranges_of(program, inputs)), narrow_(program.registers, true) {
    for (u32 k = 0; k < program.inputs; ++k) narrow_[k] = fits(inputs[k]);
    for (std::size_t k = 0; k < program.code.size(); ++k) {
      const Instruction& i = program.code[k];
      if (i.op == Op::jump || i.op == Op::jump_if_zero || i.op == Op::repeat || i.op == Op::next_round) {
        labels_.insert(i.target);
      }
      if (!met_[k].to.empty() && !fits(met_[k].to)) narrow_[i.to] = false;
    }
  }

  std::string text() const {
    std::string text = tables() + variables();
    for (u32 k = 0; k < program_.code.size(); ++k) {
      if (labels_.count(k)) text += fmt::format("  l{}:\n", k);
      text += "    " + line(program_.code[k], met_[k]) + "\n";
    }
    if (labels_.count(static_cast<u32>(program_.code.size()))) text += fmt::format("  l{}:\n", program_.code.size());
    return text;
  }

 private:
  bool is_constant(Register r) const { return r >= program_.inputs && r < program_.start.size(); }

  /// A constant by its value, all others as variables.
  std::string value(Register r) const {
    return is_constant(r) ? literal(program_.start[r], false) : fmt::format("r{}", r);
  }
  /// The same as a number of 32 or 64 bits.
  std::string value_as(Register r, bool narrow) const {
    if (is_constant(r)) return literal(program_.start[r], narrow);
    if (narrow_[r] == narrow) return value(r);
    return fmt::format("static_cast<{}>(r{})", type_name(narrow), r);
  }

  bool table_fits(u32 table) const {
    const std::vector<i64>& values = (*program_.tables)[table].values;
    return std::all_of(values.begin(), values.end(), [](i64 v) { return fits({v, v}); });
  }

  std::string tables() const {
    std::set<u32> read;
    for (const Instruction& i : program_.code) {
      if (i.op == Op::table) read.insert(i.target);
    }
    std::string text;
    for (const u32 t : read) {
      const bool narrow = table_fits(t);
      text += fmt::format("    static constexpr {} t{}[] = {{", type_name(narrow), t);
      std::size_t column = 200;
      for (const i64 v : (*program_.tables)[t].values) {
        const std::string number = literal(v, narrow) + ",";
        if (column + number.size() > 110) text += "\n        ", column = 8;
        text += number, column += number.size();
      }
      text += "};\n";
    }
    return text;
  }

  std::string variables() const {
    std::string text;
    for (u32 r = static_cast<u32>(program_.start.size()); r < program_.registers; ++r) {
      text += fmt::format("    {} r{} = 0;\n", type_name(narrow_[r]), r);
    }
    return text;
  }

  /// Of an operation that C++ writes between its operands; else null.
  static const char* infix_symbol(Op op) {
    constexpr std::pair<Op, const char*> kInfix[] = {
        {Op::add, "+"},          {Op::subtract, "-"}, {Op::multiply, "*"},   {Op::divide, "/"},  {Op::remainder, "%"},
        {Op::shift_right, ">>"}, {Op::bit_and, "&"},  {Op::bit_or, "|"},     {Op::bit_xor, "^"}, {Op::equal, "=="},
        {Op::not_equal, "!="},   {Op::less, "<"},     {Op::less_equal, "<="}};
    const auto* const found =
        std::find_if(std::begin(kInfix), std::end(kInfix), [op](const auto& i) { return i.first == op; });
    return found == std::end(kInfix) ? nullptr : found->second;
  }

  /// Whether an operation may be one of 32 bits.
  static bool is_narrow(const Instruction& i, const Ranges& met) {
    if ((i.op == Op::shift_left || i.op == Op::shift_right) && !met.b.within(0, 31)) return false;
    return fits(met.a) && (met.b.empty() || fits(met.b)) && fits(met.to);
  }

  /// Division and remainder of two numbers that are not negative are those of numbers without a sign, which are faster.
  std::string divided(const Instruction& i, const Ranges& met, bool narrow) const {
    const std::string a = value_as(i.a, narrow), b = value_as(i.b, narrow);
    const char* const symbol = infix_symbol(i.op);
    if (met.a.low < 0 || met.b.low < 0) return fmt::format("{} {} {}", a, symbol, b);
    const char* const type = narrow ? "tri::u32" : "tri::u64";
    return fmt::format("static_cast<{0}>({1}) {2} static_cast<{0}>({3})", type, a, symbol, b);
  }

  /// A function of the bits of a number, of 32 where it has no more.
  std::string of_bits(const char* function, Register a, const Ranges& met) const {
    const u32 bits = met.a.within(0, std::numeric_limits<u32>::max()) ? 32 : 64;
    return fmt::format("tri::{}(static_cast<tri::u{}>({}))", function, bits, value_as(a, false));
  }

  /// What an instruction assigns.
  std::string result(const Instruction& i, const Ranges& met) const {
    const bool narrow = is_narrow(i, met);
    const std::string a = value_as(i.a, narrow), b = value_as(i.b, narrow);
    if (i.op == Op::divide || i.op == Op::remainder) return divided(i, met, narrow);
    if (const char* symbol = infix_symbol(i.op)) return fmt::format("{} {} {}", a, symbol, b);
    switch (i.op) {
      case Op::negate:
        return "-" + a;
      case Op::shift_left:
        return fmt::format("static_cast<{}>(static_cast<tri::u{}>({}) << {})", type_name(narrow), narrow ? 32 : 64, a,
                           b);
      case Op::bit_not:
        return "~" + a;
      case Op::logical_not:
        return a + " == 0";
      case Op::min:
        return fmt::format("{0} < {1} ? {0} : {1}", a, b);
      case Op::max:
        return fmt::format("{0} < {1} ? {1} : {0}", a, b);
      case Op::abs:
        return fmt::format("{0} < 0 ? -{0} : {0}", a);
      case Op::isqrt:
        return of_bits("floor_sqrt", i.a, met);
      case Op::icbrt:
        return of_bits("floor_cbrt", i.a, met);
      case Op::clz:
        return of_bits("leading_zeros", i.a, met);
      case Op::ctz:
        return of_bits("trailing_zeros", i.a, met);
      case Op::popcount:
        return of_bits("bit_count", i.a, met);
      case Op::mulhi:
        return fmt::format("tri::upper_product({}, {})", value_as(i.a, false), value_as(i.b, false));
      case Op::table:
        return fmt::format("t{}[{}]", i.target, value(i.a));
      default:
        return value_as(i.a, narrow);
    }
  }

  std::string line(const Instruction& i, const Ranges& met) const {
    switch (i.op) {
      case Op::jump:
        return fmt::format("goto l{};", i.target);
      case Op::jump_if_zero:
        return fmt::format("if ({} == 0) goto l{};", value(i.a), i.target);
      case Op::end_if:
        return fmt::format("if ({} != 0) return {{}};", value(i.a));
      case Op::next_round:
        return fmt::format("if (--r{} != 0) goto l{};", i.to, i.target);
      default:
        break;
    }
    const std::string assigned =
        fmt::format("r{} = static_cast<{}>({});", i.to, type_name(narrow_[i.to]), result(i, met));
    return i.op == Op::repeat ? fmt::format("{} if (r{} == 0) goto l{};", assigned, i.to, i.target) : assigned;
  }

  const Program& program_;
  std::vector<Ranges> met_;   ///< [instructions]
  std::vector<bool> narrow_;  ///< [registers] its variable has 32 bits
  std::set<u32> labels_;
};

const char* base_of(Domain domain) {
  return domain == Domain::triangle ? "TriangleBase" : domain == Domain::tetrahedron ? "TetraBase" : "GasketBase";
}

DeviceShape shape_of(const MapText& text) {
  return {std::max(1u, static_cast<u32>(text.once_names.size())),
          text.passes.outputs.empty() ? static_cast<u32>(text.launch.size()) : kMaxDevicePasses};
}

/// Throws as device_map().
std::shared_ptr<const SizedMapFile> sized_for_device(const MapFile& map, u32 side) {
  auto at = std::static_pointer_cast<const SizedMapFile>(map.at(side));
  if (!at->why_not().empty()) throw ConfigError(fmt::format("--map {}: {}.", map.info().name, at->why_not()));
  if (at->launches().size() > shape_of(map.text()).passes) {
    throw ConfigError(fmt::format("--map {} has {} passes at m = {}, and a device takes {}; use --backend cpu.",
                                  map.info().name, at->launches().size(), side, kMaxDevicePasses));
  }
  return at;
}

/// Of the inputs of a tile at this side, those of `once` last.
std::vector<Range> input_ranges(const SizedMapFile& at) {
  std::vector<Range> inputs(kTileInputs, Range{0, 0});
  const auto reach = [&](TileInput input, Wide value) {
    i64& high = inputs[static_cast<u32>(input)].high;
    high = static_cast<i64>(std::clamp<Wide>(value, high, std::numeric_limits<i64>::max()));
  };
  for (const Launch& launch : at.launches()) {
    reach(TileInput::x, static_cast<Wide>(launch.x) - 1);
    reach(TileInput::y, static_cast<Wide>(launch.y) - 1);
    reach(TileInput::z, static_cast<Wide>(launch.z) - 1);
    reach(TileInput::w, static_cast<Wide>(launch.x) * launch.y * launch.z - 1);
    reach(TileInput::pass, launch.pass);
  }
  inputs[static_cast<u32>(TileInput::m)] = {at.side(), at.side()};
  for (const i64 value : at.once()) inputs.push_back({value, value});
  return inputs;
}

/// w = x + X (y + Y z); as short as the launches allow.
std::string position_in_launch(const std::vector<Range>& ranges) {
  const auto is_zero = [&](TileInput input) { return ranges[static_cast<u32>(input)].is(0); };
  const bool flat = is_zero(TileInput::z);
  if (flat && is_zero(TileInput::y)) return "p.x";
  const char* const pass = is_zero(TileInput::pass) ? "0" : "p.pass";
  const char* const type = fits(ranges[static_cast<u32>(TileInput::w)]) ? "tri::u32" : "tri::u64";
  const auto length = [&](const char* array) { return fmt::format("static_cast<{}>({}[{}])", type, array, pass); };
  const std::string line = flat ? "p.y" : fmt::format("(p.y + {} * p.z)", length("high"));
  return fmt::format("static_cast<{}>(p.x) + {} * {}", type, length("wide"), line);
}

/// The inputs as variables, those that the text reads.
std::string inputs(const MapText& text, const std::vector<Range>& ranges) {
  const std::string values[kTileInputs] = {"p.x",
                                           "p.y",
                                           "p.z",
                                           "p.pass",
                                           position_in_launch(ranges),
                                           text.domain == Domain::triangle      ? "rows()"
                                           : text.domain == Domain::tetrahedron ? "layers()"
                                                                                : "side()"};
  std::string lines;
  for (u32 k = 0; k < text.tile.inputs; ++k) {
    if (text.tile.reads[k] == 0) continue;
    lines += fmt::format("    const {0} r{1} = static_cast<{0}>({2});\n", type_name(fits(ranges[k])), k,
                         k < kTileInputs ? values[k] : fmt::format("once[{}]", k - kTileInputs));
  }
  return lines;
}

}  // namespace

std::string cuda_text(const MapFile& map, u32 side, const std::string& name) {
  const MapText& text = map.text();
  const std::vector<Range> ranges = input_ranges(*sized_for_device(map, side));
  const auto out = [&](std::size_t k) { return fmt::format("static_cast<tri::u32>(r{})", text.tile.outputs[k]); };
  std::string tile;
  if (text.domain == Domain::triangle) tile = fmt::format("found({}, {})", out(0), out(1));
  if (text.domain == Domain::tetrahedron) tile = fmt::format("found({}, {}, {})", out(1), out(0), out(2));
  if (text.domain == Domain::gasket) tile = fmt::format("{{{{{}, {}}}, true}}", out(1), out(0));
  return fmt::format(
      "struct {0} : tri::{1} {{\n"
      "  using tri::{1}::{1};\n"
      "  TRI_HD Cursor begin(const tri::Position& p) const {{\n"
      "{2}{3}"
      "    return {4};\n"
      "  }}\n"
      "  tri::i64 once[{5}] = {{}};\n"
      "  tri::u64 wide[{6}] = {{}}, high[{6}] = {{}};\n"
      "}};\n",
      name, base_of(text.domain), inputs(text, ranges), Printer(text.tile, ranges).text(), tile, shape_of(text).once,
      shape_of(text).passes);
}

DeviceShape device_shape(const MapFile& map) { return shape_of(map.text()); }

DeviceMap device_map(const MapFile& map, u32 side) {
  const auto at = sized_for_device(map, side);
  DeviceMap values{at->once(), {}, {}};
  for (const Launch& launch : at->launches()) values.wide.push_back(launch.x), values.high.push_back(launch.y);
  return values;
}

}  // namespace tri::mapfile
