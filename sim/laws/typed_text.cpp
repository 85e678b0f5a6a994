#include "sim/laws/typed_text.hpp"

#include <algorithm>

namespace tri {
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
