# tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <seconds>]): one GoogleTest program; each of its cases is a
# test of ctest, found when the program is built.
include(GoogleTest)

function(tri_add_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT T_NAME OR NOT T_SOURCES OR T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tri_add_test(NAME <name> SOURCES ... [LINK ...] [TIMEOUT <s>]) was called with: ${ARGN}")
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE tri::flags ${T_LINK} GTest::gtest GTest::gtest_main)
  target_include_directories(${T_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  # The tests' own code runs for moments and compiles for minutes; what they test is built as ever.
  target_compile_options(${T_NAME} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
  target_compile_definitions(${T_NAME} PRIVATE TRI_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  gtest_discover_tests(${T_NAME} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT ${T_TIMEOUT})
endfunction()
