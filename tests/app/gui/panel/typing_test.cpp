// Typing into panels without a window: numbers are taken when their field is left, and a dialog's name has the
// keyboard.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/panel/panels.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class Typing : public PanelFixture {
 protected:
  /// Types text into a field and presses Enter.
  void type(ImGuiID field, const char* text, const std::function<void()>& panel) {
    frame(panel);
    activate(field);
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
    frame(panel);
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
};

TEST_F(Typing, LettersThatCameTogetherAreInTheFieldInOneFrame) {
  std::array<char, 32> text{};
  const auto draw = [&] { ImGui::InputText("field", text.data(), text.size()); };
  frame(draw);
  activate(field("field"));
  ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
  frame(draw);
  ImguiInput input;
  const auto next = [&] {
    frame(draw, [&] { input.new_frame({{}, true, {-1, -1}, {}}, {}, [](int) { return false; }); });
  };
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

TEST_F(Typing, EveryNumberOfTheLawsAndTheBoxCanBeTyped) {
  const auto draw = [this] { panel::physics(model, state, requests); };
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

TEST_F(Typing, ANumberIsTakenOnceWhenItsFieldIsLeft) {
  const auto draw = [this] { panel::physics(model, state, requests); };
  const auto activate = [&](const char* label) {
    gui::activate(field(label));
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
    frame(draw);
  };
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
    if (auto path = panel::files(state.files.browser, state.files.recent, 1)) chosen = path;
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
    if (auto path = panel::files(state.files.browser, state.files.recent, 1)) chosen = path;
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

}  // namespace
}  // namespace tri::app::gui
