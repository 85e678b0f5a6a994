/// Options of every command: what they accept, and what they refuse with which message.
///
/// Command lines as text, for tests of options.

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/options/options.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "tests/support/expect.hpp"

namespace tri::app {

/// What `triangulum LINE` is parsed into; words are separated by blanks. Throws ConfigError.
inline RunConfig parsed(const std::string& line) {
  std::vector<std::string> argv{"triangulum"};
  std::istringstream words(line);
  for (std::string word; words >> word;) argv.push_back(word);
  return parse_options(argv);
}

// argv -> RunConfig: what is accepted, and a useful error message for everything else.

namespace {

/// The error message, or "" if the command line is accepted.
std::string error_of(const std::string& line) {
  return test::message_of<ConfigError>([&] { parsed(line); });
}

TEST(Options, NoArgumentsShowShortHelp) { EXPECT_EQ(parsed("").command, Command::short_help); }

TEST(Options, HelpAndVersion) {
  EXPECT_EQ(parsed("--version").command, Command::version);
  EXPECT_EQ(parsed("--help").command, Command::help);
  EXPECT_EQ(parsed("--help").topic, "");
  EXPECT_EQ(parsed("--help bench").topic, "bench");
  EXPECT_EQ(parsed("help all").topic, "all");
  EXPECT_EQ(parsed("run --help").topic, "run");
  EXPECT_EQ(parsed("run plummer --nonsense -h").command, Command::help);  // help takes precedence over errors
  EXPECT_EQ(parsed("version").command, Command::version);
  EXPECT_EQ(parsed("-V").command, Command::version);
  EXPECT_EQ(parsed("help").topic, "");
  EXPECT_EQ(parsed("help bench").command, Command::help);
  EXPECT_EQ(parsed("help bench").topic, "bench");
}

TEST(Options, WordsOfOtherProgramsAreNamesOfOurs) {
  EXPECT_EQ(parsed("run plummer --steps 1 --backend gpu").common.backend, "cuda");
  EXPECT_EQ(parsed("run plummer --steps 1 --precision double").common.precision, Precision::fp64);
  EXPECT_EQ(parsed("run plummer --steps 1 --precision float").common.precision, Precision::fp32);
  EXPECT_EQ(parsed("run plummer --steps 1 --integrator leapfrog").run.integrator, Integrator::kdk);
  EXPECT_EQ(parsed("render kepler -o p.png --integrator leapfrog").run.integrator, Integrator::kdk);
  const RunConfig f = parsed("compute forces a.csv -o b.npy --law lj --sigma 2");
  EXPECT_EQ(f.compute.law, "lennard-jones");
  EXPECT_EQ(f.compute.field.pair, PairLaw::lennard_jones);
}

TEST(Options, CountsMayHaveAnExponent) {
  EXPECT_EQ(parsed("run plummer --steps 1e3").run.steps, 1000u);
  EXPECT_EQ(parsed("run plummer --steps 2.5e6").run.steps, 2500000u);
  EXPECT_EQ(parsed("bench --kernel gravity --n 1e3,2E3").bench.sizes, (std::vector<u64>{1000, 2000}));
  for (const char* text : {"1e-3", "1.5e0", "-1e3", "1e", "1e300", "e3"}) {
    EXPECT_NE(error_of(std::string("run plummer --steps ") + text), "") << text;
  }
}

TEST(Options, DashIsAStream) {
  EXPECT_EQ(parsed("run - --steps 1 -o -").run.scene, "-");
  EXPECT_EQ(parsed("run - --steps 1 -o -").run.output, "-");
  EXPECT_EQ(parsed("compute collisions - -o -").compute.input, "-");
  EXPECT_EQ(parsed("convert - -").convert.output, "-");
}

TEST(Options, Run) {
  const RunConfig c = parsed(
      "run plummer:n=100 --steps 12 --dt 0.5 --integrator yoshida4 --eps 0.25 --G 2 --energy-limit 1e-6 --diag d.csv "
      "--diag-every 3 "
      "--save-every 4 --snapshot s_{step}.npy -o end.csv --orbits --backend cpu --map lambda,tetra --block 32,8 "
      "--precision fp64 --accumulate ordered --seed 7 --threads 2 --json -v");
  EXPECT_EQ(c.command, Command::run);
  EXPECT_EQ(c.run.scene, "plummer:n=100");
  EXPECT_EQ(c.run.steps, 12u);
  EXPECT_FALSE(c.run.until.has_value());
  EXPECT_EQ(c.run.dt, 0.5);
  EXPECT_EQ(c.run.integrator, Integrator::yoshida4);
  ASSERT_EQ(c.run.parameters.size(), 2u);  // in the order of the table
  EXPECT_TRUE(c.run.parameters[0].option == "--G" && c.run.parameters[0].value == 2.0);
  EXPECT_TRUE(c.run.parameters[1].option == "--eps" && c.run.parameters[1].value == 0.25);
  EXPECT_EQ(c.run.energy_limit, 1e-6);
  EXPECT_EQ(c.run.diag, "d.csv");
  EXPECT_EQ(c.run.diag_every, 3u);
  EXPECT_EQ(c.run.save_every.steps, 4u);
  EXPECT_EQ(c.run.snapshot, "s_{step}.npy");
  EXPECT_EQ(c.run.output, "end.csv");
  EXPECT_TRUE(c.run.orbits);
  EXPECT_EQ(c.common.maps, (std::vector<std::string>{"lambda", "tetra"}));
  EXPECT_EQ(c.common.blocks, (std::vector<u32>{32, 8}));
  EXPECT_EQ(c.common.precision, Precision::fp64);
  EXPECT_EQ(c.common.accumulate, Accumulate::ordered);
  EXPECT_EQ(c.common.seed, 7u);
  EXPECT_EQ(c.common.threads, 2u);
  EXPECT_TRUE(c.common.json && c.common.verbose && !c.common.quiet);
}

TEST(Options, RunWithTimes) {
  using By = SaveEvery::By;
  const auto every = [](const std::string& text) {
    return parsed("run plummer --steps 1 --snapshot s_{step}.h5 --save-every " + text).run.save_every;
  };
  EXPECT_EQ(every("dt=0.25").by, By::time);
  EXPECT_EQ(every("dt=0.25").amount, 0.25);
  EXPECT_EQ(every("wall=90").by, By::wall);
  EXPECT_EQ(every("wall=90").amount, 90.0);
  EXPECT_EQ(every("wall=1.5m").amount, 90.0);
  EXPECT_EQ(every("wall=2h").amount, 7200.0);
  EXPECT_EQ(parsed("run plummer --steps 1").run.save_every.by, By::never);
  const RunConfig c = parsed("run --restart s_7.h5 --walltime 2d -o end.h5");
  EXPECT_EQ(c.run.restart, "s_7.h5");
  EXPECT_EQ(c.run.scene, "");
  EXPECT_EQ(c.run.walltime, 172800.0);
}

TEST(Options, SliceIsMillisecondsOrAName) {
  EXPECT_FALSE(parsed("run plummer --steps 1").common.slice_ms.has_value());
  EXPECT_EQ(parsed("run plummer --steps 1 --slice-ms 12.5").common.slice_ms, 12.5);
  EXPECT_EQ(parsed("run plummer --steps 1 --slice-ms auto").common.slice_ms, 0.0);
  EXPECT_EQ(parsed("compute triplets a.csv -o b.csv --bins 0,1 --slice-ms 20").common.slice_ms, 20.0);
  EXPECT_TRUE(std::isinf(parsed("compute forces a.csv -o b.npy --law gravity --slice-ms off").common.slice_ms.value()));
}

TEST(Options, BroadPhaseIsTheBackendsChoiceUnlessGiven) {
  EXPECT_FALSE(parsed("run sphere-box --steps 1").common.broad_phase.has_value());
  EXPECT_EQ(parsed("run sphere-box --steps 1 --broad-phase all-pairs").common.broad_phase, BroadPhase::all_pairs);
  EXPECT_EQ(parsed("compute collisions a.csv -o b.csv --broad-phase grid").common.broad_phase, BroadPhase::grid);
  EXPECT_EQ(parsed("compute forces a.csv -o b.csv --law contact --broad-phase auto").common.broad_phase,
            BroadPhase::automatic);
}

TEST(Options, FormsOfAnOption) {
  EXPECT_EQ(parsed("run plummer --steps=5").run.steps, 5u);
  EXPECT_EQ(parsed("run --steps 5 plummer").run.scene, "plummer");
  EXPECT_EQ(parsed("run plummer --until 1e2").run.until, 100.0);
  EXPECT_EQ(parsed("run plummer --steps 1 --nu -2.5").run.parameters.at(0).value, -2.5);
  EXPECT_EQ(parsed("run plummer --steps 1 --output a.csv").run.output, "a.csv");
  EXPECT_EQ(parsed("run --steps 1 -- -odd-name.csv").run.scene, "-odd-name.csv");
}

TEST(Options, Compute) {
  const RunConfig d = parsed("compute distances in.csv -o out.npy --layout lower --precision fp32");
  EXPECT_EQ(d.compute.job, ComputeJob::distances);
  EXPECT_EQ(d.compute.input, "in.csv");
  EXPECT_EQ(d.compute.layout, DistanceLayout::lower);
  EXPECT_EQ(parsed("compute distances a.csv -o b.npy --columns x,mass").compute.columns.back(), "mass");
  const RunConfig f =
      parsed("compute forces in.csv -o out.npy --law lennard-jones --sigma 2 --epsilon 3 --cutoff 5 --shifted");
  EXPECT_EQ(f.compute.field.pair, PairLaw::lennard_jones);
  EXPECT_EQ(f.compute.field.lennard_jones.sigma, 2.0);
  EXPECT_EQ(f.compute.field.lennard_jones.epsilon, 3.0);
  EXPECT_EQ(f.compute.field.lennard_jones.cutoff, 5.0);
  EXPECT_TRUE(f.compute.field.lennard_jones.shifted);
  const RunConfig t = parsed("compute triplets in.csv -o out.npy --bins 0:2:0.5 --map tetra-lut");
  EXPECT_EQ(t.compute.job, ComputeJob::triplets);
  EXPECT_EQ(t.compute.bins, (std::vector<double>{0, 0.5, 1, 1.5, 2}));
  EXPECT_EQ(parsed("compute triplets in.csv -o o.csv --bins 0,1,5").compute.bins, (std::vector<double>{0, 1, 5}));
  EXPECT_EQ(parsed("compute triplets in.csv -o o.csv --bins 0.1:0.7:0.1").compute.bins.size(), 7u);
  const RunConfig a = parsed("compute forces in.csv -o out.npy --law axilrod-teller --nu -1");
  EXPECT_EQ(a.compute.field.pair, PairLaw::none);
  EXPECT_EQ(a.compute.field.triple, TripleLaw::axilrod_teller);
  EXPECT_EQ(a.compute.field.axilrod_teller.nu, -1.0);
}

TEST(Options, Render) {
  const RunConfig c = parsed(
      "render plummer:n=9 -o out/film.mp4 --frames 12 --steps-per-frame 3 --skip 5 --size 640x480 --fps 24 "
      "--shape spheres --colour mass --colours cividis --logarithm --body-size 2 --light 0.5 --axes --grid --trails on "
      "--camera -30,20.5,2 --turn -1.5 --follow 4 --present copy --shader-dir s --map fold -v");
  const RenderOptions& r = c.render;
  EXPECT_EQ(c.command, Command::render);
  EXPECT_EQ(c.run.scene, "plummer:n=9");
  EXPECT_EQ(r.output, "out/film.mp4");
  EXPECT_EQ(r.target, FrameTarget::video);
  EXPECT_EQ(r.frames, 12u);
  EXPECT_EQ(r.steps_per_frame, 3u);
  EXPECT_EQ(r.skip, 5u);
  EXPECT_EQ(r.width, 640u);
  EXPECT_EQ(r.height, 480u);
  EXPECT_EQ(r.fps, 24u);
  EXPECT_EQ(r.shape + r.colour + r.colours + r.trails, "spheresmasscividison");
  EXPECT_TRUE(r.logarithm && r.axes && r.grid && !r.orbit);
  EXPECT_EQ(r.body_size, 2.0);
  EXPECT_EQ(r.light, 0.5);
  EXPECT_EQ(r.yaw, -30.0);
  EXPECT_EQ(r.pitch, 20.5);
  EXPECT_EQ(r.zoom, 2.0);
  EXPECT_EQ(r.turn, -1.5);
  EXPECT_EQ(r.follow, 4u);
  EXPECT_EQ(r.present, Present::copy);
  EXPECT_EQ(r.shader_dir, "s");
  EXPECT_EQ(c.common.maps, std::vector<std::string>{"fold"});
  EXPECT_EQ(parsed("view kepler --G 2 --eps 0.5").run.parameters.at(1).value, 0.5);
  EXPECT_EQ(parsed("render kepler -o p.png --G 2 --eps 0.5").run.parameters.at(0).value, 2.0);
}

TEST(Options, RenderOutputFollowsItsFileName) {
  const auto target = [](const std::string& rest) { return parsed("render kepler -o " + rest).render.target; };
  EXPECT_EQ(target("p.png"), FrameTarget::picture);
  EXPECT_EQ(parsed("render kepler -o p.png").render.frames, 1u);
  EXPECT_EQ(target("p.png --frames 1 --size 17x16"), FrameTarget::picture);
  for (const char* folder : {"d", "d/", "a.b/", "a.mp4/", ".", "..", "x/.hidden"}) {
    EXPECT_EQ(target(std::string(folder) + " --frames 2 --turn orbit"), FrameTarget::folder) << folder;
  }
  EXPECT_TRUE(parsed("render kepler -o d --frames 2 --turn orbit").render.orbit);
  EXPECT_EQ(parsed("view --record f.mp4").view.record, "f.mp4");
  EXPECT_EQ(parsed("view").view.pace, Pace::automatic);
  EXPECT_EQ(parsed("view --pace display").view.pace, Pace::display);
  EXPECT_EQ(parsed("demo maps --pace free").view.pace, Pace::free);
  EXPECT_FALSE(parsed("view").view.language);
  EXPECT_EQ(parsed("view --language de").view.language, Language::german);
  EXPECT_EQ(parsed("demo maps --language zh").view.language, Language::chinese);
}

struct Rejected {
  const char* line;
  const char* message;  ///< part of it
};

class RejectedLines : public ::testing::TestWithParam<Rejected> {};

TEST_P(RejectedLines, HaveAMessage) {
  const std::string message = error_of(GetParam().line);
  EXPECT_NE(message, "") << GetParam().line << " was accepted";
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << GetParam().line << ": " << message;
}

const Rejected kUnknown[] = {
    {"rnu plummer", "Did you mean 'run'?"},
    {"--json info", "--json stands before the command"},
    {"--help rnu", "Did you mean 'run'?"},
    {"run plummer --step 3", "Did you mean '--steps'?"},
    {"run plummer --steps 3 --layout square", "it belongs to bench, compute"},
    {"info --map bb", "it belongs to run, bench, compute"},
    {"run plummer --steps 3 more", "one argument too many: 'more'"},
    {"view scene --steps 3", "--steps is not an option of view"},
    {"list mapps", "Did you mean 'maps'?"},
    {"list", "needs maps|laws|scenes"},
    {"bench --kernel gravty", "Did you mean 'gravity'?"},
    {"bench --preset smok", "Did you mean 'smoke'?"},
    {"bench --kernel gravity --map lamda", "Did you mean 'lambda'?"},
    {"bench --kernel dummy --form stor", "Did you mean 'store'?"},
    {"bench --kernel edm --layout triangle", "--layout takes condensed, square, lower, blocks"},
    {"bench --kernel collision --dimensions 2", "--dimensions takes 1, 3"},
    {"bench --kernel dummy --rec dynamic", "--rec takes launches, graph, device"},
    {"bench --kernel dummy --timing wall", "--timing takes work, synchronised"},
    {"run plummer --steps 3 --precision fp16", "--precision takes fp32, fp64"},
    {"run plummer --steps 3 --backend opencl", "--backend takes auto, cpu, cuda"},
    {"run plummer --steps 3 --integrator rk4", "kdk"},
    {"run plummer --n 1000 --steps 3",
     "run has no option --n; it is a parameter of the scene: triangulum run plummer:n=1000."},
    {"run --steps 3 kepler:ratio=2 --e=0.9", "triangulum run kepler:ratio=2,e=0.9."},
    {"convert plummer p.csv --n", "triangulum convert plummer:n=...."},
    {"help rnu", "Did you mean 'run'?"},
    {"compute distance a.csv -o b.npy", "Did you mean 'distances'?"},
    {"compute forces a.csv -o b.npy --law gravty", "Did you mean 'gravity'?"},
};
INSTANTIATE_TEST_SUITE_P(Unknown, RejectedLines, ::testing::ValuesIn(kUnknown));

const Rejected kFilms[] = {
    {"render", "needs SCENE|FILE"},
    {"render kepler", "render needs -o"},
    {"render kepler -o d", "render needs --frames N"},
    {"render kepler -o f.mp4", "render needs --frames N"},
    {"render kepler -o p.png --dt 0.1 --eta 0.1", "--eta is the accuracy of automatic steps"},
    {"render kepler -o f.avi --frames 2", "'.avi' is not a recording format"},
    {"render kepler -o p.png --frames 2", "one PNG file holds one frame"},
    {"render kepler -o p.png --turn 2", "--turn has no meaning for one picture"},
    {"render kepler -o p.png --steps-per-frame 2", "--steps-per-frame has no meaning"},
    {"render kepler -o p.png --fps 2", "--fps has no meaning"},
    {"render kepler -o d --frames 2 --fps 2", "--fps is the speed of a video"},
    {"render kepler -o d --frames 0", "--frames takes a whole number"},
    {"render kepler -o d --frames 1000000", "--frames takes a whole number"},
    {"render kepler -o f.mp4 --frames 2 --size 641x480", "even numbers"},
    {"render kepler -o f.mp4 --frames 2 --size 640x481", "even numbers"},
    {"render kepler -o d --frames 2 --size 15x100", "--size takes a whole number"},
    {"render kepler -o d --frames 2 --size 100", "WIDTHxHEIGHT"},
    {"render kepler -o d --frames 2 --camera 10", "YAW,PITCH"},
    {"render kepler -o d --frames 2 --camera 10,20,1,2", "YAW,PITCH"},
    {"render kepler -o d --frames 2 --camera 10,", "--camera takes a finite number"},
    {"render kepler -o d --frames 2 --camera 10,90", "[-89, 89]"},
    {"render kepler -o d --frames 2 --camera 10,9,0", "ZOOM"},
    {"render kepler -o d --frames 2 --turn round", "--turn takes a finite number"},
    {"render kepler -o d --frames 2 --light 0", "--light takes a number greater than 0"},
    {"render kepler -o d --frames 2 --follow -1", "--follow takes a whole number"},
    {"render kepler -o d --frames 2 --map bb,fold,h", "--map takes one name"},
    {"render kepler -o d --frames 2 --json", "--json is not an option of render"},
    {"render kepler -o d --frames 1 --turn 2", "--turn goes from frame to frame"},
    {"render kepler -o d --frames 1 --steps-per-frame 2", "--steps-per-frame goes from frame to frame"},
    {"render kepler -o f.jpg --frames 2", "Use FILE.mp4, FILE.webp, FILE.png, FILE.html, or a folder"},
    {"view --record p.png", "FILE.mp4, FILE.webp or a folder"},
    {"view --record p.gif", "'.gif' is not a recording format. Use FILE.mp4, FILE.webp, or a folder"},
};
INSTANTIATE_TEST_SUITE_P(Films, RejectedLines, ::testing::ValuesIn(kFilms));

const Rejected kValues[] = {
    {"run plummer --steps", "--steps needs a value"},
    {"run plummer --steps 3 --steps 4", "--steps is given more than once"},
    {"run plummer --steps -3", "--steps takes a whole number"},
    {"run plummer --steps 3.5", "--steps takes a whole number"},
    {"run plummer --steps 99999999999999999999", "--steps takes a whole number"},
    {"run plummer --steps 3x", "got '3x'"},
    {"run plummer --until nan", "--until takes a finite number"},
    {"run plummer --until -1", "--until takes a number of at least 0"},
    {"run plummer --steps 3 --dt 0", "--dt takes a number greater than 0"},
    {"run plummer --steps 3 --json=yes", "--json takes no value"},
    {"run plummer --steps 3 --threads 0", "--threads takes a whole number from 1"},
    {"run plummer --steps 3 --block 0", "--block takes"},
    {"run plummer --steps 3 --map bb,,tetra", "names parted by commas"},
    {"run plummer --steps 3 --map bb,bb", "twice"},
    {"run plummer --steps 3 --walltime 0", "--walltime takes a time greater than 0, as 90s"},
    {"run plummer --steps 3 --walltime 3w", "got '3w'"},
    {"run plummer --steps 3 --walltime m", "got 'm'"},
    {"run plummer --steps 3 --save-every 0", "--save-every takes a whole number"},
    {"run plummer --steps 3 --save-every dt=-1", "dt= takes a number greater than 0"},
    {"run plummer --steps 3 --save-every wall=x", "wall= takes a time"},
    {"run plummer --steps 3 --save-every t=1", "K steps, dt=T of simulated time, or wall=TIME"},
    {"bench --features 17", "--features takes 1 to 16"},
    {"bench --n 10:20", "needs its step"},
};
INSTANTIATE_TEST_SUITE_P(Values, RejectedLines, ::testing::ValuesIn(kValues));

const Rejected kConflicts[] = {
    {"run plummer", "--steps N or --until T"},
    {"run --steps 3", "needs SCENE|FILE"},
    {"run plummer --steps 3 --until 4", "exclude each other"},
    {"run plummer --steps 3 -q -v", "exclude each other"},
    {"run plummer --steps 3 --diag-every 2", "--diag-every needs --diag"},
    {"run plummer --steps 3 --save-every 2", "--save-every needs --snapshot"},
    {"run plummer --steps 3 --snapshot a_{step}.csv", "--snapshot needs --save-every"},
    {"run plummer --steps 3 --walltime 1h", "--walltime needs --snapshot PATTERN or -o FILE"},
    {"run --restart a.h5 --steps 3 --until 4", "exclude each other"},
    {"run --restart end.csv", "Begin a new one with its bodies: triangulum run end.csv."},
    {"run plummer --steps 1 -o end.txt", "another of triangulum list formats"},
    {"run plummer --steps 3 --snapshot a.csv --save-every 2", "needs {step}"},
    {"run plummer --steps 3 --snapshot - --save-every 2", "needs {step}"},
    {"run plummer --steps 3 -o - --diag -", "would mix two files"},
    {"run --restart a.h5 --diag -", "name its file"},
    {"run --restart -", "snapshot in .hdf5 alone"},
    {"render plummer -o - --frames 3", "frames go to files"},
    {"run plummer --steps 3 --snapshot a_{step}.png --save-every 2", "the extension names the format"},
    {"run plummer --steps 3 -o a.png", "the extension names the format"},
    {"run plummer --steps 3 --map bb,lambda,tetra", "--map takes one name, or two"},
    {"run plummer --steps 3 --backend cpu --device 1", "--device chooses among CUDA devices"},
    {"run plummer --steps 3 --backend cuda --threads 2", "--threads counts host threads"},
    {"verify --quick --full", "exclude each other"},
    {"verify map lambda --law 1/r", "--law has no effect"},
    {"verify map tetra --triple-law 1/(a*b*c)", "--triple-law has no effect"},
    {"bench --json --format csv", "exclude each other"},
    {"bench --kernel gravity --features 3", "--features is read by --kernel edm only"},
    {"bench --kernel edm --placement lut", "--placement is read by --kernel gasket only"},
    {"bench --kernel dummy --precision fp64", "--precision is read by"},
    {"bench --kernel edm --form store", "--form is read by --kernel dummy, dummy3, gasket only"},
    {"bench --kernel dummy --layout lower", "--layout is read by --kernel edm only"},
    {"bench --kernel edm --dimensions 1", "--dimensions is read by --kernel collision only"},
    {"bench --kernel gravity --rec graph", "--rec is read by --kernel dummy, edm, collision only"},
    {"bench --kernel dummy --map lambda --rec graph", "--rec is read by the map rec only"},
    {"bench --kernel dummy --seed 3", "--seed is read by"},
    {"bench --kernel dummy --map fill", "fill"},
    {"bench --preset paper-ltm --kernel gravity", "--preset paper-ltm times dummy, edm, and --kernel gravity"},
    {"bench --resume -", "- is none; name it"},
    {"bench --resume a.json -o b.json", "leave -o out"},
    {"bench --resume a.json --format csv", "leave --format out"},
    {"bench --dry-run --json", "leave --json out"},
    {"bench --dry-run --resume a.json", "leave --resume out"},
    {"bench --warmup -1", "--warmup takes a number of at least 0"},
    {"bench --kernel edm --accumulate ordered", "--accumulate is read by"},
    {"bench --kernel dummy,triplet --map lambda", "--kernel triplet takes none of"},
    {"bench --kernel edm --baseline plain", "plain"},
    {"bench --map all,bb", "--map all stands alone"},
    {"compute distances a.csv", "needs -o FILE"},
    {"compute distances a.csv -o a.txt", "take .npy, .hdf5, .h5 or .csv"},
    {"compute triplets a.csv -o a.csv", "needs --bins"},
    {"compute triplets a.csv -o a.csv --bins 1", "takes 2 to 65 edges"},
    {"compute triplets a.csv -o a.csv --bins 0,2,1", "edge 2 is 1, after 2"},
    {"compute triplets a.csv -o a.csv --bins 0:2", "from:to:step"},
    {"compute triplets a.csv -o a.csv --bins 0:2:0.3", "it must go 1 to 64 times, whole"},
    {"compute triplets a.csv -o a.csv --bins 0:2:0.01", "it must go 1 to 64 times, whole"},
    {"compute triplets a.csv -o a.csv --bins 0,1 --precision fp32", "--precision has no meaning for compute triplets"},
    {"compute distances a.csv -o a.csv --bins 0,1", "--bins is an option of compute triplets"},
    {"compute distances a.csv -o b.npy --law gravity", "--law is an option of compute forces"},
    {"compute forces a.csv -o b.npy --law lj --columns x", "--columns is an option of compute distances and"},
    {"compute distances a.csv -o b.npy --eps 1", "--eps is an option of compute forces"},
    {"compute distances a.csv -o b.npy --broad-phase grid", "--broad-phase is an option of compute collisions and"},
    {"compute forces a.csv -o b.npy --law gravity --broad-phase grid", "--broad-phase belongs to --law contact"},
    {"run plummer --steps 1 --broad-phase cells", "--broad-phase"},
    {"run plummer --steps 1 --slice-ms 0", "--slice-ms"},
    {"run plummer --steps 1 --slice-ms 5 --backend cpu", "--slice-ms is of kernels on a GPU"},
    {"bench --tune --map lambda", "leave --map out"},
    {"bench --tune --n 100", "sizes from 256 to 1048576"},
    {"compute distances a.csv -o b.npy --accumulate ordered", "--accumulate is an option of compute forces"},
    {"compute collisions a.csv -o b.csv --layout square", "--layout is an option of compute distances"},
    {"compute forces a.csv -o b.npy --law gravity --per-body", "--per-body is an option of compute collisions"},
    {"compute distances a.csv -o b.npy --adjacency", "--adjacency is an option of compute collisions"},
    {"compute collisions a.csv -o b.npy --adjacency --per-body", "give one of them"},
    {"compute collisions a.csv -o b.csv --adjacency", "take .npy, which holds the bits of --adjacency"},
    {"compute collisions a.csv -o - --adjacency", "take .npy, which holds the bits of --adjacency"},
    {"compute distances a.csv -o b.npy --layout blocks --rows-at-once 33", "give a multiple of 32"},
    {"compute forces a.csv -o b.npy", "needs --law"},
    {"compute forces a.csv -o b.npy --law contact --eps 1", "--eps belongs to --law gravity"},
    {"compute forces a.csv -o b.npy --law gravity --shifted", "--shifted belongs to --law lennard-jones"},
    {"compute forces a.csv -o b.npy --law lennard-jones --shifted", "cut"},
    {"run a.csv --steps 1 --G 0", "--G takes a number that is more than 0; got '0'"},
    {"compute forces a.csv -o b.npy --law gravity --G -1", "--G takes a number that is more than 0; got '-1'"},
    {"run a.csv --steps 1 --units mpc_msun_kms", "--units mpc_msun_kms: mpc is a megaparsec to some"},
    {"compute forces a.csv -o b.npy --law lennard-jones --sigma 0", "--sigma takes a number that is more than 0"},
    {"compute forces a.csv -o b.npy --law contact --shear -1", "--shear takes a number that is at least 0; got '-1'"},
    {"render gasket:r=5 -o p.png", "is an automaton on cells"},
    {"render plummer -o p.png --trails on", "add --skip STEPS"},
    {"run a.csv --steps 1 --sigma 0", "more than 0"},
    {"run a.csv --steps 1 --response both", "--response takes springs, impulses"},
    {"compute forces a.csv -o b.npy --law contact --restitution 1", "--restitution is not an option of compute"},
    {"compute distances a.csv -o b.npy --shifted", "--shifted is an option of compute forces"},
    {"compute forces a.csv -o b.npy --law gravity --map bb,lambda", "one --map"},
    {"--version now", "--version stands alone"},
};
INSTANTIATE_TEST_SUITE_P(Conflicts, RejectedLines, ::testing::ValuesIn(kConflicts));

// Laws on the command line: names and texts, for every command that takes them.

TEST(Options, ALawIsANameOrAText) {
  const auto law_of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "triangulum");
    return parse_options(words);
  };
  const RunConfig run = law_of({"run", "plummer", "--steps", "1", "--law", "-mi*mj/r", "--triple-law", "a + b + c"});
  EXPECT_EQ(run.run.law, "-mi*mj/r");
  EXPECT_EQ(run.run.triple_law, "a + b + c");
  EXPECT_EQ(law_of({"run", "plummer", "--steps", "1", "--law", "lj"}).run.law, "lennard-jones");
  const ForceField forces = law_of({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "k/r; k = 2"}).compute.field;
  EXPECT_EQ(forces.pair, PairLaw::typed);
  EXPECT_EQ(forces.typed_pair.values, std::vector<double>{2});
  const ForceField triples =
      law_of({"compute", "forces", "a.csv", "-o", "b.npy", "--triple-law", "k/(a*b*c); k = 2"}).compute.field;
  EXPECT_EQ(triples.pair, PairLaw::none);
  EXPECT_EQ(triples.triple, TripleLaw::typed);
  EXPECT_EQ(law_of({"verify", "--law", "k/r; k = 2"}).verify.law, "k/r; k = 2");
  // An energy may begin with a minus sign, and with the letter of a flag.
  for (const char* text : {"-mi*mj/r", "-qi*qj/r", "-(1/r)", "-2*r^2"}) {
    EXPECT_EQ(law_of({"law", text}).law.text, text);
    const RunConfig plotted = law_of({"law", text, "--plot", "l.svg", "-q"});
    EXPECT_EQ(plotted.law.text, text);
    EXPECT_EQ(plotted.law.plot, "l.svg");
    EXPECT_TRUE(plotted.common.quiet);
    EXPECT_EQ(law_of({"law", "--plot", "l.svg", "--", text}).law.text, text);
  }
  const RunConfig shown = law_of({"law", "a*b*c", "--triples", "--from", "0.5", "--plot", "l.svg"});
  EXPECT_TRUE(shown.law.triples);
  EXPECT_EQ(shown.law.from, 0.5);
  const auto refusal = [&](const std::vector<std::string>& words) {
    return test::message_of<ConfigError>([&] { law_of(words); });
  };
  EXPECT_NE(refusal({"run", "plummer", "--steps", "1", "--law", "-mi*mj/q"}).find("'q'"), std::string::npos);
  EXPECT_NE(refusal({"run", "--restart", "a.hdf5", "--law", "1/r"}).find("--restart a.hdf5"), std::string::npos);
  EXPECT_NE(refusal({"verify", "--law", "gravity"}).find("takes the energy of a pair"), std::string::npos);
  EXPECT_NE(refusal({"law", "1/r", "--from", "3", "--to", "2"}).find("must be below"), std::string::npos);
  EXPECT_NE(refusal({"law", "1/r", "--plot", "l.png"}).find(".svg"), std::string::npos);
  EXPECT_NE(refusal({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "1/r", "--eps", "1"}).find("--eps"),
            std::string::npos);
  EXPECT_NE(
      refusal({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "gravity", "--nu", "1"}).find("--nu belongs"),
      std::string::npos);
  EXPECT_NE(refusal({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "axilrod-teller", "--triple-law", "a*b*c"})
                .find("both of triples"),
            std::string::npos);
}

// --arithmetic and --tolerance: which command reads them, and what they take.

RunConfig options_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "triangulum");
  return parse_options(arguments);
}

TEST(ArithmeticOptions, AreTheBackendsChoiceUnlessGiven) {
  EXPECT_FALSE(options_of({"run", "plummer", "--steps", "1"}).common.arithmetic.has_value());
  const RunConfig c = options_of({"run", "plummer", "--steps", "1", "--arithmetic", "tensor", "--tolerance", "3e-7"});
  EXPECT_EQ(c.common.arithmetic, Arithmetic::tensor);
  EXPECT_EQ(c.common.tolerance, Tolerance::close);
  EXPECT_EQ(options_of({"view", "plummer", "--tolerance", "2e-6"}).common.tolerance, Tolerance::loose);
  EXPECT_EQ(options_of({"compute", "forces", "a.csv", "-o", "b.npy", "--law", "gravity", "--arithmetic", "float32"})
                .common.arithmetic,
            Arithmetic::float32);
  EXPECT_EQ(options_of({"bench", "--kernel", "gravity", "--arithmetic", "tensor,float32"}).bench.arithmetics,
            (std::vector<BenchArithmetic>{BenchArithmetic::tensor, BenchArithmetic::float32}));
}

TEST(ArithmeticOptions, OtherNamesAreAnsweredWithTheRightOnes) {
  const auto answer = [](const std::vector<std::string>& arguments) {
    return test::message_of<ConfigError>([&] { options_of(arguments); });
  };
  const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(has(answer({"run", "plummer", "--steps", "1", "--arithmetic", "half"}), "float32"));
  EXPECT_TRUE(has(answer({"run", "plummer", "--steps", "1", "--tolerance", "1e-2"}), "3e-7"));
  EXPECT_TRUE(has(answer({"bench", "--kernel", "gravity", "--tolerance", "1e-2"}), "1e-3"));
  EXPECT_TRUE(has(answer({"bench", "--kernel", "gravity", "--pairs", "auto"}), "tree"));
  EXPECT_TRUE(has(answer({"bench", "--kernel", "gravity", "--arithmetic", "auto"}), "float32"));
  EXPECT_TRUE(has(answer({"compute", "distances", "a.csv", "-o", "b.npy", "--arithmetic", "tensor"}),
                  "--arithmetic is an option of compute forces"));
}

// --devices: which commands take it, and what it excludes.

TEST(DevicesOption, IsOfRunsWindowsForcesAndBenches) {
  for (const char* command : {"run plummer --steps 1", "view plummer", "demo triples", "render plummer -o a.png",
                              "compute forces a.csv --law gravity -o f.csv", "bench --kernel gravity"}) {
    EXPECT_EQ(parsed(std::string(command) + " --devices 0,2").common.devices, (std::vector<int>{0, 2})) << command;
    EXPECT_EQ(parsed(std::string(command) + " --devices all").common.devices, std::vector<int>{kAllDevices}) << command;
  }
}

TEST(DevicesOption, IsRefusedWithAReason) {
  const std::pair<const char*, const char*> refused[] = {
      {"view plummer --backend cpu --devices 0,1", "--devices chooses CUDA devices, and --backend is cpu"},
      {"view plummer --device 0 --devices all", "--devices and --device both choose CUDA devices"},
      {"view plummer --devices 0,0", "--devices names '0' twice"},
      {"bench --devices 0,1 --device 0", "--devices and --device both choose CUDA devices"},
      {"bench --tune --devices 0,1", "leave --devices out"},
      {"verify --devices 0,1", "--devices"}};
  for (const auto& each : refused) {
    test::expect_parts(test::message_of<ConfigError>([&] { parsed(each.first); }), {each.second});
  }
}

// compute distances: --rows-at-once, --devices, and the formats that no other job writes. compute collisions: --box.

RunConfig compute_options(std::vector<std::string> words) {
  words.insert(words.begin(), {"triangulum", "compute"});
  return parse_options(words);
}

TEST(DistanceOptions, AreRead) {
  const RunConfig c =
      compute_options({"distances", "a.csv", "-o", "b.h5", "--rows-at-once", "4000", "--devices", "0,1"});
  EXPECT_EQ(c.compute.rows_at_once, 4000u);
  EXPECT_EQ(c.common.devices, (std::vector<int>{0, 1}));
  EXPECT_EQ(compute_options({"distances", "a.csv", "-o", "b.npy"}).compute.rows_at_once, 0u);
  for (const char* output : {"b.hdf5", "b.h5", "b.csv", "b.npy", "-"}) {
    EXPECT_EQ(compute_options({"distances", "a.csv", "-o", output}).compute.output, output);
  }
}

TEST(DistanceOptions, AreRefused) {
  const auto answer = [](const std::vector<std::string>& words) {
    return test::message_of<ConfigError>([&] { compute_options(words); });
  };
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.npy", "--rows-at-once", "0"}), {"--rows-at-once"});
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.npy", "--rows-at-once", "4294967296"}), {"--rows-at-once"});
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.tab"}), {"take .npy, .hdf5, .h5 or .csv"});
  test::expect_parts(answer({"collisions", "a.csv", "-o", "b.npy", "--rows-at-once", "5"}),
                     {"--rows-at-once is an option of compute distances"});
  test::expect_parts(answer({"collisions", "a.csv", "-o", "b.h5"}), {"take .npy or .csv"});
  test::expect_parts(answer({"distances", "a.csv", "-o", "b.npy", "--devices", "0,1", "--backend", "cpu"}),
                     {"--devices"});
}

TEST(CollisionOptions, ABoxHasOneSideOrThree) {
  const auto box = [](const char* text) {
    return compute_options({"collisions", "a.csv", "-o", "b.csv", "--box", text}).compute.box;
  };
  EXPECT_EQ(compute_options({"collisions", "a.csv", "-o", "b.csv"}).compute.box.boundary, Boundary::open);
  EXPECT_EQ(box("3").boundary, Boundary::periodic);
  EXPECT_EQ(box("3").low, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(box("3").high, (std::array<double, 3>{3, 3, 3}));
  EXPECT_EQ(box("1,2.5,4").high, (std::array<double, 3>{1, 2.5, 4}));
  EXPECT_EQ(box("2,2,1.5").high, (std::array<double, 3>{2, 2, 1.5}));
  const auto answer = [&](const char* text) { return test::message_of<ConfigError>([&] { box(text); }); };
  test::expect_parts(answer("1,2"), {"the side of a periodic box, or three; got '1,2'"});
  for (const char* text : {"0", "-1", "nan", "inf", "wide", "1,2,0", "1,,2", ""})
    test::expect_parts(answer(text), {"--box"});
  test::expect_parts(test::message_of<ConfigError>([] {
                       compute_options({"distances", "a.csv", "-o", "b.csv", "--box", "3"});
                     }),
                     {"--box is an option of compute collisions"});
}

// Options of device reports: --compare and --threshold, formats by the name of the file, kinds of figures.

TEST(ReportOptions, OfABenchThatIsCompared) {
  const BenchOptions bench =
      parsed("bench --preset device-report --compare old.json --threshold 1.1 -o new.json").bench;
  EXPECT_EQ(bench.preset, "device-report");
  EXPECT_EQ(bench.compare, "old.json");
  EXPECT_DOUBLE_EQ(bench.threshold, 1.1);
  EXPECT_DOUBLE_EQ(parsed("bench --compare old.json").bench.threshold, 1.05);
  EXPECT_DOUBLE_EQ(parsed("bench --compare old.json --threshold 1").bench.threshold, 1);
}

TEST(ReportOptions, OfFigures) {
  for (const char* name : {"f.svg", "f.html", "f.png", "f.pdf"}) {
    EXPECT_EQ(parsed(std::string("plot a.json -o ") + name).plot.output, name);
  }
  EXPECT_EQ(parsed("plot a.json -o f.svg").plot.kind, PlotKind::automatic);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind report").plot.kind, PlotKind::report);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind both").plot.kind, PlotKind::both);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind rate").plot.kind, PlotKind::rate);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind idle").plot.kind, PlotKind::idle);
  EXPECT_EQ(parsed("plot a.json -o f.svg --kind theory").plot.kind, PlotKind::theory);
}

TEST(ReportOptions, AreRefusedWithAReason) {
  const std::pair<const char*, const char*> refused[] = {
      {"bench --threshold 1.1", "--threshold is read by --compare"},
      {"bench --compare a.json --threshold 0.9", "--threshold 0.9 is below 1"},
      {"bench --compare a.json --threshold x", "--threshold"},
      {"bench --dry-run --compare a.json", "leave --compare out"},
      {"bench --tune --compare a.json", "leave --compare out"},
      {"bench --preset device-reports", "Did you mean 'device-report'?"},
      {"plot a.json -o f.gif", "a figure is written as .svg, .html, .png or .pdf"},
      {"plot a.json -o f.svg --kind page", "--kind takes"},
  };
  for (const auto& each : refused) {
    test::expect_parts(test::message_of<ConfigError>([&] { parsed(each.first); }), {each.second});
  }
}

// --dt, --eta and --integrator.

TEST(StepOptions, StepsAreGivenOrAutomatic) {
  EXPECT_EQ(parsed("run plummer --steps 3 --dt 0.25").run.dt, 0.25);
  EXPECT_FALSE(parsed("run plummer --steps 3 --dt 0.25").run.dt_auto);
  const RunOptions run = parsed("run plummer --steps 3 --dt auto --eta 0.001 --integrator hermite").run;
  EXPECT_TRUE(run.dt_auto);
  EXPECT_EQ(run.dt, std::nullopt);
  EXPECT_EQ(run.eta, 0.001);
  EXPECT_EQ(run.integrator, Integrator::hermite);
  EXPECT_TRUE(parsed("render kepler --frames 1 -o a.png --dt auto").run.dt_auto);
}

TEST(StepOptions, BadOnesAreNamed) {
  const auto error = [](const std::string& more) {
    return test::message_of<ConfigError>([&] { parsed("run plummer --steps 3 " + more); });
  };
  test::expect_parts(error("--dt automatic"), {"--dt takes a number greater than 0, or auto; got 'automatic'"});
  test::expect_parts(error("--dt -1"), {"--dt takes a number greater than 0"});
  test::expect_parts(error("--eta 0"), {"--eta takes a number greater than 0"});
  test::expect_parts(error("--dt 0.1 --eta 0.1"), {"leave one of them out"});
  test::expect_parts(error("--integrator rk4"), {"hermite"});
}

}  // namespace
}  // namespace tri::app
