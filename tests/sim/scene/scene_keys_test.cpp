/// NAME:key=value,...: what is accepted, and the message for everything else.

#include "sim/scene/scene_keys.hpp"
#include "sim/base/memory.hpp"
#include "sim/model/float_range.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

std::string refusal_of(const std::string& spec) {
  return message_of<ConfigError>([&] { make_scene(spec); });
}

TEST(SceneList, NamesEverySceneOnceAndEachCanBeMade) {
  std::vector<std::string> names;
  for (const SceneInfo& info : list_scenes()) {
    names.emplace_back(info.name);
    const Scene s = make_scene(info.name);
    EXPECT_EQ(s.name, info.name);
    EXPECT_EQ(s.title, info.title);
    EXPECT_FALSE(s.units.empty()) << info.name;
    EXPECT_GT(s.dt, 0) << info.name;
    check(s.bodies);
    check(s.field);
    check_float_values(s.bodies, Precision::fp32);
    check_float_range(s.bodies, s.field, Precision::fp32);
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* name : {"argon-crystal", "argon-droplet", "cold-collapse", "falling-pile", "figure-8", "galaxy",
                           "gas", "kepler", "lagrange", "merger", "plummer", "pythagorean", "salt", "solar-system",
                           "sphere-box", "uniform-ball", "uniform-box"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
}

// The list of a generator's keys is separate from the code that reads them: compare the two.
TEST(GeneratorList, NamesExactlyTheKeysThatAGeneratorReads) {
  u32 keys = 0;
  for (const SceneInfo& info : list_generators()) {
    if (std::string(info.name) == "bodies" || std::string(info.name) == "file") continue;  // need a file
    for (const std::string& key : scene::key_names(info.keys)) {
      ++keys;
      const std::string message =
          message_of<ConfigError>([&] { make_scene(std::string(info.name) + ":" + key + "=?"); });
      expect_parts(message, {key + " = '?', but it must be"});
    }
  }
  EXPECT_GT(keys, 10u);
}

TEST(SceneList, NamesExactlyTheKeysThatASceneAccepts) {
  ASSERT_FALSE(list_scenes().empty());
  for (const SceneInfo& info : list_scenes()) {
    std::string known;
    for (const std::string& key : scene::key_names(info.keys)) known += (known.empty() ? "" : ", ") + key;
    const std::string message = refusal_of(std::string(info.name) + ":no-such-key=1");
    std::string tail = message.substr(message.find("Known: ") + 7);
    if (tail.ends_with('.')) tail.pop_back();
    std::vector<std::string> listed = scene::key_names(tail), shown = scene::key_names(known);
    std::sort(listed.begin(), listed.end());
    std::sort(shown.begin(), shown.end());
    EXPECT_EQ(listed, shown) << info.name;
  }
}

TEST(SceneKeys, UnknownNamesSuggestTheNearestAndTheList) {
  expect_parts(refusal_of("plumer"),
               {"unknown scene 'plumer'", "Did you mean 'plummer'?", "uniform-ball", "argon-droplet"});
  expect_parts(refusal_of("zzz:n=3"), {"unknown scene 'zzz'", "plummer"});
  expect_parts(refusal_of(""), {"unknown scene ''"});
  expect_parts(refusal_of("plummer:sed=3"), {"plummer", "'sed'", "Did you mean 'seed'?", "eps"});
  expect_parts(refusal_of("kepler:n=3"), {"unknown key of scene kepler 'n'", "ratio"});
}

TEST(SceneKeys, MoreBodiesThanTheMemoryHoldsAreRefusedBeforeTheyAreMade) {
  if (available_memory() >= u64{128} << 30) GTEST_SKIP() << "this machine holds them";
  for (const char* scene : {"plummer", "gas", "galaxy", "sphere-box", "uniform-ball"}) {
    expect_parts(message_of<MemoryError>([&] { make_scene(std::string(scene) + ":n=1073741824"); }),
                 {scene, " with n = 1073741824 needs 128 GiB", "Use n = ", " or less"});
  }
}

TEST(SceneKeys, InvalidValuesShowTheRange) {
  expect_parts(refusal_of("plummer:n=0"), {"scene plummer: n = '0'", "an integer from 1 to 1073741824"});
  expect_parts(refusal_of("plummer:n=-5"), {"n = '-5'", "from 1"});
  expect_parts(refusal_of("plummer:n=1.5"), {"n = '1.5'"});
  expect_parts(refusal_of("plummer:n=99999999999"), {"n = '99999999999'"});
  expect_parts(refusal_of("plummer:n="), {"n = ''"});
  expect_parts(refusal_of("plummer:seed=-1"), {"seed = '-1'", "18446744073709551615"});
  expect_parts(refusal_of("plummer:eps=-0.1"), {"eps = '-0.1'", "at least 0"});
  expect_parts(refusal_of("plummer:eps=nan"), {"eps = 'nan'", "at least 0"});
  expect_parts(refusal_of("plummer:eps=inf"), {"eps = 'inf'"});
  expect_parts(refusal_of("plummer:eps=1e-2x"), {"eps = '1e-2x'"});
  expect_parts(refusal_of("plummer:dt=0"), {"dt = '0'", "more than 0"});
  expect_parts(refusal_of("plummer:G=0"), {"G = '0'", "more than 0"});
  expect_parts(refusal_of("kepler:e=1"), {"e = '1'", "at least 0 and less than 1"});
  expect_parts(refusal_of("sphere-box:fill=0.31"), {"fill = '0.31'", "more than 0 and at most 0.3"});
  expect_parts(refusal_of("sphere-box:fill=0"), {"fill = '0'"});
  expect_parts(refusal_of("sphere-box:walls=closed"),
               {"scene sphere-box: walls = 'closed', but it must be open or reflecting or periodic"});
  expect_parts(refusal_of("falling-pile:response=soft"), {"response = 'soft'", "springs or impulses"});
  expect_parts(refusal_of("falling-pile:e=0"), {"e = '0'", "more than 0 and at most 1"});
  EXPECT_EQ(make_scene("falling-pile:n=9,e=0,response=impulses").field.contact.restitution, 0);
  expect_parts(refusal_of("falling-pile:response=impulses,k=3"), {"k belongs to contact with response = springs"});
  expect_parts(refusal_of("argon-droplet:temperature=-1"), {"temperature = '-1'", "at least 0"});
}

TEST(SceneKeys, SyntaxErrorsAreNamed) {
  expect_parts(refusal_of("plummer:n"), {"'n' is not key=value", "plummer:key=value,key=value"});
  expect_parts(refusal_of("plummer:=3"), {"'=3' is not key=value"});
  expect_parts(refusal_of("plummer:n=3,"), {"'' is not key=value"});
  expect_parts(refusal_of("plummer:n=3,,eps=1"), {"'' is not key=value"});
  expect_parts(refusal_of("plummer:n=3,n=4"), {"key n is given twice"});
  expect_parts(refusal_of("plummer:n=3:eps=1"), {"n = '3:eps=1'"});
  expect_parts(refusal_of("plummer: n=3"), {"' n'"});
  EXPECT_EQ(make_scene("plummer:").bodies.size(), 4096u);
}

TEST(Range, DescribesItself) {
  EXPECT_EQ(Range{}.text(), "a finite number");
  EXPECT_EQ((Range{0, 1, true, false}).text(), "at least 0 and less than 1");
  EXPECT_EQ(kPositive.text(), "more than 0");
  EXPECT_TRUE((Range{0, 1, true, false}).holds(0));
  EXPECT_FALSE((Range{0, 1, true, false}).holds(1));
  EXPECT_FALSE(Range{}.holds(INFINITY));
  EXPECT_FALSE(Range{}.holds(NAN));
}

}  // namespace
}  // namespace tri::test
