#pragma once
/// `doctor`: checks what Triangulum can use on this machine, and how to fix what is missing.

#include <string>
#include <vector>

#include "app/support/console.hpp"
#include "app/support/gui_commands.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

struct Finding {
  /// good; absent: something optional is missing; bad: present but unusable.
  enum class State : u8 { good, absent, bad } state = State::good;
  std::string what;   ///< "device", "driver", "OpenGL", ...
  std::string found;  ///< what was found, or the reason
  std::string cure;   ///< how to fix it; empty if there is nothing to fix
};

/// Checks everything once. Briefly creates an OpenGL context without a window, and queries the name of a CUDA device.
std::vector<Finding> examine(const GuiCommands& gui);

/// Checks folders: whether files can be created in them. Pure apart from the file system.
Finding examine_folder(const std::string& what, const std::string& folder, const std::string& cure);

std::string findings_json(const std::vector<Finding>& findings);

/// Prints the findings; returns 1 if one of them is bad, else 0.
int run_doctor(const RunConfig& config, Console& console, const GuiCommands& gui);

}  // namespace tri::app
