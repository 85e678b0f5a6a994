// Files that several runs write: what is kept, what the next run makes of it, and what it refuses.

#include "sim/io/files/part_file.hpp"

#include <fstream>

#include "sim/io/files/unfinished.hpp"

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
  file.keep();
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
    file.keep();
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
    file.keep();
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
