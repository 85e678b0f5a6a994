# tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <seconds>]): one GoogleTest program; each of its cases is a
# test of ctest with the label `unit`, found when the program is built.
include(GoogleTest)

# Builds every test with the label `unit`: these programs and the fuzz driver, without the main program.
add_custom_target(unit_tests)

# Reading GoogleTest takes nearly a second; the tests read it once, as a precompiled header.
function(tri_test_flags target)
  target_link_libraries(${target} PRIVATE tri::flags GTest::gtest)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  # The tests' own code runs briefly and compiles long. The code under test keeps its flags.
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
    if(TRI_SANITIZE)
      set(T_TIMEOUT 900)
    endif()
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE ${T_LINK} GTest::gtest_main)
  tri_test_flags(${T_NAME})
  tri_test_headers()
  target_precompile_headers(${T_NAME} REUSE_FROM tri_test_headers)
  gtest_discover_tests(${T_NAME} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS unit)
  add_dependencies(unit_tests ${T_NAME})
endfunction()

# tri_add_script_cases(<prefix> <script> [DISPLAY] [TIMEOUT <seconds>] [ENVIRONMENT <name=value>...] CASES <case>...
# [LONG <case>...]): one test of ctest, <prefix>.<case>, for each case of a Python script (tests/support/program.py), and
# one that the list is complete. With DISPLAY each case has its own virtual display, and two processors: software
# draws the window, and a case fails if the window answers too late. The cases after LONG have the label `long`: make test
# leaves them out.
function(tri_add_script_cases prefix script)
  cmake_parse_arguments(T "DISPLAY" "TIMEOUT" "ENVIRONMENT;CASES;LONG" ${ARGN})
  set(command Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set(with_display "")
  set(processors 1)
  if(T_DISPLAY)
    set(processors 2)
    set(with_display Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/support/with_display.py)
    set(command ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  endif()
  foreach(case IN LISTS T_CASES T_LONG)
    add_test(NAME ${prefix}.${case}
             COMMAND ${with_display} ${command} $<TARGET_FILE:triangulum> ${PROJECT_SOURCE_DIR}/tests/data ${case})
    set_tests_properties(${prefix}.${case} PROPERTIES TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77
                                                      PROCESSORS ${processors} ENVIRONMENT "${T_ENVIRONMENT}")
  endforeach()
  foreach(case IN LISTS T_LONG)
    set_tests_properties(${prefix}.${case} PROPERTIES LABELS long)
  endforeach()
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME ${name}.all_cases_listed
           COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} --check-list ${T_CASES} ${T_LONG})
endfunction()
