// Files that several runs write: what is kept, what the next run makes of it, and what it refuses.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/files/file.hpp"
#include "sim/files/process.hpp"
#include "sim/files/text.hpp"
#include "sim/io/formats.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

using io::PartFile;

const PartFile::Facts kFacts{{"n", "4"}, {"kind", "letters of two words"}};

std::string letters(u64 part) { return std::string(3, static_cast<char>('a' + part)); }

/// A run that ends after `until` of 4 parts: by an exception, or in order.
void run(const std::string& path, u64 until, const PartFile::Facts& facts = kFacts, u64 expected_begin = 0) {
  PartFile file(path, 4, facts);
  EXPECT_EQ(file.done(), expected_begin);
  if (file.done() == 0) {
    file.file().write("head");
    file.head_is_written();
  }
  for (u64 part = file.done(); part < until; ++part) {
    file.write(letters(part));
    file.count(part + 1);
  }
  if (until == 4) return file.commit();
  file.save();
  file.write("of a part that does not count");
  file.file().sync();
}

/// The only part of an output; its state has kStateEnding behind its name.
std::string part_of(const std::string& path) {
  const std::vector<std::string> found = io::unfinished_of(path, io::kPartSort);
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? "" : found.front();
}
std::string state_of(const std::string& path) { return part_of(path) + io::kStateEnding; }

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

constexpr const char* kWhole = "headaaabbbcccddd";

TEST(PartFiles, GoOnAfterAnyNumberOfParts) {
  const TempFolder folder;
  const std::string path = folder.at("out");
  for (u64 until = 0; until < 4; ++until) {
    run(path, until);
    EXPECT_TRUE(PartFile::bytes_left(path));
    EXPECT_EQ(folder.names().size(), 2u);
    EXPECT_TRUE(std::filesystem::exists(state_of(path)));
    run(path, until, kFacts, until);  // nothing more
    run(path, 4, kFacts, until);
    EXPECT_EQ(content_of(path), kWhole) << until;
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"out"}));
    EXPECT_FALSE(PartFile::bytes_left(path));
    std::filesystem::remove(path);
  }
}

// What other programs or people have under the names that an earlier version took, and under any other.
TEST(PartFiles, FilesOfOthersAreNeitherOpenedNorRemoved) {
  const TempFolder folder;
  const std::string path = folder.at("out");
  const std::vector<std::string> foreign{
      "out.part",       "out.part-0123456789abcdef", "out.part-0123456789abcdef-state",
      "out.part-state", "out.tmp-0123456789abcdef",  "out.tmp-77"};
  for (const std::string& name : foreign) folder.file(name, "of another");
  for (const u64 until : {2u, 4u}) run(path, until, kFacts, until == 2 ? 0 : 2);
  EXPECT_EQ(content_of(path), kWhole);
  EXPECT_EQ(folder.names().size(), foreign.size() + 1);
  for (const std::string& name : foreign) EXPECT_EQ(content_of(folder.at(name)), "of another") << name;
}

// A part with a second name, or that is a link, is not ours alone: what is written to it would go elsewhere, too.
TEST(PartFiles, APartWithASecondNameIsLeftAlone) {
  for (const bool hard : {true, false}) {
    const TempFolder folder;
    const std::string path = folder.at("out");
    run(path, 2);
    const std::string part = part_of(path), victim = folder.file("victim", content_of(part));
    std::filesystem::remove(part);
    hard ? std::filesystem::create_hard_link(victim, part) : std::filesystem::create_symlink(victim, part);
    run(path, 4);
    EXPECT_EQ(content_of(path), kWhole);
    EXPECT_EQ(content_of(victim), "headaaabbbof a part that does not count");
  }
}

TEST(PartFiles, WithoutFactsNothingIsKept) {
  const TempFolder folder;
  {
    PartFile file(folder.at("out"), 4, std::nullopt);
    EXPECT_FALSE(file.keeps());
    file.file().write("head");
    file.head_is_written();
    file.count(1);
    file.save();
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>());
  PartFile stream("/dev/null", 4, kFacts);
  EXPECT_FALSE(stream.keeps());
  stream.head_is_written();
  stream.commit();
}

TEST(PartFiles, RefuseWhatDoesNotBelongTogether) {
  const TempFolder folder;
  const std::string path = folder.at("out");
  run(path, 2);
  const std::string part = part_of(path), state = state_of(path);
  const std::string good_part = content_of(part), good_state = content_of(state);
  const auto refused = [&](const std::vector<std::string>& parts, const PartFile::Facts& facts = kFacts) {
    const std::string message = message_of<FileError>([&] { PartFile(path, 4, facts); });
    expect_parts(message, {part, state, "delete"});
    expect_parts(message, parts);
  };
  const auto restore = [&] { put(part, good_part), put(state, good_state); };

  refused({"begun with kind letters of two words, and this is digits"}, {{"n", "4"}, {"kind", "digits"}});
  refused({"begun with n 4, and this is 5"}, {{"n", "5"}, {"kind", "letters of two words"}});
  refused({"does not say 'more'"}, {{"n", "4"}, {"more", "1"}});
  EXPECT_THROW(PartFile(path, 5, kFacts), FileError) << "another number of parts";
  // One byte of the state, at every place; and its end.
  for (std::size_t at = 0; at < good_state.size(); ++at) {
    std::string bad = good_state;
    bad[at] ^= 1;
    put(state, bad);
    refused({"its state is damaged"});
    put(state, good_state.substr(0, at));
    refused({"its state is damaged"});
  }
  restore();
  put(part, good_part.substr(0, 9));  // two parts end after 10
  refused({"it has 9 bytes, and 10 were done: it was cut off"});
  put(part, "Head" + good_part.substr(4));
  refused({"its first bytes are not those that were written"});
  for (std::size_t at = 4; at < 10; ++at) {
    std::string changed = good_part;
    changed[at] ^= 1;
    put(part, changed);
    refused({"what is done is not what was written"});
  }
  std::filesystem::remove(part);
  expect_parts(message_of<FileError>([&] { PartFile(path, 4, kFacts); }), {"missing", part, state, "delete"});
  EXPECT_FALSE(std::filesystem::exists(part)) << "it must not be created by the refusal";
  restore();
  {
    const PartFile first(path, 4, kFacts);
    expect_parts(message_of<FileError>([&] { PartFile(path, 4, kFacts); }), {part, "being written by another run"});
  }
  run(path, 4, kFacts, 2);
  EXPECT_EQ(content_of(path), kWhole);
}

TEST(PartFiles, BeginAnewWhereNothingCounts) {
  const TempFolder folder;
  const std::string path = folder.at("out");
  run(path, 2);
  std::filesystem::remove(state_of(path));  // a crash before it was written
  run(path, 4);
  EXPECT_EQ(content_of(path), kWhole);
  // A crash of commit() after the file was renamed, before its state was removed.
  run(path, 3);
  std::string all_done, state;
  {
    PartFile file(path, 4, kFacts);
    file.write(letters(3));
    file.count(4);
    file.save();
    state = state_of(path), all_done = content_of(state);
  }
  std::filesystem::remove(part_of(path));
  put(state, all_done);
  run(path, 4);
  EXPECT_EQ(content_of(path), kWhole);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"out"}));
}

TEST(PartFiles, FollowLinksOfTheOutput) {
  const TempFolder folder;
  folder.file("real", "earlier");
  std::filesystem::create_symlink(folder.at("real"), folder.at("link"));
  run(folder.at("link"), 2);
  EXPECT_EQ(content_of(folder.at("real")), "earlier");
  EXPECT_TRUE(PartFile::bytes_left(folder.at("link")));
  run(folder.at("link"), 4, kFacts, 2);
  EXPECT_EQ(content_of(folder.at("real")), kWhole);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.at("link")));
}

TEST(PartFiles, DiscardRemovesAll) {
  const TempFolder folder;
  run(folder.at("out"), 3);
  PartFile(folder.at("out"), 4, kFacts).discard();
  EXPECT_EQ(folder.names(), std::vector<std::string>());
}

}  // namespace
}  // namespace tri::test

// Child processes: what they are given, how they end, and that nothing of them stays.

namespace tri::io {
namespace {

using Clock = std::chrono::steady_clock;

/// A shell with a script, whose output goes to memory.
struct Shell {
  explicit Shell(const std::string& script) : output(memfd_create("test", MFD_CLOEXEC)) {
    setup = {"/bin/sh", {"-c", script}, {{output.get(), STDOUT_FILENO}}};
  }
  std::string said() const {
    std::string text(1000, '\0');
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, pread(output.get(), text.data(), text.size(), 0))));
    return text;
  }
  Descriptor output;
  ChildSetup setup;
};

TEST(ChildProcess, FindsProgramsInThePath) {
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/bin"), "");
  EXPECT_EQ(find_program("no-such-program"), "");
  EXPECT_EQ(find_program(""), "");
  EXPECT_TRUE(find_program("sh").ends_with("/sh"));
}

TEST(ChildProcess, HasItsWordsAndFilesAlone) {
  ::setenv("TRI_CHILD_TEST", "of the parent", 1);
  Shell shell("echo \"$TRI_CHILD_TEST|$1\"; cat; exit 7");
  shell.setup.arguments.insert(shell.setup.arguments.end(), {"sh", "two words"});
  ChildProcess child(shell.setup);
  ASSERT_EQ(child.error(), 0);
  const int status = child.wait();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_EQ(child.wait(), status);
  EXPECT_EQ(shell.said(), "of the parent|two words\n");  // cat has read nothing
  ::unsetenv("TRI_CHILD_TEST");
}

TEST(ChildProcess, SaysWhyItDoesNotStart) {
  ChildProcess child({"/no/such/program", {}, {}});
  EXPECT_EQ(child.error(), ENOENT);
  EXPECT_TRUE(child.ended(0));
}

TEST(ChildProcess, EndsWithTheObjectAndSoDoesWhatItStarted) {
  const auto start = Clock::now();
  pid_t group = 0;
  {
    Shell shell("sleep 100 & echo $$; wait");
    ChildProcess child(shell.setup);
    while (shell.said().empty()) EXPECT_FALSE(child.ended(1));
    group = std::stoi(shell.said());
    EXPECT_EQ(::kill(-group, 0), 0);
  }
  // The system may take a moment to bury the orphan.
  for (int k = 0; k < 1000 && ::kill(-group, 0) == 0; ++k) ::usleep(10000);
  EXPECT_NE(::kill(-group, 0), 0);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(50));
}

TEST(ChildProcess, IsToldSignals) {
  Shell shell("kill -STOP $$; sleep 100");
  ChildProcess child(shell.setup);
  EXPECT_FALSE(child.ended(20));
  child.send(SIGKILL);
  EXPECT_TRUE(child.ended(10000));
  EXPECT_TRUE(WIFSIGNALED(child.wait()) && WTERMSIG(child.wait()) == SIGKILL);
}

// TOML and JSON texts before they are parsed: their depth, what strings and comments hide, UTF-8, and the line.

std::string repeated(const std::string& piece, std::size_t times) {
  std::string text;
  for (std::size_t k = 0; k < times; ++k) text += piece;
  return text;
}

const std::string kDeep(kMaxNesting + 1, '[');

u64 toml_line(const std::string& text) { return toml_fault(text).value_or(TextFault{}).line; }
u64 json_line(const std::string& text) { return json_fault(text).value_or(TextFault{}).line; }

TEST(TextFault, TheLimitItselfIsAllowed) {
  EXPECT_EQ(toml_line("x = " + std::string(kMaxNesting, '[')), 0u);
  EXPECT_EQ(toml_line("x = " + kDeep), 1u);
  EXPECT_EQ(toml_line("a" + repeated(".a", kMaxNesting) + " = 1\n[a" + repeated(" . a", kMaxNesting) + "]\n"), 0u);
  EXPECT_EQ(toml_line("\n\na" + repeated(".\"b.c\"", kMaxNesting + 1) + " = 1"), 3u);
  EXPECT_EQ(json_line(std::string(kMaxNesting, '{')), 0u);
  EXPECT_EQ(json_line("\n" + kDeep), 2u);
  EXPECT_EQ(json_line("{" + repeated("\"a\":1,", kMaxMembers - 1) + "\"a\":1}"), 0u);
  EXPECT_EQ(json_line("{" + repeated("\"a\":1,", kMaxMembers) + "\"a\":1}"), 1u);
}

TEST(TextFault, ListsMayBeLong) {
  EXPECT_EQ(toml_line("x = [" + repeated("[1.5, 2.5, -3.5e-7],\n", 1000) + "]"), 0u);
  EXPECT_EQ(toml_line(repeated("[[part]]\nx.y = {a = 1.5}\n", 1000)), 0u);
  EXPECT_EQ(json_line("[" + repeated("{\"a\": [1, 2]},", 5000) + "[" + repeated("1,", 5000) + "1]]"), 0u);
}

TEST(TextFault, StringsAndCommentsAreText) {
  for (const std::string& text :
       {fmt::format("x = \"\\\"{}\"", kDeep), fmt::format("x = '\\'\n# {}", kDeep),
        fmt::format("x = \"\"\"{0}\n\\\"\"\"{0}\"\"\"\"\"", kDeep), fmt::format("x = '''{0}\n''{0}''''", kDeep),
        fmt::format("x = \"\" # {}", kDeep), fmt::format("\"{}\" = 1", kDeep)}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
    EXPECT_EQ(toml_line(text + "\ny = " + kDeep), 2u + static_cast<u64>(std::count(text.begin(), text.end(), '\n')));
  }
  EXPECT_EQ(json_line("[\"\\\"" + kDeep + "\\\\\", \"\", \"'\"]"), 0u);
  EXPECT_EQ(json_line("[\"\\\\\"" + kDeep), 1u);
}

TEST(TextFault, EveryCodePointIsUtf8AndNothingElse) {
  const auto text_of = [](u32 c) {
    std::string bytes;
    const auto add = [&](u32 byte) { bytes += static_cast<char>(byte); };
    if (c < 0x80) {
      add(c);
    } else if (c < 0x800) {
      add(0xC0 | c >> 6), add(0x80 | (c & 63));
    } else if (c < 0x10000) {
      add(0xE0 | c >> 12), add(0x80 | (c >> 6 & 63)), add(0x80 | (c & 63));
    } else {
      add(0xF0 | c >> 18), add(0x80 | (c >> 12 & 63)), add(0x80 | (c >> 6 & 63)), add(0x80 | (c & 63));
    }
    return bytes;
  };
  for (u32 c = 0; c < 0x120000; ++c) {
    const bool valid = c < 0x110000 && (c < 0xD800 || c > 0xDFFF);
    ASSERT_EQ(toml_line("# \n# " + text_of(c) + " #"), valid || c == 0 ? 0u : 2u) << c;
  }
  for (const char* bytes :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\x80", "\xFF", "\xC3", "\xE2\x82"}) {
    EXPECT_EQ(toml_line("#\n#\n" + std::string(bytes)), 3u);
  }
  EXPECT_EQ(toml_fault("\xA3")->what, "the byte 0xA3, which is not UTF-8");
}

TEST(TextFault, NumbersAreThoseOfFloat64) {
  for (const std::string number : {"1e-400", "-1_0.5E-9999", "1e-324", "+3e400", "1e9999"}) {
    const bool large = number == "+3e400" || number == "1e9999";
    const char* const why = large ? "beyond every number of float64" : "below every number of float64, and would be 0";
    for (const char* line : {"x = {}", "x = [1, {}, 3]", "x.y={} # text", "x = {{a = {}}}", "x = [1,{}\n]"}) {
      const auto fault = toml_fault("y = 1\n" + fmt::format(fmt::runtime(line), number)).value_or(TextFault{});
      EXPECT_EQ(fault.line, 2u) << line;
      EXPECT_EQ(fault.what, fmt::format("the number '{}', which is {}; use another unit", number, why));
    }
  }
  EXPECT_EQ(toml_line("a = 0e-400\nb = 5e-324\nc = [-inf, +nan]\nd = '1e-400' # 1e-400\n1e-400 = 0x1e400\n[1e-400]"),
            0u);
}

TEST(TextFault, TablesHaveNames) {
  for (const char* text : {"[\x18i", "[!", "[ \t#", "[\n", "[[.a]]", "[[ \xC3\xA9 ]]", "[=", "[{"}) {
    EXPECT_EQ(toml_line("x = 1\n \t" + std::string(text)), 2u) << text;
    EXPECT_EQ(toml_line(text), 1u) << text;
    EXPECT_EQ(toml_line("\xEF\xBB\xBF" + std::string(text)), 1u) << text << " behind a byte order mark";
  }
  // What is within brackets already is a value; the library itself says that a table lacks its name, or its end.
  for (const char* text : {"x = [\n [1],\n\t[{}], [\n[\n]]]\n", "[a]\n[[b]]\n[ \"c\" ]\n['d']\n[-_9]\n", "[]", "[[]]",
                           "[", "[[", "[ ", "[ [a]]", "x = [!", "x = [ # 1\n+2]"}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
  }
}

TEST(TextFault, LettersBeyondAsciiAreInStringsAndComments) {
  for (const char* text : {"\xC3\xA9 = 1", "x = 1 \xE2\x80\x83", " \" 1\" \xEF\xB3\xBF \"=", "x = [1,\xC2\xA0 2]",
                           "x = \"\"\"a\\\xC3\xA9\"\"\"", "x = \"\\\xC3\xA9\""}) {
    EXPECT_EQ(toml_line("y = 1\n" + std::string(text)), 2u) << text;
  }
  for (const char* text : {"\xEF\xBB\xBFx = \"\xC3\xA9\" # \xC3\xA9", "\"\xC3\xA9\" = '\xC3\xA9'",
                           "x = '''\\\xC3\xA9\n\xEF\xB3\xBF'''", "x = \"\\\\\xC3\xA9\""}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
  }
}

TEST(TextFault, TextsThatEndEarly) {
  for (const char* text : {"", "\"", "'", "\"\\", "\"\"\"", "'''", "#", "]]}}", "x = \"\"\"\"\""}) {
    EXPECT_EQ(toml_line(text), 0u) << text;
    EXPECT_EQ(json_line(text), 0u) << text;
  }
}

}  // namespace
}  // namespace tri::io

// Tunings: which row applies, which tile is fastest, and the file that stores them.

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

// What files say of bodies beside them: units, species, a periodic cell; and the elements.

Bodies some_atoms() {
  Bodies b;
  b.add(0.1, 0, -0.3, 1.5, -0.25, 0.7, 39.948);
  b.add(1.7, 2, 0.9, -1, 0.5, 0, 1.008);
  b.add(3, 0.2, 1, 0, 0, 0, 5);
  b.species = {18, 1, 0};
  return b;
}

TEST(StateInfo, FormatsKeepTheUnitsOrSaySo) {
  TempFolder folder;
  for (const char* name : {"a.csv", "a.tab", "a.hdf5", "a.xyz", "a.ply", "a.npy", "a.vtp", "a.tipsy-64"}) {
    SCOPED_TRACE(name);
    const std::string path = folder.at(name);
    Bodies b = some_atoms();
    StateInfo state;
    state.units = "angstrom-ps-amu";
    std::string lost;
    for (const std::string& note : make_storable(path, b, state)) lost += note;
    write_bodies(path, b, state);
    ReadReport reading;
    expect_same_bodies(read_bodies(path, reading), b);
    EXPECT_TRUE(reading.notes.empty() || std::string(name) == "a.tipsy-64");
    const bool keeps = reading.units == find_unit_system("angstrom-ps-amu");
    EXPECT_EQ(keeps, lost.find("the units; dropped") == std::string::npos) << lost;
    const std::string text = name;
    EXPECT_EQ(keeps, text != "a.npy" && text != "a.vtp" && text != "a.tipsy-64");

    state.units = "G = 1, in words";
    write_bodies(path, b, state);
    reading = {};
    read_bodies(path, reading);
    EXPECT_EQ(reading.units, nullptr);
  }
}

TEST(StateInfo, CsvWithoutASystemIsAsBefore) {
  TempFolder folder;
  write_bodies(folder.at("a.csv"), some_atoms());
  EXPECT_EQ(content_of(folder.at("a.csv")).find("x,y,z,m,r,vx,vy,vz\n"), 0u);
}

TEST(StateInfo, SpeciesStayInXyzAndHdf5) {
  TempFolder folder;
  for (const char* name : {"a.extxyz", "a.hdf5"}) {
    write_bodies(folder.at(name), some_atoms());
    EXPECT_EQ(read_bodies(folder.at(name)).species, some_atoms().species) << name;
  }
  Bodies b = some_atoms();
  const Notes notes = make_storable(folder.at("a.csv"), b, {});
  ASSERT_EQ(notes.size(), 1u);
  expect_parts(notes[0], {"csv does not store species"});
  EXPECT_TRUE(b.species.empty());
  EXPECT_EQ(content_of(folder.at("a.extxyz")).find("\nAr 0.1"), content_of(folder.at("a.extxyz")).find("\nAr"));
}

// By the names that people and ASE use; a column of another length or without a name of these is left out with a note.
TEST(StateInfo, ChargesAreReadByTheirNames) {
  TempFolder folder;
  const std::vector<double> expected{-1.5, 2};
  EXPECT_EQ(read_bodies(folder.file("a.csv", "x,y,z,q\n0,0,0,-1.5\n1,0,0,2\n")).q, expected);
  EXPECT_EQ(read_bodies(folder.file("b.csv", "Charge,x,y,z,group\n-1.5,0,0,0,1\n2,1,0,0,1\n")).q, expected);
  for (const char* name : {"charge", "q", "initial_charges"}) {
    const std::string head = std::string("2\nProperties=pos:R:3:") + name + ":R:1\n";
    EXPECT_EQ(read_bodies(folder.file("a.xyz", head + "0 0 0 -1.5\n1 0 0 2\n")).q, expected) << name;
  }
  expect_rejected(folder.file("c.csv", "x,y,z,q\n0,0,0,nan\n"), {"line 2, column 4 (q)"},
                  [](const auto& path) { read_bodies(path); });
  expect_rejected(folder.file("d.csv", "x,y,z,q,charge\n0,0,0,1,1\n"), {"column 5 (q)", "has that name already"},
                  [](const auto& path) { read_bodies(path); });
  write_bodies(folder.at("plain.ply"), some_atoms());
  EXPECT_TRUE(read_bodies(folder.at("plain.ply")).q.empty());
}

TEST(StateInfo, APeriodicCellStaysInXyz) {
  TempFolder folder;
  StateInfo state;
  state.box = {{-1, 0, 0.1}, {3, 5, 7.3}, Boundary::periodic};
  write_bodies(folder.at("a.xyz"), some_atoms(), state);
  ReadReport reading;
  read_bodies(folder.at("a.xyz"), reading);
  ASSERT_TRUE(reading.box.has_value());
  EXPECT_EQ(reading.box->low, state.box.low);
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(reading.box->high[axis], state.box.high[axis], 1e-14);
  EXPECT_EQ(reading.box->boundary, Boundary::periodic);
  Bodies b = some_atoms();
  EXPECT_TRUE(make_storable(folder.at("a.xyz"), b, state).empty());
  b.species.clear();
  expect_parts(make_storable(folder.at("a.vtp"), b, state).at(0), {"the periodic box"});
}

TEST(StateInfo, CellsOfXyz) {
  TempFolder folder;
  const auto box_of = [&](const std::string& keys) {
    ReadReport reading;
    read_bodies(folder.file("a.xyz", "1\nProperties=species:S:1:pos:R:3 " + keys + "\nAr 1 2 3\n"), reading);
    return reading.box;
  };
  EXPECT_FALSE(box_of("").has_value());
  EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\"")->boundary, Boundary::periodic);
  EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\" pbc=\"F F F\"")->boundary, Boundary::open);
  EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\"")->high, (std::array<double, 3>{9, 8, 7}));
  EXPECT_FALSE(box_of("Lattice=\"9 1 0 0 8 0 0 0 7\"").has_value()) << "a slanted cell is no box";
  EXPECT_FALSE(box_of("Lattice=\"9 0 0 0 0 0 0 0 7\"").has_value());
  for (const char* pbc : {"pbc=\"1 1 1\"", "pbc=[T, T, T]", "pbc='true true true'", "PBC = T", "Lattice"}) {
    EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\" " + std::string(pbc))->boundary, Boundary::periodic) << pbc;
  }
  EXPECT_EQ(box_of("Lattice=[[9, 0, 0], [0, 8, 0], [0, 0, 7]] pbc=[F,F,F]")->boundary, Boundary::open);
  EXPECT_EQ(box_of("Lattice=\"0 9 0 0 0 8 -7 0 0\"")->low, (std::array<double, 3>{-7, 0, 0})) << "by axes";
  EXPECT_FALSE(box_of("note=\"Lattice=1 pbc=T\"").has_value()) << "in quotes";
  for (const char* no : {"Lattice=\"9 0 0 0 x 0 0 0 7\"", "Lattice=\"9 0 0\" pbc=\"T T\"", "pbc=\"T T 2\""}) {
    EXPECT_NE(message_of<FileError>([&] { box_of(no); }).find("line 2"), std::string::npos) << no;
  }
}

TEST(StateInfo, MassesFollowFromSpecies) {
  TempFolder folder;
  const auto read = [&](const std::string& properties, const std::string& row) {
    return read_bodies(folder.file("a.xyz", "1\nProperties=" + properties + "\n" + row + "\n"));
  };
  EXPECT_EQ(read("species:S:1:pos:R:3", "Ar 1 2 3").m[0], 39.948);
  EXPECT_EQ(read("species:S:1:pos:R:3:masses:R:1", "Ar 1 2 3 7").m[0], 7);
  EXPECT_EQ(read("species:S:1:pos:R:3", "X 1 2 3").m[0], 1);
  for (const auto& [label, number, mass] :
       std::initializer_list<std::tuple<const char*, u8, double>>{{"D", 1, 2.01410177784},
                                                                  {"T", 1, 3.01604928132},
                                                                  {"CL", 17, 35.45},
                                                                  {"Ar1", 18, 39.948},
                                                                  {"C_a", 6, 12.011},
                                                                  {"Fe2+", 26, 55.845}}) {
    const Bodies b = read("species:S:1:pos:R:3", std::string(label) + " 1 2 3");
    EXPECT_EQ(b.m[0], mass) << label;
    EXPECT_EQ(b.species, std::vector<u8>{number}) << label;
  }
  EXPECT_TRUE(read("species:S:1:pos:R:3", "X 1 2 3").species.empty());
  EXPECT_EQ(read("pos:R:3:momenta:R:3:species:S:1", "1 2 3 4 0 0 He").vx[0], 4 / 4.002602);
  const auto refusal = [&](const std::string& properties, const std::string& row) {
    return message_of<FileError>([&] { read(properties, row); });
  };
  expect_parts(refusal("species:S:1:pos:R:3", "Tc 1 2 3"), {"line 3", "Tc", "no standard atomic weight", "masses:R:1"});
  expect_parts(refusal("species:S:1:pos:R:3:momenta:R:3", "X 1 2 3 4 5 6"), {"line 3", "momenta", "masses:R:1"});
}

TEST(StateInfo, MomentaForAseInAngstroms) {
  TempFolder folder;
  StateInfo state;
  state.units = "angstrom-ps-amu";
  write_bodies(folder.at("a.xyz"), some_atoms(), state);
  std::string text = content_of(folder.at("a.xyz"));
  EXPECT_NE(text.find(":momenta:R:3 Time=0 units=angstrom-ps-amu\n"), std::string::npos) << text;
  // Without velo, as ASE writes it: momenta over masses are in Angstrom / (10.18 fs).
  ReadReport reading;
  text.replace(text.find(":velo:"), 6, ":old:"), text.replace(text.find("units="), 6, "was=");
  EXPECT_NEAR(read_bodies(folder.file("b.xyz", text), reading).vx[0], 1.5 * 0.010180505710759416, 1e-15);
}

TEST(Elements, AreThoseOfThePeriodicTable) {
  std::set<std::string_view> symbols;
  for (u32 element = 1; element <= io::kElements; ++element) {
    const std::string_view symbol = io::symbol_of(element);
    EXPECT_EQ(io::element_of(symbol), element);
    symbols.insert(symbol);
  }
  EXPECT_EQ(symbols.size(), 118u);
  EXPECT_EQ(io::element_of("X"), 0u);
  EXPECT_EQ(io::element_of("ar"), 0u);
  EXPECT_EQ(io::element_of("Og"), 118u);
  // Weights rise with the number but for the four known pairs (Ar K, Co Ni, Te I, Th Pa).
  u32 falls = 0;
  double before = 0;
  for (u32 element = 1; element <= 92; ++element) {
    const double weight = io::weight_of(element);
    if (weight == 0) continue;
    falls += weight < before;
    before = weight;
  }
  EXPECT_EQ(falls, 4u);
  EXPECT_EQ(io::weight_of(io::element_of("C")), 12.011);
  EXPECT_EQ(io::weight_of(io::element_of("U")), 238.02891);
  EXPECT_EQ(io::weight_of(io::element_of("Tc")), 0);
  EXPECT_EQ(io::weight_of(0), 0);
}

}  // namespace
}  // namespace tri::test
