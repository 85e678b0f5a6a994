// Recorded runs: their files in order, shown without a step, and gone on from.

#include "app/session/series.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/session/session_text.hpp"
#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/io/pvd.hpp"
#include "tests/app/session/timeline_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app::test_timeline {
namespace {

class SeriesFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tri-series-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  /// A run saved every `every` steps, as PREFIX_STEP.EXTENSION; its states and times.
  std::vector<State> record(const std::string& extension, u64 every, u64 count, const std::string& prefix = "run") {
    Subject s("plummer:n=40");
    std::vector<State> states;
    std::vector<io::PvdEntry> list;
    for (u64 k = 0; k < count; ++k, s.step(every)) {
      const std::string name = prefix + "_" + std::to_string(s.model().steps) + extension;
      s.session.apply(ask::Save{at(name)});
      states.push_back(s.state());
      list.push_back({s.model().time, name});
    }
    if (extension == ".vtp") io::write_pvd_entries(at(prefix + ".pvd"), list);
    return states;
  }
  std::filesystem::path folder_;
};

TEST_F(SeriesFiles, AreInTheOrderOfTheirNumbers) {
  record(".csv", 50, 4);
  std::ofstream(at("run_x.csv")), std::ofstream(at("run_7.txt")), std::ofstream(at("other_7.csv"));
  for (const char* form : {"run_{step}.csv", "run_*.csv"}) {
    ASSERT_TRUE(Series::is_named_by(at(form)));
    const Series series(at(form));
    ASSERT_EQ(series.entries().size(), 4u);
    for (u64 k = 0; k < 4; ++k) EXPECT_EQ(series.entries()[k].step, 50 * k) << "100 comes after 50";
    EXPECT_EQ(series.at(0), 0u);
    EXPECT_EQ(series.at(149), 2u);
    EXPECT_EQ(series.at(1000), 3u);
  }
  for (const char* none : {"run_0.csv", "plummer:n=5", "run_*.xyz.png", "run_*", "x.toml"}) {
    EXPECT_FALSE(Series::is_named_by(none)) << none;
  }
  test::expect_parts(test::message_of<FileError>([&] { Series(at("none_{step}.csv")); }), {"none_{step}.csv"});
  std::ofstream(at("run_050.csv"));
  test::expect_parts(test::message_of<FileError>([&] { Series(at("run_*.csv")); }), {"the same number"});
}

TEST_F(SeriesFiles, AListHasTimesAndStepsOrPlaces) {
  const std::vector<State> states = record(".vtp", 20, 3);
  const Series series(at("run.pvd"));
  ASSERT_EQ(series.entries().size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(series.entries()[k].step, 20 * k);
    EXPECT_EQ(series.entries()[k].time, states[k].time);
  }
  io::write_pvd_entries(at("mixed.pvd"), {{2, "b.vtp"}, {1, "a9.vtp"}, {3, "c5.vtp"}});
  const Series mixed(at("mixed.pvd"));
  EXPECT_EQ(mixed.entries()[0].path, at("a9.vtp"));
  EXPECT_EQ(mixed.entries()[2].step, 2u) << "its place";
  io::write_pvd_entries(at("empty.pvd"), {});
  test::expect_parts(test::message_of<FileError>([&] { Series(at("empty.pvd")); }), {"lists no files"});
}

TEST_F(SeriesFiles, EveryStateIsShownAsItWasSaved) {
  for (const auto& [extension, name] :
       {std::pair{".vtp", "run.pvd"}, {".csv", "run_{step}.csv"}, {".hdf5", "run_*.hdf5"}}) {
    SCOPED_TRACE(name);
    const std::vector<State> states = record(extension, 15, 5);
    Subject s(at(name));
    const TimelineModel& t = s.model().timeline;
    EXPECT_TRUE(t.kept && t.recorded);
    EXPECT_EQ(t.first, 0u);
    EXPECT_EQ(t.last, 60u);
    EXPECT_EQ(t.keyframes.size(), 5u);
    const u64 generation = s.session.generation();
    for (const std::size_t k : {4, 1, 2, 0, 3}) {
      s.go(ask::GoTo{15 * k + 14 * (k < 4)});
      EXPECT_TRUE(equal_bits(s.state().bodies.x, states[k].bodies.x));
      EXPECT_TRUE(equal_bits(s.state().bodies.vz, states[k].bodies.vz));
      EXPECT_EQ(s.model().steps, 15 * k);
      const bool times = std::string(extension) != ".csv";
      EXPECT_EQ(s.model().time, times ? states[k].time : 15.0 * static_cast<double>(k));
    }
    s.go(ask::StepBack{2});
    EXPECT_EQ(s.model().steps, 15u);
    s.go(ask::Take{3});
    EXPECT_EQ(s.model().steps, 60u);
    s.go(ask::Take{3});
    test::expect_parts(s.last_notice(), {"ends at step 60"});
    s.go(ask::Reset{});
    EXPECT_EQ(s.model().steps, 0u);
    EXPECT_EQ(s.session.generation(), generation) << "the same bodies, and the same picture";
    EXPECT_EQ(s.model().diagnostics.size(), 1u) << "nothing is computed";
    s.session.diagnose(1e12);
    EXPECT_EQ(s.model().diagnostics.size(), 1u);
  }
}

TEST_F(SeriesFiles, PlaysByFramesAndByTheClock) {
  const std::vector<State> states = record(".vtp", 10, 6);
  Subject s(at("run.pvd"));
  s.session.apply(Requests{ask::StepsPerFrame{2}, ask::Run{true}});
  for (const u64 step : {20, 40, 50}) {
    s.session.begin_steps(1);
    ASSERT_TRUE(s.session.finish_steps(1e9));
    EXPECT_EQ(s.model().steps, step);
  }
  s.session.advance(1);
  EXPECT_FALSE(s.model().running) << "at the end";
  s.session.keep_pace();
  EXPECT_NEAR(s.model().pace, 10 * states[1].time, 1e-9) << "ten states a second";
  s.go(ask::Reset{});
  s.session.apply(Requests{ask::PaceOfTime{states[1].time}, ask::Run{true}});  // a state a second
  u64 shown = 0;
  for (int k = 0; k < 40; ++k) {
    s.session.let_time_pass(0.1);
    s.session.advance(1);
    shown += s.model().steps_last_frame;
  }
  EXPECT_EQ(shown, 4u);
  EXPECT_EQ(s.model().steps, 40u);
}

TEST_F(SeriesFiles, ARunGoesOnFromTheStateThatIsShown) {
  record(".hdf5", 15, 4);
  Subject s(at("run_{step}.hdf5"));
  s.go(ask::GoTo{30});
  for (const Request& change : Requests{ask::TimeStep{0.5}, ask::PairMap{TriangleMapId::bb}, ask::Undo{},
                                        ask::Save{at("x.hdf5")}, ask::OtherBranch{}}) {
    s.session.apply(change);
    test::expect_parts(s.last_notice(), {"a recorded run", "Branch here"});
  }
  const u64 generation = s.session.generation();
  s.go(ask::Branch{});
  EXPECT_EQ(s.session.generation(), generation);
  EXPECT_FALSE(s.model().timeline.recorded);
  EXPECT_EQ(s.model().steps, 30u);
  s.step(15);
  const State on = s.state();
  Subject whole("plummer:n=40");
  whole.step(45);
  expect_equal(on, whole.state());
  s.go(ask::StepBack{5});
  EXPECT_EQ(s.model().steps, 40u) << "which can be stepped back too";
}

TEST_F(SeriesFiles, AStateThatCannotBeReadChangesNothing) {
  const std::vector<State> states = record(".csv", 10, 4);
  Subject s(at("run_*.csv"));
  s.go(ask::GoTo{10});
  std::ofstream(at("run_20.csv")) << "nonsense";
  s.session.apply(Requests{ask::StepsPerFrame{1}, ask::Run{true}});
  s.session.advance(1);
  EXPECT_EQ(s.model().steps, 10u);
  EXPECT_FALSE(s.model().running);
  EXPECT_TRUE(s.model().notices.back().error);
  test::expect_parts(s.last_notice(), {"run_20.csv"});
  EXPECT_TRUE(equal_bits(s.state().bodies.x, states[1].bodies.x));
  s.go(ask::GoTo{30});
  EXPECT_EQ(s.model().steps, 30u);
  s.session.apply(ask::Open{at("none_*.csv")});
  EXPECT_TRUE(s.model().timeline.recorded) << "and the old one stays";
  s.session.apply(ask::Open{"plummer:n=10"});
  EXPECT_FALSE(s.model().timeline.recorded);
}

TEST_F(SeriesFiles, StatesOfAnotherNumberOfBodiesAreAnotherPicture) {
  for (const u64 n : {10, 20})
    write_bodies(at("a_" + std::to_string(n) + ".csv"), open_scene("plummer:n=" + std::to_string(n)).bodies);
  Subject s(at("a_*.csv"));
  const u64 generation = s.session.generation();
  s.go(ask::Take{1});
  EXPECT_EQ(s.model().n, 20u);
  EXPECT_EQ(s.session.generation(), generation + 1);
  EXPECT_EQ(s.session.drawn().size(), 20u);
}

TEST_F(SeriesFiles, APictureOfAStateOpensAsThatState) {
  record(".csv", 10, 4);
  Subject s(at("run_*.csv")), other("kepler");
  s.go(ask::GoTo{20});
  other.session.apply(session_requests(session_text(s.model())));
  other.arrive();
  EXPECT_EQ(other.model().steps, 20u);
  EXPECT_EQ(session_text(other.model()), session_text(s.model()));
  Requests then = session_requests(session_text(s.model()));
  const ask::Open first = std::get<ask::Open>(then.front());
  then.erase(then.begin());
  Session opened(cpu(), first, {}, then);
  opened.keep_timeline();  // from the run that may begin here; the way to the state is not lost
  while (opened.model().timeline.seek) opened.advance(1e9);
  EXPECT_EQ(opened.model().steps, 20u);
}

}  // namespace
}  // namespace tri::app::test_timeline
