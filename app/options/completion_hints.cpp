// What shells may offer for the values of options: from the lists that the parsers read.

#include "app/options/option_specs.hpp"
#include "app/support/option_values.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {

OptionSpec one_of(const char* option, std::vector<std::string_view> names, std::function<void(std::size_t)> store) {
  Offer offer = offer_names(names);
  return {option, false,
          [option, names = std::move(names), store = std::move(store)](const std::string& v) {
            store(choice(option, v, names));
          },
          std::move(offer)};
}

Offer offer_names(const std::vector<std::string_view>& names, Offer::Path path) {
  return {{names.begin(), names.end()}, false, path};
}

Offer offer_list(const std::vector<std::string_view>& names) { return {{names.begin(), names.end()}, true}; }

Offer offer_file() { return {{}, false, Offer::Path::file}; }

Offer offer_folder() { return {{}, false, Offer::Path::folder}; }

Offer offer_scenes(bool with_fractals) {
  Offer offer = offer_file();
  offer.scenes = true;
  for (const SceneInfo& scene : list_scenes()) offer.names.emplace_back(scene.name);
  if (with_fractals) {
    for (const Fractal& fractal : list_fractals()) offer.names.push_back(fractal.name);
  }
  return offer;
}

}  // namespace tri::app
