#include "app/support/language.hpp"

#include <array>
#include <atomic>
#include <cstdlib>

#include <toml++/toml.h>

#include "strings_de.hpp"
#include "strings_zh.hpp"

namespace tri::app {
namespace {

std::atomic<const Texts*> in_use{nullptr};

Texts read_texts(std::string_view file) {
  Texts texts;
  for (const auto& [key, text] : toml::parse(file)) texts.emplace(key.str(), text.value<std::string>().value());
  return texts;
}

/// Null: there is none.
const std::string* find_text(std::string_view text) {
  const Texts* const texts = in_use.load(std::memory_order_acquire);
  if (texts == nullptr) return nullptr;
  const auto at = texts->find(text);
  return at == texts->end() ? nullptr : &at->second;
}

}  // namespace

const char* name_in_itself(Language language) {
  constexpr std::array kNames{"English", "Deutsch", "\u4e2d\u6587"};
  return kNames[static_cast<std::size_t>(language)];
}

Language language_of_system() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    for (const Language language : {Language::german, Language::chinese}) {
      if (std::string_view(value).starts_with(to_string(language))) return language;
    }
    break;
  }
  return Language::english;
}

const Texts& texts_of(Language language) {
  static const Texts kNone, kGerman = read_texts(embedded::strings_de), kChinese = read_texts(embedded::strings_zh);
  return language == Language::german ? kGerman : language == Language::chinese ? kChinese : kNone;
}

void use_texts(const Texts& texts) { in_use.store(texts.empty() ? nullptr : &texts, std::memory_order_release); }

bool translates() { return in_use.load(std::memory_order_acquire) != nullptr; }

const char* tr(const char* text) {
  const std::string* const found = find_text(text);
  return found == nullptr ? text : found->c_str();
}

std::string tr(const std::string& text) {
  const std::string* const found = find_text(text);
  return found == nullptr ? text : *found;
}

std::string tr(std::string_view text) {
  const std::string* const found = find_text(text);
  return found == nullptr ? std::string(text) : *found;
}

}  // namespace tri::app
