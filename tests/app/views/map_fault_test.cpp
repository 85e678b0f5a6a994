// Faults of maps beyond their limits: none up to the limit, the first wrong tile above it.

#include "app/views/map_fault.hpp"

#include <gtest/gtest.h>

#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

TEST(MapFault, HistoricalMapsFailRightAboveTheirLimit) {
  u32 historical = 0;
  for (u32 k = 0; k < kTriangleMapCount; ++k) {
    const auto id = static_cast<TriangleMapId>(k);
    if (!info(id).historical || info(id).max_side + 1 > kMaxFaultSide) continue;
    ++historical;
    const auto limit = static_cast<u32>(info(id).max_side);
    EXPECT_FALSE(find_fault(id, limit)) << info(id).name;
    const auto fault = find_fault(id, limit + 1);
    ASSERT_TRUE(fault) << info(id).name;
    EXPECT_NE(fault->visits, 1u);
    EXPECT_LE(fault->tile.x, fault->tile.y);
    EXPECT_LE(fault->tile.y, limit);
    EXPECT_GT(fault->missed + fault->outside, 0u);
  }
  EXPECT_GE(historical, 3u);
}

TEST(MapFault, ExactMapsHaveNone) {
  for (u32 k = 0; k < kTriangleMapCount; ++k) {
    const auto id = static_cast<TriangleMapId>(k);
    for (const u32 side : {1u, 2u, 3u, 17u, 64u, 100u}) EXPECT_FALSE(find_fault(id, side)) << info(id).name << side;
  }
  for (u32 k = 0; k < kTetraMapCount; ++k) {
    const auto id = static_cast<TetraMapId>(k);
    for (const u32 side : {1u, 2u, 7u, 33u}) EXPECT_FALSE(find_fault(id, side)) << info(id).name << side;
  }
}

TEST(MapFault, TheTetrahedronsPublishedMapFailsAtALayer) {
  const auto limit = static_cast<u32>(info(TetraMapId::tetra_r).max_side);
  EXPECT_FALSE(find_fault(TetraMapId::tetra_r, limit));
  const auto fault = find_fault(TetraMapId::tetra_r, limit + 1);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->tile.x <= fault->tile.y && fault->tile.y <= fault->tile.z && fault->tile.z <= limit);
}

}  // namespace
}  // namespace tri::app
