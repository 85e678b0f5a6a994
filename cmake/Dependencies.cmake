# External dependencies. Collects everything missing and reports it at once, with the Debian packages.
set(TRI_DEPENDENCIES "")  # "name version" of each, for the summary
set(missing_names "")
set(missing_packages "")

# tri_require(<CMake package> DEBIAN <package> [FOR <what it is for>] [COMPONENTS ...])
macro(tri_require name)
  cmake_parse_arguments(R "" "DEBIAN;FOR" "COMPONENTS" ${ARGN})
  if(R_COMPONENTS)
    find_package(${name} QUIET COMPONENTS ${R_COMPONENTS})
  else()
    find_package(${name} QUIET)
  endif()
  if(${name}_FOUND)
    set(found_version "${${name}_VERSION}")
    if(NOT found_version)
      set(found_version "${${name}_CXX_VERSION}")
    endif()
    string(STRIP "${name} ${found_version}" found_version)
    list(APPEND TRI_DEPENDENCIES "${found_version}")
  else()
    string(APPEND missing_names "\n    ${name}: ${R_FOR}")
    list(APPEND missing_packages ${R_DEBIAN})
  endif()
endmacro()

tri_require(hwy DEBIAN libhwy-dev FOR "SIMD of the cpu backend")
tri_require(fmt DEBIAN libfmt-dev FOR "texts and tables")
tri_require(CLI11 DEBIAN libcli11-dev FOR "the command line")
tri_require(nlohmann_json DEBIAN nlohmann-json3-dev FOR "reports in JSON")
tri_require(HDF5C DEBIAN libhdf5-dev FOR "snapshots, and files in the GADGET layout")
tri_require(ZLIB DEBIAN zlib1g-dev FOR "compressed VTK files")
tri_require(tomlplusplus DEBIAN libtomlplusplus-dev FOR "scenes as TOML")
if(TRI_BUILD_TESTS)
  tri_require(GTest DEBIAN libgtest-dev FOR "the tests (TRI_BUILD_TESTS=OFF does without)")
  tri_require(Python3 DEBIAN python3 FOR "the rules tests (TRI_BUILD_TESTS=OFF does without)" COMPONENTS Interpreter)
endif()

if(missing_packages)
  list(REMOVE_DUPLICATES missing_packages)
  list(JOIN missing_packages " " missing_packages)
  message(FATAL_ERROR "Not found:${missing_names}\n"
                      "On Debian or Ubuntu:\n    sudo apt-get install ${missing_packages}\n"
                      "Elsewhere, install what your system calls these packages, then configure again.")
endif()

if(SKBUILD)
  include(StaticHdf5)
endif()

# Header only: one library less to ship, for two more seconds in each file that reads TOML.
add_library(tri_toml INTERFACE)
add_library(tri::toml ALIAS tri_toml)
target_include_directories(tri_toml SYSTEM INTERFACE
  $<TARGET_PROPERTY:tomlplusplus::tomlplusplus,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(tri_toml INTERFACE TOML_HEADER_ONLY=1 TOML_ENABLE_FORMATTERS=0)
