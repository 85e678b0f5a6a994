/// Force fields: checks, what follows from the laws, typed laws as text.

#include "sim/laws/physics_params.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/laws/law_table.hpp"

namespace tri {
namespace {

void require(const std::string& what, double value, const Range& range = {}) {
  if (range.holds(value)) return;
  throw ConfigError(
      fmt::format("{} = {}; it must be {}.", what, value, std::isfinite(value) ? range.text() : Range{}.text()));
}

void check(const Box& box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const char name = "xyz"[axis];
    require(fmt::format("box low {}", name), box.low[axis]);
    require(fmt::format("box high {}", name), box.high[axis]);
    if (!(box.low[axis] < box.high[axis])) {
      throw ConfigError(fmt::format("box low {0} = {1} and high {0} = {2}; low must be below high.", name,
                                    box.low[axis], box.high[axis]));
    }
  }
}

}  // namespace

double shortest_side(const Box& box) {
  double side = box.high[0] - box.low[0];
  for (std::size_t axis = 1; axis < 3; ++axis) side = std::min(side, box.high[axis] - box.low[axis]);
  return side;
}

void check(const ForceField& field) {
  // Laws that are switched off too: one may be switched on later without another check.
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.real != nullptr) require(fmt::format("{} {}", law.name, p.key), p.value(field), p.range);
    }
    if (law.conflict == nullptr) continue;
    if (const std::string sentence = law.conflict(field); !sentence.empty()) throw ConfigError(sentence);
  }
  check(field.box);
  for (std::size_t axis = 0; axis < 3; ++axis) require(fmt::format("uniform field {}", "xyz"[axis]), field.field[axis]);
  if (field.box.boundary != Boundary::periodic) return;
  for (const LawInfo& law : all_laws()) {
    if (!law.acts(field) || law.not_periodic == nullptr) continue;
    if (const std::string why = law.not_periodic(field); !why.empty()) {
      throw ConfigError(fmt::format("periodic walls with {}{}", law.name, why));
    }
  }
}

void check(const ForceField& field, double largest_radius) {
  check(field);
  if (field.box.boundary == Boundary::open || field.pair != PairLaw::contact) return;
  for (std::size_t axis = 0; field.box.boundary == Boundary::reflecting && axis < 3; ++axis) {
    const double width = field.box.high[axis] - field.box.low[axis];
    if (2 * largest_radius <= width) continue;
    throw ConfigError(
        fmt::format("reflecting walls with a sphere of radius {:.6g}, which does not fit between those along {}, "
                    "{:.6g} apart; move "
                    "low and high, or use open walls.",
                    largest_radius, "xyz"[axis], width));
  }
  if (field.box.boundary == Boundary::reflecting) return;
  const double side = shortest_side(field.box);
  if (4 * largest_radius <= side) return;
  throw ConfigError(
      fmt::format("periodic walls with a sphere of radius {:.6g}; its diameter must be at most {:.6g}, half the "
                  "shortest side of the box, so that a sphere meets one image of another.",
                  largest_radius, 0.5 * side));
}

bool has_pair_sums(const ForceField& field) {
  return field.pair != PairLaw::none && !(field.pair == PairLaw::contact && field.contact.impulse);
}

bool depends_on_velocity(const ForceField& field) {
  if (!has_pair_sums(field) || (pair_uses(field) & laws::kVelocity) == 0) return false;
  return field.pair != PairLaw::contact || field.contact.damping != 0 || field.contact.shear != 0;
}

bool conserves_energy(const ForceField& field) {
  const auto laws = all_laws();
  return std::none_of(laws.begin(), laws.end(), [&](const LawInfo& law) {
    return law.acts(field) && law.dissipates != nullptr && law.dissipates(field);
  });
}

u32 pair_uses(const ForceField& field) {
  if (field.pair == PairLaw::typed) return field.typed_pair ? field.typed_pair.law->uses() : 0;
  return field.pair == PairLaw::none ? 0 : law_info(field.pair).uses;
}

bool sums_are_accelerations(const ForceField& field) {
  if (field.pair == PairLaw::typed) return field.typed_pair && field.typed_pair.law->weighs_masses();
  return field.pair != PairLaw::none && law_info(field.pair).sums == laws::Sums::acceleration;
}

double pair_cutoff(const ForceField& field) {
  if (field.pair == PairLaw::lennard_jones) return field.lennard_jones.cutoff;
  return field.pair == PairLaw::typed ? field.typed_pair.law->cutoff(field.typed_pair.values) : 0;
}

namespace {

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/// Statements that end with a line end with "; ". A line that needs more (an open bracket, an operator at its end) goes
/// on in the next.
std::string in_one_line(std::string_view text) {
  constexpr std::string_view kNeedsMore = "+-*/^%,=<>!?:([;";
  std::string line;
  int open = 0;
  for (const char c : text) {
    open += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c != '\n' && c != '\r' && c != '\t') {
      line += c;
      continue;
    }
    while (line.ends_with(' ')) line.pop_back();
    const bool goes_on = c != '\n' || open > 0 || line.empty() || kNeedsMore.find(line.back()) != line.npos;
    if (!line.empty()) line += goes_on ? " " : "; ";
  }
  while (line.ends_with(' ') || line.ends_with(';')) line.pop_back();
  return line;
}

}  // namespace

bool is_law_text(std::string_view words) { return !std::all_of(words.begin(), words.end(), in_name); }

void set_pair_law(ForceField& field, const std::string& words) {
  if (is_law_text(words)) {
    field.typed_pair = expression::typed_law(words, expression::Over::pairs);
    field.pair = PairLaw::typed;
  } else {
    field.pair = pair_law_from(words);
  }
}

void set_triple_law(ForceField& field, const std::string& words) {
  if (is_law_text(words)) {
    field.typed_triple = expression::typed_law(words, expression::Over::triples);
    field.triple = TripleLaw::typed;
  } else {
    field.triple = triple_law_from(words);
  }
}

std::string pair_law_text(const ForceField& field) {
  return field.pair == PairLaw::typed && field.typed_pair ? in_one_line(field.typed_pair.text()) : "";
}

std::string triple_law_text(const ForceField& field) {
  return field.triple == TripleLaw::typed && field.typed_triple ? in_one_line(field.typed_triple.text()) : "";
}

std::string pair_law_words(const ForceField& field) {
  const std::string text = pair_law_text(field);
  return text.empty() ? to_string(field.pair) : text;
}

std::string triple_law_words(const ForceField& field) {
  const std::string text = triple_law_text(field);
  return text.empty() ? to_string(field.triple) : text;
}

}  // namespace tri
