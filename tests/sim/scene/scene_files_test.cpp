/// Scenes as TOML: what a file may contain, how keys change it, and the message for everything else.

#include "sim/base/machine.hpp"
#include "sim/model/checks.hpp"
#include "sim/scene/generators.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::test {
namespace {

class SceneFile : public InFolder {
 protected:
  std::string file(const std::string& text, const std::string& name = "my.toml") const {
    return folder_.file(name, text);
  }
  Scene made(const std::string& text, const std::string& keys = "") const { return make_scene(file(text) + keys); }
  std::string refused(const std::string& text, const std::string& keys = "") const {
    return message_of<FileError>([&] { made(text, keys); });
  }
};

constexpr const char* kTwo = R"(title = "two clusters"
units = "G = 1"
[parameters]
n = 20
[[part]]
name = "a"
generator = "plummer"
position = [3, 0, 0]
velocity = [0, 0.5, 0]
[[part]]
name = "b"
generator = "plummer"
n = 30
tilt = 90
)";

TEST_F(SceneFile, WithOneGeneratorIsThatGeneratorsScene) {
  const Scene s = made("title = \"mine\"\ngenerator = \"plummer\"\n[parameters]\nn = 33\neps = 0.1\n");
  EXPECT_TRUE(same_bits(s.bodies, make_scene("plummer:n=33").bodies));
  EXPECT_EQ(s.title, "mine");
  EXPECT_EQ(s.name, path("my.toml"));
  EXPECT_EQ(s.field.gravity.softening, 0.1);
  EXPECT_EQ(s.units, make_scene("plummer:n=33").units);
}

TEST_F(SceneFile, MayNameItsBodies) {
  const std::string rows = "title = \"t\"\nbodies = [[1, 0, 0, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0, 0]]\n";
  EXPECT_EQ(body_names(file(rows + "names = [\"one\", \"zw\u00f6lf\"]\n")),
            (std::vector<std::string>{"one", "zw\u00f6lf"}));
  EXPECT_TRUE(body_names(file(rows)).empty());
  EXPECT_NE(refused(rows + "names = [\"one\"]\n").find("one for each of the 2 bodies"), std::string::npos);
  EXPECT_NE(refused(rows + "names = [\"one\", 2]\n").find("string in quotes"), std::string::npos);
  EXPECT_NE(refused("title = \"t\"\ngenerator = \"plummer\"\nnames = [\"a\"]\n").find("names"), std::string::npos);
  EXPECT_EQ(body_names(file("title = \"t\"\n[[part]]\nname = \"a\"\nbodies = [[1, 0, 0, 0, 0, 0, 0]]\nnames = "
                            "[\"A\"]\n[[part]]\nname = \"b\"\nbodies = [[1, 9, 0, 0, 0, 0, 0]]\n")),
            std::vector<std::string>{"A"})
      << "and none after a part without names";
  const auto planets = body_names("solar-system:dt=0.02");
  ASSERT_EQ(planets.size(), make_scene("solar-system").bodies.size());
  EXPECT_EQ(planets.front(), "Sun");
  EXPECT_EQ(planets.back(), "Neptune");
  EXPECT_TRUE(body_names("plummer:n=64").empty());
  EXPECT_TRUE(body_names("bodies.csv").empty());
}

TEST_F(SceneFile, KeysOfTheCommandLineHavePrecedence) {
  const std::string text = "title = \"mine\"\ngenerator = \"plummer\"\n[parameters]\nn = 33\n";
  const Scene s = made(text, ":n=44,seed=5,dt=0.25,integrator=yoshida4");
  EXPECT_TRUE(same_bits(s.bodies, make_scene("plummer:n=44,seed=5").bodies));
  EXPECT_EQ(s.dt, 0.25);
  EXPECT_EQ(s.integrator, Integrator::yoshida4);
  expect_parts(message_of<ConfigError>([&] { made(text, ":sed=3"); }), {"'sed'", "Did you mean 'seed'?", "my.toml"});
  expect_parts(message_of<ConfigError>([&] { made(text, ":n=x"); }), {"n = 'x'", "an integer from 1"});
  expect_parts(message_of<ConfigError>([&] { made(text, ":n=3,n=4"); }), {"n is given twice"});
}

TEST_F(SceneFile, DeepNestingIsRefusedBeforeItIsParsed) {
  std::string key = "a", tables = "x = ";
  for (int level = 0; level < 100000; ++level) key += ".a", tables += "{a=";
  const std::string title = "title = \"t\"\n";
  expect_parts(refused(title + key + " = 1\n"), {"my.toml', line 2: ", "a key with more than 32 dots", "scenes.md"});
  expect_parts(refused("[" + key + "]\n"), {"my.toml', line 1: ", "more than 32 dots"});
  expect_parts(refused(title + "\nx = " + std::string(100000, '[')), {"line 3: ", "more than 32 levels of brackets"});
  expect_parts(refused(title + tables), {"line 2: ", "more than 32 levels of brackets"});
  const std::string any = std::string(100, '.') + std::string(100, '[');  // in a string or a comment
  EXPECT_EQ(made("title = \"" + any + "\" # " + any + "\ngenerator = \"plummer\"\n").title, any);
}

TEST_F(SceneFile, AParameterThatEveryPartOverridesIsNoted) {
  const auto part = [](const std::string& name, const std::string& own) {
    return "[[part]]\nname = \"" + name + "\"\ngenerator = \"plummer\"\nposition = [9, 0, 0]\n" + own;
  };
  const std::string head = "title = \"t\"\n[parameters]\nn = 30\neps = 0.1\n";
  const Scene idle = made(head + part("a", "n = 7\n") + part("b", "n = 8\n"));
  ASSERT_EQ(idle.notes.size(), 1u);
  expect_parts(idle.notes[0], {"my.toml', line 3", "n has no effect: every part has its own"});
  EXPECT_EQ(idle.bodies.size(), 15u);
  EXPECT_TRUE(made(head + part("a", "n = 7\n") + part("b", "")).notes.empty());
}

TEST_F(SceneFile, ListsBodies) {
  const Scene s = made(
      "title = \"t\"\nunits = \"none\"\nbodies = [[3, 1, 2.5, -3, 4, 5, 6], [1, 0, 0, 0, 0, 0, 0, 0.5]]\n"
      "[parameters]\nG = 2\ndt = 0.5\n");
  ASSERT_EQ(s.bodies.size(), 2u);
  EXPECT_EQ(s.bodies.m[0], 3);
  EXPECT_EQ(s.bodies.x[0], 1);
  EXPECT_EQ(s.bodies.y[0], 2.5);
  EXPECT_EQ(s.bodies.z[0], -3);
  EXPECT_EQ(s.bodies.vx[0], 4);
  EXPECT_EQ(s.bodies.vy[0], 5);
  EXPECT_EQ(s.bodies.vz[0], 6);
  EXPECT_EQ(s.bodies.r[0], 0);
  EXPECT_EQ(s.bodies.r[1], 0.5);
  EXPECT_EQ(s.field.gravity.G, 2);
  EXPECT_EQ(s.dt, 0.5);
  EXPECT_EQ(s.units, "none");
}

TEST_F(SceneFile, ReadsBodiesFromAFileBesideIt) {
  file("x,y,z,m\n1,2,3,4\n5,6,7,8\n", "cloud.csv");
  const Scene s = made("title = \"t\"\ngenerator = \"file\"\n[parameters]\npath = \"cloud.csv\"\n");
  ASSERT_EQ(s.bodies.size(), 2u);
  EXPECT_EQ(s.bodies.z[1], 7);
  expect_parts(refused("title = \"t\"\ngenerator = \"file\"\n[parameters]\npath = \"none.csv\"\n"), {"none.csv"});
  // A periodic cell acts, in the scene's lengths, unless [physics] says otherwise.
  file("1\nLattice=\"9 0 0 0 8 0 0 0 7\" Properties=pos:R:3:masses:R:1\n1 2 3 4\n", "cell.xyz");
  const std::string cell = "title = \"t\"\ngenerator = \"file\"\n[parameters]\npath = \"cell.xyz\"\nlength = 2\n";
  const Box box = made(cell + "[physics]\npair = \"none\"\n").field.box;
  EXPECT_EQ(box.boundary, Boundary::periodic);
  EXPECT_EQ(box.high, (std::array<double, 3>{18, 16, 14}));
  EXPECT_EQ(made(cell + "[physics]\nwalls = \"open\"\n").field.box.boundary, Boundary::open);
  expect_parts(refused(cell), {"my.toml'", "periodic walls with gravity"});
  expect_parts(refused("title = \"t\"\ngenerator = \"file\"\n"), {"my.toml'", "it needs path"});
}

TEST_F(SceneFile, ColumnsOfItsFileAreChosenBehindThePath) {
  file("px,py,pz,w\n1,2,3,4\n", "own.csv");
  const auto text = [](const std::string& path) {
    return "title = \"t\"\ngenerator = \"file\"\n[parameters]\npath = \"" + path + "\"\n";
  };
  const std::string hint = refused(text("own.csv"));
  expect_parts(hint, {"own.csv", "(path = \"FILE.csv:x=NAME\" chooses another)"});
  const Scene s = made(text("own.csv:x=px,y=py,z=pz,m=w"));
  EXPECT_EQ(s.bodies.z[0], 3);
  EXPECT_EQ(s.bodies.m[0], 4);
  expect_parts(refused(text("own.csv:x=pw,y=py,z=pz")), {"x=pw", "unknown column 'pw'"});
  EXPECT_EQ(made("units = \"si\"\n" + text("own.csv:x=px,y=py,z=pz,units=si")).units, "si");
  expect_parts(refused(text("own.csv:x=px,y=py,z=pz,units=si")), {"write units = \"si\" in the scene"});
}

// Each of these keys is fine alone. Who wrote them reads of the file and its line, not of options.
TEST_F(SceneFile, KeysThatContradictEachOtherAreAFaultOfTheFile) {
  const std::string head = "title = \"t\"\ngenerator = \"plummer\"\n", few = "[parameters]\nn = 16\n";
  const std::string hermite = "integrator = \"hermite\"\n";
  const std::pair<std::string, std::vector<std::string>> files[] = {
      {head + hermite + few + "[physics]\nwalls = \"reflecting\"\nlow = [-50, -50, -50]\nhigh = [50, 50, 50]\n",
       {"line 3: integrator = hermite knows no walls", "use integrator kdk or yoshida4"}},
      {head + hermite + few + "[physics]\npair = \"lennard-jones\"\n",
       {"line 3: integrator = hermite", "gravity alone"}},
      {head + hermite + "precision = \"fp32\"\n" + few, {"line 3: integrator = hermite", "use precision fp64"}},
      {head + "integrator = \"yoshida4\"\neta = 0.01\n" + few, {"line 4: eta = 0.01 goes with integrator kdk"}},
      {head + few + "dt = \"auto\"\n[physics]\npair = \"lennard-jones\"\n", {"line 5: dt = auto", "give dt a number"}},
      {"title = \"t\"\ngenerator = \"kepler\"\nintegrator = \"yoshida4\"\n[parameters]\ne = 0.95\n",
       {"line 3: dt = auto", "not with yoshida4"}}};
  for (const auto& [text, parts] : files) {
    const std::string message = refused(text);
    expect_parts(message, {"my.toml', "});
    expect_parts(message, parts);
    EXPECT_EQ(message.find("--"), std::string::npos) << message;
  }
  // What is given beside the file may mend it, or be what contradicts it: then the file is not to blame.
  EXPECT_EQ(made(files[0].first, ":integrator=kdk").integrator, Integrator::kdk);
  EXPECT_EQ(made(files[2].first, ":precision=fp64").precision, Precision::fp64);
  const auto beside = [&](const std::string& text, const std::string& keys, const SceneLaws& laws = {}) {
    return message_of<ConfigError>([&] { make_scene(file(text) + keys, laws); });
  };
  expect_parts(beside(head + hermite + few, ":precision=fp32"),
               {"integrator = hermite ('", "line 3) computes in float64"});
  expect_parts(beside(head + hermite + few, "", {"lennard-jones", ""}), {"line 3)", "here acts lennard-jones"});
  expect_parts(beside(head + few + "[physics]\nwalls = \"open\"\n", ":walls=periodic"),
               {"periodic walls with gravity"});
  expect_parts(refused(files[0].first, ":n=20"), {"line 3: integrator = hermite knows no walls"});
  expect_parts(refused(files[0].first, ":m=20"), {"line 3: integrator = hermite knows no walls"});
  expect_parts(beside(files[0].first, ":n=-20"), {"n = '-20'"});
}

TEST_F(SceneFile, PartsAreRotatedThenMovedAndHaveTheirOwnSeeds) {
  const Scene s = made(kTwo);
  ASSERT_EQ(s.bodies.size(), 50u);
  const Bodies a = make_scene("plummer:n=20,seed=42").bodies, b = make_scene("plummer:n=30,seed=43").bodies;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(s.bodies.x[i], a.x[i] + 3);
    EXPECT_EQ(s.bodies.y[i], a.y[i]);
    EXPECT_EQ(s.bodies.vy[i], a.vy[i] + 0.5);
  }
  for (std::size_t i = 0; i < 30; ++i) {  // by 90 degrees about x: y becomes z, z becomes -y
    EXPECT_EQ(s.bodies.x[20 + i], b.x[i]);
    EXPECT_NEAR(s.bodies.z[20 + i], b.y[i], 1e-12);
    EXPECT_NEAR(s.bodies.y[20 + i], -b.z[i], 1e-12);
    EXPECT_NEAR(s.bodies.vz[20 + i], b.vy[i], 1e-12);
    EXPECT_NEAR(s.bodies.vy[20 + i], -b.vz[i], 1e-12);
  }
}

TEST_F(SceneFile, APartIsRotatedAboutTheZAxisAsAWhole) {
  const Scene plain = made(kTwo, ":a.position-x=0,a.velocity-y=0"),
              s = made(kTwo, ":a.position-x=0,a.velocity-y=0,a.turn=90");
  for (std::size_t i = 0; i < 20; ++i) {  // x becomes y, y becomes -x
    EXPECT_NEAR(s.bodies.x[i], -plain.bodies.y[i], 1e-12);
    EXPECT_NEAR(s.bodies.y[i], plain.bodies.x[i], 1e-12);
    EXPECT_EQ(s.bodies.z[i], plain.bodies.z[i]);
    EXPECT_NEAR(s.bodies.vx[i], -plain.bodies.vy[i], 1e-12);
    EXPECT_NEAR(s.bodies.vy[i], plain.bodies.vx[i], 1e-12);
    EXPECT_EQ(s.bodies.vz[i], plain.bodies.vz[i]);
  }
}

TEST_F(SceneFile, GroupsHaveTheNamesOfTheirParts) {
  const auto part = [](const std::string& name, const std::string& more) {
    return "[[part]]\nname = \"" + name + "\"\ngenerator = \"plummer\"\nn = 16\n" + more + "\n";
  };
  const auto groups = [&](const std::string& parts) { return made("title = \"t\"\n" + parts).groups; };
  using Names = std::vector<std::string>;
  EXPECT_EQ(groups(part("near", "") + part("far", "")), (Names{"near", "far"}));
  EXPECT_EQ(groups(part("a", "group = 3") + part("b", "group = 1") + part("c", "group = 3")),
            (Names{"", "b", "", "a, c"}));
  EXPECT_EQ(make_scene("merger:n=64").groups, (Names{"first galaxy", "second galaxy"}))
      << "not those of a galaxy's parts";
  EXPECT_EQ(make_scene("galaxy:n=64").groups, (Names{"disk", "bulge", "halo"}));
  EXPECT_TRUE(make_scene("plummer:n=64").groups.empty());
}

TEST_F(SceneFile, TheStepIsTheShortestOfItsParts) {
  EXPECT_EQ(made(kTwo, ":a.dt=0.25,b.dt=0.125").dt, 0.125);
  EXPECT_EQ(made(kTwo, ":a.dt=0.0625,b.dt=0.125").dt, 0.0625);
}

TEST_F(SceneFile, KeysReachOnePartOrAll) {
  EXPECT_EQ(made(kTwo, ":n=7").bodies.size(), 14u);
  EXPECT_EQ(made(kTwo, ":b.n=7").bodies.size(), 27u);
  EXPECT_EQ(made(kTwo, ":b.seed=42,b.n=20,b.tilt=0").bodies.x[20], made(kTwo).bodies.x[0] - 3);
  EXPECT_EQ(made(kTwo, ":a.position-x=5").bodies.x[0], made(kTwo).bodies.x[0] + 2);
  expect_parts(message_of<ConfigError>([&] { made(kTwo, ":c.n=7"); }), {"'c.n'", "b.n", "b.tilt"});
  expect_parts(message_of<ConfigError>([&] { made(kTwo, ":a.tilt=x"); }), {"my.toml.a", "tilt = 'x'", "finite"});
}

TEST_F(SceneFile, AnOrbitHasTheRequestedEnergyAndPericentre) {
  std::string text = kTwo;
  for (const char* line : {"position = [3, 0, 0]\n", "velocity = [0, 0.5, 0]\n"}) {
    text.erase(text.find(line), std::string(line).size());
  }
  text += "[orbit]\npericentre = 0.5\nseparation = 4\neccentricity = 0.9\n";
  const Scene s = made(text);
  std::array<std::array<double, 7>, 2> sums{};  // mass, mass-weighted position and velocity of each part
  for (std::size_t i = 0; i < 50; ++i) {
    auto& sum = sums[i < 20 ? 0 : 1];
    const double v[7] = {
        1, s.bodies.x[i], s.bodies.y[i], s.bodies.z[i], s.bodies.vx[i], s.bodies.vy[i], s.bodies.vz[i]};
    for (int c = 0; c < 7; ++c) sum[c] += s.bodies.m[i] * v[c];
  }
  double d[7] = {};
  for (int c = 1; c < 7; ++c) d[c] = sums[1][c] / sums[1][0] - sums[0][c] / sums[0][0];
  const double mass = sums[0][0] + sums[1][0], r = std::hypot(d[1], d[2], d[3]);
  EXPECT_NEAR(r, 4, 1e-12);
  const double energy = (d[4] * d[4] + d[5] * d[5] + d[6] * d[6]) / 2 - mass / r;
  EXPECT_NEAR(energy, -mass * (1 - 0.9) / (2 * 0.5), 1e-12);
  EXPECT_NEAR(d[1] * d[5] - d[2] * d[4], std::sqrt(mass * 0.5 * 1.9), 1e-12);
  EXPECT_LT(d[1] * d[4] + d[2] * d[5], 0) << "they approach each other";
  for (const double sum : first_moments(s.bodies)) EXPECT_NEAR(sum, 0, 1e-12);
  expect_parts(refused(text + "seperation = 3\n"), {"line 17", "'seperation'", "Did you mean 'separation'?"});
  text.replace(text.find("separation = 4"), 14, "separation = 0.4");
  expect_parts(refused(text), {"line 15", "separation = '0.4'", "at least 0.5"});
}

TEST_F(SceneFile, PhysicsAppliesToTheWholeScene) {
  const Scene s = made(
      "title = \"t\"\nunits = \"u\"\nbodies = [[1, 0.5, 0.5, 0.5, 0, 0, 0, 0.1]]\n[physics]\npair = \"contact\"\n"
      "response = \"impulses\"\nrestitution = 0.25\nwalls = \"reflecting\"\nlow = [0, 0, 0]\n"
      "high = [2, 1, 3]\nfield = [0, 0, -9.81]\n",
      ":restitution=0.75");
  EXPECT_EQ(s.field.pair, PairLaw::contact);
  EXPECT_TRUE(s.field.contact.impulse);
  EXPECT_EQ(s.field.contact.restitution, 0.75);
  EXPECT_EQ(s.field.box.boundary, Boundary::reflecting);
  EXPECT_EQ(s.field.box.high, (std::array<double, 3>{2, 1, 3}));
  EXPECT_EQ(s.field.field, (std::array<double, 3>{0, 0, -9.81}));
  const std::string head = "title = \"t\"\nbodies = [[1, 0, 0, 0, 0, 0, 0]]\n[physics]\n";
  expect_parts(refused(head + "stifness = 1\n"), {"line 4", "'stifness'", "Did you mean 'stiffness'?"});
  expect_parts(refused(head + "restitution = 2\n"), {"line 4", "restitution = '2'", "at least 0 and at most 1"});
  expect_parts(refused(head + "walls = \"periodic\"\n"), {"line 4", "periodic walls with gravity"});
  expect_parts(refused(head + "low = [1, 2]\n"), {"line 4", "low", "three numbers"});
}

/// Keys and a part of the sentence that refuses them, for two bodies of gravity.
TEST_F(SceneFile, KeysThatDoNotActAreRefused) {
  const std::string head = "title = \"t\"\nbodies = [[1, 0, 0, 0, 0, 0, 0, 0.1], [1, 2, 0, 0, 0, 0, 0, 0.1]]\n";
  const std::pair<const char*, const char*> idle[] = {
      {"[physics]\nrestitution = 0.5", "restitution belongs to contact, and the law of pairs is gravity"},
      {"[physics]\npair = \"contact\"\nrestitution = 0.5", "contact with response = \"impulses\""},
      {"[physics]\npair = \"contact\"\nresponse = \"impulses\"\ndamping = 0", "contact with response = \"springs\""},
      {"[physics]\nresponse = \"impulses\"", "response belongs to contact"},
      {"[physics]\nlow = [0, 0, 0]", "low is a corner of walls, and walls are \"open\""},
      {"[physics]\nwalls = \"open\"\nhigh = [9, 9, 9]", "high is a corner"},
      {"[physics]\nnu = 1", "nu belongs to axilrod-teller, and the law of triples is none"},
      {"[physics]\npair = \"lennard-jones\"\nshifted = false", "lennard-jones with cutoff above 0"},
      {"[physics]\npair = \"-1/r\"\nsigma = 1", "the law of pairs is typed"},
      {"[parameters]\nG = 2\n[physics]\npair = \"lennard-jones\"", "line 4: G belongs to gravity"},
      {"[parameters]\neps = 0\n[law]\nenergy = \"-1/r\"", "eps belongs to gravity"},
  };
  for (const auto& [lines, why] : idle) expect_parts(refused(head + lines + "\n"), {"my.toml', line", why});
  const std::string argon = head + "[physics]\npair = \"lennard-jones\"\nepsilon = 2\n";
  EXPECT_EQ(made(argon, ":epsilon=3").field.lennard_jones.epsilon, 3);
  // The file's keys are of its own law; an option that chooses another one leaves them behind.
  EXPECT_EQ(made(argon, ":pair=gravity,eps=0.5").field.gravity.softening, 0.5);
  EXPECT_EQ(make_scene(file(argon) + ":G=2", {"gravity", ""}).field.gravity.G, 2);
  expect_parts(message_of<ConfigError>([&] { made(argon, ":pair=gravity,epsilon=3"); }), {"belongs to lennard"});
  const std::pair<const char*, SceneLaws> generators[] = {{"plummer:n=9,eps=0.1", {"none", ""}},
                                                          {"sphere-box:n=9,k=100", {"gravity", ""}},
                                                          {"gas:n=9,e=0.5,walls=open", {"gravity", ""}},
                                                          {"argon-droplet:n=9,nu=0.1", {"", "none"}},
                                                          {"falling-pile:n=9,k=3,response=impulses", {}}};
  for (const auto& [spec, laws] : generators) {
    const SceneLaws& given = laws;
    expect_parts(message_of<ConfigError>([&, name = spec] { make_scene(name, given); }), {"belongs to"});
  }
  EXPECT_NO_THROW(make_scene("plummer:n=9,G=2", {"lennard-jones", ""})) << "its velocities follow from G";
}

TEST_F(SceneFile, ALawOfItsOwn) {
  const std::string head = "title = \"t\"\nbodies = [[1, 0, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0, 0]]\n";
  const Scene s = made(head +
                       "[law]\neps = 1.25\nenergy = \"4*eps*((s/r)^12 - (s/r)^6)\"\ns = \"d/2\"\nd = 3\ncutoff = 9\n"
                       "shifted = true\n[triple-law]\nenergy = \"nu/(a*b*c)^3\"\nnu = 0.5\n");
  EXPECT_EQ(s.field.pair, PairLaw::typed);
  EXPECT_EQ(s.field.triple, TripleLaw::typed);
  const expression::TypedLaw& law = s.field.typed_pair;
  ASSERT_EQ(law.values.size(), 4u) << "s is an abbreviation";
  EXPECT_EQ(law.values[law.law->find("eps")], 1.25);
  EXPECT_EQ(law.values[law.law->find("shifted")], 1);
  const double s6 = std::pow(1.5 / 2, 6), end6 = std::pow(1.5 / 9, 6);
  EXPECT_NEAR(law.law->at(2, law.values).energy, 5 * (s6 * s6 - s6) - 5 * (end6 * end6 - end6), 1e-12);
  const Scene inline_text = made(head + "[physics]\npair = \"-k/r; k = 2\"\n");
  EXPECT_EQ(inline_text.field.typed_pair.values, std::vector<double>{2});
  EXPECT_EQ(made(head + "[law]\nenergy = \"-1/r\"\n[physics]\npair = \"typed\"\n").field.pair, PairLaw::typed);
  expect_parts(refused(head + "[law]\nenergy = \"-k/r\"\nkk = 1\n"), {"line 3", "'k'", "^"});
  expect_parts(refused(head + "[physics]\nfield = [0, 0, 1]\nfield-z = 2\n"), {"field-z is given twice"});
  EXPECT_NE(refused(head + "[law]\nenergy = \"-k/r\"\nk = true\n"), "") << "only shifted is a flag";
  expect_parts(refused(head + "[law]\neps = 1\n"), {"line 3", "[law] needs energy"});
  expect_parts(refused(head + "[physics]\npair = \"gravity\"\n[law]\nenergy = \"-1/r\"\n"), {"line 5", "gravity"});
  expect_parts(refused(head + "[physics]\npair = \"typed\"\n"), {"line 4", "pair = 'typed'"});
  expect_parts(refused(head + "[law]\nenergy = \"-1/r\"\n[physics]\nwalls = \"periodic\"\n"), {"no cut-off"});
}

TEST_F(SceneFile, LawsOfTheCommandLineReplaceThoseOfTheScene) {
  const Scene s = make_scene("plummer:n=10", {"-mi*mj/r; softening = 0.1", ""});
  EXPECT_EQ(s.field.pair, PairLaw::typed);
  EXPECT_EQ(s.field.triple, TripleLaw::none);
  EXPECT_EQ(make_scene("argon-droplet:n=10", {"none", ""}).field.pair, PairLaw::none);
  EXPECT_EQ(open_scene(file("m,x,y,z\n1,0,0,0\n1,2,0,0\n", "b.csv"), {"", "k*(a + b + c); k = 1"}).field.triple,
            TripleLaw::typed);
  EXPECT_NE(message_of<ConfigError>([] { make_scene("plummer:n=10", {"-mi/r", ""}); }), "") << "not symmetric";
  const Scene neutral = make_scene("plummer:n=10", {"qi*qj/r", ""});
  EXPECT_NE(neutral.notes.back().find("charges"), std::string::npos);
}

TEST_F(SceneFile, ViewIsKept) {
  const Scene s = made("title = \"t\"\ngenerator = \"kepler\"\n[view]\nshape = \"points\"\ncolours = \"cividis\"\n");
  EXPECT_EQ(s.view.shape, "points");
  EXPECT_EQ(s.view.colours, "cividis");
  EXPECT_EQ(s.view.colour, "");
  EXPECT_EQ(s.pace, 0) << "not said";
  EXPECT_EQ(made("title = \"t\"\ngenerator = \"kepler\"\n[view]\npace-of-time = 2.5\n").pace, 2.5);
  expect_parts(refused("title = \"t\"\ngenerator = \"kepler\"\n[view]\npace-of-time = 0\n"),
               {"line 4", "pace-of-time = '0'", "more than 0"});
  expect_parts(refused("title = \"t\"\ngenerator = \"kepler\"\n[view]\nshape = \"cubes\"\n"),
               {"line 4", "shape = 'cubes'", "spheres or glow or points"});
}

TEST_F(SceneFile, EverythingElseIsRejectedWithFileLineAndRemedy) {
  const std::string head = "title = \"t\"\ngenerator = \"plummer\"\n";
  expect_parts(refused("title = \n"), {"my.toml', line 1", "not TOML", "docs/scenes.md"});
  expect_parts(refused("generator = \"plummer\"\n"), {"title is missing", "add title ="});
  expect_parts(refused("title = 3\n"), {"line 1", "title must be a string"});
  expect_parts(refused("title = \"t\"\n"), {"generator is missing", "list generators"});
  expect_parts(refused("title = \"t\"\ngenerator = \"plumer\"\n"), {"line 2", "'plumer'", "Did you mean 'plummer'?"});
  expect_parts(refused(head + "paramters = 3\n"), {"line 3", "'paramters'", "Did you mean 'parameters'?"});
  expect_parts(refused(head + "parameters = 3\n"), {"line 3", "must be a table"});
  expect_parts(refused(head + "[parameters]\nsed = 3\n"), {"line 4", "'sed'", "Did you mean 'seed'?"});
  expect_parts(refused(head + "[parameters]\nn = 0\n"), {"line 4", "n = '0'", "an integer from 1"});
  expect_parts(refused(head + "[parameters]\nn = \"many\"\n"), {"line 4", "n = 'many'"});
  expect_parts(refused(head + "[parameters]\nn = 1.5\n"), {"line 4", "n = '1.5'"});
  expect_parts(refused(head + "[parameters]\nn = [1]\n"), {"line 4", "n must be a number"});
  expect_parts(refused(head + "[parameters]\neps = inf\n"), {"line 4", "eps", "not finite"});
  expect_parts(refused(head + "integrator = \"rk4\"\n"), {"line 3", "integrator = 'rk4'", "kdk or"});
  expect_parts(refused(head + "bodies = [[1, 0, 0, 0, 0, 0, 0]]\n"), {"line 3", "keep one of the two"});
  expect_parts(refused("title = \"t\"\nbodies = [[1, 2]]\n"), {"line 2", "[m, x, y, z, vx, vy, vz]"});
  expect_parts(refused("title = \"t\"\nbodies = [[-1, 0, 0, 0, 0, 0, 0]]\n"), {"line 2", "0 or more"});
  expect_parts(refused("title = \"t\"\nbodies = []\n"), {"line 2", "list of rows"});
  expect_parts(refused("title = \"t\"\ngenerator = \"bodies\"\n"), {"needs a list of bodies"});
  expect_parts(refused(head + "[[part]]\nname = \"a\"\n"), {"line 2", "not allowed next to [[part]]"});
  expect_parts(refused("title = \"t\"\n[[part]]\ngenerator = \"kepler\"\n"), {"name is missing"});
  expect_parts(refused("title = \"t\"\n[[part]]\nname = \"a b\"\ngenerator = \"kepler\"\n"), {"'a b'", "letters"});
  expect_parts(refused(std::string(kTwo) + "[[part]]\nname = \"b\"\ngenerator = \"kepler\"\n"),
               {"use different names"});
  expect_parts(refused(std::string(kTwo) + "[[part]]\nname = \"c\"\ngenerator = \"gas\"\n"),
               {"part 'c' has another law than part 'a'"});
  expect_parts(refused(std::string(kTwo) + "eps = 0.5\n"), {"part 'b' has another eps"});
  const std::string gases =
      "title = \"t\"\n[[part]]\nname = \"a\"\ngenerator = \"gas\"\nn = 9\n[[part]]\nname = \"b\"\n"
      "generator = \"gas\"\nn = 5\n";
  expect_parts(refused(gases + "length = 2\n"), {"part 'b' has another box, field or contact than part 'a'"});
  expect_parts(refused(gases + "turn = 45\n"), {"line 10", "turn turns the bodies of a periodic cell"});
  EXPECT_NO_THROW(made(gases + "turn = 45\ntilt = 0\n[physics]\nwalls = \"open\"\n"));
  file("1\nLattice=\"9 9 9\" Properties=species:S:1:pos:R:3\nAr 1 2 3\n", "cell.xyz");
  const std::string cell = "title = \"t\"\n[[part]]\nname = \"a\"\ngenerator = \"file\"\npath = \"cell.xyz\"\n";
  expect_parts(refused(cell + "tilt = 90\n[physics]\npair = \"lennard-jones\"\ncutoff = 4\nwalls = \"periodic\"\n"),
               {"line 6", "tilt turns the bodies"});
  expect_parts(refused(gases + "e = 0.5\n"), {"part 'b' has another box, field or contact"});
  // [physics] is of all parts, but only what it says.
  const std::string open = "[physics]\nwalls = \"open\"\n";
  expect_parts(refused(gases + "e = 0.5\n" + open), {"part 'b' has another box, field or contact"});
  EXPECT_NO_THROW(made(gases + "length = 2\n" + open));
  const std::string drops =
      "title = \"t\"\n[[part]]\nname = \"a\"\ngenerator = \"argon-droplet\"\nn = 5\n[[part]]\nname = \"b\"\n"
      "generator = \"argon-droplet\"\nn = 4\nposition = [9, 0, 0]\nnu = 0.2\n";
  expect_parts(refused(drops), {"part 'b' has another nu than part 'a'"});
  expect_parts(refused(drops + "[physics]\nnu = 0.1\n"), {"line 11: nu is set in [physics], too; keep one"});
  for (const char* twice :
       {"argon-droplet\"\n[parameters]\nnu = 0.2\n[physics]\nnu = 0.1\n",
        "falling-pile\"\n[parameters]\nresponse = \"springs\"\n[physics]\nresponse = \"impulses\"\n",
        "gas\"\n[parameters]\nwalls = \"periodic\"\n[physics]\nwalls = \"open\"\n"}) {
    expect_parts(refused(std::string("title = \"t\"\ngenerator = \"") + twice), {"line 4: ", "in [physics], too"});
  }
  expect_parts(refused(std::string(kTwo) + "position = [1, 0, 0]\n[orbit]\npericentre = 1\n"),
               {"position-x has no effect beside [orbit]"});
  for (const char* idle :
       {"bulge=0,bulge-length=1", "bulge=0,bulge-share=0.05", "halo=0,halo-length=3", "halo=0,disk-share=0.2"}) {
    expect_parts(test::message_of<ConfigError>([&] { make_scene("galaxy:n=64," + std::string(idle)); }),
                 {"scene galaxy", "is 0"});
  }
  expect_parts(
      refused(std::string(kTwo) + "[[part]]\nname = \"c\"\ngenerator = \"plummer\"\n[orbit]\npericentre = 1\n"),
      {"two parts, but there are 3"});
  expect_parts(message_of<FileError>([&] { make_scene(path("none.toml")); }), {"none.toml"});
  EXPECT_TRUE(takes_keys("a/b.toml:n=3"));
  EXPECT_TRUE(takes_keys("plummer"));
  EXPECT_FALSE(takes_keys("b.csv"));
  EXPECT_EQ(split_spec("c:/x.toml:n=3"), (std::pair<std::string, std::string>{"c:/x.toml", "n=3"}));
}

TEST_F(SceneFile, BodiesOfArraysAreThoseThatAFileLists) {
  const Scene listed = made(R"(title = "two"
integrator = "yoshida4"
bodies = [[1, 0.25, 0.5, 0.5, 1, 0, 0, 0.125], [2, 0.75, 0.5, 0.5, 0, 0, 0, 0.125]]
[parameters]
dt = 0.002
[physics]
pair = "contact"
stiffness = 300
walls = "reflecting"
field = [0, 0, -2]
)");
  const Scene given = scene_of_bodies(listed.bodies, {{"dt", "0.002"},
                                                      {"pair", "contact"},
                                                      {"stiffness", "300"},
                                                      {"walls", "reflecting"},
                                                      {"field-z", "-2"},
                                                      {"integrator", "yoshida4"}});
  EXPECT_EQ(given.bodies.x, listed.bodies.x);
  EXPECT_EQ(given.bodies.r, listed.bodies.r);
  EXPECT_EQ(given.field.pair, PairLaw::contact);
  EXPECT_EQ(given.field.contact.stiffness, 300);
  EXPECT_EQ(given.field.box.boundary, Boundary::reflecting);
  EXPECT_EQ(given.field.field, listed.field.field);
  EXPECT_EQ(given.dt, listed.dt);
  EXPECT_EQ(given.integrator, listed.integrator);
  const Scene usual = scene_of_bodies(listed.bodies, {{"eps", "0.5"}});
  EXPECT_EQ(usual.field.pair, PairLaw::gravity);
  EXPECT_EQ(usual.field.gravity.softening, 0.5);
  EXPECT_EQ(usual.dt, kFileSceneDt);
  const auto answer = [&](const Bodies& bodies, const char* key, const char* value) {
    return message_of<ConfigError>([&] { scene_of_bodies(bodies, {{key, value}}); });
  };
  expect_parts(answer(listed.bodies, "softening", "1"), {"scene of arrays", "softening"});
  expect_parts(answer(listed.bodies, "eps", "-1"), {"eps = '-1'"});
  expect_parts(answer(listed.bodies, "walls", "periodic"), {"periodic walls with gravity"});
  EXPECT_NE(answer({}, "eps", "1"), "");
}

// NAME:key=value,...: what is accepted, and the message for everything else.

std::string refusal_of(const std::string& spec) {
  return message_of<ConfigError>([&] { make_scene(spec); });
}

TEST(SceneList, NamesEverySceneOnceAndEachCanBeMade) {
  std::vector<std::string> names;
  for (const SceneInfo& info : list_scenes()) {
    names.emplace_back(info.name);
    const Scene s = make_scene(info.name);
    EXPECT_EQ(s.name, info.name);
    EXPECT_EQ(s.title, info.title);
    EXPECT_FALSE(s.units.empty()) << info.name;
    EXPECT_GT(s.dt, 0) << info.name;
    check(s.bodies);
    check(s.field);
    check_float_values(s.bodies, Precision::fp32);
    check_float_range(s.bodies, s.field, Precision::fp32);
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"argon-crystal", "argon-droplet", "cold-collapse", "cosmic-web", "falling-pile", "figure-8",
                           "galaxy", "gas", "kepler", "lagrange", "merger", "plummer", "pythagorean", "salt",
                           "solar-system", "sphere-box", "uniform-ball", "uniform-box"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
}

// The list of a generator's keys is separate from the code that reads them: compare the two.
TEST(GeneratorList, NamesExactlyTheKeysThatAGeneratorReads) {
  u32 keys = 0;
  for (const SceneInfo& info : list_generators()) {
    if (std::string(info.name) == "bodies" || std::string(info.name) == "file") continue;  // need a file
    for (const std::string& key : scene::key_names(info.keys)) {
      ++keys;
      const std::string message =
          message_of<ConfigError>([&] { make_scene(std::string(info.name) + ":" + key + "=?"); });
      expect_parts(message, {key + " = '?', but it must be"});
    }
  }
  EXPECT_GT(keys, 10u);
}

TEST(SceneList, NamesExactlyTheKeysThatASceneAccepts) {
  ASSERT_FALSE(list_scenes().empty());
  for (const SceneInfo& info : list_scenes()) {
    std::string known;
    for (const std::string& key : scene::key_names(info.keys)) known += (known.empty() ? "" : ", ") + key;
    const std::string message = refusal_of(std::string(info.name) + ":no-such-key=1");
    std::string tail = message.substr(message.find("Known: ") + 7);
    if (tail.ends_with('.')) tail.pop_back();
    std::vector<std::string> listed = scene::key_names(tail), shown = scene::key_names(known);
    std::sort(listed.begin(), listed.end());
    std::sort(shown.begin(), shown.end());
    EXPECT_EQ(listed, shown) << info.name;
  }
}

TEST(SceneKeys, UnknownNamesSuggestTheNearestAndTheList) {
  expect_parts(refusal_of("plumer"),
               {"unknown scene 'plumer'", "Did you mean 'plummer'?", "uniform-ball", "argon-droplet"});
  expect_parts(refusal_of("zzz:n=3"), {"unknown scene 'zzz'", "plummer"});
  expect_parts(refusal_of(""), {"unknown scene ''"});
  expect_parts(refusal_of("plummer:sed=3"), {"plummer", "'sed'", "Did you mean 'seed'?", "eps"});
  expect_parts(refusal_of("kepler:n=3"), {"unknown key of scene kepler 'n'", "ratio"});
}

TEST(SceneKeys, MoreBodiesThanTheMemoryHoldsAreRefusedBeforeTheyAreMade) {
  if (available_memory() >= u64{128} << 30) GTEST_SKIP() << "this machine holds them";
  for (const char* scene : {"plummer", "gas", "galaxy", "sphere-box", "uniform-ball"}) {
    expect_parts(message_of<MemoryError>([&] { make_scene(std::string(scene) + ":n=1073741824"); }),
                 {scene, " with n = 1073741824 would take 128 GiB", "Use n = ", " or less"});
  }
}

TEST(SceneKeys, InvalidValuesShowTheRange) {
  expect_parts(refusal_of("plummer:n=0"), {"scene plummer: n = '0'", "an integer from 1 to 1073741824"});
  expect_parts(refusal_of("plummer:n=-5"), {"n = '-5'", "from 1"});
  expect_parts(refusal_of("plummer:n=1.5"), {"n = '1.5'"});
  expect_parts(refusal_of("plummer:n=99999999999"), {"n = '99999999999'"});
  expect_parts(refusal_of("plummer:n="), {"n = ''"});
  expect_parts(refusal_of("plummer:seed=-1"), {"seed = '-1'", "18446744073709551615"});
  expect_parts(refusal_of("plummer:eps=-0.1"), {"eps = '-0.1'", "at least 0"});
  expect_parts(refusal_of("plummer:eps=nan"), {"eps = 'nan'", "at least 0"});
  expect_parts(refusal_of("plummer:eps=inf"), {"eps = 'inf'"});
  expect_parts(refusal_of("plummer:eps=1e-2x"), {"eps = '1e-2x'"});
  expect_parts(refusal_of("plummer:dt=0"), {"dt = '0'", "more than 0"});
  expect_parts(refusal_of("plummer:G=0"), {"G = '0'", "more than 0"});
  expect_parts(refusal_of("kepler:e=1"), {"e = '1'", "at least 0 and less than 1"});
  expect_parts(refusal_of("sphere-box:fill=0.31"), {"fill = '0.31'", "more than 0 and at most 0.3"});
  expect_parts(refusal_of("sphere-box:fill=0"), {"fill = '0'"});
  expect_parts(refusal_of("sphere-box:walls=closed"),
               {"scene sphere-box: walls = 'closed', but it must be open or reflecting or periodic"});
  expect_parts(refusal_of("falling-pile:response=soft"), {"response = 'soft'", "springs or impulses"});
  expect_parts(refusal_of("falling-pile:e=0"), {"e = '0'", "more than 0 and at most 1"});
  EXPECT_EQ(make_scene("falling-pile:n=9,e=0,response=impulses").field.contact.restitution, 0);
  expect_parts(refusal_of("falling-pile:response=impulses,k=3"), {"k belongs to contact with response = springs"});
  expect_parts(refusal_of("argon-droplet:temperature=-1"), {"temperature = '-1'", "at least 0"});
}

TEST(SceneKeys, SyntaxErrorsAreNamed) {
  expect_parts(refusal_of("plummer:n"), {"'n' is not key=value", "plummer:key=value,key=value"});
  expect_parts(refusal_of("plummer:=3"), {"'=3' is not key=value"});
  expect_parts(refusal_of("plummer:n=3,"), {"'' is not key=value"});
  expect_parts(refusal_of("plummer:n=3,,eps=1"), {"'' is not key=value"});
  expect_parts(refusal_of("plummer:n=3,n=4"), {"key n is given twice"});
  expect_parts(refusal_of("plummer:n=3:eps=1"), {"n = '3:eps=1'"});
  expect_parts(refusal_of("plummer: n=3"), {"' n'"});
  EXPECT_EQ(make_scene("plummer:").bodies.size(), 4096u);
}

TEST(Range, DescribesItself) {
  EXPECT_EQ(Range{}.text(), "a finite number");
  EXPECT_EQ((Range{0, 1, true, false}).text(), "at least 0 and less than 1");
  EXPECT_EQ(kPositive.text(), "more than 0");
  EXPECT_TRUE((Range{0, 1, true, false}).holds(0));
  EXPECT_FALSE((Range{0, 1, true, false}).holds(1));
  EXPECT_FALSE(Range{}.holds(INFINITY));
  EXPECT_FALSE(Range{}.holds(NAN));
}

// A text that is a scene or a file.

TEST(OpenScene, TakesAScene) { EXPECT_EQ(open_scene("plummer:n=7").bodies.size(), 7u); }

TEST(OpenScene, TakesAFileUnderGravity) {
  const std::string path = TRI_TEST_DATA "/solar_system.tab";
  const Scene s = open_scene(path);
  EXPECT_EQ(s.bodies.size(), 9u);
  EXPECT_EQ(s.name, path);
  EXPECT_EQ(s.field.pair, PairLaw::gravity);
  EXPECT_EQ(s.field.triple, TripleLaw::none);
  EXPECT_EQ(s.field.gravity.G, 1.0);
  EXPECT_EQ(s.field.gravity.softening, 0.0);
  EXPECT_EQ(s.dt, kFileSceneDt);
  EXPECT_EQ(s.integrator, Integrator::kdk);
  EXPECT_TRUE(same_bits(s.bodies, scene_from_file(path).bodies));
}

TEST(OpenScene, TheErrorForOtherTextIsOneLine) {
  EXPECT_EQ(message_of<ConfigError>([] { open_scene("plumer:n=3,eps=0.5"); }),
            "'plumer:n=3,eps=0.5' is neither a file nor a scene. Did you mean 'plummer'? See triangulum list scenes.");
  for (const char* path : {"stars.tab", "folder/stars", "./plummer", "no.such"}) {
    const auto message = message_of<FileError>([&] { open_scene(path); });
    EXPECT_EQ(message.rfind("there is no file '" + std::string(path) + "'.", 0), 0u) << message;
    EXPECT_LE(message.size(), 100u) << message;
  }
  EXPECT_EQ(message_of<FileError>([] { open_scene(TRI_TEST_DATA "/solar_sistem.tab"); }),
            "there is no file '" TRI_TEST_DATA "/solar_sistem.tab'. Did you mean '" TRI_TEST_DATA
            "/solar_system.tab'?");
}

TEST(OpenScene, AnUnknownFileTypeIsAFormatError) {
  const TempFolder folder;
  const auto message = message_of<FileError>([&] { open_scene(folder.file("a.fits", "1\n")); });
  expect_parts(message, {"no format is named .fits", ".tab, .csv, .npy, .hdf5"});
  expect_parts(message_of<FileError>([] { open_scene(TRI_TEST_DATA); }), {"is a folder"});
}

TEST(OpenScene, CountsMayHaveAnExponent) {
  EXPECT_EQ(open_scene("plummer:n=1e2").bodies.size(), 100u);
  expect_parts(message_of<ConfigError>([] { open_scene("plummer:n=1.5e0"); }), {"n = '1.5e0'"});
}

TEST(OpenScene, ErrorsOfSceneKeysPropagate) {
  expect_parts(message_of<ConfigError>([] { open_scene("plummer:n=x"); }), {"n = 'x'"});
}

}  // namespace
}  // namespace tri::test
