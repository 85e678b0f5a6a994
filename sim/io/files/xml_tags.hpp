#pragma once
/// A minimal XML tokenizer for VTK files: tags with attributes, and the text between them.

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
  std::size_t end = 0;  ///< offset after its '>'

  /// The value of an attribute; empty if there is none.
  std::string attribute(std::string_view key) const;
};

/// Iterates over the tags of a text that outlives it. Comments, <? ?> and <! > are skipped.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}

  /// The next tag; false at the end. Throws std::string with the reason for malformed XML.
  bool next(XmlTag& tag);
  /// Continues from this offset.
  void seek(std::size_t at) { at_ = at; }
  u64 line_of(std::size_t at) const;

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// The text with < > & " ' replaced by their entities.
std::string xml_escaped(std::string_view text);

}  // namespace tri::io
