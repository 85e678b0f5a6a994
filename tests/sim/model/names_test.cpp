/// Names: text to enum and back, and the error for an unknown name.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "sim/base/enum_names.hpp"
#include "sim/base/suggest.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/map_choice.hpp"
#include "sim/model/tuning.hpp"
#include "tests/support/error_messages.hpp"

namespace tri {
namespace {

TEST(Suggest, EditDistanceCountsASwapAsOne) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("lambda", "lambda"), 0u);
  EXPECT_EQ(edit_distance("lamdba", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lamda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lambdas", "lambda"), 1u);
  EXPECT_EQ(edit_distance("lumbda", "lambda"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u) << "optimal string alignment: a swapped pair is not edited again";
}

TEST(Suggest, OffersOnlyNearNames) {
  const std::array<std::string_view, 4> names{"gravity", "lennard-jones", "contact", "axilrod-teller"};
  EXPECT_EQ(closest_name("gravty", names), "gravity");
  EXPECT_EQ(closest_name("lennard_jones", names), "lennard-jones");
  EXPECT_EQ(closest_name("lennard", names), "lennard-jones") << "a prefix";
  EXPECT_EQ(closest_name("springs", names), "");
  EXPECT_EQ(closest_name("", names), "");
  EXPECT_EQ(closest_name("x", std::array<std::string_view, 1>{"h"}), "")
      << "a name with every letter changed is no typo";
  EXPECT_EQ(did_you_mean("contacts", names), " Did you mean 'contact'?");
  EXPECT_EQ(did_you_mean("springs", names), "");
  EXPECT_EQ(did_you_mean("kdx", std::vector<std::string>{"kdk"}), " Did you mean 'kdk'?");
}

TEST(MapChoice, EveryNameRoundTrips) {
  for (u32 i = 0; i < kTriangleMapCount; ++i) {
    EXPECT_EQ(triangle_map_from(triangle_maps()[i].name), static_cast<TriangleMapId>(i));
  }
  for (u32 i = 0; i < kTetraMapCount; ++i) {
    EXPECT_EQ(tetra_map_from(tetra_maps()[i].name), static_cast<TetraMapId>(i));
  }
  for (u32 i = 0; i < kGasketMapCount; ++i) {
    EXPECT_EQ(gasket_map_from(gasket_maps()[i].name), static_cast<GasketMapId>(i));
  }
}

TEST(MapChoice, SuggestsTheNearestName) {
  const std::string message = test::message_of<ConfigError>([] { triangle_map_from("lamda"); });
  EXPECT_EQ(message.find("unknown map of the triangle 'lamda'. Did you mean 'lambda'? Known: bb, lambda, lambda-x"), 0u)
      << message;
  EXPECT_NE(test::message_of<ConfigError>([] { tetra_map_from("lambda"); }).find("Known: bb, tetra, tetra-r"),
            std::string::npos);
  EXPECT_NE(test::message_of<ConfigError>([] { gasket_map_from("gaskt"); }).find("Did you mean 'gasket'?"),
            std::string::npos);
  EXPECT_NE(test::message_of<ConfigError>([] { triangle_map_from(""); }), "");
}

TEST(Names, RoundTrip) {
  for (const auto law : {PairLaw::none, PairLaw::gravity, PairLaw::lennard_jones, PairLaw::contact}) {
    EXPECT_EQ(pair_law_from(to_string(law)), law);
  }
  for (const auto law : {TripleLaw::none, TripleLaw::axilrod_teller}) EXPECT_EQ(triple_law_from(to_string(law)), law);
  for (const auto b : {Boundary::open, Boundary::reflecting, Boundary::periodic}) {
    EXPECT_EQ(boundary_from(to_string(b)), b);
  }
  for (const auto b : {BroadPhase::automatic, BroadPhase::all_pairs, BroadPhase::grid}) {
    EXPECT_EQ(broad_phase_from(to_string(b)), b);
  }
  for (const auto p : {Precision::fp32, Precision::fp64}) EXPECT_EQ(precision_from(to_string(p)), p);
  for (const auto a : {Accumulate::fast, Accumulate::ordered}) EXPECT_EQ(accumulate_from(to_string(a)), a);
}

TEST(Names, AreThoseOfTheCommandLine) {
  EXPECT_EQ(to_string(PairLaw::lennard_jones), "lennard-jones");
  EXPECT_EQ(to_string(TripleLaw::axilrod_teller), "axilrod-teller");
  EXPECT_EQ(to_string(Precision::fp64), "fp64");
  EXPECT_EQ(to_string(Accumulate::ordered), "ordered");
  EXPECT_EQ(test::message_of<ConfigError>([] { precision_from("fp46"); }),
            "unknown precision 'fp46'. Did you mean 'fp64'? Known: fp32, fp64.");
  EXPECT_EQ(test::message_of<ConfigError>([] { pair_law_from("spring"); }),
            "unknown pair law 'spring'. Known: none, gravity, lennard-jones, contact, typed.");
  EXPECT_EQ(test::message_of<ConfigError>([] { broad_phase_from("all_pairs"); }),
            "unknown broad phase 'all_pairs'. Did you mean 'all-pairs'? Known: auto, all-pairs, grid.");
  EXPECT_NE(test::message_of<ConfigError>([] { accumulate_from("order"); }).find("Did you mean 'ordered'?"),
            std::string::npos);
}

TEST(Names, FollowTheOrderOfTheEnumerators) {
  constexpr auto names = enum_names<Boundary>("boundary", "open", "reflecting", "periodic");
  static_assert(names.name(Boundary::reflecting) == "reflecting");
  static_assert(names.find("periodic") == Boundary::periodic && !names.find("Periodic") && !names.find(""));
  EXPECT_EQ(names.from("open"), Boundary::open);
  EXPECT_EQ(test::message_of<ConfigError>([&] { names.from("opne"); }),
            "unknown boundary 'opne'. Did you mean 'open'? Known: open, reflecting, periodic.");
}

TEST(Names, LawsNameTheWorkThatTunesThem) {
  const auto tuned = [](const LawInfo& law) { return std::string(law.tuned == nullptr ? "" : law.tuned); };
  for (const LawInfo& law : all_laws()) EXPECT_TRUE(law.tuned == nullptr || tuned_work_from(law.tuned)) << law.name;
  EXPECT_EQ(tuned(law_info(PairLaw::gravity)), to_string(TunedWork::gravity));
  EXPECT_EQ(tuned(law_info(PairLaw::lennard_jones)), to_string(TunedWork::lennard_jones));
  EXPECT_EQ(tuned(law_info(TripleLaw::axilrod_teller)), "") << "nothing tunes it, not even another law";
}

TEST(EngineConfig, EveryFieldReadsItsOwnText) {
  EngineConfig config;
  config.precision = Precision::fp64, config.accumulate = Accumulate::ordered, config.broad_phase = BroadPhase::grid;
  config.pair_map = TriangleMapId::fold, config.triple_map = TetraMapId::tetra_stream;
  config.pair_block = 48, config.triple_block = 12, config.threads = 3, config.slice_ms = 0.1 + 0.2;
  config.arithmetic = Arithmetic::tensor, config.tolerance = Tolerance::loose;
  EngineOverrides read;
  std::string keys;
  describe_engine(
      [&](EngineField names, const auto& from, auto& to) {
        to = engine_value<std::remove_cvref_t<decltype(from)>>(engine_text(from));
        keys += std::string(names.key) + " ";
      },
      config, read);
  EXPECT_EQ(
      keys,
      "precision accumulate map triple-map broad-phase block triple-block threads slice-ms arithmetic tolerance ");
  EngineConfig back;
  apply_overrides({}, back);
  EXPECT_EQ(back, EngineConfig{});
  apply_overrides(read, back);
  EXPECT_EQ(back, config);
  for (const double ms : {0.0, HUGE_VAL}) EXPECT_EQ(engine_value<double>(engine_text(ms)), ms);
  EXPECT_EQ(engine_text(0.0) + engine_text(HUGE_VAL), "autooff");
  for (const char* bad : {"", "-1", "nan", "1 ms"}) {
    EXPECT_NE(test::message_of<ConfigError>([&] { engine_value<double>(bad); }), "") << bad;
    EXPECT_NE(test::message_of<ConfigError>([&] { engine_value<u32>(bad); }), "") << bad;
  }
}

}  // namespace
}  // namespace tri
