# Run by sim/maps/CMakeLists.txt, at installation and where another project adds that folder: writes the map headers for
# use outside this project.
#
# MAPS_SOURCE (the folder sim), MAPS_VERSION (x.y.z) and MAPS_INCLUDE (where triangulum/ goes, without DESTDIR) are set;
# MAPS_IN_BUILD where that is a folder of a build, whose headers are written when they change.
#
#   triangulum/maps, triangulum/base   the headers, in an inline namespace of the version's ABI: code that was compiled
#                                      with headers of another ABI then does not link with this one, instead of silently
#                                      sharing a kernel or a layout with it
#   triangulum/maps/version.hpp        the version, for the preprocessor
#   triangulum/single                  each map as one file that needs no other; any of them and of the headers above go
#                                      together, in any order
#   triangulum/nvrtc                   what maps use of the standard library, for NVRTC, which has none
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)\\.([0-9]+)" matched "${MAPS_VERSION}")
set(maps_major ${CMAKE_MATCH_1})
set(maps_minor ${CMAKE_MATCH_2})
set(maps_patch ${CMAKE_MATCH_3})
# What find_package() accepts for each other: before 1.0 a minor version, from then on a major one.
set(maps_abi "maps_${maps_major}")
if(maps_major EQUAL 0)
  string(APPEND maps_abi "_${maps_minor}")
endif()

function(tri_write_header name text)
  set(file "${MAPS_INCLUDE}/triangulum/${name}")
  if(MAPS_IN_BUILD)
    file(GENERATE OUTPUT "${file}" CONTENT "${text}")
    return()
  endif()
  message(STATUS "Installing: $ENV{DESTDIR}${file}")
  file(WRITE "$ENV{DESTDIR}${file}" "${text}")
  file(CHMOD "$ENV{DESTDIR}${file}" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  set_property(GLOBAL APPEND PROPERTY tri_installed_headers "${file}")
endfunction()

# The text of a header as it is installed: with a guard by name, which a single file has too, and the inline namespace.
function(tri_read_header path result)
  file(READ "${MAPS_SOURCE}/${path}" text)
  string(MAKE_C_IDENTIFIER "TRIANGULUM_${maps_abi}_${path}" guard)
  string(TOUPPER "${guard}" guard)
  string(REGEX MATCHALL "\nnamespace tri {\n" opened "${text}")
  string(REGEX MATCHALL "\n}  // namespace tri\n" closed "${text}")
  list(LENGTH opened opened)
  list(LENGTH closed closed)
  if(NOT text MATCHES "^#pragma once\n" OR NOT opened EQUAL closed)
    message(FATAL_ERROR "${MAPS_SOURCE}/${path}: a map header starts with #pragma once, and its lines `namespace tri {` "
                        "and `}  // namespace tri` match.")
  endif()
  string(REGEX REPLACE "^#pragma once\n" "#ifndef ${guard}\n#define ${guard}\n" text "${text}")
  string(REPLACE "\nnamespace tri {\n" "\nnamespace tri {\ninline namespace ${maps_abi} {\n" text "${text}")
  string(REPLACE "\n}  // namespace tri\n" "\n}  // namespace ${maps_abi}\n}  // namespace tri\n" text "${text}")
  set(${result} "${text}\n#endif  // ${guard}\n" PARENT_SCOPE)
endfunction()

# Appends a header to the property tri_single, after those that it includes.
function(tri_add_to_single path)
  get_property(seen GLOBAL PROPERTY tri_single_files)
  if(path IN_LIST seen)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tri_single_files ${path})
  tri_read_header(${path} text)
  get_filename_component(folder "${path}" DIRECTORY)
  string(REGEX MATCHALL "\n#include \"[^\"\n]+\"" included "${text}")
  foreach(line IN LISTS included)
    string(REGEX REPLACE "\n#include \"([^\"]+)\"" "\\1" name "${line}")
    cmake_path(SET name NORMALIZE "${folder}/${name}")
    tri_add_to_single("${name}")
  endforeach()
  string(REGEX REPLACE "\n#include \"[^\"\n]+\"[^\n]*" "" text "${text}")
  set_property(GLOBAL APPEND_STRING PROPERTY tri_single "\n${text}")
endfunction()

set_property(GLOBAL PROPERTY tri_installed_headers "")
file(GLOB headers RELATIVE "${MAPS_SOURCE}" "${MAPS_SOURCE}/maps/*.hpp")
foreach(header IN LISTS headers ITEMS base/platform.hpp)
  tri_read_header(${header} text)
  tri_write_header(${header} "${text}")
endforeach()

tri_write_header(maps/version.hpp "#ifndef TRIANGULUM_MAPS_VERSION
/// Version of these headers: 10000 major + 100 minor + patch.
#define TRIANGULUM_MAPS_VERSION (10000 * ${maps_major} + 100 * ${maps_minor} + ${maps_patch})
/// The inline namespace of tri that everything is in. Headers with the same one may meet in a program.
#define TRIANGULUM_MAPS_ABI ${maps_abi}
#endif
")

file(READ "${MAPS_SOURCE}/../LICENSE" licence)
string(STRIP "${licence}" licence)
string(REPLACE "\n" "\n// " licence "// ${licence}\n")
string(REPLACE "// \n" "//\n" licence "${licence}")
string(REGEX REPLACE "// $" "" licence "${licence}")
list(FILTER headers INCLUDE REGEX "^maps/(triangle|tetra|gasket|work)_")
list(FILTER headers EXCLUDE REGEX "_base\\.hpp$")
foreach(header IN LISTS headers)
  set_property(GLOBAL PROPERTY tri_single "")
  set_property(GLOBAL PROPERTY tri_single_files "")
  tri_add_to_single(${header})
  get_property(text GLOBAL PROPERTY tri_single)
  get_filename_component(name ${header} NAME)
  tri_write_header(single/${name} "// ${name} of Triangulum ${MAPS_VERSION} with all that it needs, in one file. C++20, or nvcc -std=c++20.\n//\n${licence}${text}")
endforeach()

file(READ "${MAPS_SOURCE}/cuda/jit/nvrtc_std.cuh" text)
tri_write_header(nvrtc/nvrtc_std.hpp "${text}")
file(STRINGS "${MAPS_SOURCE}/cuda/jit/nvrtc_std.cuh" line REGEX "^/// Stands for ")
string(REGEX MATCHALL "<[a-z_.]+>" names "${line}")
foreach(name IN LISTS names)
  string(REGEX REPLACE "[<>]" "" name "${name}")
  tri_write_header(nvrtc/${name} "#include \"nvrtc_std.hpp\"\n")
endforeach()
get_property(headers GLOBAL PROPERTY tri_installed_headers)
list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${headers})
cmake_policy(POP)
