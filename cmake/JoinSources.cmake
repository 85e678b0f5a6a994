# tri_join_sources(SOURCES <file>... OUTPUT <file> [EXCEPT <file>])
#
# Makes OUTPUT from SOURCES and all that they include of this project (join_sources.cmake), now and again whenever one of
# them changes. SOURCES are relative to the project, as includes are. For kernels that are compiled at run time, where there is
# no include path. EXCEPT, a file relative to the project, is left out.
function(tri_join_sources)
  cmake_parse_arguments(J "" "OUTPUT;EXCEPT" "SOURCES" ${ARGN})
  if(NOT J_SOURCES OR NOT J_OUTPUT OR J_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tri_join_sources(SOURCES <file>... OUTPUT <file> [EXCEPT <file>]) was called with: ${ARGN}")
  endif()
  list(TRANSFORM J_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
  list(JOIN J_SOURCES "," sources)
  set(script "${PROJECT_SOURCE_DIR}/cmake/join_sources.cmake")
  set(command "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DSOURCES=${sources}" "-DOUTPUT=${J_OUTPUT}"
      "-DEXCEPT=${J_EXCEPT}")
  if(NOT EXISTS "${J_OUTPUT}")
    execute_process(COMMAND ${command} -P "${script}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
  add_custom_command(
    OUTPUT "${J_OUTPUT}"
    COMMAND ${command} "-DDEPFILE=${J_OUTPUT}.d" -P "${script}"
    DEPENDS ${files} "${script}"
    DEPFILE "${J_OUTPUT}.d"
    COMMENT "Joining ${sources}"
    VERBATIM)
endfunction()
