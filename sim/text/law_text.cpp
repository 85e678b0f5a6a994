// The text of a typed law, read into its parts.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/text/law_maker.hpp"

namespace tri::expression {
namespace {

struct UnaryFunction {
  std::string_view name;
  Op op;
};
constexpr UnaryFunction kUnaryFunctions[] = {
    {"exp", Op::exp},   {"log", Op::log},   {"sin", Op::sin},   {"cos", Op::cos},   {"tan", Op::tan},
    {"asin", Op::asin}, {"acos", Op::acos}, {"atan", Op::atan}, {"sinh", Op::sinh}, {"cosh", Op::cosh},
    {"tanh", Op::tanh}, {"erf", Op::erf},   {"erfc", Op::erfc}, {"abs", Op::abs},   {"floor", Op::floor},
    {"ceil", Op::ceil}, {"step", Op::step}};

struct LawInput {
  std::string_view name;
  u32 symbol;
  bool not_negative;
};
constexpr LawInput kPairNames[] = {{"r", Symbol::q, true},   {"mi", Symbol::mi, true}, {"mj", Symbol::mj, true},
                                   {"ri", Symbol::ri, true}, {"rj", Symbol::rj, true}, {"qi", Symbol::qi, false},
                                   {"qj", Symbol::qj, false}};
constexpr LawInput kTripleNames[] = {{"a", Symbol::q, true}, {"b", Symbol::q + 1, true}, {"c", Symbol::q + 2, true}};

class LawReader {
 public:
  LawReader(const SourceText& source, Over over)
      : source_(source), over_(over), syntax_(parse(source, law_language())), ids_(syntax_.nodes.size()) {
    if (over == Over::pairs) inputs_ = kPairNames;
    if (over == Over::triples) inputs_ = kTripleNames;
  }

  LawText run() {
    states_.resize(syntax_.statements.size());
    check_names();
    for (u32 s = 1; s < syntax_.statements.size(); ++s) read_parameter(s);
    for (const std::string_view name : {"softening", "cutoff", "shifted"}) read_meaning(name);
    law_.energy = statement(0);
    law_.offset = syntax_.statements[0].expression;
    for (u32 s = 1; s < syntax_.statements.size(); ++s) {
      if (states_[s].id || states_[s].has_meaning) continue;
      const Statement& unused = syntax_.statements[s];
      source_.fail(unused.offset, fmt::format("the energy does not use '{}'", unused.name), "Take it out, or use it.");
    }
    return std::move(law_);
  }

 private:
  struct State {
    std::optional<u32> parameter;
    std::optional<Id> id;  ///< once it is used
    bool is_open = false, has_meaning = false;
  };

  void check_names() {
    const Statement& first = syntax_.statements[0];
    if (!first.name.empty() && first.name != "energy") {
      source_.fail(first.offset, fmt::format("the first statement is the energy, and here '{}' is defined", first.name),
                   "Begin with 'energy = ...' and put definitions behind it.");
    }
    for (u32 s = 1; s < syntax_.statements.size(); ++s) {
      const Statement& statement = syntax_.statements[s];
      const std::string name(statement.name);
      const auto is_name = [&](const auto& known) { return known.name == name; };
      if (name == "energy") {
        source_.fail(statement.offset,
                     "the energy is defined twice; it is the first statement, and the only one of its kind");
      }
      if (std::any_of(inputs_.begin(), inputs_.end(), is_name)) {
        source_.fail(statement.offset, fmt::format("'{}' is given by the bodies and cannot be defined", name));
      }
      const auto functions = law_language().functions;
      if (std::any_of(functions.begin(), functions.end(), is_name)) {
        source_.fail(statement.offset, fmt::format("'{}' is a function and cannot be defined", name));
      }
      if (!statements_.emplace(name, s).second) {
        source_.fail(statement.offset, fmt::format("'{}' is defined twice", name));
      }
    }
  }

  /// A statement that is a number, with or without a sign, is a parameter.
  void read_parameter(u32 s) {
    const Statement& statement = syntax_.statements[s];
    const Node& root = syntax_.nodes[statement.root];
    const bool is_signed = root.kind == NodeKind::unary && root.operation == Operation::negate;
    const Node& number = is_signed ? syntax_.nodes[root.operands[0]] : root;
    if (number.kind != NodeKind::number) return;
    // "(3)" and "-(3)" have brackets, which stay; the number alone is replaced then, its sign with it where they touch.
    TypedParameter p{std::string(statement.name), is_signed ? -number.value : number.value, root.offset, 0};
    p.length = number.offset + static_cast<u32>(number.text.size()) - root.offset;
    if (source_.text.substr(p.offset, p.length).find('(') != std::string_view::npos) return;
    if (law_.parameters.size() == Law::kMaxParameters) {
      source_.fail(statement.offset, fmt::format("there are more than {} parameters", Law::kMaxParameters));
    }
    if (const std::string fault = fault_of(p.name, p.value); !fault.empty()) source_.fail(p.offset, fault);
    states_[s].parameter = static_cast<u32>(law_.parameters.size());
    law_.parameters.push_back(std::move(p));
  }

  void read_meaning(std::string_view name) {
    const auto found = statements_.find(std::string(name));
    if (found == statements_.end()) return;
    State& state = states_[found->second];
    const u32 offset = syntax_.statements[found->second].offset;
    if (!state.parameter) source_.fail(offset, fmt::format("'{}' must be a number", name));
    if (over_ == Over::triples && name != "softening") {
      source_.fail(offset, fmt::format("a law of triples has no '{}'", name));
    }
    if (name == "shifted" && !law_.cutoff)
      source_.fail(offset, "'shifted' is about a cut-off, and there is none", "Add 'cutoff = 2.5'.");
    state.has_meaning = true;
    (name == "softening" ? law_.softening : name == "cutoff" ? law_.cutoff : law_.shifted) = state.parameter;
  }

  Id statement(u32 s) {
    State& state = states_[s];
    if (state.id) return *state.id;
    state.is_open = true;
    path_.push_back(s);
    if (state.parameter) {
      state.id = law_.dag.symbol(Symbol::parameter + *state.parameter, is_never_negative(s));
    } else {
      const Statement& of = syntax_.statements[s];
      for (u32 n = of.first; n <= of.root; ++n) {
        try {
          ids_[n] = node(syntax_.nodes[n]);
        } catch (const BeyondLimit& limit) {
          source_.fail(syntax_.nodes[n].offset, limit.what());
        }
      }
      state.id = ids_[of.root];
    }
    path_.pop_back();
    state.is_open = false;
    return *state.id;
  }

  bool is_never_negative(u32 s) const { return states_[s].has_meaning; }

  Id node(const Node& n) {
    Dag& dag = law_.dag;
    switch (n.kind) {
      case NodeKind::number:
        return dag.number(n.value);
      case NodeKind::name:
        return name(n);
      case NodeKind::unary:
        return dag.scale(-1, ids_[n.operands[0]]);
      case NodeKind::binary:
        return binary(n.operation, ids_[n.operands[0]], ids_[n.operands[1]]);
      case NodeKind::call:
        return call(n);
      default:
        TRI_UNREACHABLE("laws have no other nodes");
    }
  }

  Id name(const Node& n) {
    for (const LawInput& input : inputs_) {
      if (n.text != input.name) continue;
      const Id symbol = law_.dag.symbol(input.symbol, input.not_negative);
      return input.symbol < Symbol::mi ? law_.dag.power(symbol, Rational{1, 2}) : symbol;
    }
    const auto found = statements_.find(std::string(n.text));
    if (found == statements_.end()) unknown(n);
    if (!states_[found->second].is_open) return statement(found->second);
    std::string cycle;
    for (auto at = std::find(path_.begin(), path_.end(), found->second); at != path_.end(); ++at) {
      cycle += fmt::format("{} -> ", syntax_.statements[*at].name);
    }
    source_.fail(n.offset, fmt::format("the definitions go in a circle: {}{}", cycle, n.text));
  }

  [[noreturn]] void unknown(const Node& n) {
    const auto functions = law_language().functions;
    if (std::any_of(functions.begin(), functions.end(), [&](const Function& f) { return f.name == n.text; })) {
      source_.fail(n.offset, fmt::format("'{}' is a function and needs its arguments in parentheses", n.text));
    }
    std::vector<std::string> known;
    for (const auto& [name, s] : statements_) known.push_back(name);
    for (const LawInput& input : inputs_) known.emplace_back(input.name);
    const std::string shown(n.text.substr(0, 40));
    const std::string near = n.text == "pi" ? "" : did_you_mean(shown, known);
    std::string hint = near.empty() ? fmt::format("Define it behind the energy: {} = {}", shown,
                                                  n.text == "pi" ? "3.141592653589793" : "1")
                                    : near.substr(1);
    const auto is_name = [&](const LawInput& input) { return input.name == n.text; };
    if (over_ == Over::triples && std::any_of(std::begin(kPairNames), std::end(kPairNames), is_name)) {
      hint = "A law of triples reads the sides a, b and c.";
    }
    if (over_ == Over::pairs && std::any_of(std::begin(kTripleNames), std::end(kTripleNames), is_name)) {
      hint = fmt::format("A law of pairs reads the distance r; a, b and c are sides, of a law of triples. {}", hint);
    }
    source_.fail(n.offset, fmt::format("there is no name '{}'", shown), hint);
  }

  Id binary(Operation operation, Id x, Id y) {
    Dag& dag = law_.dag;
    switch (operation) {
      case Operation::add:
        return dag.add(x, y);
      case Operation::subtract:
        return dag.subtract(x, y);
      case Operation::multiply:
        return dag.multiply(x, y);
      case Operation::divide:
        return dag.multiply(x, dag.power(y, Rational{-1, 1}));
      case Operation::power:
        return dag.power(x, y);
      default:
        TRI_UNREACHABLE("laws have no other operators");
    }
  }

  Id call(const Node& n) {
    Dag& dag = law_.dag;
    std::array<Id, 3> x{};
    for (std::size_t k = 0; k < n.operands.size(); ++k) x[k] = ids_[n.operands[k]];
    const std::string_view f = n.text;
    for (const UnaryFunction& known : kUnaryFunctions) {
      if (f == known.name) return dag.call(known.op, x[0]);
    }
    const auto inverse = [&](Id y) { return dag.power(y, Rational{-1, 1}); };
    if (f == "sqrt") return dag.power(x[0], Rational{1, 2});
    if (f == "square") return dag.power(x[0], Rational{2, 1});
    if (f == "cube") return dag.power(x[0], Rational{3, 1});
    if (f == "recip") return inverse(x[0]);
    if (f == "sec") return inverse(dag.call(Op::cos, x[0]));
    if (f == "csc") return inverse(dag.call(Op::sin, x[0]));
    if (f == "cot") return dag.multiply(dag.call(Op::cos, x[0]), inverse(dag.call(Op::sin, x[0])));
    if (f == "pow") return dag.power(x[0], x[1]);
    if (f == "atan2") return dag.call(Op::atan2, x[0], x[1]);
    if (f == "min") return dag.call(Op::min, x[0], x[1]);
    if (f == "max") return dag.call(Op::max, x[0], x[1]);
    if (f == "select") return dag.call(Op::select, x[0], x[1], x[2]);
    TRI_UNREACHABLE("the language has no other functions");
  }

  const SourceText& source_;
  Over over_;
  Syntax syntax_;
  std::span<const LawInput> inputs_;
  std::vector<Id> ids_;  ///< of nodes
  std::vector<State> states_;
  std::map<std::string, u32, std::less<>> statements_;
  std::vector<u32> path_;
  LawText law_;
};

}  // namespace

const Language& law_language() {
  static const std::vector<Function> functions = [] {
    std::vector<Function> all;
    for (const UnaryFunction& f : kUnaryFunctions) all.push_back({f.name, 1});
    for (const std::string_view f : {"sqrt", "square", "cube", "recip", "sec", "csc", "cot"}) all.push_back({f, 1});
    for (const std::string_view f : {"pow", "atan2", "min", "max"}) all.push_back({f, 2});
    all.push_back({"select", 3});
    all.push_back({"delta", 1, "delta() is 0 everywhere but at one distance, and gives no force"});
    return all;
  }();
  static const Language language = [] {
    Language l;
    for (const Operation o : {Operation::add, Operation::subtract, Operation::multiply, Operation::divide,
                              Operation::power, Operation::negate}) {
      l.operations |= bit(o);
    }
    l.stars_are_power = true;
    l.first_unnamed = true;
    l.functions = functions;
    l.instead = "compare with step(x), which is 0 below 0, and choose with select(condition, yes, no)";
    l.most_text = Law::kMaxText;
    return l;
  }();
  return language;
}

LawText read_law(const SourceText& source, Over over) { return LawReader(source, over).run(); }

std::string fault_of(std::string_view parameter, double value) {
  if (!std::isfinite(value)) return fmt::format("{} = {} is not finite", parameter, value);
  if ((parameter == "softening" || parameter == "cutoff") && value < 0) {
    return fmt::format("{} = {} is below 0", parameter, value);
  }
  if (parameter == "shifted" && value != 0 && value != 1) return fmt::format("shifted = {} is neither 0 nor 1", value);
  return "";
}

}  // namespace tri::expression
