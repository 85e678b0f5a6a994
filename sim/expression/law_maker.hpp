#pragma once
/// Puts a law together: text, derivative, programs, check.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sim/expression/emitter.hpp"
#include "sim/expression/law.hpp"
#include "sim/expression/law_text.hpp"

namespace tri::expression {

/// One law. Functions throw ConfigError or BeyondLimit.
class LawMaker {
 public:
  LawMaker(const SourceText& source, Over over);
  std::shared_ptr<const Law> make();

  /// law.uniforms() with more digits and range.
  static std::vector<long double> wide_uniforms(const Law& law, std::span<const double> values);

 private:
  void find_strengths();
  void take_masses();
  Id shifted_energy();
  Program emit(std::span<const Output> outputs);
  Program emit_uniforms(const std::vector<Id>& uniforms);
  void check();

  const SourceText& source_;
  LawText text_;
  Dag& dag_;
  std::shared_ptr<Law> law_;
  std::vector<Id> slopes_;     ///< 2 dE/dq, as they are checked
  std::vector<Id> strengths_;  ///< as programs have them
  std::vector<Id> uniforms_;
  Id squared_softening_ = 0, squared_cutoff_ = 0;
};

}  // namespace tri::expression
