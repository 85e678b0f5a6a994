#pragma once
/// How much work a typed law is, for launches that are cut by time (runtime/slicing.hpp).

#include <algorithm>

#include "sim/expression/law.hpp"

namespace tri::cuda {

/// Instructions of a pair or triple of the law, in those that slicing.cpp allows for one; at least 1. Pure.
inline double typed_work(const expression::Law& law) {
  constexpr double kAllowed = 40, kOfSums = 15, kOfFunction = 30;
  double instructions = kOfSums;
  for (const expression::Instruction& code : law.strength().code) {
    instructions += code.op >= expression::Op::power && code.op <= expression::Op::erfc ? kOfFunction : 1;
  }
  return std::max(1.0, instructions / kAllowed);
}

}  // namespace tri::cuda
