# Writes a C++ file with every function of GLFW, which calls that of the library that glfw_symbol() opened
# (app/gui/base/glfw_library.hpp): the program then starts where there is no window system. What the library lacks does
# nothing and returns 0.
#
# -DHEADER=<glfw3.h> -DOUTPUT=<file>
cmake_minimum_required(VERSION 3.25)
file(READ "${HEADER}" header)
string(REGEX MATCHALL "\nGLFWAPI [^;\n]*\\)" functions "${header}")
set(text "#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include \"app/gui/base/glfw_library.hpp\"

using tri::app::gui::glfw_symbol;

")
foreach(function IN LISTS functions)
  if(function MATCHES "Vk[A-Z]|PFN_vk")  # there with Vulkan's header alone
    continue()
  endif()
  if(NOT function MATCHES "^\nGLFWAPI (.*[ *])(glfw[A-Za-z0-9]+)\\((.*)\\)$")
    message(FATAL_ERROR "${HEADER} has a function that is not understood:${function}")
  endif()
  set(returned "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  set(parameters "${CMAKE_MATCH_3}")
  string(REPLACE "[]" "" arguments "${parameters}")
  string(REGEX REPLACE "[^,]*[ *]([A-Za-z0-9_]+) *(,|$)" "\\1\\2 " arguments "${arguments}")
  string(STRIP "${arguments}" arguments)
  if(parameters STREQUAL "void")
    set(arguments "")
  endif()
  string(APPEND text "${returned}${name}(${parameters}) {
  static const auto call = reinterpret_cast<decltype(&${name})>(glfw_symbol(\"${name}\"));
  if (call != nullptr) return call(${arguments});
  return decltype(call(${arguments}))();
}
")
endforeach()
if(NOT text MATCHES "glfwSwapBuffers" OR NOT text MATCHES "glfwGetRequiredInstanceExtensions")  # near the end
  message(FATAL_ERROR "${HEADER} has fewer functions than GLFW 3.3.")
endif()
file(WRITE "${OUTPUT}" "${text}")
