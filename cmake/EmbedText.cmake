# tri_embed_text(TARGET <target> NAME <symbol> FILE <file>)
#
# Puts the bytes of a file into a target as a constant:
#
#     #include "<symbol>.hpp"          // generated; declares
#     tri::embedded::<symbol>          // extern const std::string_view, exactly the bytes of the file
#
# Works for any bytes of any length; rebuilds the target when the file changes. FILE is relative to the caller's
# directory. Call it in the directory that defines the target.
function(tri_embed_text)
  cmake_parse_arguments(E "" "TARGET;NAME;FILE" "" ${ARGN})
  if(NOT E_TARGET OR NOT E_NAME OR NOT E_FILE OR E_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tri_embed_text(TARGET <target> NAME <symbol> FILE <file>) was called with: ${ARGN}")
  endif()
  if(NOT E_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "tri_embed_text: NAME must be a C++ identifier, not '${E_NAME}'.")
  endif()
  get_filename_component(source "${E_FILE}" ABSOLUTE)
  if(NOT EXISTS "${source}")
    message(FATAL_ERROR "tri_embed_text: there is no file ${source}.")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embedded")
  file(CONFIGURE OUTPUT "${folder}/${E_NAME}.hpp" CONTENT
       "#pragma once
// Made by cmake/EmbedText.cmake.
#include <string_view>

namespace tri::embedded {
extern const std::string_view ${E_NAME};
}
")
  add_custom_command(
    OUTPUT "${folder}/${E_NAME}.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${source}" "-DNAME=${E_NAME}" "-DOUTPUT=${folder}/${E_NAME}.cpp"
            -P "${PROJECT_SOURCE_DIR}/cmake/write_embedded_text.cmake"
    DEPENDS "${source}" "${PROJECT_SOURCE_DIR}/cmake/write_embedded_text.cmake"
    COMMENT "Embedding ${E_FILE}"
    VERBATIM)
  target_sources(${E_TARGET} PRIVATE "${folder}/${E_NAME}.cpp")
  target_include_directories(${E_TARGET} PRIVATE "${folder}")
endfunction()
