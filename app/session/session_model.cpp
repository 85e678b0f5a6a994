// The model of a session: as lines "key = value" and back, changes of its parameters for people to read, times of maps,
// the distribution of its bodies.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"
#include "app/support/language.hpp"
#include "app/support/measurement.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::app {

namespace {

struct RealKey {
  std::string name;
  double* value;
};

struct FlagKey {
  std::string name;
  bool* value;
};

/// Every flag and number of a field by name.
std::vector<FlagKey> flags(ForceField& f) {
  std::vector<FlagKey> keys;
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.flag != nullptr) keys.push_back({fmt::format("{}.{}", law.name, p.key), &p.is_set(f)});
    }
  }
  return keys;
}

std::vector<RealKey> reals(ForceField& f) {
  std::vector<RealKey> keys;
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.real != nullptr) keys.push_back({fmt::format("{}.{}", law.name, p.key), &p.value(f)});
    }
  }
  const auto add = [&keys](const char* name, std::array<double, 3>& values) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      keys.push_back({fmt::format("{}.{}", name, "xyz"[axis]), &values[axis]});
    }
  };
  add("box.low", f.box.low), add("box.high", f.box.high), add("field", f.field);
  return keys;
}

template <class T>
T number(const std::string& line, const std::string& text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    throw ConfigError(phrase("'{}': the value is not a number of this kind.", line));
  }
  return value;
}

bool yes(const std::string& line, const std::string& text) {
  if (text != "yes" && text != "no") throw ConfigError(phrase("'{}': the value is yes or no.", line));
  return text == "yes";
}

/// The lines as values, before they become requests.
struct Read {
  std::string scene;
  ForceField field;
  double dt = 0, eta = 0;
  Integrator integrator = Integrator::kdk;
  bool backwards = false;
  EngineOverrides engine;
  u32 steps_per_frame = 1;
  double pace = 0;
  u64 step = 0;
};

bool read_engine(EngineOverrides& engine, const std::string& key, const std::string& value) {
  bool known = false;
  describe_engine(
      [&](EngineField names, auto& field) {
        if (key != names.key) return;
        field = engine_value<typename std::remove_reference_t<decltype(field)>::value_type>(value);
        known = true;
      },
      engine);
  return known;
}

void read_line(Read& r, const std::string& line, const std::string& key, const std::string& value) {
  for (const RealKey& real : reals(r.field)) {
    if (key == real.name) {
      *real.value = number<double>(line, value);
      return;
    }
  }
  for (const FlagKey& flag : flags(r.field)) {
    if (key == flag.name) {
      *flag.value = yes(line, value);
      return;
    }
  }
  if (read_engine(r.engine, key, value)) return;
  if (key == "scene") {
    r.scene = value;
  } else if (key == "pair-law") {
    set_pair_law(r.field, value);
  } else if (key == "triple-law") {
    set_triple_law(r.field, value);
  } else if (key == "boundary") {
    r.field.box.boundary = from_name<Boundary>(value);
  } else if (key == "dt") {
    r.dt = number<double>(line, value);
  } else if (key == "eta") {
    r.eta = number<double>(line, value);
  } else if (key == "backwards") {
    r.backwards = yes(line, value);
  } else if (key == "integrator") {
    r.integrator = integrator_from(value);
  } else if (key == "steps-per-frame") {
    r.steps_per_frame = number<u32>(line, value);
  } else if (key == "pace-of-time") {
    r.pace = number<double>(line, value);
  } else if (key == "step") {
    r.step = number<u64>(line, value);
  } else if (key != "time" && key != "n" && key != "edits" && key != "version") {  // for people to read
    throw ConfigError(phrase("'{}': there is no key '{}' in a session.", line, key));
  }
}

/// All that can be changed of a run, by the keys of a session's text.
std::vector<std::pair<std::string, std::string>> changeable(RunParameters p, const EngineConfig& asked) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto add = [&](std::string key, const auto& value) {
    all.emplace_back(std::move(key), fmt::format("{}", value));
  };
  add("dt", p.dt), add("eta", p.eta);
  add("backwards", p.backwards ? "yes" : "no");
  add("integrator", to_string(p.integrator));
  describe_engine([&](EngineField names, const auto& field) { add(names.key, engine_text(field)); }, asked);
  add("pair-law", pair_law_words(p.field));
  add("triple-law", triple_law_words(p.field));
  add("boundary", to_string(p.field.box.boundary));
  for (const FlagKey& flag : flags(p.field)) add(flag.name, *flag.value ? "yes" : "no");
  for (const RealKey& real : reals(p.field)) add(real.name, *real.value);
  return all;
}

}  // namespace

std::string session_text(const SessionModel& m) {
  std::string text;
  const auto line = [&text](std::string_view key, const auto& value) { text += fmt::format("{} = {}\n", key, value); };
  const Scene& scene = m.scene;
  line("scene", m.spec);
  line("n", m.n);
  if (m.population && m.population->edits > 0) line("edits", m.population->edits);
  line("step", m.steps);
  line("time", m.time);
  for (const auto& [key, value] :
       changeable({scene.field, scene.dt, scene.integrator, scene.eta, m.backwards}, m.asked)) {
    if (key != "eta" || scene.eta > 0) line(key, value);
    if (key == "integrator") line("steps-per-frame", m.steps_per_frame), line("pace-of-time", m.pace);
  }
  return text;
}

std::string change_text(const RunParameters& from, const EngineConfig& from_asked, const RunParameters& to,
                        const EngineConfig& to_asked, const UnitSystem* units) {
  const ClockUnit clock = clock_unit(units);
  constexpr std::size_t kLong = 24;  // a value that is only said to have changed
  const auto before = changeable(from, from_asked), after = changeable(to, to_asked);
  std::string text;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const auto& [key, value] = before[k];
    const std::string& now = after[k].second;
    if (now == value) continue;
    if (key == "dt") {
      text += phrase("dt {:.6g} to {:.6g}{}", clock.size * from.dt, clock.size * to.dt, clock.behind);
      continue;
    }
    const bool brief = value.size() <= kLong && now.size() <= kLong;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                        brief ? phrase("{} to {}", value, now) : std::string(tr("changed")));
  }
  return text;
}

Requests session_requests(const std::string& text) {
  Read r;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const std::size_t sign = line.find(" = ");
    if (sign == std::string::npos) throw ConfigError(phrase("'{}' is not a line of the form key = value.", line));
    read_line(r, line, line.substr(0, sign), line.substr(sign + 3));
  }
  if (r.scene.empty()) throw ConfigError("the text names no scene, so it is not that of a session.");
  // What an engine keeps, or what changes no bit, comes with the scene; the rest may depend on the laws.
  EngineOverrides with_scene;
  with_scene.precision = r.engine.precision, with_scene.threads = r.engine.threads;
  with_scene.slice_ms = r.engine.slice_ms;
  EngineConfig engine;
  apply_overrides(r.engine, engine);
  if (Series::is_named_by(r.scene)) {
    return {ask::Open{r.scene, with_scene}, ask::StepsPerFrame{r.steps_per_frame}, ask::PaceOfTime{r.pace},
            ask::GoTo{r.step}};
  }
  // The laws may be none for the scheme and the steps that the scene opens with, or the other way round.
  Requests requests{ask::Open{r.scene, with_scene}};
  if (r.dt > 0) requests.push_back(ask::TimeStep{r.dt});
  const bool any_law = r.integrator != Integrator::hermite;
  if (any_law) requests.push_back(ask::Scheme{r.integrator});
  requests.push_back(ask::Field{r.field});
  if (!any_law) requests.push_back(ask::Scheme{r.integrator});
  requests.insert(requests.end(), {ask::Blocks{engine.pair_block, engine.triple_block}, ask::Sums{engine.accumulate},
                                   ask::Accuracy{engine.arithmetic, engine.tolerance, engine.pairs},
                                   ask::Contacts{engine.broad_phase}});
  if (r.eta > 0) requests.push_back(ask::AutoStep{r.eta});
  if (r.field.pair != PairLaw::none) requests.push_back(ask::PairMap{engine.pair_map});
  if (r.field.triple != TripleLaw::none) requests.push_back(ask::TripleMap{engine.triple_map});
  if (r.backwards) requests.push_back(ask::Reverse{});
  requests.push_back(ask::StepsPerFrame{r.steps_per_frame});
  requests.push_back(ask::PaceOfTime{r.pace});
  return requests;
}

ClockUnit reading_unit(const UnitSystem* units, std::string_view quantity) {
  ClockUnit unit{1, unit_behind(units, quantity)};
  constexpr std::string_view kOfGauss = "(yr/2pi)";
  const std::size_t at = unit.behind.find(kOfGauss);
  if (at == std::string::npos) return unit;
  unit.behind.replace(at, kOfGauss.size(), "yr");
  unit.size = std::pow(clock_unit(units).size, quantity == "velocity" ? -1 : -2);
  return unit;
}

// Times of maps, and what is timed next.

void Samples::add(double ms) {
  if (values_.size() == kMax) values_.erase(values_.begin());
  values_.push_back(ms);
}

double Samples::median() const { return values_.empty() ? 0 : sample_stats(values_).median; }

bool MapRow::is_slow() const {
  constexpr double kSlow = 4;
  constexpr std::size_t kMinTurns = 3;  // something else may have slowed one down
  return turns.own.values().size() >= kMinTurns && turns.own.median() > kSlow * turns.baseline.median();
}

std::size_t map_to_time(const std::vector<MapRow>& rows, std::size_t in_use, std::size_t first) {
  const auto wants = [&](std::size_t k) { return k != 0 && rows[k].wants_turns(); };
  if (first < rows.size() && wants(first)) return first;
  const auto rank = [&](std::size_t k) {
    return rows[k].turns.own.values().size() + rows[k].failed + (rows[k].is_slow() ? MapRow::kEnoughTurns : 0);
  };
  std::size_t next = in_use;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    if (wants(k) && (!wants(next) || rank(k) < rank(next))) next = k;
  }
  return next;
}

bool is_same_work(const ForceField& a, const ForceField& b) {
  const auto is_same_text = [](const expression::TypedLaw& one, const expression::TypedLaw& two) {
    return one.law == two.law || one.law->text() == two.law->text();
  };
  if (a.pair != b.pair || a.triple != b.triple || a.box.boundary != b.box.boundary) return false;
  if (a.pair == PairLaw::typed && !is_same_text(a.typed_pair, b.typed_pair)) return false;
  if (pair_cutoff(a) != pair_cutoff(b)) return false;
  if (a.pair == PairLaw::contact && a.contact.impulse != b.contact.impulse) return false;
  const expression::TypedLaw &one = a.typed_triple, &two = b.typed_triple;
  return a.triple != TripleLaw::typed ||
         (is_same_text(one, two) && one.law->cutoff(one.values) == two.law->cutoff(two.values));
}

double SessionModel::work_items() const {
  const double m = static_cast<double>(n);
  double items = 0;
  if (!pair_maps.empty()) items += m * (m - 1) / 2;
  if (!triple_maps.empty()) items += m * (m - 1) * (m - 2) / 6;
  return items;
}

RankShares SessionModel::shares(Domain domain) const {
  // Triples as products on tensor cores go along the map of pairs, and a grid along none. Devices share no other
  // search.
  const bool products = !triple_maps.empty() && engine.arithmetic == Arithmetic::tensor;
  const bool along_none =
      scene.field.pair == PairLaw::contact && (engine.broad_phase == BroadPhase::grid || backend.name == "cuda");
  if (domain == Domain::triangle && !pair_maps.empty() && !along_none) return pair_shares;
  if (domain == Domain::triangle && products) return pair_shares;
  if (domain == Domain::tetrahedron && !triple_maps.empty() && !products) return triple_shares;
  return {};
}

// How the bodies are distributed.

namespace {

/// Of three numbers std::hypot() may lose one that is not finite.
double length_of(double x, double y, double z) { return std::hypot(std::hypot(x, y), z); }

/// Distances from the centre of mass; from the mean place where nothing has a mass.
std::vector<double> distances_from_centre(const Bodies& b) {
  double sum[3] = {}, mass = 0;
  const bool weighted = std::any_of(b.m.begin(), b.m.end(), [](double m) { return m > 0; });
  const auto finite = [&](std::size_t i) { return std::isfinite(b.x[i] + b.y[i] + b.z[i]); };
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!finite(i)) continue;
    const double w = weighted ? b.m[i] : 1;
    sum[0] += w * b.x[i], sum[1] += w * b.y[i], sum[2] += w * b.z[i], mass += w;
  }
  std::vector<double> r(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    r[i] = length_of(b.x[i] - sum[0] / mass, b.y[i] - sum[1] / mass, b.z[i] - sum[2] / mass);
  }
  return r;
}

std::vector<double> values_of(const Bodies& b, SurveyOf of) {
  if (of == SurveyOf::mass) return b.m;
  if (of == SurveyOf::radius) return b.r;
  if (of != SurveyOf::speed) return distances_from_centre(b);
  std::vector<double> v(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) v[i] = length_of(b.vx[i], b.vy[i], b.vz[i]);
  return v;
}

/// [bins + 1] of the finite values, of which there is one at least.
std::vector<double> even_edges(const std::vector<double>& finite, u32 bins) {
  auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  double from = *low, to = *high;
  if (from == to) from -= std::max(0.5 * std::abs(from), 1e-12), to += std::max(0.5 * std::abs(to), 1e-12);
  std::vector<double> edges(bins + 1);
  for (u32 k = 0; k <= bins; ++k) edges[k] = from + (to - from) * k / bins;
  edges.back() = to;
  return edges;
}

/// 0, then equal ratios from the radius that holds the innermost bodies to the outermost one.
std::vector<double> shell_edges(std::vector<double> finite, u32 bins) {
  const std::size_t inner = std::min(finite.size() - 1, std::max<std::size_t>(10, finite.size() / 100));
  const double outer = *std::max_element(finite.begin(), finite.end());
  std::nth_element(finite.begin(), finite.begin() + static_cast<std::ptrdiff_t>(inner), finite.end());
  const double first = finite[inner];
  if (!(first > 0) || !(outer > first)) return even_edges({0, std::max(outer, 1e-12)}, bins);
  std::vector<double> edges(bins + 1);
  for (u32 k = 1; k <= bins; ++k) edges[k] = first * std::pow(outer / first, static_cast<double>(k - 1) / (bins - 1));
  edges.back() = outer;
  return edges;
}

}  // namespace

Survey survey_of(const Bodies& bodies, SurveyOf of, u32 bins) {
  TRI_EXPECTS(bins >= 2);
  Survey survey;
  survey.of = of;
  const std::vector<double> values = values_of(bodies, of);
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double v) { return std::isfinite(v); });
  survey.left_out = values.size() - finite.size();
  if (finite.empty()) return survey;
  const bool density = of == SurveyOf::density;
  survey.edges = density ? shell_edges(finite, bins) : even_edges(finite, bins);
  survey.value.assign(bins, 0), survey.bodies.assign(bins, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const auto above = std::upper_bound(survey.edges.begin(), survey.edges.end(), values[i]);
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(above - survey.edges.begin()) - 1, bins - 1);
    ++survey.bodies[k];
    survey.value[k] += density ? bodies.m[i] : 1;
  }
  for (u32 k = 0; density && k < bins; ++k) {
    const auto ball = [](double r) { return 4 * std::numbers::pi / 3 * r * r * r; };
    survey.value[k] /= ball(survey.edges[k + 1]) - ball(survey.edges[k]);
  }
  return survey;
}

}  // namespace tri::app
