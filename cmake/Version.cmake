# tri::version: the version of this binary. #include "tri_version.hpp" for the constants.
#
# A script reads the git state at every build and rewrites one small .cpp only if something changed: a new
# commit only recompiles that file and relinks.
set(TRI_VERSION_DIR "${PROJECT_BINARY_DIR}/version")
configure_file(${CMAKE_CURRENT_LIST_DIR}/tri_version.hpp.in ${TRI_VERSION_DIR}/tri_version.hpp COPYONLY)

find_package(Git QUIET)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
string(STRIP "${CMAKE_CXX_FLAGS_${build_type_upper}}" build_flags)
set(version_cpp "${TRI_VERSION_DIR}/tri_version.cpp")
set(version_command
    "${CMAKE_COMMAND}" "-DGIT=${GIT_EXECUTABLE}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DBUILD=${CMAKE_BUILD_TYPE} (${build_flags})"
    "-DTEMPLATE=${CMAKE_CURRENT_LIST_DIR}/tri_version.cpp.in" "-DOUTPUT=${version_cpp}"
    -P "${CMAKE_CURRENT_LIST_DIR}/write_version.cmake")
execute_process(COMMAND ${version_command} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(tri_version_stamp COMMAND ${version_command} BYPRODUCTS "${version_cpp}"
                  COMMENT "Reading the state of git" VERBATIM)

add_library(tri_version STATIC "${version_cpp}")
add_library(tri::version ALIAS tri_version)
add_dependencies(tri_version tri_version_stamp)
target_link_libraries(tri_version PRIVATE tri::flags)
target_include_directories(tri_version PUBLIC "${TRI_VERSION_DIR}")
