/// How scenes are stepped by default, and how keys change it.

#include <gtest/gtest.h>

#include "sim/model/auto_step.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

struct Steps {
  Integrator integrator;
  double eta;
  Precision precision;
  bool operator==(const Steps&) const = default;
};

Steps steps_of(const std::string& spec) {
  const Scene s = make_scene(spec);
  return {s.integrator, s.eta, usual_precision(s, false)};
}

constexpr Steps kPlain{Integrator::kdk, 0, Precision::fp32};

TEST(SceneSteps, CloseEncountersAreResolvedByDefault) {
  EXPECT_EQ(steps_of("plummer:n=8,eps=0"), (Steps{Integrator::hermite, 0.01, Precision::fp64}));
  EXPECT_EQ(steps_of("kepler:e=0.99"), (Steps{Integrator::hermite, 1e-4, Precision::fp64}));
  EXPECT_EQ(steps_of("pythagorean"), (Steps{Integrator::hermite, 1e-4, Precision::fp64}));
  EXPECT_EQ(steps_of("solar-system"), (Steps{Integrator::kdk, 0, Precision::fp64}));
}

TEST(SceneSteps, OthersStayAsTheyWere) {
  EXPECT_EQ(steps_of("plummer:n=8"), kPlain);
  EXPECT_EQ(steps_of("kepler"), kPlain);
  EXPECT_EQ(steps_of("kepler:e=0.99,dt=0.001"), kPlain);
  EXPECT_EQ(steps_of("plummer:n=8,eps=0,dt=0.001"), kPlain) << "a given step is taken as it was";
  EXPECT_EQ(make_scene("plummer:n=8,eps=0,dt=0.001").dt, 0.001);
}

TEST(SceneSteps, TriplesAreInFp64WhereThatIsAsFast) {
  for (const char* spec : {"argon-droplet:n=64", "argon-crystal:n=32"}) {
    EXPECT_EQ(usual_precision(make_scene(spec), true), Precision::fp64) << spec;
    EXPECT_EQ(usual_precision(make_scene(spec), false), Precision::fp32) << spec;
  }
  EXPECT_EQ(usual_precision(make_scene("argon-crystal:n=32,precision=fp32"), true), Precision::fp32);
  EXPECT_EQ(usual_precision(make_scene("plummer:n=8"), true), Precision::fp32);
}

TEST(SceneSteps, KeysOverride) {
  EXPECT_EQ(steps_of("plummer:n=8,dt=auto"), (Steps{Integrator::kdk, usual_eta(Integrator::kdk), Precision::fp64}));
  EXPECT_EQ(steps_of("plummer:n=8,dt=auto,eta=0.5").eta, 0.5);
  EXPECT_EQ(steps_of("plummer:n=8,eta=0.5").eta, 0.5);
  EXPECT_EQ(steps_of("plummer:n=8,eps=0,integrator=kdk").integrator, Integrator::kdk);
  EXPECT_EQ(steps_of("plummer:n=8,integrator=hermite"), (Steps{Integrator::hermite, 0, Precision::fp64}));
  EXPECT_EQ(steps_of("plummer:n=8,precision=fp64").precision, Precision::fp64);
  EXPECT_EQ(steps_of("solar-system:precision=fp32").precision, Precision::fp32);
  const Scene fixed = make_scene("pythagorean:dt=1e-4");
  EXPECT_EQ(fixed.eta, 0);
  EXPECT_EQ(fixed.dt, 1e-4);
}

TEST(SceneSteps, BadValuesAreNamed) {
  const auto refusal = [](const std::string& spec) { return message_of([&] { make_scene(spec); }); };
  expect_parts(refusal("plummer:eta=0"), {"eta = '0'", "more than 0"});
  expect_parts(refusal("plummer:dt=automatic"), {"dt = 'automatic'"});
  expect_parts(refusal("plummer:dt=0.01,eta=0.1"), {"eta", "dt is a number"});
  expect_parts(refusal("plummer:precision=fp16"), {"precision = 'fp16'", "fp32 or fp64"});
}

TEST(SceneSteps, NoSceneOfOursIsLostInItsPrecision) {
  for (const SceneInfo& info : list_scenes()) {
    const Scene scene = make_scene(info.name);
    const Precision usual = scene.precision.value_or(
        scene.eta > 0 || scene.integrator == Integrator::hermite ? Precision::fp64 : Precision::fp32);
    EXPECT_EQ(usual_precision(scene, false), usual) << info.name;
    EXPECT_EQ(precision_note(scene, false, usual, false), "") << info.name;
  }
}

TEST(SceneSteps, TheUsualPrecisionFollowsAndSaysSo) {
  Scene scene = make_scene("kepler:e=0");
  EXPECT_EQ(usual_precision(scene, false), Precision::fp32);
  for (double& x : scene.bodies.x) x += 1e6;
  EXPECT_EQ(usual_precision(scene, false), Precision::fp64);
  expect_parts(precision_note(scene, false, Precision::fp64, false), {"at 1e+06", "the run is in float64"});
  EXPECT_EQ(precision_note(scene, false, Precision::fp64, true), "");
  expect_parts(precision_note(scene, false, Precision::fp32, true), {"at 1e+06", "Use --precision fp64"});
  scene.precision = Precision::fp32;
  EXPECT_EQ(usual_precision(scene, false), Precision::fp32);
}

}  // namespace
}  // namespace tri::test
