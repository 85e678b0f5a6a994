# The maps of this tree as an overlay port: vcpkg install triangulum-maps --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release)  # headers alone
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}/sim/maps")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/triangulum-maps)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
