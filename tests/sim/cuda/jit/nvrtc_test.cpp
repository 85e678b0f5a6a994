// Where the run-time compiler is missing, too old or something else: a sentence that says what to do.

#include "sim/cuda/jit/nvrtc.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tri::test {
namespace {

using cuda::nvrtc::Compiler;

void expect_refused(const Compiler& compiler, const std::string& what) {
  EXPECT_FALSE(compiler.found.ok);
  for (const std::string& part :
       {what, std::string("NVRTC"), std::string("install"), std::string("TRI_NVRTC"), std::string("--backend cpu")}) {
    EXPECT_NE(compiler.found.reason.find(part), std::string::npos) << part << ": " << compiler.found.reason;
  }
}

TEST(Nvrtc, IsMissing) {
  expect_refused(cuda::nvrtc::load({"/nowhere/libnvrtc.so"}), "/nowhere/libnvrtc.so");
  expect_refused(cuda::nvrtc::load({"/nowhere/a.so", "/nowhere/b.so"}), "libnvrtc.so.13");
}

TEST(Nvrtc, IsAnotherLibrary) { expect_refused(cuda::nvrtc::load({"libc.so.6"}), "no function nvrtcVersion"); }

TEST(Nvrtc, IsTooOld) { expect_refused(cuda::nvrtc::load({TRI_OLD_NVRTC}), "11.8, which is older than 12.8"); }

TEST(Nvrtc, IsNamedByTheUser) {
  const char* const before = std::getenv("TRI_NVRTC");
  const std::string kept = before != nullptr ? before : "";
  setenv("TRI_NVRTC", "/my/libnvrtc.so", 1);
  EXPECT_EQ(cuda::nvrtc::usual_libraries(), std::vector<std::string>{"/my/libnvrtc.so"});
  unsetenv("TRI_NVRTC");
  EXPECT_GT(cuda::nvrtc::usual_libraries().size(), 2u);
  if (before != nullptr) setenv("TRI_NVRTC", kept.c_str(), 1);
}

TEST(Nvrtc, AnswersIfItIsThere) {
  const Compiler& compiler = cuda::nvrtc::loaded();
  if (!compiler.found) GTEST_SKIP() << compiler.found.reason;
  EXPECT_GE(compiler.version, cuda::nvrtc::kOldest);
  EXPECT_FALSE(compiler.archs.empty());
  EXPECT_EQ(&compiler, &cuda::nvrtc::loaded());
}

}  // namespace
}  // namespace tri::test
