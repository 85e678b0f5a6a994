#include "sim/mapfile/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sim/expression/source_text.hpp"

namespace tri::mapfile {
namespace {

constexpr std::string_view kForm = "a repeat is 'repeat ROUNDS up to LIMIT {' on a line, and '}' on a later one";
constexpr std::size_t kMostBlocks = 256, kMostLevels = 8;

std::string without_comments(std::string text) {
  bool comment = false;
  for (char& c : text) {
    comment = c == '\n' ? false : comment || c == '#';
    if (comment) c = ' ';
  }
  return text;
}

/// The whole text with blanks for all but [first, last).
std::string alone(std::string_view text, std::size_t first, std::size_t last) {
  std::string part(text);
  for (std::size_t k = 0; k < part.size(); ++k) {
    if ((k < first || k >= last) && part[k] != '\n') part[k] = ' ';
  }
  return part;
}

class Splitter {
 public:
  explicit Splitter(const FileText& source) : source_{source.what, source.text}, text_(without_comments(source.text)) {}

  std::vector<Block> run() {
    for (std::size_t line = 0; line < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', line), text_.size());
      take_line(line, end);
      line = end + 1;
    }
    flush(text_.size());
    if (!open_.empty()) source_.fail(open_.back(), "this repeat has no '}' on a line of its own");
    return std::move(blocks_);
  }

 private:
  void take_line(std::size_t line, std::size_t end) {
    const std::string_view all = std::string_view(text_).substr(line, end - line);
    const std::size_t begin = all.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return;
    const std::string_view words = all.substr(begin, all.find_last_not_of(" \t\r") - begin + 1);
    const u32 at = static_cast<u32>(line + begin);
    if (words.starts_with("repeat ") || words.starts_with("repeat(")) {
      flush(line);
      begin_repeat(words, at);
      start_ = end;
    } else if (words == "}") {
      flush(line);
      if (open_.empty()) source_.fail(at, "'}' closes nothing");
      open_.pop_back();
      add({Block::Kind::end, {}, at, 0});
      start_ = end;
    } else if (const std::size_t brace = words.find_first_of("{}"); brace != std::string_view::npos) {
      source_.fail(at + static_cast<u32>(brace), std::string(kForm));
    } else {
      has_words_ = true;
    }
  }

  void begin_repeat(std::string_view words, u32 at) {
    const std::size_t to = words.rfind(" up to ");
    if (to == std::string_view::npos || words.back() != '{') source_.fail(at, std::string(kForm));
    std::string_view bound = words.substr(to + 7, words.size() - to - 8);
    while (!bound.empty() && bound.front() == ' ') bound.remove_prefix(1);
    while (!bound.empty() && bound.back() == ' ') bound.remove_suffix(1);
    u32 limit = 0;
    const auto [end, problem] = std::from_chars(bound.data(), bound.data() + bound.size(), limit);
    if (problem != std::errc() || end != bound.data() + bound.size() || limit < 1 || limit > kMaxRounds) {
      source_.fail(at + static_cast<u32>(to) + 7,
                   fmt::format("the bound of a repeat is a number from 1 to {}", kMaxRounds));
    }
    if (open_.size() >= kMostLevels) source_.fail(at, fmt::format("repeats are nested deeper than {}", kMostLevels));
    open_.push_back(at);
    add({Block::Kind::repeat, alone(text_, at + 6, at + to), at, limit});
  }

  /// Statements up to `end`.
  void flush(std::size_t end) {
    if (has_words_) add({Block::Kind::statements, alone(text_, start_, end), static_cast<u32>(start_), 0});
    has_words_ = false;
  }

  void add(Block block) {
    if (blocks_.size() >= kMostBlocks) source_.fail(block.offset, "there are too many repeats");
    blocks_.push_back(std::move(block));
  }

  expression::SourceText source_;
  std::string text_;
  std::vector<Block> blocks_;
  std::vector<u32> open_;   ///< offsets of the repeats around this line
  std::size_t start_ = 0;   ///< of the statements that are read
  bool has_words_ = false;  ///< whether there are any
};

}  // namespace

std::vector<Block> blocks_of(const FileText& text) { return Splitter(text).run(); }

}  // namespace tri::mapfile
