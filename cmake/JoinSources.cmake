# tri_join_sources(SOURCE <file> OUTPUT <file> [EXCEPT <file>])
#
# Makes OUTPUT from SOURCE and all that it includes of this project (join_sources.cmake), now and again whenever one of
# them changes. SOURCE is relative to the caller's directory. For kernels that are compiled at run time, where there is
# no include path. EXCEPT, a file relative to the project, is left out.
function(tri_join_sources)
  cmake_parse_arguments(J "" "SOURCE;OUTPUT;EXCEPT" "" ${ARGN})
  if(NOT J_SOURCE OR NOT J_OUTPUT OR J_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tri_join_sources(SOURCE <file> OUTPUT <file> [EXCEPT <file>]) was called with: ${ARGN}")
  endif()
  get_filename_component(source "${J_SOURCE}" ABSOLUTE)
  set(script "${PROJECT_SOURCE_DIR}/cmake/join_sources.cmake")
  set(command "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}" "-DSOURCE=${source}" "-DOUTPUT=${J_OUTPUT}"
      "-DEXCEPT=${J_EXCEPT}")
  if(NOT EXISTS "${J_OUTPUT}")
    execute_process(COMMAND ${command} -P "${script}" COMMAND_ERROR_IS_FATAL ANY)
  endif()
  add_custom_command(
    OUTPUT "${J_OUTPUT}"
    COMMAND ${command} "-DDEPFILE=${J_OUTPUT}.d" -P "${script}"
    DEPENDS "${source}" "${script}"
    DEPFILE "${J_OUTPUT}.d"
    COMMENT "Joining ${J_SOURCE}"
    VERBATIM)
endfunction()
