// Child processes: what they are given, how they end, and that nothing of them stays.

#include "sim/io/files/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string>

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

}  // namespace
}  // namespace tri::io
