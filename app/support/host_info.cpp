#include "app/support/host_info.hpp"

#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>
#include <sstream>

namespace tri::app {
namespace {

/// The text after "key ... :" in a file of such lines; empty if there is none.
std::string value_of(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

u64 kilobytes(const std::string& key) {
  std::istringstream text(value_of("/proc/meminfo", key));
  u64 value = 0;
  text >> value;
  return value * 1024;
}

}  // namespace

std::string host_name() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "";
}

std::string processor_name() {
  std::string name = value_of("/proc/cpuinfo", "model name");
  if (!name.empty()) return name;
  utsname system{};
  return uname(&system) == 0 ? system.machine : "";
}

u64 memory_bytes() { return kilobytes("MemTotal"); }

double processor_mhz() {
  std::istringstream text(value_of("/proc/cpuinfo", "cpu MHz"));
  double mhz = 0;
  text >> mhz;
  return mhz;
}

std::string nvidia_driver() {
  std::istringstream words(value_of("/proc/driver/nvidia/version", "NVRM version"));
  for (std::string word; words >> word;) {
    const bool version =
        word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos;
    if (version) return word;
  }
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace tri::app
