# tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <seconds>]): one GoogleTest program; each of its cases is a
# test of ctest with the label `unit`, found when the program is built.
include(GoogleTest)

# Builds every test with the label `unit`: these programs and the fuzz driver, without the program that users run.
add_custom_target(unit_tests)

# Reading GoogleTest takes nearly a second; the tests read it once, as a precompiled header.
function(tri_test_flags target)
  target_link_libraries(${target} PRIVATE tri::flags GTest::gtest)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  # The tests' own code is short to run and long to compile. What they test keeps its flags.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  target_compile_definitions(${target} PRIVATE TRI_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
endfunction()

function(tri_test_headers)
  if(TARGET tri_test_headers)
    return()
  endif()
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "")
  add_library(tri_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  tri_test_flags(tri_test_headers)
  target_precompile_headers(tri_test_headers PRIVATE
    <gtest/gtest.h> <algorithm> <cmath> <functional> <memory> <string> <vector>)
endfunction()

function(tri_add_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT T_NAME OR NOT T_SOURCES OR T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <s>]) was called with: ${ARGN}")
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE ${T_LINK} GTest::gtest_main)
  tri_test_flags(${T_NAME})
  tri_test_headers()
  target_precompile_headers(${T_NAME} REUSE_FROM tri_test_headers)
  gtest_discover_tests(${T_NAME} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS unit)
  add_dependencies(unit_tests ${T_NAME})
endfunction()
