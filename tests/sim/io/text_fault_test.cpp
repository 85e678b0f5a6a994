/// TOML and JSON texts before they are parsed: their depth, what strings and comments hide, UTF-8, and the line.

#include "sim/io/files/text_fault.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tri::io {
namespace {

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t k = 0; k < times; ++k) text += piece;
  return text;
}

const std::string kDeep(kMaxNesting + 1, '[');

u64 toml_line(const std::string& text) { return toml_fault(text).value_or(TextFault{}).line; }
u64 json_line(const std::string& text) { return json_fault(text).value_or(TextFault{}).line; }

TEST(TextFault, TheLimitItselfIsAllowed) {
  EXPECT_EQ(toml_line("x = " + std::string(kMaxNesting, '[')), 0u);
  EXPECT_EQ(toml_line("x = " + kDeep), 1u);
  EXPECT_EQ(toml_line("a" + repeated(".a", kMaxNesting) + " = 1\n[a" + repeated(" . a", kMaxNesting) + "]\n"), 0u);
  EXPECT_EQ(toml_line("\n\na" + repeated(".\"b.c\"", kMaxNesting + 1) + " = 1"), 3u);
  EXPECT_EQ(json_line(std::string(kMaxNesting, '{')), 0u);
  EXPECT_EQ(json_line("\n" + kDeep), 2u);
  EXPECT_EQ(json_line("{" + repeated("\"a\":1,", kMaxMembers - 1) + "\"a\":1}"), 0u);
  EXPECT_EQ(json_line("{" + repeated("\"a\":1,", kMaxMembers) + "\"a\":1}"), 1u);
}

TEST(TextFault, ListsMayBeLong) {
  EXPECT_EQ(toml_line("x = [" + repeated("[1.5, 2.5, -3.5e-7],\n", 1000) + "]"), 0u);
  EXPECT_EQ(toml_line(repeated("[[part]]\nx.y = {a = 1.5}\n", 1000)), 0u);
  EXPECT_EQ(json_line("[" + repeated("{\"a\": [1, 2]},", 5000) + "[" + repeated("1,", 5000) + "1]]"), 0u);
}

TEST(TextFault, StringsAndCommentsAreText) {
  for (const std::string& text :
       {fmt::format("x = \"\\\"{}\"", kDeep), fmt::format("x = '\\'\n# {}", kDeep),
        fmt::format("x = \"\"\"{0}\n\\\"\"\"{0}\"\"\"\"\"", kDeep), fmt::format("x = '''{0}\n''{0}''''", kDeep),
        fmt::format("x = \"\" # {}", kDeep), fmt::format("\"{}\" = 1", kDeep)}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
    EXPECT_EQ(toml_line(text + "\ny = " + kDeep), 2u + static_cast<u64>(std::count(text.begin(), text.end(), '\n')));
  }
  EXPECT_EQ(json_line("[\"\\\"" + kDeep + "\\\\\", \"\", \"'\"]"), 0u);
  EXPECT_EQ(json_line("[\"\\\\\"" + kDeep), 1u);
}

TEST(TextFault, EveryCodePointIsUtf8AndNothingElse) {
  const auto text_of = [](u32 c) {
    std::string bytes;
    const auto add = [&](u32 byte) { bytes += static_cast<char>(byte); };
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | c >> 6), add(0x80 | (c & 63));
    } else if (c < 0x10000) {
      add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 63)), add(0x80 | (c & 63));
    } else {
      add(0xF0 | c >> 18), add(0x80 | (c >> 12 & 63)), add(0x80 | (c >> 6 & 63)), add(0x80 | (c & 63));
    }
    return bytes;
  };
  for (u32 c = 0; c < 0x120000; ++c) {
    const bool valid = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
    ASSERT_EQ(toml_line("# \n# " + text_of(c) + " #"), valid || c == 0 ? 0u : 2u) << c;
  }
  for (const char* bytes :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\x80", "\xFF", "\xC3", "\xE2\x82"}) {
    EXPECT_EQ(toml_line("#\n#\n" + std::string(bytes)), 3u);
  }
  EXPECT_EQ(toml_fault("\xA3")->what, "the byte 0xA3, which is not UTF-8");
}

TEST(TextFault, TablesHaveNames) {
  for (const char* text : {"[\x18i", "[!", "[ \t#", "[\n", "[[.a]]", "[[ \xC3\xA9 ]]", "[=", "[{"}) {
    EXPECT_EQ(toml_line("x = 1\n \t" + std::string(text)), 2u) << text;
    EXPECT_EQ(toml_line(text), 1u) << text;
    EXPECT_EQ(toml_line("\xEF\xBB\xBF" + std::string(text)), 1u) << text << " behind a byte order mark";
  }
  // What is within brackets already is a value; the library itself says that a table lacks its name, or its end.
  for (const char* text : {"x = [\n [1],\n\t[{}], [\n[\n]]]\n", "[a]\n[[b]]\n[ \"c\" ]\n['d']\n[-_9]\n", "[]", "[[]]",
                           "[", "[[", "[ ", "[ [a]]", "x = [!", "x = [ # 1\n+2]"}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
  }
}

TEST(TextFault, LettersBeyondAsciiAreInStringsAndComments) {
  for (const char* text : {"\xC3\xA9 = 1", "x = 1 \xE2\x80\x83", " \" 1\" \xEF\xB3\xBF \"=", "x = [1,\xC2\xA0 2]",
                           "x = \"\"\"a\\\xC3\xA9\"\"\"", "x = \"\\\xC3\xA9\""}) {
    EXPECT_EQ(toml_line("y = 1\n" + std::string(text)), 2u) << text;
  }
  for (const char* text : {"\xEF\xBB\xBFx = \"\xC3\xA9\" # \xC3\xA9", "\"\xC3\xA9\" = '\xC3\xA9'",
                           "x = '''\\\xC3\xA9\n\xEF\xB3\xBF'''", "x = \"\\\\\xC3\xA9\""}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
  }
}

TEST(TextFault, TextsThatEndEarly) {
  for (const char* text : {"", "\"", "'", "\"\\", "\"\"\"", "'''", "#", "]]}}", "x = \"\"\"\"\""}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
    EXPECT_EQ(json_line(text), 0u) << text;
  }
}

}  // namespace
}  // namespace tri::io
