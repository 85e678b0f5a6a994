/// The table of laws: what files and options name, ranges, and that rows, enums and functors agree.

#include <gtest/gtest.h>

#include <set>

#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/visit_law.hpp"
#include "tests/support/error_messages.hpp"

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
