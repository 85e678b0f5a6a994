# Run at every build by cmake/Version.cmake: fills tri_version.cpp.in, and keeps OUTPUT if nothing changed.
set(HASH "")
if(GIT)
  # Use the hash only if the sources are the repository itself, not a copy inside another one.
  execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" rev-parse --show-prefix --short HEAD
                  OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND answer MATCHES "^\n?([0-9a-f]+)$")
    set(HASH "${CMAKE_MATCH_1}")
    execute_process(COMMAND "${GIT}" -C "${SOURCE_DIR}" --no-optional-locks diff --quiet HEAD
                    OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE changed)
    if(changed)
      string(APPEND HASH "-dirty")
    endif()
  endif()
endif()
set(FULL "${VERSION}")
if(HASH)
  string(APPEND FULL "+${HASH}")
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
