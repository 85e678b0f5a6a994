# Installs the component `maps`, builds consumer/ against it and nothing else, runs it and compares what it prints.
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
list(FILTER stray EXCLUDE REGEX "^(include/triangulum/(base/platform\\.hpp|maps/[a-z0-9_]+\\.hpp)|lib.*/cmake/triangulum-maps/[A-Za-z-]+\\.cmake)$")
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
