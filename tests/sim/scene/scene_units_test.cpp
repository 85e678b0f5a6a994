/// One system of units a scene, and scales of mass and length of its generators and parts.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "sim/model/units.hpp"
#include "sim/reference/reference.hpp"
#include "sim/reference/reference_advance.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

namespace fs = std::filesystem;

class SceneUnits : public testing::Test {
 protected:
  SceneUnits() : folder_(fs::temp_directory_path() / ("tri-scene-units-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~SceneUnits() override { fs::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

 private:
  fs::path folder_;
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
  EXPECT_EQ(make_scene("solar-system").pace, 1);
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

}  // namespace
}  // namespace tri::test
