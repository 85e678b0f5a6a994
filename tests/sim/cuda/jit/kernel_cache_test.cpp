// The cache of compiled kernels: what it gives back, and what happens to damaged files, folders and processes.

#include "sim/cuda/jit/kernel_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "sim/cuda/jit/kernel_code.hpp"
#include "tests/support/require_usable.hpp"

namespace tri::test {
namespace {

namespace fs = std::filesystem;
using cuda::KernelCache;
using cuda::KernelKey;
using Code = std::vector<char>;

class KernelCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kernelsXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  static KernelKey key(const std::string& text) {
    KernelKey key;
    key.add(text);
    return key;
  }
  static Code code(std::size_t bytes, char first = 'a') {
    Code code(bytes);
    for (std::size_t k = 0; k < bytes; ++k) code[k] = static_cast<char>(first + static_cast<char>(k * 7 % 64));
    return code;
  }
  fs::path file(const KernelKey& key) const { return fs::path(folder_) / key.name(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

TEST_F(KernelCacheTest, GivesBackWhatItKept) {
  const KernelCache cache(folder_ + "/new/kernels");
  EXPECT_FALSE(cache.find(key("a")).has_value());
  EXPECT_EQ(cache.keep(key("a"), code(1000)), "");
  EXPECT_EQ(cache.keep(key("b"), code(10, 'b')), "");
  EXPECT_EQ(cache.find(key("a")), code(1000));
  EXPECT_EQ(cache.find(key("b")), code(10, 'b'));
  EXPECT_FALSE(cache.find(key("c")).has_value());
  struct stat about {};
  ASSERT_EQ(stat(cache.folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
}

TEST_F(KernelCacheTest, EveryDamagedByteIsFoundAndReplaced) {
  const KernelCache cache(folder_);
  const KernelKey k = key("damaged");
  ASSERT_EQ(cache.keep(k, code(40)), "");
  const auto size = fs::file_size(file(k));
  for (std::uintmax_t at = 0; at < size; ++at) {
    std::fstream f(file(k), std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(f.get());
    f.seekp(static_cast<std::streamoff>(at));
    f.put(static_cast<char>(old ^ 0x10));
    f.close();
    EXPECT_FALSE(cache.find(k).has_value()) << "byte " << at;
    ASSERT_EQ(cache.keep(k, code(40)), "");
    EXPECT_EQ(cache.find(k), code(40));
  }
}

TEST_F(KernelCacheTest, AFileThatIsTooShortOrTooLongCountsAsMissing) {
  const KernelCache cache(folder_);
  const KernelKey k = key("cut");
  for (const std::uintmax_t size : {0, 1, 47, 48, 60, 147, 149, 4096}) {
    ASSERT_EQ(cache.keep(k, code(100)), "");
    ASSERT_EQ(fs::file_size(file(k)), 148u);
    fs::resize_file(file(k), size);
    EXPECT_FALSE(cache.find(k).has_value()) << size;
  }
}

TEST_F(KernelCacheTest, AFileOfAnotherKeyCountsAsMissing) {
  const KernelCache cache(folder_);
  ASSERT_EQ(cache.keep(key("one"), code(100)), "");
  fs::rename(file(key("one")), file(key("two")));
  EXPECT_FALSE(cache.find(key("two")).has_value());
}

TEST_F(KernelCacheTest, AFolderThatCannotBeWrittenIsAReasonAndNoFailure) {
  std::ofstream(folder_ + "/taken") << "a file";
  EXPECT_NE(KernelCache(folder_ + "/taken/kernels").keep(key("a"), code(10)), "");
  EXPECT_FALSE(KernelCache(folder_ + "/taken/kernels").find(key("a")).has_value());
  if (geteuid() == 0) GTEST_SKIP() << "root writes into every folder";
  const KernelCache cache(folder_);
  ASSERT_EQ(cache.keep(key("a"), code(10)), "");
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(cache.keep(key("b"), code(10)), "");
  EXPECT_EQ(cache.find(key("a")), code(10));
}

TEST_F(KernelCacheTest, WithoutAFolderItKeepsNothing) {
  const KernelCache cache("");
  EXPECT_EQ(cache.keep(key("a"), code(10)), "");
  EXPECT_FALSE(cache.find(key("a")).has_value());
}

TEST_F(KernelCacheTest, TheOldestGoFirst) {
  const KernelCache cache(folder_, 1000);
  const auto now = fs::file_time_type::clock::now();
  for (int k = 0; k < 4; ++k) {
    const KernelKey name = key(std::to_string(k));
    ASSERT_EQ(cache.keep(name, code(200)), "");
    fs::last_write_time(file(name), now - std::chrono::minutes(100 - k));
  }
  EXPECT_TRUE(cache.find(key("0")).has_value());  // and is the newest now
  ASSERT_EQ(cache.keep(key("new"), code(400)), "");
  EXPECT_TRUE(cache.find(key("new")).has_value());
  EXPECT_TRUE(cache.find(key("0")).has_value());
  EXPECT_FALSE(cache.find(key("1")).has_value());
  EXPECT_FALSE(cache.find(key("2")).has_value());
  EXPECT_TRUE(cache.find(key("3")).has_value());
}

TEST_F(KernelCacheTest, FilesOfOthersStay) {
  const KernelCache cache(folder_, 100);
  const std::string entry = KernelKey().name();  // a name of ours alone does not make it ours
  for (const std::string& name : {std::string("notes.txt"), std::string("0123.tmp-77"), entry}) {
    std::ofstream(folder_ + "/" + name) << std::string(1000, 'x');
    fs::last_write_time(folder_ + "/" + name, fs::file_time_type::clock::now() - std::chrono::hours(100));
  }
  ASSERT_EQ(mkfifo((folder_ + "/" + std::string(32, 'a')).c_str(), 0600), 0);
  ASSERT_EQ(cache.keep(key("a"), code(90)), "");
  ASSERT_EQ(cache.keep(key("b"), code(90)), "");
  EXPECT_FALSE(cache.find(key("a")).has_value());
  EXPECT_TRUE(cache.find(key("b")).has_value());
  for (const std::string& name : {std::string("notes.txt"), std::string("0123.tmp-77"), entry}) {
    EXPECT_TRUE(fs::exists(folder_ + "/" + name)) << name;
  }
}

TEST_F(KernelCacheTest, APipeInTheFolderIsNoKernel) {
  const KernelCache cache(folder_);
  ASSERT_EQ(mkfifo(file(key("a")).c_str(), 0600), 0);
  EXPECT_FALSE(cache.find(key("a")).has_value());
}

TEST_F(KernelCacheTest, ProcessesShareAFolder) {
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      const KernelCache cache(folder_);
      for (int round = 0; round < 50; ++round) {
        const KernelKey k = key(std::to_string(round % 5));
        const Code expected = code(5000 + static_cast<std::size_t>(round % 5), static_cast<char>('a' + round % 5));
        if (const auto found = cache.find(k); found && *found != expected) _exit(1);
        if (!cache.keep(k, expected).empty()) _exit(2);
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), 5u);
}

TEST_F(KernelCacheTest, ItsPlaceFollowsTheEnvironment) {
  const auto set = [](const char* name, const char* value) {
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  };
  const char* names[] = {"TRI_CACHE", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::string> before;
  for (const char* name : names) before.emplace_back(std::getenv(name) != nullptr ? std::getenv(name) : "");
  set("TRI_CACHE", "/a"), set("XDG_CACHE_HOME", "/b"), set("HOME", "/c");
  EXPECT_EQ(cuda::kernel_folder(), "/a/kernels");
  set("TRI_CACHE", nullptr);
  EXPECT_EQ(cuda::kernel_folder(), "/b/triangulum/kernels");
  set("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(cuda::kernel_folder(), "/c/.cache/triangulum/kernels");
  set("HOME", nullptr);
  EXPECT_EQ(cuda::kernel_folder(), "");
  for (std::size_t k = 0; k < 3; ++k) set(names[k], before[k].empty() ? nullptr : before[k].c_str());
}

TEST(KernelKeys, DependOnAllThatTheCodeDependsOn) {
  const cuda::KernelText text{"common", "own"};
  cuda::nvrtc::Compiler compiler;
  compiler.version = 13000;
  std::set<std::string> names;
  const auto name_of = [&](const cuda::KernelText& t, const cuda::nvrtc::Target& target) {
    return cuda::key_of(t, compiler, target).name();
  };
  names.insert(name_of(text, {90, false}));
  names.insert(name_of({"common", "other"}, {90, false}));
  names.insert(name_of({"commono", "wn"}, {90, false}));
  names.insert(name_of(text, {80, false}));
  names.insert(name_of(text, {90, true}));
  compiler.version = 13010;
  names.insert(name_of(text, {90, false}));
  EXPECT_EQ(names.size(), 6u);
  for (const std::string& name : names) EXPECT_EQ(name.size(), 32u);
}

TEST(KernelKeys, AreFnv1a) {
  // 128 bits of the length 1 as eight bytes, then "a": computed with Python's integers.
  KernelKey key;
  key.add("a");
  EXPECT_EQ(key.name(), "426d56754e03ad9adb79f299c730f21f");
}

}  // namespace
}  // namespace tri::test
