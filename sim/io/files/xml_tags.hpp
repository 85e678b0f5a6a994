#pragma once
/// As much of XML as VTK's files need: tags with attributes, one after another, and the text between them.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::io {

struct XmlTag {
  std::string_view name;
  bool opens = false, closes = false;  ///< <a> opens, </a> closes, <a/> both
  std::vector<std::pair<std::string_view, std::string>> attributes;
  std::size_t end = 0;  ///< behind its '>' in the text

  /// The value of an attribute; empty where there is none.
  std::string attribute(std::string_view key) const;
};

/// Walks over a text that outlives it. Comments, <? ?> and <! > are passed over.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}

  /// The next tag; false at the end. Throws std::string, a reason to stand in a sentence, for what is no XML.
  bool next(XmlTag& tag);
  /// Goes on from here.
  void seek(std::size_t at) { at_ = at; }
  u64 line_of(std::size_t at) const;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The text with &lt; &gt; &amp; &quot; &apos; put in place of what they stand for.
std::string xml_escaped(std::string_view text);

}  // namespace tri::io
