# Decides whether this build has a window. Sets TRI_HAVE_GUI, and TRI_GUI_REASON (one phrase for the summary).
# This version brings the command line only; app/gui/gui_absent.cpp stands where the window will be.
set(TRI_HAVE_GUI OFF)
if(TRI_GUI STREQUAL "ON")
  message(FATAL_ERROR "TRI_GUI=ON, but Triangulum ${PROJECT_VERSION} has no window yet. Take TRI_GUI=AUTO or OFF; "
                      "the command line is complete without it.")
elseif(TRI_GUI STREQUAL "OFF")
  set(TRI_GUI_REASON "TRI_GUI=OFF")
else()
  set(TRI_GUI_REASON "not part of Triangulum ${PROJECT_VERSION} yet")
endif()
