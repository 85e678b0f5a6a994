# Prints the features of this build: what is on, what is off and why. Also writes features.txt for the Makefile.
function(tri_on_off result value)
  if(${value})
    set(${result} "on " PARENT_SCOPE)
  else()
    set(${result} "off" PARENT_SCOPE)
  endif()
endfunction()

tri_on_off(toolkit TRI_HAVE_CUDA)
tri_on_off(gui TRI_HAVE_GUI)
tri_on_off(mpi TRI_HAVE_MPI)
tri_on_off(pictures TRI_HAVE_PICTURES)
tri_on_off(python TRI_HAVE_PYTHON)
tri_on_off(tests TRI_BUILD_TESTS)
tri_on_off(werror TRI_WERROR)
tri_on_off(sanitize TRI_SANITIZE)
# Reports what the library really contains, not what it could.
get_target_property(cuda_sources tri_cuda SOURCES)
if(NOT cuda_sources MATCHES "cuda_absent\\.cpp")
  set(cuda "on ")
  set(cuda_reason "used where there is a GPU; --backend cpu chooses the other")
elseif(TRI_HAVE_CUDA)
  set(cuda "off")
  set(cuda_reason "not part of Triangulum ${PROJECT_VERSION} yet; the toolkit compiles the maps for the device")
else()
  set(cuda "off")
  set(cuda_reason "no CUDA toolkit")
endif()
list(JOIN TRI_DEPENDENCIES ", " dependencies)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" type_flags)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(simd "Highway, chosen at run time: scalar, SSE4, AVX2 or AVX-512")
else()
  set(simd "Highway, chosen at run time, for ${CMAKE_SYSTEM_PROCESSOR}")
endif()
if(TRI_SANITIZE)
  set(sanitize_reason "${TRI_SANITIZE}")
else()
  set(sanitize_reason "TRI_SANITIZE is empty")
endif()
if(TRI_BUILD_TESTS)
  set(tests_reason "run them with ctest")
else()
  set(tests_reason "TRI_BUILD_TESTS=OFF")
endif()
if(TRI_WERROR)
  set(werror_reason "TRI_WERROR=ON")
else()
  set(werror_reason "TRI_WERROR=OFF: warnings do not stop the build")
endif()

message(STATUS "
  Triangulum ${PROJECT_VERSION}
    compiler      ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE} (${type_flags})
    cpu backend   on   ${simd}
    CUDA toolkit  ${toolkit}  ${TRI_CUDA_REASON}
    CUDA backend  ${cuda}  ${cuda_reason}
    GUI           ${gui}  ${TRI_GUI_REASON}
    many ranks    ${mpi}  ${TRI_MPI_REASON}
    PNG and PDF   ${pictures}  ${TRI_PICTURES_REASON}
    Python        ${python}  ${TRI_PYTHON_REASON}
    tests         ${tests}  ${tests_reason}
    Werror        ${werror}  ${werror_reason}
    sanitizers    ${sanitize}  ${sanitize_reason}
    found         ${dependencies}
    build folder  ${PROJECT_BINARY_DIR}
")
string(STRIP "${cuda}" cuda)
string(STRIP "${gui}" gui)
string(STRIP "${python}" python)
file(WRITE "${PROJECT_BINARY_DIR}/features.txt" "cuda=${cuda}\ngui=${gui}\npython=${python}\n")
