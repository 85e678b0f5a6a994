// The parts of a headless run: its scene, file names, orbits, summary.

#include "app/commands/run_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "app/commands/orbits.hpp"
#include "app/commands/run_loop.hpp"
#include "app/commands/run_summary.hpp"
#include "app/options/options.hpp"
#include "app/support/progress_line.hpp"
#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app {
namespace {

Scene scene(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "run"});
  return scene_of(parse_options(arguments));
}

TEST(RunScene, OptionsAreKeysOfANamedScene) {
  const Scene s = scene({"plummer:n=50", "--steps", "1", "--seed", "9", "--dt", "0.125", "--eps", "0.5", "--G", "2",
                         "--integrator", "yoshida4"});
  const Scene same = make_scene("plummer:n=50,seed=9,G=2,eps=0.5");
  EXPECT_EQ(s.bodies.x, same.bodies.x);
  EXPECT_EQ(s.bodies.vx, same.bodies.vx);
  EXPECT_EQ(s.dt, 0.125);
  EXPECT_EQ(s.field.gravity.softening, 0.5);
  EXPECT_EQ(s.field.gravity.G, 2.0);
  EXPECT_EQ(s.integrator, Integrator::yoshida4);
  EXPECT_NE(scene({"plummer:n=50", "--steps", "1", "--seed", "8"}).bodies.x, same.bodies.x);
}

TEST(RunScene, AKeyAfterABareName) {
  EXPECT_EQ(scene({"kepler", "--steps", "1", "--dt", "0.5"}).dt, 0.5);
  EXPECT_EQ(scene({"kepler:e=0.25", "--steps", "1", "--dt", "0.5"}).dt, 0.5);
}

TEST(RunScene, NothingIsIgnoredOrRepeated) {
  EXPECT_THROW(scene({"kepler", "--steps", "1", "--seed", "3"}), ConfigError);     // has no seed
  EXPECT_THROW(scene({"sphere-box", "--steps", "1", "--eps", "3"}), ConfigError);  // has no softening
  EXPECT_THROW(scene({"plummer:seed=1", "--steps", "1", "--seed", "3"}), ConfigError);
  EXPECT_THROW(scene({"plumer", "--steps", "1"}), ConfigError);
  EXPECT_THROW(scene({"nothing.csv", "--steps", "1"}), FileError);
}

TEST(RunScene, ParametersOfLawsGoToKeysOfTheSceneOrToItsLaws) {
  const std::string file = TRI_TEST_DATA "/solar_system.tab";
  const auto field = [&](std::vector<std::string> options) {
    options.insert(options.begin() + 1, {"--steps", "1"});
    return scene(options).field;
  };
  const ForceField lj = field({file, "--law", "lj", "--sigma", "0.5", "--epsilon", "2", "--cutoff", "3", "--shifted"});
  EXPECT_EQ(lj.lennard_jones.sigma, 0.5);
  EXPECT_EQ(lj.lennard_jones.epsilon, 2);
  EXPECT_EQ(lj.lennard_jones.cutoff, 3);
  EXPECT_TRUE(lj.lennard_jones.shifted);
  EXPECT_EQ(field({"plummer:n=9", "--law", "lj", "--sigma", "0.25"}).lennard_jones.sigma, 0.25);
  EXPECT_EQ(field({"argon-droplet:n=9", "--nu", "0"}).triple, make_scene("argon-droplet:n=9,nu=0").field.triple);
  EXPECT_EQ(field({"argon-droplet:n=9", "--law", "gravity", "--eps", "0.5"}).gravity.softening, 0.5);
  const ForceField hard = field({file, "--law", "contact", "--response", "impulses", "--restitution", "0.5"});
  EXPECT_TRUE(hard.contact.impulse && hard.contact.restitution == 0.5);
  EXPECT_TRUE(field({"falling-pile:n=9", "--response", "impulses"}).contact.impulse);
  for (const std::vector<std::string>& idle :
       std::vector<std::vector<std::string>>{{file, "--sigma", "0.5"},
                                             {"plummer:n=9", "--law", "lj", "--eps", "0.5"},
                                             {"argon-droplet:n=9", "--eps", "0.5"},
                                             {file, "--law", "lj", "--shifted"},
                                             {file, "--law", "contact", "--restitution", "0.5"},
                                             {file, "--law", "contact", "--response", "impulses", "--stiffness", "5"},
                                             {file, "--law", "-mi*mj/r", "--nu", "1"}}) {
    EXPECT_THROW(field(idle), ConfigError) << idle.back();
  }
}

TEST(RunScene, AFileAcceptsTheSameOptions) {
  const Scene s = scene({TRI_TEST_DATA "/solar_system.tab", "--steps", "1", "--eps", "0.25", "--dt", "0.5"});
  EXPECT_EQ(s.bodies.size(), 9u);
  EXPECT_EQ(s.field.gravity.softening, 0.25);
  EXPECT_EQ(s.dt, 0.5);
}

TEST(Snapshots, FileNumbersHaveTheDigitsOfTheLastStep) {
  EXPECT_EQ(snapshot_name("a_{step}.csv", 7, 1000), "a_0007.csv");
  EXPECT_EQ(snapshot_name("{step}/{step}.npy", 12, 99), "12/12.npy");
}

/// The due steps among 1 .. last.
std::vector<u64> due_steps(const SaveEvery& every, double dt, u64 last) {
  const SaveSchedule schedule(every, dt, 0);
  std::vector<u64> steps;
  for (u64 step = 1; step <= last; ++step) {
    if (schedule.due(step, static_cast<double>(step) * dt, 1e9)) steps.push_back(step);
  }
  return steps;
}

TEST(SaveSchedule, ByStepsAndByTime) {
  using By = SaveEvery::By;
  EXPECT_EQ(due_steps({By::never, 0, 0}, 0.1, 20), (std::vector<u64>{}));
  EXPECT_EQ(due_steps({By::steps, 7, 0}, 0.1, 20), (std::vector<u64>{7, 14}));
  EXPECT_EQ(due_steps({By::time, 0, 0.1}, 0.1, 5), (std::vector<u64>{1, 2, 3, 4, 5}));
  EXPECT_EQ(due_steps({By::time, 0, 0.25}, 0.1, 12), (std::vector<u64>{3, 5, 8, 10}));  // 2.5 and 7.5 round up
  EXPECT_EQ(due_steps({By::time, 0, 0.3}, 0.01, 100), (std::vector<u64>{30, 60, 90}));
  EXPECT_THROW(SaveSchedule({By::time, 0, 0.09}, 0.1, 0), ConfigError);
}

TEST(SaveSchedule, NextFindsTheDueStepFromAnyStep) {
  using By = SaveEvery::By;
  for (const SaveEvery& every : {SaveEvery{By::steps, 6, 0}, SaveEvery{By::time, 0, 0.0617}}) {
    const SaveSchedule schedule(every, 0.01, 0);
    const std::vector<u64> due = due_steps(every, 0.01, 200);
    ASSERT_GT(due.size(), 30u);
    for (u64 step = 0; step < due[30]; ++step) {
      const u64 next = *std::upper_bound(due.begin(), due.end(), step);
      ASSERT_EQ(schedule.steps_to_next(step), next - step) << step;
    }
  }
  EXPECT_EQ(SaveSchedule({By::wall, 0, 3}, 0.1, 0).steps_to_next(5), SaveSchedule::kNever);
}

TEST(SaveSchedule, ATimeBeyondAllStepsIsNeverDue) {
  for (const double amount : {1e17, 1e25, 1e300, 1.7e308}) {
    const SaveEvery every{SaveEvery::By::time, 0, amount};
    const SaveSchedule schedule(every, 0.01, 0);
    EXPECT_GT(schedule.steps_to_next(0), u64{1} << 53) << amount;
    EXPECT_GT(schedule.steps_to_next(1000), u64{1} << 53) << amount;
    EXPECT_EQ(due_steps(every, 0.01, 50), (std::vector<u64>{})) << amount;
  }
}

TEST(SaveSchedule, AutomaticStepsMeetEveryTime) {
  const SaveSchedule schedule({SaveEvery::By::time, 0, 0.1}, 0, 0);
  double time = 0;
  for (int k = 1; k <= 1000; ++k) {
    EXPECT_FALSE(schedule.due(7, time + 0.03, 0));
    time = schedule.next_time(time);
    ASSERT_EQ(time, k * 0.1);
    ASSERT_TRUE(schedule.due(7, time, 0));
  }
  EXPECT_FALSE(schedule.due(0, 0, 0)) << "the first state";
  EXPECT_EQ(schedule.steps_to_next(5), SaveSchedule::kNever);
  EXPECT_EQ(SaveSchedule({SaveEvery::By::time, 0, 1e-300}, 0, 0).next_time(1), HUGE_VAL);
  EXPECT_EQ(SaveSchedule({SaveEvery::By::steps, 5, 0}, 0, 0).next_time(1), HUGE_VAL);
}

TEST(SaveSchedule, ByWallClockSinceTheLastOne) {
  SaveSchedule schedule({SaveEvery::By::wall, 0, 10}, 0.1, 100);
  EXPECT_FALSE(schedule.due(3, 0, 109.9));
  EXPECT_TRUE(schedule.due(3, 0, 110));
  schedule.saved(113);
  EXPECT_FALSE(schedule.due(4, 0, 122.9));
  EXPECT_TRUE(schedule.due(4, 0, 123));
}

TEST(Progress, OfAutomaticStepsGoesByTime) {
  EXPECT_EQ(progress_text(7.0, 70.0, 1200, 0, 0), "t = 7 of 70 (10 %), step 1,200");
  EXPECT_EQ(progress_text(35.0, 70.0, 1200, 500, 2), "t = 35 of 70 (50 %), step 1,200, 250 steps/s");
}

TEST(Progress, ReportsTheTimeLeft) {
  EXPECT_EQ(progress_text(0, 1000, 0, 0), "step 0 of 1,000 (0 %)");
  EXPECT_EQ(progress_text(2500, 10000, 500, 2), "step 2,500 of 10,000 (25 %), 250 steps/s, 30 s left");
  EXPECT_EQ(progress_text(999, 1000, 999, 999), "step 999 of 1,000 (99 %), 1 steps/s, 1 s left");
  EXPECT_EQ(wall_text(59.4), "59 s");
  EXPECT_EQ(wall_text(200), "3 min 20 s");
  EXPECT_EQ(wall_text(5 * 3600 + 12 * 60 + 3), "5 h 12 min");
  EXPECT_EQ(wall_text(3 * 86400 + 4.5 * 3600), "3 d 4 h");
}

TEST(Orbits, KnownEllipse) {
  // a = 2, e = 0.5 about a mass of 3 with a companion of 1, mu = G 4 = 8: at pericentre r = 1, v^2 = mu (1+e)/(a(1-e))
  // = 12.
  Bodies b;
  b.add(1, 2, 3, 0.5, 0, 0, 3);
  b.add(1, 3, 3, 0.5, 0, std::sqrt(12.0), 1);
  const auto orbits = osculating_orbits(b, 2.0);
  ASSERT_EQ(orbits.size(), 1u);
  EXPECT_EQ(orbits[0].body, 1u);
  EXPECT_NEAR(orbits[0].semi_major_axis.value(), 2.0, 1e-13);
  EXPECT_NEAR(orbits[0].eccentricity.value(), 0.5, 1e-13);
  EXPECT_NEAR(orbits[0].period.value(), 2 * std::numbers::pi, 1e-12);  // 2 pi sqrt(8 / 8)
}

TEST(Orbits, SolarSystem) {
  const Scene s = scene({TRI_TEST_DATA "/solar_system.tab", "--steps", "1"});
  const double known[] = {0.3871, 0.72333, 1.00001, 1.52367, 5.20223, 9.57493, 19.29163, 30.2869};
  const auto orbits = osculating_orbits(s.bodies, 1.0);
  ASSERT_EQ(orbits.size(), 8u);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(orbits[i].semi_major_axis.value(), known[i], 6e-6 * known[i]) << i;
}

TEST(Orbits, AnEscapeHasNoPeriod) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1);
  b.add(1, 0, 0, 0, 3, 0, 0);
  const auto orbits = osculating_orbits(b, 1.0);
  EXPECT_LT(orbits[0].semi_major_axis.value(), 0);
  EXPECT_GT(orbits[0].eccentricity.value(), 1);
  EXPECT_FALSE(orbits[0].period);
}

TEST(Orbits, WhereThereIsNoneWordsSayWhy) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 0.5);
  b.add(1, 0, 0, 0, std::sqrt(2.0), 0, 0.5);  // a parabola
  b.add(0, 0, 0, 1, 0, 0, 1);
  b.add(1, 0, 0, 0, 3, 0, 0);
  const std::string of_mass = orbits_table(osculating_orbits(b, 1.0), 9, nullptr);
  test::expect_parts(of_mass, {"parabola       1.00000", "at body 0", "-0.0625 ", "unbound"});
  b.m = {0, 1, 0, 0};
  const auto none = osculating_orbits(b, 1.0);
  EXPECT_TRUE(none[0].semi_major_axis.has_value() || none[0].eccentricity.has_value()) << "a companion has mass";
  EXPECT_FALSE(none[2].semi_major_axis || none[2].eccentricity || none[2].period);
  const std::string massless = orbits_table(none, 9, nullptr);
  test::expect_parts(massless, {"no mass"});
  for (const std::string& text : {of_mass, massless}) {
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  }
}

TEST(Orbits, TheTableSaysItsUnits) {
  const std::vector<Orbit> orbits{{1, 2.5, 0.25, 12.345}, {2, 30, 0.5, 678}, {3, 1, 0, 1}};
  const std::string plain = orbits_table(orbits, 2, nullptr);
  EXPECT_EQ(plain, orbits_table(orbits, 2, find_unit_system("nbody")));
  EXPECT_EQ(plain,
            "osculating orbits about body 0\nbody  semi-major axis  eccentricity  period\n"
            "   1          2.50000       0.25000  12.345\n   2         30.00000       0.50000     678\nand 1 more\n");
  const std::string au = orbits_table(orbits, 3, find_unit_system("au-yr-msun"));
  EXPECT_EQ(au.find("and"), std::string::npos) << au;
  test::expect_parts(au, {"body  semi-major axis, AU  eccentricity  period, yr\n", "2.50000", "12.345"});
  test::expect_parts(orbits_table(orbits, 3, find_unit_system("kpc-kms-msun")),
                     {"semi-major axis, kpc", "period, Myr"});
}

TEST(Summary, MomentumDriftIsRelativeToTheKineticScale) {
  DiagnosticsRow first, last;
  first.values.mass = last.values.mass = 2;
  first.values.kinetic = 1, last.values.kinetic = 4;  // sqrt(2 * 4 * 2) = 4
  last.values.momentum = {0, 3e-3, 4e-3};
  EXPECT_NEAR(momentum_drift(first, last), 5e-3 / 4, 1e-15);
  first.values.kinetic = last.values.kinetic = 0;
  EXPECT_NEAR(momentum_drift(first, last), 5e-3, 1e-15);
}

TEST(Summary, EndsWithTheHash) {
  RunSummary s;
  s.scene = make_scene("kepler");
  s.n = 2;
  s.hash = 0xABCDull;
  const std::string text = summary_text(s);
  EXPECT_EQ(text.substr(text.rfind('\n', text.size() - 2) + 1), "state hash 000000000000abcd\n");
  EXPECT_EQ(nlohmann::json::parse(summary_json(s))["state_hash"], "000000000000abcd");
}

TEST(Summary, ReportsTheThreeBodyShareAndMolecularUnits) {
  RunSummary s;
  s.scene = make_scene("argon-crystal:n=11,temperature=0,units=lj");
  s.n = 11, s.time = 2;
  s.first.values.kinetic = 15, s.last.values.kinetic = 7.5;  // 3/2 (n - 1) = 15
  s.last.values.potential = -40, s.last.values.triple_potential = 2;
  const std::string text = summary_text(s);
  EXPECT_NE(text.find("2 at last, -5.000 % of the potential energy"), std::string::npos) << text;
  EXPECT_NE(text.find("119.80 K at first, 59.90 K at last"), std::string::npos) << text;
  EXPECT_NE(text.find("-353.95 K of energy, 21.78 K of it three-body, after 4.312 ps"), std::string::npos) << text;
  const auto j = nlohmann::json::parse(summary_json(s));
  EXPECT_EQ(j["triple_energy"], 2.0);
  EXPECT_NEAR(j["temperature_K"]["last"].get<double>(), 59.9, 1e-12);
  EXPECT_NEAR(j["time_ps"].get<double>(), 4.312, 1e-12);
  s.scene = make_scene("kepler");
  EXPECT_EQ(summary_text(s).find("three-body"), std::string::npos);
  EXPECT_EQ(summary_text(s).find("temperature"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(summary_json(s))["triple_energy"].is_null());
}

TEST(Summary, NamesTheUnits) {
  RunSummary s;
  s.scene = make_scene("kepler:units=au-yr-msun,dt=0.25");
  s.n = 2, s.time = 2;
  const std::string text = summary_text(s);
  EXPECT_NE(text.find("units           au-yr-msun: length AU, mass Msun, time yr, G = 39.4769\n"), std::string::npos);
  EXPECT_NE(text.find("with dt = 0.25 yr, to t = 2 yr\n"), std::string::npos) << text;
  EXPECT_NE(text.find("at last, in Msun AU^2/yr^2\n"), std::string::npos) << text;
  const auto units = nlohmann::json::parse(summary_json(s))["units"];
  EXPECT_EQ(units["system"], "au-yr-msun");
  EXPECT_EQ(units["time"], "yr");
  s.scene = make_scene("argon-crystal:n=11,temperature=0");
  s.n = 11, s.first.values.kinetic = 15;
  EXPECT_NE(summary_text(s).find("120.27 K at first"), std::string::npos);
  EXPECT_NE(summary_text(s).find("after 2 ps"), std::string::npos);
  s.scene = make_scene("kepler");
  EXPECT_NE(summary_text(s).find("to t = 2\n"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(summary_json(s))["units"]["system"].is_null());
}

TEST(Summary, NamesEveryLaw) {
  ForceField f = make_scene("argon-droplet").field;
  EXPECT_NE(laws_text(f).find("lennard-jones"), std::string::npos);
  EXPECT_NE(laws_text(f).find("axilrod-teller, nu = 0.072"), std::string::npos);
  f.pair = PairLaw::none, f.triple = TripleLaw::none;
  EXPECT_EQ(laws_text(f), "none");
}

}  // namespace
}  // namespace tri::app
