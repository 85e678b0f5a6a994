// What the command and the Python module share: the backends to check, and the result as JSON.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/support/engine_choice.hpp"
#include "app/verify/verify_checks.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const VerifyRow& row) {
  return {{"name", row.check.name},
          {"what", row.check.what},
          {"cases", row.outcome.cases},
          {"worst", row.outcome.worst},
          {"limit", row.check.limit},
          {"passed", row.outcome.passed},
          {"note", row.outcome.note.empty() ? Json(nullptr) : Json(row.outcome.note)},
          {"skipped", row.outcome.skipped.empty() ? Json(nullptr) : Json(row.outcome.skipped)},
          {"seconds", row.seconds}};
}

}  // namespace

std::string verify_json(const std::vector<VerifyRow>& rows, double seconds, bool interrupted) {
  Json results = Json::array();
  for (const VerifyRow& row : rows) results.push_back(row_json(row));
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const VerifyRow& r) { return !r.outcome.passed; });
  const Json result = {{"passed", failed == 0 && !interrupted},
                       {"checks", rows.size()},
                       {"failed", failed},
                       {"interrupted", interrupted},
                       {"seconds", seconds},
                       {"results", results}};
  return result.dump(2) + "\n";
}

std::vector<std::unique_ptr<Backend>> backends_to_check(const CommonOptions& common, Console* console) {
  std::vector<std::unique_ptr<Backend>> owned;
  if (common.backend != "auto" || common.device >= 0) {
    owned.push_back(open_backend(common, console));
    return owned;
  }
  for (const BackendEntry& entry : list_backends()) {
    if (entry.available) {
      owned.push_back(make_backend(entry.name));
    } else if (console != nullptr) {
      console->note(fmt::format("{} is not checked: {}.", entry.name, entry.available.reason));
    }
  }
  return owned;
}

}  // namespace tri::app
