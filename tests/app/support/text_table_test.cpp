// Tables and human-readable numbers.

#include "app/support/text_table.hpp"

#include <gtest/gtest.h>

namespace tri::app {
namespace {

TEST(TextTable, AlignsAndTrims) {
  TextTable table({{"map"}, {"ms", true}, {"check"}});
  table.add({"bb", "12.5", "ok"});
  table.add({"lambda", "7", "FAILED"});
  table.add_spanning("utm", "skipped: too large");
  EXPECT_EQ(table.text(),
            "map       ms  check\n"
            "bb      12.5  ok\n"
            "lambda     7  FAILED\n"
            "utm     skipped: too large\n");
}

TEST(TextTable, FoldsTheLastColumn) {
  TextTable table({{"name"}, {"text"}});
  table.add({"a", "one two three four five six"});
  EXPECT_EQ(table.text(30), "name  text\na     one two three four five\n      six\n");
  EXPECT_EQ(table.text(10), table.text());  // too narrow to fold: unchanged
}

TEST(TextTable, Folding) {
  EXPECT_EQ(folded("aa bb cc", 5, 2), "aa bb\n  cc");
  EXPECT_EQ(folded("a-very-long-word b", 5, 0), "a-very-long-word\nb");
  EXPECT_EQ(folded("", 5, 0), "");
}

TEST(Numbers, Prefixes) {
  EXPECT_EQ(with_prefix(0), "0");
  EXPECT_EQ(with_prefix(980), "980");
  EXPECT_EQ(with_prefix(0.788), "0.788");
  EXPECT_EQ(with_prefix(999.96), "1.000 k");
  EXPECT_EQ(with_prefix(16777216), "16.78 M");
  EXPECT_EQ(with_prefix(2.592e12), "2.592 T");
  EXPECT_EQ(with_prefix(349.5e6), "349.5 M");
}

TEST(Numbers, Groups) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(16777216), "16,777,216");
}

TEST(Numbers, Durations) {
  EXPECT_EQ(duration_text(312e-6), "312 ns");
  EXPECT_EQ(duration_text(0.0123), "12.3 us");
  EXPECT_EQ(duration_text(4.56), "4.56 ms");
  EXPECT_EQ(duration_text(1704), "1704 ms");
  EXPECT_EQ(duration_text(12340), "12.3 s");
}

}  // namespace
}  // namespace tri::app
