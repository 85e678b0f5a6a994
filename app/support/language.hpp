#pragma once
/// The texts of the window in the language of who uses it.
///
/// The English text in the code is the key, as gettext has it; assets/strings has a table for each other language. A
/// text without an entry stays as it is: names, numbers, what the simulation itself says.

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include <fmt/format.h>

#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"

namespace tri::app {

enum class Language : u8 { english, german, chinese };
constexpr auto enum_table(Language) { return enum_names<Language>("language", "en", "de", "zh"); }
/// What it calls itself.
const char* name_in_itself(Language language);
/// By the first of LC_ALL, LC_MESSAGES and LANG that is set; English for any other.
Language language_of_system();

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
/// From the English text to the other one.
using Texts = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;
/// Read once; English has none. Throws for a broken table, which is a fault of the program.
const Texts& texts_of(Language language);

/// The table in use, by every thread, until the next call; it must live as long as the program.
void use_texts(const Texts& texts);
/// Whether one with entries is in use.
bool translates();

/// The text in the language in use; without an entry, the same.
const char* tr(const char* text);
std::string tr(const std::string& text);
std::string tr(std::string_view text);

/// A sentence of an error, for the window: in the language in use where the table has it or phrase() made it so, else
/// after words that say that it is English.
std::string stated(const std::string& sentence);

namespace detail {

/// Literals among what is formatted are texts, too.
template <class T>
decltype(auto) translated(const T& value) {
  if constexpr (std::is_convertible_v<const T&, const char*>) {
    return tr(static_cast<const char*>(value));
  } else {
    return (value);
  }
}

template <class... Args>
std::string format_by(std::string_view pattern, const Args&... args) {
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), fmt::make_format_args(args...));
}

}  // namespace detail

/// fmt::format() in the language in use: the pattern is a text, and so is each argument that is a literal.
template <class... Args>
std::string phrase(fmt::format_string<Args...> pattern, Args&&... args) {
  const fmt::string_view english = pattern;
  return detail::format_by(tr(std::string_view(english.data(), english.size())), detail::translated(args)...);
}

}  // namespace tri::app
