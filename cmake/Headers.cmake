# The headers that most files include, read once. A file still includes what it uses: clang-tidy reads the sources
# without this (cmake/lint.sh), and finds a missing header.
#
# tri_precompiled_headers(<target>...): for targets that link tri::flags and fmt. Kernels are left out: their SIMD
# flags differ, and they include little. g++ reads the headers themselves where the flags of a file are not those of the
# precompiled ones; Clang stops there, and goes without.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  function(tri_precompiled_headers)
  endfunction()
  return()
endif()
find_package(fmt REQUIRED)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
add_library(tri_headers OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
target_link_libraries(tri_headers PRIVATE tri::flags fmt::fmt)
target_precompile_headers(tri_headers PRIVATE
  <fmt/format.h> <algorithm> <array> <cmath> <functional> <memory> <optional> <string> <string_view> <vector>)

function(tri_precompiled_headers)
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM tri_headers)
  endforeach()
endfunction()
