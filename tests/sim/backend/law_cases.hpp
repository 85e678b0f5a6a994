#pragma once
/// Laws, and the checks of `verify` as tests of them: one oracle, one measure of errors, for every backend.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/bench/verify.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {

/// Bodies of this kind whose numbers float32 has.
template <class Make>
app::LawCase law_case(const std::string& name, const ForceField& field, Make&& make) {
  const auto bodies = [make](u32 n, u64 seed) { return as_held(make(n, seed), Precision::fp32); };
  return {name, field, bodies, 1, 10};
}

inline std::vector<app::LawCase> pair_laws() {
  ForceField cut = lennard_jones_field(2.5);
  cut.lennard_jones.shifted = true;
  return {law_case("gravity", gravity_field(), cloud_bodies), law_case("point masses", gravity_field(0), cloud_bodies),
          law_case("lennard-jones", lennard_jones_field(), lattice_bodies), law_case("cut", cut, lattice_bodies),
          law_case("contact with walls", contact_field(), cloud_bodies)};
}

inline app::LawCase axilrod_teller() { return law_case("axilrod-teller", triple_field(), lattice_bodies); }

/// Fails the test for each check that fails, with its first wrong case.
inline void expect_passed(const std::vector<app::VerifyCheck>& checks) {
  EXPECT_FALSE(checks.empty());
  for (const app::VerifyCheck& check : checks) {
    const app::VerifyRow row = app::run_check(check);
    EXPECT_TRUE(row.outcome.passed) << check.name << ": " << row.outcome.note;
  }
}

/// The laws at these numbers of bodies on every map, which meets each of these tile sides at some of them: forces,
/// energy and the number of pairs or triples against float64, in both precisions, fast and ordered; and the bits of
/// ordered sums. With `named`, the checks alone whose name contains it.
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
