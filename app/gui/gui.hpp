#pragma once
/// The entry to the window. A build without one links gui_absent.cpp.

#include "app/support/gui_commands.hpp"

namespace tri::app {

GuiCommands gui_commands();

}  // namespace tri::app
