#include "app/session/session_model.hpp"

#include <algorithm>

#include "app/support/sample_stats.hpp"

namespace tri::app {

void Samples::add(double ms) {
  if (values_.size() == kMax) values_.erase(values_.begin());
  values_.push_back(ms);
}

double Samples::median() const { return values_.empty() ? 0 : sample_stats(values_).median; }
double Samples::iqr() const { return values_.empty() ? 0 : sample_stats(values_).iqr; }

double SessionModel::work_items() const {
  const double m = static_cast<double>(n);
  double items = 0;
  if (!pair_maps.empty()) items += m * (m - 1) / 2;
  if (!triple_maps.empty()) items += m * (m - 1) * (m - 2) / 6;
  return items;
}

}  // namespace tri::app
