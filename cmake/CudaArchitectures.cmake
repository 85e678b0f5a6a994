# tri_cuda_architectures(<variable> <reason> <nvcc>): the GPUs that a build has code for where nobody chose them, and one
# phrase about them.
#
# A machine with GPUs gets code for those alone, the shortest build; of one that is newer than nvcc, PTX of the newest
# that nvcc knows before it. A machine without (the login node of a cluster, a packager) gets code and PTX for Hopper and
# PTX of 7.5: the driver of any other GPU compiles one of the two at first start, that of Blackwell the first, which has
# the instructions of Hopper. The kernels' build then takes half as long again.
function(tri_cuda_architectures variable reason nvcc)
  set(${variable} 75-virtual 90 PARENT_SCOPE)
  set(${reason} "Hopper, and PTX for every other card from 7.5 on" PARENT_SCOPE)
  find_program(NVIDIA_SMI nvidia-smi)
  mark_as_advanced(NVIDIA_SMI)
  if(NOT NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND "${NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE here ERROR_QUIET RESULT_VARIABLE failed TIMEOUT 20)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" here "${here}")
  if(failed OR NOT here)
    return()
  endif()
  execute_process(COMMAND "${nvcc}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" known "${known}")
  list(SORT known COMPARE NATURAL)
  set(chosen "")
  foreach(capability IN LISTS here)
    string(REPLACE "." "" capability "${capability}")
    set(as "${capability}")
    if(known AND NOT capability IN_LIST known)
      foreach(other IN LISTS known)
        if(other LESS capability)
          set(as "${other}-virtual")
        endif()
      endforeach()
    endif()
    list(APPEND chosen "${as}")
  endforeach()
  list(REMOVE_DUPLICATES chosen)
  set(${variable} ${chosen} PARENT_SCOPE)
  set(${reason} "Of the GPUs of this machine" PARENT_SCOPE)
endfunction()
