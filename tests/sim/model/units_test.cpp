/// Named unit systems against figures computed elsewhere.

#include "sim/model/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

TEST(Units, EverySystemIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const std::string_view name : unit_system_names()) {
    ASSERT_NE(find_unit_system(name), nullptr) << name;
    EXPECT_EQ(unit_system_from(name).name, name);
    names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"nbody", "si", "au-yr-msun", "au-msun", "kpc-kms-msun", "lj",
                                               "nm-ps-amu", "angstrom-ps-amu", "angstrom-ev-amu"}));
  EXPECT_EQ(find_unit_system("G = 1, total mass 1"), nullptr);
  test::expect_parts(test::message_of<ConfigError>([] { unit_system_from("kpc-km-msun"); }),
                     {"unknown unit system 'kpc-km-msun'", "Did you mean 'kpc-kms-msun'?", "nm-ps-amu"});
}

TEST(Units, GravityOfTheAstronomersSystems) {
  EXPECT_EQ(unit_system_from("nbody").G, 1);
  EXPECT_EQ(unit_system_from("lj").G, 1);
  EXPECT_EQ(unit_system_from("si").G, 6.67430e-11);
  // A circle of 1 AU about the Sun takes a Gaussian year, 365.2568983 days (2 pi / 0.01720209895).
  const double year = 2 * std::numbers::pi / std::sqrt(unit_system_from("au-yr-msun").G);
  EXPECT_NEAR(year * 365.25, 365.2568983, 1e-6);
  const UnitSystem& gaussian = unit_system_from("au-msun");
  EXPECT_EQ(gaussian.G, 1);
  EXPECT_NEAR(2 * std::numbers::pi * gaussian.second / 86400, 365.2568983, 1e-6);
  // The figure in use for galaxies: 4.30091727e-6 kpc (km/s)^2 / Msun.
  EXPECT_NEAR(unit_system_from("kpc-kms-msun").G, 4.30091727e-6, 1e-14);
  const UnitSystem& galactic = unit_system_from("kpc-kms-msun");
  EXPECT_NEAR(galactic.metre / galactic.second, 1000, 1e-9);            // km/s
  EXPECT_NEAR(galactic.second / (365.25 * 86400e9), 0.97779222, 1e-8);  // 0.978 Gyr
  EXPECT_NEAR(galactic.kilogram, 1.98841e30, 1e25);
}

TEST(Units, EnergiesOfMolecules) {
  constexpr double kAvogadro = 6.02214076e23;
  EXPECT_NEAR(unit_system_from("nm-ps-amu").joule() * kAvogadro, 1000, 1e-5);  // kJ/mol
  EXPECT_NEAR(unit_system_from("angstrom-ps-amu").joule() * kAvogadro, 10, 1e-7);
  EXPECT_NEAR(unit_system_from("nm-ps-amu").kelvin(), 120.27236, 1e-5);  // 1 kJ/mol over R
  EXPECT_EQ(unit_system_from("lj").kelvin(), 0);
  EXPECT_FALSE(unit_system_from("nbody").is_physical());
}

// Files and scenes may name units of their own: three that make a system.
TEST(Units, AreMadeOfThree) {
  // G = 4.49850e-3 pc^3 / (Msun Myr^2); 43007.1 kpc (km/s)^2 / 1e10 Msun, to the digits of the constants of GADGET.
  EXPECT_NEAR(unit_system_from("pc-myr-msun").G, 4.4985e-3, 1e-7);
  EXPECT_NEAR(unit_system_from("kpc, 1e10 Msun, km/s").G, 43009.17, 0.01);
  EXPECT_NEAR(unit_system_in_cgs(3.085678e21, 1.989e43, 1e5)->G, 43021.93, 0.1);
  EXPECT_NEAR(unit_system_from("au-year-msun").G, unit_system_from("au-yr-msun").G, 1e-12);
  const UnitSystem& words = unit_system_from("length kpc, mass 1e6 Msun, time kpc/(km/s)");
  EXPECT_TRUE(same_units(words, unit_system_from("1e6Msun_kpc_km/s")));
  EXPECT_FALSE(same_units(words, unit_system_from("kpc-kms-msun")));
  EXPECT_TRUE(same_units(unit_system_from("kpc_msun_kms"), unit_system_from("kpc-kms-msun")));
  EXPECT_EQ(&unit_system_from("pc-myr-msun"), find_unit_system(unit_system_from("pc-myr-msun").name));
  EXPECT_EQ(unit_system_from("pc_Msun_Myr").text(), "length pc, mass Msun, time Myr, G = 0.0044985");
  for (const char* no : {"kpc", "kpc-msun", "kpc-kpc-msun-yr", "kpc-msun-metal", "-1kpc_msun_yr", "0kpc_msun_yr", "",
                         "1e300kpc_1e300msun_1e-300yr", "kpc, Msun, km/s, yr", "G = 1, total mass 1, radius 1"}) {
    EXPECT_EQ(find_unit_system(no), nullptr) << no;
  }
  EXPECT_EQ(unit_system_in_cgs(0, 1, 1), nullptr);
  EXPECT_NEAR(unit_system_from("angstrom-ev-amu").kelvin(), 11604.518, 1e-3);
}

TEST(Units, ClocksShowYears) {
  const UnitSystem* sun = find_unit_system("au-msun");
  EXPECT_EQ(time_behind(sun, 2 * std::numbers::pi), " yr/2pi (1.00002 yr)");
  EXPECT_EQ(time_behind(find_unit_system("kpc-kms-msun"), 1), " kpc/(km/s) (977.792 Myr)");
  EXPECT_EQ(time_behind(find_unit_system("si"), 3), " s");
  EXPECT_EQ(time_behind(nullptr, 3), "");
  EXPECT_EQ(clock_unit(sun).behind, " yr");
}

TEST(Units, StandBehindNumbers) {
  const UnitSystem* au = find_unit_system("au-yr-msun");
  EXPECT_EQ(unit_behind(au, "length"), " AU");
  EXPECT_EQ(unit_behind(au, "mass"), " Msun");
  EXPECT_EQ(unit_behind(au, "time"), " yr");
  EXPECT_EQ(unit_behind(au, "velocity"), " AU/yr");
  EXPECT_EQ(unit_behind(au, "acceleration"), " AU/yr^2");
  EXPECT_EQ(unit_behind(find_unit_system("kpc-kms-msun"), "acceleration"), " (km/s)^2/kpc");
  EXPECT_EQ(unit_behind(find_unit_system("lj"), "acceleration"), " epsilon/(m sigma)");
  EXPECT_EQ(unit_behind(au, "energy"), " Msun AU^2/yr^2");
  EXPECT_EQ(unit_behind(au, "length^3 / (mass time^2)"), "");
  EXPECT_EQ(unit_behind(nullptr, "length"), "");
  EXPECT_EQ(unit_behind(find_unit_system("nbody"), "length"), "");
  EXPECT_EQ(au->text(), "length AU, mass Msun, time yr, G = 39.4769");
  EXPECT_EQ(unit_system_from("nbody").text(), "G = 1");
}

}  // namespace
}  // namespace tri
