// The file browser without a window: listing, typed paths, and no file is replaced without confirmation.

#include "app/gui/base/file_browser.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tri::app::gui {
namespace {

namespace fs = std::filesystem;
using Purpose = FileBrowser::Purpose;

class Files : public testing::Test {
 protected:
  Files() {
    root = fs::path(testing::TempDir()) / ("files" + std::to_string(getpid()));
    fs::create_directories(root / "b sub");
    fs::create_directories(root / "A");
    fs::create_directories(root / ".hidden");
    for (const char* name : {"two.csv", "one.TAB", "notes.txt", "shot.png", ".secret.csv"}) write(root / name);
    write(root / "A" / "inside.npy");
  }
  ~Files() override { fs::remove_all(root); }

  static void write(const fs::path& path) { std::ofstream(path) << "12345"; }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const FileRow& r : files.rows()) all.push_back(r.folder ? r.name + "/" : r.name);
    return all;
  }

  fs::path root;
  FileBrowser files;
};

using Names = std::vector<std::string>;

TEST_F(Files, ListsFoldersAndReadableFiles) {
  files.show(Purpose::open, root.string());
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "one.TAB", "shot.png", "two.csv"}));
  EXPECT_EQ(files.rows()[4].bytes, 5u);
  files.set_all_kinds(true);
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "notes.txt", "one.TAB", "shot.png", "two.csv"}));
  files.set_all_kinds(false);
  files.show(Purpose::save, (root / "two.csv").string());
  EXPECT_EQ(names(), (Names{"A/", "b sub/", "one.TAB", "two.csv"})) << "a picture is no place for bodies";
  EXPECT_EQ(files.typed, "two.csv");
}

TEST_F(Files, OpensFoldersAndSelectsFiles) {
  files.show(Purpose::open, root.string());
  EXPECT_FALSE(files.choose("A"));
  EXPECT_EQ(files.folder(), (root / "A").string());
  EXPECT_EQ(names(), Names{"inside.npy"});
  files.up();
  EXPECT_EQ(files.folder(), root.string());
  EXPECT_FALSE(files.choose(root.string() + "/b sub/"));
  EXPECT_EQ(files.folder(), (root / "b sub").string());
  EXPECT_TRUE(files.rows().empty());
  EXPECT_FALSE(files.choose(""));
  EXPECT_TRUE(files.shown());
  EXPECT_EQ(files.choose("../A/inside.npy"), (root / "A/inside.npy").string());
  EXPECT_FALSE(files.shown());
}

TEST_F(Files, ATildeIsTheHomeFolder) {
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", root.c_str(), 1);
  files.show(Purpose::open, "/");
  EXPECT_EQ(files.choose("~/A/inside.npy"), (root / "A/inside.npy").string());
  home == nullptr ? unsetenv("HOME") : setenv("HOME", before.c_str(), 1);
}

TEST_F(Files, MissingFilesAreReported) {
  files.show(Purpose::open, root.string());
  EXPECT_FALSE(files.choose("none.csv"));
  EXPECT_NE(files.fault().find("none.csv: no such file"), std::string::npos) << files.fault();
  EXPECT_TRUE(files.shown());
  files.show(Purpose::open, (root / "gone" / "x.csv").string());
  EXPECT_EQ(files.folder(), fs::current_path().string()) << "a folder that is there";
  files.show(Purpose::open, root.string());
  fs::remove_all(root / "A");
  EXPECT_FALSE(files.choose("A"));
  EXPECT_FALSE(files.fault().empty());
  EXPECT_EQ(files.folder(), root.string()) << "the list stays";
}

TEST_F(Files, ReplacingAFileNeedsConfirmation) {
  files.show(Purpose::save, root.string());
  EXPECT_FALSE(files.choose("state.txt"));
  EXPECT_NE(files.fault().find(".csv"), std::string::npos) << files.fault();
  EXPECT_FALSE(files.choose("two.csv"));
  EXPECT_NE(files.fault().find("Save again to replace it"), std::string::npos);
  EXPECT_FALSE(files.choose("one.TAB")) << "another file is asked for anew";
  EXPECT_EQ(files.choose("one.TAB"), (root / "one.TAB").string());
  files.show(Purpose::save, root.string());
  EXPECT_EQ(files.choose("new.csv"), (root / "new.csv").string());
}

TEST_F(Files, RecentFilesAreListedNewestFirst) {
  const std::string list = (root / "config" / "recent").string();
  RecentFiles recent(list);
  EXPECT_TRUE(recent.paths().empty());
  for (int k = 0; k < 12; ++k) recent.add((root / ("f" + std::to_string(k))).string());
  recent.add((root / "f5").string());
  const RecentFiles again(list);
  ASSERT_EQ(again.paths().size(), RecentFiles::kMax);
  EXPECT_EQ(again.paths()[0], (root / "f5").string());
  EXPECT_EQ(again.paths()[1], (root / "f11").string());
  EXPECT_EQ(again.paths(), recent.paths());
  EXPECT_EQ(std::count(again.paths().begin(), again.paths().end(), (root / "f5").string()), 1);
  ASSERT_EQ(mkfifo((root / "pipe").c_str(), 0600), 0);
  RecentFiles pipe((root / "pipe").string());
  pipe.add("/a.csv");  // waits for no reader
  EXPECT_EQ(pipe.paths(), Names{"/a.csv"});
  RecentFiles nowhere("/proc/none/recent");
  nowhere.add("relative.csv");
  EXPECT_EQ(nowhere.paths(), Names{(fs::current_path() / "relative.csv").string()});
}

TEST(Bytes, HaveUnits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(1000), "1 kB");
  EXPECT_EQ(bytes_text(1234567), "1.23 MB");
  EXPECT_EQ(bytes_text(999999), "1 MB");
}

}  // namespace
}  // namespace tri::app::gui
