/// From the text of a map file to its program.
///
/// The words of map files: which operators and functions of sim/text they have, and the instruction of each.
/// Internal to the compiler.

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/user_values.hpp"
#include "sim/text/map_program.hpp"
#include "sim/text/syntax.hpp"

namespace tri::mapfile {

namespace {

using expression::Function;
using expression::Language;
using expression::Operation;

constexpr std::string_view kWhole =
    "maps are computed with integers; the floor of a square root is isqrt(), of a cube root icbrt()";
constexpr Function kFunctions[] = {{"isqrt", 1},    {"icbrt", 1},        {"clz", 1},          {"ctz", 1},
                                   {"popcount", 1}, {"min", 2},          {"max", 2},          {"abs", 1},
                                   {"mulhi", 2},    {"sqrt", 1, kWhole}, {"cbrt", 1, kWhole}, {"floor", 1, kWhole}};
constexpr std::pair<std::string_view, Op> kCalls[] = {
    {"isqrt", Op::isqrt}, {"icbrt", Op::icbrt}, {"clz", Op::clz}, {"ctz", Op::ctz},    {"popcount", Op::popcount},
    {"min", Op::min},     {"max", Op::max},     {"abs", Op::abs}, {"mulhi", Op::mulhi}};

/// The instructions of operators with one, so not of '&&' and '||'.
constexpr std::pair<Operation, Op> kPlain[] = {{Operation::bit_or, Op::bit_or},
                                               {Operation::bit_xor, Op::bit_xor},
                                               {Operation::bit_and, Op::bit_and},
                                               {Operation::equal, Op::equal},
                                               {Operation::not_equal, Op::not_equal},
                                               {Operation::less, Op::less},
                                               {Operation::less_equal, Op::less_equal},
                                               {Operation::greater, Op::less},
                                               {Operation::greater_equal, Op::less_equal},
                                               {Operation::shift_left, Op::shift_left},
                                               {Operation::shift_right, Op::shift_right},
                                               {Operation::add, Op::add},
                                               {Operation::subtract, Op::subtract},
                                               {Operation::multiply, Op::multiply},
                                               {Operation::divide, Op::divide},
                                               {Operation::remainder, Op::remainder},
                                               {Operation::negate, Op::negate},
                                               {Operation::logical_not, Op::logical_not},
                                               {Operation::bit_not, Op::bit_not}};

/// first_unnamed: the text is one expression.
Language map_language(bool first_unnamed) {
  Language l;
  for (u32 o = 1; o <= static_cast<u32>(Operation::remainder); ++o) l.operations |= 1u << o;
  l.choose = l.index = l.hexadecimal = true;
  l.first_unnamed = first_unnamed;
  l.functions = kFunctions;
  l.most_text = 1u << 20, l.most_statements = 200;
  l.most_levels = 128, l.most_nodes = 2048;  // the compiler recurses as deep as there are nodes
  return l;
}

struct PlainOp {
  Op op;
  bool swapped = false;  ///< operands
};

PlainOp plain_op(Operation operation) {
  const auto* const found =
      std::find_if(std::begin(kPlain), std::end(kPlain), [&](const auto& p) { return p.first == operation; });
  return {found->second, operation == Operation::greater || operation == Operation::greater_equal};
}

/// Of a function of the language.
Op called_op(std::string_view function) {
  return std::find_if(std::begin(kCalls), std::end(kCalls), [&](const auto& c) { return c.first == function; })->second;
}

// The lines of a map file's text, split where a repeat begins and ends. Internal to the compiler.

struct Block {
  enum class Kind : u8 { statements, repeat, end } kind = Kind::statements;
  /// As long as the whole text, with everything else as blanks, so that offsets are those of the file: the statements,
  /// or the expression with the number of rounds.
  std::string text;
  u32 offset = 0;  ///< of the line
  u32 limit = 0;   ///< of a repeat
};

constexpr std::string_view kForm = "a repeat is 'repeat ROUNDS up to LIMIT {' on a line, and '}' on a later one";
constexpr std::size_t kMaxBlocks = 256, kMaxLevels = 8;

std::string without_comments(std::string text) {
  bool comment = false;
  for (char& c : text) {
    comment = c == '\n' ? false : comment || c == '#';
    if (comment) c = ' ';
  }
  return text;
}

/// The whole text with blanks for all but [first, last).
std::string alone(std::string_view text, std::size_t first, std::size_t last) {
  std::string part(text);
  for (std::size_t k = 0; k < part.size(); ++k) {
    if ((k < first || k >= last) && part[k] != '\n') part[k] = ' ';
  }
  return part;
}

class Splitter {
 public:
  explicit Splitter(const FileText& source) : source_{source.what, source.text}, text_(without_comments(source.text)) {}

  std::vector<Block> run() {
    for (std::size_t line = 0; line < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      parse_line(line, end);
      line = end + 1;
    }
    flush(text_.size());
    if (!open_.empty()) source_.fail(open_.back(), "this repeat has no '}' on a line of its own");
    return std::move(blocks_);
  }

 private:
  void parse_line(std::size_t line, std::size_t end) {
    const std::string_view all = std::string_view(text_).substr(line, end - line);
    const std::size_t begin = all.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return;
    const std::string_view words = all.substr(begin, all.find_last_not_of(" \t\r") - begin + 1);
    const u32 at = static_cast<u32>(line + begin);
    if (words.starts_with("repeat ") || words.starts_with("repeat(")) {
      flush(line);
      begin_repeat(words, at);
      start_ = end;
    } else if (words == "}") {
      flush(line);
      if (open_.empty()) source_.fail(at, "'}' closes nothing");
      open_.pop_back();
      add({Block::Kind::end, {}, at, 0});
      start_ = end;
    } else if (const std::size_t brace = words.find_first_of("{}"); brace != std::string_view::npos) {
      source_.fail(at + static_cast<u32>(brace), std::string(kForm));
    } else {
      has_words_ = true;
    }
  }

  void begin_repeat(std::string_view words, u32 at) {
    const std::size_t to = words.rfind(" up to ");
    if (to == std::string_view::npos || words.back() != '{') source_.fail(at, std::string(kForm));
    std::string_view bound = words.substr(to + 7, words.size() - to - 8);
    while (!bound.empty() && bound.front() == ' ') bound.remove_prefix(1);
    while (!bound.empty() && bound.back() == ' ') bound.remove_suffix(1);
    u32 limit = 0;
    const auto [end, problem] = std::from_chars(bound.data(), bound.data() + bound.size(), limit);
    if (problem != std::errc() || end != bound.data() + bound.size() || limit < 1 || limit > kMaxRounds) {
      source_.fail(at + static_cast<u32>(to) + 7,
                   fmt::format("the bound of a repeat is a number from 1 to {}", kMaxRounds));
    }
    if (open_.size() >= kMaxLevels) source_.fail(at, fmt::format("repeats are nested deeper than {}", kMaxLevels));
    open_.push_back(at);
    add({Block::Kind::repeat, alone(text_, at + 6, at + to), at, limit});
  }

  /// Statements up to `end`.
  void flush(std::size_t end) {
    if (has_words_) add({Block::Kind::statements, alone(text_, start_, end), static_cast<u32>(start_), 0});
    has_words_ = false;
  }

  void add(Block block) {
    if (blocks_.size() >= kMaxBlocks) source_.fail(block.offset, "there are too many repeats");
    blocks_.push_back(std::move(block));
  }

  expression::SourceText source_;
  std::string text_;
  std::vector<Block> blocks_;
  std::vector<u32> open_;   ///< offsets of the repeats around this line
  std::size_t start_ = 0;   ///< of the statements that are read
  bool has_words_ = false;  ///< whether there are any
};

/// Comments (from '#' on) are blanks. Throws ConfigError for a repeat that is not written as map_program.hpp says, and
/// where ends and beginnings do not match. Blocks without statements are left out.
std::vector<Block> blocks_of(const FileText& text) { return Splitter(text).run(); }

// From trees of sim/text to instructions. Registers are numbered in three spaces until the end: inputs,
// constants, and all others, which are used again as soon as their value is not needed.

using expression::Node;
using expression::NodeKind;
using expression::SourceText;

/// A register in its space, and whether it holds a value that nobody else reads.
struct Value {
  u32 number = 0;
  bool temporary = false;
};
constexpr u32 kConstants = 1u << 16, kOthers = 1u << 17;

class Compiler {
 public:
  Compiler(const FileText& text, const Interface& interface)
      : text_(text), source_{text_.what, text_.text}, interface_(interface) {
    program_.reads.resize(interface.inputs.size());
    for (u32 k = 0; k < interface.inputs.size(); ++k) names_.push_back({interface.inputs[k], k});
    inputs_ = names_.size();
  }

  Compiled statements() {
    struct Open {
      std::size_t names = 0;
      u32 at = 0, counter = 0, limit = 0;
      u64 steps = 0;
      u32 offset = 0;
    };
    std::vector<Open> open;
    for (const Block& block : blocks_of(text_)) {
      if (block.kind == Block::Kind::statements) {
        add_statements(block);
      } else if (block.kind == Block::Kind::repeat) {
        const Value rounds = single(block.text);
        release(rounds);
        const u32 counter = allocate();
        const u32 at = emit({Op::repeat, 0, 0, 0, 0, block.limit, block.offset}, counter, rounds.number);
        open.push_back({names_.size(), at, counter, block.limit, steps_, block.offset});
        steps_ = 0;
      } else {
        const Open o = open.back();
        open.pop_back();
        emit({Op::next_round, 0, 0, 0, o.at + 1, 0, block.offset}, o.counter);
        program_.code[o.at].target = here();
        free_.push_back(o.counter);
        while (names_.size() > o.names) free_.push_back(names_.back().number), names_.pop_back();
        steps_ = o.steps + steps_ * o.limit;
        if (steps_ > kMaxSteps) {
          source_.fail(o.offset, fmt::format("this repeat may take {} steps for one position, and {} are allowed",
                                             steps_, kMaxSteps));
        }
      }
    }
    Compiled result;
    choose_outputs(result.outputs);
    result.program = finished();
    return result;
  }

  Program expression() {
    program_.outputs.push_back(0);
    outputs_.push_back(single(text_.text).number);
    return finished();
  }

 private:
  struct Name {
    std::string text;
    u32 number;
  };

  u32 here() const { return static_cast<u32>(program_.code.size()); }

  u32 emit(Instruction i, u32 to = 0, u32 a = 0, u32 b = 0) {
    if (program_.code.size() >= kMaxInstructions) {
      source_.fail(i.offset, fmt::format("the text has more than {} operations", kMaxInstructions));
    }
    program_.code.push_back(i);
    places_.push_back({to, a, b});
    ++steps_;
    return here() - 1;
  }
  u32 emit(Op op, u32 offset, u32 to, u32 a, u32 b = 0) { return emit({op, 0, 0, 0, 0, 0, offset}, to, a, b); }

  u32 allocate() {
    if (!free_.empty()) {
      const u32 number = free_.back();
      free_.pop_back();
      return number;
    }
    return kOthers + others_++;
  }
  void release(Value v) {
    if (v.temporary) free_.push_back(v.number);
  }
  u32 constant(i64 value) {
    const auto [at, added] = constants_.try_emplace(value, static_cast<u32>(constants_.size()));
    if (added) constant_values_.push_back(value);
    return kConstants + at->second;
  }

  const Name* find(std::string_view name) const {
    for (const Name& n : names_) {
      if (n.text == name) return &n;
    }
    return nullptr;
  }

  /// The text of a block, an expression alone.
  Value single(const std::string& text) {
    const SourceText part{source_.what, text};
    const expression::Syntax syntax = parse(part, map_language(true));
    if (syntax.statements.size() != 1 || !syntax.statements[0].name.empty()) {
      source_.fail(syntax.statements.back().offset, "one expression is expected here");
    }
    return value_of(syntax.nodes, syntax.statements[0].root, {});
  }

  void add_statements(const Block& block) {
    const SourceText part{source_.what, block.text};
    const expression::Syntax syntax = parse(part, map_language(false));
    for (const expression::Statement& s : syntax.statements) add_statement(syntax.nodes, s);
  }

  void add_statement(const std::vector<Node>& nodes, const expression::Statement& s) {
    if (s.name == "idle" && interface_.may_idle) {
      const Value v = value_of(nodes, s.root, {});
      release(v);
      emit(Op::end_if, s.offset, 0, v.number);
      return;
    }
    const Name* known = find(s.name);
    if (known != nullptr && known->number < kConstants) {
      source_.fail(s.offset, fmt::format("'{}' is given, and cannot be assigned; take another name", s.name));
    }
    if (known != nullptr) return void(value_of(nodes, s.root, known->number));
    const u32 own = allocate();
    value_of(nodes, s.root, own);
    names_.push_back({std::string(s.name), own});
  }

  /// Emits what computes a node; into `to`, if given.
  Value value_of(const std::vector<Node>& nodes, u32 at, std::optional<u32> to) {
    const Node& node = nodes[at];
    switch (node.kind) {
      case NodeKind::number:
        return placed({constant(whole(node)), false}, node, to);
      case NodeKind::name:
        return placed({named(node), false}, node, to);
      case NodeKind::choose:
        return choice(nodes, node, to);
      case NodeKind::index: {
        const Value index = value_of(nodes, node.operands[0], {});
        release(index);
        const Value result = result_in(to);
        emit({Op::table, 0, 0, 0, table(node), 0, node.offset}, result.number, index.number);
        return result;
      }
      case NodeKind::unary:
      case NodeKind::binary:
        if (node.operation == Operation::logical_and || node.operation == Operation::logical_or) {
          return logical(nodes, node, to);
        }
        return operation(nodes, node, plain_op(node.operation), to);
      case NodeKind::call: {
        return operation(nodes, node, {called_op(node.text)}, to);
      }
    }
    return {};
  }

  Value result_in(std::optional<u32> to) { return to ? Value{*to, false} : Value{allocate(), true}; }

  Value placed(Value v, const Node& node, std::optional<u32> to) {
    if (!to) return v;
    emit(Op::copy, node.offset, *to, v.number);
    return {*to, false};
  }

  Value operation(const std::vector<Node>& nodes, const Node& node, PlainOp plain, std::optional<u32> to) {
    const Value first = value_of(nodes, node.operands[0], {});
    const Value second = node.operands.size() > 1 ? value_of(nodes, node.operands[1], {}) : Value{};
    release(first), release(second);
    const Value result = result_in(to);
    emit(plain.op, node.offset, result.number, plain.swapped ? second.number : first.number,
         plain.swapped ? first.number : second.number);
    return result;
  }

  Value choice(const std::vector<Node>& nodes, const Node& node, std::optional<u32> to) {
    const Value condition = value_of(nodes, node.operands[0], {});
    release(condition);
    const u32 skip = emit(Op::jump_if_zero, node.offset, 0, condition.number);
    const Value result = result_in(to);
    value_of(nodes, node.operands[1], result.number);
    const u32 leave = emit(Op::jump, node.offset, 0, 0);
    program_.code[skip].target = here();
    value_of(nodes, node.operands[2], result.number);
    program_.code[leave].target = here();
    return result;
  }

  /// 0 or 1; the right side only where the left one does not decide.
  Value logical(const std::vector<Node>& nodes, const Node& node, std::optional<u32> to) {
    const bool both = node.operation == Operation::logical_and;
    u32 decides[2];
    for (u32 side = 0; side < 2; ++side) {
      Value v = value_of(nodes, node.operands[side], {});
      if (!both) {
        release(v);
        const Value not_v{allocate(), true};
        emit(Op::logical_not, node.offset, not_v.number, v.number);
        v = not_v;
      }
      release(v);
      decides[side] = emit(Op::jump_if_zero, node.offset, 0, v.number);
    }
    const Value result = result_in(to);
    emit(Op::copy, node.offset, result.number, constant(both ? 1 : 0));
    const u32 leave = emit(Op::jump, node.offset, 0, 0);
    for (const u32 jump : decides) program_.code[jump].target = here();
    emit(Op::copy, node.offset, result.number, constant(both ? 0 : 1));
    program_.code[leave].target = here();
    return result;
  }

  i64 whole(const Node& node) const {
    if (!node.is_whole || node.whole > static_cast<u64>(std::numeric_limits<i64>::max())) {
      source_.fail(node.offset, "numbers are integers below 2^63");
    }
    return static_cast<i64>(node.whole);
  }

  u32 named(const Node& node) {
    if (const Name* name = find(node.text)) {
      if (name->number < kConstants) program_.reads[name->number] = 1;
      return name->number;
    }
    std::vector<std::string> known;
    for (const Name& n : names_) known.push_back(n.text);
    const std::string hint = did_you_mean(node.text, known);
    source_.fail(node.offset, fmt::format("there is no name '{}' here", node.text),
                 hint.empty() ? fmt::format("There are {}.", fmt::join(known, ", ")) : hint.substr(1));
  }

  u32 table(const Node& node) const {
    std::vector<std::string> known;
    if (interface_.tables != nullptr) {
      for (u32 k = 0; k < interface_.tables->size(); ++k) {
        known.push_back((*interface_.tables)[k].name);
        if (known.back() == node.text) return k;
      }
    }
    const std::string hint = did_you_mean(node.text, known);
    source_.fail(node.offset, fmt::format("there is no table '{}'", node.text),
                 hint.empty() ? "A table is 'NAME = [1, 2, 3]' under [tables]." : hint.substr(1));
  }

  void choose_outputs(std::vector<std::string>& names) {
    if (interface_.all_are_outputs) {
      for (std::size_t k = inputs_; k < names_.size(); ++k) names.push_back(names_[k].text);
    } else {
      names = interface_.outputs;
    }
    for (const std::string& name : names) {
      const Name* found = find(name);
      if (found == nullptr) {
        source_.fail(static_cast<u32>(text_.text.find_last_not_of(" \t\r\n") + 1),
                     fmt::format("'{}' is not assigned; a tile is {}", name, fmt::join(names, ", ")));
      }
      outputs_.push_back(found->number);
    }
  }

  Program finished() {
    const u32 constants = static_cast<u32>(constant_values_.size()), inputs = static_cast<u32>(inputs_);
    program_.inputs = inputs, program_.registers = inputs + constants + others_;
    if (program_.registers > kMaxRegisters) {
      source_.fail(0, fmt::format("the text needs {} names and numbers at a time, and there are {}", program_.registers,
                                  kMaxRegisters));
    }
    const auto final_number = [&](u32 n) {
      return static_cast<Register>(n >= kOthers      ? inputs + constants + (n - kOthers)
                                   : n >= kConstants ? inputs + (n - kConstants)
                                                     : n);
    };
    for (std::size_t k = 0; k < places_.size(); ++k) {
      Instruction& i = program_.code[k];
      i.to = final_number(places_[k].to), i.a = final_number(places_[k].a), i.b = final_number(places_[k].b);
    }
    program_.outputs.clear();
    for (const u32 number : outputs_) program_.outputs.push_back(final_number(number));
    program_.start.assign(inputs, 0);
    program_.start.insert(program_.start.end(), constant_values_.begin(), constant_values_.end());
    program_.most_steps = steps_;
    program_.tables = interface_.tables;
    program_.text = text_.text;
    return std::move(program_);
  }

  struct Places {
    u32 to, a, b;
  };

  const FileText& text_;
  SourceText source_;
  const Interface& interface_;
  Program program_;
  std::vector<Places> places_;  ///< [instructions] registers in their spaces
  std::vector<Name> names_;     ///< the inputs first
  std::size_t inputs_ = 0;
  std::map<i64, u32> constants_;
  std::vector<i64> constant_values_;
  std::vector<u32> free_, outputs_;
  u32 others_ = 0;
  u64 steps_ = 0;
};

}  // namespace

Compiled compile(const FileText& text, const Interface& interface) { return Compiler(text, interface).statements(); }

Program compile_expression(const FileText& text, const Interface& interface) {
  return Compiler(text, interface).expression();
}

}  // namespace tri::mapfile
