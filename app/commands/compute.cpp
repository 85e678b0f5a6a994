#include "app/commands/compute.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/bench/verify.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/json.hpp"
#include "app/support/option_values.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/files/hdf5.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/checks.hpp"
#include "sim/model/compute.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

/// Throws FileError if the output's folder has no room for it: better now than after hours, with a full disk. there:
/// bytes of it that are written; more: they are the least.
void require_disk(const std::string& output, double bytes, double there, bool more, const char* cure) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path path(io::target_of(output));
  if (io::stream_of(output) || (fs::exists(path, none) && !fs::is_regular_file(path, none))) return;
  const fs::space_info disk = fs::space(path.has_parent_path() ? path.parent_path() : fs::path("."), none);
  if (none || bytes <= static_cast<double>(disk.available) + there) return;
  throw FileError(fmt::format("'{}' takes {}{}, and its disk has {} free. Take another disk, {}.", output,
                              gib_text(bytes), more ? " or more" : "", gib_text(static_cast<double>(disk.available)),
                              cure));
}

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

bool is_npy(const std::string& path) { return format_name(path) == "npy"; }

/// Lines of text, written to the file in chunks.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path) : file_(path) {}

  fmt::memory_buffer& buffer() {
    if (text_.size() >= kFlushBytes) flush();
    return text_;
  }
  void progress(u64 done, u64 total) const { file_.progress(done, total); }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }

  io::OutputFile file_;
  fmt::memory_buffer text_;
};

/// `rows` rows of `columns` values each, with the shortest text that reads back to the same bits.
template <class At>
void write_csv_rows(const std::string& path, const char* header, u64 rows, u64 columns, const At& at) {
  LineWriter out(path);
  if (header != nullptr) fmt::format_to(std::back_inserter(out.buffer()), "{}\n", header);
  for (u64 r = 0; r < rows; ++r) {
    out.progress(r, rows);
    for (u64 c = 0; c < columns; ++c) {
      fmt::format_to(fmt::appender(out.buffer()), FMT_COMPILE("{}{}"), at(r, c), c + 1 == columns ? '\n' : ',');
    }
  }
  out.commit();
}

/// The same as npy, [rows] or [rows, columns] of Value; neither needs a second copy of the values.
template <class Value, class At>
void write_table(const std::string& path, const char* header, u64 rows, u64 columns, const At& at) {
  if (!is_npy(path)) return write_csv_rows(path, header, rows, columns, at);
  const std::vector<u64> shape = columns == 1 ? std::vector<u64>{rows} : std::vector<u64>{rows, columns};
  write_npy(path, shape, [&](u64 first, u64 count, Value* to) {
    for (u64 i = first; i < first + count; ++i) *to++ = static_cast<Value>(at(i / columns, i % columns));
  });
}

}  // namespace

void write_pairs(const std::string& path, const std::vector<std::pair<u32, u32>>& pairs) {
  write_table<i64>(path, "i,j", pairs.size(), 2,
                   [&](u64 r, u64 c) { return c == 0 ? pairs[r].first : pairs[r].second; });
}

void write_adjacency(const std::string& path, u64 n, const std::vector<std::pair<u32, u32>>& pairs) {
  const u64 bits = triangular_before(static_cast<u32>(n)), bytes = bits / 8 + (bits % 8 != 0);
  require_disk(path, static_cast<double>(bytes), 0, false, "the list of pairs or fewer bodies");
  io::OutputFile file(path);
  io::write_npy_header(file, "|u1", std::array<u64, 1>{bytes});
  std::vector<u8> piece;
  auto next = pairs.begin();
  for (u64 first = 0; first < bytes; first += kFlushBytes) {
    file.progress(first, bytes);
    piece.assign(std::min<u64>(kFlushBytes, bytes - first), 0);
    for (; next != pairs.end(); ++next) {
      const u64 bit = triangular_before(next->first) + next->second, at = bit / 8 - first;
      if (at >= piece.size()) break;
      piece[at] |= static_cast<u8>(1u << (bit % 8));
    }
    file.write(piece.data(), piece.size());
  }
  file.commit();
}

void write_counts(const std::string& path, const std::vector<u32>& counts) {
  const u64 columns = is_npy(path) ? 1 : 2;
  write_table<i64>(path, "body,contacts", counts.size(), columns,
                   [&](u64 r, u64 c) { return c + 1 == columns ? u64{counts[r]} : r; });
}

void write_triple_counts(const std::string& path, const SideBins& bins, const TripleCounts& result) {
  const u64 b = result.bins;
  if (is_npy(path)) {
    constexpr auto kLargest = static_cast<u64>(std::numeric_limits<i64>::max());
    if (const u64 most = *std::max_element(result.counts.begin(), result.counts.end()); most > kLargest) {
      throw FileError(fmt::format("cannot write '{}': the count {} is beyond int64; use .csv.", path, most));
    }
    write_npy(path, std::array<u64, 3>{b, b, b}, [&](u64 first, u64 count, i64* to) {
      for (u64 c = first; c < first + count; ++c) *to++ = static_cast<i64>(result.counts[c]);
    });
    return;
  }
  LineWriter out(path);
  fmt::format_to(std::back_inserter(out.buffer()), "low1,high1,low2,high2,low3,high3,count\n");
  for (u64 c = 0; c < result.counts.size(); ++c) {
    if (result.counts[c] == 0) continue;
    for (const u64 side : {c / (b * b), c / b % b, c % b}) {
      fmt::format_to(std::back_inserter(out.buffer()), "{},{},", bins.edges[side], bins.edges[side + 1]);
    }
    fmt::format_to(std::back_inserter(out.buffer()), "{}\n", result.counts[c]);
  }
  out.commit();
}

void write_forces(const std::string& path, std::span<const double> fx, std::span<const double> fy,
                  std::span<const double> fz) {
  const std::array<std::span<const double>, 3> axes{fx, fy, fz};
  write_table<double>(path, "fx,fy,fz", fx.size(), 3, [&](u64 r, u64 c) { return axes[c][r]; });
}

// The output of `compute distances`: npy, HDF5 or csv by extension, written in the order of the layout. Failures are
// FileErrors.

/// npy, and the dataset `distances` of HDF5: [n(n-1)/2], [n, n], [n(n+1)/2] or, of b blocks, [b, 32, 32] (HDF5: [b,
/// 1024]). csv: one value per line, with the shortest text that reads back to the same bits; square and blocks: one row
/// per line.
class DistanceFile {
 public:
  /// With facts another run may go on with what this one leaves, if it has the same (sim/files/file.hpp).
  DistanceFile(const std::string& path, u32 n, DistanceLayout layout, Precision precision,
               const std::optional<io::PartFile::Facts>& facts);

  /// Rows that an earlier run has written.
  u32 rows_done() const { return static_cast<u32>(file_.done()); }
  bool keeps() const { return file_.keeps(); }

  /// Writes the values of the rows that come next, up to row `last`. Calls before_piece() now and then; it may throw.
  void write(const DistanceValues& values, u32 last, const std::function<void()>& before_piece);

  void save() { file_.save(); }
  void commit() { file_.commit(); }
  void discard() { file_.discard(); }

 private:
  enum class Format : u8 { npy, hdf5, csv };

  void write_head(Precision precision);
  template <class Real>
  void write_piece(const Real* values, u64 count);

  u64 n_;
  DistanceLayout layout_;
  Format format_;
  io::PartFile file_;
  u64 column_ = 0;  ///< of the next value of a csv whose lines are rows
};

DistanceFile::DistanceFile(const std::string& path, u32 n, DistanceLayout layout, Precision precision,
                           const std::optional<io::PartFile::Facts>& facts)
    : n_(n),
      layout_(layout),
      format_(format_name(path) == "npy"    ? Format::npy
              : format_name(path) == "hdf5" ? Format::hdf5
                                            : Format::csv),
      file_(path, n, facts) {
  if (file_.done() > 0) return;
  write_head(precision);
  file_.head_is_written();
}

void DistanceFile::write_head(Precision precision) {
  const bool fp32 = precision == Precision::fp32, square = layout_ == DistanceLayout::square;
  const bool blocks = layout_ == DistanceLayout::blocks;
  constexpr u64 kBlock = kDistanceBlock, kCells = kBlock * kBlock;
  const u64 count = distance_count(n_, layout_);
  if (format_ == Format::npy) {
    const std::vector<u64> shape = square   ? std::vector<u64>{n_, n_}
                                   : blocks ? std::vector<u64>{count / kCells, kBlock, kBlock}
                                            : std::vector<u64>{count};
    io::write_npy_header(file_.file(), fp32 ? "<f4" : "<f8", shape);
  } else if (format_ == Format::hdf5) {
    const io::Hdf5Shape shape = square   ? io::Hdf5Shape{n_, n_, 2}
                                : blocks ? io::Hdf5Shape{count / kCells, kCells, 2}
                                         : io::Hdf5Shape{count, 1, 1};
    io::Hdf5Output output(file_.file(), shape);
    const u64 begin = output.reserve("distances", fp32 ? io::Hdf5Type::real32 : io::Hdf5Type::real64, shape);
    output.attribute("distances", "points", n_);
    output.attribute("distances", "layout", to_string(layout_));
    output.close();
    if (begin > 0) file_.file().go_to(begin);
  }
}

template <class Real>
void DistanceFile::write_piece(const Real* values, u64 count) {
  if (format_ != Format::csv) return file_.write(values, count * sizeof(Real));
  const u64 columns = layout_ == DistanceLayout::square ? n_ : distance_row_unit(layout_);
  fmt::memory_buffer text;
  for (u64 k = 0; k < count; ++k) {
    column_ = column_ + 1 == columns ? 0 : column_ + 1;
    fmt::format_to(fmt::appender(text), FMT_COMPILE("{}{}"), values[k], column_ == 0 ? '\n' : ',');
  }
  file_.write(text.data(), text.size());
}

void DistanceFile::write(const DistanceValues& values, u32 last, const std::function<void()>& before_piece) {
  constexpr u64 kPiece = u64{1} << 16;
  std::visit(
      [&](const auto& all) {
        for (u64 first = 0; first < all.size(); first += kPiece) {
          before_piece();
          write_piece(all.data() + first, std::min<u64>(kPiece, all.size() - first));
        }
      },
      values);
  file_.count(last);
}

namespace {

/// Up to so many bytes there is one block, if it is no large part of the memory.
constexpr double kOneBlockBytes = 4 * kBlockBytes, kPartOfMemory = 0.25;

double value_bytes(const DistanceJob& job) { return job.engine.precision == Precision::fp32 ? 4 : 8; }

u64 values_of(const DistanceJob& job) { return distance_count(job.points.n, job.layout); }

/// Whether there is one block, which nothing is kept of when it ends early.
bool is_small(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends) {
  if (job.rows_at_once > 0 || io::PartFile::bytes_left(job.output)) return false;
  double most = std::min(kOneBlockBytes, kPartOfMemory * static_cast<double>(available_memory()));
  for (const auto& backend : backends) {
    const u64 device = backend->memory_bytes();
    if (device > 0) most = std::min(most, kPartOfMemory * static_cast<double>(device));
  }
  return value_bytes(job) * static_cast<double>(values_of(job)) <= most;
}

void require_room(const DistanceJob& job) {
  const bool csv = format_name(job.output) == "csv";
  const double bytes = (csv ? 2.0 : value_bytes(job)) * static_cast<double>(values_of(job));
  const auto there = static_cast<double>(io::PartFile::bytes_left(job.output).value_or(0));
  require_disk(job.output, bytes, there, csv, "--precision fp32, --layout condensed or fewer points");
}

/// Each worker has two blocks; all of them take no large part of the memory.
u64 block_values(const DistanceJob& job, std::size_t workers) {
  const double part = kPartOfMemory * static_cast<double>(available_memory()) / (2.0 * static_cast<double>(workers));
  return static_cast<u64>(std::min(kBlockBytes, part) / value_bytes(job));
}

/// All that the bits of the output depend on, and its form.
io::PartFile::Facts facts_of(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends) {
  std::set<std::string> devices;
  for (const auto& backend : backends) devices.insert(backend->info().name + ", " + backend->info().device);
  const std::string format = format_name(job.output);
  return {{"format", format},
          {"n", fmt::format("{}", job.points.n)},
          {"features", fmt::format("{}", job.points.features)},
          {"points", hash_text(fnv1a(kFnvOffset, std::span<const double>(job.points.values)))},
          {"layout", to_string(job.layout)},
          {"precision", to_string(job.engine.precision)},
          {"backend", fmt::format("{}", fmt::join(devices, "; "))}};
}

/// Distances of finite points may overflow.
void check_finite(const DistanceJob& job, const RowPipeline::Done& block) {
  const auto look = [&](const auto& values) {
    const auto bad = std::find_if(values.begin(), values.end(), [](auto d) { return !std::isfinite(d); });
    if (bad == values.end()) return;
    const u64 index =
        distance_row_begin(job.points.n, job.layout, block.rows.first) + static_cast<u64>(bad - values.begin());
    throw NumericalError(
        fmt::format("distance {} (from 0, in the order of the output) is not finite: it left the range of {}. Use {}.",
                    index, to_string(job.engine.precision),
                    job.engine.precision == Precision::fp32 ? "--precision fp64" : "smaller units"));
  };
  std::visit(look, block.values);
}

class DistanceRun {
 public:
  DistanceRun(const DistanceJob& job, bool small, std::span<const std::unique_ptr<Backend>> backends, Console& console)
      : job_(job),
        small_(small),
        file_(job.output, job.points.n, job.layout, job.engine.precision,
              small_ ? std::nullopt : std::optional(facts_of(job, backends))),
        rows_(file_.rows_done()),
        name_(fmt::format("distances of {} points", grouped(job.points.n))) {
    if (!file_.keeps()) return;
    set_cut_off_sentence(fmt::format("interrupted; what is done is kept. {}", go_on()));
    if (rows_ == 0) return;
    console.note(fmt::format("goes on after {} of {} rows of '{}'.", rows_, job.points.n, job.output));
  }

  double run(std::span<const std::unique_ptr<Backend>> backends) {
    std::vector<std::unique_ptr<DistanceRows>> workers;
    for (const auto& backend : backends) {
      workers.push_back(backend->distance_rows(job_.points, job_.layout, job_.engine));
    }
    const u32 at_once = small_ ? job_.points.n : job_.rows_at_once;
    auto blocks = row_blocks(job_.points.n, job_.layout, rows_, at_once, block_values(job_, workers.size()));
    const bool whole = blocks.size() == 1;
    RowPipeline pipeline(std::move(workers), std::move(blocks));
    double ms = 0;
    // One block is as far as the loop over its tiles; of several, those that are written count.
    while (const RowPipeline::Done* block = pipeline.next([&](double part) { report(whole ? part : 0); })) {
      check_finite(job_, *block);
      file_.write(block->values, block->rows.last, [&] { report(whole ? 1 : 0); });
      rows_ = block->rows.last;
      ms += block->ms;
    }
    file_.commit();
    return ms;
  }

  /// After a failure of the computation: what is written is worth more than the last second of it.
  void save() noexcept {
    try {
      file_.save();
    } catch (const Error&) {  // what was kept before stays
    }
  }
  void discard() { file_.discard(); }
  bool keeps() const { return file_.keeps(); }

  std::string interrupted() {
    return fmt::format("interrupted after {} of {} rows, which are kept. {}", rows_, job_.points.n, go_on());
  }

 private:
  std::string go_on() const {
    return job_.command.empty() ? "The same command goes on from there." : "Go on with: " + job_.command;
  }

  void report(double part) const {
    const auto total = static_cast<double>(values_of(job_));
    const auto before = static_cast<double>(distance_row_begin(job_.points.n, job_.layout, rows_));
    report_progress(ProgressKind::computing, name_, before + part * (total - before), total);
  }

  const DistanceJob& job_;
  bool small_;
  DistanceFile file_;
  u32 rows_;
  std::string name_;
};

}  // namespace

double compute_distances(const DistanceJob& job, std::span<const std::unique_ptr<Backend>> backends, Console& console) {
  check(job.points);
  const bool small = is_small(job, backends);
  if (!small) require_room(job);
  DistanceRun run(job, small, backends, console);
  try {
    return run.run(backends);
  } catch (const NumericalError&) {
    run.discard();
    throw;
  } catch (const FileError&) {
    throw;
  } catch (const InterruptedError&) {
    if (!run.keeps()) throw;
    run.save();
    throw InterruptedError(run.interrupted());
  } catch (...) {
    run.save();
    throw;
  }
}

// `compute`: a job on a file, from its input to its output.

namespace {

using Json = nlohmann::ordered_json;

/// Every job reports its result as one JSON object, or one line per quantity that it has.
void report(const RunConfig& config, Console& console, const Json& result) {
  if (config.common.json) {
    console.print(json_text(result));
    return;
  }
  std::string text;
  for (const auto& [key, value] : result.items()) {
    if (value.is_null()) continue;
    const std::string shown = value.is_string()         ? value.get<std::string>()
                              : value.is_number_float() ? real_text(value.get<double>(), 9)
                                                        : value.dump();
    text += fmt::format("{:<12}{}\n", key, shown);
  }
  console.print(text + fmt::format("{:<12}{}\n", "wrote", config.compute.output));
}

/// The bodies of the input; prints the reader's notes on assumed values.
Bodies input_bodies(const RunConfig& config, Console& console, ReadReport& reading) {
  std::optional<Bodies> bodies = read_named_file(config.compute.input, reading);
  if (!bodies) throw FileError(io::no_such_file(config.compute.input));
  check_files_read(config);
  for (const std::string& note : reading.notes) console.note(note);
  return std::move(*bodies);
}

/// The laws of the options, in the periodic cell of the input and with the G of its units.
ForceField field_in(const RunConfig& config, const Bodies& bodies, const ReadReport& reading) {
  ForceField field = config.compute.field;
  if (reading.units != nullptr && config.given.count("--G") == 0) field.gravity.G = reading.units->G;
  field.box = box_of(config.compute.input, reading);
  check_in_cell(config.compute.input, field, largest_radius(bodies));
  return field;
}

PointSet input_points(const RunConfig& config, Console& console, Precision precision) {
  Notes notes;
  const PointColumns columns{config.compute.columns, precision == Precision::fp32};
  PointSet points = read_points(config.compute.input, columns, &notes);
  check_files_read(config);
  for (const std::string& note : notes) console.note(note);
  return points;
}

std::string pair_map(const EngineConfig& engine) { return info(engine.pair_map).name; }

void distances(const RunConfig& config, Console& console) {
  const auto backends = open_backends(config.common, &console);
  const EngineConfig engine = engine_config(config.common, {true, false}, Precision::fp64);
  const PointSet points = input_points(config, console, engine.precision);
  const ComputeOptions& compute = config.compute;
  const DistanceJob job{points,         compute.layout,       engine,
                        compute.output, compute.rows_at_once, command_line(config.argv)};
  const double ms = compute_distances(job, backends, console);
  report(config, console,
         {{"n", points.n},
          {"features", points.features},
          {"layout", to_string(job.layout)},
          {"map", pair_map(engine)},
          {"precision", to_string(engine.precision)},
          {"work_items", distance_count(points.n, DistanceLayout::condensed)},
          {"ms", ms}});
}

/// Says what float32 loses of positions, which the job has already moved nearer to the origin.
void note_resolution(const Bodies& bodies, const ForceField& field, Console& console) {
  if (are_floats(bodies)) return;
  const std::string loss = resolution_loss(bodies, field, std::numeric_limits<double>::infinity(), Precision::fp32);
  if (!loss.empty()) console.note(loss + ": digits of the forces are lost. Use --precision fp64.");
}

/// The same of spheres that this will happen to.
void note_spheres(const Bodies& bodies, Box box, Console& console) {
  const auto moved = centred(bodies, box);
  const auto sphere = moved_by_rounding(moved ? *moved : bodies);
  if (!sphere) return;
  console.note(fmt::format(
      "float32 rounds the place of body {} by more than a 64th of its radius, {:.3g}, so contacts may be missed or too "
      "many. Use --precision fp64.",
      *sphere, bodies.r[*sphere]));
}

/// The box of the option, which the cell of the file must not contradict; without it that cell.
Box box_in(const RunConfig& config, Console& console, const ReadReport& reading) {
  const Box& given = config.compute.box;
  const std::string& path = config.compute.input;
  if (config.given.count("--box") == 0) return box_of(path, reading);
  if (!reading.strange_cell.empty()) {
    console.note(fmt::format("'{}' {}; --box counts in its place.", path, reading.strange_cell));
    return given;
  }
  const Box own = box_of(path, reading);
  for (std::size_t axis = 0; own.boundary == Boundary::periodic && axis < 3; ++axis) {
    const double side = own.high[axis] - own.low[axis], wanted = given.high[axis] - given.low[axis];
    if (std::abs(side - wanted) <= 1e-12 * side) continue;
    throw ConfigError(
        fmt::format("'{}' is in a periodic cell with the side {} along {}, and --box has {}; leave --box "
                    "out, or take the cell out of the file.",
                    path, side, "xyz"[axis], wanted));
  }
  return given;
}

void collisions(const RunConfig& config, Console& console, Backend& backend) {
  ReadReport reading;
  Bodies bodies = input_bodies(config, console, reading);
  const Box box = box_in(config, console, reading);
  ForceField spheres;
  spheres.pair = PairLaw::contact, spheres.box = box;
  scene::enter_box(bodies, spheres);
  if (std::all_of(bodies.r.begin(), bodies.r.end(), [](double r) { return r == 0; })) {
    console.note("every radius is 0, so only bodies at the same position collide; give the file a column r.");
  }
  const EngineConfig engine = engine_config(config.common, {true, false}, Precision::fp64);
  check_effect(config.common, spheres, engine, backend.info().name);
  if (engine.precision == Precision::fp32) note_spheres(bodies, box, console);
  const ScopedTask work(fmt::format("collisions of {} bodies", grouped(bodies.size())));
  CollisionResult result = backend.collisions(bodies, engine, box);
  const u64 n = bodies.size(), all = n < 2 ? 0 : triangular(n - 1);
  if (backend.info().name != "cpu" && !config.common.blocks.empty() && result.work_items < all) {
    console.note("the grid found these contacts, and --block is of all pairs: add --broad-phase all-pairs.");
  }
  if (config.compute.adjacency) {
    write_adjacency(config.compute.output, n, result.pairs);
  } else if (config.compute.per_body) {
    write_counts(config.compute.output, result.per_body);
  } else {
    for (auto& pair : result.pairs) std::swap(pair.first, pair.second);
    std::sort(result.pairs.begin(), result.pairs.end());
    write_pairs(config.compute.output, result.pairs);
  }
  report(config, console,
         {{"n", bodies.size()},
          {"collisions", result.pairs.size()},
          {"map", pair_map(engine)},
          {"precision", to_string(engine.precision)},
          {"work_items", result.work_items},
          {"ms", result.ms}});
}

/// Both laws, typed ones as their texts.
std::string law_of(const ForceField& field) {
  if (field.triple == TripleLaw::none) return pair_law_words(field);
  return field.pair == PairLaw::none ? triple_law_words(field) : pair_law_words(field) + "; " + triple_law_words(field);
}

void forces(const RunConfig& config, Console& console, Backend& backend) {
  ReadReport reading;
  Bodies bodies = input_bodies(config, console, reading);
  ForceField field = field_in(config, bodies, reading);
  scene::enter_box(bodies, field);
  if (const auto missing = scene::missing_column(bodies, field); !missing.sentence.empty()) {
    throw ConfigError(
        fmt::format("{}: {}; give the file a column {}.", config.compute.input, missing.sentence, missing.file));
  }
  for (const std::string& note : scene::idle_columns(bodies, field)) console.note(note);
  if (const std::string note = scene::idle_dashpots(bodies, field); !note.empty()) console.note(note);
  const Domains domains = domains_of(field);
  const EngineConfig asked = engine_config(config.common, domains, Precision::fp64);
  if (asked.precision == Precision::fp32) {
    if (auto moved = centred(bodies, field.box)) bodies = *std::move(moved);
  }
  const auto engine = backend.make_engine(bodies, field, asked);  // refuses what is lost altogether
  check_effect(config.common, field, engine->config(), backend.info().name);
  if (asked.precision == Precision::fp32) note_resolution(bodies, field, console);
  const ScopedTask work(fmt::format("forces on {} bodies", grouped(bodies.size())));
  const ForceResult result = engine->forces();
  if (const std::string lost = lost_forces(backend, bodies, field, asked, result); !lost.empty()) {
    const bool fp32 = asked.precision == Precision::fp32;
    console.note(fmt::format("{}. Use {}.", lost, fp32 ? "--precision fp64" : "--accumulate fast"));
  }
  write_forces(config.compute.output, result.fx, result.fy, result.fz);
  const bool by_tree = domains.pairs && engine->config().pairs == PairSearch::tree;
  std::optional<TreeError> error;
  if (const u64 of = bodies_for_error(bodies.size()); config.common.json && by_tree && of > 0) {
    error = tree_error(result, bodies, field.gravity, of);
  }
  report(config, console,
         {{"n", bodies.size()},
          {"law", law_of(field)},
          {"units", reading.units != nullptr ? Json(reading.units->name) : Json()},
          {"map", domains.pairs ? info(engine->config().pair_map).name : info(engine->config().triple_map).name},
          {"pairs", domains.pairs ? Json(to_string(engine->config().pairs)) : Json()},
          {"error", error ? Json(error->rms) : Json()},
          {"error_bodies", error ? Json(error->bodies) : Json()},
          {"precision", to_string(engine->config().precision)},
          {"energy", result.potential},
          {"virial", result.virial},
          {"work_items", result.work_items},
          {"ms", result.ms}});
}

void triplets(const RunConfig& config, Console& console, Backend& backend) {
  const PointSet points = input_points(config, console, Precision::fp64);
  const SideBins bins{config.compute.bins};
  const EngineConfig engine = engine_config(config.common, {false, true}, Precision::fp64);
  const ScopedTask work(fmt::format("triples of {} points", grouped(points.n)));
  const TripleCounts result = backend.triplets(points, bins, engine);
  write_triple_counts(config.compute.output, bins, result);
  report(config, console,
         {{"n", points.n},
          {"features", points.features},
          {"bins", result.bins},
          {"inside", result.work_items - result.outside},
          {"outside", result.outside},
          {"map", result.by_products ? pair_map(engine) : info(engine.triple_map).name},
          {"by_products", result.by_products},
          {"work_items", result.work_items},
          {"ms", result.ms}});
}

}  // namespace

int run_compute(const RunConfig& config, Console& console) {
  if (config.compute.job == ComputeJob::distances) {
    distances(config, console);
    return static_cast<int>(ExitCode::ok);
  }
  const auto backend = open_backend(config.common, &console);
  switch (config.compute.job) {
    case ComputeJob::distances:
      break;
    case ComputeJob::collisions:
      collisions(config, console, *backend);
      break;
    case ComputeJob::forces:
      forces(config, console, *backend);
      break;
    case ComputeJob::triplets:
      triplets(config, console, *backend);
      break;
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
