#pragma once
/// Contracts of internal functions. A violation is a bug in this program: it prints file and line and aborts, in every
/// build type. Never used for user input.

#include <cstdio>
#include <cstdlib>

namespace tri::detail {

[[noreturn]] inline void contract_violated(const char* kind, const char* text, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s violated: %s\n", file, line, kind, text);
  std::abort();
}

}  // namespace tri::detail

/// Host code only.
#define TRI_EXPECTS(condition) \
  ((condition) ? (void)0 : ::tri::detail::contract_violated("precondition", #condition, __FILE__, __LINE__))
#define TRI_ENSURES(condition) \
  ((condition) ? (void)0 : ::tri::detail::contract_violated("postcondition", #condition, __FILE__, __LINE__))
/// Ends a switch over an enum: a value outside the enum violates the contract.
#define TRI_UNREACHABLE(text) ::tri::detail::contract_violated("unreachable", text, __FILE__, __LINE__)
