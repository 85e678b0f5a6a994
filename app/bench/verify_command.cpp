// The commands `verify` and `verify map`, and the search for the first fault of published formulas.
//
// The formulas of `list failures`, each with the rounding of its source, and the search for where each fails. The
// commands compute the same in Python: with floats as they are, with numpy for float32.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/bench/verify.hpp"
#include "app/plot/plot.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/json.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/maps/tetra_r.hpp"
#include "sim/maps/triangle_lambda_historical.hpp"
#include "sim/maps/triangle_utm.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {
namespace index_rows {
namespace {

i64 whole(double v) { return std::isnan(v) ? kNoRow : static_cast<i64>(v); }

/// A product in a 32-bit int that wraps, as it does on every machine that these programs run on.
i64 wrapped(u64 v) { return static_cast<i32>(static_cast<u32>(v)); }

/// From the end: row n - 2 - r holds the M in [T2(r), T2(r + 1)). odd: 8 M + 1, a whole number.
i64 numpy_from_end(u64 odd) { return whole(std::floor(std::sqrt(static_cast<double>(odd)) / 2.0 - 0.5)); }
i64 float_from_end(u64 odd) { return whole(rounded::add(rounded::sqrt(static_cast<float>(odd)) / 2.0f, -0.5f)); }
i64 r_from_end(double m) { return whole(std::floor((std::sqrt(1.0 + 8.0 * m) - 1.0) / 2.0)); }

i64 row_of_end(u64 n, i64 r) { return r == kNoRow ? kNoRow : static_cast<i64>(n) - 2 - r; }

}  // namespace

i64 pytorch_float(u64 n, u64 k) {
  const float n2 = static_cast<float>(static_cast<double>(n) - 0.5);
  float under = rounded::add(rounded::mul(n2, n2), -static_cast<float>(2 * k));
  under = rounded::add(under, -1.0f);
  return whole(rounded::add(n2, -rounded::sqrt(under)));
}

i64 pytorch_int(u64 n, u64 k) {
  const double n2 = static_cast<double>(n) - 0.5, squared_minus_1 = rounded::mul(n2, n2) - 1.0;
  return whole(n2 - std::sqrt(squared_minus_1 - static_cast<double>(wrapped(2 * k))));
}

i64 cutlass(u64 t) {
  const double root = std::sqrt(static_cast<double>(wrapped(2 * t)) + 2.25);
  return whole(std::ceil(root - 0.5) - 1.0);
}

i64 quack(u64 t) {
  const float root = rounded::sqrt(rounded::add(static_cast<float>(wrapped(2 * t)), 2.25f));
  return whole(std::ceil(rounded::add(root, -0.5f)) - 1.0f);
}

i64 eighths(u64 w) {
  const float root = rounded::sqrt(rounded::add(rounded::mul(8.0f, static_cast<float>(w)), 1.0f));
  return whole(rounded::mul(rounded::add(root, -1.0f), 0.5f));
}

i64 coacd(u64 w) {
  const double root = std::sqrt(static_cast<double>(wrapped(8 * w + 1)));
  return std::isnan(root) ? kNoRow : static_cast<i64>(root - 1.0) >> 1;
}

i64 newton_bisection(u64 n, u64 k) {
  const i64 pairs = wrapped(n * (n - 1)) >> 1, index = static_cast<i64>(k);
  if (index >= pairs) return -1;
  u64 low = 0, high = n - 1;
  while (low < high) {
    const u64 middle = (low + high) >> 1;
    const bool before = wrapped(middle * (2 * n - middle - 1)) >> 1 <= index;
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return static_cast<i64>(low) - 1;
}

i64 mujoco_warp(u64 n, u64 k) { return row_of_end(n, float_from_end(4 * n * (n - 1) - 7 - 8 * k)); }

i64 sunplin(u64 n, u64 k) {
  const float m = static_cast<float>(n - 1);
  float under = rounded::mul(rounded::mul(4.0f, m), rounded::add(m, 1.0f));
  under = rounded::add(under, -rounded::mul(8.0f, static_cast<float>(k)));
  under = rounded::add(under, -7.0f);
  const float head = rounded::add(rounded::mul(-2.0f, m), -1.0f);
  const float row = rounded::add(head, rounded::sqrt(under)) / -2.0f;
  if (std::isnan(row)) return kNoRow;
  return static_cast<i64>(row == std::trunc(row) ? rounded::add(row, -1.0f) : row);
}

i64 condensed_numpy(u64 n, u64 k) { return row_of_end(n, numpy_from_end(4 * n * (n - 1) - 7 - 8 * k)); }

i64 condensed_r(u64 n, u64 k) {
  const double size = static_cast<double>(n);
  return row_of_end(n, r_from_end(rounded::mul(size, size - 1.0) / 2.0 - static_cast<double>(k + 1)));
}

i64 utm(u64 n, u64 k) {
  return i64{TriangleUtm(static_cast<u32>(n), Diagonal::without).begin({k, 0, 0, 0}).tile().col};
}

}  // namespace index_rows

namespace {

constexpr u64 kEvery = u64{1} << 24;

std::optional<i64> found_row(i64 row) { return row == kNoRow ? std::nullopt : std::optional<i64>(row); }

/// A formula of the index alone over rows of first_of. every: up to where each index is tried.
template <class F, class FirstOf>
IndexFailure by_index(const F& f, const FirstOf& first_of, u64 every) {
  constexpr u64 kRows = u64{1} << 28;
  const auto wrong = first_wrong_row_of(f, first_of, every, kRows);
  if (!wrong) return {false, 0, 0, std::nullopt, 0, fmt::format("no failure in {} rows", grouped(kRows))};
  std::string scanned = "every index below it";
  if (wrong->index >= every) {
    scanned = fmt::format("every index below {}, then both ends of each row", grouped(every));
  }
  return {true, 0, wrong->index, found_row(f(wrong->index)), wrong->row, std::move(scanned)};
}

template <class F>
IndexFailure in_triangle(const F& f, u64 every = kEvery) {
  return by_index(
      f, [](u64 row) { return triangular(row); }, every);
}

/// A formula of n and the index: the smallest n of all that fails.
template <class F>
IndexFailure by_side(const F& f) {
  constexpr u64 kSides = 8192;
  for (u64 n = 2; n <= kSides; ++n) {
    const auto row = [&](u64 k) { return f(n, k); };
    if (const auto wrong = first_wrong_condensed(row, n)) {
      return {
          true, n, wrong->index, found_row(row(wrong->index)), wrong->row, "both ends of each row of every n below it"};
    }
  }
  return {false, 0, 0, std::nullopt, 0, fmt::format("no failure to n = {}", grouped(kSides))};
}

/// The same by the powers of two and then by bisection, for formulas that hold too long for every n.
template <class F>
IndexFailure by_side_bisected(const F& f) {
  const auto wrong_at = [&](u64 n) { return first_wrong_condensed([&](u64 k) { return f(n, k); }, n); };
  constexpr u64 kSides = u64{1} << 24;
  u64 high = 2;
  while (high <= kSides && !wrong_at(high)) high *= 2;
  if (high > kSides) return {false, 0, 0, std::nullopt, 0, fmt::format("no failure to n = {}", grouped(kSides))};
  u64 low = high / 2;
  while (high - low > 1) {
    const u64 middle = low + (high - low) / 2;
    (wrong_at(middle) ? high : low) = middle;
  }
  const WrongRow wrong = *wrong_at(high);
  return {true,        high,
          wrong.index, found_row(f(high, wrong.index)),
          wrong.row,   "both ends of each row of the powers of two, then n by bisection"};
}

/// A formula that depends on the index M from the end alone: if it fails at row r from the end, then every n from r + 2
/// on fails, and no smaller one.
template <class FromEnd, class F>
IndexFailure from_end(const FromEnd& end_row, const F& f) {
  IndexFailure end = in_triangle(end_row);
  if (!end.found) return end;
  const u64 n = end.right + 2;
  const auto row = [&](u64 k) { return f(n, k); };
  const auto k = first_wrong_in_row(row, 0, 0, n - 2);
  if (!k) return {false, 0, 0, std::nullopt, 0, "the formula with n disagrees with the one from the end"};
  return {true, n, *k, found_row(row(*k)), 0, end.scanned + ", counted from the end"};
}

// What the commands print for comparison: the row by integers.
constexpr const char* kRowOfW = "(math.isqrt(8*w+1)-1)//2";
constexpr const char* kRowOfK = "n-2-(math.isqrt(8*(n*(n-1)//2-1-k)+1)-1)//2";

/// python3 -c '...; print(shown, right)' with numpy as np, its float32 as f, and w or n and k.
std::string python(const IndexFailure& at, std::string_view steps, std::string_view shown) {
  const std::string given = at.side == 0 ? fmt::format("w={}", at.index) : fmt::format("n={}; k={}", at.side, at.index);
  const bool numpy = steps.find("f(") != std::string_view::npos || shown.find("np.") != std::string_view::npos;
  return fmt::format("python3 -c 'import math{}; {}; {}print({}, {})'", numpy ? ", numpy as np; f=np.float32" : "",
                     given, steps, shown, at.side == 0 ? kRowOfW : kRowOfK);
}

constexpr IndexFormula kFormulas[] = {
    {"lambda-x", "float32", "i = floor(sqrt(2w + 1/4) - 1/2)", "Navarro, Bustos, Hitschfeld 2016, arXiv 1609.01490",
     "section 4.1", [] { return in_triangle([](u64 w) { return i64{historical_row<HistoricalRoot::x>(w)}; }); },
     [](const IndexFailure& at) { return python(at, "v=f(2)*f(w)+f(.25); ", "int(np.sqrt(v)-f(.5))"); }},
    {"lambda-n", "float32", "i = floor(v newton3(v) - 1/2 + 1e-4), v = 2w + 1/4",
     "Navarro, Bustos, Hitschfeld 2016, arXiv 1609.01490", "section 4.1",
     [] { return in_triangle([](u64 w) { return i64{historical_row<HistoricalRoot::n>(w)}; }); },
     [](const IndexFailure& at) {
       return python(at,
                     "v=f(2)*f(w)+f(.25); h=f(.5)*v; y=np.uint32(0x5f3759df-(int(v.view(np.uint32))>>1)).view(f); "
                     "g=lambda y: y*f(1.5-float(h*y)*float(y)); y=g(g(g(y))); ",
                     "int(v*y-f(.5)+f(1e-4))");
     }},
    {"lambda-r", "float32", "i = floor(v / sqrt(v) - 1/2 + 1e-4), v = 2w + 1/4",
     "Navarro, Bustos, Hitschfeld 2016, arXiv 1609.01490", "section 4.1",
     [] { return in_triangle([](u64 w) { return i64{historical_row<HistoricalRoot::r>(w)}; }); },
     [](const IndexFailure& at) {
       return python(at, "v=f(2)*f(w)+f(.25); ", "int(v*(f(1)/np.sqrt(v))-f(.5)+f(1e-4))");
     }},
    {"utm", "float32", "a = floor((-(2n+1) + sqrt(4n^2 - 4n - 8k + 1)) / -2), a from 1", "Avril et al. 2012", "the map",
     [] { return by_side(index_rows::utm); },
     [](const IndexFailure& at) {
       return python(at, "m=f(n); u=f(4)*m*m-f(4)*m-f(8)*f(k)+f(1); ",
                     "int(np.floor((-(f(2)*m+f(1))+np.sqrt(u))*f(-.5)))-1");
     }},
    {"tetra-r", "float32", "z = floor(q^(1/3) / 3^(2/3) + 1 / (3^(1/3) q^(1/3)) - 1), q = sqrt(729 w^2 - 3) + 27 w",
     "Navarro, Bustos, Hitschfeld 2016, arXiv 1609.01490", "equation 15",
     [] { return by_index([](u64 w) { return i64{tetra_r_layer(w)}; }, [](u64 z) { return tetrahedral(z); }, kEvery); },
     [](const IndexFailure& at) {
       return fmt::format(
           "python3 -c 'import numpy as np; f=np.float32; w={}; v=f(w); q=np.sqrt(f(729)*v*v-f(3))+f(27)*v; "
           "r=np.power(q,f(1)/f(3)); print(int(r*f(3**(-2/3))+f(3**(-1/3))*(f(1)/r)-f(1)), "
           "next(z for z in range(w) if (z+1)*(z+2)*(z+3)//6>w))'",
           at.index);
     }},
    {"pytorch-pdist", "float32", "i = int(n2 - sqrt(n2 * n2 - 2 k - 1)), n2 = n - 1/2", "pytorch/pytorch",
     "aten/src/ATen/native/cpu/DistanceOpsKernel.cpp:112 (before issue 15511, as float n2)",
     [] { return by_side(index_rows::pytorch_float); },
     [](const IndexFailure& at) { return python(at, "m=f(n-.5); ", "int(m-np.sqrt(m*m-f(2*k)-f(1)))"); }},
    {"pytorch-pdist-int", "float64, 2 k in int32", "i = int(n2 - sqrt(n2 * n2 - 1 - 2 k)), n2 = n - 1/2",
     "pytorch/pytorch", "aten/src/ATen/native/cuda/DistanceKernel.cu:113 (commit 004a0d49, as const int k)",
     [] { return by_side_bisected(index_rows::pytorch_int); },
     [](const IndexFailure& at) {
       return python(at, "t=(2*k+2**31)%2**32-2**31; m=n-.5; ", "int(m-math.sqrt(m*m-1-t))");
     }},
    {"cutlass-rank2k", "float64, 2 t in int32", "i = ceil(sqrt(2 t + 2.25) - 0.5) - 1", "NVIDIA/cutlass",
     "include/cutlass/gemm/kernel/rank_2k_grouped_problem_visitor.h:356 (3.5.1)",
     [] { return in_triangle(index_rows::cutlass); },
     [](const IndexFailure& at) {
       return python(at, "a=(2*w+2**31)%2**32-2**31+2.25; ", "math.ceil(a**.5-.5)-1 if a>=0 else math.nan");
     }},
    {"quack-triangular", "float32", "row = ceil(sqrt(2 t + 2.25) - 0.5) - 1", "Dao-AILab/quack",
     "quack/tile_scheduler.py, triangular_idx_to_coord (commit 1078f8ec, its approximate root taken as exact)",
     [] { return in_triangle(index_rows::quack); },
     [](const IndexFailure& at) { return python(at, "", "int(np.ceil(np.sqrt(f(2*w)+f(2.25))-f(.5)))-1"); }},
    {"float32-root", "float32", "row = int((sqrtf(8 w + 1) - 1) * 0.5f)", "kernels in CUDA and Triton",
     "the form in which most write it, without a repair", [] { return in_triangle(index_rows::eighths); },
     [](const IndexFailure& at) { return python(at, "", "int((np.sqrt(f(8)*f(w)+f(1))-f(1))*f(.5))"); }},
    {"mujoco-warp-nxn", "float32", "i = n - 2 - int(sqrt(float(-8e + 4n(n-1) - 7)) / 2.0 - 0.5)",
     "google-deepmind/mujoco_warp", "mujoco_warp/_src/collision_driver.py, nxn_broadphase (before its table of pairs)",
     [] { return from_end([](u64 m) { return index_rows::float_from_end(8 * m + 1); }, index_rows::mujoco_warp); },
     [](const IndexFailure& at) { return python(at, "", "n-2-int(np.sqrt(f(-8*k+4*n*(n-1)-7))/f(2)-f(.5))"); }},
    {"newton-nxn", "int32", "bisection for mid (2n - mid - 1) >> 1 <= index, after index >= n (n - 1) >> 1: -1",
     "newton-physics/newton", "newton/geometry/broad_phase_nxn.py:57 (commit fa5e2033)",
     [] { return by_side_bisected(index_rows::newton_bisection); },
     [](const IndexFailure& at) { return python(at, "t=((n*(n-1)+2**31)%2**32-2**31)>>1; ", "-1 if k>=t else None"); }},
    {"coacd-merge", "float64, 8 w + 1 in int32", "p1 = (int)(sqrt(8 w + 1) - 1) >> 1", "SarahWeiii/CoACD",
     "src/process.cpp, MergeConvexHulls (commit 8008ed83)", [] { return in_triangle(index_rows::coacd); },
     [](const IndexFailure& at) {
       return python(at, "t=(8*w+1+2**31)%2**32-2**31; ", "int(t**.5-1)>>1 if t>=0 else math.nan");
     }},
    {"sunplin", "float32", "row = (-2m - 1 + sqrt(4m(m+1) - 8i - 7)) / -2, m = M - 1, one less where it is whole",
     "EvandroCT/sunplin", "src/cudutils.cu:39 (commit 06ffb919)", [] { return by_side(index_rows::sunplin); },
     [](const IndexFailure& at) {
       return python(at, "m=f(n-1); r=(f(-2)*m-f(1)+np.sqrt(f(4)*m*(m+f(1))-f(8)*f(k)-f(7)))/f(-2); ",
                     "math.ceil(float(r))-1");
     }},
    {"condensed-numpy", "float64", "i = n - 2 - floor(sqrt(-8k + 4n(n-1) - 7) / 2.0 - 0.5)",
     "sauxpa/connectivity_loss, after stackoverflow.com/a/27088560",
     "connectivity_representation_learning/utils.py:10 (commit 73a4b121)",
     [] { return from_end([](u64 m) { return index_rows::numpy_from_end(8 * m + 1); }, index_rows::condensed_numpy); },
     [](const IndexFailure& at) { return python(at, "", "n-2-math.floor(math.sqrt(-8*k+4*n*(n-1)-7)/2.0-0.5)"); }},
    {"condensed-r", "float64", "j = n - 2 - floor((sqrt(1 + 8 kk) - 1) / 2), kk = n(n-1)/2 - (k + 1)",
     "ku-awdc/curveLandscape", "notebooks/triangular_numbers.R:23 (commit 83778235)",
     [] {
       return from_end([](u64 m) { return index_rows::r_from_end(static_cast<double>(m)); }, index_rows::condensed_r);
     },
     [](const IndexFailure& at) {
       return python(at, "m=float(n)*(n-1.)/2-(k+1); ", "n-2-math.floor((math.sqrt(1+8*m)-1)/2)");
     }},
};

}  // namespace

std::span<const IndexFormula> index_formulas() { return kFormulas; }

// `verify`: runs the checks and prints them as a table or as JSON.

namespace {

constexpr std::size_t kNameWidth = 33;
constexpr std::size_t kCasesWidth = 6;

/// The row in fixed columns, so that it can be printed at once: 33 name, 6 cases, 9 error, verdict, and what was
/// checked last, omitted on a narrow terminal.
std::string row_text(const VerifyRow& row, const Console& console) {
  const VerifyOutcome& o = row.outcome;
  const bool exact = row.check.limit == 0, skipped = !o.skipped.empty();
  const std::string worst = skipped               ? "-"
                            : exact               ? (o.worst == 0 ? "exact" : fmt::format("{:.0f} wrong", o.worst))
                            : std::isinf(o.worst) ? "no value"
                                                  : fmt::format("{:.1e}", o.worst);
  std::string text = fmt::format(
      "{:<{}} {:>{}}  {:>9}  {}", row.check.name, kNameWidth, o.cases, kCasesWidth, worst,
      skipped ? "skip  " : console.toned(o.passed ? "ok    " : "FAILED", o.passed ? Tone::good : Tone::bad));
  constexpr u32 kUsed = kNameWidth + 1 + kCasesWidth + 2 + 9 + 2 + 6 + 2;
  std::string what = row.check.what;
  if (!exact) what += fmt::format(", limit {:.0e}", row.check.limit);
  if (console.width() >= kUsed + what.size()) text += "  " + what;
  text.erase(text.find_last_not_of(' ') + 1);
  if (!o.passed || skipped)
    text += "\n    " + folded(skipped ? o.skipped : o.note, std::max(console.width(), 40u) - 4, 4);
  return text + "\n";
}

}  // namespace

int run_checks(const std::vector<VerifyCheck>& checks, bool json, Console& console, const std::atomic<bool>& stop) {
  std::vector<VerifyRow> rows;
  std::size_t failed = 0, skipped = 0, done = 0;
  const Stopwatch watch;
  const auto seconds = [&watch] { return watch.ms() / 1e3; };
  CheckRuns runs(checks);
  if (!json) {
    console.print(fmt::format("{:<{}} {:>{}}  {:>9}  verdict{}\n", "check", kNameWidth, "cases", kCasesWidth, "worst",
                              console.width() >= 100 ? " what was checked" : ""));
  }
  for (const VerifyCheck& check : checks) {
    if (stop.load()) break;
    console.progress(fmt::format("{} of {}: {}{}", done + 1, checks.size(), check.name,
                                 time_left(static_cast<double>(done), static_cast<double>(checks.size()), seconds())));
    const VerifyRow row = runs.next();
    ++done;
    failed += !row.outcome.passed, skipped += !row.outcome.skipped.empty();
    if (json) {
      rows.push_back(row);
    } else {
      console.print(row_text(row, console));
    }
  }
  const bool interrupted = done < checks.size();
  if (json) {
    console.print(verify_json(rows, seconds(), interrupted));
  } else {
    const std::string verdict = failed > 0    ? fmt::format("{} FAILED", failed)
                                : skipped > 0 ? fmt::format("{} skipped, the others passed", skipped)
                                              : "all passed";
    console.print(fmt::format("{} checks, {}, in {:.1f} s\n", done, verdict, seconds()));
  }
  if (interrupted) {
    console.note(fmt::format("interrupted after {} of {} checks.", done, checks.size()));
    return static_cast<int>(ExitCode::interrupted);
  }
  return static_cast<int>(failed == 0 ? ExitCode::ok : ExitCode::check_failed);
}

int run_verify(const RunConfig& config, Console& console) {
  VerifyPlan plan;
  plan.full = config.verify.full;
  plan.seed = config.common.seed.value_or(plan.seed);
  plan.threads = config.common.threads.value_or(0);
  plan.law = config.verify.law, plan.triple_law = config.verify.triple_law;
  plan.maps = all_maps();
  const auto owned = backends_to_check(config.common, &console);
  for (const auto& backend : owned) plan.backends.push_back(backend.get());
  return run_checks(make_checks(plan), config.common.json, console, interrupt_flag());
}

// `verify tree SCENE`: gravity by a tree beside all pairs.

int run_verify_tree(const RunConfig& config, Console& console) {
  const Scene scene = open_scene(config.verify.file, {});
  if (scene.field.triple != TripleLaw::none) {
    throw ConfigError(fmt::format("verify tree is of gravity alone, and '{}' has a law of triples.", scene.name));
  }
  EngineConfig engine;
  engine.precision = config.common.precision.value_or(usual_precision(scene, false));
  engine.pairs = PairSearch::tree;
  engine.tolerance = config.common.tolerance.value_or(Tolerance::automatic);
  CommonOptions common = config.common;
  common.pairs = PairSearch::tree;
  const std::unique_ptr<Backend> backend = open_backend(common, &console);
  const std::unique_ptr<Engine> bodies = backend->make_engine(scene.bodies, scene.field, engine);
  return run_checks(tree_checks(*bodies, scene.field, tree_tolerance(engine)), config.common.json, console,
                    interrupt_flag());
}

// `verify map NAME|FILE`: the proof of a map, side by side, and a picture of one side.

namespace {

using Json = nlohmann::ordered_json;
using mapfile::Proof;
using mapfile::ProvableMap;

constexpr const char* kDomainNames[] = {"pairs", "triples", "gasket"};
constexpr u32 kPictureSide = 16;  // drawn where every side is right

std::string domain_word(Domain domain) { return kDomainNames[static_cast<int>(domain)]; }

/// The built-in map of that name; pairs/bb where several domains have it. Null where no map has it.
std::shared_ptr<const ProvableMap> built_in_map(const std::string& text) {
  std::vector<std::shared_ptr<const ProvableMap>> found;
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron, Domain::gasket}) {
    for (u32 id = 0; id < built_in_maps(domain).size(); ++id) {
      const std::string name = built_in_maps(domain)[id].name;
      if (text != name && text != domain_word(domain) + "/" + name) continue;
      found.push_back(std::make_shared<mapfile::BuiltInMap>(domain, id));
    }
  }
  if (found.size() > 1) {
    throw ConfigError(fmt::format("several domains have a map {}; name that of one, as pairs/{}.", text, text));
  }
  return found.empty() ? nullptr : found.front();
}

std::shared_ptr<const ProvableMap> opened(const VerifyOptions& verify) {
  if (auto map = built_in_map(verify.file)) return map;
  return mapfile::MapFile::open(verify.file);
}

std::vector<u64> sides_of(const VerifyOptions& verify, Domain domain) {
  if (!verify.sides.empty()) return verify.sides;
  std::vector<u64> sides;
  const u64 last = domain == Domain::triangle ? 64 : domain == Domain::tetrahedron ? 24 : 128;
  for (u64 side = 1; side <= last; side = domain == Domain::gasket ? 2 * side : side + 1) sides.push_back(side);
  return sides;
}

Json met_json(const std::optional<mapfile::MetAt>& met) {
  if (!met) return nullptr;
  const Position& p = met->position;
  return {{"omega", met->omega},
          {"x", p.x},
          {"y", p.y},
          {"z", p.z},
          {"pass", p.pass},
          {"row", met->tile.row},
          {"col", met->tile.col},
          {"layer", met->tile.layer}};
}

Json proof_json(const Proof& p) {
  Json missed = nullptr;
  if (p.first_missed) {
    missed = {{"row", p.first_missed->row}, {"col", p.first_missed->col}, {"layer", p.first_missed->layer}};
  }
  return {{"m", p.side},
          {"passed", p.passed()},
          {"launched", p.launched},
          {"useful", p.useful},
          {"idle", p.idle()},
          {"tiles", p.expected},
          {"missed", p.missed},
          {"met_again", p.duplicates},
          {"outside", p.outside},
          {"without_value", p.faults},
          {"first_missed", missed},
          {"first_met_again", met_json(p.first_twice)},
          {"met_before", met_json(p.met_before)},
          {"first_outside", met_json(p.first_outside)},
          {"first_without_value", met_json(p.first_fault)},
          {"fault", p.passed() ? Json(nullptr) : Json(p.fault_text())}};
}

/// "1..64, 100" of rising sides.
std::string ranges_of(const std::vector<u32>& sides) {
  std::string text;
  for (std::size_t k = 0; k < sides.size();) {
    std::size_t last = k;
    while (last + 1 < sides.size() && sides[last + 1] == sides[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += last == k ? fmt::format("{}", sides[k]) : fmt::format("{}..{}", sides[k], sides[last]);
    k = last + 1;
  }
  return text;
}

std::string line_of(const Proof& p) {
  return fmt::format("m = {}: {} tiles, each once, none outside; {} positions, {} idle\n", p.side, grouped(p.expected),
                     grouped(p.launched), grouped(p.idle()));
}

std::string report(const ProvableMap& map, const std::vector<Proof>& proofs, const Console& console) {
  const MapInfo& info = map.info();
  std::string text = fmt::format("map of {} {}, {}\n", domain_word(info.domain), info.name,
                                 map.path().empty() ? "built in" : map.path());
  std::vector<u32> proved;
  const Proof* largest = nullptr;
  for (const Proof& p : proofs) {
    if (!p.passed()) {
      text += folded(fmt::format("{} at m = {}: {}", console.toned("wrong", Tone::bad), p.side, p.fault_text()),
                     std::max(console.width(), 40u), 4) +
              "\n";
    } else {
      proved.push_back(p.side);
      if (largest == nullptr || p.side > largest->side) largest = &p;
    }
  }
  if (largest != nullptr) {
    text += fmt::format("{} for m = {}\n", console.toned("proved", Tone::good), ranges_of(proved)) + line_of(*largest);
  }
  return text;
}

void draw(const ProvableMap& map, const std::vector<Proof>& proofs, const std::string& path, Console& console) {
  const auto wrong = std::find_if(proofs.begin(), proofs.end(), [](const Proof& p) { return !p.passed(); });
  // Of sides that are right, the largest that shows its numbers.
  const Proof* shown = wrong == proofs.end() ? &proofs.front() : &*wrong;
  for (const Proof& p : proofs) {
    if (wrong == proofs.end() && p.side <= kPictureSide && (p.side > shown->side || shown->side > kPictureSide))
      shown = &p;
  }
  if (const std::string why = picture_refusal(map, shown->side); !why.empty()) throw ConfigError("--plot: " + why);
  io::OutputFile file(path);
  file.write(map_picture(map, *shown));
  file.commit();
  console.note(fmt::format("side {} is drawn in {}", shown->side, path));
}

}  // namespace

int run_verify_map(const RunConfig& config, Console& console) {
  const VerifyOptions& verify = config.verify;
  const std::shared_ptr<const ProvableMap> map = opened(verify);
  std::vector<u64> sides = sides_of(verify, map->info().domain);
  std::sort(sides.begin(), sides.end());
  sides.erase(std::unique(sides.begin(), sides.end()), sides.end());
  for (const u64 side : sides) {
    if (const std::string why = proof_refusal(*map, side); !why.empty()) throw ConfigError("--n: " + why);
  }
  std::vector<Proof> proofs;
  bool passed = true;
  for (const u64 side : sides) {
    if (interrupt_flag().load()) break;
    proofs.push_back(prove(*map, static_cast<u32>(side)));
    passed = passed && proofs.back().passed();
    if (!passed && !config.common.json) break;  // the first wrong side says what there is to say
  }
  const bool interrupted = proofs.size() < sides.size() && passed;
  if (config.common.json) {
    Json results = Json::array();
    for (const Proof& p : proofs) results.push_back(proof_json(p));
    console.print(json_text(Json{{"map", map->info().name},
                                 {"domain", domain_word(map->info().domain)},
                                 {"file", map->path().empty() ? Json(nullptr) : Json(map->path())},
                                 {"passed", passed && !interrupted},
                                 {"interrupted", interrupted},
                                 {"results", results}}));
  } else {
    console.print(report(*map, proofs, console));
  }
  if (!verify.plot.empty() && !proofs.empty()) draw(*map, proofs, verify.plot, console);
  if (interrupted) return static_cast<int>(ExitCode::interrupted);
  return static_cast<int>(passed ? ExitCode::ok : ExitCode::check_failed);
}

}  // namespace tri::app
