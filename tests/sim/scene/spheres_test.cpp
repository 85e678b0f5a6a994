/// Placement of spheres: the same places as by random sequential addition in plain loops, and progress.

#include "sim/scene/spheres.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/progress.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

using scene::Random;
using scene::Vec;

Bodies with_radii(u32 n, double largest, double smallest) {
  Bodies b;
  Random random(n + 7);
  for (u32 i = 0; i < n; ++i) b.add(0, 0, 0, 0, 0, 0, 1, random.uniform(smallest, largest));
  for (u32 i = 0; i + 3 < n; i += 4) b.r[i + 1] = b.r[i];  // equal ones go by their number
  return b;
}

/// All spheres placed so far are looked at for each try.
void place_in_plain_loops(Bodies& b, Boundary walls, Random& random) {
  const bool periodic = walls == Boundary::periodic;
  std::vector<std::size_t> order(b.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return b.r[i] > b.r[j]; });
  for (std::size_t placed = 0; placed < order.size(); ++placed) {
    const std::size_t i = order[placed];
    const double margin = periodic ? 0.0 : b.r[i];
    bool free = false;
    while (!free) {
      for (auto* axis : {&b.x, &b.y, &b.z}) (*axis)[i] = random.uniform(margin, 1.0 - margin);
      free = std::none_of(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(placed), [&](std::size_t j) {
        double d[3] = {b.x[j] - b.x[i], b.y[j] - b.y[i], b.z[j] - b.z[i]};
        for (double& c : d) c -= periodic ? std::round(c) : 0.0;
        const double reach = b.r[j] + b.r[i];
        return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= reach * reach;
      });
    }
  }
}

TEST(PlaceSpheres, GivesTheSameBitsAsPlainLoops) {
  struct Case {
    u32 n;
    double largest, smallest;
  };
  for (const Case& c : {Case{1, 0.2, 0.2}, Case{2, 0.24, 0.2}, Case{20, 0.1, 0.1}, Case{60, 0.09, 0.03},
                        Case{1500, 0.033, 0.015}, Case{1500, 0.05, 0.001}, Case{800, 1e-4, 1e-5}}) {
    for (const Boundary walls : {Boundary::open, Boundary::reflecting, Boundary::periodic}) {
      SCOPED_TRACE(std::to_string(c.n) + " up to " + std::to_string(c.largest) + ", " + to_string(walls));
      Bodies want = with_radii(c.n, c.largest, c.smallest), got = want;
      Random slow(3), fast(3);
      place_in_plain_loops(want, walls, slow);
      scene::place_spheres("test", got, walls, fast);
      EXPECT_TRUE(same_bits(got, want));
      EXPECT_EQ(fast.uniform(), slow.uniform()) << "the next random number";
    }
  }
}

TEST(PlaceSpheres, ReportsAndCanBeEnded) {
  class Sink final : public ProgressSink {
   public:
    void report(const ProgressReport& r) override {
      if (r.name == "the bodies of the scene") return;  // random numbers before the places
      EXPECT_EQ(r.name, "places of 200000 spheres");
      EXPECT_EQ(r.total, 200000);
      if (++reports > 2) throw InterruptedError("enough");
    }
    int reports = 0;
  } sink;
  const ScopedProgressSink watching(sink);
  EXPECT_THROW(make_scene("sphere-box:n=200000"), InterruptedError);
}

}  // namespace
}  // namespace tri::test
