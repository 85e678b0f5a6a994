# What is installed beside the program, and the packages that `make package` builds (docs/install.md). Included last.
#
# Components: `program` (whatever names none), `maps`, `portable` (the program with its libraries, for the archive), and
# `python`.
set(TRI_PACKAGE_CONTACT "The Triangulum authors <maintainers@triangulum.example>" CACHE STRING
    "Maintainer that the Debian packages name")
set(TRI_APP_ID org.triangulum.Triangulum)
set(share ${PROJECT_BINARY_DIR}/share)

# The day of the release is that of the commit, so that the same sources give the same packages.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cs OUTPUT_VARIABLE TRI_RELEASE_DATE
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT TRI_RELEASE_DATE)
  string(TIMESTAMP TRI_RELEASE_DATE "%Y-%m-%d" UTC)
endif()

# Only on desktops that have them do these do anything; the command line needs none.
configure_file(${PROJECT_SOURCE_DIR}/packaging/triangulum.desktop.in ${share}/${TRI_APP_ID}.desktop @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/packaging/triangulum.metainfo.xml.in ${share}/${TRI_APP_ID}.metainfo.xml @ONLY)
install(FILES ${share}/${TRI_APP_ID}.desktop DESTINATION share/applications)
install(FILES ${share}/${TRI_APP_ID}.metainfo.xml DESTINATION share/metainfo)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/triangulum.mime.xml DESTINATION share/mime/packages RENAME triangulum.xml)

# --help and messages name pages as docs/NAME.md, README.md leads to them as in the sources, and performance.md copies the
# maps from there.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff SECURITY.md AUTHORS
        DESTINATION share/doc/triangulum OPTIONAL)
install(DIRECTORY docs DESTINATION share/doc/triangulum FILES_MATCHING PATTERN "*.md" PATTERN "*.ipynb" PATTERN "*.json"
        PATTERN "*.png" PATTERN "*.svg" PATTERN "*.txt" PATTERN "*.webp" PATTERN "*.toml")
install(DIRECTORY assets/maps assets/scenes DESTINATION share/doc/triangulum)
# The licences of what is compiled into the program, as Debian collected them: headers, archives and fonts. The script
# of the archive adds those of the libraries that it brings.
set(compiled_in libcli11-dev libfmt-dev libhwy-dev libtomlplusplus-dev nlohmann-json3-dev)
if(TRI_HAVE_GUI)
  list(APPEND compiled_in fonts-dejavu-core fonts-inter fonts-material-design-icons-iconfont fonts-stix libglm-dev
       libimgui-dev python3-glad)
endif()
foreach(package IN LISTS compiled_in)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION share/doc/triangulum/third-party RENAME ${package}.txt
          OPTIONAL)
endforeach()

if(TRI_HAVE_CUDA)  # the CUDA runtime is in the program
  cmake_path(GET CMAKE_CUDA_COMPILER PARENT_PATH toolkit)
  install(FILES ${toolkit}/../EULA.txt DESTINATION share/doc/triangulum/third-party RENAME cuda.txt OPTIONAL)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME triangulum)
set(CPACK_PACKAGE_VENDOR "The Triangulum authors")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own, the first line of its description
set(CPACK_COMPONENTS_ALL program maps)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${TRI_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME triangulum)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
# What is loaded at run time where it is wanted; package_debian.cmake puts the libraries of the modules before it, and sets
# what the program depends on.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libglfw3, libegl1, libgl1, libgl1-mesa-dri, openmpi-bin")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg, triangulum-maps-dev")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "N-body simulator that computes each pair and triple once
Triangulum simulates stars, atoms and colliding spheres on CPUs and NVIDIA
GPUs. All-pairs work fills a triangle and work on triples a tetrahedron; exact
maps send the blocks of a GPU straight onto them, so that none is idle.

The command line runs, measures and verifies simulations; the window shows
them together with the time of each map and where its blocks go.")
set(CPACK_DEBIAN_MAPS_PACKAGE_NAME triangulum-maps-dev)
set(CPACK_DEBIAN_MAPS_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_MAPS_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_MAPS_DESCRIPTION "exact maps from GPU blocks to triangles and tetrahedra
Header-only C++20 for host and device, as a CMake package: maps that send the
blocks of a launch to the tiles of a triangle (pairs), a tetrahedron (triples)
or a Sierpinski gasket, with formulas that stay exact at large sizes.

They need nothing but the standard library, and work with g++, nvcc and NVRTC.")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_debian.cmake)
include(CPack)
