#include "sim/mapfile/cuda_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "sim/base/error.hpp"
#include "sim/mapfile/sized.hpp"

namespace tri::mapfile {
namespace {

std::string literal(i64 value) {
  if (value == std::numeric_limits<i64>::min()) return "(-9223372036854775807ll - 1)";
  return fmt::format("{}ll", value);
}

/// Prints the tile of a program. Registers are variables, and jumps are jumps.
class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {
    for (const Instruction& i : program.code) {
      if (i.op == Op::jump || i.op == Op::jump_if_zero || i.op == Op::repeat || i.op == Op::next_round) {
        labels_.insert(i.target);
      }
    }
  }

  std::string text() const {
    std::string text = tables() + variables();
    for (u32 k = 0; k < program_.code.size(); ++k) {
      if (labels_.count(k)) text += fmt::format("  l{}:\n", k);
      text += "    " + line(program_.code[k]) + "\n";
    }
    if (labels_.count(static_cast<u32>(program_.code.size()))) text += fmt::format("  l{}:\n", program_.code.size());
    return text;
  }

 private:
  /// A constant by its value, all others as variables.
  std::string value(Register r) const {
    if (r >= program_.inputs && r < program_.start.size()) return literal(program_.start[r]);
    return fmt::format("r{}", r);
  }

  std::string tables() const {
    std::set<u32> read;
    for (const Instruction& i : program_.code) {
      if (i.op == Op::table) read.insert(i.target);
    }
    std::string text;
    for (const u32 t : read) {
      text += fmt::format("    constexpr tri::i64 t{}[] = {{", t);
      std::size_t column = 200;
      for (const i64 v : (*program_.tables)[t].values) {
        const std::string number = literal(v) + ",";
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
      text += fmt::format("    tri::i64 r{} = 0;\n", r);
    }
    return text;
  }

  /// Of an operation that C++ writes between its operands; else null.
  static const char* infix_symbol(Op op) {
    switch (op) {
      case Op::add:
        return "+";
      case Op::subtract:
        return "-";
      case Op::multiply:
        return "*";
      case Op::divide:
        return "/";
      case Op::remainder:
        return "%";
      case Op::shift_right:
        return ">>";
      case Op::bit_and:
        return "&";
      case Op::bit_or:
        return "|";
      case Op::bit_xor:
        return "^";
      case Op::equal:
        return "==";
      case Op::not_equal:
        return "!=";
      case Op::less:
        return "<";
      case Op::less_equal:
        return "<=";
      default:
        return nullptr;
    }
  }

  std::string line(const Instruction& i) const {
    const std::string to = fmt::format("r{}", i.to), a = value(i.a), b = value(i.b);
    if (const char* symbol = infix_symbol(i.op)) return fmt::format("{} = {} {} {};", to, a, symbol, b);
    const auto of_bits = [&](const char* function) {
      return fmt::format("{} = static_cast<tri::i64>(tri::{}(static_cast<tri::u64>({})));", to, function, a);
    };
    switch (i.op) {
      case Op::copy:
        return fmt::format("{} = {};", to, a);
      case Op::negate:
        return fmt::format("{} = -{};", to, a);
      case Op::shift_left:
        return fmt::format("{} = static_cast<tri::i64>(static_cast<tri::u64>({}) << {});", to, a, b);
      case Op::bit_not:
        return fmt::format("{} = ~{};", to, a);
      case Op::logical_not:
        return fmt::format("{} = {} == 0;", to, a);
      case Op::min:
        return fmt::format("{0} = {1} < {2} ? {1} : {2};", to, a, b);
      case Op::max:
        return fmt::format("{0} = {1} < {2} ? {2} : {1};", to, a, b);
      case Op::abs:
        return fmt::format("{0} = {1} < 0 ? -{1} : {1};", to, a);
      case Op::isqrt:
        return of_bits("floor_sqrt");
      case Op::icbrt:
        return of_bits("floor_cbrt");
      case Op::clz:
        return of_bits("leading_zeros");
      case Op::ctz:
        return of_bits("trailing_zeros");
      case Op::popcount:
        return of_bits("bit_count");
      case Op::mulhi:
        return fmt::format("{} = tri::upper_product({}, {});", to, a, b);
      case Op::table:
        return fmt::format("{} = t{}[{}];", to, i.target, a);
      case Op::jump:
        return fmt::format("goto l{};", i.target);
      case Op::jump_if_zero:
        return fmt::format("if ({} == 0) goto l{};", a, i.target);
      case Op::end_if:
        return fmt::format("if ({} != 0) return {{}};", a);
      case Op::repeat:
        return fmt::format("{} = {}; if ({} == 0) goto l{};", to, a, to, i.target);
      case Op::next_round:
        return fmt::format("if (--{} != 0) goto l{};", to, i.target);
      default:
        return {};
    }
  }

  const Program& program_;
  std::set<u32> labels_;
};

const char* base_of(Domain domain) {
  return domain == Domain::triangle ? "TriangleBase" : domain == Domain::tetrahedron ? "TetraBase" : "GasketBase";
}

DeviceShape shape_of(const MapText& text) {
  return {std::max(1u, static_cast<u32>(text.once_names.size())),
          text.passes.outputs.empty() ? static_cast<u32>(text.launch.size()) : kMaxDevicePasses};
}

/// The inputs as variables, those that the text reads.
std::string inputs(const MapText& text) {
  const auto rows = text.domain == Domain::triangle      ? "rows()"
                    : text.domain == Domain::tetrahedron ? "layers()"
                                                         : "side()";
  const std::string values[kTileInputs] = {"static_cast<tri::i64>(p.x)",
                                           "p.y",
                                           "p.z",
                                           "p.pass",
                                           "static_cast<tri::i64>(p.x + wide[p.pass] * (p.y + high[p.pass] * p.z))",
                                           rows};
  std::string lines;
  for (u32 k = 0; k < text.tile.inputs; ++k) {
    if (text.tile.reads[k] == 0) continue;
    lines += fmt::format("    const tri::i64 r{} = {};\n", k,
                         k < kTileInputs ? values[k] : fmt::format("once[{}]", k - kTileInputs));
  }
  return lines;
}

}  // namespace

std::string cuda_text(const MapFile& map, const std::string& name) {
  const MapText& text = map.text();
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
      name, base_of(text.domain), inputs(text), Printer(text.tile).text(), tile, shape_of(text).once,
      shape_of(text).passes);
}

DeviceShape device_shape(const MapFile& map) { return shape_of(map.text()); }

DeviceMap device_map(const MapFile& map, u32 side) {
  const auto sized = map.at(side);
  const auto& at = static_cast<const SizedMapFile&>(*sized);
  if (!at.why_not().empty()) throw ConfigError(fmt::format("--map {}: {}.", map.info().name, at.why_not()));
  if (at.launches().size() > shape_of(map.text()).passes) {
    throw ConfigError(fmt::format("--map {} has {} passes at m = {}, and a device takes {}; use --backend cpu.",
                                  map.info().name, at.launches().size(), side, kMaxDevicePasses));
  }
  DeviceMap values{at.once(), {}, {}};
  for (const Launch& launch : at.launches()) values.wide.push_back(launch.x), values.high.push_back(launch.y);
  return values;
}

}  // namespace tri::mapfile
