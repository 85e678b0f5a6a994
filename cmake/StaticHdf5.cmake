# For wheels: puts HDF5, its filters and zlib into the module itself, where the system has them as archives. Debian's
# libhdf5.so reads from the web, and would bring thirty libraries (curl, OpenSSL, Kerberos) into a wheel; of the archive
# the linker takes what is used.
#
# Debian compiles the archive for programs: it reaches stderr and stdout as a shared library may not. A copy reaches them
# through two pointers instead.
find_library(TRI_HDF5_ARCHIVE NAMES libhdf5_serial.a libhdf5.a)
find_library(TRI_SZIP_ARCHIVE NAMES libsz.a)
find_library(TRI_AEC_ARCHIVE NAMES libaec.a)
find_library(TRI_ZLIB_ARCHIVE NAMES libz.a)
mark_as_advanced(TRI_HDF5_ARCHIVE TRI_SZIP_ARCHIVE TRI_AEC_ARCHIVE TRI_ZLIB_ARCHIVE)
if(NOT TRI_HDF5_ARCHIVE OR NOT TRI_SZIP_ARCHIVE OR NOT TRI_AEC_ARCHIVE OR NOT TRI_ZLIB_ARCHIVE OR NOT CMAKE_OBJCOPY)
  message(STATUS "No archive of HDF5, szip, aec or zlib: the module uses the shared libraries of this system")
  return()
endif()

set(copy "${PROJECT_BINARY_DIR}/libtri_hdf5.a")
execute_process(COMMAND "${CMAKE_OBJCOPY}" --redefine-sym stderr=tri_hdf5_stderr --redefine-sym stdout=tri_hdf5_stdout
                        "${TRI_HDF5_ARCHIVE}" "${copy}" COMMAND_ERROR_IS_FATAL ANY)
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/hdf5_streams.cpp" CONTENT
     "// Made by cmake/StaticHdf5.cmake.
#include <cstdio>

extern \"C\" {
std::FILE* tri_hdf5_stderr = stderr;
std::FILE* tri_hdf5_stdout = stdout;
}
")
add_library(tri_hdf5_streams STATIC "${PROJECT_BINARY_DIR}/hdf5_streams.cpp")
target_link_libraries(tri_hdf5_streams PRIVATE tri::flags)
set_target_properties(tri_hdf5_streams PROPERTIES CXX_VISIBILITY_PRESET hidden)
set_target_properties(hdf5::c PROPERTIES IMPORTED_LOCATION "${copy}")
set_property(TARGET hdf5::c PROPERTY INTERFACE_LINK_LIBRARIES
             tri_hdf5_streams ${TRI_SZIP_ARCHIVE} ${TRI_AEC_ARCHIVE} ${TRI_ZLIB_ARCHIVE} ${CMAKE_DL_LIBS} m)
set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_LOCATION "${TRI_ZLIB_ARCHIVE}"
                      IMPORTED_LOCATION_RELEASE "${TRI_ZLIB_ARCHIVE}")
