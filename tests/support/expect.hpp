#pragma once
/// Expectations: usable backends, messages of errors, long trajectories, work that ends early.
///
/// Skips a test whose backend this machine lacks. TRI_REQUIRE_CUDA=1 turns the skip into a failure: set it where a GPU
/// must be present, so that a missing driver cannot pass.

#include <cstdlib>
#include <cstring>
#include <source_location>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

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

namespace tri::test {

/// Also of numbers that are none.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// Error messages, for tests that check their text.

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

/// Checks that the message contains every part; a failure is one of the caller's line.
inline void expect_parts(const std::string& message, const std::vector<std::string>& parts,
                         const std::source_location& at = std::source_location::current()) {
  for (const std::string& part : parts) {
    if (message.find(part) != std::string::npos) continue;
    ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << "no '" << part << "' in: " << message;
  }
}

}  // namespace tri::test

// Work that ends early.

namespace tri::test {

/// Ends work as Ctrl-C does, at a report or at a part of a loop; otherwise it watches.
class EndingSink final : public ProgressSink {
 public:
  /// At this report, counted from 1.
  explicit EndingSink(u32 last) : last_(last) {}
  /// Where this part of a loop is done; never for more than 1.
  static EndingSink at_part(double part) {
    EndingSink sink(0);
    sink.part_ = part;
    return sink;
  }
  void report(const ProgressReport& r) override {
    if (r.total == total && r.done < done) ++falls;
    name = r.name, done = r.done, total = r.total;
    if (++reports == last_ || (total > 0 && done >= part_ * total)) throw InterruptedError("enough");
  }
  u32 reports = 0;
  u32 falls = 0;  ///< of what is done; loops of one length, one after the other, have some
  double done = 0, total = 0;
  std::string name;

 private:
  u32 last_;
  double part_ = 2;
};

}  // namespace tri::test
