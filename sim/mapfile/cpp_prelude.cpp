// Stands before a map in C++ (cpp_map.hpp), so that its text needs no #include of the map headers. Embedded.

#include <concepts>
#include <optional>
#include <triangulum/maps/gasket_base.hpp>
#include <triangulum/maps/tetra_base.hpp>
#include <triangulum/maps/triangle_base.hpp>

using namespace tri;
