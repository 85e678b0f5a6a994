#pragma once
/// Tests that follow bodies for so long that they take minutes under a sanitizer. What they run is covered there by
/// shorter ones.

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TRI_LONG_TRAJECTORY() GTEST_SKIP() << "a long trajectory: minutes under the sanitizers"
#else
#define TRI_LONG_TRAJECTORY() static_cast<void>(0)
#endif
