# Installs the program from a build folder, with blanks in DESTDIR and prefix, and checks far from the sources and with
# an empty environment what could need files: scenes, fractals,
# help. The folder is only configured; the program in it is the one built before.
file(REMOVE_RECURSE "${WORK_DIR}")
set(ENV{DESTDIR} "${WORK_DIR}/a stage")
set(build "${WORK_DIR}/a build")

function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE err WORKING_DIRECTORY /)
  if(failed)
    message(FATAL_ERROR "${name} failed (${failed}):\n${out}\n${err}")
  endif()
  set(step_output "${out}" PARENT_SCOPE)
endfunction()

step("configure" ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${build} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
     -DCMAKE_CXX_COMPILER=${COMPILER} -DTRI_CUDA=OFF -DTRI_GUI=OFF -DTRI_BUILD_TESTS=OFF)
file(MAKE_DIRECTORY "${build}/bin")
file(CREATE_LINK "${PROGRAM}" "${build}/bin/triangulum" COPY_ON_ERROR)
foreach(part IN ITEMS mpi picture)
  cmake_path(REPLACE_FILENAME PROGRAM libtriangulum-${part}.so OUTPUT_VARIABLE module)
  if(EXISTS "${module}")
    file(CREATE_LINK "${module}" "${build}/bin/libtriangulum-${part}.so" COPY_ON_ERROR)
  endif()
endforeach()
cmake_path(REPLACE_FILENAME PROGRAM triangulum-icon OUTPUT_VARIABLE icon)
file(CREATE_LINK "${icon}" "${build}/bin/triangulum-icon" COPY_ON_ERROR)
step("install" ${CMAKE_COMMAND} --install ${build} --prefix "/opt/a prefix")

set(root "$ENV{DESTDIR}/opt/a prefix")
set(bare env -i "LD_LIBRARY_PATH=$ENV{LD_LIBRARY_PATH}" "ASAN_OPTIONS=$ENV{ASAN_OPTIONS}" "${root}/bin/triangulum")
foreach(said IN ITEMS "man>share/man/man1/triangulum.1" "completion;bash>share/bash-completion/completions/triangulum"
                      "completion;zsh>share/zsh/site-functions/_triangulum"
                      "completion;fish>share/fish/vendor_completions.d/triangulum.fish")
  string(REGEX REPLACE ">.*" "" words "${said}")
  string(REGEX REPLACE ".*>" "" file "${said}")
  step("${words}" ${bare} ${words})
  file(READ "${root}/${file}" text)
  if(NOT text STREQUAL step_output OR text STREQUAL "")
    message(FATAL_ERROR "${file} is not what the program says.")
  endif()
endforeach()

# The installed files match the manifest, and none of them names the staging folder.
file(STRINGS "${build}/install_manifest.txt" listed)
file(GLOB_RECURSE there RELATIVE "$ENV{DESTDIR}" "$ENV{DESTDIR}/*")
list(TRANSFORM there PREPEND "/")
list(SORT listed)
list(SORT there)
if(NOT listed STREQUAL there)
  message(FATAL_ERROR "Installed were\n${there}\nand install_manifest.txt lists\n${listed}")
endif()

foreach(command IN ITEMS "--help" "list;scenes" "run;solar-system;--steps;2;--backend;cpu"
                         "run;gasket:r=4;--steps;2;--backend;cpu")
  step("${command}" ${bare} ${command})
  if(step_output STREQUAL "")
    message(FATAL_ERROR "${command} says nothing.")
  endif()
endforeach()

# The pages that the help names are there.
step("help all" ${bare} help all)
string(REGEX MATCHALL "docs/[a-z/-]+[.]md" pages "${step_output}")
list(LENGTH pages named)
foreach(page IN LISTS pages)
  if(NOT EXISTS "${root}/share/doc/triangulum/${page}" OR named LESS 5)
    message(FATAL_ERROR "The help names ${page}, which is not installed; ${named} pages are named.")
  endif()
endforeach()

# The pages are there, and every link of one leads to something that is installed, too.
execute_process(COMMAND ${PYTHON} -c [[
import pathlib, re, sys
pages = list(pathlib.Path(sys.argv[1]).rglob("*.md"))
assert len(pages) > 40, pages
for page in pages:
    text = re.sub(r"^```.*?^```|`[^`]*`", "", page.read_text(), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s#:]+)[^):]*\)", text):
        assert (page.parent / link).exists(), f"{page} leads to {link}, which is not installed"
]] "${root}/share/doc/triangulum" COMMAND_ERROR_IS_FATAL ANY)

# What a desktop reads. Its validators need not be here.
execute_process(COMMAND ${PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/desktop_test.py ${root} org.triangulum.Triangulum
                RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE err)
message(STATUS "${out}${err}")
if(NOT failed EQUAL 0 AND NOT failed EQUAL 77)
  message(FATAL_ERROR "desktop_test.py failed (${failed})")
endif()

# Uninstalling leaves what is not ours, and no folder of our name.
file(WRITE "${root}/share/doc/another" "")
file(WRITE "${root}/lib/triangulum/of the user" "")
set(uninstall ${CMAKE_COMMAND} "-DBUILD_DIR=${build}" -P ${SOURCE_DIR}/cmake/uninstall.cmake)
step("uninstall" ${uninstall})
file(GLOB_RECURSE there RELATIVE "${root}" "${root}/*")
list(SORT there)
if(NOT there STREQUAL "lib/triangulum/of the user;share/doc/another")
  message(FATAL_ERROR "make uninstall should leave two files and left ${there}")
endif()
file(GLOB_RECURSE folders LIST_DIRECTORIES true RELATIVE "${root}" "${root}/*")
list(FILTER folders INCLUDE REGEX "triangulum[^/]*$")
if(NOT folders STREQUAL "lib/triangulum")
  message(FATAL_ERROR "make uninstall left the folders ${folders}")
endif()
execute_process(COMMAND ${uninstall} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(failed EQUAL 0 OR NOT err MATCHES "Nothing was installed")
  message(FATAL_ERROR "A second make uninstall should say that there is nothing to remove, and said ${out}${err}")
endif()
file(REMOVE_RECURSE "${WORK_DIR}")
