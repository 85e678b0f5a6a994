/// Texts that are made to break a parser: each ends soon, in a ConfigError with a message or in a law.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <ctime>
#include <string>

#include "sim/base/error.hpp"
#include "sim/expression/law.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::expression::test {
namespace {

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += part;
  return text;
}

#if defined(__SANITIZE_THREAD__)
constexpr double kMostSeconds = 60;  // it takes fifteen times as long
#else
constexpr double kMostSeconds = 10;
#endif

std::string refusal_of(const std::string& text) {
  const std::clock_t start = std::clock();  // of this process: other work on the machine does not count
  const std::string message = tri::test::message_of<ConfigError>([&] { Law::make(text, Over::pairs); });
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds) << text.substr(0, 60);
  EXPECT_LT(message.size(), 1000u);
  return message;
}

void expect_refused(const std::string& text, const std::string& part) {
  const std::string message = refusal_of(text);
  EXPECT_NE(message.find(part), std::string::npos) << text.substr(0, 60) << "\n" << message;
}

TEST(HostileTexts, TooLong) {
  expect_refused(repeated("(", 100000), "longer than 16384 characters");
  expect_refused(repeated("r+", 50000) + "r", "longer than 16384 characters");
  expect_refused(std::string(1u << 24, '-'), "longer than 16384 characters");
}

TEST(HostileTexts, TooDeep) {
  for (const std::string part : {"(", "-", "exp(", "r^", "r^-", "min(r,", "1+(2*(", "pow(("}) {
    expect_refused(repeated(part, 16000 / part.size()), "nested deeper than 256 levels");
  }
  // By names, which no bracket shows.
  std::string chain = "a0";
  for (int k = 0; k < 250; ++k) chain += fmt::format(";a{} = exp(exp(exp(-a{})))", k, k + 1);
  expect_refused(chain + ";a250=r", "too large");
}

TEST(HostileTexts, TooMany) {
  std::string terms = "r";
  for (int k = 2; terms.size() < 16000; ++k) terms += fmt::format("+sin({}*r)", k);
  expect_refused(terms, "more than 2048 instructions");
  std::string doubled = "a0";
  for (int k = 0; k < 100; ++k) doubled += fmt::format("\na{0} = a{1}*sin(a{1})*cos(a{1}) + a{1}", k, k + 1);
  expect_refused(doubled + "\na100 = r", "");
  std::string statements = "r";
  for (int k = 0; k < 1000; ++k) statements += fmt::format(";a{} = r", k);
  expect_refused(statements, "more than 256 statements");
  std::string parameters = "r";
  for (int k = 0; k < 100; ++k) parameters += fmt::format(";a{} = 2", k);
  expect_refused(parameters, "more than 32 parameters");
  std::string uniforms = "s";
  for (int k = 1; k < 300; ++k) uniforms += fmt::format("+ sin({}*r*s)", k);
  expect_refused(uniforms + "; s = 1", "constants that follow from its parameters");
}

/// Sums that would be multiplied out, quotients of quotients: nothing here grows with 2^n.
TEST(HostileTexts, ThatGrowWhenMultipliedOut) {
  std::string product = "1/r";
  for (int k = 0; k < 60; ++k) product += fmt::format("*(r + {})", k);
  refusal_of(product);
  std::string squares = "r";
  for (int k = 0; k < 60; ++k) squares = fmt::format("({})^2+1/r", squares);
  refusal_of(squares);
  std::string shared = "a0";
  for (int k = 0; k < 40; ++k) shared += fmt::format("; a{0} = (a{1} + 1)*a{1}", k, k + 1);
  refusal_of(shared + "; a40 = r");
  std::string quotients = "r";
  for (int k = 0; k < 80; ++k) quotients = fmt::format("1/(1+{})", quotients);
  refusal_of(quotients);
}

TEST(HostileTexts, Numbers) {
  for (const char* text : {"r^1e9",
                           "r^-1e9",
                           "r^2147483648",
                           "r^-2147483648",
                           "r^4294967296",
                           "r^1e308",
                           "pow(r, 1e300)",
                           "((r^9999)^9999)^9999",
                           "r^9999*r^9999*r^9999",
                           "1/0*r",
                           "r/0",
                           "0/0 + r",
                           "1e308*10*r",
                           "1e999*r",
                           "r^(1/0)",
                           "2^1e9*r",
                           "log(0)*r",
                           "recip(0)*r",
                           "r*0",
                           "(-8)^(1/3)*r",
                           "exp(1e9)*r"}) {
    EXPECT_NE(refusal_of(text), "") << text;
  }
  expect_refused("r + 1" + std::string(400, '0'), "beyond the range of float64");
  expect_refused("r + 0." + std::string(400, '0') + "1", "beyond the range of float64");
  EXPECT_EQ(refusal_of("r*1." + std::string(4000, '0') + "1"), "");
}

TEST(HostileTexts, Bytes) {
  expect_refused("", "the text is empty");
  expect_refused(" \t\r\n ;;\n", "the text is empty");
  expect_refused(std::string("r\0+ 1", 5), "byte 0x00");
  expect_refused("r + \xCF\x83", "byte 0xCF is not ASCII");
  expect_refused("\xFF\xFE", "byte 0xFF");
  expect_refused("r \x1B[31m", "byte 0x1B");
  expect_refused("r`id`", "'`'");
  for (int byte = 0; byte < 256; ++byte) {
    std::string text = "1/r; s = 1";
    text[4] = static_cast<char>(byte);
    const std::string message = refusal_of(text);
    for (const char c : message) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << byte;
  }
}

TEST(HostileTexts, EveryPrefixOfALaw) {
  const std::string text =
      "energy = 4*eps*((s/r)^12 - (s/r)^6) + select(step(r - 1), qi*qj, 0)/r; eps = 1; s = 1; cutoff = 2";
  for (std::size_t k = 0; k < text.size(); ++k) {
    refusal_of(text.substr(0, k));
    std::string damaged = text;
    damaged.erase(k, 1);
    refusal_of(damaged);
  }
}

}  // namespace
}  // namespace tri::expression::test
