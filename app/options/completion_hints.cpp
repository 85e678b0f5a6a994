// Completion hints for option values, from the parsers' lists.

#include "app/options/option_specs.hpp"
#include "app/support/option_values.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {

OptionSpec one_of(const char* option, std::vector<std::string_view> names, std::function<void(std::size_t)> store) {
  CompletionHint hint = hint_names(names);
  return {option, false,
          [option, names = std::move(names), store = std::move(store)](const std::string& v) {
            store(choice(option, v, names));
          },
          std::move(hint)};
}

CompletionHint hint_names(const std::vector<std::string_view>& names, CompletionHint::Path path) {
  return {{names.begin(), names.end()}, false, path};
}

CompletionHint hint_list(const std::vector<std::string_view>& names) { return {{names.begin(), names.end()}, true}; }

CompletionHint hint_file() { return {{}, false, CompletionHint::Path::file}; }

CompletionHint hint_folder() { return {{}, false, CompletionHint::Path::folder}; }

CompletionHint hint_scenes(bool with_fractals) {
  CompletionHint hint = hint_file();
  hint.scenes = true;
  for (const SceneInfo& scene : list_scenes()) hint.names.emplace_back(scene.name);
  if (with_fractals) {
    for (const Fractal& fractal : list_fractals()) hint.names.push_back(fractal.name);
  }
  return hint;
}

}  // namespace tri::app
