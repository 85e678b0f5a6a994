#pragma once
/// Skips a test whose backend this machine lacks. TRI_REQUIRE_CUDA=1 turns the skip into a failure: set it where a GPU
/// must be present, so that a missing driver cannot pass.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

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
