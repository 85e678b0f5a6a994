// Files of other programs: what is in them, and what it means.
//
// Files written by the libraries of other programs (tests/data/foreign): the same three bodies in each.

#include <cmath>
#include <cstring>
#include <optional>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

struct ForeignFile {
  const char* name;
  bool sizes;  ///< with radii and groups
  std::optional<double> time;
};

void PrintTo(const ForeignFile& file, std::ostream* out) { *out << file.name; }

class Foreign : public testing::TestWithParam<ForeignFile> {};

TEST_P(Foreign, HoldsTheThreeBodies) {
  const ForeignFile& file = GetParam();
  Bodies want;
  want.add(0.5, -1.25, 3.0, 0.25, 0.0, -0.5, 1.0);
  want.add(8.0, 0.0, -0.125, -1.0, 2.0, 0.75, 2.0);
  want.add(-2.5, 4.75, 1.0, 3.5, -0.25, 1.5, 0.5);
  if (file.sizes) want.r = {0.25, 0.5, 0.125}, want.group = {0, 7, 7};
  ReadReport reading;
  const std::string folder = TRI_TEST_DATA "/foreign/";
  const Bodies got = read_bodies(folder + file.name, reading);
  ASSERT_EQ(got.size(), want.size());
  expect_same_bodies(got, want);
  EXPECT_EQ(got.group, want.group);
  EXPECT_EQ(reading.time, file.time);
  if (std::string(file.name) != "ase.extxyz") return;
  EXPECT_EQ(got.species, (std::vector<u8>{18, 18, 18}));
  ASSERT_TRUE(reading.box.has_value());
  EXPECT_EQ(reading.box->high, (std::array<double, 3>{9, 9, 9}));
  EXPECT_EQ(reading.box->boundary, Boundary::periodic);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Foreign,
    testing::Values(ForeignFile{"h5py_big_endian.hdf5", true, 1.5}, ForeignFile{"h5py_gzip_shuffle.hdf5", true, 1.5},
                    ForeignFile{"vtk_ascii.vtp", true, {}}, ForeignFile{"vtk_binary_big_endian.vtp", true, {}},
                    ForeignFile{"vtk_appended_base64.vtp", true, {}}, ForeignFile{"plyfile_big_endian.ply", true, {}},
                    ForeignFile{"vtk_zlib_default.vtp", true, {}}, ForeignFile{"vtk_zlib_raw_blocks.vtp", true, {}},
                    ForeignFile{"vtk_zlib_binary.vtp", true, {}}, ForeignFile{"plyfile_text.ply", true, {}},
                    ForeignFile{"ase.extxyz", true, {}}, ForeignFile{"pynbody.tipsy", false, 0.0},
                    ForeignFile{"numpy_float32.npy", false, {}},
                    ForeignFile{"numpy_transposed_big_endian.npy", false, {}},
                    ForeignFile{"numpy_savetxt.tab", false, {}}));

// What files of other programs mean: their columns, units, cells and universes (issue of the second sweep).

/// Attributes of a group of an HDF5 file, which is made if it is not there; a text where there is one.
struct Attribute {
  const char *group, *name;
  double value;
  const char* text = nullptr;
  std::vector<double> row{};  ///< in place of value
  bool variable = false;      ///< the text, as h5py writes it
};

/// Two bodies as another program writes them: without what this one says of itself.
std::string gadget_with(TempFolder& folder, const std::vector<Attribute>& attributes, bool ids = false) {
  const std::string path = folder.at("g.hdf5");
  Bodies b;
  b.add(0.5, 0.5, 0.5, 0, 0, 0, 1), b.add(10, 0.5, 0.5, 0, 0.1, 0, 1);
  write_bodies(path, b);
  const hid_t f = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* own : {"Boundary", "HubbleParam", "Omega0"}) H5Adelete_by_name(f, "/Header", own, H5P_DEFAULT);
  for (const Attribute& a : attributes) {
    if (H5Lexists(f, a.group, H5P_DEFAULT) <= 0) {
      H5Gclose(H5Gcreate2(f, a.group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    const hid_t group = H5Gopen2(f, a.group, H5P_DEFAULT);
    const hsize_t size = a.row.size();
    const hid_t space = a.row.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr);
    if (H5Aexists(group, a.name) > 0) H5Adelete(group, a.name);
    const hid_t type = a.text == nullptr ? H5Tcopy(H5T_NATIVE_DOUBLE) : H5Tcopy(H5T_C_S1);
    if (a.text != nullptr) H5Tset_size(type, a.variable ? H5T_VARIABLE : std::string(a.text).size() + 1);
    const void* values = a.row.empty() ? &a.value : a.row.data();
    const hid_t to = H5Acreate2(group, a.name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(to, type,
                       a.text == nullptr ? values
                       : a.variable      ? &a.text
                                         : static_cast<const void*>(a.text)),
              0);
    H5Aclose(to), H5Tclose(type), H5Sclose(space), H5Gclose(group);
  }
  if (ids) {
    const hid_t set = H5Dopen2(f, "/PartType1/ParticleIDs", H5P_DEFAULT);
    const std::array<u32, 2> values{7, 3};
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(set);
  }
  H5Fclose(f);
  return path;
}

std::string all(const Notes& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

TEST(ForeignGadget, UnitsOfTheHeaderSetG) {
  TempFolder folder;
  const double kpc = 3.085678e21, mass = 1.989e43;
  const std::vector<std::vector<Attribute>> spellings{{{"/Header", "UnitLength_in_cm", kpc},
                                                       {"/Header", "UnitMass_in_g", mass},
                                                       {"/Header", "UnitVelocity_in_cm_per_s", 1e5}},
                                                      {{"/Parameters", "UnitLength_in_cm", kpc},
                                                       {"/Parameters", "UnitMass_in_g", mass},
                                                       {"/Parameters", "UnitVelocity_in_cm_per_s", 1e5}},
                                                      {{"/Header", "UnitLength_In_CGS", kpc},
                                                       {"/Header", "UnitMass_In_CGS", mass},
                                                       {"/Header", "UnitVelocity_In_CGS", 1e5}},
                                                      {{"/Units", "Unit length in cgs (U_L)", kpc},
                                                       {"/Units", "Unit mass in cgs (U_M)", mass},
                                                       {"/Units", "Unit time in cgs (U_t)", kpc / 1e5}}};
  for (const auto& attributes : spellings) {
    ReadReport reading;
    read_bodies(gadget_with(folder, attributes), reading);
    ASSERT_NE(reading.units, nullptr) << attributes[0].name;
    EXPECT_NEAR(reading.units->G, 43021.93, 0.2) << attributes[0].name;
  }
  // Over h, lengths and masses change alike, and G does not.
  auto over_h = spellings[0];
  over_h.push_back({"/Header", "HubbleParam", 0.7});
  ReadReport reading;
  read_bodies(gadget_with(folder, over_h), reading);
  EXPECT_NEAR(reading.units->metre, kpc / 70, 1e6);
  EXPECT_NEAR(reading.units->G, 43021.93, 0.2);
  expect_parts(all(reading.notes), {"HubbleParam = 0.7", "over h"});
  over_h.back() = {"/Parameters", "HubbleParam", 0.7};  // as GADGET-4 has it
  reading = {};
  read_bodies(gadget_with(folder, over_h), reading);
  EXPECT_NEAR(reading.units->metre, kpc / 70, 1e6);
  over_h.push_back({"/Header", "HubbleParam", 0.68});
  expect_parts(message_of<FileError>([&] { read_bodies(gadget_with(folder, over_h)); }),
               {"/Parameters", "HubbleParam = 0.7", "Header has 0.68"});
  expect_parts(message_of<FileError>([&] { read_bodies(gadget_with(folder, {spellings[0][0]})); }),
               {"/Header", "no UnitMass_in_g above 0"});
  auto two = spellings[2];
  two.insert(two.end(), spellings[1].begin(), spellings[1].end());
  EXPECT_NO_THROW(read_bodies(gadget_with(folder, two))) << "the same twice";
  for (const Attribute& other : {Attribute{"/Header", "UnitMass_In_CGS", 7}, {"/Header", "UnitSystem", 0, "si"}}) {
    two.push_back(other);
    expect_parts(message_of<FileError>([&] { read_bodies(gadget_with(folder, two)); }), {"two systems of units"});
    two.pop_back();
  }
  reading = {};
  read_bodies(gadget_with(folder, {}), reading);
  expect_parts(all(reading.notes), {"names no units", "G is 1"});
}

TEST(ForeignGadget, TheGOfTheRunCountsBeforeThatOfTheUnits) {
  TempFolder folder;
  const std::vector<Attribute> units{
      {"/Header", "UnitLength_in_cm", 1}, {"/Header", "UnitMass_in_g", 1}, {"/Header", "UnitVelocity_in_cm_per_s", 1}};
  const auto with = [&](const Attribute& says) {
    std::vector<Attribute> attributes = units;
    attributes.push_back(says);
    ReadReport reading;
    read_bodies(gadget_with(folder, attributes), reading);
    return reading;
  };
  for (const Attribute& one : {Attribute{"/Parameters", "GravityConstantInternal", 1},
                               Attribute{"/Header", "Gravitational_Constant_In_Code_Inits", 1},
                               Attribute{"/Parameters", "PhysicalConstants:G", 0, "1.0"}}) {
    const ReadReport reading = with(one);
    EXPECT_EQ(reading.units, nullptr) << one.name;
    expect_parts(all(reading.notes), {"computed with G = 1", "6.6743e-08", "are not used"});
  }
  const ReadReport other = with({"/Parameters", "GravityConstantInternal", 2});
  ASSERT_NE(other.units, nullptr);
  expect_parts(all(other.notes), {"computed with G = 2", "6.6743e-08 unless you give another"});
  EXPECT_NE(with({"/Parameters", "GravityConstantInternal", 0}).units, nullptr);
}

TEST(ForeignGadget, MassesAndCountsBesideTheHeaderAreSaid) {
  TempFolder folder;
  expect_parts(message_of<FileError>([&] {
                 read_bodies(gadget_with(folder, {{"/Header", "NumPart_Total", 0, nullptr, {0, 4, 0, 0, 0, 0}}}));
               }),
               {"/Header", "4 particles of type 1", "2 in this file", "join"});
  expect_parts(message_of<FileError>([&] {
                 const Attribute high{"/Header", "NumPart_Total_HighWord", 0, nullptr, {0, 1, 0, 0, 0, 0}};
                 read_bodies(gadget_with(folder, {high}));
               }),
               {"/Header", "4294967298 particles of type 1", "2 in this file", "join"});
  Notes notes;
  read_bodies(gadget_with(folder, {{"/Header", "MassTable", 0, nullptr, {0, 5, 0, 0, 0, 0}}}), &notes);
  expect_parts(all(notes), {"/PartType1/Masses", "MassTable", "another, 5"});
}

TEST(ForeignGadget, AStretchedBoxIsNoCube) {
  TempFolder folder;
  ReadReport reading;
  const std::string path =
      gadget_with(folder, {{"/Header", "BoxSize", 50}, {"/Config", "PERIODIC", 0, ""}, {"/Config", "LONG_X", 2}});
  read_bodies(path, reading);
  expect_parts(message_of<FileError>([&] { box_of(path, reading); }), {"stretched", "LONG_X"});
}

TEST(ForeignGadget, AnExpandingUniverseIsRefused) {
  TempFolder folder;
  const std::vector<std::vector<Attribute>> comoving{{{"/Header", "Redshift", 1}},
                                                     {{"/Header", "Time", 1}, {"/Header", "Omega0", 0.3}},
                                                     {{"/Parameters", "ComovingIntegrationOn", 1}},
                                                     {{"/Cosmology", "Cosmological run", 1}},
                                                     {{"/Header", "Scale-factor", 0.5}},
                                                     {{"/Header", "Time", 1}, {"/Parameters", "Omega0", 0.3}}};
  for (const auto& attributes : comoving) {
    const std::string path = gadget_with(folder, attributes);
    expect_parts(message_of<FileError>([&] { read_bodies(path); }),
                 {"/Header", "expanding universe", "physical_units"});
    EXPECT_THROW(read_points(path), FileError);
  }
}

TEST(ForeignGadget, ThePeriodicBoxIsThatOfTheFile) {
  TempFolder folder;
  const auto read = [&](const std::vector<Attribute>& attributes) {
    ReadReport reading;
    read_bodies(gadget_with(folder, attributes), reading);
    return reading;
  };
  const Attribute side{"/Header", "BoxSize", 50};
  EXPECT_FALSE(read({}).box) << "a BoxSize of our own is made up";
  const ReadReport unsaid = read({side});
  EXPECT_FALSE(unsaid.box);
  expect_parts(all(unsaid.notes), {"BoxSize = 50", "does not say whether its box is periodic", "open space"});
  for (const Attribute& says :
       {Attribute{"/Parameters", "InitialConditions:periodic", 0, "1"}, Attribute{"/Config", "PERIODIC", 0, ""}}) {
    const ReadReport periodic = read({side, says});
    ASSERT_TRUE(periodic.box) << says.name;
    EXPECT_EQ(periodic.box->high, (std::array<double, 3>{50, 50, 50}));
    EXPECT_EQ(periodic.box->boundary, Boundary::periodic);
  }
  EXPECT_TRUE(read({side, {"/Parameters", "InitialConditions:periodic", 0, "1", {}, true}}).box);
  EXPECT_TRUE(read({side, {"/Parameters", "InitialConditions:periodic", 1}}).box);
  const ReadReport named = read({{"/Header", "UnitSystem", 0, "si", {}, true}});
  ASSERT_NE(named.units, nullptr) << "a text of h5py";
  EXPECT_EQ(named.units->name, std::string("si"));
  EXPECT_FALSE(read({side, {"/Parameters", "InitialConditions:periodic", 0, "0"}}).box);
  for (const std::vector<double>& sides : {std::vector<double>{10, 20, 0}, {0, 20, 20}, {10, 20}, {-1}, {NAN}}) {
    const Attribute box{"/Header", "BoxSize", 0, nullptr, sides}, says{"/Config", "PERIODIC", 0, ""};
    expect_parts(message_of<FileError>([&] { read({box, says}); }), {"/Header", "BoxSize", "no periodic box"});
  }
  // Our own: kept with its corners.
  StateInfo state;
  state.box = {{-1, 0, 0}, {3, 5, 7}, Boundary::periodic};
  Bodies b;
  b.add(0, 1, 2, 0, 0, 0, 1);
  write_bodies(folder.at("own.h5"), b, state);
  ReadReport own;
  read_bodies(folder.at("own.h5"), own);
  ASSERT_TRUE(own.box);
  EXPECT_EQ(own.box->low, state.box.low);
  EXPECT_EQ(own.box->high, state.box.high);
  EXPECT_TRUE(own.notes.empty()) << all(own.notes);
}

TEST(ForeignGadget, NumbersOfTheHeaderThatAreNoneAreSaid) {
  TempFolder folder;
  for (const double no : {std::nan(""), HUGE_VAL}) {
    ReadReport reading;
    read_bodies(gadget_with(folder, {{"/Header", "Time", no}}), reading);
    EXPECT_FALSE(reading.time);
    expect_parts(all(reading.notes), {"the time ", "is not one finite number"});
    for (const Attribute& one : {Attribute{"/Header", "Redshift", no},
                                 {"/Header", "HubbleParam", no},
                                 {"/Header", "UnitLength_in_cm", no},
                                 {"/Parameters", "ComovingIntegrationOn", no},
                                 {"/Parameters", "GravityConstantInternal", no},
                                 {"/Parameters", "PhysicalConstants:G", 0, "nan"},
                                 {"/Header", "HubbleParam", 0, nullptr, {1, 0.7}}}) {
      expect_parts(message_of<FileError>([&] { read_bodies(gadget_with(folder, {one})); }),
                   {one.group, one.name, "finite"});
    }
  }
}

TEST(ForeignGadget, TwoDatasetsOfMassesAreRefused) {
  TempFolder folder;
  const std::string path = gadget_with(folder, {});
  const hid_t f = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  EXPECT_GE(H5Lcreate_hard(f, "/PartType1/Masses", f, "/PartType1/Mass", H5P_DEFAULT, H5P_DEFAULT), 0);
  H5Fclose(f);
  expect_parts(message_of<FileError>([&] { read_bodies(path); }), {"Masses and Mass", "remove one"});
}

TEST(ForeignGadget, LostIdsAreSaid) {
  TempFolder folder;
  Notes notes;
  read_bodies(gadget_with(folder, {}, true), &notes);
  expect_parts(all(notes), {"/PartType1/ParticleIDs is not kept"});
}

TEST(ForeignXyz, ColumnsOfOneLetterAreNotTaken) {
  TempFolder folder;
  Notes notes;
  const Bodies quip = read_bodies(folder.file("a.xyz",
                                              "2\nProperties=species:S:1:pos:R:3:Z:I:1:m:R:1:r:R:1:vx:R:1\n"
                                              "Ar 1 2 3 18 0.5 9 8\nH 4 5 6 1 -0.5 9 8\n"),
                                  &notes);
  EXPECT_EQ(quip.z, (std::vector<double>{3, 6}));
  EXPECT_EQ(quip.m, (std::vector<double>{39.948, 1.008}));
  EXPECT_EQ(quip.r, (std::vector<double>{0, 0}));
  EXPECT_EQ(quip.vx, (std::vector<double>{0, 0}));
  expect_parts(all(notes), {"the column m is not used", "the column r is not used", "the column vx is not used"});
  const Bodies numbers = read_bodies(folder.file("b.xyz", "1\nProperties=pos:R:3:Z:I:1\n1 2 3 18\n"));
  EXPECT_EQ(numbers.m[0], 39.948);
  EXPECT_EQ(numbers.species, std::vector<u8>{18});
  const auto no = [&](const std::string& text) {
    return message_of<FileError>([&] { read_bodies(folder.file("c.xyz", text)); });
  };
  expect_parts(no("1\nProperties=pos:R:3:Z:I:1\n1 2 3 119\n"), {"line 3, column 4", "not an atomic number"});
  expect_parts(no("2\nProperties=pos:R:3:Z:I:1\n1 2 3 18\n4 5 6 0\n"), {"species '0'", "masses:R:1"});
  expect_parts(no("1\nProperties=species:S:1:Z:I:1:pos:R:3\nAr 1 0 0 0\n"), {"line 3", "'Ar'", "atomic number 1"});
  for (const char* open : {"Lattice=\"15 15 105", "pbc=\"F F F", "Lattice=[9 9 9", "note='a pbc=T"}) {
    expect_parts(no("1\nProperties=pos:R:3 " + std::string(open) + "\n1 2 3\n"), {"line 2", "is not closed"});
  }
  expect_parts(no("1\nProperties=pos:R:3:mass:R:1:masses:R:1\n1 2 3 4 5\n"), {"line 2", "masses", "remove one"});
  expect_parts(no("1\nProperties=pos:R:3:pos:R:3\n1 2 3 4 5 6\n"), {"line 2", "remove one"});
  expect_parts(no("2\nProperties=species:S:1:pos:R:3\nAr 1 2 3\nOW 4 5 6\n"), {"species 'OW'", "masses:R:1"});
  notes.clear();
  EXPECT_EQ(read_bodies(folder.file("d.xyz", "1\nProperties=species:S:1:pos:R:3\nOW 1 2 3\n"), &notes).m[0], 1);
  expect_parts(all(notes), {"'OW' is no element", "every mass is 1"});
  notes.clear();
  EXPECT_EQ(read_bodies(folder.file("d.xyz", "1\nProperties=pos:R:3:type:I:1\n1 2 3 4\n"), &notes).m[0], 1);
  expect_parts(all(notes), {"no masses and no species", "every mass is 1"});
  for (const char* twice : {"Lattice=\"1 1 1\" Lattice=\"2 2 2\"", "time=1 Time=2", "pbc=T PBC=F"}) {
    expect_parts(no("1\nProperties=species:S:1:pos:R:3 " + std::string(twice) + "\nAr 1 2 3\n"), {"line 2", "twice"});
  }
  const std::pair<const char*, const char*> unread[] = {
      {"Properties=species:S:1:pos:R:3 time=\"1.5 ps\"", "time '1.5 ps' is no number"},
      {"Properties=species:S:1:pos:R:3 cell=\"9 9 9\"", "not as Lattice"},
      {"%PBC 9 9 9", "not as Lattice"},
      {"# CELL(abcABC): 9 9 9 90 90 90 Step: 0 positions{atomic_unit} cell{atomic_unit}", "not as Lattice"},
      {"# CELL(abcABC): 9 9 9 90 90 90 Step: 0 positions{atomic_unit} cell{atomic_unit}", "'positions{atomic_unit}'"},
      {"Properties=species:S:1:pos:R:3 length_units=bohr", "'length_units=bohr'"},
      {"Properties=species:S:1:pos:R:3 unit=bohr", "'unit=bohr'"}};
  for (const auto& [comment, said] : unread) {
    notes.clear();
    read_bodies(folder.file("u.xyz", "1\n" + std::string(comment) + "\nAr 1 2 3\n"), &notes);
    expect_parts(all(notes), {said});
  }
  notes.clear();
  read_bodies(folder.file("p.xyz", "1\nan excellent frame\nAr 1 2 3\n"), &notes);
  EXPECT_EQ(all(notes).find("Lattice"), std::string::npos);
  notes.clear();
  read_bodies(folder.file("e.xyz", "2\nProperties=species:S:1:pos:R:3\nD 1 2 3\nAR1 4 5 6\n"), &notes);
  expect_parts(all(notes), {"D is read as H of mass 2.0141", "AR1 is read as Ar"});
}

TEST(ForeignXyz, MomentaAreThoseOfAse) {
  TempFolder folder;
  const double ase = 98.226947;  // Angstrom / ps in the velocity of ASE
  const auto read = [&](const std::string& keys, const std::string& row, const char* asked = nullptr) {
    ReadReport reading;
    if (asked != nullptr) reading.asked = find_unit_system(asked);
    const Bodies b =
        read_bodies(folder.file("a.xyz", "1\nProperties=species:S:1:pos:R:3:" + keys + "\n" + row), reading);
    return std::pair(b.vx[0], std::string(reading.units == nullptr ? "" : reading.units->name));
  };
  const double v = 2 / 39.948;
  EXPECT_EQ(read("momenta:R:3", "Ar 1 2 3 2 0 0\n"), std::pair(v, std::string("angstrom-ev-amu")));
  EXPECT_NEAR(read("momenta:R:3 units=angstrom-ps-amu", "Ar 1 2 3 2 0 0\n").first, v * ase, 1e-6);
  EXPECT_NEAR(read("momenta:R:3", "Ar 1 2 3 2 0 0\n", "angstrom-ps-amu").first, v * ase, 1e-6);
  const std::string both = "velo:R:3:momenta:R:3 units=angstrom-ps-amu";
  EXPECT_NEAR(read(both, "Ar 1 2 3 1.5 0 0 2 0 0\n").first, v * ase, 1e-6) << "ASE changed the momenta";
  EXPECT_EQ(read(both, "Ar 1 2 3 1.5 0 0 0.61003590 0 0\n").first, 1.5) << "equal to its eight digits";
  EXPECT_THROW(read("momenta:R:3 units=nm-ps-amu", "Ar 1 2 3 2 0 0\n"), FileError);
  EXPECT_THROW(read("velo:R:3 units=si", "Ar 1 2 3 2 0 0\n", "nm-ps-amu"), ConfigError);
}

TEST(ForeignXyz, UnitsOfTheSizeOfAtomsAreWrittenInAngstrom) {
  TempFolder folder;
  Bodies b;
  b.add(0.24, 0, -0.5, 0.3, 0, 0, 39.948, 0.01);
  const StateInfo state{2, "nm-ps-amu", {{0, 0, 0}, {2.4, 3, 4}, Boundary::periodic}};
  expect_parts(all(make_storable(folder.at("a.extxyz"), b, state)), {"nm-ps-amu are written in angstrom-ps-amu"});
  write_bodies(folder.at("a.extxyz"), b, state);
  ReadReport reading;
  const Bodies back = read_bodies(folder.at("a.extxyz"), reading);
  EXPECT_NEAR(back.x[0], 2.4, 1e-15);
  EXPECT_NEAR(back.vx[0], 3, 1e-15);
  EXPECT_NEAR(back.r[0], 0.1, 1e-15);
  EXPECT_EQ(back.m[0], 39.948);
  EXPECT_EQ(reading.time, 2);
  EXPECT_EQ(reading.units, find_unit_system("angstrom-ps-amu"));
  EXPECT_EQ(reading.box->high, (std::array<double, 3>{24, 30, 40}));
}

TEST(ForeignUnits, UnknownNamesAreSaid) {
  TempFolder folder;
  const std::string ply =
      "ply\nformat ascii 1.0\ncomment units metal\nelement vertex 1\nproperty float x\n"
      "property float y\nproperty float z\nproperty float mass\nend_header\n1 2 3 4\n";
  const std::pair<const char*, std::string> files[]{
      {"a.csv", "# units: metal\nx,y,z,m\n1,2,3,4\n"},
      {"b.csv", "x,y,z,m\n1,2,3,4\n# Units = metal\n"},
      {"a.tab", "# units: metal\n1 2 3 4 5 6 7\n"},
      {"a.xyz", "1\nProperties=pos:R:3:masses:R:1 units=metal\n1 2 3 4\n"},
      {"a.ply", ply}};
  for (const auto& [name, text] : files) {
    ReadReport reading;
    read_bodies(folder.file(name, text), reading);
    expect_parts(all(reading.notes), {"names the units 'metal'", "set no G"});
    reading = {};
    reading.asked = find_unit_system("si");
    read_bodies(folder.at(name), reading);
    EXPECT_EQ(reading.units, find_unit_system("si"));
    EXPECT_TRUE(reading.notes.empty()) << all(reading.notes);
  }
  Notes notes;
  read_bodies(folder.file("near.csv", "# units: au-yr-sun\nx,y,z,m\n1,2,3,4\n"), &notes);
  expect_parts(all(notes), {"Did you mean 'au-yr-msun'?"});
  ReadReport reading;
  read_bodies(folder.file("own.csv", "# units: pc-myr-msun\nx,y,z,m\n1,2,3,4\n"), reading);
  EXPECT_NEAR(reading.units->G, 4.4985e-3, 1e-7);
  reading = {};
  read_bodies(folder.file("words.csv", "# units of length are kpc\nx,y,z,m\n1,2,3,4\n"), reading);
  EXPECT_TRUE(reading.notes.empty()) << "a sentence names none";
  const auto no = [&](const char* name, const std::string& text) {
    return message_of<FileError>([&] { read_bodies(folder.file(name, text)); });
  };
  expect_parts(no("two.tab", "# units: si\n# units: lj\n1 2 3 4 5 6 7\n"), {"two systems of units, si and lj"});
  expect_parts(no("two.csv", "# units: metal\n# units: si\nx,y,z\n1,2,3\n"), {"units, 'metal' and si"});
  expect_parts(no("two.csv", "# units: si\n# units m, kg, h\nx,y,z\n1,2,3\n"), {"units, si and 'm, kg, h'"});
  const std::string units = "1\nProperties=pos:R:3 energy_unit=eV length_unit=nm units=";
  expect_parts(no("two.xyz", units + "si\n1 2 3\n"), {"units, si and 'length_unit=nm'"});
  EXPECT_NO_THROW(read_bodies(folder.file("one.xyz", units + "nm-ps-amu\n1 2 3\n")));
  const auto timed = [&ply](const std::string& lines) { return std::string(ply).replace(21, 20, lines); };
  expect_parts(no("two.ply", timed("comment time 5\ncomment time 6\n")), {"line 4", "said twice"});
  read_bodies(folder.file("t.ply", timed("comment time of the year\ncomment time abc\n")), &notes);
  expect_parts(all(notes), {"'time abc' is no number"});
}

TEST(ForeignColumns, OneQuantityHasOneColumn) {
  TempFolder folder;
  const auto no = [&](const char* name, const std::string& text) {
    return message_of<FileError>([&] { read_points(folder.file(name, text)); });
  };
  expect_parts(no("a.csv", "a,b,a\n1,2,3\n"), {"line 1, column 3 (a)", "column 1 has that name already"});
  EXPECT_THROW(read_points(folder.at("a.csv"), {{"a"}}), FileError);
  expect_parts(no("b.csv", "x,y,z,X\n1,2,3,4\n"), {"line 1, column 4 (X)", "column 1 is x, too"});
  expect_parts(no("c.csv", "m,x,y,z,mass\n1,2,3,4,5\n"), {"line 1, column 5 (mass)", "column 1 is m, too"});
  EXPECT_EQ(read_points(folder.file("d.csv", "a,A\n1,2\n")).features, 2u) << "names of the user's own";
  const auto vtp = [](const std::string& names) {
    std::string text =
        "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"1\"><Points><DataArray "
        "type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">1 2 3</DataArray></Points><PointData>";
    return text + names + "</PointData></Piece></PolyData></VTKFile>";
  };
  const std::string array = "<DataArray type=\"Float64\" format=\"ascii\" ", three = "NumberOfComponents=\"3\" ";
  const std::string mass = array + "Name=\"mass\">4</DataArray>", m = array + "Name=\"m\">5</DataArray>";
  expect_parts(no("a.vtp", vtp(mass + m)), {"arrays mass and m are the same quantity"});
  expect_parts(no("v.vtp", vtp(array + "Name=\"vx\">6</DataArray>")), {"some of the arrays vx, vy, vz"});
  std::string plane = vtp("");
  plane.replace(plane.find("Components=\"3"), 13, "Components=\"2");
  expect_parts(no("w.vtp", plane), {"the array of Points has 2 components instead of 3"});
  Notes notes;
  const Bodies b =
      read_bodies(folder.file("b.vtp", vtp(array + three + "Name=\"m\">7 8 9</DataArray>" + array +
                                           "Name=\"velocity\">5</DataArray>" + array + "Name=\"vx\">6</DataArray>" +
                                           array + "Name=\"vy\">0</DataArray>" + array + "Name=\"vz\">0</DataArray>")),
                  &notes);
  EXPECT_EQ(b.m[0], 1);
  EXPECT_EQ(b.vx[0], 6);
  expect_parts(all(notes), {"array m is not used", "array velocity is not used", "no array mass"});
  // A colour in one-letter names is no radius, and a scalar of the name of a vector no position.
  const Bodies cloud = read_bodies(folder.file(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
      "property uchar r\nproperty uchar g\nproperty uchar b\nproperty float pos\nend_header\n1 2 3 255 4 5 9\n"));
  EXPECT_EQ(cloud.r[0], 0);
  EXPECT_EQ(cloud.x[0], 1);
}

TEST(ForeignCsv, SemicolonsSeparateWhereTheFirstLineHasNoComma) {
  const TempFolder folder;
  ReadReport reading;
  const Bodies b = read_bodies(folder.file("a.csv", "# a, b\nname;x;y;z;m\n\"A; B\";1;2;3;4\nC, D;5;6;7;8\n"), reading);
  EXPECT_EQ(b.z, (std::vector<double>{3, 7}));
  EXPECT_EQ(reading.names, (std::vector<std::string>{"A; B", "C, D"}));
  EXPECT_EQ(read_points(folder.file("p.csv", "1;2.5\n3;4\n")).values, (std::vector<double>{1, 2.5, 3, 4}));
}

// Files of ASE (tests/data/foreign/make.py has their figures): its kinetic energy from momenta.
TEST(ForeignXyz, ArgonOfAse) {
  ReadReport reading;
  const Bodies b = read_bodies(TRI_TEST_DATA "/foreign/ase_argon.extxyz", reading);
  double kinetic = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    kinetic += 0.5 * b.m[i] * (b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  }
  EXPECT_NEAR(kinetic, 0.22183233, 1e-8);  // eV, atoms.get_kinetic_energy()
  EXPECT_STREQ(reading.units->name, "angstrom-ev-amu");
  ASSERT_TRUE(reading.box);
  EXPECT_EQ(reading.box->boundary, Boundary::periodic);
  reading = {};
  read_bodies(TRI_TEST_DATA "/foreign/ase_slab.extxyz", reading);
  expect_parts(message_of<FileError>([&] { box_of("slab", reading); }), {"'slab'", "periodic along x and y only"});
}

// tipsy: dialects made byte by byte, and the message for everything else.

/// Builds the bytes of a file of another program.
class TipsyBytes {
 public:
  explicit TipsyBytes(bool big) : big_(big) {}
  void real64(double v) {
    std::string raw(8, '\0');
    std::memcpy(raw.data(), &v, 8);
    put(raw);
  }
  void word(u32 v) {
    std::string raw(4, '\0');
    std::memcpy(raw.data(), &v, 4);
    put(raw);
  }
  void real32(float v) { word(std::bit_cast<u32>(v)); }
  void header(u32 gas, u32 dark, u32 star, u32 dimensions = 3) {
    real64(1.5);
    for (const u32 v : {gas + dark + star, dimensions, gas, dark, star}) word(v);
  }
  /// m = first, x = first + 1, ... vz = first + 6, then `more` unused words.
  void particle(float first, int more) {
    for (int c = 0; c < 7; ++c) real32(first + static_cast<float>(c));
    for (int c = 0; c < more; ++c) word(0xFFFFFFFFu);  // a NaN, if it were read
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void put(std::string raw) {  // the host is little-endian
    if (big_) std::reverse(raw.begin(), raw.end());
    bytes_ += raw;
  }
  bool big_;
  std::string bytes_;
};

/// 2 gas, 3 dark and 1 star particle; a header with a word of padding, or without one.
std::string mixed(bool big, std::optional<u32> padding) {
  TipsyBytes f(big);
  f.header(2, 3, 1);
  if (padding) f.word(*padding);
  float first = 1;
  for (const int more : {5, 5, 2, 2, 2, 4}) f.particle(first, more), first += 10;
  return f.bytes();
}

struct Dialect {
  const char* name;
  bool big;
  std::optional<u32> padding;
  std::vector<std::string> says;
};

class TipsyDialects : public testing::TestWithParam<Dialect> {};

TEST_P(TipsyDialects, AreDetectedAndRead) {
  TempFolder folder;
  Notes notes;
  const std::string path = folder.file("a.tipsy", mixed(GetParam().big, GetParam().padding));
  const Bodies b = read_bodies(path, &notes);
  ASSERT_EQ(b.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const double first = 1 + 10.0 * static_cast<double>(i);
    EXPECT_EQ((std::vector<double>{b.m[i], b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i], b.r[i]}),
              (std::vector<double>{first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, 0}));
  }
  EXPECT_EQ(b.group, (std::vector<std::uint16_t>{0, 0, 1, 1, 1, 2}));
  ASSERT_EQ(notes.size(), 1u);
  expect_parts(notes[0], {path, "2 gas, 3 dark, 1 star"});
  expect_parts(notes[0], GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(Tipsy, TipsyDialects,
                         testing::Values(Dialect{"Standard", true, 0u, {"big-endian", "32 bytes:"}},
                                         Dialect{"StandardShort", true, std::nullopt, {"big-endian", "28 bytes:"}},
                                         Dialect{"Native", false, 0u, {"little-endian", "32 bytes:"}},
                                         Dialect{"NativeShort", false, std::nullopt, {"little-endian", "28 bytes:"}},
                                         Dialect{"WideIds", false, 2u, {"little-endian", "32 bytes, 64-bit ids:"}},
                                         Dialect{"OtherWord", true, 77u, {"32 bytes, non-zero padding:"}}),
                         CaseName{});

// Without padding, the first bytes of the records are read together with the header.
TEST(Tipsy, ManyRecordsAfterAShortHeader) {
  TempFolder folder;
  constexpr u32 kCount = 20001;
  TipsyBytes f(false);
  f.header(0, kCount, 0);
  std::vector<double> masses, speeds;
  for (u32 i = 0; i < kCount; ++i) {
    f.particle(static_cast<float>(i), 2);
    masses.push_back(i), speeds.push_back(i + 6);
  }
  const Bodies b = read_bodies(folder.file("a.tipsy", f.bytes()));
  EXPECT_EQ(b.m, masses);
  EXPECT_EQ(b.vz, speeds);
}

TEST(Tipsy, TheNameSelectsTheDialect) {
  TempFolder folder;
  const Bodies b = awkward_narrow_bodies(3);
  const std::pair<const char*, const char*> dialects[] = {
      {"a.tipsy", "big-endian tipsy with a header of 32 bytes:"},
      {"a.tipsy-le", "little-endian tipsy with a header of 32 bytes, 32-bit ids:"},
      {"a.tipsy-64", "little-endian tipsy with a header of 32 bytes, 64-bit ids:"}};
  for (const auto& [name, says] : dialects) {
    Notes notes;
    write_bodies(folder.at(name), b);
    EXPECT_EQ(content_of(folder.at(name)).size(), 32u + 3 * 36u);
    expect_same_bodies(read_bodies(folder.at(name), &notes), b);
    expect_parts(notes.at(0), {says, "0 gas, 3 dark, 0 star"});
  }
  // The id of the third body, at its offsets in the 32- and 64-bit dialects.
  const std::string narrow = content_of(folder.at("a.tipsy-le")), wide = content_of(folder.at("a.tipsy-64"));
  u32 id = 0;
  u64 wide_id = 0;
  std::memcpy(&id, &narrow[32 + 2 * 36 + 32], 4);
  std::memcpy(&wide_id, &wide[32 + 2 * 36 + 28], 8);
  EXPECT_EQ(id, 2u);
  EXPECT_EQ(wide_id, 2u);
}

TEST(Tipsy, PotentialsAreNotReadAsIds) {
  TempFolder folder;
  TipsyBytes f(false);
  f.header(0, 2, 0);
  f.word(0);
  f.particle(1, 1), f.real32(-0.5f);
  f.particle(2, 1), f.word(7);
  Notes notes;
  read_bodies(folder.file("a.tipsy", f.bytes()), &notes);
  EXPECT_EQ(notes.at(0).find("ids"), std::string::npos) << notes[0];
}

TEST(Tipsy, ValuesBeyondFloat32AreRejected) {
  TempFolder folder;
  Bodies b = awkward_narrow_bodies(3);
  b.vy[1] = 0.1;
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("a.tipsy"), b); }),
               {"a.tipsy", "vy = 0.1", "of body 1", "use .hdf5", "--precision fp32"});
  EXPECT_TRUE(folder.names().empty());
}

using TipsyErrors = BadFiles;

TEST_P(TipsyErrors, NameFileAndRemedy) { expect_bodies_rejected("bad.tipsy"); }

std::string one_dark(float mass, float x, u32 dimensions = 3) {
  TipsyBytes f(true);
  f.header(0, 1, 0, dimensions);
  f.word(0);
  f.real32(mass), f.real32(x);
  for (int c = 0; c < 7; ++c) f.real32(0);
  return f.bytes();
}

std::string many_announced() {
  TipsyBytes f(false);
  f.header(0, 2000000000u, 0);
  f.word(0);
  return f.bytes();
}

INSTANTIATE_TEST_SUITE_P(
    Tipsy, TipsyErrors,
    testing::Values(BadFile{"Empty", "", {"does not start with a tipsy header"}},
                    BadFile{"Short", mixed(true, 0u).substr(0, 27), {"does not start with a tipsy header"}},
                    BadFile{"Text", std::string(500, 'x'), {"does not start with a tipsy header"}},
                    BadFile{"Zeros", std::string(500, '\0'), {"does not start with a tipsy header"}},
                    BadFile{"CutOff",
                            mixed(true, 0u).substr(0, 200),
                            {"2 gas, 3 dark and 1 star", "280 bytes", "has 200", "cut off"}},
                    BadFile{"OneByteMore", mixed(false, 0u) + 'x', {"has 281"}},
                    BadFile{"OnlyAHeader", many_announced(), {"2000000000 dark", "has 32"}},
                    BadFile{"TwoDimensions", one_dark(1, 0, 2), {"has 2 dimensions"}},
                    BadFile{"NegativeMass", one_dark(-1, 0), {"dark particle 0", "m is -1", "0 or more"}},
                    BadFile{"NaN", one_dark(1, std::nanf("")), {"dark particle 0", "x is nan", "finite"}}),
    CaseName{});

}  // namespace
}  // namespace tri::test
