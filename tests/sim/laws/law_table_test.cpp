/// The table of laws: what files and options name, ranges, and that rows, enums and functors agree.

#include <set>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/laws/visit_law.hpp"
#include "sim/model/checks.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/physics_cases.hpp"

namespace tri {
namespace {

std::string error_of(const ForceField& field) {
  return test::message_of<ConfigError>([&] { check(field); });
}

/// Session text, snapshots and the command line hold these names: a change makes old files unreadable.
TEST(LawTable, NamesThatFilesAndOptionsHold) {
  std::string keys, options;
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      keys += std::string(law.name) + "." + p.key + (p.flag != nullptr ? "? " : " ");
      if (p.option != nullptr) options += std::string(p.option) + " ";
    }
  }
  EXPECT_EQ(keys,
            "gravity.G gravity.softening lennard-jones.epsilon lennard-jones.sigma lennard-jones.cutoff "
            "lennard-jones.shifted? contact.stiffness contact.damping contact.shear contact.impulse? "
            "contact.restitution axilrod-teller.nu ");
  EXPECT_EQ(
      options,
      "--G --eps --epsilon --sigma --cutoff --shifted --stiffness --damping --shear --response --restitution --nu ");
}

TEST(LawTable, OptionsAndSceneKeysAreUnique) {
  std::set<std::string> options, scene;
  for (const LawInfo& law : all_laws()) {
    std::set<std::string> keys;
    for (const LawParameter& p : law.parameters) {
      EXPECT_NE(p.real != nullptr, p.flag != nullptr) << p.key << ": a number or a flag";
      EXPECT_TRUE(keys.insert(p.key).second) << law.name << " " << p.key;
      EXPECT_TRUE(p.option == nullptr || options.insert(p.option).second) << p.key;
      EXPECT_TRUE(p.scene == nullptr || scene.insert(p.scene).second) << p.key;
    }
  }
}

TEST(LawTable, EachNumberIsItsOwnAndIsRefusedOutOfRange) {
  std::set<const double*> places;
  ForceField shared;
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.real == nullptr) continue;
      EXPECT_TRUE(places.insert(&p.value(shared)).second) << law.name << " " << p.key << " is another parameter's";
      EXPECT_TRUE(p.range.holds(p.value(ForceField{}))) << law.name << " " << p.key << ": its default";
      for (const double bad : {p.range.low - 1, p.range.high + 1, std::numeric_limits<double>::quiet_NaN()}) {
        ForceField f;
        p.value(f) = bad;
        EXPECT_EQ(error_of(f).find(std::string(law.name) + " " + p.key + " = "), 0u) << error_of(f);
      }
    }
  }
}

TEST(LawTable, RowsEnumsAndFunctorsAgree) {
  const auto expect_row = [](const LawInfo& row, const auto& law) {
    EXPECT_STREQ(row.name, law.kName);
    EXPECT_EQ(row.uses, law.kUses);
    EXPECT_EQ(row.sums, law.kSums);
  };
  for (const LawInfo& row : all_laws()) {
    EXPECT_EQ(row.pair != PairLaw::none ? to_string(row.pair) : to_string(row.triple), row.name);
    EXPECT_EQ(&(row.pair != PairLaw::none ? law_info(row.pair) : law_info(row.triple)), &row);
    EXPECT_EQ(row.typed, row.pair == PairLaw::typed || row.triple == TripleLaw::typed);
    if (row.typed) continue;  // its text says what it reads
    ForceField f;
    select_law(f, row.name);
    EXPECT_TRUE(row.acts(f));
    u32 visited = 0;
    const auto visit = [&](const auto& law) { expect_row(row, law), ++visited; };
    laws::visit_pair_law<double>(f, visit);
    laws::visit_triple_law<double>(f, visit);
    EXPECT_EQ(visited, 1u) << row.name;
  }
  ForceField f;
  EXPECT_THROW(select_law(f, "none"), ConfigError);
  EXPECT_THROW(select_law(f, "typed"), ConfigError) << "a text selects it";
}

TEST(LawTable, ALawIsNotPeriodicUnlessItsRowSaysSo) {
  LawInfo row;
  EXPECT_NE(row.not_periodic({}).find("it has no cut-off"), std::string::npos);
  ForceField f;
  EXPECT_TRUE(sums_are_accelerations(f)) << "gravity";
  for (const PairLaw law : {PairLaw::contact, PairLaw::none}) {
    f.pair = law;
    EXPECT_FALSE(sums_are_accelerations(f)) << to_string(law);
  }
}

TEST(LawTable, EnergyIsLostByDampingFrictionAndInelasticImpulsesOfActingLawsAlone) {
  ForceField f;
  f.contact.damping = 1;
  EXPECT_TRUE(conserves_energy(f)) << "gravity acts";
  f.pair = PairLaw::contact;
  EXPECT_FALSE(conserves_energy(f));
  f.contact.damping = 0;
  EXPECT_TRUE(conserves_energy(f));
  f.contact.shear = 1;
  EXPECT_FALSE(conserves_energy(f));
  f.contact.impulse = true;
  EXPECT_TRUE(conserves_energy(f)) << "impulses have no dashpots";
  f.contact.restitution = 0.99;
  EXPECT_FALSE(conserves_energy(f));
  f.pair = PairLaw::none, f.triple = TripleLaw::axilrod_teller;
  EXPECT_TRUE(conserves_energy(f));
}

}  // namespace
}  // namespace tri

// Typed laws in a force field: which words are a text, what a field then reads and sums, and what check() refuses.

namespace tri::test {
namespace {

constexpr const char* kLennardJones = "4*eps*((s/r)^12 - (s/r)^6); eps = 1.25; s = 0.5; cutoff = 2.5; shifted = 1";

ForceField typed(const std::string& text) {
  ForceField f;
  set_pair_law(f, text);
  return f;
}

/// A cloud of n spheres in [-1, 1)^3, of different masses.
Bodies cloud_of_spheres(u32 n) {
  Bodies b = centred_cloud(n);
  for (u32 i = 0; i < n; ++i) b.m[i] = 1 + 0.1 * i, b.r[i] = 0.2 + 0.01 * i;
  return b;
}

std::string fault_of(const ForceField& f) {
  return message_of<ConfigError>([&] { check(f); });
}

TEST(TypedText, NamesAreNoTexts) {
  for (const char* name : {"gravity", "lennard-jones", "none", "r", "a_b2"}) EXPECT_FALSE(is_law_text(name)) << name;
  for (const char* text : {"1/r", "-mi*mj/r", "r^2", "energy = r", "exp(r)", "k*r;k=1"}) EXPECT_TRUE(is_law_text(text));
  ForceField f = typed("k*r^2; k = 2");
  EXPECT_EQ(f.pair, PairLaw::typed);
  set_pair_law(f, "lennard-jones");
  EXPECT_EQ(f.pair, PairLaw::lennard_jones);
  EXPECT_TRUE(f.typed_pair) << "it may be switched on again";
  EXPECT_THROW(set_pair_law(f, "lenard-jones"), ConfigError);
  set_triple_law(f, "k/(a*b*c); k = 1");
  EXPECT_EQ(f.triple, TripleLaw::typed);
  EXPECT_THROW(set_triple_law(f, "k/r; k = 1"), ConfigError) << "r is of pairs";
}

TEST(TypedText, TheTextSaysWhatIsReadAndSummed) {
  EXPECT_EQ(pair_uses(typed("k*r^2; k = 2")), 0u);
  EXPECT_EQ(pair_uses(typed("qi*qj/r")), u32{laws::kCharge});
  EXPECT_EQ(pair_uses(typed("(ri + rj)*sqrt(mi + mj)/r")), u32{laws::kMass | laws::kRadius});
  EXPECT_TRUE(sums_are_accelerations(typed("-mi*mj/r")));
  EXPECT_FALSE(sums_are_accelerations(typed("-(mi + mj)/r")));
  const ForceField f = typed(kLennardJones);
  EXPECT_TRUE(has_pair_sums(f) && conserves_energy(f));
  EXPECT_FALSE(depends_on_velocity(f));
  EXPECT_EQ(fault_of(f), "");
}

TEST(TypedText, OneLineReadsBackAsTheSameLaw) {
  const ForceField f = typed("energy = 4*eps*(\n  (s/r)^12 -\n  (s/r)^6)\neps = 1.25\n\ns = d/2;\nd = 1\n");
  const std::string line = pair_law_text(f);
  EXPECT_EQ(line.find_first_of("\n\r"), std::string::npos) << line;
  EXPECT_EQ(pair_law_words(f), line);
  const ForceField again = typed(line);
  EXPECT_EQ(pair_law_text(again), line);
  const Bodies b = cloud_of_spheres(20);
  const ReferenceForces one = reference_forces(b, f), other = reference_forces(b, again);
  EXPECT_EQ(one.fx, other.fx);
  EXPECT_EQ(one.potential, other.potential);
  EXPECT_EQ(pair_law_text(ForceField{}), "");
  EXPECT_EQ(pair_law_words(ForceField{}), "gravity");
  EXPECT_EQ(triple_law_words(f), "none");
}

TEST(TypedText, ChangedValuesAreInTheText) {
  ForceField f = typed(kLennardJones);
  f.typed_pair.values[f.typed_pair.law->find("eps")] = 0.1 + 0.2;
  EXPECT_NE(pair_law_text(f).find("0.30000000000000004"), std::string::npos) << pair_law_text(f);
  EXPECT_EQ(typed(pair_law_text(f)).typed_pair.values, f.typed_pair.values);
}

TEST(TypedText, CheckRefusesALawWithoutATextAndValuesOutOfRange) {
  ForceField f;
  f.pair = PairLaw::typed;
  EXPECT_NE(fault_of(f).find("has no text"), std::string::npos);
  f = typed(kLennardJones);
  f.typed_pair.values.pop_back();
  EXPECT_NE(fault_of(f).find("3 values for 4 parameters"), std::string::npos);
  f = typed(kLennardJones);
  f.typed_pair.values[f.typed_pair.law->find("cutoff")] = -1;
  EXPECT_NE(fault_of(f), "");
}

TEST(TypedText, PeriodicWallsNeedACutOffOfHalfASide) {
  ForceField f = typed(kLennardJones);
  f.box = {{0, 0, 0}, {5, 6, 7}, Boundary::periodic};
  EXPECT_EQ(fault_of(f), "");
  f.box.high[1] = 4.9;
  EXPECT_EQ(fault_of(f).find("periodic walls with typed: its cutoff = 2.5, and must be above 0 and at most 2.45"), 0u)
      << fault_of(f);
  f.typed_pair = typed("-1/r").typed_pair;
  EXPECT_NE(fault_of(f).find("has no cut-off; add the parameter cutoff"), std::string::npos) << fault_of(f);
  f = ForceField{};
  f.pair = PairLaw::none;
  set_triple_law(f, "k/(a*b*c); k = 1");
  EXPECT_EQ(fault_of(f), "");
  f.box.boundary = Boundary::periodic;
  EXPECT_NE(fault_of(f).find("the nearest images of three bodies"), std::string::npos) << fault_of(f);
}

/// The oracle shares its program with the backends: it must agree with the oracles of the built-in laws.
TEST(TypedText, TheOracleOfARetypedLawIsThatOfTheLaw) {
  const Bodies b = cloud_of_spheres(40);
  const auto expect_same = [&](const ForceField& own, const ForceField& other) {
    const ReferenceForces a = reference_forces(b, own), c = reference_forces(b, other);
    double largest = 0;
    for (const double v : a.fx) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < b.size(); ++i) {
      EXPECT_NEAR(a.fx[i], c.fx[i], 1e-12 * largest);
      EXPECT_NEAR(a.fy[i], c.fy[i], 1e-12 * largest);
      EXPECT_NEAR(a.fz[i], c.fz[i], 1e-12 * largest);
    }
    EXPECT_NEAR(a.potential, c.potential, 1e-12 * std::abs(a.potential));
    EXPECT_NEAR(a.virial, c.virial, 1e-11 * std::abs(a.virial));
  };
  expect_same(gravity_field(0.25), typed("-mi*mj/r; softening = 0.25"));
  ForceField own = lennard_jones_field(2.5, true);
  own.lennard_jones.epsilon = 1.25, own.lennard_jones.sigma = 0.5;
  expect_same(own, typed(kLennardJones));
  expect_same(contact_field(30), typed("k*o^2/2*step(o); o = ri + rj - r; k = 30"));
  ForceField triples = triple_field(0.5), typed_triples = triples;
  set_triple_law(typed_triples,
                 "nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2 + b^2 - c^2; y = b^2 + c^2 - a^2; "
                 "z = c^2 + a^2 - b^2; nu = 0.5");
  expect_same(triples, typed_triples);
}

TEST(TypedText, WhatFloat32CannotHoldIsRefused) {
  const Bodies b = cloud_of_spheres(40);
  check_float_range(b, typed(kLennardJones), Precision::fp32);
  const ForceField tiny = typed("eps*(s/r)^6; eps = 1e-30; s = 1e-5");
  check_float_range(b, tiny, Precision::fp64);
  const std::string refusal = message_of<ConfigError>([&] { check_float_range(b, tiny, Precision::fp32); });
  EXPECT_NE(refusal.find("--precision fp64"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace tri::test
