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

namespace {

/// Whether phrase() can have made the sentence by this text. Those with few words of their own fit everything.
bool is_made_by(std::string_view text, std::string_view sentence) {
  constexpr std::size_t kTelling = 9;  // bytes: two words, or three Chinese signs
  std::size_t own = 0, at = 0;
  for (bool first = true;; first = false) {
    const std::size_t open = text.find('{');
    const std::string_view part = text.substr(0, open);
    const bool last = open == std::string_view::npos;
    if (last && !first && sentence.size() < at + part.size()) return false;
    at = last && !first ? sentence.size() - part.size() : sentence.find(part, at);
    if (at == std::string_view::npos || (first && at != 0) || sentence.substr(at, part.size()) != part) return false;
    own += part.size(), at += part.size();
    if (last) return own >= kTelling && at == sentence.size();
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) return false;
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::string stated(const std::string& sentence) {
  const Texts* const texts = in_use.load(std::memory_order_acquire);
  if (texts == nullptr || sentence.empty()) return sentence;
  if (const std::string* const found = find_text(sentence)) return *found;
  for (const auto& [english, text] : *texts) {
    if (is_made_by(text, sentence)) return sentence;
  }
  return phrase("The simulation says in English: {}", sentence);
}

}  // namespace tri::app
