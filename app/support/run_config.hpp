#pragma once
/// The command line as plain data, and which files it reads and writes.
///
/// What the user requested: the command line as plain data. options.hpp fills it; commands read it.

#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/support/console.hpp"
#include "app/support/language.hpp"
#include "sim/backend/bench.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"
#include "sim/simulation.hpp"

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
  man,
  cite
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

/// `bench`: empty or unset values come from the preset, then from defaults (bench_plan.hpp).
struct BenchOptions : BenchAxes {
  std::vector<BenchKernel> kernels;
  std::vector<u64> sizes;
  std::optional<u32> samples;
  std::optional<double> warmup_ms;
  std::optional<std::string> baseline;
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
  std::string what;             ///< empty: every check; "map": a map; "tree": gravity of a scene by a tree
  std::string file;             ///< the map or the scene
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
  bool adjacency = false;            ///< of collisions: bits
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
enum class PlotKind : u8 { automatic, both, improvement, time, rate, report, idle, theory };
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

/// The form of a recording; a page is one of `render` alone.
enum class FrameTarget : u8 { folder, picture, video, page };

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
  u32 width = 1280, height = 720;    ///< window size in pixels
  std::optional<double> scale;       ///< UI scale; that of the display if not given
  std::optional<Language> language;  ///< of the window; as chosen in it if not given
  std::string shader_dir;            ///< folder of shaders that replace the embedded ones; empty = none
  std::string record;                ///< recording of the whole run, folder or FILE.mp4; empty = none
};

/// `render`: the scene is in RunOptions.
inline constexpr const char* kNeedsFrames = "render needs --frames N, the number of frames.";

struct RenderOptions {
  std::string output;                        ///< folder, FILE.mp4, FILE.webp, FILE.png or FILE.html
  FrameTarget target = FrameTarget::folder;  ///< from the name of the output
  std::optional<u64> frames;                 ///< not set: those of a recorded run
  u64 steps_per_frame = 1;
  u64 skip = 0;                        ///< steps before the first frame
  u32 width = 1280, height = 720;      ///< in pixels
  u32 fps = 30;                        ///< of a video or a page
  std::string shape, colour, colours;  ///< names; empty = the scene's default
  std::string trails;                  ///< on or off; empty = on for few bodies
  bool logarithm = false, axes = false, grid = false;
  double body_size = 1, light = 1;               ///< factors
  std::optional<double> yaw, pitch;              ///< degrees
  double zoom = 1;                               ///< 2 magnifies by two
  double turn = 0;                               ///< degrees per frame
  bool orbit = false;                            ///< one full turn over all frames, instead of turn
  std::optional<u64> follow;                     ///< body at the centre of the picture
  std::string camera_path;                       ///< file of a path of the camera; empty = none
  bool transparent = false;                      ///< bodies over nothing
  bool white = false;                            ///< over white
  std::optional<std::array<double, 4>> look_at;  ///< what the camera looks at, and from how far; not set: all bodies
  std::optional<u32> dpi;                        ///< dots an inch that a picture announces
  bool scale_bar = false, legend = false, clock = false, no_box = false;  ///< written into the picture
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

// Parsing and composing scene texts, NAME:key=value,...

/// The part before the ':'.
std::string scene_name(const std::string& spec);

/// Whether keys may follow: for a scene or a .toml file, not for a file of bodies.
bool is_scene(const std::string& spec);

/// Whether the scene has this key; false for a file.
bool scene_takes(const std::string& spec, std::string_view key);

/// The value of this key, an integer >= 0: that of the text, else the scene's default; none for a scene without the key
/// or a file. Of a scene of several parts, n is that of each.
std::optional<u64> scene_count(const std::string& spec, std::string_view key);

/// The point from which a session continues a run.
struct ResumePoint {
  Clock clock;
  DiagnosticsRow initial;  ///< at its step 0
  EngineConfig engine;     ///< as of the run
  RunRecord record;
};

struct SceneToView {
  Scene scene;
  std::optional<ResumePoint> run;  ///< for a snapshot
};

/// What a window shows for a text: as open_scene(), but a snapshot of a run includes its laws, step and clock, and a
/// note that says so; and bodies in a periodic cell, which gravity does not fit, have no law.
SceneToView scene_to_view(const std::string& spec);

/// The scene of the command line with --seed, --dt, --eps, --G and --integrator taken in. For a named scene the first
/// four are keys like any other, so that a scene that does not know one refuses it, and one given twice is an error.
/// to_view: as SceneLaws::none_in_cells. Throws ConfigError, FileError.
Scene scene_of(const RunConfig& config, bool to_view = false);

/// `now` with the settings that most affect the bits of a run's next steps taken from `before`: precision, maps,
/// accumulation and broad phase. Keeps the session's blocks, threads and slices.
EngineConfig as_computed(EngineConfig now, const EngineConfig& before);

/// The text of a scene with the options --seed and --units as keys, and the parameters of laws that are keys of it.
std::string with_options(std::string spec, const RunConfig& config);

/// The others, all of a file.
std::vector<GivenParameter> parameters_beside(const std::string& spec, const RunOptions& run);

/// The text with that key set to the value, replacing an earlier one; without_key: with its default again.
std::string with_key(const std::string& spec, std::string_view key, std::string_view value);
std::string without_key(const std::string& spec, std::string_view key);

/// A key of a scene, the value that its text gives it (the last), and its default; empty: none.
struct SceneKey {
  std::string key, given, usual;
};
/// In the order of the scene's list; none for a file of bodies, and for a scene whose file cannot be read any more.
std::vector<SceneKey> keys_with_values(const std::string& spec);

// Which files a command line reads, and which it writes.

/// Throws ConfigError if an output is an input or another output: the same file, under whatever name and through links,
/// also one that is not there yet, and one of a series. Pipes and devices may be given twice. Call it before any file
/// is opened.
void check_outputs(const RunConfig& config);

/// Throws FileError if an output cannot be written: before the work, not after it. Notes a pipe, which may be waited
/// for.
void check_writable(const RunConfig& config, Console& console);

/// Whether a file written there replaces one that was read, but for the one that was loaded by this text and may be
/// saved again.
bool replaces_input(const std::string& path, const std::string& loaded = "");

/// Throws ConfigError if an output is a file that was read: one that a scene or a list of states names, too. Call it
/// once the inputs are read. A run that goes on writes no states up to its first step.
void check_files_read(const RunConfig& config, std::optional<u64> first_step = {});

// The list of times for the .vtp files of a run, so that ParaView opens them as one series with its real times.

/// "out/state_{step}.vtp" -> "out/state.pvd"; "series.pvd" if nothing else is left. Empty for another format.
std::string series_name(const std::string& pattern);

class VtkSeries {
 public:
  /// For snapshots with this pattern; does nothing if they are not .vtp.
  explicit VtkSeries(const std::string& pattern) : path_(series_name(pattern)) {}

  bool wanted() const noexcept { return !path_.empty(); }
  /// Adds a written file to the list and saves the list. The first call keeps earlier entries from a previous part of
  /// the run. Throws FileError.
  void add(const std::string& file, double time);

 private:
  std::string path_;
  bool begun_ = false;
  std::vector<std::pair<double, std::string>> files_;
};

// The commands, each defined in the folder of its subject. Each returns the exit code. They throw what they meet:
// Error carries its exit code, std::bad_alloc means out of memory; files that were complete by then stay.

/// What the commands need from the window. main() passes it to run_command(): no command links the window.
struct GuiCommands {
  /// Whether this build has a window and the machine a display; if not, the reason (a phrase without a full stop).
  Availability (*available)();
  /// Whether the display that available() relies on responds; if not, the reason. Connects to it and disconnects.
  Availability (*display_answers)();
  /// Whether frames can be rendered without a window; sets `renderer` to OpenGL's name for it. Creates and destroys a
  /// context.
  Availability (*offscreen)(std::string& renderer);
  /// `view` and `demo`: opens the app. Throws Error with ExitCode::no_display and the reason if there is no display.
  int (*view)(const RunConfig& config, Console& console);
  /// `render`: renders frames of a simulation without a window. Throws Error with ExitCode::no_display if OpenGL is not
  /// available.
  int (*render)(const RunConfig& config, Console& console);
};
/// Stubs in a build without a window.
GuiCommands gui_commands();

/// The command that the command line names.
int run_command(const RunConfig& config, Console& console, const GuiCommands& gui);

/// `run`: a scene without a window, from its first step or from a snapshot to its summary. ok also when --walltime
/// ended it.
int run_simulation(const RunConfig& config, Console& console);
/// `run gasket:r=10 --steps N`: a cellular automaton on a fractal.
int run_fractal(const RunConfig& config, Console& console);
/// `bench`: plan, run, report. check_failed when a check failed; throws ConfigError with the first refusal when nothing
/// that was requested could be timed.
int run_bench_command(const RunConfig& config, Console& console);
/// `bench --tune`: measures which tiles are fastest on this device, prints a table as it goes, and keeps them for later
/// runs unless interrupted.
int run_tune(const RunConfig& config, Console& console);
/// `verify`: checks every map and every available backend, as a table.
int run_verify(const RunConfig& config, Console& console);
/// `verify map NAME|FILE`: proves a map file side by side, and draws a side. check_failed when one is wrong.
int run_verify_map(const RunConfig& config, Console& console);
/// `verify tree SCENE`.
int run_verify_tree(const RunConfig& config, Console& console);
/// `compute`: the kernels on a user's own file, in float64 unless --precision says otherwise: here accuracy matters
/// more than speed.
int run_compute(const RunConfig& config, Console& console);
/// `plot`: draws bench results as an SVG file.
int run_plot(const RunConfig& config, Console& console);
/// `convert`: bodies of any format, or a scene, to another format; says what is omitted or assumed.
int run_convert(const RunConfig& config, Console& console);
/// `info` and `list`: what this program and this machine support.
int run_info(const RunConfig& config, Console& console, const GuiCommands& gui);
int run_list(const RunConfig& config, Console& console);
/// `law`: what a typed law was understood as, its checks, programs and values; as a table, JSON and a plot.
int run_law(const RunConfig& config, Console& console);
/// `doctor`: what is missing on this machine, and how to fix it; check_failed if something is unusable.
int run_doctor(const RunConfig& config, Console& console, const GuiCommands& gui);
/// `completion SHELL`, `man` and `cite`.
int run_completion(const RunConfig& config, Console& console);
int run_man(const RunConfig& config, Console& console);
int run_cite(const RunConfig& config, Console& console);

}  // namespace tri::app
