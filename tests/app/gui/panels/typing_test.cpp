// Typing into panels without a window: numbers are taken when their field is left, and a dialog's name has the
// keyboard.

#include <array>
#include <optional>
#include <utility>

#include <GLFW/glfw3.h>

#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panels.hpp"
#include "tests/app/gui/base/gui_support.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class Typing : public PanelFixture {
 protected:
  /// The keyboard is in a field.
  void focus(ImGuiID field, const std::function<void()>& panel) {
    activate(field);
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
    frame(panel);
  }
  /// Types text into a field and presses Enter.
  void type(ImGuiID field, const char* text, const std::function<void()>& panel) {
    frame(panel);
    focus(field, panel);
    ImGuiIO& io = ImGui::GetIO();
    io.AddInputCharactersUTF8(text);
    frame(panel);
    press_enter(panel);
  }
  void press_enter(const std::function<void()>& panel) { press_key(ImGuiKey_Enter, panel); }
  void press_key(ImGuiKey key, const std::function<void()>& panel) {
    set_key(key, true);
    frame(panel);
    const Requests asked = requests;
    set_key(key, false);
    frame(panel);
    requests = asked;
  }
  static ImGuiID field(const char* label) { return ImHashStr(label, 0, ImGui::FindWindowByName("test")->ID); }
  /// The field of one axis, of three.
  static ImGuiID field(const char* label, int axis) {
    return ImHashStr("", 0, ImHashData(&axis, sizeof axis, field(label)));
  }
  /// As the window makes it, with these keys that went down, and those that are.
  void next_frame(
      const std::function<void()>& draw, const std::vector<KeyDown>& pressed = {},
      const std::function<bool(int)>& is_down = [](int) { return false; }) {
    frame(draw, [&] { input_.new_frame({{}, true, {-1, -1}, {}}, pressed, is_down); });
  }

 private:
  ImguiInput input_;
};

TEST_F(Typing, LettersThatCameTogetherAreInTheFieldInOneFrame) {
  std::array<char, 32> text{};
  const auto draw = [&] { ::ImGui::InputText("field", text.data(), text.size()); };
  frame(draw), focus(field("field"), draw);
  const auto next = [&] { next_frame(draw); };
  next();
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  for (const auto& [key, letter] :
       {std::pair{ImGuiKey_A, 'a'}, {ImGuiKey_C, 'c'}, {ImGuiKey_V, 'v'}, {ImGuiKey_A, 'a'}}) {
    set_key(key, true);
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
    set_key(key, false);
  }
  next();
  EXPECT_STREQ(text.data(), "acva");
  for (int k = 0; k < 3; ++k) next();
  EXPECT_STREQ(text.data(), "acva");
}

TEST_F(Typing, ALineAfterEnterStaysAfterItWhereFramesAreSlow) {
  std::array<char, 64> text{};
  const auto draw = [&] { ::ImGui::InputTextMultiline("field", text.data(), text.size()); };
  frame(draw), focus(field("field"), draw), frame(draw);
  const auto next = [&](const std::vector<KeyDown>& pressed) { next_frame(draw, pressed); };
  constexpr int kEnter = 100 + ImGuiKey_Enter, kBack = 100 + ImGuiKey_Backspace;
  const auto touch = [](ImGuiKey key) { set_key(key, true), set_key(key, false); };
  const auto write = [](const char* letters) { ImGui::GetIO().AddInputCharactersUTF8(letters); };
  for (const ImGuiKey key : {ImGuiKey_Enter, ImGuiKey_Backspace}) set_key(key, false);
  next({});
  write("one"), touch(ImGuiKey_Enter), write("twx"), touch(ImGuiKey_Backspace), write("o"), touch(ImGuiKey_Enter);
  next({{kEnter, kEnter, 0, 3}, {kBack, kBack, 0, 6}, {kEnter, kEnter, 0, 7}});
  write("end");
  for (int k = 0; k < 8; ++k) next({});
  EXPECT_STREQ(text.data(), "one\ntwo\nend");
}

/// "why the box wastes blocks" and Enter chose utm-block: the first letters came before the field had the keyboard.
TEST_F(Typing, NoLetterForFindIsLostWhereFramesAreSlow) {
  const auto draw = [this] { palette(model, state, {0, 0, 800, 600}, requests); };
  set_key(ImGuiKey_Enter, false);
  for (int k = 0; k < 2; ++k) next_frame([] {});
  state.palette.show();
  next_frame(draw);
  ImGui::GetIO().AddInputCharactersUTF8("use map ");
  next_frame(draw);
  ImGui::GetIO().AddInputCharactersUTF8("fold");
  state.palette.accepted = true;
  std::optional<ask::PairMap> asked;
  for (int k = 0; k < 8; ++k) {
    next_frame(draw);
    if (const auto* map = only<ask::PairMap>(requests)) asked = *map;
  }
  EXPECT_FALSE(state.palette.shown);
  ASSERT_TRUE(asked) << state.palette.text;
  EXPECT_EQ(asked->map, TriangleMapId::fold);
}

TEST_F(Typing, NoTouchOfAKeyIsLostWhereFramesAreSlow) {
  std::array<char, 32> text{"1234567890"};
  const auto draw = [&] { ::ImGui::InputText("field", text.data(), text.size()); };
  frame(draw), focus(field("field"), draw), frame(draw);
  const auto next = [&](const std::vector<KeyDown>& pressed) { next_frame(draw, pressed); };
  constexpr int kPlace = 100 + ImGuiKey_Backspace;  // as set_key() has it, where ImGui asks for places
  const auto touch = [&] { set_key(ImGuiKey_Backspace, true), set_key(ImGuiKey_Backspace, false); };
  set_key(ImGuiKey_End, true), next({}), set_key(ImGuiKey_End, false), next({});
  const KeyDown key{kPlace, kPlace, 0};
  for (int k = 0; k < 3; ++k) touch(), next({key});  // in three frames that follow each other,
  touch(), touch(), next({key, key});                // and two in one
  for (int k = 0; k < 8; ++k) next({});              // one change of a key a frame, where ImGui gets events
  EXPECT_STREQ(text.data(), "12345");
}

TEST_F(Typing, AWordAndEnterThatComeWithControlAReplaceTheText) {
  std::array<char, 32> text{"old words"};
  std::string entered;
  const auto draw = [&] {
    if (::ImGui::InputText("field", text.data(), text.size(), ImGuiInputTextFlags_EnterReturnsTrue))
      entered = text.data();
  };
  frame(draw), focus(field("field"), draw), frame(draw);
  constexpr int kA = 100 + ImGuiKey_A, kEnter = 100 + ImGuiKey_Enter;  // as set_key() has it
  bool held = false;
  const auto next = [&](const std::vector<KeyDown>& pressed) {
    next_frame(draw, pressed, [&](int place) { return held && place == kEnter; });
  };
  for (const ImGuiKey key : {ImGuiKey_A, ImGuiKey_Enter}) set_key(key, false);
  next({});
  set_control(true), set_key(ImGuiKey_A, true), set_key(ImGuiKey_A, false), set_control(false);
  for (const char letter : std::string("new")) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(letter));
  set_key(ImGuiKey_Enter, true), set_key(ImGuiKey_Enter, false);
  held = true;  // still, when the frame begins
  next({{kA, kA, GLFW_MOD_CONTROL},
        {GLFW_KEY_N, GLFW_KEY_N, 0},
        {GLFW_KEY_E, GLFW_KEY_E, 0},
        {GLFW_KEY_W, GLFW_KEY_W, 0},
        {kEnter, kEnter, 0, 3}});
  held = false;
  for (int k = 0; k < 8; ++k) next({});
  EXPECT_EQ(entered, "new");
}

TEST_F(Typing, EveryNumberOfTheLawsAndTheBoxCanBeTyped) {
  const auto draw = [this] { physics(model, state, requests); };
  const auto typed = [&](ImGuiID id, const char* text, auto read) {
    type(id, text, draw);
    const auto* asked = only<ask::Field>(requests);
    EXPECT_NE(asked, nullptr) << text;
    return asked == nullptr ? 0.0 : read(asked->field);
  };
  frame(draw);
  EXPECT_EQ(typed(field("G"), "6.5", [](const ForceField& f) { return f.gravity.G; }), 6.5);
  EXPECT_EQ(typed(field("softening"), "0.25", [](const ForceField& f) { return f.gravity.softening; }), 0.25);
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    EXPECT_EQ(typed(field("field", axis), "-9.5", [a](const ForceField& f) { return f.field[a]; }), -9.5);
  }
  EXPECT_EQ(frame(draw).find("box low"), std::string::npos) << "an open box has no sides";
  model.scene.field.box.boundary = Boundary::reflecting;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    EXPECT_EQ(typed(field("box low", axis), "-2", [a](const ForceField& f) { return f.box.low[a]; }), -2);
    EXPECT_EQ(typed(field("box high", axis), "7.5", [a](const ForceField& f) { return f.box.high[a]; }), 7.5);
  }
  model.scene.field.pair = PairLaw::lennard_jones, model.scene.field.triple = TripleLaw::axilrod_teller;
  EXPECT_EQ(typed(field("epsilon"), "2", [](const ForceField& f) { return f.lennard_jones.epsilon; }), 2);
  EXPECT_EQ(typed(field("sigma"), "3", [](const ForceField& f) { return f.lennard_jones.sigma; }), 3);
  EXPECT_EQ(typed(field("cutoff"), "4", [](const ForceField& f) { return f.lennard_jones.cutoff; }), 4);
  EXPECT_EQ(typed(field("nu"), "0.5", [](const ForceField& f) { return f.axilrod_teller.nu; }), 0.5);
  press({"shifted"}, draw);
  EXPECT_TRUE(requests.empty()) << "without a cutoff nothing can be shifted";
  model.scene.field.lennard_jones.cutoff = 2.5;
  press({"shifted"}, draw);
  ASSERT_TRUE(only<ask::Field>(requests));
  EXPECT_TRUE(only<ask::Field>(requests)->field.lennard_jones.shifted);
  model.scene.field.pair = PairLaw::contact;
  EXPECT_EQ(typed(field("stiffness"), "5e3", [](const ForceField& f) { return f.contact.stiffness; }), 5e3);
  EXPECT_EQ(typed(field("damping"), "6", [](const ForceField& f) { return f.contact.damping; }), 6);
  EXPECT_EQ(typed(field("shear"), "7", [](const ForceField& f) { return f.contact.shear; }), 7);
  model.scene.field.contact.impulse = true;
  EXPECT_EQ(typed(field("restitution"), "0.5", [](const ForceField& f) { return f.contact.restitution; }), 0.5);
}

/// One unit of time of au-msun is 58.13 days: ten years were shown, and typed, as 62.8.
TEST_F(Typing, TimesAreYearsWhereTheSceneCountsIn2Pi) {
  constexpr double kYear = 6.28307;
  model.scene.units = "au-msun", model.scene.dt = 0.01 * kYear, model.time = 10 * kYear, model.pace = 3 * kYear;
  model.timeline.kept = true, model.timeline.last_time = model.time;
  const auto steps = [this] { integrator(model, requests); };
  const auto time = [this] { timeline(model, state, requests); };
  std::string text = frame(steps);
  for (const char* part : {"0.01 yr", "3 yr / s"}) EXPECT_NE(text.find(part), std::string::npos) << part << text;
  model.scene.eta = 0.01, model.last_step = 0.5 * kYear;
  text += frame(steps);
  EXPECT_NE(text.find("time step 0.5 yr"), std::string::npos) << text;
  model.scene.eta = 0;
  text += frame(time);
  for (const char* part : {"3 yr a second", "t = 10 yr"}) EXPECT_NE(text.find(part), std::string::npos) << part << text;
  EXPECT_EQ(text.find("2pi"), std::string::npos) << text;
  type(field("time step"), "0.02", steps);
  ASSERT_TRUE(only<ask::TimeStep>(requests));
  EXPECT_NEAR(only<ask::TimeStep>(requests)->dt, 0.02 * kYear, 1e-5);
  type(field("pace of time"), "5", steps);
  ASSERT_TRUE(only<ask::PaceOfTime>(requests));
  EXPECT_NEAR(only<ask::PaceOfTime>(requests)->per_second, 5 * kYear, 1e-3);
  type(field("speed"), "4", time);
  EXPECT_NEAR(state.film.choice.speed, 4 * kYear, 1e-3);
  type(field("run until"), "25", time);
  ASSERT_TRUE(only<ask::RunUntil>(requests));
  EXPECT_NEAR(only<ask::RunUntil>(requests)->time, 25 * kYear, 1e-2);
}

TEST_F(Typing, TheParametersOfTheSceneAreFields) {
  const test::TempFolder folder;
  const auto draw = [this] { scene(model, state, requests); };
  const auto opened = [&](const char* key, const char* text) {
    type(field(key), text, draw);
    return only<ask::Open>(requests) == nullptr ? std::string() : only<ask::Open>(requests)->scene;
  };
  model.spec = "merger:n=2000,orbit.pericentre=5";
  EXPECT_EQ(frame(draw).find("orbit.pericentre"), std::string::npos) << "they are folded";
  press({"Parameters"}, draw);
  const std::string text = frame(draw);
  for (const char* part : {"orbit.pericentre", "{ 5 }", "first.tilt", "Q"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(opened("orbit.pericentre", "2"), "merger:n=2000,orbit.pericentre=2");
  EXPECT_EQ(opened("first.tilt", "45"), "merger:n=2000,orbit.pericentre=5,first.tilt=45");
  frame(draw), focus(field("orbit.pericentre"), draw), frame(draw);
  press_key(ImGuiKey_Delete, draw);
  press_enter(draw);
  ASSERT_TRUE(only<ask::Open>(requests));
  EXPECT_EQ(only<ask::Open>(requests)->scene, "merger:n=2000") << "an empty field has the default";
  model.spec = folder.file("own.toml", "title = \"t\"\ngenerator = \"plummer\"\n[parameters]\nn = 64\neps = 0.5\n");
  EXPECT_EQ(opened("eps", "0.25"), model.spec + ":eps=0.25") << "those of a file, too";
  model.spec = folder.file("bodies.csv", "x,y,z\n1,2,3\n");
  EXPECT_EQ(frame(draw).find("Parameters"), std::string::npos) << "a file of bodies has none";
}

TEST_F(Typing, ABodyHasANameAndACircularOrbit) {
  const auto draw = [this] { inspector(model, state.view, requests); };
  model.n = 3;
  model.population = std::make_shared<Population>(Population{{}, {0, 4, 7}, 2});
  model.names = {{7, "Vulcan"}};
  model.inspected = Inspected{2, 0, 0, {}, {}, 1, 0, {}, {}, {}, {}};
  state.view.selected = 2;
  EXPECT_NE(frame(draw).find("{ Vulcan } name"), std::string::npos) << frame(draw);
  type(field("name"), "Zeus", draw);
  ASSERT_TRUE(only<ask::Name>(requests));
  EXPECT_EQ(only<ask::Name>(requests)->body, 2u);
  EXPECT_EQ(only<ask::Name>(requests)->name, "Zeus");
  press({"Circular orbit"}, draw);
  EXPECT_TRUE(std::exchange(state.view.rounds, false));
  model.scene.field.pair = PairLaw::contact;
  press({"Circular orbit"}, draw);
  EXPECT_FALSE(state.view.rounds) << "no law of orbits";
}

TEST_F(Typing, SelectedBodiesAreEditedTogether) {
  const auto draw = [this] { touch_controls(model, state.touch, requests); };
  model.scene.units = "au-msun", model.n = 3;
  Bodies bodies;
  for (const double mass : {1.0, 2.0, 7.0}) bodies.add(0, 0, 0, 0, 0, 0, mass);
  model.population = std::make_shared<Population>(Population{bodies, {0, 1, 2}, 0});
  EXPECT_EQ(frame(draw).find("mass of each"), std::string::npos) << "none is selected";
  state.touch.selection.bodies = {1, 2};
  EXPECT_NE(frame(draw).find("{ they differ } mass of each\nThey have 2 to 7 Msun.\n"), std::string::npos)
      << frame(draw);
  EXPECT_NE(frame(draw).find("{ 0 } group of each"), std::string::npos) << frame(draw);
  state.touch.selection.bodies = {2};
  EXPECT_NE(frame(draw).find("{ 7 Msun } mass of each"), std::string::npos) << frame(draw);
  state.touch.selection.bodies = {1, 2};
  const auto changed = [&](ImGuiID id, const char* text) {
    type(id, text, draw);
    const auto* asked = only<ask::ChangeBodies>(requests);
    EXPECT_TRUE(asked != nullptr && asked->bodies == state.touch.selection.bodies) << text;
    return asked != nullptr ? asked->to : BodiesChange{};
  };
  EXPECT_NE(frame(draw).find("add velocity in AU/yr"), std::string::npos) << frame(draw);
  EXPECT_TRUE(state.touch.selection.in_sight) << "which asks for its velocity";
  state.touch.selection.velocity = Place{0, 1, 0};
  EXPECT_NE(frame(draw).find("Their mean now: 0, 6.28, 0 AU/yr; speed 6.28 AU/yr"), std::string::npos) << frame(draw);
  EXPECT_NEAR(changed(field("add velocity", 1), "0.5").kick[1], 0.079579, 1e-6) << "AU/yr";
  EXPECT_EQ(changed(field("speed times"), "-1").speed, -1);
  EXPECT_EQ(changed(field("mass of each"), "3").mass, 3);
  EXPECT_EQ(changed(field("mass of each"), "0").mass, 0) << "the session refuses it";
  EXPECT_EQ(changed(field("group of each"), "4").group, 4u);
  bodies.group = {0, 3, 5};
  model.population = std::make_shared<Population>(Population{bodies, {0, 1, 2}, 1});
  EXPECT_NE(frame(draw).find("{ they differ } group of each\nThey have 3 to 5.\n"), std::string::npos) << frame(draw);
  EXPECT_EQ(changed(field("group of each"), "5").group, 5u);
  EXPECT_EQ(changed(field("group of each"), "0").group, 0u);
  EXPECT_EQ(frame(draw).find("Last change"), std::string::npos);
  model.history = {"2 bodies: mass"}, model.undoable = 1;
  EXPECT_NE(frame(draw).find("Last change: 2 bodies: mass"), std::string::npos) << "fields that add are 0 again";
}

TEST_F(Typing, AGroupIsSelectedByItsName) {
  const auto draw = [this] { touch_controls(model, state.touch, requests); };
  EXPECT_EQ(frame(draw).find("second"), std::string::npos);
  Bodies bodies;
  for (int i = 0; i < 4; ++i) bodies.add(0, 0, 0, 0, 0, 0, 1);
  bodies.group = {0, 1, 1, 0};
  model.population = std::make_shared<Population>(Population{bodies, {0, 1, 2, 3}, 0});
  model.n = 4, model.groups = 2, model.scene.groups = {"first", "second"};
  EXPECT_NE(frame(draw).find("second"), std::string::npos) << "a galaxy, which no box selects";
  press({"###group 1"}, draw);
  EXPECT_EQ(state.touch.selection.bodies, (std::vector<u32>{1, 2}));
  press({"###group 0"}, draw);
  EXPECT_EQ(state.touch.selection.bodies, (std::vector<u32>{0, 3}));
}

TEST_F(Typing, TwoClicksInSlowFramesAreADoubleClick) {
  ImGui::GetIO().DeltaTime = 0.36f;
  next_frame([] {});
  EXPECT_GT(ImGui::GetIO().MouseDoubleClickTime, 2 * 0.36f) << "the second is seen two frames later";
}

TEST_F(Typing, ColumnsOfOtherNamesAreChosenInThePanel) {
  const test::TempFolder folder;
  const auto draw = [this] { scene(model, state, requests); };
  const std::string path = folder.file("stars.csv", "Name,Pos X,Pos Y,depth,v_x,weight\nSol,1,2,3,4,5\n");
  EXPECT_EQ(frame(draw).find("Columns of the file"), std::string::npos);
  state.files.columns = ColumnChoice::of(path);
  EXPECT_EQ(state.files.columns.is, (std::vector<u32>{11, 1, 2, 0, 4, 7})) << "guessed by their names";
  EXPECT_NE(frame(draw).find("Pos X"), std::string::npos);
  press({"Open with these columns"}, draw);
  EXPECT_EQ(state.pending.open, "") << "there is no z";
  state.files.columns.is[3] = 3, state.files.columns.is[4] = 0;
  press({"Open with these columns"}, draw);
  EXPECT_EQ(state.pending.open, path + ":name=Name,x=Pos X,y=Pos Y,z=depth,m=weight");
  press({"Leave it"}, draw);
  EXPECT_EQ(state.files.columns.path, "");
}

TEST_F(Typing, TheClockOfTheRunBarTakesATime) {
  model.scene.units = "au-msun", model.steps = 1000, model.time = 10;
  model.timeline.kept = true, model.timeline.last = 1000, model.timeline.last_time = 10;
  model.timeline.keyframes = {{0, 0}, {1000, 10}};
  const auto draw = [this] { run_bar(model, state, {0, 0, 800, 600}, requests); };
  const auto type_time = [&](const char* text) {
    frame(draw);
    activate(ImHashStr("time", 0, ImGui::FindWindowByName("run bar")->ID));
    frame(draw), frame(draw), frame(draw);
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frame(draw);
    press_enter(draw);
  };
  type_time("10");
  ASSERT_TRUE(only<ask::RunUntil>(requests));
  EXPECT_NEAR(only<ask::RunUntil>(requests)->time, 62.8307, 1e-3);
  type_time("0.8");
  ASSERT_TRUE(only<ask::GoTo>(requests)) << "a time before this one is that of a step";
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 503u);
}

/// "Speed 2.00 / s" stood over a run that reached a tenth of it.
TEST_F(Typing, TheRunBarSaysThePaceThatIsReached) {
  const auto draw = [this] { run_bar(model, state, {0, 0, 800, 600}, requests); };
  model.pace = 2, model.pace_reached = 0.222;
  EXPECT_NE(screen(draw).find("0.222 of 2.00 / s"), std::string::npos) << screen(draw);
  model.pace_reached = 1.95;
  const std::string text = screen(draw);
  EXPECT_TRUE(text.find("2.00 / s") != std::string::npos && text.find(" of 2.00") == std::string::npos) << text;
}

TEST_F(Typing, APaceOfZeroIsNoFigure) {
  const auto panel = [this] { integrator(model, requests); };
  model.pace = 0, model.scene.eta = 0.01, model.last_step = 0;
  std::string text = frame(panel);
  EXPECT_EQ(text.find("0 / s"), std::string::npos) << text;
  EXPECT_NE(text.find("none"), std::string::npos) << text;
  EXPECT_EQ(text.find("time step 0"), std::string::npos) << "no step was taken";
  model.pace = 1e-13, model.pace_reached = 3e-15, model.last_step = 0.25;
  text = frame(panel);
  EXPECT_NE(text.find("1e-13 / s"), std::string::npos) << text;
  EXPECT_NE(text.find("3 \u00d7 10\u207b\u00b9\u2075 a second"), std::string::npos) << text;
  frame(panel);
  const float late = ImGui::FindWindowByName("test")->ContentSize.y;
  model.pace_reached = 1e-13;
  text = frame(panel);
  EXPECT_NE(text.find("the processor keeps up"), std::string::npos) << text;
  frame(panel);
  EXPECT_EQ(ImGui::FindWindowByName("test")->ContentSize.y, late) << "what is below moved";
  model.pace_reached = 3e-15;
  text = frame(panel);
  EXPECT_NE(text.find("time step 0.25"), std::string::npos) << text;
}

TEST_F(Typing, FieldsShowPowersAndVelocitiesAsPeopleWriteThem) {
  const auto draw = [this] { inspector(model, state.view, requests); };
  model.scene.units = "au-msun";
  model.inspected = Inspected{9, 0, 0, {24, 0, 0}, {1, 0.5, 0}, 4.36625e-5, 0, {}, {}, {}, {}};
  state.view.selected = 9;
  const std::string text = frame(draw);
  EXPECT_NE(text.find("4.36625e-5 Msun"), std::string::npos) << text;
  EXPECT_NE(text.find("velocity in AU/yr"), std::string::npos) << text;
  EXPECT_NE(text.find("6.283"), std::string::npos) << text;
  EXPECT_EQ(text.find("2pi"), std::string::npos) << text;
  const int axis = 1;
  type(ImHashStr("", 0, ImHashData(&axis, sizeof axis, field("velocity"))), "12.5664", draw);
  const auto* asked = only<ask::ChangeBody>(requests);
  ASSERT_TRUE(asked && asked->to.velocity);
  EXPECT_EQ((*asked->to.velocity)[0], 1) << "as it was, to the last digit";
  EXPECT_NEAR((*asked->to.velocity)[1], 2, 1e-4);
}

TEST_F(Typing, SpeedsOfPlanetsAreReadInYears) {
  const UnitSystem* sun = find_unit_system("au-msun");
  const ClockUnit speed = reading_unit(sun, "velocity");
  EXPECT_EQ(speed.behind, " AU/yr");
  EXPECT_NEAR(speed.size, 6.28307, 1e-5) << "by the year of Gauss";
  EXPECT_EQ(reading_unit(sun, "acceleration").behind, " AU/yr^2");
  EXPECT_NEAR(reading_unit(sun, "acceleration").size, speed.size * speed.size, 1e-12);
  EXPECT_EQ(reading_unit(sun, "energy").behind, " Msun (AU/yr)^2");
  EXPECT_EQ(reading_unit(sun, "length").behind, " AU");
  EXPECT_EQ(reading_unit(find_unit_system("kpc-kms-msun"), "velocity").behind, " km/s");
  EXPECT_EQ(reading_unit(nullptr, "velocity").size, 1);
}

TEST_F(Typing, APictureSaysItsSizeOnPaper) {
  const auto draw = [this] { view(model, state); };
  std::string text = frame(draw);
  EXPECT_NE(text.find("1920 \u00d7 1080"), std::string::npos) << text;
  EXPECT_NE(text.find("no size on paper"), std::string::npos) << text;
  state.picture.form.dpi = 300;
  text = frame(draw);
  EXPECT_NE(text.find("16.3 \u00d7 9.1 cm on paper"), std::string::npos) << text;
  press({"size##of picture"}, draw);  // the slider of the bodies is "size"
  activate(ImHashStr("7680 \u00d7 4320", 0, ImGui::FindWindowByName("##Combo_00")->ID));
  frame(draw);
  EXPECT_EQ(state.picture.form.width, 7680u);
  EXPECT_EQ(state.view.style.size, 1);
}

TEST_F(Typing, APictureThatIsDrawnSaysHowMuchAndCanBeCancelled) {
  const auto draw = [this] { view(model, state); };
  EXPECT_EQ(frame(draw).find("is drawn"), std::string::npos);
  state.picture.busy = true, state.picture.share = 0.42;
  EXPECT_NE(frame(draw).find("42 % is drawn"), std::string::npos);
  press({"###cancel picture"}, draw);
  EXPECT_TRUE(state.picture.cancel);
  EXPECT_FALSE(state.picture.start);
}

TEST_F(Typing, ANumberIsTakenOnceWhenItsFieldIsLeft) {
  const auto draw = [this] { physics(model, state, requests); };
  const auto activate = [&](const char* label) { focus(field(label), draw); };
  const auto write = [&](const char* text) {
    frame(draw);
    activate("softening");
    for (const char* letter = text; *letter != 0; ++letter) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(*letter));
      frame(draw);
      EXPECT_TRUE(requests.empty()) << "after " << *letter << " of " << text;
    }
  };
  const auto expect_softening = [&](double value) {
    const auto* asked = only<ask::Field>(requests);
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->field.gravity.softening, value);
    EXPECT_EQ(asked->field.gravity.G, model.scene.field.gravity.G);
    frame(draw);
    EXPECT_TRUE(requests.empty()) << "once";
  };
  ImGuiIO& io = ImGui::GetIO();
  write("0.25");
  activate("G");  // drawn before the field that is left
  expect_softening(0.25);
  write("0.5");
  io.MousePos = {700, 1500}, io.MouseDown[0] = true;
  frame(draw);
  expect_softening(0.5);
  io.MouseDown[0] = false;
  write("7");
  press_key(ImGuiKey_Escape, draw);
  EXPECT_TRUE(requests.empty());
  frame(draw);
  EXPECT_TRUE(requests.empty());
}

TEST_F(Typing, AFileIsSelectedByName) {
  std::optional<std::string> chosen;
  const auto draw = [&] {
    if (auto path = files(state.files.browser, state.files.recent, 1)) chosen = path;
  };
  frame(draw);
  EXPECT_FALSE(chosen) << "nothing is shown";
  state.files.browser.show(FileBrowser::Purpose::open, TRI_TEST_DATA);
  state.files.browser.typed = "solar_system.tab";
  frame(draw);
  frame(draw);  // in which the name takes the keyboard
  EXPECT_FALSE(chosen) << "nothing is pressed";
  activate(ImHashStr("Open", 0, ImGui::FindWindowByName("Open###files")->ID));
  frame(draw);
  ASSERT_TRUE(chosen);
  EXPECT_TRUE(chosen->ends_with("data/solar_system.tab")) << *chosen;
  EXPECT_FALSE(state.files.browser.shown());
}

TEST_F(Typing, TheNameOfAFileIsFocusedAndSelected) {
  std::optional<std::string> chosen;
  const auto draw = [&] {
    if (auto path = files(state.files.browser, state.files.recent, 1)) chosen = path;
  };
  const std::string folder = testing::TempDir();
  for (const char* name : {"none.csv", "other.csv"}) {
    state.files.browser.show(FileBrowser::Purpose::save, folder + "/state.csv");
    frame(draw);
    frame(draw);
    ImGui::GetIO().AddInputCharactersUTF8(name);
    frame(draw);
    EXPECT_EQ(state.files.browser.typed, name) << "the old name was selected";
    press_enter(draw);
    ASSERT_TRUE(chosen);
    EXPECT_TRUE(chosen->ends_with(name)) << *chosen;
    frame(draw);
    chosen.reset();
  }
}

TEST_F(Typing, TheDialogOfFilesStandsAboveTheRunBar) {
  state.files.browser.show(FileBrowser::Purpose::open, TRI_TEST_DATA);
  for (const ImVec2 size : {ImVec2{800, 600}, ImVec2{640, 360}, ImVec2{1280, 720}}) {
    ImGui::GetIO().DisplaySize = size;
    frame([&] { files(state.files.browser, state.files.recent, 1); });
    const ImGuiWindow& dialog = *ImGui::FindWindowByName("Open###files");
    EXPECT_LE(dialog.Pos.y + dialog.Size.y, run_bar_place(layout(size.x, size.y, 1, {}).free, 1).y) << size.y;
    EXPECT_GE(dialog.Pos.y, 0);
  }
}

// The text of the screen, for those who hear it.

class ScreenTextOf : public PanelFixture {};

TEST_F(ScreenTextOf, EveryWindowIsReadOnce) {
  const auto draw = [this] {
    {
      const FixedWindow window("status", {0, 0, 400, 100});
      ImGui::Button("Play###x");
      icon_button("camera", icon::kStill, 20, 1, "Takes the scene alone");
      write(*ImGui::GetWindowDrawList(), Face::body, {0, 0}, theme().text, "1,000 bodies");
      ImGui::BeginChild("inner", {200, 40});
      bool on = true, off = false;
      ImGui::Checkbox("axes", &on);
      ImGui::SameLine();
      ImGui::Checkbox("box", &off);
      ImGui::EndChild();
      tip("never heard");
    }
    const FixedWindow other("map page", {0, 100, 400, 100});
    ImGui::TextUnformatted("lambda");
  };
  EXPECT_EQ(
      screen(draw),
      "== status ==\n[ Play ]\n[ Takes the scene alone ]\n1,000 bodies\non: axes\noff: box\n== map page ==\nlambda\n");
  ImGui::NewFrame();
  draw();
  EXPECT_EQ(end_screen_text(), "") << "nothing is read unasked";
  ImGui::EndFrame();
}

TEST_F(ScreenTextOf, ThePageOfAMapIsReadAndF4AsksForIt) {
  on_key({GLFW_KEY_F4}, model, state, requests);
  EXPECT_TRUE(state.pending.screen_text);
  on_key({GLFW_KEY_F11, false, true}, model, state, requests);
  EXPECT_TRUE(state.panels.full_screen && !state.panels.presents);
  on_key({GLFW_KEY_F11}, model, state, requests);
  EXPECT_TRUE(state.panels.full_screen && state.panels.presents);
  const std::string text = screen([this] {
    const FixedWindow window("map page", {0, 0, 800, 900});
    map_page(model, state.page, state.race, {0, 0, 800, 900}, 0, 1, requests);
  });
  for (const char* part : {"[ Back to the scene ]\n", "Parallel space\n", "144 launched", "Source: bounding box"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST_F(ScreenTextOf, AnOldEnergyNamesItsStep) {
  model.diagnostics = {{0, 0, {}, 0}, {1, 0.01, {}, 2e-7}};
  for (const auto& [steps, said] : {std::pair{u64{120}, "energy error 2.0 \u00d7 10\u207b\u2077 at step 1\n"},
                                    std::pair{u64{1}, "energy error 2.0 \u00d7 10\u207b\u2077\n"}}) {
    model.steps = steps;
    const std::string text = screen([this] { status(model, state.frames, 1, {0, 0, 3000, 24}); });
    EXPECT_NE(text.find(said), std::string::npos) << text;
  }
}

TEST_F(ScreenTextOf, ARunThatWentBackHasTheEnergyOfItsStep) {
  model.diagnostics = {{0, 0, {}, 0}, {34, 0.1, {}, 3e-6}, {173, 0.5, {}, 9e-6}};
  model.steps = 34;
  const auto text = [this] { return screen([this] { status(model, state.frames, 1, {0, 0, 3000, 24}); }); };
  EXPECT_NE(text().find("energy error 3.0 \u00d7 10\u207b\u2076\n"), std::string::npos) << text();
  EXPECT_NE(text().find("paused"), std::string::npos);
  state.frames.filming = true;
  EXPECT_NE(text().find("making a film"), std::string::npos) << "whose steps are taken while the run rests";
}

TEST_F(Typing, AFieldLeavesKeysThatMeanNothingInIt) {
  std::array<char, 32> text{"row = y"};
  const auto draw = [&] { ::ImGui::InputText("field", text.data(), text.size()); };
  on_key({GLFW_KEY_N}, model, state, requests);
  EXPECT_TRUE(only<ask::Take>(requests)) << "no field has the keyboard";
  requests.clear();
  frame(draw), focus(field("field"), draw), frame(draw);
  ImGui::NewFrame();  // where ImGui says of the frame before that a field has the keyboard
  draw();
  ASSERT_TRUE(has_field());
  for (const int key : {GLFW_KEY_N, GLFW_KEY_SPACE, GLFW_KEY_BACKSPACE, GLFW_KEY_1, GLFW_KEY_ESCAPE})
    on_key({key}, model, state, requests);
  for (const int key : {GLFW_KEY_Z, GLFW_KEY_Y, GLFW_KEY_A}) on_key({key, true}, model, state, requests);
  EXPECT_TRUE(requests.empty()) << "what the field edits by";
  on_key({GLFW_KEY_F1}, model, state, requests);
  EXPECT_TRUE(state.panels.help);
  on_key({GLFW_KEY_P, true}, model, state, requests);
  EXPECT_TRUE(state.palette.shown) << "Ctrl+P finds from an editor, too";
  ImGui::EndFrame();
}

// Tab leads to every part of the window that has a control.

class Keyboard : public PanelFixture {};

TEST_F(Keyboard, TabReachesEveryWindowThatHasAControl) {
  ImGui::GetIO().DisplaySize = {1280, 900};
  claim_navigation_keys();
  state.panels.open = "View", state.panels.pinned = true;
  const Layout places = layout(1280, 900, 1, {.panels = true, .left = true, .lanes = true});
  const auto draw = [&] {
    ImGui::NewFrame();
    all({model, nullptr}, state, places, 0.02, 1, requests);
    ImGui::EndFrame();
  };
  for (const char* shown : {"scene", "page", "puzzle", "race", "lanes"}) {
    const std::string_view what = shown;
    state.page.shown = what == "page", state.puzzle.shown = what == "puzzle", state.race.shown = what == "race";
    state.lanes.shown = what == "lanes";
    std::set<std::string> with_controls, reached;
    draw(), draw();
    for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
      const std::string name = w->Name;
      const bool own = w->RootWindow == w && w->Active && !w->Hidden && (w->Flags & ImGuiWindowFlags_NoNavInputs) == 0;
      if (own && w->DC.NavLayersActiveMask != 0 && !name.ends_with("edge")) with_controls.insert(name);
    }
    for (int k = 0; k < 20; ++k) {
      state.panels.focus_turn = 1;
      draw();
      if (const ImGuiWindow* now = ImGui::GetCurrentContext()->NavWindow) reached.insert(now->RootWindow->Name);
    }
    // A page lies under the race that was started from it, and would come to the front where it has the keyboard.
    state.page.shown = what == "race", draw();
    const ImGuiWindow* const page = ImGui::FindWindowByName("map page");
    EXPECT_FALSE(what == "race" && page != nullptr && page->Active);
    state.page.shown = what == "page";
    EXPECT_GE(with_controls.size(), 3u) << shown << testing::PrintToString(with_controls);
    for (const std::string& name : with_controls) EXPECT_TRUE(reached.contains(name)) << name << " with the " << shown;
  }
}

}  // namespace
}  // namespace tri::app::gui
