#pragma once
/// Ctrl-C and kill: the first one requests an orderly end, a second one terminates the program at once.

#include <atomic>

namespace tri::app {

/// Installs handlers for SIGINT and SIGTERM (once, from main).
void catch_interrupts();

/// The flag that they set; static lifetime.
const std::atomic<bool>& interrupt_flag();

}  // namespace tri::app
