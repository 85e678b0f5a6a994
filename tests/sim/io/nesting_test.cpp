/// Depth of TOML and JSON texts before they are parsed: what counts, what strings and comments hide, and the line.

#include "sim/io/files/nesting.hpp"

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

u64 toml_line(const std::string& text) { return toml_nesting_fault(text).value_or(NestingFault{}).line; }
u64 json_line(const std::string& text) { return json_nesting_fault(text).value_or(NestingFault{}).line; }

TEST(Nesting, TheLimitItselfIsAllowed) {
  EXPECT_EQ(toml_line("x = " + std::string(kMaxNesting, '[')), 0u);
  EXPECT_EQ(toml_line("x = " + kDeep), 1u);
  EXPECT_EQ(toml_line("a" + repeated(".a", kMaxNesting) + " = 1\n[a" + repeated(" . a", kMaxNesting) + "]\n"), 0u);
  EXPECT_EQ(toml_line("\n\na" + repeated(".\"b.c\"", kMaxNesting + 1) + " = 1"), 3u);
  EXPECT_EQ(json_line(std::string(kMaxNesting, '{')), 0u);
  EXPECT_EQ(json_line("\n" + kDeep), 2u);
  EXPECT_EQ(json_line("{" + repeated("\"a\":1,", kMaxMembers - 1) + "\"a\":1}"), 0u);
  EXPECT_EQ(json_line("{" + repeated("\"a\":1,", kMaxMembers) + "\"a\":1}"), 1u);
}

TEST(Nesting, ListsMayBeLong) {
  EXPECT_EQ(toml_line("x = [" + repeated("[1.5, 2.5, -3.5e-7],\n", 1000) + "]"), 0u);
  EXPECT_EQ(toml_line(repeated("[[part]]\nx.y = {a = 1.5}\n", 1000)), 0u);
  EXPECT_EQ(json_line("[" + repeated("{\"a\": [1, 2]},", 5000) + "[" + repeated("1,", 5000) + "1]]"), 0u);
}

TEST(Nesting, StringsAndCommentsAreText) {
  for (const std::string& text :
       {"x = \"\\\"" + kDeep + "\"", "x = '\\'\n# " + kDeep, "x = \"\"\"" + kDeep + "\n\\\"\"\"" + kDeep + "\"\"\"\"\"",
        "x = '''" + kDeep + "\n''" + kDeep + "''''", "x = \"\" # " + kDeep, "\"" + kDeep + "\" = 1"}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
    EXPECT_EQ(toml_line(text + "\ny = " + kDeep), 2u + static_cast<u64>(std::count(text.begin(), text.end(), '\n')));
  }
  EXPECT_EQ(json_line("[\"\\\"" + kDeep + "\\\\\", \"\", \"'\"]"), 0u);
  EXPECT_EQ(json_line("[\"\\\\\"" + kDeep), 1u);
}

TEST(Nesting, TextsThatEndEarly) {
  for (const char* text : {"", "\"", "'", "\"\\", "\"\"\"", "'''", "#", "]]}}", "x = \"\"\"\"\""}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
    EXPECT_EQ(json_line(text), 0u) << text;
  }
}

}  // namespace
}  // namespace tri::io
