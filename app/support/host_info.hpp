#pragma once
/// What the operating system says of this machine. Linux; a figure that cannot be had is 0 or empty.

#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

std::string host_name();
std::string processor_name();
u32 usable_threads();         ///< that this process may run on (affinity)
u64 memory_bytes();           ///< of the machine
double processor_mhz();       ///< of the first core, now
std::string nvidia_driver();  ///< version of NVIDIA's kernel module, as "580.95.05"
std::string utc_now();        ///< "2026-01-31T12:34:56Z"

}  // namespace tri::app
