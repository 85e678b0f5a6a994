# Build options, and the flags of all our targets as one interface target: tri::flags.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

option(TRI_BUILD_TESTS "Build the tests" ON)
option(TRI_WERROR "Warnings are errors" OFF)
# The libraries go into the program and into the Python module, which is a shared library: compiled once for both.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(TRI_SANITIZE "" CACHE STRING "Sanitizers of g++, for instance address,undefined; empty for none")
set(TRI_CUDA AUTO CACHE STRING "CUDA backend: AUTO (where nvcc is found), ON (or an error), OFF")
set(TRI_GUI AUTO CACHE STRING "The window: AUTO, ON (or an error), OFF")
set(TRI_PYTHON AUTO CACHE STRING "The Python module: AUTO (where the interpreter has nanobind), ON (or an error), OFF")
foreach(choice IN ITEMS TRI_CUDA TRI_GUI TRI_PYTHON)
  set_property(CACHE ${choice} PROPERTY STRINGS AUTO ON OFF)
  if(NOT ${choice} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${choice} is '${${choice}}'. It can be AUTO, ON or OFF.")
  endif()
endforeach()

add_library(tri_flags INTERFACE)
add_library(tri::flags ALIAS tri_flags)
# g++ would not inline functions of position-independent code that another library might replace; none does.
target_compile_options(tri_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>)
# -ffp-contract=off: a map or a law gives the same bits for every instruction set; code that wants a fused
# multiply-add requests it. -Werror=switch: a law or another row of a list that has no case does not compile.
target_compile_options(
  tri_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Werror=switch -ffp-contract=off>)
# g++ 12 wrongly reports overlapping copies in the concatenation of short strings (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tri_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# Messages of contracts and tests name files relative to the root of the repository, wherever it was built.
target_compile_options(tri_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")
# Without -Wpedantic, which nvcc's own output violates.
target_compile_options(
  tri_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-ffp-contract=off>)
if(TRI_WERROR)
  target_compile_options(tri_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>
                                             $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()

# What developers build links forty programs; lld takes a seventh of the time of the default linker.
find_program(TRI_LLD ld.lld)
if(TRI_LLD AND (TRI_WERROR OR TRI_SANITIZE))
  add_link_options("$<HOST_LINK:-fuse-ld=lld>")
endif()

if(TRI_SANITIZE)
  # For all targets, ours or not: code with and without a sanitizer must not share containers.
  # g++ 12 crashes in this pass on some files with sanitizers and a precompiled header.
  set(sanitize_flags -fno-sanitize-recover=all -fno-omit-frame-pointer -fno-ipa-cp)
  string(REPLACE "," ";" sanitizers "${TRI_SANITIZE}")
  foreach(sanitizer IN LISTS sanitizers)
    list(APPEND sanitize_flags -fsanitize=${sanitizer})
  endforeach()
  foreach(flag IN LISTS sanitize_flags)
    # One flag at a time: nvcc splits flags at commas, and none of these is its own. Device code has
    # compute-sanitizer; this is for the host code of a .cu file.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${flag}>" "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>")
  endforeach()
  # nvcc links the device code, which host sanitizers do not instrument.
  # One at a time here too: a comma would split the arguments of the generator expression.
  foreach(sanitizer IN LISTS sanitizers)
    add_link_options("$<HOST_LINK:-fsanitize=${sanitizer}>")
  endforeach()
endif()
