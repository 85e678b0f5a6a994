// `verify map NAME|FILE`: the proof of a map, side by side, and a picture of one side.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/plot/map_picture.hpp"
#include "app/support/commands.hpp"
#include "app/support/interrupt.hpp"
#include "app/support/json_text.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/mapfile/built_in_map.hpp"
#include "sim/mapfile/map_file.hpp"
#include "sim/mapfile/proof.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
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
