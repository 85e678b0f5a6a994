# Installs the component `maps` and compiles kernels with its headers at run time (nvrtc_maps.cpp).
file(REMOVE_RECURSE ${WORK_DIR})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --component maps --prefix ${WORK_DIR} OUTPUT_QUIET
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} ${WORK_DIR}/include COMMAND_ERROR_IS_FATAL ANY)
