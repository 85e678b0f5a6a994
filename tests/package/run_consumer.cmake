# Installs the component `maps`, builds consumer/ against it and nothing else, runs its programs and compares what they
# print.
file(REMOVE_RECURSE ${WORK_DIR})

function(step name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(failed)
    message(FATAL_ERROR "${name} failed (${failed}):\n${out}\n${err}")
  endif()
  set(step_output "${out}" PARENT_SCOPE)
endfunction()

step("install" ${CMAKE_COMMAND} --install ${BUILD_DIR} --component maps --prefix ${WORK_DIR}/prefix)
file(GLOB_RECURSE stray RELATIVE ${WORK_DIR}/prefix ${WORK_DIR}/prefix/*)
list(FILTER stray EXCLUDE REGEX
     "^(include/triangulum/(base/platform\\.hpp|(maps|single)/[a-z0-9_]+\\.hpp|nvrtc/[a-z_.]+)|share/cmake/triangulum-maps/[A-Za-z-]+\\.cmake)$")
if(stray)
  message(FATAL_ERROR "The component `maps` installs files that are none of it: ${stray}")
endif()

step("configure" ${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
     -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} -DWANTED_VERSION=${VERSION})
step("build" ${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step("run" ${WORK_DIR}/build/consumer)

set(expected "lambda: 10 tiles, last (3, 3)\nfold: 10 tiles, last (1, 1)\ntetra: 20 tiles, last (3, 3, 3)\n")
if(NOT step_output STREQUAL expected)
  message(FATAL_ERROR "The consumer printed\n${step_output}and should print\n${expected}")
endif()

step("run" ${WORK_DIR}/build/singles)
step("run" ${WORK_DIR}/build/abi)
# A map that is new may be missing in the record.
file(STRINGS ${CONSUMER_DIR}/abi.txt recorded)
if(NOT recorded)
  message(FATAL_ERROR "${CONSUMER_DIR}/abi.txt records nothing.")
endif()
foreach(line IN LISTS recorded)
  string(FIND "\n${step_output}" "\n${line}\n" at)
  if(at LESS 0)
    message(FATAL_ERROR "The maps have the layout\n${step_output}and ${CONSUMER_DIR}/abi.txt records '${line}'. Programs "
                        "that were built before do not fit any more: raise the version in CMakeLists.txt, so that its ABI "
                        "is another one, and record the new layout.")
  endif()
endforeach()
