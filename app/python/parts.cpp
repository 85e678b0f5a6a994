#include "app/python/parts.hpp"

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <charconv>
#include <chrono>
#include <system_error>
#include <thread>

#include <nanobind/stl/string.h>

#include "app/support/engine_choice.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"
#include "sim/scene/scene.hpp"

namespace tri::python {
namespace {

/// Longest wait for work of other threads at exit; what does not look in time goes on while the process ends.
constexpr double kPatience = 2;

std::atomic<pthread_t> main_thread{};

}  // namespace

bool InterpreterEnd::is_main_thread() { return pthread_equal(main_thread, pthread_self()) != 0; }

void InterpreterEnd::watch() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) return;  // not the main one, whose end it would not be
  const nanobind::object main = nanobind::module_::import_("threading").attr("main_thread")();
  main_thread = static_cast<pthread_t>(nanobind::cast<unsigned long>(main.attr("ident")));
  // Of the threads, a forked process has the one that forked, which is then Python's main thread.
  pthread_atfork(nullptr, nullptr, [] { main_thread = pthread_self(), taking_ = 0, working_ = 0; });
  nanobind::module_::import_("atexit").attr("register")(nanobind::cpp_function([] { close(); }));
}

void InterpreterEnd::enter() {
  ++taking_;
  if (!closing_ || is_main_thread()) return;
  --taking_;
  while (true) ::pause();
}

void InterpreterEnd::close() {
  closing_ = true;
  PyThreadState* const state = PyEval_SaveThread();
  const double begin = clock_s();
  while (taking_ > 0 || (working_ > 0 && clock_s() - begin < kPatience)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  finish_backends();
  PyEval_RestoreThread(state);
}

namespace {

/// The process that used the GPU; 0: none did.
std::atomic<pid_t> process_of_gpu{0};

void choose_map(const ForceField& field, const std::string& name, EngineOverrides& to) {
  const auto pair = find_triangle_map(name);
  const auto triple = find_tetra_map(name);
  if (!pair && !triple) triangle_map_from(name);  // throws, with the nearest name
  if (pair && field.pair != PairLaw::none) to.pair_map = pair;
  if (triple && field.triple != TripleLaw::none) to.triple_map = triple;
  if (!to.pair_map && !to.triple_map) {
    throw ConfigError(fmt::format("map '{}' is a map of {}, and the scene has no law of {}.", name,
                                  pair ? "pairs" : "triples", pair ? "pairs" : "triples"));
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const Name& name, int device) {
  if (name && *name != "auto" && *name != "cpu" && *name != "cuda") {
    throw ConfigError(fmt::format("backend is '{}'; give 'cpu', 'cuda' or None.", *name));
  }
  const pid_t before = process_of_gpu, now = getpid();
  if (before != 0 && before != now) {
    if (name == "cuda") {
      throw BackendError(
          "backend 'cuda' was in use before this process was forked, and CUDA does not survive a fork; start "
          "processes by multiprocessing's method 'spawn', or give backend='cpu'.");
    }
    return make_backend("cpu");
  }
  auto backend = make_backend(name.value_or("auto"), device);
  if (before == 0 && backend->info().name == "cuda") process_of_gpu = now;
  return backend;
}

EngineOverrides overrides_of(const ForceField& field, const Choices& choices) {
  app::CommonOptions asked;
  if (choices.precision) asked.precision = from_name<Precision>(*choices.precision);
  if (choices.accumulate) asked.accumulate = from_name<Accumulate>(*choices.accumulate);
  if (choices.pairs) asked.pairs = from_name<PairSearch>(*choices.pairs);
  if (choices.tolerance) asked.tolerance = from_name<Tolerance>(*choices.tolerance);
  if (choices.map) choose_map(field, *choices.map, asked);
  if (asked.triple_map) asked.arithmetic = Arithmetic::float32;  // products go over pairs
  app::check_choices(asked, field);
  return asked;
}

void check_effect(const EngineOverrides& asked, const ForceField& field, const EngineConfig& used,
                  const std::string& backend) {
  app::CommonOptions common;
  static_cast<EngineOverrides&>(common) = asked;
  if (used.pairs == PairSearch::tree && asked.pair_block) common.blocks = {*asked.pair_block};
  app::check_effect(common, field, used, backend);
}

// Scenes by their text, with keywords for keys.

namespace {

/// A number of Python as text, whatever the decimal point of the locale.
double number_given(const std::string& key, const std::string& value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return number;
  throw ConfigError(fmt::format("{} takes a finite number; got '{}'.", key, value));
}

/// Of a file of bodies, which takes no keys.
void set_run(Scene& scene, const Settings& settings) {
  bool automatic = false, fixed = false;
  std::optional<double> eta;
  for (const auto& [key, value] : settings) {
    if (key == "integrator") scene.integrator = integrator_from(value);
    if (key == "dt" && value == "auto") automatic = true;
    if (key == "dt" && value != "auto") scene.dt = number_given(key, value), fixed = true;
    if (key == "eta") eta = number_given(key, value);
  }
  if (fixed && eta)
    throw ConfigError("eta is the accuracy of automatic steps, and dt is a number; give one of the two.");
  if (automatic || eta) scene.eta = eta.value_or(usual_eta(scene.integrator));
}

/// A keyword of a law's parameter, with its value.
GivenParameter parameter_given(const LawParameter& p, const std::string& value) {
  if (p.flag != nullptr) {
    if (value == p.yes || value == p.no) return {p.option, value == p.yes ? 1.0 : 0.0};
    throw ConfigError(fmt::format("{} takes {} or {}; got '{}'.", p.option, p.no, p.yes, value));
  }
  return {p.option, number_given(p.option, value)};
}

}  // namespace

Scene scene_with(std::string spec, Settings settings) {
  SceneLaws laws;
  std::erase_if(settings, [&](const auto& s) {
    const LawParameter* p = parameter_of("--" + s.first);
    if (p == nullptr || has_key(spec, s.first)) return false;  // which the scene has a better use for
    laws.parameters.push_back(parameter_given(*p, s.second));
    return true;
  });
  for (const auto& [key, value] : settings) {
    if (key == "pair") laws.pair = value;
    if (key == "triple") laws.triple = value;
  }
  std::erase_if(settings, [](const auto& s) { return s.first == "pair" || s.first == "triple"; });
  if (!takes_keys(spec)) {
    Scene scene = open_scene(spec, laws);
    set_run(scene, settings);
    return scene;
  }
  for (const auto& [key, value] : settings) {
    spec += fmt::format("{}{}={}", split_spec(spec).second.empty() ? ":" : ",", key, value);
  }
  return open_scene(spec, laws);
}

namespace {

struct Words {
  std::string_view option, python;
};

/// What is no keyword.
constexpr Words kPhrases[] = {{"--threads 1", "one thread: os.sched_setaffinity(0, {0})"},
                              {"--restart", "Simulation.load()"}};

/// Commands that have a function.
constexpr Words kCommands[] = {{"`triangulum list scenes`", "triangulum.scenes()"},
                               {"`triangulum list maps`", "triangulum.maps()"},
                               {"triangulum list scenes", "triangulum.scenes()"},
                               {"triangulum list maps", "triangulum.maps()"}};

/// What is another keyword.
constexpr Words kOthers[] = {{"triple_law", "law"}, {"bins", "edges"}};

/// What follows an option that has no value there.
constexpr std::string_view kVerbs[] = {"a",      "accepts",   "and",    "are",   "belongs",  "changes", "chooses",
                                       "choose", "continues", "counts", "for",   "from",     "goes",    "has",
                                       "in",     "is",        "makes",  "moves", "names",    "needs",   "of",
                                       "on",     "or",        "out",    "reads", "replaces", "says",    "takes",
                                       "that",   "times",     "to",     "twice", "which",    "with"};

/// Names that may follow a value after "or".
constexpr std::string_view kNames[] = {"kdk",  "hermite", "yoshida4", "symplectic-euler", "cpu", "cuda",
                                       "fp32", "fp64",    "fast",     "ordered"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

std::size_t end_of_name(std::string_view text, std::size_t from) {
  while (from < text.size() && is_of_name(text[from])) ++from;
  return from;
}

/// Where the value ends that begins at `from`: at a blank or at punctuation before one; with its quotes.
std::size_t end_of_value(std::string_view text, std::size_t from) {
  if (text[from] == '"') return std::min(text.find('"', from + 1), text.size() - 1) + 1;
  std::size_t end = std::min(text.find_first_of(" )\n", from), text.size());
  while (end > from && std::string_view(".,;:").find(text[end - 1]) != std::string_view::npos) --end;
  return end;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.,+-e") == std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(word.back())) != 0;
}

std::string quoted(std::string_view word) {
  const bool bare = is_number(word) || word.front() == '"' || word.front() == '{';
  return bare ? std::string(word) : "'" + std::string(word) + "'";
}

/// Whether a part of a sentence ends within: by a bracket, or punctuation before a blank.
bool has_end(std::string_view text) {
  for (std::size_t at = text.find_first_of("`,;:)("); at != std::string::npos;
       at = text.find_first_of("`,;:)(", at + 1)) {
    if (std::string_view("`)(").find(text[at]) != std::string_view::npos || text.substr(at + 1).starts_with(' '))
      return true;
  }
  return text.find(". ") != std::string_view::npos;
}

/// Whether the place is in a whole command: after the name of a program, in the same part of the sentence.
bool is_in_command(std::string_view text, std::size_t at) {
  for (const std::string_view program : {"triangulum ", "mpirun ", "srun ", "cmake "}) {
    const std::size_t from = text.rfind(program, at);
    if (from == std::string_view::npos) continue;
    if (!has_end(text.substr(from, at - from))) return true;
  }
  return false;
}

/// Appends the keyword of the option at `at`, with its value; the place behind them.
std::size_t append_keyword(std::string_view text, std::size_t at, std::string& to) {
  for (const auto& [option, python] : kPhrases) {
    const std::size_t end = at + option.size();
    if (!text.substr(at).starts_with(option) || (end < text.size() && is_of_name(text[end]))) continue;
    to += python;
    return end;
  }
  std::size_t end = end_of_name(text, at + 2);
  std::string name(text.substr(at + 2, end - at - 2));
  std::replace(name.begin(), name.end(), '-', '_');
  for (const Words& other : kOthers) {
    if (name == other.option) name = other.python;
  }
  to += name;
  if (end + 1 >= text.size() || text[end] != ' ' ||
      std::string_view("(-").find(text[end + 1]) != std::string_view::npos) {
    return end;
  }
  const std::size_t stop = end_of_value(text, end + 1);
  const std::string_view value = text.substr(end + 1, stop - end - 1);
  if (value.empty() || is_one_of(kVerbs, value)) return end;
  to += "=" + quoted(value);
  end = stop;
  constexpr std::string_view kOr = " or ";
  if (text.substr(end).starts_with(kOr)) {
    const std::size_t from = end + kOr.size(), second = end_of_name(text, from);
    if (is_one_of(kNames, text.substr(from, second - from))) {
      to += " or " + quoted(text.substr(from, second - from));
      end = second;
    }
  }
  return end;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// "map='M' is wrong at m = N ...: See triangulum verify map FILE --n N." has the check of the map M as a function.
void name_map_check(std::string& text) {
  constexpr std::string_view kCommand = "triangulum verify map ", kMap = "map='";
  const std::size_t at = text.find(kCommand), map = text.find(kMap), side = text.rfind(" --n ");
  if (at == std::string::npos || map == std::string::npos || side == std::string::npos || side < at) return;
  const std::string name = text.substr(map + kMap.size(), text.find('\'', map + kMap.size()) - map - kMap.size());
  const std::string n = text.substr(side + 5, text.find_last_not_of('.') - side - 4);
  text.replace(at, std::string::npos, "triangulum.maps['" + name + "'](" + n + ").verify().");
}

}  // namespace

std::string of_arrays(std::string sentence) {
  replace_all(sentence, ", a smaller --dt or ", " or ");
  replace_all(sentence, "--precision fp64", "float64 arrays");
  replace_all(sentence, "--precision fp32", "float32 arrays");
  return sentence;
}

std::string in_keywords(std::string_view text) {
  std::string made;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool option = text.substr(at).starts_with("--") && at + 2 < text.size() &&
                        std::isalpha(static_cast<unsigned char>(text[at + 2])) != 0 &&
                        (at == 0 || !is_of_name(text[at - 1])) && !is_in_command(text, at);
    if (option) {
      at = append_keyword(text, at, made);
    } else {
      made += text[at++];
    }
  }
  name_map_check(made);
  for (const auto& [command, python] : kCommands) replace_all(made, command, python);
  return made;
}

nanobind::str text_of(const std::string& text) {
  const auto size = static_cast<Py_ssize_t>(text.size());
  return nanobind::steal<nanobind::str>(PyUnicode_DecodeUTF8(text.data(), size, "surrogateescape"));
}

// Errors of the engine as exceptions of Python, with their sentences.

void add_errors(nanobind::module_& module) {
  const nanobind::exception<NumericalError> numerical(module, "NumericalError", PyExc_ArithmeticError);
  numerical.attr("__doc__") = "A value that is not finite, or left the range of its type; the sentence names the step.";
  // The last one registered is asked first.
  nanobind::register_exception_translator(
      [](const std::exception_ptr& thrown, void* not_finite) {
        const auto raise = [](void* type, const Error& error) {
          PyErr_SetObject(static_cast<PyObject*>(type), text_of(in_keywords(error.what())).ptr());
        };
        try {
          std::rethrow_exception(thrown);
        } catch (const NumericalError& e) {
          raise(not_finite, e);
        } catch (const ConfigError& e) {
          raise(PyExc_ValueError, e);
        } catch (const FileError& e) {
          raise(PyExc_OSError, e);
        } catch (const MemoryError& e) {
          raise(PyExc_MemoryError, e);
        } catch (const Error& e) {  // BackendError, and failures of a device
          raise(PyExc_RuntimeError, e);
        } catch (const std::bad_alloc&) {  // which nobody predicted
          PyErr_SetString(PyExc_MemoryError, "there is less memory than this takes; give less, or end other programs.");
        } catch (const std::system_error& e) {
          if (e.code() != std::errc::resource_unavailable_try_again) throw;
          PyErr_SetString(PyExc_MemoryError, "the system starts no more threads; raise the limits of this session.");
        }
      },
      numerical.ptr());
  module.def(
      "in_keywords", [](const std::string& sentence) { return in_keywords(sentence); }, nanobind::arg("sentence"),
      "A sentence about options of the command line as one about keywords.");
}

}  // namespace tri::python
