// The settings file: round trip, errors with their line, and a broken file is never overwritten.

#include "app/gui/base/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/base/error.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app::gui {
namespace {

Settings unusual() {
  Settings s;
  s.dark = s.panels = s.box = s.axes = false, s.logarithmic = true;
  s.scale = 1.75, s.width = 901, s.height = 613;
  s.quantity = render::Quantity::mass, s.size = 0.3, s.light = 2.5;
  s.panel = "Charts", s.sort = MapSort::gain;
  s.panel_width = 411, s.column_width = 555, s.pinned = s.lanes = true;
  return s;
}

std::string error_of(const std::string& text) {
  return test::message_of<ConfigError>([&] { parse_settings(text, "app.ini"); });
}

class SettingsOnDisk : public testing::Test {
 protected:
  SettingsOnDisk() {
    folder = std::filesystem::path(testing::TempDir()) /
             ("settings-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder);
    path = folder / "triangulum" / "app.ini";
  }
  ~SettingsOnDisk() override { std::filesystem::remove_all(folder); }
  void put(const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string text() {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
  }
  std::filesystem::path folder, path;
};

TEST(Settings, EverySettingReadsBackAsWritten) {
  EXPECT_EQ(parse_settings(settings_text(unusual()), "x"), unusual());
  EXPECT_EQ(parse_settings(settings_text({}), "x"), Settings{});
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    Settings s;
    s.quantity = static_cast<render::Quantity>(k);
    EXPECT_EQ(parse_settings(settings_text(s), "x"), s);
  }
}

TEST(Settings, MissingKeysKeepTheirDefaults) {
  EXPECT_EQ(parse_settings("", "x"), Settings{});
  const Settings s = parse_settings("# mine\r\n\n  theme=light \r\n", "x");
  EXPECT_FALSE(s.dark);
  EXPECT_EQ(s.width, Settings{}.width);
}

TEST(Settings, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("theme = dark\nthem = light").find("app.ini:2: unknown setting 'them'. Did you mean 'theme'?"),
            0u);
  EXPECT_NE(error_of("theme dark").find("app.ini:1: 'theme dark' is not of the form NAME = VALUE"), std::string::npos);
  EXPECT_NE(error_of("box = on\nbox = on").find("app.ini:2: box is set twice"), std::string::npos);
  for (const char* bad :
       {"theme = blue", "width = 319", "width = 16385", "height = 7e-2", "scale = 0.4", "scale = 4.1", "scale = nan",
        "panel width = 239", "panel width = 721", "column width = 299", "column width = 901", "size = 0", "light = 101",
        "size = inf", "colour = pink", "box = ", "= on"}) {
    EXPECT_EQ(error_of(bad).find("app.ini:1: "), 0u) << bad << ": " << error_of(bad);
  }
}

TEST(Settings, RoundTripThroughTheState) {
  GuiState state;
  apply(unusual(), state);
  EXPECT_FALSE(state.panels.dark);
  EXPECT_EQ(state.view.style.quantity, render::Quantity::mass);
  Settings window;
  window.width = 901, window.height = 613;
  EXPECT_EQ(settings_of(state, window), unusual());
}

TEST(Settings, PathFollowsXdg) {
  const auto put = [](const char* name, const char* value) { setenv(name, value, 1); };
  const char* home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "";
  put("XDG_CONFIG_HOME", "/tmp/somewhere");
  EXPECT_EQ(settings_path(), "/tmp/somewhere/triangulum/app.ini");
  put("XDG_CONFIG_HOME", "relative");  // the XDG specification ignores relative paths
  put("HOME", "/srv/ada");
  EXPECT_EQ(settings_path(), "/srv/ada/.config/triangulum/app.ini");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(settings_path(), "/srv/ada/.config/triangulum/app.ini");
  unsetenv("HOME");
  EXPECT_EQ(settings_path(), "");
  if (home != nullptr) put("HOME", before.c_str());
}

TEST_F(SettingsOnDisk, SavedInTheirOwnFolderAndReadAgain) {
  SettingsFile first(path);
  EXPECT_EQ(first.fault(), "");
  EXPECT_FALSE(first.found());
  first.keep({});
  EXPECT_TRUE(first.found() && std::filesystem::exists(path)) << "the next start is not the first one";
  std::filesystem::remove(path);
  first.keep({});
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing changed, nothing is written";
  first.keep(unusual());
  SettingsFile second(path);
  EXPECT_EQ(second.settings(), unusual());
  second.keep({});
  EXPECT_EQ(SettingsFile(path).settings(), Settings{});
}

TEST_F(SettingsOnDisk, ABrokenFileIsAnErrorAndStaysUnchanged) {
  for (const std::string& broken :
       {std::string("theme = light\nwidth = wide\n"), std::string(70000, '#'), std::string("\0\1\2\3", 4)}) {
    put(broken);
    SettingsFile file(path);
    EXPECT_NE(file.fault().find(path.string()), std::string::npos) << file.fault();
    EXPECT_NE(file.fault().find("correct or remove it"), std::string::npos) << file.fault();
    EXPECT_EQ(file.settings(), Settings{});
    file.keep(unusual());
    EXPECT_EQ(text(), broken);
  }
}

TEST_F(SettingsOnDisk, AFolderOfThatNameIsAnError) {
  std::filesystem::create_directories(path);
  EXPECT_NE(SettingsFile(path).fault(), "");
}

TEST_F(SettingsOnDisk, AnUnwritableFolderIsReported) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "triangulum") << "a file where the folder should be";
  SettingsFile file(path);
  EXPECT_THROW(file.keep(unusual()), FileError);
  EXPECT_EQ(file.settings(), Settings{});
}

TEST(Settings, WithoutAPathNothingIsSaved) {
  SettingsFile file("");
  EXPECT_NO_THROW(file.keep(unusual()));
  EXPECT_EQ(file.settings(), Settings{});
}

}  // namespace
}  // namespace tri::app::gui
