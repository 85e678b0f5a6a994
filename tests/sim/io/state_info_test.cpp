/// What files say of bodies beside them: units, species, a periodic cell; and the elements.

#include <initializer_list>
#include <set>
#include <tuple>

#include "sim/io/elements.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

Bodies some_atoms() {
  Bodies b;
  b.add(0.1, 0, -0.3, 1.5, -0.25, 0.7, 39.948);
  b.add(1.7, 2, 0.9, -1, 0.5, 0, 1.008);
  b.add(3, 0.2, 1, 0, 0, 0, 5);
  b.species = {18, 1, 0};
  return b;
}

TEST(StateInfo, FormatsKeepTheUnitsOrSaySo) {
  TempFolder folder;
  for (const char* name : {"a.csv", "a.tab", "a.hdf5", "a.xyz", "a.ply", "a.npy", "a.vtp", "a.tipsy-64"}) {
    SCOPED_TRACE(name);
    const std::string path = folder.at(name);
    Bodies b = some_atoms();
    StateInfo state;
    state.units = "angstrom-ps-amu";
    std::string lost;
    for (const std::string& note : make_storable(path, b, state)) lost += note;
    write_bodies(path, b, state);
    ReadReport reading;
    expect_same_bodies(read_bodies(path, reading), b);
    EXPECT_TRUE(reading.notes.empty() || std::string(name) == "a.tipsy-64");
    const bool keeps = reading.units == find_unit_system("angstrom-ps-amu");
    EXPECT_EQ(keeps, lost.find("the units; dropped") == std::string::npos) << lost;
    const std::string text = name;
    EXPECT_EQ(keeps, text != "a.npy" && text != "a.vtp" && text != "a.tipsy-64");

    state.units = "G = 1, in words";
    write_bodies(path, b, state);
    reading = {};
    read_bodies(path, reading);
    EXPECT_EQ(reading.units, nullptr);
  }
}

TEST(StateInfo, CsvWithoutASystemIsAsBefore) {
  TempFolder folder;
  write_bodies(folder.at("a.csv"), some_atoms());
  EXPECT_EQ(content_of(folder.at("a.csv")).find("x,y,z,m,r,vx,vy,vz\n"), 0u);
}

TEST(StateInfo, SpeciesStayInXyzAndHdf5) {
  TempFolder folder;
  for (const char* name : {"a.extxyz", "a.hdf5"}) {
    write_bodies(folder.at(name), some_atoms());
    EXPECT_EQ(read_bodies(folder.at(name)).species, some_atoms().species) << name;
  }
  Bodies b = some_atoms();
  const Notes notes = make_storable(folder.at("a.csv"), b, {});
  ASSERT_EQ(notes.size(), 1u);
  expect_parts(notes[0], {"csv does not store species"});
  EXPECT_TRUE(b.species.empty());
  EXPECT_EQ(content_of(folder.at("a.extxyz")).find("\nAr 0.1"), content_of(folder.at("a.extxyz")).find("\nAr"));
}

// By the names that people and ASE use; a column of another length or without a name of these is left out with a note.
TEST(StateInfo, ChargesAreReadByTheirNames) {
  TempFolder folder;
  const std::vector<double> expected{-1.5, 2};
  EXPECT_EQ(read_bodies(folder.file("a.csv", "x,y,z,q\n0,0,0,-1.5\n1,0,0,2\n")).q, expected);
  EXPECT_EQ(read_bodies(folder.file("b.csv", "Charge,x,y,z,group\n-1.5,0,0,0,1\n2,1,0,0,1\n")).q, expected);
  for (const char* name : {"charge", "q", "initial_charges"}) {
    const std::string head = std::string("2\nProperties=pos:R:3:") + name + ":R:1\n";
    EXPECT_EQ(read_bodies(folder.file("a.xyz", head + "0 0 0 -1.5\n1 0 0 2\n")).q, expected) << name;
  }
  expect_rejected(folder.file("c.csv", "x,y,z,q\n0,0,0,nan\n"), {"line 2, column 4 (q)"},
                  [](const auto& path) { read_bodies(path); });
  expect_rejected(folder.file("d.csv", "x,y,z,q,charge\n0,0,0,1,1\n"), {"column 5 (q)", "has that name already"},
                  [](const auto& path) { read_bodies(path); });
  write_bodies(folder.at("plain.ply"), some_atoms());
  EXPECT_TRUE(read_bodies(folder.at("plain.ply")).q.empty());
}

TEST(StateInfo, APeriodicCellStaysInXyz) {
  TempFolder folder;
  StateInfo state;
  state.box = {{-1, 0, 0.1}, {3, 5, 7.3}, Boundary::periodic};
  write_bodies(folder.at("a.xyz"), some_atoms(), state);
  ReadReport reading;
  read_bodies(folder.at("a.xyz"), reading);
  ASSERT_TRUE(reading.box.has_value());
  EXPECT_EQ(reading.box->low, state.box.low);
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(reading.box->high[axis], state.box.high[axis], 1e-14);
  EXPECT_EQ(reading.box->boundary, Boundary::periodic);
  Bodies b = some_atoms();
  EXPECT_TRUE(make_storable(folder.at("a.xyz"), b, state).empty());
  b.species.clear();
  expect_parts(make_storable(folder.at("a.vtp"), b, state).at(0), {"the periodic box"});
}

TEST(StateInfo, CellsOfXyz) {
  TempFolder folder;
  const auto box_of = [&](const std::string& keys) {
    ReadReport reading;
    read_bodies(folder.file("a.xyz", "1\nProperties=species:S:1:pos:R:3 " + keys + "\nAr 1 2 3\n"), reading);
    return reading.box;
  };
  EXPECT_FALSE(box_of("").has_value());
  EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\"")->boundary, Boundary::periodic);
  EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\" pbc=\"F F F\"")->boundary, Boundary::open);
  EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\"")->high, (std::array<double, 3>{9, 8, 7}));
  EXPECT_FALSE(box_of("Lattice=\"9 1 0 0 8 0 0 0 7\"").has_value()) << "a slanted cell is no box";
  EXPECT_FALSE(box_of("Lattice=\"9 0 0 0 0 0 0 0 7\"").has_value());
  for (const char* pbc : {"pbc=\"1 1 1\"", "pbc=[T, T, T]", "pbc='true true true'", "PBC = T", "Lattice"}) {
    EXPECT_EQ(box_of("Lattice=\"9 0 0 0 8 0 0 0 7\" " + std::string(pbc))->boundary, Boundary::periodic) << pbc;
  }
  EXPECT_EQ(box_of("Lattice=[[9, 0, 0], [0, 8, 0], [0, 0, 7]] pbc=[F,F,F]")->boundary, Boundary::open);
  EXPECT_EQ(box_of("Lattice=\"0 9 0 0 0 8 -7 0 0\"")->low, (std::array<double, 3>{-7, 0, 0})) << "by axes";
  EXPECT_FALSE(box_of("note=\"Lattice=1 pbc=T\"").has_value()) << "in quotes";
  for (const char* no : {"Lattice=\"9 0 0 0 x 0 0 0 7\"", "Lattice=\"9 0 0\" pbc=\"T T\"", "pbc=\"T T 2\""}) {
    EXPECT_NE(message_of<FileError>([&] { box_of(no); }).find("line 2"), std::string::npos) << no;
  }
}

TEST(StateInfo, MassesFollowFromSpecies) {
  TempFolder folder;
  const auto read = [&](const std::string& properties, const std::string& row) {
    return read_bodies(folder.file("a.xyz", "1\nProperties=" + properties + "\n" + row + "\n"));
  };
  EXPECT_EQ(read("species:S:1:pos:R:3", "Ar 1 2 3").m[0], 39.948);
  EXPECT_EQ(read("species:S:1:pos:R:3:masses:R:1", "Ar 1 2 3 7").m[0], 7);
  EXPECT_EQ(read("species:S:1:pos:R:3", "X 1 2 3").m[0], 1);
  for (const auto& [label, number, mass] :
       std::initializer_list<std::tuple<const char*, u8, double>>{{"D", 1, 2.01410177784},
                                                                  {"T", 1, 3.01604928132},
                                                                  {"CL", 17, 35.45},
                                                                  {"Ar1", 18, 39.948},
                                                                  {"C_a", 6, 12.011},
                                                                  {"Fe2+", 26, 55.845}}) {
    const Bodies b = read("species:S:1:pos:R:3", std::string(label) + " 1 2 3");
    EXPECT_EQ(b.m[0], mass) << label;
    EXPECT_EQ(b.species, std::vector<u8>{number}) << label;
  }
  EXPECT_TRUE(read("species:S:1:pos:R:3", "X 1 2 3").species.empty());
  EXPECT_EQ(read("pos:R:3:momenta:R:3:species:S:1", "1 2 3 4 0 0 He").vx[0], 4 / 4.002602);
  const auto refusal = [&](const std::string& properties, const std::string& row) {
    return message_of<FileError>([&] { read(properties, row); });
  };
  expect_parts(refusal("species:S:1:pos:R:3", "Tc 1 2 3"), {"line 3", "Tc", "no standard atomic weight", "masses:R:1"});
  expect_parts(refusal("species:S:1:pos:R:3:momenta:R:3", "X 1 2 3 4 5 6"), {"line 3", "momenta", "masses:R:1"});
}

TEST(StateInfo, MomentaForAseInAngstroms) {
  TempFolder folder;
  StateInfo state;
  state.units = "angstrom-ps-amu";
  write_bodies(folder.at("a.xyz"), some_atoms(), state);
  std::string text = content_of(folder.at("a.xyz"));
  EXPECT_NE(text.find(":momenta:R:3 Time=0 units=angstrom-ps-amu\n"), std::string::npos) << text;
  // Without velo, as ASE writes it: momenta over masses are in Angstrom / (10.18 fs).
  ReadReport reading;
  text.replace(text.find(":velo:"), 6, ":old:"), text.replace(text.find("units="), 6, "was=");
  EXPECT_NEAR(read_bodies(folder.file("b.xyz", text), reading).vx[0], 1.5 * 0.010180505710759416, 1e-15);
}

TEST(Elements, AreThoseOfThePeriodicTable) {
  std::set<std::string_view> symbols;
  for (u32 element = 1; element <= io::kElements; ++element) {
    const std::string_view symbol = io::symbol_of(element);
    EXPECT_EQ(io::element_of(symbol), element);
    symbols.insert(symbol);
  }
  EXPECT_EQ(symbols.size(), 118u);
  EXPECT_EQ(io::element_of("X"), 0u);
  EXPECT_EQ(io::element_of("ar"), 0u);
  EXPECT_EQ(io::element_of("Og"), 118u);
  // Weights rise with the number but for the four known pairs (Ar K, Co Ni, Te I, Th Pa).
  u32 falls = 0;
  double before = 0;
  for (u32 element = 1; element <= 92; ++element) {
    const double weight = io::weight_of(element);
    if (weight == 0) continue;
    falls += weight < before;
    before = weight;
  }
  EXPECT_EQ(falls, 4u);
  EXPECT_EQ(io::weight_of(io::element_of("C")), 12.011);
  EXPECT_EQ(io::weight_of(io::element_of("U")), 238.02891);
  EXPECT_EQ(io::weight_of(io::element_of("Tc")), 0);
  EXPECT_EQ(io::weight_of(0), 0);
}

}  // namespace
}  // namespace tri::test
