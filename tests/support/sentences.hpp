#pragma once
/// Error messages, for tests that check their words.

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

#include "sim/base/error.hpp"

namespace tri::test {

/// The message of the error of this type that f throws; a test failure if it throws none.
template <class E = FileError, class F>
std::string sentence_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

/// Checks that the message contains every part.
inline void expect_parts(const std::string& sentence, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(sentence.find(part), std::string::npos) << "no '" << part << "' in: " << sentence;
  }
}

}  // namespace tri::test
