/// What a wrong text is answered with, to the letter: tests/data/law_messages.txt. A case there is a line "### p|TEXT"
/// (of a pair) or "### t|TEXT" (of a triple), with \n for a line end, and the answer below it.

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/expression/law.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::expression::test {
namespace {

struct Case {
  std::string text, message;
  Over over = Over::pairs;
};

std::vector<Case> read_cases() {
  std::ifstream file(TRI_TEST_DATA "/law_messages.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("### ", 0) == 0) {
      Case c{line.substr(6), "", line[4] == 't' ? Over::triples : Over::pairs};
      if (const std::size_t at = c.text.find("\\n"); at != std::string::npos) c.text.replace(at, 2, "\n");
      cases.push_back(c);
    } else {
      cases.back().message += (cases.back().message.empty() ? "" : "\n") + line;
    }
  }
  return cases;
}

TEST(Messages, OfWrongTexts) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 50u);
  for (const Case& c : cases) {
    EXPECT_EQ(tri::test::message_of<ConfigError>([&] { Law::make(c.text, c.over); }), c.message) << c.text;
  }
}

}  // namespace
}  // namespace tri::expression::test
