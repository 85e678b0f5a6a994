#pragma once
/// What the user requested: the command line as plain data. options.hpp fills it; commands read it.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/backend/bench_case.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"

namespace tri::app {

enum class Command : u8 {
  short_help,
  help,
  version,
  view,
  demo,
  render,
  run,
  bench,
  verify,
  compute,
  plot,
  info,
  list,
  law,
  convert,
  doctor,
  completion,
  man
};

/// Options that several commands accept. A command rejects those it does not use. Maps and blocks of EngineOverrides
/// stay unset until the domains are known (engine_overrides()).
struct CommonOptions : EngineOverrides {
  std::string backend = "auto";   ///< auto, cpu, cuda
  int device = -1;                ///< number of the CUDA device; -1 = not given
  std::vector<int> devices;       ///< that work together (device_list()); empty = not given
  std::vector<std::string> maps;  ///< empty = the default of each domain; names, also those of files; not yet resolved
  std::vector<std::string> map_files;  ///< names of maps that were opened and not chosen
  std::vector<u32> blocks;             ///< tile sides; empty = the backend's choice
  std::optional<u64> seed;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// When a run saves snapshots.
struct SaveEvery {
  enum class By : u8 { never, steps, time, wall } by = By::never;
  u64 steps = 0;      ///< interval, > 0
  double amount = 0;  ///< > 0; simulated time in the scene's unit, or wall-clock seconds
};

/// `run`: one of steps and until is set, with a restart at most one.
struct RunOptions {
  std::string scene;    ///< NAME, NAME:key=value,... or a file; may be empty for a restart
  std::string restart;  ///< snapshot to continue from; empty = none
  std::optional<u64> steps;
  std::optional<double> until;
  std::optional<double> dt;
  bool dt_auto = false;       ///< --dt auto
  std::optional<double> eta;  ///< accuracy of automatic steps
  std::optional<Integrator> integrator;
  std::string law, triple_law;  ///< in place of the scene's: a name, or the text of a typed law; empty = its own
  std::vector<GivenParameter> parameters;  ///< of laws, each once
  std::string units;                       ///< name of a system of units; empty = the scene's own
  std::string diag;                        ///< CSV file; empty = none
  std::optional<u64> diag_every;           ///< steps between rows; not set = about a thousand rows
  std::optional<double> energy_limit;      ///< relative energy error that ends the run
  SaveEvery save_every;
  std::string snapshot;            ///< file name with {step} in it
  std::optional<double> walltime;  ///< seconds after which the run ends
  std::string output;              ///< final state; empty = none
  bool orbits = false;
};

enum class BenchFormat : u8 { table, csv, json };

/// `bench`: empty or unset values come from the preset, then from defaults (bench/presets.hpp).
struct BenchOptions {
  std::vector<BenchKernel> kernels;
  std::vector<u64> sizes;
  std::vector<u32> features;
  std::vector<BenchForm> forms;
  std::vector<DistanceLayout> layouts;
  std::vector<u32> dimensions;
  std::optional<RecForm> rec;
  std::optional<LaunchTiming> timing;
  std::optional<u32> samples;
  std::optional<double> warmup_ms;
  std::optional<std::string> baseline;
  std::vector<GasketPlacement> placements;
  std::vector<BenchArithmetic> arithmetics;
  std::string fractal;          ///< a name or a file; empty = the gasket
  std::string law, triple_law;  ///< texts of typed laws in the place of those of gravity and triplet; empty = none
  std::string preset;
  BenchFormat format = BenchFormat::table;
  std::string output;       ///< empty = standard output
  std::string resume;       ///< result file to resume from and to write; empty = none
  bool energy = false;      ///< measure the energy of each map
  bool dry_run = false;     ///< print what would run
  bool tune = false;        ///< find the fastest tiles of this device
  std::string plot;         ///< SVG file; empty = none
  std::string compare;      ///< an old report to compare with; empty = none
  double threshold = 1.05;  ///< of that comparison, >= 1
};

struct VerifyOptions {
  bool full = false;
  std::string law, triple_law;  ///< texts of typed laws, to check these alone; empty = none
  std::string what;             ///< empty: every check; "map": a map file
  std::string file;             ///< of `verify map`
  std::vector<u64> sides;       ///< of `verify map`, in tiles; empty = some small ones
  std::string plot;             ///< SVG file with a picture of a side; empty = none
};

enum class ComputeJob : u8 { distances, collisions, forces, triplets };

struct ComputeOptions {
  ComputeJob job = ComputeJob::distances;
  std::string input, output;
  DistanceLayout layout = DistanceLayout::condensed;
  u32 rows_at_once = 0;  ///< rows of a block of distances; 0 = not given
  bool per_body = false;
  tri::Box box;                      ///< of collisions: open, or periodic from 0
  std::vector<double> bins;          ///< edges, of triplets
  std::vector<std::string> columns;  ///< features of points by name; empty = x, y, z of bodies, else every column
  std::string law, triple_law;       ///< a name, or the text of a typed law; that of triples a text alone
  ForceField field;                  ///< with the law and its parameters set
};

/// `law`: a typed law is shown.
struct LawOptions {
  std::string text;
  bool triples = false;
  std::optional<double> from, to;  ///< distances of the table and the plot; not set = by the cut-off
  std::string plot;                ///< SVG file; empty = none
};

struct ConvertOptions {
  std::string input, output;
};

/// automatic: report where all results are reports of devices, else both.
enum class PlotKind : u8 { automatic, both, improvement, time, rate, report };
enum class PlotX : u8 { automatic, n, block, features };
enum class PlotLog : u8 { automatic, none, x, y, xy };

/// `plot`, and `bench --plot` with the defaults.
struct PlotOptions {
  std::vector<std::string> inputs;  ///< JSON results of bench
  std::string output;               ///< .svg, .html, .png or .pdf
  PlotKind kind = PlotKind::automatic;
  std::vector<std::string> kernels, maps;  ///< to draw; empty = all in the results
  PlotX x = PlotX::automatic;
  PlotLog log = PlotLog::automatic;
  u32 width_mm = 180;
};

/// The form of a recording.
enum class FrameTarget : u8 { folder, picture, video };

enum class Present : u8 { automatic, interop, copy };

/// Whether a frame waits for the display to show the previous one; automatic: not in a measuring script.
enum class Pace : u8 { automatic, display, free };

/// `view` and `demo`: the scene is in RunOptions, empty for the default one.
struct ViewOptions {
  std::string demo;               ///< name of the demonstration; empty = none
  bool presentation = false;      ///< begins without panels
  std::string script;             ///< command file; empty = none
  std::string screenshot;         ///< PNG of the last frame; empty = none
  std::optional<u64> exit_after;  ///< frames
  Present present = Present::automatic;
  Pace pace = Pace::automatic;
  u32 width = 1280, height = 720;  ///< window size in pixels
  std::optional<double> scale;     ///< UI scale; that of the display if not given
  std::string shader_dir;          ///< folder of shaders that replace the embedded ones; empty = none
  std::string record;              ///< recording of the whole run, folder or FILE.mp4; empty = none
};

/// `render`: the scene is in RunOptions.
inline constexpr const char* kNeedsFrames = "render needs --frames N, the number of frames.";

struct RenderOptions {
  std::string output;                        ///< folder, FILE.mp4 or FILE.png
  FrameTarget target = FrameTarget::folder;  ///< from the name of the output
  std::optional<u64> frames;                 ///< not set: those of a recorded run
  u64 steps_per_frame = 1;
  u64 skip = 0;                        ///< steps before the first frame
  u32 width = 1280, height = 720;      ///< in pixels
  u32 fps = 30;                        ///< of a video
  std::string shape, colour, colours;  ///< names; empty = the scene's default
  std::string trails;                  ///< on or off; empty = on for few bodies
  bool logarithm = false, axes = false, grid = false;
  double body_size = 1, light = 1;   ///< factors
  std::optional<double> yaw, pitch;  ///< degrees
  double zoom = 1;                   ///< 2 magnifies by two
  double turn = 0;                   ///< degrees per frame
  bool orbit = false;                ///< one full turn over all frames, instead of turn
  std::optional<u64> follow;         ///< body at the centre of the picture
  std::string camera_path;           ///< file of a path of the camera; empty = none
  bool transparent = false;          ///< bodies over nothing
  Present present = Present::automatic;
  std::string shader_dir;  ///< as for view
};

struct RunConfig {
  Command command = Command::short_help;
  std::string topic;  ///< command for help, or empty
  CommonOptions common;
  RunOptions run;
  BenchOptions bench;
  VerifyOptions verify;
  ComputeOptions compute;
  LawOptions law;
  ConvertOptions convert;
  PlotOptions plot;
  ViewOptions view;
  RenderOptions render;
  std::string list;               ///< maps, laws, scenes, generators, fractals, formats or devices
  std::string shell;              ///< for completion: bash, zsh or fish
  std::set<std::string> given;    ///< long names of the options on the command line
  std::vector<std::string> argv;  ///< as given, with the program's name
};

}  // namespace tri::app
