#pragma once
/// A typed law at one pair or triple, in any number type.

#include <bit>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/maps/map_check.hpp"
#include "sim/text/law.hpp"
#include "sim/text/map_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::expression::test {

/// What a law may read of a pair.
struct PairPoint {
  double r = 1, mi = 1, mj = 1, ri = 1, rj = 1, qi = 1, qj = 1;
};

template <class Real>
std::vector<Real> converted(const std::vector<double>& values) {
  std::vector<Real> all;
  for (const double v : values) all.push_back(static_cast<Real>(v));
  return all;
}

/// Outputs of strength_and_energy().
template <class Real>
std::vector<Real> outputs(const TypedLaw& typed, const std::vector<double>& inputs) {
  return typed.law->strength_and_energy().run<Real>(converted<Real>(inputs),
                                                    converted<Real>(typed.law->uniforms(typed.values)));
}

template <class Real>
struct PairResult {
  Real energy, force;
};
/// The force is -dE/dr.
template <class Real>
PairResult<Real> pair_at(const TypedLaw& typed, const PairPoint& p) {
  const std::vector<Real> results = outputs<Real>(typed, {p.r * p.r, p.mi, p.mj, p.ri, p.rj, p.qi, p.qj});
  Real strength = results[0];
  if (typed.law->weighs_masses()) {
    strength *=
        static_cast<Real>(typed.law->uniforms(typed.values)[0]) * static_cast<Real>(p.mi) * static_cast<Real>(p.mj);
  }
  return {results[1], -strength * static_cast<Real>(p.r)};
}

}  // namespace tri::expression::test

// Map files for tests.

namespace tri::test {

/// A map of pairs, triples or the gasket from its launch and its tile.
inline std::string map_text(const std::string& domain, const std::string& launch, const std::string& tile,
                            const std::string& more = "") {
  static int number = 0;
  return "name = \"test-" + std::to_string(++number) + "\"\ndomain = \"" + domain + "\"\nlaunch = " + launch + "\n" +
         more + "\ntile = \"\"\"\n" + tile + "\n\"\"\"\n";
}

inline std::shared_ptr<const mapfile::MapFile> map_of(const std::string& domain, const std::string& launch,
                                                      const std::string& tile, const std::string& more = "") {
  return mapfile::MapFile::from_text(map_text(domain, launch, tile, more), "test.toml");
}

// Programs that walk over all positions of maps, whose C++ text is compiled with the compiler of this build.
// The target defines TRI_COMPILER and TRI_SOURCES, the folder of the project.

struct MapAt {
  std::shared_ptr<const mapfile::MapFile> map;
  u32 side;
};

/// A map in a program: its class, and the statements that fill an object `map` of it.
struct MapInProgram {
  std::string definition, type, fill;
};

/// A program that prints, for the cases in turn, the side and `ROW COLUMN LAYER` or `idle` for each position;
/// in_program(k, case) gives the text of a case.
template <class F>
std::string map_program(const std::vector<MapAt>& cases, F&& in_program) {
  std::string text =
      "#include <cstdio>\n#include <cstring>\n#include \"sim/maps/gasket_base.hpp\"\n"
      "#include \"sim/maps/integer_math.hpp\"\n#include \"sim/maps/map_concepts.hpp\"\n"
      "#include \"sim/maps/tetra_base.hpp\"\n#include \"sim/maps/triangle_base.hpp\"\n";
  text += R"(
static void put(tri::Tile2 t) { std::printf("%u %u 0\n", t.row, t.col); }
static void put(tri::Tile3 t) { std::printf("%u %u %u\n", t.y, t.x, t.z); }
static void put(tri::CellTile t) { std::printf("%u %u 0\n", t.y, t.x); }
template <class M> void walk(const M& map, const tri::Launch* launches, tri::u32 count) {
  std::printf("side %u\n", map.side());
  for (tri::u32 k = 0; k < count; ++k) {
    const tri::Launch& g = launches[k];
    for (tri::u32 z = 0; z < g.z; ++z)
      for (tri::u32 y = 0; y < g.y; ++y)
        for (tri::u64 x = 0; x < g.x; ++x) {
          auto tiles = map.begin(tri::Position{x, y, z, g.pass});
          if (tiles.valid()) put(tiles.tile()); else std::printf("idle\n");
        }
  }
}
)";
  std::string main = "int main() {\n";
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto [map, side] = cases[k];
    const MapInProgram in = in_program(k, cases[k]);
    text += in.definition;
    const std::string shape = map->info().domain == Domain::gasket ? std::to_string(std::countr_zero(side))
                                                                   : std::to_string(side) + ", tri::Diagonal::with";
    std::string launches;
    u32 passes = 0;
    const auto at = map->at(side);
    for (const Launch& g : at->launches()) {
      launches += "{" + std::to_string(g.x) + ", " + std::to_string(g.y) + ", " + std::to_string(g.z) + ", " +
                  std::to_string(g.pass) + "}, ";
      ++passes;
    }
    main += "  {\n    " + in.type + " map(" + shape + ");\n" + in.fill + "    const tri::Launch launches[] = {" +
            launches + "};\n    walk(map, launches, " + std::to_string(passes) + ");\n  }\n";
  }
  return text + main + "}\n";
}

/// What that program has to print, by the bytecode.
inline std::string answers_of(const std::vector<MapAt>& cases) {
  std::string text;
  for (const MapAt& c : cases) {
    text += "side " + std::to_string(c.side) + "\n";
    mapfile::for_each_answer(*c.map, c.side, [&](const mapfile::MetAt& met, bool idle, bool fault) {
      EXPECT_FALSE(fault);
      text += idle ? "idle\n"
                   : std::to_string(met.tile.row) + " " + std::to_string(met.tile.col) + " " +
                         std::to_string(met.tile.layer) + "\n";
      return true;
    });
  }
  return text;
}

/// What the compiled program prints; fails the test when it does not compile, by default without a warning.
inline std::string output_of(const std::string& program, const std::string& warnings = "-Wall -Wextra -Werror") {
  const TempFolder folder;
  const std::string source = folder.file("map.cpp", program), made = folder.at("map");
  const std::string compile = std::string(TRI_COMPILER) + " -std=c++20 -O1 " + warnings + " -I" TRI_SOURCES " " +
                              source + " -o " + made + " 2>&1 && " + made;
  std::FILE* pipe = popen(compile.c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, size);
  EXPECT_EQ(pclose(pipe), 0) << text.substr(0, 2000);
  return text;
}

/// Names the first line that differs; EXPECT_EQ of such long texts compares them for minutes.
inline void expect_same_lines(const std::string& got, const std::string& want) {
  std::istringstream answers(got), right(want);
  std::string answer, line;
  for (int number = 1, map = 0; std::getline(right, line); ++number) {
    if (!std::getline(answers, answer)) answer = "(the end)";
    map += line.rfind("side", 0) == 0;
    ASSERT_EQ(answer, line) << "in line " << number << ", of map " << map;
  }
  EXPECT_FALSE(std::getline(answers, answer)) << answer;
}

// Typed laws for the tests of their kernels: one of each kind.

struct NamedLaw {
  std::string name, text;
};

inline expression::TypedLaw pair_law(const std::string& text) {
  return expression::typed_law(text, expression::Over::pairs);
}

inline const char* const kTypedGravity = "energy = -G*mi*mj/sqrt(r^2 + soft^2); G = 2.5; soft = 0.05";
inline const char* const kTypedSoftGravity = "energy = -G*mi*mj/r; G = 2.5; softening = 0.05";
inline const char* const kTypedLennardJones = "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1";
inline const char* const kTypedCut = "energy = 4*eps*((s/r)^12 - (s/r)^6); eps = 1; s = 1; cutoff = 2.5; shifted = 1";

/// Without parameters of the box; every column of a body, every way to vanish far away.
inline std::vector<NamedLaw> typed_laws() {
  return {{"gravity", kTypedGravity},
          {"soft_gravity", kTypedSoftGravity},
          {"lennard_jones", kTypedLennardJones},
          {"lennard_jones_cut", kTypedCut},
          {"morse", "energy = D*((1 - exp(-a*(r - r0)))^2 - 1); D = 1.3; a = 1.5; r0 = 1.2"},
          {"yukawa", "energy = k*qi*qj*exp(-r/L)/r; k = 0.7; L = 1.5; softening = 0.1"},
          {"logarithm", "energy = k*(mi + mj)*log(r^2 + 0.01); k = 0.3"},
          {"soft_spheres", "energy = 0.5*k*max(0, ri + rj - r)^2; k = 100; softening = 0.01"},
          {"spring", "energy = 0.5*k*r^2; k = 0.01"}};
}

inline expression::TypedLaw triple_law(const std::string& text) {
  return expression::typed_law(text, expression::Over::triples);
}

inline const char* const kTypedAxilrodTeller =
    "energy = nu*(1 + 3*x*y*z/(8*a^2*b^2*c^2))/(a*b*c)^3; x = a^2+b^2-c^2; y = b^2+c^2-a^2; z = c^2+a^2-b^2; nu = "
    "0.072";
/// Of no single power of the distance.
inline const char* const kTypedTriples = "energy = k*exp(-(a + b + c)/L)/(a*b*c + 0.1); k = 2; L = 3";

}  // namespace tri::test
