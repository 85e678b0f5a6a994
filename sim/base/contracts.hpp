#pragma once
/// Contracts: what a caller of an internal function must hold. A broken one is a bug of this program, so it
/// prints where and aborts, in every build type; it is never used for a user's input.

#include <cstdio>
#include <cstdlib>

namespace tri::detail {

[[noreturn]] inline void contract_broken(const char* kind, const char* text, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s broken: %s\n", file, line, kind, text);
  std::abort();
}

}  // namespace tri::detail

/// Host code only.
#define TRI_EXPECTS(condition) \
  ((condition) ? (void)0 : ::tri::detail::contract_broken("precondition", #condition, __FILE__, __LINE__))
#define TRI_ENSURES(condition) \
  ((condition) ? (void)0 : ::tri::detail::contract_broken("postcondition", #condition, __FILE__, __LINE__))
/// Ends a switch over an enum: a value that the enum does not have is a broken contract.
#define TRI_UNREACHABLE(text) ::tri::detail::contract_broken("unreachable", text, __FILE__, __LINE__)
