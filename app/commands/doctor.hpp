#pragma once
/// `doctor`: what this machine has of what Triangulum can use, and what to do about what is missing.

#include <string>
#include <vector>

#include "app/support/console.hpp"
#include "app/support/gui_commands.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

struct Finding {
  /// good; absent: nothing is wrong, something optional is not here; bad: it is here and cannot be used.
  enum class State : u8 { good, absent, bad } state = State::good;
  std::string what;   ///< "device", "driver", "OpenGL", ...
  std::string found;  ///< what was seen, or the reason
  std::string cure;   ///< what to do; empty where there is nothing to do
};

/// Looks at everything once. Makes an OpenGL context without a window for a moment, and asks a CUDA device for its
/// name.
std::vector<Finding> examine(const GuiCommands& gui);

/// The same of folders: whether files can be made in them. Pure but for the file system.
Finding examine_folder(const std::string& what, const std::string& folder, const std::string& cure);

std::string findings_json(const std::vector<Finding>& findings);

/// Prints the findings; 1 when one of them is bad, else 0.
int run_doctor(const RunConfig& config, Console& console, const GuiCommands& gui);

}  // namespace tri::app
