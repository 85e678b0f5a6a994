/// What is so far away that kernels would take it for the bodies beyond n is refused before it gets to a device.

#include "sim/cuda/engine/device_range.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

std::string device_refusal(const Bodies& b, const ForceField& field, Precision precision) {
  try {
    cuda::check_device_range(b, field, precision);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceRange, WhatIsNearTheBodiesBeyondTheLastIsRefused) {
  const std::function<double&(Bodies&)> columns[] = {
      [](Bodies& b) -> double& { return b.x[1]; }, [](Bodies& b) -> double& { return b.y[1]; },
      [](Bodies& b) -> double& { return b.z[1]; }, [](Bodies& b) -> double& { return b.r[1]; }};
  ForceField none;
  none.pair = PairLaw::none;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const double most = cuda::reach(precision);
    // Kernels put the others at 1e18 and 1e150: two squared distances from there, and from here, differ.
    EXPECT_LE(most, precision == Precision::fp32 ? 1e17 : 1e149);
    for (const auto& column : columns) {
      for (const double sign : {1.0, -1.0}) {
        Bodies b;
        b.add(0, 0, 0, 0, 0, 0, 1, 0.5), b.add(1, 0, 0, 0, 0, 0, 1, 0.5);
        if (sign < 0 && &column == &columns[3]) continue;  // no radius
        column(b) = sign * most;
        EXPECT_EQ(device_refusal(b, none, precision), "");
        column(b) = sign * 1.01 * most;
        test::expect_parts(device_refusal(b, none, precision), {"a coordinate or the radius of body 1",
                                                                "the cuda backend computes up to", "--backend cpu"});
        EXPECT_EQ(device_refusal(b, none, precision).find("--precision fp64") != std::string::npos,
                  precision == Precision::fp32);
      }
    }
  }
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1), b.add(1, 0, 0, 0, 0, 0, 1);
  ForceField argon;
  argon.pair = PairLaw::lennard_jones;
  argon.lennard_jones.sigma = 2e16, argon.lennard_jones.epsilon = 1e33;
  test::expect_parts(device_refusal(b, argon, Precision::fp32), {"sigma is 2e+16", "up to 1e+16 in fp32"});
  EXPECT_EQ(device_refusal(b, argon, Precision::fp64), "");
}

}  // namespace
}  // namespace tri
