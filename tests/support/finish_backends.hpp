#pragma once
/// Test programs end as the program does: after finish_backends(). Including this header is enough.

#include <gtest/gtest.h>

#include "sim/backend/backend.hpp"

namespace tri::test {

struct FinishBackends : testing::Environment {
  void TearDown() override { finish_backends(); }
};
inline testing::Environment* const kFinishBackends = testing::AddGlobalTestEnvironment(new FinishBackends);

}  // namespace tri::test
