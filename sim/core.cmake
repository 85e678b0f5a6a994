# Sources of the core library tri::sim: everything of sim/ that has no module directory of its own.
find_package(fmt REQUIRED)

target_sources(tri_sim PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR}/bench_case.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/bodies.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/broad_phase.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/compute.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/contact_step.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/diagnostics.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/engine_config.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/map_choice.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/memory.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/numerical_fault.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/physics_params.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/state_hash.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/suggest.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/triplets.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/tuning.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/work_watch.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/integrators/integrator.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/reference/reference.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/reference/reference_advance.cpp)
target_link_libraries(tri_sim PUBLIC fmt::fmt)
