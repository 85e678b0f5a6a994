#pragma once
/// Host information from the operating system. Linux; unavailable values are 0 or empty.

#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

std::string host_name();
std::string processor_name();
u64 memory_bytes();           ///< total memory of the machine
double processor_mhz();       ///< of the first core, current
std::string nvidia_driver();  ///< version of the NVIDIA kernel module, e.g. "580.95.05"
std::string utc_now();        ///< "2026-01-31T12:34:56Z"

}  // namespace tri::app
