#include "app/session/demo_table.hpp"

#include <algorithm>
#include <set>

#include "app/support/run_config.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

std::vector<DemoRow> own_rows() {
  return {
      {"maps",
       {{"plummer:n=8192",
         "A star cluster: every pair attracts once. All maps take turns on the same stars; below, the tiles to which "
         "each map sends its blocks."}}},
      {"pairs",
       {{"plummer:n=8192", "Gravity among 8,192 stars: 33.5 million pairs a step, by one map after another."},
        {"sphere-box:n=4096", "Spheres that collide, coloured by how many others each one touches.", "domain", true,
         "contacts"},
        {"argon-droplet:n=2048,nu=0", "A droplet of argon: atoms attract from afar and repel when near."}}},
      {"triples",
       {{"argon-droplet:n=256",
         "A droplet of argon: triples of atoms interact too. The maps of the tetrahedron take turns; below, the tiles "
         "to "
         "which each sends its blocks."},
        {"argon-crystal:n=256,temperature=150",
         "A crystal of argon, warmed until it melts: pairs hold it together, triples take 6 % of that back."}}},
      {"views",
       {{"plummer:n=2048,seed=3",
         "The distances of all pairs of stars as an image: it is symmetric, so only half is computed.", "distances",
         false},
        {"sphere-box:n=1000",
         "Life on the triangle of pairs: cells live by their neighbours, and each map visits every cell once.",
         "automaton", false}}},
      {"gasket",
       {{"plummer:n=512,seed=1",
         "The Sierpinski gasket: cells are born with two neighbours and survive with one or two. Its maps take turns, "
         "and the states do not change.",
         "fractal", false, "", 30, "gasket:r=10,rule=B2/S12"},
        {"plummer:n=512,seed=2", "The same on Vicsek's fractal, five copies of itself a third as wide.", "fractal",
         false, "", 30, "vicsek:r=6,rule=B2/S12"},
        {"plummer:n=512,seed=3", "Conway's life on the Sierpinski carpet.", "fractal", false, "", 30, "carpet:r=6"},
        {"plummer:n=512,seed=4",
         "The gasket of side 16,384: 4.8 million cells in 4.6 MiB, where the full square would take 256.", "fractal",
         false, "", 30, "gasket:r=14,rule=B2/S12"}}},
  };
}

/// Stops for all built-in scenes that have none yet.
std::vector<DemoStop> other_scenes(const std::vector<DemoStop>& stops) {
  std::set<std::string> seen;
  for (const DemoStop& s : stops) seen.insert(scene_name(s.scene));
  std::vector<DemoStop> more;
  for (const SceneInfo& scene : list_scenes()) {
    if (!seen.contains(scene.name)) more.push_back({scene.name, scene.title, "", false});
  }
  return more;
}

std::vector<DemoRow> all_rows() {
  std::vector<DemoRow> rows = own_rows();
  DemoRow tour{"tour", {}};
  for (const DemoRow& row : rows) tour.stops.insert(tour.stops.end(), row.stops.begin(), row.stops.end());
  const std::vector<DemoStop> more = other_scenes(tour.stops);
  tour.stops.insert(tour.stops.end(), more.begin(), more.end());
  for (DemoStop& stop : tour.stops) stop.seconds = std::min(stop.seconds, 30.0);
  rows.push_back(std::move(tour));
  return rows;
}

}  // namespace

const std::vector<DemoRow>& demo_rows() {
  static const std::vector<DemoRow> kRows = all_rows();
  return kRows;
}

std::vector<std::string_view> demo_names() {
  std::vector<std::string_view> names;
  for (const DemoRow& row : demo_rows()) names.emplace_back(row.name);
  return names;
}

std::vector<DemoStop> demo_stops(const std::string& name, const std::string& scene) {
  const auto& rows = demo_rows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const DemoRow& r) { return name == r.name; });
  if (row == rows.end()) {
    const std::vector<std::string_view> names = demo_names();
    throw ConfigError(unknown_name("demo", name, names));
  }
  std::vector<DemoStop> stops = row->stops;
  if (scene.empty()) return stops;
  stops.resize(1);
  stops.front().scene = scene, stops.front().caption.clear();
  return stops;
}

}  // namespace tri::app
