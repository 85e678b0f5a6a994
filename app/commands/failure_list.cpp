#include "app/commands/failure_list.hpp"

#include <fmt/format.h>

#include "app/support/text_table.hpp"
#include "app/verify/index_failures.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

std::string failure_text(const IndexFailure& at) {
  if (!at.found) return at.scanned;
  const std::string where = at.side == 0 ? fmt::format("index {}", grouped(at.index))
                                         : fmt::format("n = {}, index {}", grouped(at.side), grouped(at.index));
  const std::string given = at.given ? fmt::format("{}", *at.given) : "the root of a negative number";
  return fmt::format("wrong from {} on: {} for {} (tried: {})", where, given, at.right, at.scanned);
}

}  // namespace

Json failures_json() {
  Json rows = Json::array();
  for (const IndexFormula& f : index_formulas()) {
    const IndexFailure at = f.find();
    Json row = {
        {"name", f.name}, {"numbers", f.numbers}, {"formula", f.formula}, {"project", f.project}, {"place", f.place}};
    row["n"] = at.side == 0 ? Json(nullptr) : Json(at.side);
    row["index"] = at.found ? Json(at.index) : Json(nullptr);
    row["given"] = at.given ? Json(*at.given) : Json(nullptr);
    row["right"] = at.found ? Json(at.right) : Json(nullptr);
    row["tried"] = at.scanned;
    row["command"] = at.found ? Json(f.command(at)) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string failures_text(u32 width) {
  TextTable table(
      {{"formula"}, {"source; numbers; the row of an index from 0, and where it is wrong for the first time"}});
  std::string commands;
  for (const IndexFormula& f : index_formulas()) {
    const IndexFailure at = f.find();
    table.add_spanning(f.name, fmt::format("{}, {}; {}", f.project, f.place, f.numbers));
    table.add_spanning("", f.formula);
    table.add_spanning("", failure_text(at));
    if (at.found) commands += f.command(at) + "\n";
  }
  return table.text(width) + "\n" +
         folded("Each of these prints what a formula gives there, and the right row:", width, 0) + "\n" + commands;
}

}  // namespace tri::app
