#pragma once
/// Laws of a force field by the words of a user: a name of the table, or the text of a typed law
/// (sim/expression/law.hpp).

#include <string>
#include <string_view>

#include "sim/laws/physics_params.hpp"

namespace tri {

/// Whether this is the text of a law and no name: names are letters, digits, '-' and '_'.
bool is_law_text(std::string_view words);

/// Makes the law of this name, or the typed one of this text, the pair or triple law of the field; the other stays.
/// Throws ConfigError with the names, or with what is wrong in the text.
void set_pair_law(ForceField& field, const std::string& words);
void set_triple_law(ForceField& field, const std::string& words);

/// The text of the acting typed law with its values, in one line: statements end with "; ". Empty under other laws.
std::string pair_law_text(const ForceField& field);
std::string triple_law_text(const ForceField& field);

/// set_pair_law() reads it back: the text of a typed law, else the law's name.
std::string pair_law_words(const ForceField& field);
std::string triple_law_words(const ForceField& field);

}  // namespace tri
