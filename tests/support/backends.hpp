#pragma once
/// The backends that tests run over, and how a test program ends.
///
/// Test programs end as the program does: after finish_backends(). Including this header is enough.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/backend/backend.hpp"
#include "sim/backends.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {

struct FinishBackends : testing::Environment {
  void TearDown() override { finish_backends(); }
};
inline testing::Environment* const kFinishBackends = testing::AddGlobalTestEnvironment(new FinishBackends);

// Suites that run once on every backend: derive from OnBackend, and instantiate with TRI_ON_EVERY_BACKEND(suite).
// Tests of a backend that is not usable on this machine are skipped with the reason; see expect.hpp.

/// Every backend of the program, whether usable or not, and three ranks of cpu as one. A constant, so that listing the
/// tests starts no driver; the test Backends.AllAreTested compares it with list_backends().
inline std::vector<std::string> backend_names() { return {"cpu", "cuda", "ranks"}; }

inline std::unique_ptr<Backend> make_named(const std::string& backend) {
  return backend == "ranks" ? make_local_cluster(3, "cpu", make_rank_backend) : make_backend(backend);
}

inline Availability availability_of(const std::string& backend) {
  if (backend == "ranks") return {true, ""};
  for (const BackendEntry& entry : list_backends()) {
    if (entry.name == backend) return entry.available;
  }
  return {false, "there is no backend " + backend};
}

class OnBackend : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    require_usable(availability_of(GetParam()));
    if (!IsSkipped() && !HasFatalFailure()) backend_ = make_named(GetParam());
  }
  Backend& backend() const { return *backend_; }
  bool cuda() const { return GetParam() == "cuda"; }
  bool fast_repeats() const { return GetParam() == "cpu"; }  ///< see BackendInfo

 private:
  std::unique_ptr<Backend> backend_;
};

}  // namespace tri::test

#define TRI_ON_EVERY_BACKEND(suite) \
  INSTANTIATE_TEST_SUITE_P(Backends, suite, testing::ValuesIn(tri::test::backend_names()), \
                           [](const auto& instance) { return instance.param; })
