#pragma once
/// Error messages, for tests that check their text.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/base/error.hpp"

namespace tri::test {

/// The message of the error of type E that f throws; empty if it throws none. Any other exception fails the test.
template <class E = Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return {};
}

/// Checks that the message contains every part.
inline void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
  }
}

}  // namespace tri::test
