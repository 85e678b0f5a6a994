/// Names of enums, and units.
///
/// Names: text to enum and back, and the error for an unknown name.

#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/units.hpp"
#include "tests/support/expect.hpp"

namespace tri {
namespace {

TEST(Suggest, EditDistanceCountsASwapAsOne) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("lambda", "lambda"), 0u);
  EXPECT_EQ(edit_distance("lamdba", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lamda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lambdas", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lumbda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u) << "optimal string alignment: a swapped pair is not edited again";
}

TEST(Suggest, OffersOnlyNearNames) {
  const std::array<std::string_view, 4> names{"gravity", "lennard-jones", "contact", "axilrod-teller"};
  EXPECT_EQ(closest_name("gravty", names), "gravity");
  EXPECT_EQ(closest_name("lennard_jones", names), "lennard-jones");
  EXPECT_EQ(closest_name("lennard", names), "lennard-jones") << "a prefix";
  EXPECT_EQ(closest_name("springs", names), "");
  EXPECT_EQ(closest_name("", names), "");
  EXPECT_EQ(closest_name("x", std::array<std::string_view, 1>{"h"}), "")
      << "a name with every letter changed is no typo";
  EXPECT_EQ(did_you_mean("contacts", names), " Did you mean 'contact'?");
  EXPECT_EQ(did_you_mean("springs", names), "");
  EXPECT_EQ(did_you_mean("kdx", std::vector<std::string>{"kdk"}), " Did you mean 'kdk'?");
}

TEST(MapChoice, EveryNameRoundTrips) {
  for (u32 i = 0; i < kTriangleMapCount; ++i) {
    EXPECT_EQ(triangle_map_from(triangle_maps()[i].name), static_cast<TriangleMapId>(i));
  }
  for (u32 i = 0; i < kTetraMapCount; ++i) {
    EXPECT_EQ(tetra_map_from(tetra_maps()[i].name), static_cast<TetraMapId>(i));
  }
  for (u32 i = 0; i < kGasketMapCount; ++i) {
    EXPECT_EQ(gasket_map_from(gasket_maps()[i].name), static_cast<GasketMapId>(i));
  }
}

TEST(MapChoice, SuggestsTheNearestName) {
  const std::string message = test::message_of<ConfigError>([] { triangle_map_from("lamda"); });
  EXPECT_EQ(message.find("unknown map of the triangle 'lamda'. Did you mean 'lambda'? Known: bb, lambda, lambda-x"), 0u)
      << message;
  EXPECT_NE(test::message_of<ConfigError>([] { tetra_map_from("lambda"); }).find("Known: bb, tetra, tetra-r"),
            std::string::npos);
  EXPECT_NE(test::message_of<ConfigError>([] { gasket_map_from("gaskt"); }).find("Did you mean 'gasket'?"),
            std::string::npos);
  EXPECT_NE(test::message_of<ConfigError>([] { triangle_map_from(""); }), "");
}

TEST(Names, RoundTrip) {
  for (const auto law : {PairLaw::none, PairLaw::gravity, PairLaw::lennard_jones, PairLaw::contact}) {
    EXPECT_EQ(pair_law_from(to_string(law)), law);
  }
  for (const auto law : {TripleLaw::none, TripleLaw::axilrod_teller}) EXPECT_EQ(triple_law_from(to_string(law)), law);
  for (const auto b : {Boundary::open, Boundary::reflecting, Boundary::periodic}) {
    EXPECT_EQ(from_name<Boundary>(to_string(b)), b);
  }
  for (const auto b : {BroadPhase::automatic, BroadPhase::all_pairs, BroadPhase::grid}) {
    EXPECT_EQ(from_name<BroadPhase>(to_string(b)), b);
  }
  for (const auto p : {Precision::fp32, Precision::fp64}) EXPECT_EQ(from_name<Precision>(to_string(p)), p);
  for (const auto a : {Accumulate::fast, Accumulate::ordered}) EXPECT_EQ(from_name<Accumulate>(to_string(a)), a);
}

TEST(Names, AreThoseOfTheCommandLine) {
  EXPECT_EQ(to_string(PairLaw::lennard_jones), "lennard-jones");
  EXPECT_EQ(to_string(TripleLaw::axilrod_teller), "axilrod-teller");
  EXPECT_EQ(to_string(Precision::fp64), "fp64");
  EXPECT_EQ(to_string(Accumulate::ordered), "ordered");
  EXPECT_EQ(test::message_of<ConfigError>([] { from_name<Precision>("fp46"); }),
            "unknown precision 'fp46'. Did you mean 'fp64'? Known: fp32, fp64.");
  EXPECT_EQ(test::message_of<ConfigError>([] { pair_law_from("spring"); }),
            "unknown pair law 'spring'. Known: none, gravity, lennard-jones, contact, typed.");
  EXPECT_EQ(test::message_of<ConfigError>([] { from_name<BroadPhase>("all_pairs"); }),
            "unknown broad phase 'all_pairs'. Did you mean 'all-pairs'? Known: auto, all-pairs, grid.");
  EXPECT_NE(test::message_of<ConfigError>([] { from_name<Accumulate>("order"); }).find("Did you mean 'ordered'?"),
            std::string::npos);
}

TEST(Names, FollowTheOrderOfTheEnumerators) {
  constexpr auto names = enum_names<Boundary>("boundary", "open", "reflecting", "periodic");
  static_assert(names.name(Boundary::reflecting) == "reflecting");
  static_assert(names.find("periodic") == Boundary::periodic && !names.find("Periodic") && !names.find(""));
  EXPECT_EQ(names.from("open"), Boundary::open);
  EXPECT_EQ(test::message_of<ConfigError>([&] { names.from("opne"); }),
            "unknown boundary 'opne'. Did you mean 'open'? Known: open, reflecting, periodic.");
}

TEST(Names, LawsNameTheWorkThatTunesThem) {
  const auto tuned = [](const LawInfo& law) { return std::string(law.tuned == nullptr ? "" : law.tuned); };
  for (const LawInfo& law : all_laws())
    EXPECT_TRUE(law.tuned == nullptr || kNamesOf<TunedWork>.find(law.tuned)) << law.name;
  EXPECT_EQ(tuned(law_info(PairLaw::gravity)), to_string(TunedWork::gravity));
  EXPECT_EQ(tuned(law_info(PairLaw::lennard_jones)), to_string(TunedWork::lennard_jones));
  EXPECT_EQ(tuned(law_info(TripleLaw::axilrod_teller)), "") << "nothing tunes it, not even another law";
}

TEST(EngineConfig, EveryFieldReadsItsOwnText) {
  EngineConfig config;
  config.precision = Precision::fp64, config.accumulate = Accumulate::ordered, config.broad_phase = BroadPhase::grid;
  config.pair_map = TriangleMapId::fold, config.triple_map = TetraMapId::tetra_stream;
  config.pair_block = 48, config.triple_block = 12, config.threads = 3, config.slice_ms = 0.1 + 0.2;
  config.arithmetic = Arithmetic::tensor, config.tolerance = Tolerance::loose;
  EngineOverrides read;
  std::string keys;
  describe_engine(
      [&](EngineField names, const auto& from, auto& to) {
        to = engine_value<std::remove_cvref_t<decltype(from)>>(engine_text(from));
        keys += std::string(names.key) + " ";
      },
      config, read);
  EXPECT_EQ(keys,
            "precision accumulate map triple-map broad-phase block triple-block threads slice-ms arithmetic tolerance "
            "pairs ");
  EngineConfig back;
  apply_overrides({}, back);
  EXPECT_EQ(back, EngineConfig{});
  apply_overrides(read, back);
  EXPECT_EQ(back, config);
  for (const double ms : {0.0, HUGE_VAL}) EXPECT_EQ(engine_value<double>(engine_text(ms)), ms);
  EXPECT_EQ(engine_text(0.0) + engine_text(HUGE_VAL), "autooff");
  for (const char* bad : {"", "-1", "nan", "1 ms"}) {
    EXPECT_NE(test::message_of<ConfigError>([&] { engine_value<double>(bad); }), "") << bad;
    EXPECT_NE(test::message_of<ConfigError>([&] { engine_value<u32>(bad); }), "") << bad;
  }
}

// Named unit systems against figures computed elsewhere.

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
  // A million or a thousandth of a parsec.
  for (const char* mega : {"Mpc-Msun-kms", "MPC, 1e10 MSUN, KM/S", "Msun_Mpc_Mpc/(km/s)"}) {
    EXPECT_NE(find_unit_system(mega), nullptr) << mega;
    EXPECT_EQ(ambiguous_unit(mega), "") << mega;
  }
  for (const char* either : {"mpc-msun-kms", "msun, 10mpc, km/s", "kpc_msun_mpc/gyr"}) {
    EXPECT_EQ(find_unit_system(either), nullptr) << either;
    EXPECT_TRUE(seems_to_name_units(either)) << either;
    test::expect_parts(test::message_of<ConfigError>([&] { unit_system_from(either); }), {either, "write Mpc"});
  }
  EXPECT_NEAR(unit_system_from("angstrom-ev-amu").kelvin(), 11604.518, 1e-3);
}

TEST(Units, ClocksShowYears) {
  const UnitSystem* sun = find_unit_system("au-msun");
  EXPECT_EQ(time_behind(sun, 2 * std::numbers::pi), " yr/2pi (1.00002 yr)");
  EXPECT_EQ(time_behind(find_unit_system("kpc-kms-msun"), 1), " kpc/(km/s) (977.792 Myr)");
  EXPECT_EQ(time_behind(find_unit_system("si"), 3), " s");
  EXPECT_EQ(time_behind(nullptr, 3), "");
  EXPECT_EQ(clock_unit(sun).behind, " yr");
  EXPECT_EQ(time_behind(find_unit_system("AU, Msun, km/s"), 1), " AU/(km/s) (4.74047 yr)");
  EXPECT_EQ(time_behind(find_unit_system("pc, Msun, km/s"), 1), " pc/(km/s) (0.977792 Myr)");
  EXPECT_EQ(time_behind(find_unit_system("angstrom-ev-amu"), 1), " A sqrt(amu/eV)");
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
