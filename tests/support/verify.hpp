#pragma once
/// The checks of `verify` as tests: one oracle, one measure of errors, for every backend.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/bench/verify.hpp"

namespace tri::test {

/// Fails the test for each check that fails, with its first wrong case.
inline void expect_passed(const std::vector<app::VerifyCheck>& checks) {
  EXPECT_FALSE(checks.empty());
  for (const app::VerifyCheck& check : checks) {
    const app::VerifyRow row = app::run_check(check);
    EXPECT_TRUE(row.outcome.passed) << check.name << ": " << row.outcome.note;
  }
}

/// The laws at these numbers of bodies, on every map with each of these tile sides: forces, energy and the number of
/// pairs or triples against float64, in both precisions, fast and ordered; and the bits of ordered sums. With `named`,
/// the checks alone whose name contains it.
inline void expect_laws(Backend& backend, const std::vector<app::LawCase>& laws, const std::vector<u32>& sizes,
                        const std::vector<u32>& blocks, const std::string& named = "") {
  app::VerifyPlan plan;
  plan.laws = laws, plan.sizes = sizes, plan.blocks = blocks;
  plan.backends = {&backend};
  std::vector<app::VerifyCheck> checks = app::make_checks(plan);
  std::erase_if(checks, [&](const app::VerifyCheck& c) { return c.name.find(named) == std::string::npos; });
  expect_passed(checks);
}

}  // namespace tri::test
