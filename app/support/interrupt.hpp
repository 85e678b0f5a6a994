#pragma once
/// Ctrl-C, kill and a closed terminal: the first one requests an orderly end, a second one terminates the program at
/// once.

#include <atomic>

namespace tri::app {

/// Installs handlers for SIGINT, SIGTERM and SIGHUP, unless that is ignored as under nohup (once, from main).
void catch_interrupts();

/// The flag that they set; static lifetime.
const std::atomic<bool>& interrupt_flag();

}  // namespace tri::app
