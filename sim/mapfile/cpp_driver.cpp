// Stands behind a map in C++ (cpp_map.hpp): writes the launches and tiles of the sides that the program's argument
// names, as records to descriptor 3. Embedded, and compiled by the user's compiler with the map before it.
//
// TRI_MAP_CLASS is the class of the map; without it, the map is the functions launch() and tile().

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tri_driver {

enum Kind : u32 { kHeader = 1, kLaunch, kTile, kEnd, kSignal };

// As cpp_run.cpp reads it.
struct Record {
  u64 omega;  // of a header the largest side, of a launch x
  u32 a, b, c, kind;
};
constexpr u32 kVersion = 1, kWorkers = 13, kPlaces = 4096;
constexpr int kOut = 3;

Record records[kPlaces];
volatile u32 filled = 0;
u64 omega = 0;

void flush() {
  const char* at = reinterpret_cast<const char*>(records);
  std::size_t left = filled * sizeof(Record);
  while (left > 0) {
    const auto written = ::write(kOut, at, left);
    if (written <= 0) ::_exit(0);  // nobody reads on
    at += written, left -= static_cast<std::size_t>(written);
  }
  filled = 0;
}

void put(const Record& record) {
  if (filled == kPlaces) flush();
  records[filled] = record;
  filled = filled + 1;
}

// What was found so far, and where it ended; then the signal does what it does.
void on_signal(int number) {
  put({omega, static_cast<u32>(number), 0, 0, kSignal});
  flush();
  std::raise(number);
}

alignas(16) char stack_of_signals[1 << 16];

void catch_signals() {
  stack_t stack{};
  stack.ss_sp = stack_of_signals, stack.ss_size = sizeof stack_of_signals;
  ::sigaltstack(&stack, nullptr);  // the map's own may be used up
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) ::sigaction(number, &action, nullptr);
}

// A tile, a tile or nothing, or a cursor of tiles.
template <class A>
auto first_of(A answer) {
  if constexpr (requires { answer.valid(), answer.tile(), answer.next(); }) {
    return answer.tile();
  } else if constexpr (requires { *answer; }) {
    return *answer;
  } else {
    return answer;
  }
}

void put(const Tile2& t) { put({omega, t.row, t.col, 0, kTile}); }
void put(const Tile3& t) { put({omega, t.y, t.x, t.z, kTile}); }
void put(const CellTile& t) { put({omega, t.y, t.x, 0, kTile}); }

template <class A>
void put_all(A answer) {
  if constexpr (requires { answer.valid(), answer.tile(), answer.next(); }) {
    for (; answer.valid(); answer.next()) put(answer.tile());
  } else if constexpr (requires { *answer; }) {
    if (answer) put(*answer);
  } else {
    put(answer);
  }
}

template <class Tile>
constexpr Domain domain_of() {
  static_assert(std::is_same_v<Tile, Tile2> || std::is_same_v<Tile, Tile3> || std::is_same_v<Tile, CellTile>,
                "tiles are Tile2 {row, col}, Tile3 {x, y, z} or CellTile {x, y}");
  return std::is_same_v<Tile, Tile2>   ? Domain::triangle
         : std::is_same_v<Tile, Tile3> ? Domain::tetrahedron
                                       : Domain::gasket;
}

// Calls f(launch, position) for each position of the launches, in the order of omega.
template <class F>
void for_each_position(const Launch* launches, u32 count, const F& f) {
  omega = 0;
  for (u32 pass = 0; pass < count; ++pass) {
    const Launch& grid = launches[pass];
    for (u32 z = 0; z < grid.z; ++z) {
      for (u32 y = 0; y < grid.y; ++y) {
        for (u64 x = 0; x < grid.x; ++x, ++omega) f(Position{x, y, z, pass});
      }
    }
  }
}

void header(Domain domain, u64 limit, u32 launches) {
  put({limit, static_cast<u32>(domain), launches, kVersion, kHeader});
}
void put(const Launch& grid) { put({grid.x, grid.y, grid.z, 0, kLaunch}); }

#ifdef TRI_MAP_CLASS

// Calls f(map) with the map of a side.
template <class M, class F, class... Shape>
void with_map(const F& f, Shape... shape) {
  if constexpr (requires { M::make_table(shape...); }) {
    const auto table = M::make_table(shape...);
    f(M(shape..., table.data()));
  } else if constexpr (std::constructible_from<M, Shape..., u32>) {
    f(M(shape..., kWorkers));
  } else {
    static_assert(std::constructible_from<M, Shape...>,
                  "the map is constructed from (u32 side, Diagonal), that of the gasket from (u32 levels)");
    f(M(shape...));
  }
}

template <class M>
void run(u32 side) {
  using Tile = decltype(first_of(std::declval<const M&>().begin(Position{})));
  u64 limit = 0;
  if constexpr (requires { M::kInfo.max_side; }) limit = M::kInfo.max_side;
  if (side == 0) return header(domain_of<Tile>(), limit, 0);
  const auto walk = [limit](const auto& map) {
    const u32 count = map.launch_count();
    header(domain_of<Tile>(), limit, count);
    auto* const launches = static_cast<Launch*>(std::calloc(count + 1, sizeof(Launch)));
    if (launches == nullptr) std::abort();
    for (u32 pass = 0; pass < count; ++pass) put(launches[pass] = map.launch(pass));
    for_each_position(launches, count, [&map](const Position& at) { put_all(map.begin(at)); });
    std::free(launches);
  };
  if constexpr (std::is_same_v<Tile, CellTile>) {
    with_map<M>(walk, static_cast<u32>(__builtin_ctz(side)));
  } else {
    with_map<M>(walk, side, Diagonal::with);
  }
}

void run_map(u32 side) { run<TRI_MAP_CLASS>(side); }

#else

// Dependent names, so that a missing function is a sentence.
template <class Side>
void run(Side side) {
  constexpr bool by_position = requires { tile(Position{}, side); }
  , by_omega = requires { tile(u64{}, side); };
  static_assert(
      requires { Launch(launch(side)); }, "the file has no `Launch launch(u32 m)`, and no class of its name");
  static_assert(by_position || by_omega, "the file has no `Tile2 tile(u64 omega, u32 m)`, and no class of its name");
  if constexpr (by_position || by_omega) {
    const auto ask = [side](const Position& at) {
      if constexpr (by_position) {
        return tile(at, side);
      } else {
        return tile(omega, side);
      }
    };
    const Domain domain = domain_of<decltype(first_of(ask(Position{})))>();
    if (side == 0) return header(domain, 0, 0);
    const Launch grid = launch(side);
    header(domain, 0, 1), put(grid);
    for_each_position(&grid, 1, [&ask](const Position& at) { put_all(ask(at)); });
  }
}

void run_map(u32 side) { run(side); }

#endif

}  // namespace tri_driver

int main(int argc, char** argv) {
  tri_driver::catch_signals();
  tri_driver::run_map(argc > 1 ? static_cast<u32>(std::strtoul(argv[1], nullptr, 10)) : 0);
  tri_driver::put(tri_driver::Record{0, 0, 0, 0, tri_driver::kEnd});
  tri_driver::flush();
  ::_exit(0);
}
