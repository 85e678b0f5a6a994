// What two programs must agree on that exchange maps, one line a type: size, alignment, and whether bytes are all of
// it.
#include <cstdio>
#include <triangulum/maps/maps.hpp>
#include <triangulum/maps/version.hpp>
#include <type_traits>

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

template <class T>
void print(const char* name) {
  std::printf("%s %zu %zu %s\n", name, sizeof(T), alignof(T), std::is_trivially_copyable_v<T> ? "bytes" : "no bytes");
}

template <class Id, class... Maps>
void print_all(tri::MapList<Id, Maps...>, const char* domain) {
  ((std::printf("%s ", domain), print<Maps>(Maps::kInfo.name)), ...);
}

int main() {
  std::printf("%s\n", TEXT(TRIANGULUM_MAPS_ABI));
  print_all(tri::TriangleMaps{}, "triangle");
  print_all(tri::TetraMaps{}, "tetrahedron");
  print_all(tri::GasketMaps{}, "gasket");
  print<tri::Position>("Position");
  print<tri::Launch>("Launch");
  print<tri::Tile2>("Tile2");
  print<tri::Tile3>("Tile3");
}
