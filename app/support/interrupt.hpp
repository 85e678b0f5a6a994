#pragma once
/// Ctrl-C and kill: the first one asks for an orderly end, a second one ends the program at once.

#include <atomic>

namespace tri::app {

/// Installs handlers for SIGINT and SIGTERM (once, from main). Returns the flag that they raise; it lives for ever.
const std::atomic<bool>& catch_interrupts();

/// The same flag, whether or not handlers stand.
const std::atomic<bool>& interrupt_flag();

}  // namespace tri::app
