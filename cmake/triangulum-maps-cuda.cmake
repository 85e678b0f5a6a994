# Of ${maps_target}: CUDA sources need C++20 too. CMake knows nvcc's flag for it from 3.28 on, and nothing of the kind as a
# feature of nvcc.
if(CMAKE_CUDA_COMPILER_LOADED)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  if(NOT "cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
  endif()
  set_property(TARGET ${maps_target} APPEND PROPERTY INTERFACE_COMPILE_FEATURES cuda_std_20)
endif()
