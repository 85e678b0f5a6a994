#include "sim/io/files/xml_tags.hpp"

#include <algorithm>

namespace tri::io {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kMaxAttributes = 64;

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                     [&](const auto& e) { return text.starts_with(e.first); });
    const bool found = entity != std::end(kEntities);
    out += found ? entity->second : text.front();
    text.remove_prefix(found ? entity->first.size() : 1);
  }
  return out;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

}  // namespace

std::string XmlTag::attribute(std::string_view key) const {
  for (const auto& [name_, value] : attributes) {
    if (name_ == key) return value;
  }
  return "";
}

bool XmlTags::next(XmlTag& tag) {
  for (;;) {
    at_ = text_.find('<', at_);
    if (at_ == std::string_view::npos) return at_ = text_.size(), false;
    const std::string_view rest = text_.substr(at_);
    const std::string_view closing = rest.starts_with("<!--") ? "-->" : rest.starts_with("<?") ? "?>" : ">";
    if (!rest.starts_with("<!") && !rest.starts_with("<?")) break;
    const std::size_t end = text_.find(closing, at_);
    if (end == std::string_view::npos) throw std::string("a comment does not end");
    at_ = end + closing.size();
  }
  tag = XmlTag{};
  ++at_;
  if (at_ < text_.size() && text_[at_] == '/') tag.closes = true, ++at_;
  tag.opens = !tag.closes;
  const std::size_t name_end = text_.find_first_of(" \t\r\n/>", at_);
  if (name_end == std::string_view::npos || name_end == at_) throw std::string("a tag has no name or no end");
  tag.name = text_.substr(at_, name_end - at_);
  at_ = name_end;
  for (;;) {
    at_ = skip_blanks(text_, at_);
    if (at_ == text_.size()) throw std::string("the file ends within a tag");
    if (text_[at_] == '>') break;
    if (text_[at_] == '/') {
      tag.closes = true, ++at_;
      continue;
    }
    const std::size_t equals = text_.find_first_of("=<>", at_);
    if (equals == std::string_view::npos || text_[equals] != '=') throw std::string("an attribute has no value");
    std::string_view key = text_.substr(at_, equals - at_);
    key = key.substr(0, key.find_first_of(kBlanks));
    at_ = skip_blanks(text_, equals + 1);
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) throw std::string("an attribute's value has no quotes around it");
    if (tag.attributes.size() == kMaxAttributes) throw std::string("a tag has more than 64 attributes");
    tag.attributes.emplace_back(key, unescaped(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
  }
  tag.end = ++at_;
  return true;
}

u64 XmlTags::line_of(std::size_t at) const {
  return 1 + static_cast<u64>(std::count(
                 text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size())), '\n'));
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto entity =
        std::find_if(std::begin(kEntities), std::end(kEntities), [c](const auto& e) { return e.second == c; });
    entity == std::end(kEntities) ? out += c : out += entity->first;
  }
  return out;
}

}  // namespace tri::io
