#pragma once
/// Rules of automata as users write them.

#include <string>
#include <string_view>

#include "sim/fractal/life_rule.hpp"

namespace tri {

/// Parses "B3/S23"; counts above 9 (three dimensions) need dots: "B4.5/S3.10". Either part may be empty. Throws
/// ConfigError with the syntax.
LifeRule life_rule_from(std::string_view text);
std::string to_string(const LifeRule& rule);

}  // namespace tri
