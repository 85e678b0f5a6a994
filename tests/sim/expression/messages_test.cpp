/// What a wrong text is answered with, to the letter.

#include <gtest/gtest.h>

#include <string>

#include "sim/base/error.hpp"
#include "sim/expression/law.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::expression::test {
namespace {

struct Case {
  const char* text;
  const char* message;
  Over over = Over::pairs;
};

const Case kSyntaxCases[] = {
    {"", "law, line 1, column 1: the text is empty; an expression is expected.\n  \n  ^"},
};

std::string answer(const Case& c) {
  return tri::test::message_of<ConfigError>([&] { Law::make(c.text, c.over); });
}

TEST(Messages, OfSyntax) {
  for (const Case& c : kSyntaxCases) EXPECT_EQ(answer(c), c.message) << c.text;
}

}  // namespace
}  // namespace tri::expression::test
