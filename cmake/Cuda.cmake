# Decides whether this build has CUDA. Sets TRI_HAVE_CUDA, and TRI_CUDA_REASON (one phrase for the summary).
#
# Where no architectures are asked for (CMAKE_CUDA_ARCHITECTURES), a machine with a GPU gets code for that GPU alone, the
# shortest build. A machine without one (the login node of a cluster, a packager) gets code for Hopper, and its PTX, which
# the drivers of later cards compile at the first start: each further architecture would add as much to the build again.
# On an older card such a binary says which architecture to build for.
set(TRI_CUDA_MINIMUM 12.4)

function(tri_choose_cuda_architectures)
  if(CMAKE_CUDA_ARCHITECTURES OR DEFINED ENV{CUDAARCHS})
    return()
  endif()
  find_program(NVIDIA_SMI nvidia-smi)
  mark_as_advanced(NVIDIA_SMI)
  if(NVIDIA_SMI)
    execute_process(COMMAND "${NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE caps ERROR_QUIET RESULT_VARIABLE failed TIMEOUT 20)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" caps "${caps}")
    list(REMOVE_DUPLICATES caps)
    string(REPLACE "." "" caps "${caps}")
    if(NOT failed AND caps)
      set(CMAKE_CUDA_ARCHITECTURES "${caps}" CACHE STRING "Of the GPUs of this machine")
      return()
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "Hopper, and its PTX for later cards")
endfunction()

set(TRI_HAVE_CUDA OFF)
if(TRI_CUDA STREQUAL "OFF")
  set(TRI_CUDA_REASON "TRI_CUDA=OFF")
  unset(CMAKE_CUDA_COMPILER CACHE)  # of an earlier configuration of this folder
  return()
endif()

# nvcc is seldom in PATH; its installer puts it here.
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(TRI_NVCC nvcc PATHS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda /opt/cuda PATH_SUFFIXES bin)
  mark_as_advanced(TRI_NVCC)
  if(TRI_NVCC)
    set(CMAKE_CUDA_COMPILER "${TRI_NVCC}" CACHE FILEPATH "The CUDA compiler")
  endif()
endif()

set(problem "")
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(problem "no nvcc in PATH, CUDA_PATH or /usr/local/cuda")
else()
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc)
    set(nvcc "$ENV{CUDACXX}")
  endif()
  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE failed)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" matched "${answer}")
  if(failed OR NOT matched)
    set(problem "${nvcc} does not answer --version")
  elseif(CMAKE_MATCH_1 VERSION_LESS TRI_CUDA_MINIMUM)
    set(problem "CUDA ${CMAKE_MATCH_1} at ${nvcc} is older than ${TRI_CUDA_MINIMUM}, which C++20 needs")
  endif()
endif()

if(NOT problem)
  tri_choose_cuda_architectures()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    # CMake 3.25 does not know how nvcc is asked for C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(TRI_HAVE_CUDA ON)
    set(TRI_CUDA_REASON "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
    return()
  endif()
  set(problem "nvcc does not work with ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} (see CMakeFiles/CMakeError.log)")
endif()

unset(CMAKE_CUDA_COMPILER CACHE)
if(TRI_CUDA STREQUAL "ON")
  message(FATAL_ERROR "TRI_CUDA=ON, but ${problem}. Install the CUDA Toolkit ${TRI_CUDA_MINIMUM} or later from "
                      "https://developer.nvidia.com/cuda-downloads, or name its nvcc in CUDACXX, or take TRI_CUDA=AUTO.")
endif()
set(TRI_CUDA_REASON "${problem}")
