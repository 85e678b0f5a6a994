# Run by CPack over what it has installed, before it makes the packages: what Debian's policy asks of their folders.
# CPACK_TEMPORARY_DIRECTORY holds a folder for each component.
find_program(gzip gzip REQUIRED)

function(tri_compress file)
  execute_process(COMMAND "${gzip}" -9n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Debian's own change log, in the name of the version's release; that of the project lies beside it.
function(tri_write_doc folder package)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # that of SOURCE_DATE_EPOCH
  file(WRITE "${folder}/changelog" "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  tri_compress("${folder}/changelog")
  file(READ "${CMAKE_CURRENT_LIST_DIR}/../LICENSE" licence)
  string(STRIP "${licence}" licence)
  string(REGEX REPLACE "^MIT License\n\nCopyright \\(c\\) ([^\n]*)\n\n" "" licence "${licence}")
  set(authors "${CMAKE_MATCH_1}")
  string(REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REPLACE "\n" "\n " licence "${licence}")
  file(WRITE "${folder}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Triangulum
Upstream-Contact: ${CPACK_DEBIAN_PACKAGE_MAINTAINER}
Source: the repository that this package was built from
Comment: The program holds code and fonts of other projects, which were compiled
 into it. Their licences, as Debian collected them, are in the folder third-party
 beside this file.

Files: *
Copyright: ${authors}
License: Expat
 ${licence}
")
endfunction()

# What the program needs to start, and what its modules need, which it loads: for figures as PNG and PDF, and for MPI.
function(tri_shared_libraries folder)
  find_program(shlibdeps dpkg-shlibdeps REQUIRED)
  set(work "${CPACK_TOPLEVEL_DIRECTORY}/shlibdeps")
  file(WRITE "${work}/debian/control" "Source: triangulum\n\nPackage: triangulum\nArchitecture: any\n")
  file(GLOB modules "${folder}/lib/triangulum/modules/*.so")
  set(files "-e${folder}/bin/triangulum" -dRecommends)
  foreach(module IN LISTS modules)
    list(APPEND files "-e${module}")
  endforeach()
  execute_process(COMMAND "${shlibdeps}" -O --ignore-missing-info ${files} WORKING_DIRECTORY "${work}"
                  OUTPUT_VARIABLE said ERROR_VARIABLE warnings COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "shlibs:Depends=([^\n]+)")
    message(FATAL_ERROR "dpkg-shlibdeps named no libraries: ${said}${warnings}")
  endif()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${CMAKE_MATCH_1}" PARENT_SCOPE)
  if(said MATCHES "shlibs:Recommends=([^\n]+)")
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "${CMAKE_MATCH_1}, ${CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS}"
        PARENT_SCOPE)
  endif()
endfunction()

if(EXISTS "${CPACK_TEMPORARY_DIRECTORY}/program/usr/bin")
  tri_shared_libraries("${CPACK_TEMPORARY_DIRECTORY}/program/usr")
endif()
set(program "${CPACK_TEMPORARY_DIRECTORY}/program/usr/share")
if(EXISTS "${program}")
  file(REMOVE "${program}/doc/triangulum/LICENSE")
  tri_compress("${program}/doc/triangulum/CHANGELOG.md")
  tri_compress("${program}/man/man1/triangulum.1")
  tri_write_doc("${program}/doc/triangulum" triangulum)
  file(RENAME "${program}/zsh/site-functions" "${program}/zsh/vendor-completions")
endif()
set(maps "${CPACK_TEMPORARY_DIRECTORY}/maps/usr/share")
if(EXISTS "${maps}")
  file(MAKE_DIRECTORY "${maps}/doc/triangulum-maps-dev")
  tri_write_doc("${maps}/doc/triangulum-maps-dev" triangulum-maps-dev)
endif()
