# tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <seconds>] [SHARDS <n>] [CUDA] [ALONE <filter>]): one
# GoogleTest program, and a test of ctest with the label `unit`: <name>. SHARDS makes it <n> tests that each run a part of
# its cases, <name>.1 and so on: where one process takes much of the time of all tests. CUDA: the cases whose parameter is
# the cuda backend are tests of their own, <name>.cuda, which are skipped without a GPU. ALONE: the cases of this filter
# take all memory of a device, or are timed; they are <name>.alone, with no other test beside them.

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

# GoogleTest's main(); a program whose cases are all skipped says why, once, and ends with 77.
function(tri_test_main)
  if(TARGET tri_test_main)
    return()
  endif()
  add_library(tri_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/test_main.cpp)
  tri_test_flags(tri_test_main)
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

# For tri_add_test(): the test of ctest <name>, or SHARDS of them, each with a part of the cases.
macro(tri_add_parts name)
  if(T_SHARDS)
    foreach(number RANGE 1 ${T_SHARDS})
      math(EXPR shard "${number} - 1")
      add_test(NAME ${name}.${number} COMMAND ${T_NAME} ${ARGN})
      set_tests_properties(${name}.${number} PROPERTIES
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=${T_SHARDS};GTEST_SHARD_INDEX=${shard}")
      list(APPEND tests ${name}.${number})
    endforeach()
  else()
    add_test(NAME ${name} COMMAND ${T_NAME} ${ARGN})
    list(APPEND tests ${name})
  endif()
endmacro()

function(tri_add_test)
  cmake_parse_arguments(T "CUDA" "NAME;TIMEOUT;SHARDS;ALONE" "SOURCES;LINK" ${ARGN})
  if(NOT T_NAME OR NOT T_SOURCES OR T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <s>] [SHARDS <n>] [CUDA] "
                        "[ALONE <filter>]) was called with: ${ARGN}")
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600)
    if(TRI_SANITIZE)
      set(T_TIMEOUT 1800)
    endif()
  endif()
  tri_test_main()
  add_executable(${T_NAME} ${T_SOURCES} $<TARGET_OBJECTS:tri_test_main>)
  target_link_libraries(${T_NAME} PRIVATE ${T_LINK})
  tri_test_flags(${T_NAME})
  tri_test_headers()
  target_precompile_headers(${T_NAME} REUSE_FROM tri_test_headers)
  # A filter of GoogleTest is what runs, then a minus, then what does not.
  set(arguments --gtest_brief=1)
  set(elsewhere ${T_ALONE})
  set(tests "")
  if(T_CUDA)
    tri_add_parts(${T_NAME}.cuda ${arguments} "--gtest_filter=*/cuda*-${T_ALONE}")
    string(JOIN ":" elsewhere ${elsewhere} "*/cuda*")
  endif()
  if(T_ALONE)
    add_test(NAME ${T_NAME}.alone COMMAND ${T_NAME} ${arguments} --gtest_filter=${T_ALONE})
    set_tests_properties(${T_NAME}.alone PROPERTIES RUN_SERIAL ON)
    list(APPEND tests ${T_NAME}.alone)
  endif()
  if(elsewhere)
    list(APPEND arguments --gtest_filter=-${elsewhere})
  endif()
  tri_add_parts(${T_NAME} ${arguments})
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS unit SKIP_RETURN_CODE 77)
  add_dependencies(unit_tests ${T_NAME})
endfunction()

# tri_add_script(<name> <script> [DISPLAY] [CASE_TIMEOUT <seconds>] [ENVIRONMENT <name=value>...]
# [ARGUMENTS <argument>...]): the cases of a Python script (tests/support/program.py), one after the other, as one test of
# ctest. Those that the script declares with @long_case are another one, <name>.long, with the label `long`: make test
# leaves it out. With DISPLAY each case has its own virtual display, and the longest are begun first. ARGUMENTS choose among the cases (tests/support/run_all.py).
function(tri_add_script name script)
  cmake_parse_arguments(T "DISPLAY" "CASE_TIMEOUT" "ENVIRONMENT;ARGUMENTS" ${ARGN})
  set(command Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${script} $<TARGET_FILE:triangulum>
              ${PROJECT_SOURCE_DIR}/tests/data --all --jobs 1 --timeout ${T_CASE_TIMEOUT} ${T_ARGUMENTS})
  if(T_DISPLAY)
    list(APPEND command --display)
  endif()
  set(tests "")
  file(STRINGS ${script} long REGEX "^@long_case")
  file(STRINGS ${script} short REGEX "^@case")
  if(short OR NOT long)  # the cases may be in modules of the script
    add_test(NAME ${name} COMMAND ${command} --short)
    list(APPEND tests ${name})
  endif()
  if(long)
    add_test(NAME ${name}.long COMMAND ${command} --long)
    set_tests_properties(${name}.long PROPERTIES LABELS long)
    list(APPEND tests ${name}.long)
  endif()
  # A case has its own limit; a test has room for all of its cases.
  math(EXPR limit "${T_CASE_TIMEOUT} * 10")
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${limit} SKIP_RETURN_CODE 77 ENVIRONMENT "${T_ENVIRONMENT}")
  if(T_DISPLAY)
    set_tests_properties(${tests} PROPERTIES COST 1000)
  endif()
endfunction()
