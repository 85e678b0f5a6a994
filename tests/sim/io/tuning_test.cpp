// Tunings: which row applies, which tile is fastest, and the file that stores them.

#include <cstdlib>

#include "sim/io/tuning_file.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

using Times = std::vector<std::pair<u32, double>>;

Tuning two_works() {
  return {"Card 7",
          {{TunedWork::gravity, Precision::fp32, 1024, 128},
           {TunedWork::gravity, Precision::fp32, 16384, 384},
           {TunedWork::gravity, Precision::fp64, 2048, 256},
           {TunedWork::grid, Precision::fp32, 4096, 1}}};
}

TEST(Tuning, TheLastRowAtOrBelowNApplies) {
  const Tuning t = two_works();
  const auto gravity = [&](u64 n) { return t.choice(TunedWork::gravity, Precision::fp32, n).value(); };
  EXPECT_EQ(gravity(1), 128u) << "below the first row";
  EXPECT_EQ(gravity(1024), 128u);
  EXPECT_EQ(gravity(16383), 128u);
  EXPECT_EQ(gravity(16384), 384u);
  EXPECT_EQ(gravity(u64{1} << 40), 384u);
  EXPECT_EQ(t.choice(TunedWork::gravity, Precision::fp64, 5), 256u);
  EXPECT_FALSE(t.choice(TunedWork::lennard_jones, Precision::fp32, 5));
  EXPECT_FALSE(t.choice(TunedWork::grid, Precision::fp64, 5));
  EXPECT_EQ(t.first(TunedWork::grid, Precision::fp32), 4096u);
  EXPECT_FALSE(t.first(TunedWork::overlaps, Precision::fp32));
}

TEST(Tuning, AChangeMustGainMoreThanNoise) {
  const Times times{{128, 1.0}, {256, 0.99}, {512, 2.0}};
  EXPECT_EQ(fastest(times, std::nullopt), 256u);
  EXPECT_EQ(fastest(times, 128u), 128u) << "one percent is noise";
  EXPECT_EQ(fastest(times, 512u), 256u);
  EXPECT_EQ(fastest({{128, 1.0}, {256, 0.9}}, 128u), 256u);
  EXPECT_EQ(fastest(times, 1024u), 256u) << "the earlier choice no longer exists";
}

TEST(TuningFile, RoundTrips) {
  const TempFolder folder;
  const std::string path = folder.at("deep/er/tuning.txt");
  EXPECT_TRUE(io::read_tunings(path).empty());
  io::write_tuning(path, two_works());
  Tuning other{"Another card, with a # and blanks", {}};
  other.device = "Another card";
  other.rows = {{TunedWork::overlaps, Precision::fp64, 1, 512}};
  io::write_tuning(path, other);
  Tuning changed = two_works();
  changed.rows.pop_back();
  io::write_tuning(path, changed);
  const std::vector<Tuning> all = io::read_tunings(path);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].device, "Card 7");
  EXPECT_EQ(all[0].rows, changed.rows);
  EXPECT_EQ(all[1].device, "Another card");
  EXPECT_EQ(all[1].rows, other.rows);
}

TEST(TuningFile, InvalidLinesAreReportedWithTheirNumber) {
  const TempFolder folder;
  const auto refused = [&](const std::string& text) {
    const std::string path = folder.file("tuning.txt", text);
    return message_of<FileError>([&] { io::read_tunings(path); });
  };
  const std::string head = "# comment\ndevice X\n";
  expect_parts(refused(head + "gravity fp32 1024\n"), {"tuning.txt", "line 3", "gravity fp32 1024", "bench --tune"});
  expect_parts(refused(head + "gravity fp32 1024 128 7\n"), {"line 3"});
  expect_parts(refused(head + "gravity fp16 1024 128\n"), {"line 3", "fp16"});
  expect_parts(refused(head + "magnetism fp32 1024 128\n"), {"line 3", "magnetism"});
  expect_parts(refused(head + "gravity fp32 -5 128 x\n"), {"line 3"});
  expect_parts(refused("gravity fp32 1024 128\n"), {"line 1", "device NAME"});
  expect_parts(refused(head + "gravity fp32 1024 128\ngravity fp32 1024 256\n"), {"line 4", "1024"});
  EXPECT_TRUE(io::read_tunings(folder.file("empty.txt", "")).empty());
}

TEST(TuningFile, AFolderThatCannotBeMadeIsReported) {
  const TempFolder folder;
  folder.file("plain", "x");
  expect_parts(message_of<FileError>([&] { io::write_tuning(folder.at("plain/deep/tuning.txt"), two_works()); }),
               {"plain"});
}

TEST(TuningFile, IsInTheUsersFolder) {
  const auto with = [](const char* config, const char* home) {
    const auto set = [](const char* name, const char* value) {
      value != nullptr ? setenv(name, value, 1) : unsetenv(name);
    };
    set("XDG_CONFIG_HOME", config), set("HOME", home);
    return io::tuning_path();
  };
  const char* const was = std::getenv("HOME");
  const std::string home = was != nullptr ? was : "";
  EXPECT_EQ(with("/a", "/b"), "/a/triangulum/tuning.txt");
  EXPECT_EQ(with(nullptr, "/b"), "/b/.config/triangulum/tuning.txt");
  EXPECT_EQ(with("", "/b"), "/b/.config/triangulum/tuning.txt");
  EXPECT_EQ(with("a", "/b"), "/b/.config/triangulum/tuning.txt") << "relative paths are ignored";
  EXPECT_EQ(with(nullptr, nullptr), "");
  with(nullptr, was != nullptr ? home.c_str() : nullptr);
}

}  // namespace
}  // namespace tri::test
