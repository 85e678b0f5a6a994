// Commands for benchmarks, files and the window.

#include <algorithm>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/base/plot_view.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/script/script_rows.hpp"
#include "app/support/axes.hpp"
#include "app/views/demo_table.hpp"

namespace tri::app::gui {
namespace {

ScriptAct read_bench(const ScriptWords& w) {
  if (w.size() < 2 || w.size() > 4) throw ConfigError("it takes a kernel and sizes, and if wanted maps and samples");
  BenchChoice choice;
  const std::vector<BenchKernel> kernels = parse_kernels(w[0]);
  if (kernels.size() != 1) throw ConfigError("it takes one kernel");
  choice.kernel = kernels.front();
  choice.sizes = w[1];
  if (w.size() > 2 && w[2] != "all") choice.maps = name_list("maps", w[2]);
  if (w.size() > 3) choice.samples = static_cast<u32>(whole_number("samples", w[3], 1, 1000));
  bench_plan(bench_config(choice));  // throws where there is no such bench
  return [choice](ScriptHost& h) {
    BenchChoice& now = h.state.bench.choice;
    now.kernel = choice.kernel, now.sizes = choice.sizes, now.maps = choice.maps, now.samples = choice.samples;
    h.state.bench.start = true;
    h.state.panels.open = "Bench";
  };
}

ScriptAct read_race(const ScriptWords& w) {
  const std::string text = one(w, "a number of bodies, or none");
  if (text == "none") return [](ScriptHost& h) { h.state.race.shown = false; };
  return [n = whole_number("it", text, 2, u64{1} << 24)](ScriptHost& h) {
    open_race(h.model, h.state.race);
    h.state.race.n = n, h.state.race.maps.clear(), h.state.race.start = true;
  };
}

ScriptAct read_race_extra(const ScriptWords& w) {
  const auto extra = static_cast<RaceExtra>(choice("it", one(w, "what to time"), {"over-n", "triples", "gasket"}));
  return [extra](ScriptHost& h) { h.state.race.extra = extra; };
}

ScriptAct read_plot_save(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes a plot, with - for blanks, and a file");
  std::string id = w[0];
  std::replace(id.begin(), id.end(), '-', ' ');
  return [id, path = w[1]](ScriptHost&) { save_plot(id, path); };
}

ScriptAct read_resize(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes width and height in pixels");
  const auto side = [](const std::string& t) { return static_cast<u32>(whole_number("it", t, 64, 16384)); };
  return [width = side(w[0]), height = side(w[1])](ScriptHost& h) { h.resize(width, height); };
}

constexpr ScriptRow kJobRows[] = {
    {"bench", "bench KERNEL SIZES [MAPS [SAMPLES]]", read_bench},
    {"bench-cancel", "bench-cancel",
     [](const ScriptWords& w) -> ScriptAct { return none(w), [](ScriptHost& h) { h.state.bench.cancel = true; }; }},
    {"bench-save", "bench-save FILE.csv|json|svg",
     [](const ScriptWords& w) -> ScriptAct {
       return [path = one(w, "a file")](ScriptHost& h) { h.state.bench.save = path; };
     }},
    {"race", "race BODIES|none", read_race},
    {"race-extra", "race-extra over-n|triples|gasket", read_race_extra},
    {"race-save", "race-save FILE.csv",
     [](const ScriptWords& w) -> ScriptAct {
       return [path = one(w, "a file")](ScriptHost& h) { h.state.race.save = path; };
     }},
    {"plot-save", "plot-save PLOT FILE.csv", read_plot_save},
    {"demo", "demo NAME|none",
     [](const ScriptWords& w) -> ScriptAct {
       std::vector<std::string_view> names = demo_names();
       names.emplace_back("none");
       return [name = std::string(names[choice("it", one(w, "a demonstration, or none"), names)])](ScriptHost& h) {
         h.state.pending.demo = name;
       };
     }},
    {"settings", "settings FILE",
     [](const ScriptWords& w) -> ScriptAct {
       return [path = one(w, "a file")](ScriptHost& h) { h.state.pending.settings = path; };
     }},
    {"resize", "resize WIDTH HEIGHT", read_resize},
};

}  // namespace

std::span<const ScriptRow> job_rows() { return kJobRows; }

}  // namespace tri::app::gui
