/// Snapshots: a restarted run equals the uninterrupted run bit for bit.

#include <unistd.h>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "sim/base/numbers.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/io/format.hpp"
#include "sim/simulation.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"
#include "tests/support/scene_support.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::test {
namespace {

class SnapshotFile : public InFolder {
 protected:
  std::string path_ = path("a.hdf5");
};

/// Laws that do and do not reuse accelerations in the next step.
std::vector<Scene> scenes() {
  std::vector<Scene> all{make_scene("plummer:n=150"), make_scene("argon-droplet:n=40"), make_scene("sphere-box:n=60"),
                         make_scene("sphere-box:n=60,c=5"), make_scene("sphere-box:n=60")};
  all[4].field.contact.impulse = true;
  all[0].field.field = {0.01, -0.02, 0.03};
  Scene mirrors = make_scene("plummer:n=50");
  mirrors.field.box = {{-1, -1, -1}, {1, 1, 1}, Boundary::reflecting};
  for (std::size_t i = 0; i < mirrors.bodies.size(); ++i) {
    for (auto* a : {&mirrors.bodies.x, &mirrors.bodies.y, &mirrors.bodies.z}) (*a)[i] = std::fmod((*a)[i], 1.0);
  }
  all.push_back(mirrors);
  Scene torus = make_scene("sphere-box:n=60");
  torus.field.box.boundary = Boundary::periodic;
  all.push_back(torus);
  for (const char* text : {"gas:n=60", "falling-pile:n=60", "falling-pile:n=60,response=impulses"}) {
    all.push_back(make_scene(text));
  }
  // Values that the text does not have, and that decimals do not end in.
  Scene typed = make_scene("argon-droplet:n=40,nu=0", {"4*eps*((s/r)^12 - (s/r)^6)\neps = 1; s = d/2\nd = 2",
                                                       "k*exp(-(a + b + c)/L); k = 0.01; L = 2"});
  typed.field.typed_pair.values[typed.field.typed_pair.law->find("eps")] = 1 / 3.0;
  all.push_back(typed);
  return all;
}

/// Configurations with reproducible sums: with fast sums on a GPU, atomics add pairs in any order, and ranks share them
/// by their speed.
std::vector<Scene> repeatable_scenes(const std::string& backend, Accumulate accumulate) {
  std::vector<Scene> all = scenes();
  if (backend != "cpu" && accumulate == Accumulate::fast) {
    std::erase_if(all, [](const Scene& scene) { return has_pair_sums(scene.field); });
  }
  return all;
}

// A box that the layout has no room for becomes one around the bodies: the power of two from 4 max |x| on.
TEST_F(SnapshotFile, TheBoxOfTheLayoutIsACubeFromZeroOrHoldsTheBodies) {
  const std::pair<Box, double> boxes[] = {{{{0, 0, 0}, {3, 3, 3}, Boundary::periodic}, 3},
                                          {{{0, 0, 0}, {3, 3, 3}, Boundary::reflecting}, 3},
                                          {{{0, 0, 0}, {3, 3, 3}, Boundary::open}, 4},
                                          {{{-3, -3, -3}, {3, 3, 3}, Boundary::periodic}, 4},
                                          {{{0, 0, 0}, {3, 3, 4}, Boundary::periodic}, 4}};
  for (const auto& [box, side] : boxes) {
    Snapshot s;
    s.scene = make_scene("sphere-box:n=3");
    s.scene.field.box = box;
    s.engine.precision = Precision::fp64;
    s.scene.bodies.y[1] = -0.75, s.scene.bodies.x[0] = s.scene.bodies.z[2] = 0.5;
    write_snapshot(path_, s);
    EXPECT_EQ(io::Hdf5Input(path_).numbers("/Header", "BoxSize"), std::vector<double>{side});
    EXPECT_EQ(read_snapshot(path_).scene.field.box.high, box.high) << "the run's own box is kept apart";
  }
}

/// The hash after 37 steps, in one run or in two, of which the second has only the file.
u64 whole(const Scene& scene, Backend& backend, const EngineConfig& config) {
  Simulation simulation(scene, backend, config);
  simulation.advance(37);
  return simulation.state_hash();
}

class Restart : public SnapshotFile,
                public testing::WithParamInterface<std::tuple<std::string, Integrator, Precision, Accumulate>> {
 protected:
  void SetUp() override { require_usable(availability_of(std::get<0>(GetParam()))); }
};

TEST_P(Restart, ContinuesBitForBit) {
  const auto [name, integrator, precision, accumulate] = GetParam();
  const auto backend = make_named(name);
  std::size_t number = 0;
  for (Scene scene : repeatable_scenes(name, accumulate)) {
    SCOPED_TRACE(number);
    scene.integrator = integrator;
    EngineConfig config;
    config.precision = precision, config.accumulate = accumulate, config.pair_map = TriangleMapId::fold;
    config.threads = name == "cuda" ? 0 : 2;
    if (scene.field.pair == PairLaw::contact && number % 2 == 1) config.broad_phase = BroadPhase::grid;
    u64 before = 0, middle = 0;
    {
      Simulation first(scene, *backend, config);
      first.advance(18);
      middle = first.state_hash();
      first.save(path_);
      first.advance(19);
      before = first.state_hash();  // writing does not change the state
    }
    Snapshot snapshot = read_snapshot(path_);
    const EngineConfig as_before = snapshot.engine;
    Simulation second(std::move(snapshot), *backend, as_before);
    EXPECT_EQ(second.step_count(), 18u);
    EXPECT_EQ(second.state_hash(), middle);
    second.diagnostics();  // as a restarted run computes a row
    second.advance(19);
    const u64 expected = whole(scene, *backend, config);
    EXPECT_EQ(hash_text(second.state_hash()), hash_text(expected));
    EXPECT_EQ(hash_text(before), hash_text(expected));
    EXPECT_NE(expected, middle);
    ++number;
  }
  EXPECT_GT(number, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Restart,
                         testing::Combine(testing::ValuesIn(backend_names()),
                                          testing::Values(Integrator::kdk, Integrator::symplectic_euler,
                                                          Integrator::yoshida4),
                                          testing::Values(Precision::fp32, Precision::fp64),
                                          testing::Values(Accumulate::fast, Accumulate::ordered)));

/// No parameter has its default.
Snapshot unusual() {
  Snapshot s;
  s.scene = make_scene("sphere-box:n=3,seed=9");
  s.scene.dt = 0.1, s.scene.integrator = Integrator::yoshida4, s.scene.seed = ~u64{0};
  s.scene.bodies.group = {7, 300, 65535};
  ForceField& f = s.scene.field;
  f.pair = PairLaw::contact, f.triple = TripleLaw::axilrod_teller;
  f.gravity = {-2.5, 0.125};
  f.lennard_jones = {0.3, 1.7, 4.5, true};
  f.contact = {123.5, 0.7, 0.3, true, 0.9};
  f.axilrod_teller.nu = -0.072;
  f.box = {{-1, -2, -3}, {4, 5, 0.1}, Boundary::periodic};
  f.field = {0.1, -0.2, 5e-324};
  s.engine = {Precision::fp64,
              Accumulate::ordered,
              Arithmetic::float32,
              Tolerance::automatic,
              PairSearch::all,
              TriangleMapId::circulant,
              TetraMapId::tetra_lut,
              48,
              6,
              BroadPhase::grid,
              3,
              12.5};
  s.step = 123456789012345;
  s.initial.values = {1.1, -2.2, 3.3, {4.4, 5.5, 6.6}, {7.7, 8.8, 9.9}, {-1, -2, -3}, 10.5, -11.5};
  s.scene.molecular = {119.8, 0.3405, 2.156};
  s.scene.view = {"glow", "group", "inferno"};
  s.run = {"sphere-box:n=3 \xC3\xA9", "cpu", u64{1} << 53, 77, 1234, 5.5e-7};
  return s;
}

TEST_F(SnapshotFile, KeepsWhatAutomaticStepsNeed) {
  Snapshot s = unusual();
  s.scene.eta = 0.0123, s.time = 6.5, s.next_step = 0.1 + 0.2, s.run.last_time = 77.7;
  s.scene.bodies.rest = {1e-17, -2e-17, 3e-17, 0, 5e-324, -1e-16, 7e-17, 8e-17, 9e-17};
  write_snapshot(path_, s);
  const Snapshot t = read_snapshot(path_);
  EXPECT_EQ(t.scene.eta, s.scene.eta);
  EXPECT_EQ(t.time, s.time);
  EXPECT_EQ(t.next_step, s.next_step);
  EXPECT_EQ(t.run.last_time, s.run.last_time);
  EXPECT_EQ(t.scene.bodies.rest, s.scene.bodies.rest);
  EXPECT_EQ(io::Hdf5Input(path_).integer("/Triangulum", "layout"), 3u);
  EXPECT_EQ(io::Hdf5Input(path_).numbers("/Header", "Time"), std::vector<double>{6.5});
  // Earlier versions read the file of a run with steps of one length.
  write_snapshot(path_, unusual());
  EXPECT_EQ(io::Hdf5Input(path_).integer("/Triangulum", "layout"), 2u);
}

TEST_F(SnapshotFile, KeepsTheArithmetic) {
  Snapshot s = unusual();
  s.engine.arithmetic = Arithmetic::tensor, s.engine.tolerance = Tolerance::close;
  for (const double eta : {0.0, 0.0123}) {
    s.scene.eta = eta, s.time = static_cast<double>(s.step) * s.scene.dt;
    write_snapshot(path_, s);
    EXPECT_EQ(io::Hdf5Input(path_).integer("/Triangulum", "layout"), 4u);
    const Snapshot t = read_snapshot(path_);
    EXPECT_EQ(t.engine, s.engine);
    EXPECT_EQ(t.scene.eta, eta);
    EXPECT_EQ(t.time, s.time);
  }
  // Files from before there was a choice go on as they were computed.
  write_snapshot(path_, unusual());
  EXPECT_EQ(read_snapshot(path_).engine.arithmetic, Arithmetic::float32);
}

TEST_F(SnapshotFile, KeepsEveryParameter) {
  const Snapshot s = unusual();
  write_snapshot(path_, s);
  const Snapshot t = read_snapshot(path_);
  EXPECT_TRUE(same_bits(t.scene.bodies, s.scene.bodies));
  EXPECT_EQ(t.scene.name, s.scene.name);
  EXPECT_EQ(t.scene.title, s.scene.title);
  EXPECT_EQ(t.scene.units, s.scene.units);
  EXPECT_EQ(t.scene.dt, s.scene.dt);
  EXPECT_EQ(t.scene.integrator, s.scene.integrator);
  EXPECT_EQ(t.scene.seed, s.scene.seed);
  const ForceField &f = t.scene.field, &g = s.scene.field;
  EXPECT_EQ(f.pair, g.pair);
  EXPECT_EQ(f.triple, g.triple);
  const auto numbers = [](const ForceField& p) {
    return std::vector<double>{p.gravity.G,
                               p.gravity.softening,
                               p.lennard_jones.epsilon,
                               p.lennard_jones.sigma,
                               p.lennard_jones.cutoff,
                               static_cast<double>(p.lennard_jones.shifted),
                               p.contact.stiffness,
                               p.contact.damping,
                               p.contact.shear,
                               static_cast<double>(p.contact.impulse),
                               p.contact.restitution,
                               p.axilrod_teller.nu};
  };
  EXPECT_EQ(numbers(f), numbers(g));
  EXPECT_EQ(f.box.low, g.box.low);
  EXPECT_EQ(f.box.high, g.box.high);
  EXPECT_EQ(f.box.boundary, g.box.boundary);
  EXPECT_EQ(f.field, g.field);
  EXPECT_EQ(t.engine, s.engine);
  EXPECT_EQ(t.step, s.step);
  const Diagnostics &d = t.initial.values, &e = s.initial.values;
  EXPECT_EQ((std::vector<double>{d.kinetic, d.potential, d.virial, d.mass, d.triple_potential}),
            (std::vector<double>{e.kinetic, e.potential, e.virial, e.mass, e.triple_potential}));
  EXPECT_EQ(d.momentum, e.momentum);
  EXPECT_EQ(d.angular_momentum, e.angular_momentum);
  EXPECT_EQ(d.centre, e.centre);
  EXPECT_EQ((std::vector<double>{t.scene.molecular.kelvin, t.scene.molecular.nanometre, t.scene.molecular.picosecond}),
            (std::vector<double>{119.8, 0.3405, 2.156}));
  EXPECT_EQ((std::vector<std::string>{t.scene.view.shape, t.scene.view.colour, t.scene.view.colours}),
            (std::vector<std::string>{"glow", "group", "inferno"}));
  EXPECT_EQ(t.run.scene, s.run.scene);
  EXPECT_EQ(t.run.backend, s.run.backend);
  EXPECT_EQ(t.run.last_step, s.run.last_step);
  EXPECT_EQ(t.run.diag_every, s.run.diag_every);
  EXPECT_EQ(t.run.rows, s.run.rows);
  EXPECT_EQ(t.run.energy_error_max, s.run.energy_error_max);
}

TEST(Snapshot, ReadsTheFirstLayout) {
  const std::string path = TRI_TEST_DATA "/run_layout_1.hdf5";
  const Snapshot s = read_snapshot(path);
  EXPECT_EQ(s.step, 100u);
  EXPECT_EQ(s.scene.name, "figure-8");
  const auto backend = make_backend("cpu");
  EXPECT_EQ(hash_text(Simulation(read_snapshot(path), *backend, s.engine).state_hash()), "b0b2243666ef0891");
  EXPECT_EQ(s.scene.molecular.kelvin, 0);
  EXPECT_EQ(s.scene.view.shape + s.scene.view.colour + s.scene.view.colours, "");
  EXPECT_NEAR(s.initial.values.energy(), -1.28714199, 1e-8);
}

// What other programs read from a snapshot besides the bodies.
TEST_F(SnapshotFile, HeaderHasTimeAndBoxSide) {
  Snapshot s;
  s.scene = make_scene("gas:n=5");
  s.scene.dt = 0.125, s.step = 20;
  s.scene.field.box = {{0, 0, 0}, {2.5, 2.5, 2.5}, Boundary::periodic};
  write_snapshot(path_, s);
  EXPECT_EQ(io::Hdf5Input(path_).numbers("/Header", "Time"), std::vector<double>{2.5});
  EXPECT_EQ(io::Hdf5Input(path_).numbers("/Header", "BoxSize"), std::vector<double>{2.5});
  s.scene.field.box.boundary = Boundary::open;
  s.scene.bodies.z[3] = -100;
  write_snapshot(path_, s);
  EXPECT_EQ(io::Hdf5Input(path_).numbers("/Header", "BoxSize"), std::vector<double>{512});
  EXPECT_FALSE(io::Hdf5Input(path_).has_attribute("/Header", "UnitLength_in_cm"));
  s.scene.units = "kpc-kms-msun";
  write_snapshot(path_, s);
  const io::Hdf5Input in(path_);
  EXPECT_EQ(in.text("/Header", "UnitSystem"), "kpc-kms-msun");
  EXPECT_NEAR(in.numbers("/Header", "UnitLength_in_cm")[0], 3.0856775814913673e21, 1e8);
  EXPECT_NEAR(in.numbers("/Header", "UnitMass_in_g")[0], 1.98841e33, 1e28);
  EXPECT_NEAR(in.numbers("/Header", "UnitVelocity_in_cm_per_s")[0], 1e5, 1e-6);
}

TEST_F(SnapshotFile, EnergyStaysRelativeToStepZero) {
  OracleBackend backend;
  EngineConfig fp64;
  fp64.precision = Precision::fp64;
  Simulation first(make_scene("plummer:n=20,eps=0,dt=0.00390625"), backend, fp64);
  first.advance(30);
  first.save(path_);
  const DiagnosticsRow row = first.diagnostics();
  Simulation second(read_snapshot(path_), backend, fp64);
  EXPECT_EQ(second.diagnostics().energy_error, row.energy_error);
  EXPECT_NE(row.energy_error, 0.0);
  EXPECT_EQ(second.initial().values.energy(), first.initial().values.energy());
  EXPECT_EQ(second.time(), first.time());
  EngineConfig fp32;
  EXPECT_THROW(Simulation(read_snapshot(path_), backend, fp32), ConfigError);
}

TEST_F(SnapshotFile, OtherFormatsHoldBodiesOnly) {
  OracleBackend backend;
  Simulation simulation(make_scene("kepler"), backend, {});
  path_ += ".csv";
  simulation.save(path_);
  EXPECT_TRUE(same_bits(read_bodies(path_), simulation.bodies()));
  EXPECT_FALSE(is_snapshot_name(path_));
  EXPECT_TRUE(is_snapshot_name("a.H5"));
}

std::string refusal(const std::string& path) {
  return message_of<FileError>([&] { read_snapshot(path); });
}

TEST_F(SnapshotFile, AFileOfBodiesIsNoSnapshot) {
  write_bodies(path_, make_scene("kepler").bodies);
  expect_parts(refusal(path_), {path_, "no run to go on with"});
}

// Flips one bit of any number of the state or the parameters.
TEST_F(SnapshotFile, DamageIsDetected) {
  const Snapshot s = unusual();
  write_snapshot(path_, s);
  std::string bytes = content_of(path_);
  const Bodies& b = s.scene.bodies;
  const ForceField& f = s.scene.field;
  for (const double value : {b.x[0], b.y[1], b.z[2], b.vx[2], b.vz[0], b.m[1], b.r[2], s.scene.dt, f.gravity.G,
                             f.lennard_jones.cutoff, f.contact.stiffness, f.axilrod_teller.nu, f.box.high[2],
                             s.initial.values.kinetic, s.initial.values.centre[1], s.run.energy_error_max}) {
    const std::size_t header = bytes.find("Flag_Feedback");  // the attributes before it hold no state
    const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof value), header);
    ASSERT_NE(at, std::string::npos) << value;
    for (const std::size_t byte : {at, at + 6}) {
      bytes[byte] ^= 0x10;
      folder_.file("a.hdf5", bytes);
      bytes[byte] ^= 0x10;
      EXPECT_NE(refusal(path_).find(path_), std::string::npos) << value;
    }
  }
}

TEST_F(SnapshotFile, GroupsAreKeptAndTheirDamageIsDetected) {
  const Snapshot s = unusual();
  write_snapshot(path_, s);
  EXPECT_EQ(read_snapshot(path_).scene.bodies.group, s.scene.bodies.group);
  std::string bytes = content_of(path_);
  const std::array<std::uint32_t, 3> stored{7, 300, 65535};
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(stored.data()), sizeof stored));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 8;
  folder_.file("a.hdf5", bytes);
  EXPECT_NE(refusal(path_).find("not as it was written"), std::string::npos);
}

// The CSV file of a run: its columns, every digit, on disk after every row.

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) numbers.push_back(std::stod(field));
  return numbers;
}

class LogFile : public InFolder {
 protected:
  const std::string path_ = path("a.csv");
};

TEST_F(LogFile, HasEveryColumnToTheLastBit) {
  OracleBackend backend;
  Simulation sim(make_scene("plummer:n=50"), backend, {});
  DiagnosticsLog log(path_);
  std::vector<DiagnosticsRow> rows;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(sim.diagnostics());
    log.write(rows.back());
    const auto lines = lines_of(path_);  // the log is still open: rows are written immediately
    ASSERT_EQ(lines.size(), rows.size() + 1);
    const DiagnosticsRow& row = rows.back();
    const Diagnostics& d = row.values;
    const std::vector<double> expected{static_cast<double>(row.step),
                                       row.time,
                                       d.kinetic,
                                       d.potential,
                                       d.kinetic + d.potential,
                                       d.momentum[0],
                                       d.momentum[1],
                                       d.momentum[2],
                                       d.angular_momentum[0],
                                       d.angular_momentum[1],
                                       d.angular_momentum[2],
                                       2 * d.kinetic / std::abs(d.virial),
                                       d.centre[0],
                                       d.centre[1],
                                       d.centre[2]};
    EXPECT_EQ(numbers_of(lines.back()), expected);
    sim.advance(7);
  }
  EXPECT_EQ(lines_of(path_)[0], "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial_ratio,cx,cy,cz");
  EXPECT_EQ(rows[2].step, 14u);
  EXPECT_EQ(numbers_of(lines_of(path_)[3])[0], 14.0);
}

TEST_F(LogFile, HasTheLengthsOfAutomaticSteps) {
  DiagnosticsRow row;
  row.step = 3, row.dt = 0.0625;
  DiagnosticsLog(path_, StepKind::automatic).write(row);
  EXPECT_TRUE(lines_of(path_)[0].ends_with(",cz,dt"));
  EXPECT_TRUE(lines_of(path_)[1].ends_with(",0.0625"));
  EXPECT_THROW(DiagnosticsLog(path_, 3), FileError) << "the log of another kind of run";
  const DiagnosticsLog again(path_, 3, StepKind::automatic);
  EXPECT_FALSE(again.is_new());
}

TEST_F(LogFile, ReplacesAnEarlierFileOnceTheRunTakesSteps) {
  std::ofstream(path_) << "old\n";
  std::filesystem::create_hard_link(path_, path("other.csv"));
  DiagnosticsRow row;
  row.values.potential = NAN;
  DiagnosticsLog log(path_);
  log.write(row);
  EXPECT_EQ(content_of(path_), "old\n") << "a step may not be possible";
  row.step = 1, log.write(row);
  EXPECT_EQ(lines_of(path_).size(), 3u) << "one was";
  EXPECT_EQ(content_of(path("other.csv")), "old\n");
}

TEST_F(LogFile, HasOneWriterAtATime) {
  {
    DiagnosticsLog log(path_), late(path_);
    log.write({});
    EXPECT_THROW(late.write({}), FileError) << "whose first row comes second";
    const auto lines = lines_of(path_);
    const std::vector<std::string> says{path_, "another run", "name another file"};
    expect_parts(message_of<FileError>([&] { DiagnosticsLog other(path_); }), says);
    expect_parts(message_of<FileError>([&] { DiagnosticsLog other(path_, 0); }), says);
    EXPECT_EQ(lines_of(path_), lines);
  }
  EXPECT_NO_THROW(DiagnosticsLog(path_, 0));
  EXPECT_EQ(lines_of(path_).size(), 2u);
}

TEST_F(LogFile, ReportsAnUnwritableFile) {
  expect_parts(message_of<FileError>([] { DiagnosticsLog("/no-such-folder/e.csv"); }),
               {"/no-such-folder/e.csv", "No such file or directory", "create the folder"});
  expect_parts(message_of<FileError>([] { DiagnosticsLog("/dev/full"); }),
               {"/dev/full", "No space left on device", "free some space"});
}

/// A row of this step behind which nothing is checked.
std::string row_of(int step) { return fmt::format("{},1,2,3{}", step, ",0,0,0,0,0,0,0,0,0,0,0"); }

/// A log with rows for these steps, followed by `more`.
void write_log(const std::string& path, const std::vector<int>& steps, const std::string& more = "") {
  std::ofstream out(path);
  out << kDiagnosticsColumns << '\n';
  for (const int step : steps) out << row_of(step) << '\n';
  out << more;
}

TEST_F(LogFile, ContinuesWithoutDuplicateRows) {
  write_log(path_, {0, 10, 20, 30, 35}, "40,1,2");  // the last row is incomplete after a kill
  {
    DiagnosticsLog log(path_, 20);
    EXPECT_FALSE(log.is_new());
    EXPECT_EQ(log.rows_removed(), 2u);
    DiagnosticsRow row;
    row.step = 30;
    log.write(row);
  }
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], kDiagnosticsColumns);
  EXPECT_EQ(lines[3], row_of(20));
  EXPECT_EQ(numbers_of(lines[4])[0], 30);
  EXPECT_EQ(numbers_of(lines[4]).size(), 15u);
}

TEST_F(LogFile, ContinuesWithANewFile) {
  const DiagnosticsLog log(path_, 20);
  EXPECT_TRUE(log.is_new());
  EXPECT_EQ(lines_of(path_), (std::vector<std::string>{kDiagnosticsColumns}));
}

TEST_F(LogFile, AnIncompleteHeaderIsRejected) {
  std::ofstream(path_) << "step,ti";
  EXPECT_THROW(DiagnosticsLog(path_, 20), FileError);
}

TEST_F(LogFile, AnotherFileIsKept) {
  const std::string others[] = {"x,y,z\n1,2,3\n",
                                std::string(kDiagnosticsColumns) + "\n" + row_of(10) + "\nzebra,1\n",
                                std::string(kDiagnosticsColumns) + "\n" + row_of(10) + "\n" + row_of(5) + "\n",
                                std::string(kDiagnosticsColumns) + "\n3,hello,4\n",
                                std::string(kDiagnosticsColumns) + "\n3,1,2\n",
                                std::string(kDiagnosticsColumns) + "\n" + row_of(3) + ",x\n"};
  for (const std::string& other : others) {
    std::ofstream(path_) << other;
    expect_parts(message_of<FileError>([&] { DiagnosticsLog log(path_, 7); }), {"name another file"});
    EXPECT_EQ(content_of(path_), other);
  }
}

TEST_F(LogFile, GoesOnWithItsOwnRunOnly) {
  OracleBackend backend;
  Simulation one(make_scene("plummer:n=20"), backend, {}), other(make_scene("plummer:n=21"), backend, {});
  const std::string names = std::string(kDiagnosticsColumns) + '\n', own = names + diagnostics_csv(one.initial());
  DiagnosticsRow row;
  row.step = 5, row.time = 5 * one.scene().dt, row.values.kinetic = 0.25, row.values.potential = -0.5;
  const std::string later = diagnostics_csv(row);
  const auto open = [&](const Simulation& run, double kinetic = 0.25, double dt = 1) {
    const double step = run.scene().dt * dt;
    const LoggedRun logged{run.initial(), step, 5 * step, kinetic};
    DiagnosticsLog(path_, 5, StepKind::fixed, &logged);
  };
  const auto refuses = [&](const char* line, const auto& opened) {
    const std::string before = content_of(path_);
    expect_parts(message_of<FileError>(opened), {line, "another time or energy", "name another file"});
    EXPECT_EQ(content_of(path_), before);
  };
  std::ofstream(path_) << own + later;
  open(one);
  EXPECT_EQ(content_of(path_), own + later);
  refuses("line 2", [&] { open(other); });
  // Begun later than the run: its times are those of the steps, and a row of this state has its kinetic energy.
  std::ofstream(path_) << names + later;
  open(other), open(other, 0.25 * (1 + 1e-6));
  refuses("line 2", [&] { open(other, 0.26); });
  refuses("line 2", [&] { open(other, 0.25, 1.01); });
}

}  // namespace
}  // namespace tri::test
