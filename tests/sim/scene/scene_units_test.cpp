/// One system of units a scene, and scales of mass and length of its generators and parts.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/base/error.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/integrator.hpp"
#include "sim/model/units.hpp"
#include "sim/reference/reference.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/scene_support.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::test {
namespace {

class SceneUnits : public InFolder {
 protected:
  std::string file(const std::string& name, const std::string& text) const { return folder_.file(name, text); }
};

std::string number_text(double v) { return fmt::format("{:.17g}", v); }

double mass_of(const Bodies& b) { return std::accumulate(b.m.begin(), b.m.end(), 0.0); }

/// Whether each value of `a` is `factor` times that of `b`, to the last bit for powers of two.
bool is_multiple(const std::vector<double>& a, double factor, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != factor * b[i]) return false;
  }
  return true;
}

TEST(SceneScales, MassAndLengthScaleEveryGravityScene) {
  for (const char* name : {"plummer", "uniform-ball", "uniform-box", "kepler", "figure-8", "lagrange", "galaxy"}) {
    const Scene one = make_scene(name), scaled = make_scene(std::string(name) + ":mass=32,length=2");
    EXPECT_TRUE(is_multiple(scaled.bodies.x, 2, one.bodies.x)) << name;
    EXPECT_TRUE(is_multiple(scaled.bodies.m, 32, one.bodies.m)) << name;
    EXPECT_TRUE(is_multiple(scaled.bodies.vy, 4, one.bodies.vy)) << name;  // sqrt(32 / 2)
    EXPECT_EQ(scaled.field.gravity.softening, 2 * one.field.gravity.softening) << name;
    EXPECT_EQ(scaled.dt, 0.5 * one.dt) << name;  // sqrt(2^3 / 32)
    EXPECT_TRUE(same_bits(make_scene(std::string(name) + ":mass=1,length=1").bodies, one.bodies)) << name;
  }
}

TEST(SceneScales, KeepTheShapeOfAnOrbit) {
  const Scene one = make_scene("kepler:e=0.3"), scaled = make_scene("kepler:e=0.3,mass=5,length=0.7,G=3");
  Bodies a = one.bodies, b = scaled.bodies;
  reference_advance(a, one.field, one.integrator, one.dt, 300);
  reference_advance(b, scaled.field, scaled.integrator, scaled.dt, 300);
  EXPECT_NEAR(b.x[1], 0.7 * a.x[1], 1e-12);
  EXPECT_NEAR(b.y[1], 0.7 * a.y[1], 1e-12);
}

TEST(SceneScales, ASecondOfWatchingShowsAsManySteps) {
  for (const auto& [scene, keys] : {std::pair{"plummer:n=64", "units=si"},
                                    {"plummer:n=64", "mass=1e10,length=1e3,units=kpc-kms-msun"},
                                    {"kepler:e=0.3", "mass=5,length=0.7,G=3"},
                                    {"merger:n=64", "mass=2,length=3"},
                                    {"falling-pile:n=20", "length=0.01,g=9.81,mass=0.1"},
                                    {"sphere-box:n=20", "length=5,speed=300,mass=7"},
                                    {"gas:n=20", "length=5,speed=300,mass=7"},
                                    {"argon-droplet:n=20", "units=nm-ps-amu"},
                                    {"argon-crystal:n=32", "units=lj"}}) {
    const Scene plain = make_scene(scene), scaled = make_scene(fmt::format("{},{}", scene, keys));
    ASSERT_GT(plain.pace, 0) << scene;
    EXPECT_NE(scaled.pace, plain.pace) << scene;
    EXPECT_NEAR(scaled.pace / scaled.dt * plain.dt / plain.pace, 1, 1e-9) << scene << ", " << keys;
  }
  EXPECT_DOUBLE_EQ(make_scene("solar-system").pace, 2 * std::numbers::pi) << "a year a second";
}

TEST(SceneScales, OfAPartMakeAnUnequalMerger) {
  const Scene equal = make_scene("merger:n=64"), unequal = make_scene("merger:n=64,second.mass=2,second.length=1.5");
  ASSERT_EQ(unequal.bodies.size(), 128u);
  double first = 0, second = 0;
  for (std::size_t i = 0; i < 128; ++i) (unequal.bodies.group[i] == 0 ? first : second) += unequal.bodies.m[i];
  EXPECT_NEAR(second, 2 * first, 1e-9 * first);
  EXPECT_EQ(unequal.field.gravity.softening, equal.field.gravity.softening);  // the smaller of the parts
  for (const double moment : first_moments(unequal.bodies)) EXPECT_NEAR(moment, 0, 1e-9);
  expect_parts(message_of<FileError>([] { make_scene("merger:n=64,second.length=1.5,second.eps=0.3"); }),
               {"part 'second' has another eps than part 'first'"});
}

TEST_F(SceneUnits, OfAListOfBodiesAreFactors) {
  const std::string text =
      "title = \"two\"\n[parameters]\nG = 1\n[[part]]\nname = \"a\"\nbodies = [[1, 1, 0, 0, 0, 1, 0, 0.5]]\nmass = 4\n"
      "[[part]]\nname = \"b\"\nbodies = [[1, 2, 0, 0, 0, 1, 0]]\n";
  const Bodies b = make_scene(file("two.toml", text)).bodies;
  EXPECT_EQ(b.m, (std::vector<double>{4, 1}));
  EXPECT_EQ(b.vy, (std::vector<double>{2, 1}));
  EXPECT_EQ(b.r[0], 0.5);
}

TEST_F(SceneUnits, SetTheGravitationalConstant) {
  const Scene s = make_scene("kepler:units=au-yr-msun");
  EXPECT_EQ(s.units, "au-yr-msun");
  EXPECT_EQ(s.field.gravity.G, unit_system_from("au-yr-msun").G);
  EXPECT_NEAR(1024 * s.dt, 1.0000189, 1e-7);  // a year for 1 AU and 1 Msun
  const Scene cluster = make_scene("plummer:n=64,mass=1e5,length=0.01,units=kpc-kms-msun");
  EXPECT_NEAR(mass_of(cluster.bodies), 1e5, 1e-6);
  // Virial theorem: K = G M^2 / (4 R) with the virial radius R = 10 pc (Plummer in virial units, n finite).
  EXPECT_NEAR(kinetic_of(cluster.bodies), 0.25 * cluster.field.gravity.G * 1e10 / 0.01 * (1 - 1.0 / 64), 1e-3);
  EXPECT_EQ(make_scene("kepler:units=si,G=2").field.gravity.G, 2);
  EXPECT_EQ(make_scene("kepler").field.gravity.G, 1);

  const Scene own = make_scene(file("own.toml", "title = \"t\"\nunits = \"si\"\ngenerator = \"kepler\"\n"));
  EXPECT_EQ(own.units, "si");
  EXPECT_EQ(own.field.gravity.G, 6.67430e-11);
  // [physics] may switch gravity on.
  const Scene on = make_scene(
      file("on.toml",
           "title = \"t\"\nunits = \"si\"\ngenerator = \"gas\"\n[physics]\npair = \"gravity\"\nwalls = \"open\"\n"));
  EXPECT_EQ(on.field.gravity.G, 6.67430e-11);
}

TEST_F(SceneUnits, OfAFileOfBodies) {
  const std::string path = file("two.csv", "x,y,z,m\n0,0,0,1\n1,0,0,1\n");
  EXPECT_EQ(open_scene(path).field.gravity.G, 1);
  const Scene s = open_scene(with_units(path, "au-yr-msun"));
  EXPECT_EQ(s.units, "au-yr-msun");
  EXPECT_EQ(s.field.gravity.G, unit_system_from("au-yr-msun").G);
  EXPECT_EQ(s.bodies.x[1], 1);
  expect_parts(message_of<ConfigError>([&] { open_scene(path + ":units=ai"); }),
               {"unknown unit system 'ai'", "Did you mean 'si'?"});
  const std::string other = file("own:1.csv", "planet,px,py,pz\nEarth,1,0,0\n,2,0,0\n");
  const std::string chosen = other + ":x=px,y=py,z=pz,name=planet";
  const Scene named = open_scene(with_units(chosen, "kpc, 1e10 Msun, km/s"));
  EXPECT_EQ(named.names, (std::vector<std::string>{"Earth", ""}));
  EXPECT_EQ(named.bodies.x[1], 2);
  EXPECT_EQ(named.field.gravity.G, unit_system_from("kpc, 1e10 Msun, km/s").G);
  EXPECT_EQ(open_scene(other + ":units=kpc, 1e10 Msun, km/s,x=px,y=py,z=pz").field.gravity.G, named.field.gravity.G);
  expect_parts(message_of<ConfigError>([&] { open_scene(other + ":x"); }), {"own:1.csv:x", "x=NAME"});
  expect_parts(message_of<ConfigError>([&] { open_scene(path + ":units=si,units=nbody"); }), {"units are given twice"});
  EXPECT_EQ(with_units("plummer", "si"), "plummer:units=si");
  EXPECT_EQ(with_units("plummer:n=3", "si"), "plummer:n=3,units=si");
}

// A file of atoms in a cell is no scene of gravity; to look at it, it needs no law.
TEST_F(SceneUnits, APeriodicCellIsThatOfTheScene) {
  const std::string rows = "Properties=species:S:1:pos:R:3:momenta:R:3\nAr 1 2 3 4 0 0\n";
  const std::string path = file("cell.xyz", "1\nLattice=\"9 0 0 0 8 0 0 0 7\" " + rows);
  expect_parts(message_of<FileError>([&] { open_scene(path); }), {"cell.xyz' is in a periodic cell", "--law"});
  const Scene seen = open_scene(path, {"", "", true});
  EXPECT_EQ(seen.field.pair, PairLaw::none);
  EXPECT_EQ(seen.field.box.boundary, Boundary::periodic);
  expect_parts(seen.notes.at(0), {"no law acts"});
  const Scene s = open_scene(path, {"-1/r; cutoff = 3", "", true});
  EXPECT_EQ(s.field.pair, PairLaw::typed);
  EXPECT_EQ(s.field.box.high, (std::array<double, 3>{9, 8, 7}));
  EXPECT_EQ(s.units, "angstrom-ev-amu");
  EXPECT_THROW(open_scene(path + ":units=nm-ps-amu", {"none", ""}), FileError);
  EXPECT_NEAR(open_scene(path + ":units=angstrom-ps-amu", {"none", ""}).bodies.vx[0], 4 / 39.948 * 98.2269, 1e-4);
  EXPECT_EQ(open_scene(file("open.xyz", "1\nLattice=\"9 0 0 0 8 0 0 0 7\" pbc=\"F F F\" " + rows)).field.pair,
            PairLaw::gravity);
}

TEST_F(SceneUnits, ContradictionsAreRefused) {
  expect_parts(message_of<ConfigError>([] { make_scene("solar-system:units=au-yr-msun"); }),
               {"scene solar-system", "units = au-yr-msun", "in others (au-msun)"});
  expect_parts(message_of<ConfigError>([] { make_scene("plummer:units=kpc"); }),
               {"unknown unit system 'kpc'", "nbody"});
  const std::string own = file("own.toml", "title = \"t\"\nunits = \"si\"\ngenerator = \"kepler\"\n");
  expect_parts(message_of<ConfigError>([&] { make_scene(own + ":units=nbody"); }), {"in others (si)"});
  EXPECT_EQ(make_scene(own + ":units=si").units, "si");
  expect_parts(message_of<ConfigError>([] { make_scene("argon-crystal:units=nbody"); }), {"argon has a size", "lj"});
  const Scene upper = make_scene(file("upper.toml", "title = \"t\"\nunits = \"SI\"\ngenerator = \"kepler\"\n"));
  EXPECT_EQ(upper.units, "si");
  EXPECT_EQ(upper.field.gravity.G, 6.67430e-11);
  const Scene word = make_scene(file("word.toml", "title = \"t\"\nunits = \"cgs\"\ngenerator = \"kepler\"\n"));
  expect_parts(word.notes.at(0), {"units = cgs", "set no G"});
  const Scene near = make_scene(file("near.toml", "title = \"t\"\nunits = \"au-yr-sun\"\ngenerator = \"kepler\"\n"));
  expect_parts(near.notes.at(0), {"units = au-yr-sun", "set no G", "Did you mean 'au-yr-msun'?"});
  for (const std::string units : {"ly, Msun, yr", "m kg s", "kpc kms msun", "G = 1, radius 1", "lengths in kpc = 1"}) {
    const Scene s = make_scene(file("w.toml", "title = \"t\"\nunits = \"" + units + "\"\ngenerator = \"kepler\"\n"));
    EXPECT_EQ(s.notes.empty(), units.find('=') != std::string::npos) << units;
  }
  const Scene made =
      make_scene(file("made.toml", "title = \"t\"\nunits = \"pc, Msun, Myr\"\ngenerator = \"kepler\"\n"));
  EXPECT_NEAR(made.field.gravity.G, 4.4985e-3, 1e-7);
}

TEST(ArgonUnits, OneSystemForKeysBodiesAndLaws) {
  const Scene s = make_scene("argon-crystal:n=32,temperature=60,dt=0.003");
  EXPECT_EQ(s.units, "nm-ps-amu");
  EXPECT_EQ(s.dt, 0.003);
  EXPECT_EQ(s.field.lennard_jones.sigma, 0.3405);
  EXPECT_NEAR(s.field.lennard_jones.epsilon, 0.99607, 1e-5);  // kJ/mol: 119.8 K R
  EXPECT_EQ(s.bodies.m, std::vector<double>(32, 39.948));
  const double width =
      *std::max_element(s.bodies.x.begin(), s.bodies.x.end()) - *std::min_element(s.bodies.x.begin(), s.bodies.x.end());
  EXPECT_NEAR(width, 1.5 * 0.5316, 1e-12);
  EXPECT_NEAR(kinetic_of(s.bodies), 1.5 * 31 * 60 / 120.27236, 1e-5);
  const Scene angstrom = make_scene("argon-crystal:n=32,temperature=60,units=angstrom-ps-amu");
  EXPECT_NEAR(angstrom.field.lennard_jones.sigma, 3.405, 1e-12);
  EXPECT_NEAR(angstrom.bodies.x[1], 10 * s.bodies.x[1], 1e-12);
  EXPECT_EQ(angstrom.dt, 0.004);
}

// The same crystal in three systems of units takes the same path.
TEST(ArgonUnits, EverySystemIsTheSamePhysics) {
  constexpr u32 kSteps = 50;
  const Scene reduced = make_scene("argon-crystal:n=32,temperature=0.5,box=3.2,dt=0.002,units=lj");
  Bodies expected = reduced.bodies;
  reference_advance(expected, reduced.field, reduced.integrator, reduced.dt, kSteps);
  for (const char* name : {"nm-ps-amu", "angstrom-ps-amu", "si"}) {
    const UnitSystem& u = unit_system_from(name);
    const double sigma = 0.3405e-9 / u.metre;
    const double tau = 0.3405e-9 * std::sqrt(39.948 * 1.66053906660e-27 / (119.8 * 1.380649e-23)) / u.second;
    const Scene s =
        make_scene("argon-crystal:n=32,temperature=" + number_text(0.5 * 119.8) + ",box=" + number_text(3.2 * sigma) +
                   ",dt=" + number_text(0.002 * tau) + ",units=" + name);
    Bodies b = s.bodies;
    reference_advance(b, s.field, s.integrator, s.dt, kSteps);
    for (std::size_t i = 0; i < b.size(); ++i) {
      ASSERT_NEAR(b.x[i] / sigma, expected.x[i], 1e-9) << name << ", " << i;
      ASSERT_NEAR(b.vx[i] / sigma * tau, expected.vx[i], 1e-8) << name << ", " << i;
    }
  }
}

TEST(ArgonUnits, DropletsAreReducedUnlessAsked) {
  const Scene reduced = make_scene("argon-droplet:n=20"), s = make_scene("argon-droplet:n=20,units=nm-ps-amu");
  EXPECT_EQ(reduced.units, "lj");
  EXPECT_EQ(reduced.field.lennard_jones.sigma, 1);
  EXPECT_EQ(reduced.field.axilrod_teller.nu, 0.072);
  EXPECT_NEAR(s.bodies.x[3], 0.3405 * reduced.bodies.x[3], 1e-12);
  EXPECT_NEAR(s.dt, 0.002 * 2.1561, 1e-6);
  EXPECT_EQ(
      units_text(reduced),
      "lj: length sigma, mass m, time sigma sqrt(m/epsilon), G = 1 (sigma 0.3405 nm, epsilon 119.8 K, time 2.156 ps)");
}

// Keys mass, length, speed and g of the scenes of spheres: a scaled scene takes the same path in scaled units.

/// A scene, the same scaled, and the factors between their units.
struct Scaled {
  const char *one, *scaled;
  double mass, length, time;

  double velocity() const { return length / time; }
  double stiffness() const { return mass / (time * time); }  ///< force / length
  double damping() const { return mass / time; }             ///< force / velocity
};

void PrintTo(const Scaled& s, std::ostream* out) { *out << s.scaled; }

class SphereScales : public testing::TestWithParam<Scaled> {};

void expect_multiple(const std::vector<double>& a, double factor, const std::vector<double>& b, double off) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(a[i] / factor, b[i], off) << "body " << i;
  }
}

void expect_scaled(const Bodies& scaled, const Bodies& one, const Scaled& by, double off) {
  expect_multiple(scaled.m, by.mass, one.m, off);
  expect_multiple(scaled.r, by.length, one.r, off);
  expect_multiple(scaled.x, by.length, one.x, off);
  expect_multiple(scaled.y, by.length, one.y, off);
  expect_multiple(scaled.z, by.length, one.z, off);
  expect_multiple(scaled.vx, by.velocity(), one.vx, off);
  expect_multiple(scaled.vy, by.velocity(), one.vy, off);
  expect_multiple(scaled.vz, by.velocity(), one.vz, off);
}

TEST_P(SphereScales, TakeTheSamePath) {
  const Scaled& by = GetParam();
  const Scene one = make_scene(by.one), scaled = make_scene(by.scaled);
  constexpr double kRounding = 1e-13;
  expect_scaled(scaled.bodies, one.bodies, by, kRounding);
  EXPECT_NEAR(scaled.dt / by.time / one.dt, 1, kRounding);
  const ContactParams &k = one.field.contact, &scaled_k = scaled.field.contact;
  EXPECT_NEAR(scaled_k.damping, by.damping() * k.damping, kRounding * scaled_k.damping);
  EXPECT_EQ(scaled_k.restitution, k.restitution);
  if (!k.impulse) {
    EXPECT_NEAR(scaled_k.stiffness / by.stiffness() / k.stiffness, 1, kRounding);
  }
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(scaled.field.box.high[a] / by.length, one.field.box.high[a], kRounding);
    EXPECT_NEAR(scaled.field.field[a] / by.length * by.time * by.time, one.field.field[a], kRounding);
  }
  EXPECT_EQ(contact_step_warning(scaled.bodies, scaled.field, scaled.dt), "");

  Bodies a = one.bodies, b = scaled.bodies;
  const auto steps = static_cast<u32>(std::lround((one.field.field[1] < 0 ? 1.5 : 0.08) / one.dt));
  reference_advance(a, one.field, one.integrator, one.dt, steps);
  reference_advance(b, scaled.field, scaled.integrator, scaled.dt, steps);
  // A collision multiplies rounding errors by the free path over the radius; factors of two make none.
  const bool exact = std::exp2(std::round(std::log2(by.length))) == by.length;
  expect_scaled(b, a, by, exact ? 0 : 1e-8);
  u32 turned = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    turned += a.vx[i] != one.bodies.vx[i];
  }
  EXPECT_GT(turned, a.size() / 4) << "few collisions";
}

// With these factors masses, lengths and times are powers of four or two, so that roots and products are exact.
INSTANTIATE_TEST_SUITE_P(
    Scenes, SphereScales,
    testing::Values(
        Scaled{"sphere-box:n=60,fill=0.25", "sphere-box:n=60,fill=0.25,mass=16,length=8,speed=2", 16, 8, 4},
        Scaled{"sphere-box:n=61,fill=0.2,c=0.5,walls=periodic",
               "sphere-box:n=61,fill=0.2,c=2,walls=periodic,mass=16,length=8,speed=2", 16, 8, 4},
        Scaled{"sphere-box:n=60,fill=0.25", "sphere-box:n=60,fill=0.25,mass=3e-3,length=0.7,speed=5", 3e-3, 0.7, 0.14},
        Scaled{"gas:n=77,fill=0.25", "gas:n=77,fill=0.25,mass=64,length=0.25,speed=4", 64, 0.25, 0.0625},
        Scaled{"gas:n=77,fill=0.25,e=0.9,walls=reflecting",
               "gas:n=77,fill=0.25,e=0.9,walls=reflecting,mass=1e3,length=1e-3,speed=300", 1e3, 1e-3, 1e-3 / 300},
        Scaled{"falling-pile:n=40", "falling-pile:n=40,mass=16,length=8,g=2", 16, 8, 2},
        Scaled{"falling-pile:n=40,e=0.3", "falling-pile:n=40,e=0.3,mass=5,length=0.02,g=9.81", 5, 0.02,
               std::sqrt(0.02 / 9.81)},
        Scaled{"falling-pile:n=41,response=impulses", "falling-pile:n=41,response=impulses,mass=64,length=2,g=8", 64, 2,
               0.5}));

TEST(SphereScalesOf, OneAreTheSceneWithoutThem) {
  for (const std::string name : {"sphere-box:n=30", "gas:n=30", "falling-pile:n=30"}) {
    EXPECT_TRUE(same_bits(make_scene(name + ",mass=1,length=1").bodies, make_scene(name).bodies)) << name;
    expect_parts(message_of<ConfigError>([&] { make_scene(name + ",length=0"); }), {"length = '0'"});
    expect_parts(message_of<ConfigError>([&] { make_scene(name + ",mass=-1"); }), {"mass = '-1'"});
  }
}

TEST(SphereScalesOf, SpheresAtRestLeaveTheSpringsOfSpeedOne) {
  const Scene rest = make_scene("sphere-box:n=20,mass=4,length=2,speed=0"),
              moving = make_scene("sphere-box:n=20,mass=4,length=2");
  EXPECT_EQ(rest.field.contact.stiffness, moving.field.contact.stiffness);
  EXPECT_EQ(rest.dt, moving.dt);
  EXPECT_EQ(kinetic_of(rest.bodies), 0);
}

TEST(SphereScalesOf, StandInTheUnits) {
  EXPECT_EQ(make_scene("gas:n=8,length=2,mass=0.5,speed=3").units,
            "side of the box 2, mass of a sphere 0.5, rms speed 3");
  EXPECT_EQ(make_scene("sphere-box:n=8").units, "side of the box 1, mean mass 1, rms speed of that mass 1");
  EXPECT_EQ(make_scene("falling-pile:n=8,length=0.02,g=9.81").units,
            "largest diameter 0.02, mass of such a sphere 1, field 9.81");
}

// How scenes are stepped by default, and how keys change it.

struct Steps {
  Integrator integrator;
  double eta;
  Precision precision;
  bool operator==(const Steps&) const = default;
};

Steps steps_of(const std::string& spec) {
  const Scene s = make_scene(spec);
  return {s.integrator, s.eta, usual_precision(s, false)};
}

constexpr Steps kPlain{Integrator::kdk, 0, Precision::fp32};

TEST(SceneSteps, CloseEncountersAreResolvedByDefault) {
  EXPECT_EQ(steps_of("plummer:n=8,eps=0"), (Steps{Integrator::hermite, 0.01, Precision::fp64}));
  EXPECT_EQ(steps_of("kepler:e=0.99"), (Steps{Integrator::hermite, 1e-4, Precision::fp64}));
  EXPECT_EQ(steps_of("pythagorean"), (Steps{Integrator::hermite, 1e-4, Precision::fp64}));
  EXPECT_EQ(steps_of("solar-system"), (Steps{Integrator::kdk, 0, Precision::fp64}));
}

TEST(SceneSteps, OthersStayAsTheyWere) {
  EXPECT_EQ(steps_of("plummer:n=8"), kPlain);
  EXPECT_EQ(steps_of("kepler"), kPlain);
  EXPECT_EQ(steps_of("kepler:e=0.99,dt=0.001"), kPlain);
  EXPECT_EQ(steps_of("plummer:n=8,eps=0,dt=0.001"), kPlain) << "a given step is taken as it was";
  EXPECT_EQ(make_scene("plummer:n=8,eps=0,dt=0.001").dt, 0.001);
}

TEST(SceneSteps, TriplesAreInFp64WhereThatIsAsFast) {
  for (const char* spec : {"argon-droplet:n=64", "argon-crystal:n=32"}) {
    EXPECT_EQ(usual_precision(make_scene(spec), true), Precision::fp64) << spec;
    EXPECT_EQ(usual_precision(make_scene(spec), false), Precision::fp32) << spec;
  }
  EXPECT_EQ(usual_precision(make_scene("argon-crystal:n=32,precision=fp32"), true), Precision::fp32);
  EXPECT_EQ(usual_precision(make_scene("plummer:n=8"), true), Precision::fp32);
}

TEST(SceneSteps, KeysOverride) {
  EXPECT_EQ(steps_of("plummer:n=8,dt=auto"), (Steps{Integrator::kdk, usual_eta(Integrator::kdk), Precision::fp64}));
  EXPECT_EQ(steps_of("plummer:n=8,dt=auto,eta=0.5").eta, 0.5);
  EXPECT_EQ(steps_of("plummer:n=8,eta=0.5").eta, 0.5);
  EXPECT_EQ(steps_of("plummer:n=8,eps=0,integrator=kdk").integrator, Integrator::kdk);
  EXPECT_EQ(steps_of("plummer:n=8,integrator=hermite"), (Steps{Integrator::hermite, 0, Precision::fp64}));
  EXPECT_EQ(steps_of("plummer:n=8,precision=fp64").precision, Precision::fp64);
  EXPECT_EQ(steps_of("solar-system:precision=fp32").precision, Precision::fp32);
  const Scene fixed = make_scene("pythagorean:dt=1e-4");
  EXPECT_EQ(fixed.eta, 0);
  EXPECT_EQ(fixed.dt, 1e-4);
}

TEST(SceneSteps, BadValuesAreNamed) {
  const auto refusal = [](const std::string& spec) { return message_of([&] { make_scene(spec); }); };
  expect_parts(refusal("plummer:eta=0"), {"eta = '0'", "more than 0"});
  expect_parts(refusal("plummer:dt=automatic"), {"dt = 'automatic'"});
  expect_parts(refusal("plummer:dt=0.01,eta=0.1"), {"eta", "dt is a number"});
  expect_parts(refusal("plummer:precision=fp16"), {"precision = 'fp16'", "fp32 or fp64"});
}

TEST(SceneSteps, NoSceneOfOursIsLostInItsPrecision) {
  for (const SceneInfo& info : list_scenes()) {
    const Scene scene = make_scene(info.name);
    const Precision usual = scene.precision.value_or(
        scene.eta > 0 || scene.integrator == Integrator::hermite ? Precision::fp64 : Precision::fp32);
    EXPECT_EQ(usual_precision(scene, false), usual) << info.name;
    EXPECT_EQ(precision_note(scene, false, usual, false), "") << info.name;
  }
}

TEST(SceneSteps, TheUsualPrecisionFollowsAndSaysSo) {
  Scene scene = make_scene("kepler:e=0");
  EXPECT_EQ(usual_precision(scene, false), Precision::fp32);
  for (double& x : scene.bodies.x) x += 1e6;
  EXPECT_EQ(usual_precision(scene, false), Precision::fp64);
  expect_parts(precision_note(scene, false, Precision::fp64, false), {"at 1e+06", "the run is in float64"});
  EXPECT_EQ(precision_note(scene, false, Precision::fp64, true), "");
  expect_parts(precision_note(scene, false, Precision::fp32, true), {"at 1e+06", "Use --precision fp64"});
  scene.precision = Precision::fp32;
  EXPECT_EQ(usual_precision(scene, false), Precision::fp32);
}

// Bodies, box and laws that cannot be meant together are refused; those that may be are noted.

constexpr const char* kTwoSpheres = R"(title = "two"
generator = "bodies"
bodies = [[1, 0.5, 0.5, 0.5, 0, 0, 0], [1, 3, 0.25, 0.5, 0, 0, 0]]
[physics]
pair = "none"
)";

class SceneChecks : public InFolder {
 protected:
  std::string file(const std::string& text, const std::string& name = "my.toml") const {
    return folder_.file(name, text);
  }
  /// The notes of the two bodies, of which one is outside [0, 1]^3, with these lines of physics.
  std::vector<std::string> notes(const std::string& physics) const {
    return make_scene(file(kTwoSpheres + physics)).notes;
  }
};

TEST_F(SceneChecks, BodiesOutsideReflectingWallsAreRefused) {
  expect_parts(message_of<FileError>([&] { notes("walls = \"reflecting\"\n"); }),
               {"my.toml', line 5", "1 of 2 bodies are outside the reflecting walls from (0, 0, 0) to (1, 1, 1)",
                "body 1 (from 0) at (3, 0.25, 0.5)", "low and high"});
  EXPECT_TRUE(notes("").empty()) << "open walls stop nobody";
  EXPECT_TRUE(notes("walls = \"reflecting\"\nhigh = [3, 1, 1]\n").empty()) << "on a wall is inside";
  EXPECT_THROW(notes("walls = \"reflecting\"\nhigh = [2.999, 1, 1]\n"), FileError);
  EXPECT_THROW(notes("walls = \"reflecting\"\nlow = [0.6, 0, 0]\nhigh = [4, 1, 1]\n"), FileError);
}

TEST_F(SceneChecks, BodiesOutsideAPeriodicBoxAreNoted) {
  const std::vector<std::string> said = notes("walls = \"periodic\"\n");
  ASSERT_EQ(said.size(), 1u);
  expect_parts(said[0], {"1 of 2 bodies are outside the periodic box", "body 1 (from 0) at (3, 0.25, 0.5)", "sides"});
  EXPECT_TRUE(notes("walls = \"periodic\"\nhigh = [4, 4, 4]\n").empty());
}

TEST_F(SceneChecks, ABoxThatNobodyGaveIsNoted) {
  const auto said = [&](const std::string& physics) {
    return make_scene(
               file("title = \"t\"\nbodies = [[1, 0.5, 0.5, 0.5, 0, 0, 0]]\n[physics]\npair = \"none\"\n" + physics))
        .notes;
  };
  for (const char* walls : {"reflecting", "periodic"}) {
    const std::string line = fmt::format("walls = \"{}\"\n", walls);
    ASSERT_EQ(said(line).size(), 1u);
    expect_parts(said(line)[0], {walls, "without corners", "from (0, 0, 0) to (1, 1, 1)", "set low and high"});
    EXPECT_TRUE(said(line + "high = [2, 2, 2]\n").empty());
  }
  EXPECT_TRUE(said("walls = \"open\"\n").empty());
  EXPECT_TRUE(make_scene("sphere-box:n=20").notes.empty()) << "it has a box of its own";
}

TEST_F(SceneChecks, OnlyGravityMovesBodiesWithoutMass) {
  const std::string head =
      "title = \"t\"\nbodies = [[0, 0, 0, 0, 0, 0, 0, 0.1], [1, 2, 0, 0, 0, 0, 0, 0.1]]\n[physics]\n";
  for (const char* law : {"pair = \"lennard-jones\"", "pair = \"contact\"", "triple = \"axilrod-teller\"",
                          "pair = \"contact\"\nresponse = \"impulses\"", "pair = \"-1/r\""}) {
    expect_parts(message_of<FileError>([&] { make_scene(file(head + law + "\n")); }),
                 {"line 4", "1 of 2 bodies have no mass, the first of them body 0", "cannot move them", "gravity"});
  }
  for (const char* law : {"", "pair = \"none\"", "pair = \"-mi*mj/r\""}) {
    EXPECT_NO_THROW(make_scene(file(head + law + "\n"))) << law;
  }
  Bodies massless;
  massless.add(0, 0, 0, 0, 0, 0, 0);
  EXPECT_THROW(scene_of_bodies(massless, {{"pair", "lennard-jones"}}), ConfigError);
  EXPECT_NO_THROW(scene_of_bodies(massless, {{"pair", "lennard-jones"}}, false)) << "forces alone";
}

TEST_F(SceneChecks, SpringsThatAreTooSoftAreNoted) {
  const std::string two =
      "title = \"t\"\nbodies = [[1, -0.5, 0, 0, 1, 0, 0, 0.1], [1, 0.5, 0, 0, -1, 0, 0, 0.1]]\n[physics]\npair = "
      "\"contact\"\nstiffness = ";
  const auto said = [&](const std::string& lines) { return make_scene(file(two + lines + "\n")).notes; };
  ASSERT_EQ(said("1").size(), 1u);
  expect_parts(said("1")[0], {"bodies 0 and 1", "overlap by 1.41", "too soft", "stiffness of 8e+02"});
  EXPECT_TRUE(said("801").empty());
  EXPECT_TRUE(said("100\ndamping = 20").empty()) << "the dashpot stops them";
  const std::string walls = "\nwalls = \"reflecting\"\nlow = [-1, -1, -1]";
  EXPECT_TRUE(said("1e3" + walls).empty());
  EXPECT_EQ(said("1e3" + walls + "\nfield = [0, -100, 0]").size(), 1u) << "a fall makes them faster";
  for (const char* scene : {"sphere-box:n=200", "falling-pile:n=200"}) EXPECT_TRUE(make_scene(scene).notes.empty());
}

TEST_F(SceneChecks, AFieldAcrossPeriodicWallsIsNoted) {
  const std::vector<std::string> said = notes("walls = \"periodic\"\nhigh = [4, 4, 4]\nfield = [0, -9.81, 0]\n");
  ASSERT_EQ(said.size(), 1u);
  expect_parts(said[0], {"uniform field (0, -9.81, 0)", "periodic walls", "reflecting"});
  EXPECT_TRUE(notes("walls = \"reflecting\"\nhigh = [4, 4, 4]\nfield = [0, -9.81, 0]\n").empty());
  EXPECT_TRUE(notes("field = [0, -9.81, 0]\n").empty());
}

TEST_F(SceneChecks, RadiiThatTheLawDoesNotUseAreNoted) {
  const std::string poly = file("x,y,z,r\n0,0,0,0.5\n0.9,0,0,0.5\n5,0,0,0\n", "poly.csv");
  const std::vector<std::string> said = open_scene(poly).notes;
  ASSERT_FALSE(said.empty());
  expect_parts(said.back(), {"2 of 3 bodies have a radius", "gravity", "does not use it", "pair = \"contact\""});
  const std::string points = file("x,y,z,m\n0,0,0,1\n0.9,0,0,1\n", "points.csv");
  for (const std::string& note : open_scene(points).notes) EXPECT_EQ(note.find("radius"), std::string::npos) << note;
  const char* text = R"(title = "poly"
generator = "file"
[parameters]
path = "poly.csv"
[physics]
pair = "contact"
)";
  for (const std::string& note : make_scene(file(text)).notes)
    EXPECT_EQ(note.find("radius"), std::string::npos) << note;
}

TEST_F(SceneChecks, BuiltInScenesNeedNoNotes) {
  for (const SceneInfo& scene : list_scenes()) EXPECT_TRUE(make_scene(scene.name).notes.empty()) << scene.name;
}

}  // namespace
}  // namespace tri::test
