#pragma once
/// Expectations: usable backends, messages of errors, long trajectories.
///
/// Skips a test whose backend this machine lacks. TRI_REQUIRE_CUDA=1 turns the skip into a failure: set it where a GPU
/// must be present, so that a missing driver cannot pass.

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace tri::test {

inline bool flag_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && std::string(value) == "1";
}

/// Call it in SetUp(): GoogleTest then skips the body of the test.
inline void require_usable(const Availability& backend) {
  if (backend) return;
  if (flag_set("TRI_REQUIRE_CUDA")) FAIL() << "TRI_REQUIRE_CUDA=1, but " << backend.reason;
  GTEST_SKIP() << backend.reason;
}

}  // namespace tri::test

// Tests that follow bodies for so long that they take minutes under a sanitizer. What they run is covered there by
// shorter ones.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRI_LONG_TRAJECTORY() GTEST_SKIP() << "a long trajectory: minutes under the sanitizers"
#else
#define TRI_LONG_TRAJECTORY() static_cast<void>(0)
#endif

// Error messages, for tests that check their text.

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
