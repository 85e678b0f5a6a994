# The headers that most files include, read once. A file still includes what it uses: clang-tidy reads the sources
# without this (cmake/lint.sh), and finds a missing header.
#
# tri_precompiled_headers([-O1] <target>...): for targets that link tri::flags and fmt; with -O1 it compiles them so.
# Kernels are left out: their SIMD flags differ, and they include little. g++ reads the headers themselves where the flags
# of a file are not those of the precompiled ones (and says so, from 13 on at another -O); Clang stops there, and goes
# without.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_package(fmt REQUIRED)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
  foreach(level IN ITEMS "" -O1)
    add_library(tri_headers${level} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
    target_link_libraries(tri_headers${level} PRIVATE tri::flags fmt::fmt)
    target_compile_options(tri_headers${level} PRIVATE ${level})
    target_precompile_headers(tri_headers${level} PRIVATE
      <fmt/format.h> <algorithm> <array> <cmath> <functional> <memory> <optional> <string> <string_view> <vector>)
  endforeach()
endif()

function(tri_precompiled_headers)
  cmake_parse_arguments(T "-O1" "" "" ${ARGN})
  set(level "")
  if(T_-O1)
    set(level -O1)
  endif()
  foreach(target IN LISTS T_UNPARSED_ARGUMENTS)
    target_compile_options(${target} PRIVATE ${level})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_precompile_headers(${target} REUSE_FROM tri_headers${level})
    endif()
  endforeach()
endfunction()
