/// xyz, ply, vtp and pvd: files as other programs write them, and the message for every error.

#include <array>
#include <bit>
#include <cstring>

#include <zlib.h>

#include "sim/files/text.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

std::string refused(const TempFolder& folder, const std::string& name, const std::string& bytes) {
  const std::string path = folder.file(name, bytes);
  const std::string message = message_of<FileError>([&] { read_bodies(path); });
  EXPECT_NE(message.find(path), std::string::npos) << message;
  return message;
}

TEST(Xyz, ReadsThePlainForm) {
  TempFolder folder;
  ReadReport reading;
  const Bodies b = read_bodies(folder.file("a.xyz", "2\nwater\nO 0 0 0.5\r\nH 1.5 -2e1 3 0.3\n\n"), reading);
  ASSERT_EQ(b.size(), 2u);
  EXPECT_EQ(b.x[1], 1.5);
  EXPECT_EQ(b.y[1], -20);
  EXPECT_EQ(b.m[0], 15.999);
  EXPECT_EQ(b.vx[1], 0);
  EXPECT_FALSE(reading.time);
  ASSERT_EQ(reading.notes.size(), 2u);
  expect_parts(reading.notes[0], {"the columns after z are not used"});
  expect_parts(reading.notes[1], {"plain xyz", "masses are those of the elements, velocities 0"});
  reading = {};
  EXPECT_EQ(read_bodies(folder.file("b.xyz", "1\n\nstar 0 0 0.5\n"), reading).m[0], 1);
  expect_parts(reading.notes.at(0), {"plain xyz", "masses are set to 1"});
}

TEST(Xyz, ReadsTheLastOfSeveralExtendedFrames) {
  TempFolder folder;
  const std::string head = "Lattice=\"1 0 0 0 1 0 0 0 1\" Properties=species:S:1:pos:R:3:forces:R:3:masses:R:1 time=";
  const std::string text = "1\n" + head + "0\nAr 0 0 0 9 9 9 1\n1\n" + head + "2.5 pbc=\"T T T\"\nAr 1 2 3 9 9 9 40\n";
  ReadReport reading;
  const Bodies b = read_bodies(folder.file("a.xyz", text), reading);
  ASSERT_EQ(b.size(), 1u);
  EXPECT_EQ(b.z[0], 3);
  EXPECT_EQ(b.m[0], 40);
  EXPECT_EQ(b.vx[0], 0);
  EXPECT_EQ(reading.time, 2.5);
  ASSERT_EQ(reading.notes.size(), 2u);
  expect_parts(reading.notes[0], {"2 frames", "the last"});
  expect_parts(reading.notes[1], {"forces", "not used"});
}

TEST(Xyz, VelocitiesFollowFromMomentaAndMasses) {
  TempFolder folder;
  ReadReport reading;
  const auto read = [&](const std::string& properties, const std::string& rows) {
    reading = {};
    return read_bodies(folder.file("a.xyz", "2\nProperties=" + properties + "\n" + rows), reading);
  };
  const Bodies after = read("pos:R:3:masses:R:1:momenta:R:3", "1 2 3 4 2 -8 0\n1 2 3 0.5 1 1 3\n");
  EXPECT_EQ(after.vx, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(after.vy, (std::vector<double>{-2, 2}));
  EXPECT_EQ(after.vz, (std::vector<double>{0, 6}));
  EXPECT_TRUE(reading.notes.empty());
  const Bodies before = read("momenta:R:3:pos:R:3:masses:R:1", "2 -8 0 1 2 3 4\n0 0 0 1 2 3 0\n");
  EXPECT_EQ(before.vy, (std::vector<double>{-2, 0})) << "massless bodies may be at rest";
  const Bodies both = read("pos:R:3:masses:R:1:momenta:R:3:velo:R:3", "1 2 3 4 9 9 9 5 6 7\n1 2 3 4 9 9 9 5 6 7\n");
  EXPECT_EQ(both.vx, (std::vector<double>{2.25, 2.25}));
  expect_parts(reading.notes.at(0), {"momenta over the masses", "velocities has others in"});
  const Bodies alone = read("pos:R:3:momenta:R:3", "1 2 3 9 9 9\n1 2 3 9 9 9\n");
  EXPECT_EQ(alone.vx, (std::vector<double>{0, 0}));
  expect_parts(reading.notes.at(0), {"momenta", "not used"});
  expect_parts(refused(folder, "b.xyz", "1\nProperties=pos:R:3:masses:R:1:momenta:R:3\n1 2 3 0 1 0 0\n"),
               {"line 3", "momenta for a mass of 0", "velo:R:3"});
}

// A cell that is not periodic does nothing here, and is not lost where a format has room for it.
TEST(Xyz, ACellThatIsNotPeriodicIsKeptOrSaid) {
  TempFolder folder;
  const auto read = [&](const std::string& path) {
    ReadReport reading;
    read_bodies(path, reading);
    return reading;
  };
  const std::string keys = " pbc=\"F F F\" Properties=species:S:1:pos:R:3\nAr 1 2 3\n";
  const std::string path = folder.file("a.xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1\"" + keys);
  const ReadReport first = read(path);
  ASSERT_TRUE(first.box);
  StateInfo state{0, "", *first.box, true};
  Bodies b = read_bodies(path);
  for (const char* name : {"b.extxyz", "b.hdf5"}) {
    EXPECT_TRUE(make_storable(folder.at(name), b, state).empty());
    write_bodies(folder.at(name), b, state);
    const ReadReport back = read(folder.at(name));
    ASSERT_TRUE(back.box) << name;
    EXPECT_EQ(back.box->boundary, Boundary::open);
    EXPECT_EQ(back.box->high, state.box.high);
  }
  b.species.clear();
  expect_parts(make_storable(folder.at("b.csv"), b, state).at(0), {"csv does not store the cell; dropped"});
  state.cell = false;
  EXPECT_TRUE(make_storable(folder.at("b.csv"), b, state).empty()) << "an open box that no file has";
  const std::string slanted = folder.file("c.xyz", "1\nLattice=\"9 0 0 1 8 0 0 0 7\"" + keys);
  expect_parts(read(slanted).notes.at(0), {"Lattice", "slanted or flat, and not periodic"});
}

TEST(Xyz, RejectsWithPositionAndRemedy) {
  TempFolder folder;
  const auto no = [&](const std::string& text) { return refused(folder, "a.xyz", text); };
  expect_parts(no(""), {"holds no bodies"});
  expect_parts(no("two\n\n"), {"line 1", "'two' is not a positive number of bodies"});
  expect_parts(no("0\n\n"), {"line 1", "positive number of bodies"});
  expect_parts(no("-1\n\n"), {"line 1", "'-1'"});
  expect_parts(no("3\n"), {"line 1", "must follow"});
  expect_parts(no("1000000000\nc\nX 1 2 3\n"), {"line 3", "announces 1000000000 bodies and has 1", "cut off"});
  expect_parts(no("1\nc\nX 1 2\n"), {"line 3", "3 columns instead of 4"});
  expect_parts(no("1\nc\nX 1 2 z\n"), {"line 3, column 4", "'z' is not a number"});
  expect_parts(no("1\nc\nX 1 2 nan\n"), {"line 3, column 4", "not a finite number"});
  expect_parts(no("1\nProperties=pos:R\n1 2 3\n"), {"line 2", "NAME:TYPE:COLUMNS"});
  expect_parts(no("1\nProperties=pos:R:1e9\n1 2 3\n"), {"line 2", "NAME:TYPE:COLUMNS"});
  expect_parts(no("1\nProperties=pos:R:3:forces:R:1.5\n1 2 3 4\n"), {"line 2", "NAME:TYPE:COLUMNS"});
  expect_parts(no("1\nProperties=id:I:1\n1\n"), {"line 2", "pos:R:3"});
  expect_parts(no("1\nProperties=pos:R:3:masses:R:1\n1 2 3 -4\n"), {"line 3, column 4", "-4 is negative"});
  expect_parts(no("1\nProperties=pos:R:3:group:I:1\n1 2 3 70000\n"), {"column 4", "65535"});
  expect_parts(no("1\nProperties=pos:R:3\n1 2 3 4\n"), {"line 3", "4 columns instead of 3"});
}

TEST(Ply, ReadsTextAndBigEndian) {
  TempFolder folder;
  ReadReport reading;
  const Bodies text = read_bodies(
      folder.file(
          "a.ply",
          "ply\nformat ascii 1.0\ncomment time 3.5\nelement vertex 2\nproperty float x\nproperty float y\n"
          "property float z\nproperty uchar red\nproperty float radius\nelement face 1\nproperty list uchar int "
          "vertex_indices\nend_header\n1 2 3 255 0.5\n4 5 6 0 0\n2 0 1\n"),
      reading);
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text.y[1], 5);
  EXPECT_EQ(text.r[0], 0.5);
  EXPECT_EQ(text.m[1], 1);
  EXPECT_EQ(reading.time, 3.5);
  ASSERT_EQ(reading.notes.size(), 3u);
  expect_parts(reading.notes[0], {"'face' is not read"});
  expect_parts(reading.notes[1], {"red", "not used"});
  expect_parts(reading.notes[2], {"no property mass", "every mass is 1"});
  using namespace std::string_literals;
  const Bodies big = read_bodies(folder.file(
      "b.ply",
      "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty double y\nproperty short z\n"
      "property ushort group\nend_header\n"s +
          "\x3f\xc0\x00\x00"s + "\x40\x04\x00\x00\x00\x00\x00\x00"s + "\xff\xfe"s + "\x01\x02"s));
  EXPECT_EQ(big.x[0], 1.5);
  EXPECT_EQ(big.y[0], 2.5);
  EXPECT_EQ(big.z[0], -2);
  EXPECT_EQ(big.group, std::vector<std::uint16_t>{258});
}

TEST(Ply, GroupsHaveATypeThatEveryReaderSupports) {
  TempFolder folder;
  Bodies b;
  b.add(1, 2, 3, 0, 0, 0, 1);
  b.group = {65535};
  write_bodies(folder.at("a.ply"), b);
  const std::string bytes = content_of(folder.at("a.ply"));
  EXPECT_NE(bytes.find("property uint group\nend_header\n"), std::string::npos);
  EXPECT_EQ(bytes.substr(bytes.size() - 4), std::string("\xff\xff\0\0", 4));
}

/// A value as the bytes of its type, in little- or big-endian order.
template <class Number>
std::string bytes_of(Number value, bool big) {
  std::string raw(sizeof value, '\0');
  std::memcpy(raw.data(), &value, sizeof value);  // the host is little-endian
  if (big) std::reverse(raw.begin(), raw.end());
  return raw;
}

TEST(Ply, ReadsEveryTypeInEitherByteOrder) {
  TempFolder folder;
  for (const bool big : {false, true}) {
    std::string text = "ply\nformat binary_" + std::string(big ? "big" : "little") + "_endian 1.0\nelement vertex 2\n";
    for (const char* property : {"char x", "uchar y", "short z", "ushort vx", "int vy", "uint vz", "double radius"}) {
      text += std::string("property ") + property + "\n";
    }
    text += "end_header\n";
    for (const int sign : {1, -1}) {
      text += bytes_of<signed char>(static_cast<signed char>(-100 * sign), big) + bytes_of<unsigned char>(200, big);
      text += bytes_of<short>(static_cast<short>(-300 * sign), big) + bytes_of<unsigned short>(60000, big);
      text += bytes_of<int>(-70000 * sign, big) + bytes_of<unsigned>(4000000000u, big) + bytes_of<double>(0.1, big);
    }
    Bodies expected;
    expected.add(-100, 200, -300, 60000, -70000, 4e9, 1, 0.1), expected.add(100, 200, 300, 60000, 70000, 4e9, 1, 0.1);
    expect_same_bodies(read_bodies(folder.file("a.ply", text)), expected);
  }
}

TEST(Ply, AnEmptyElementMayPrecedeVertex) {
  TempFolder folder;
  const std::string text =
      "ply\nformat ascii 1.0\nelement camera 0\nproperty float view\nelement vertex 1\nproperty float x\nproperty "
      "float y\nproperty float z\nend_header\n1 2 3\n";
  EXPECT_EQ(read_bodies(folder.file("a.ply", text)).z, std::vector<double>{3});
}

TEST(Ply, ReadsWindowsLineEnds) {
  TempFolder folder;
  const Bodies b = read_bodies(folder.file(
      "a.ply",
      "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nelement vertex 2\r\nproperty float x\r\nproperty float "
      "y\r\nproperty float z\r\nend_header\r\n1 2 3\r\n4 5 6\r\n"));
  EXPECT_EQ(b.x, (std::vector<double>{1, 4}));
  EXPECT_EQ(b.z, (std::vector<double>{3, 6}));
}

TEST(Ply, ElementsThatAreNotReadAreNamed) {
  TempFolder folder;
  const std::string head = "ply\nformat ascii 1.0\nelement vertex 1\n";
  const std::string rest = "property float x\nproperty float y\nproperty float z\nproperty float mass\n";
  Notes notes;
  read_bodies(folder.file("a.ply", head + rest +
                                       "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
                                       "1 2 3 4\n3 0 0 0\n"),
              &notes);
  ASSERT_EQ(notes.size(), 1u);
  expect_parts(notes[0], {"the element 'face' is not read"});
  expect_parts(refused(folder, "b.ply", head + rest + "element vertex 2\nend_header\n1 2 3 4\n1 2 3 4\n"),
               {"line 8", "vertex is said twice"});
}

TEST(Ply, RejectsWithPositionAndRemedy) {
  TempFolder folder;
  const auto no = [&](const std::string& text) { return refused(folder, "a.ply", text); };
  const std::string ascii = "ply\nformat ascii 1.0\n", xyz = "property float x\nproperty float y\nproperty float z\n";
  expect_parts(no(""), {"does not start with the line ply"});
  expect_parts(no("plx\n"), {"does not start"});
  expect_parts(no(ascii), {"ends in its header"});
  expect_parts(no("ply\nformat middle_endian 1.0\n"), {"line 2", "middle_endian"});
  expect_parts(no(ascii + "element vertex many\n"), {"line 3", "'many'"});
  expect_parts(no(ascii + "element vertex 1\nproperty list uchar int x\n"), {"line 4", "'list'"});
  expect_parts(no(ascii + "element vertex 1\nproperty float x\nend_header\n1\n"), {"no properties x, y and z"});
  expect_parts(no(ascii + "element vertex 0\n" + xyz + "end_header\n"), {"no vertices"});
  expect_parts(no(ascii + "element face 2\nelement vertex 1\n" + xyz + "end_header\n"), {"'face' comes before"});
  expect_parts(no(ascii + "element vertex 1000000000\n" + xyz + "end_header\n1 2 3\n"),
               {"announces 1000000000 vertices and ends after 1"});
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "end_header\n1 2\n"), {"line 8", "z = '' is not a number"});
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "end_header\n1 2 3 4\n"), {"line 8", "more than the 3"});
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "end_header\n1 2 inf\n"), {"vertex 0", "z", "not finite"});
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "property float radius\nend_header\n1 2 3 -4\n"),
               {"vertex 0", "radius", "-4 is negative"});
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "property float m\nproperty float mass\nend_header\n"),
               {"'m' and 'mass' are the same"});
  expect_parts(no("ply\nformat binary_little_endian 1.0\nelement vertex 3\n" + xyz + "end_header\n123456789012"),
               {"announces 3 vertices and ends after 1"});
  // Nothing of a file is left out without a word.
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "end_header\n1 2 3\n4 5 6\n"), {"goes on after the 1 vert"});
  expect_parts(no("ply\nformat binary_little_endian 1.0\nelement vertex 1\n" + xyz + "end_header\n123456789012abcd"),
               {"goes on after the 1 vert"});
  EXPECT_NO_THROW(read_bodies(folder.file("f.ply", ascii + "element vertex 1\n" + xyz +
                                                       "element face 1\nproperty list uchar int v\nend_header\n"
                                                       "1 2 3\n3 0 0 0\n")));
  expect_parts(no("ply\nelement vertex 1\n" + xyz + "end_header\n1 2 3\n"), {"no line", "format ascii 1.0"});
  expect_parts(no(ascii + "format ascii 1.0\n"), {"line 3", "twice"});
  expect_parts(no(ascii + "element vertex 1\n" + xyz + "property float vx\nend_header\n1 2 3 4\n"),
               {"some of vx, vy, vz"});
}

std::string vtp(const std::string& attributes, const std::string& piece, const std::string& after = "") {
  return "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<VTKFile type=\"PolyData\" " + attributes + "><PolyData>" + piece +
         "</PolyData>" + after + "</VTKFile>";
}

TEST(Vtp, ReadsEveryUncompressedEncoding) {
  TempFolder folder;
  ReadReport reading;
  const Bodies text = read_bodies(
      folder.file("a.vtp", vtp("byte_order=\"LittleEndian\"",
                               "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" format=\"ascii\">7.5"
                               "</DataArray></FieldData><Piece NumberOfPoints=\"2\"><PointData Scalars='Mass'>"
                               "<DataArray type=\"Float32\" Name=\"Mass\" format=\"ascii\">2 3</DataArray>"
                               "<DataArray type=\"Int32\" Name=\"id\" format=\"ascii\">8 9</DataArray></PointData>"
                               "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"
                               "1 2 3\n4 5 6\n</DataArray></Points><Verts><DataArray type=\"Int32\" "
                               "Name=\"connectivity\" format=\"ascii\">0 1</DataArray></Verts></Piece>")),
      reading);
  ASSERT_EQ(text.size(), 2u);
  EXPECT_EQ(text.x[1], 4);
  EXPECT_EQ(text.m[0], 2);
  EXPECT_EQ(reading.time, 7.5);
  ASSERT_EQ(reading.notes.size(), 1u);
  expect_parts(reading.notes[0], {"the array id is not used"});
  // Float32 1, 2, 3 behind a count of 12 in 32 bits, in base64; then the same bytes appended, in big-endian order.
  const std::string points =
      "<Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" ";
  const Bodies base64 = read_bodies(folder.file(
      "b.vtp", vtp("", points + "format=\"binary\">DAAAAAAAgD8AAABAAABAQA==</DataArray></Points></Piece>")));
  EXPECT_EQ(base64.x[0], 1);
  EXPECT_EQ(base64.z[0], 3);
  using namespace std::string_literals;
  const Bodies big = read_bodies(folder.file(
      "c.vtp", vtp("byte_order=\"BigEndian\"", points + "format=\"appended\" offset=\"1\"/></Points></Piece>",
                   "<AppendedData encoding=\"raw\">_?\x00\x00\x00\x0c\x3f\x80\x00\x00\x40\x00\x00\x00\x40\x40\x00\x00</"
                   "AppendedData>"s)));
  EXPECT_EQ(big.y[0], 2);
  EXPECT_EQ(big.z[0], 3);
}

TEST(Vtp, TheTimeIsTheArrayOfThatName) {
  TempFolder folder;
  const std::string array = "<DataArray type=\"Float64\" NumberOfTuples=\"1\" format=\"ascii\" Name=\"";
  const std::string piece =
      "<Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Int8\" NumberOfComponents=\"3\" format=\"ascii\">1 2 3"
      "</DataArray></Points></Piece>";
  ReadReport reading;
  read_bodies(folder.file("a.vtp", vtp("", "<FieldData>" + array + "Redshift\">7</DataArray>" + array +
                                               "TimeValue\">2.5</DataArray>" + array +
                                               "Cycle\">9</DataArray></FieldData>" + piece)),
              reading);
  EXPECT_EQ(reading.time, 2.5);
}

// What is beside the points is named, once: a radius of a cell is not that of a body.
TEST(Vtp, ArraysThatAreNotReadAreNamed) {
  TempFolder folder;
  const std::string number = "<DataArray type=\"Float64\" format=\"ascii\" Name=\"";
  const std::string text = "<Array type=\"String\" format=\"ascii\" Name=\"";
  const std::string piece =
      "<Piece NumberOfPoints=\"1\" NumberOfPolys=\"2\" NumberOfVerts=\"7\"><Points><DataArray type=\"Int8\" "
      "NumberOfComponents=\"3\" format=\"ascii\">1 2 3</DataArray></Points><PointData>" +
      number + "mass\">4</DataArray>" + text + "label\">65 0</Array></PointData><CellData>" + number +
      "radius\">5</DataArray>" + text + "kind\">66 0</Array></CellData><Polys>" + number +
      "connectivity\">0 0 0</DataArray></Polys></Piece>";
  const std::string field = "<FieldData>" + number + "Cycle\">9</DataArray>" + text + "title\">67 0</Array>";
  Notes notes;
  const Bodies b = read_bodies(folder.file("a.vtp", vtp("", field + "</FieldData>" + piece)), &notes);
  EXPECT_EQ(b.m[0], 4);
  EXPECT_EQ(b.r[0], 0);
  ASSERT_EQ(notes.size(), 2u);
  expect_parts(notes[0],
               {"Cycle (FieldData), title (FieldData), label (PointData), radius (CellData), kind (CellData)"});
  expect_parts(notes[1], {"2 lines, strips and polygons are not read"});
  const std::string time = number + "TimeValue\">1</DataArray>";
  expect_parts(refused(folder, "b.vtp", vtp("", field + time + time + "</FieldData>" + piece)),
               {"two arrays TimeValue"});
}

TEST(Vtp, PositionsAloneAreUnitMassesAtRest) {
  TempFolder folder;
  const std::string head = "<?xml version=\"1.0\"?><!-- 2 > 1, so no <Piece NumberOfPoints=\"1\"/> -->";
  const Bodies b = read_bodies(
      folder.file("a.vtp", head + "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"2\"><Points>"
                                  "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">1 2 3\n4 5 6"
                                  "</DataArray></Points></Piece></PolyData></VTKFile>"));
  Bodies expected;
  expected.add(1, 2, 3, 0, 0, 0, 1), expected.add(4, 5, 6, 0, 0, 0, 1);
  expect_same_bodies(b, expected);
}

TEST(Vtp, RejectsWithPositionAndRemedy) {
  TempFolder folder;
  const auto no = [&](const std::string& text) { return refused(folder, "a.vtp", text); };
  const std::string points = "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">";
  const auto piece = [&](const std::string& count, const std::string& values, const std::string& more = "") {
    return vtp(
        "", "<Piece NumberOfPoints=\"" + count + "\">" + points + values + "</DataArray></Points>" + more + "</Piece>");
  };
  expect_parts(no(""), {"no <VTKFile>"});
  expect_parts(no("# vtk DataFile Version 5.1\nvtk output\nASCII\n"), {"legacy", "Save Data as .vtp"});
  expect_parts(no("<VTKFile type='PolyData'"), {"ends within a tag"});
  expect_parts(no("<VTKFile type='UnstructuredGrid'>"), {"'UnstructuredGrid'", "PolyData is read", "Extract Surface"});
  expect_parts(no(vtp("compressor=\"vtkZLibDataCompressor\"", "")), {"0 pieces"});
  expect_parts(no(vtp("compressor=\"vtkLZ4DataCompressor\"", "")), {"'vtkLZ4DataCompressor'", "ZLib is read"});
  expect_parts(no(vtp("", "")), {"0 pieces"});
  expect_parts(no(piece("x", "1 2 3")), {"NumberOfPoints = 'x'"});
  expect_parts(no(piece("0", "")), {"no points"});
  expect_parts(no(piece("1000000000", "1 2 3")), {"holds 3 values for 1000000000 points"});
  expect_parts(no(piece("99999999999", "1 2 3")), {"4294967295"});
  expect_parts(no(piece("1", "1 2 3 4")), {"more than the 3 values"});
  expect_parts(no(piece("1", "1 2 nan")), {"point 0", "not finite"});
  expect_parts(no(piece("1", "1 2 q")), {"'q'", "not a number"});
  const auto data = [](const std::string& array) { return "<PointData>" + array + "</PointData>"; };
  expect_parts(no(piece("1", "1 2 3", data("<DataArray type='Float32' Name='mass' format='ascii'>-1</DataArray>"))),
               {"mass", "-1 is negative"});
  expect_parts(no(piece("1", "1 2 3", data("<DataArray type='String' Name='mass' format='ascii'>1</DataArray>"))),
               {"mass", "'String'"});
  expect_parts(no(piece("1", "1 2 3", data("<DataArray type='Float32' Name='mass' format='appended' offset='5'/>"))),
               {"mass", "after the end of the file"});
  expect_parts(no(piece("1", "1 2 3", data("<DataArray type='Float32' Name='m' format='binary'>/////w==</DataArray>"))),
               {"announces 4294967295 bytes", "cut off"});
}

TEST(Pvd, ListsTimesAndReadsTheLastState) {
  TempFolder folder;
  const Bodies first = awkward_bodies(3, true), last = awkward_bodies(5, true);
  write_bodies(folder.at("a 0.vtp"), first, 0);
  write_bodies(folder.at("a 1.vtp"), last, 0.1);
  io::write_pvd_entries(folder.at("a.pvd"), {{0.1, "a 1.vtp"}, {0, "a 0.vtp"}});
  ReadReport reading;
  expect_same_bodies(read_bodies(folder.at("a.pvd"), reading), last);
  EXPECT_EQ(reading.time, 0.1);
  const auto entries = io::read_pvd_entries(folder.at("a.pvd"));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].time, 0.1);
  EXPECT_EQ(entries[1].file, "a 0.vtp");
  io::write_pvd_entries(folder.at("b.pvd"), {{0, "<&>\".vtp"}});
  EXPECT_NE(content_of(folder.at("b.pvd")).find("file=\"&lt;&amp;&gt;&quot;.vtp\""), std::string::npos);
  EXPECT_EQ(io::read_pvd_entries(folder.at("b.pvd"))[0].file, "<&>\".vtp");
  const auto no = [&](const std::string& text) { return refused(folder, "c.pvd", text); };
  expect_parts(no(""), {"no <VTKFile type=\"Collection\">"});
  expect_parts(no("<VTKFile type=\"Collection\"></VTKFile>"), {"lists no files"});
  expect_parts(no("<VTKFile type=\"Collection\"><DataSet file=\"x.vtp\"/></VTKFile>"), {"timestep"});
  expect_parts(no("<VTKFile type=\"Collection\"><DataSet timestep=\"1\" file=\"x.csv\"/></VTKFile>"), {".vtp files"});
  expect_parts(no("<VTKFile type=\"Collection\"><DataSet timestep=\"1\" part=\"0\" file=\"x.vtp\"/>\n"
                  "<DataSet timestep=\"1\" part=\"1\" file=\"y.vtp\"/></VTKFile>"),
               {"line 2", "part of the state at 1", "join them"});
  std::string cut = "<VTKFile type=\"Collection\">\n<DataSet timestep=\"1\" file=\"ax.vtp\"/></VTKFile>";
  cut[cut.find("ax.vtp")] = '\0';
  expect_parts(no(cut), {"line 2", "NUL byte"});
  expect_parts(message_of<FileError>([&] {
                 read_bodies(folder.file("d.pvd",
                                         "<VTKFile type=\"Collection\"><DataSet timestep=\"1\" "
                                         "file=\"none.vtp\"/></VTKFile>"));
               }),
               {"none.vtp"});
}

// The file as XML and VTK require it: balanced tags, offsets that match the arrays.
TEST(Vtp, WritesBalancedTagsAndConsecutiveOffsets) {
  TempFolder folder;
  Bodies b = awkward_bodies(7, true);
  b.set_group(3, 2);
  write_bodies(folder.at("a.vtp"), b, 1);
  const std::string text = content_of(folder.at("a.vtp"));
  io::XmlTags tags(text);
  io::XmlTag tag;
  std::vector<std::string> open;
  u64 offset = 0;
  std::size_t arrays = 0, data = 0;
  while (tags.next(tag)) {
    if (tag.opens && !tag.closes) open.emplace_back(tag.name);
    if (tag.closes && !tag.opens) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.name);
      open.pop_back();
    }
    if (tag.name == "DataArray" && tag.attribute("format") == "appended") {
      EXPECT_EQ(tag.attribute("offset"), std::to_string(offset)) << tag.attribute("Name");
      const u64 item = tag.attribute("type") == "UInt16" ? 2 : 8;
      const u64 rows = tag.attribute("Name") == "offsets" ? 1 : 7;
      offset += 8 + item * rows * std::stoul(tag.attribute("NumberOfComponents"));
      ++arrays;
    }
    if (tag.name == "AppendedData" && tag.opens) {
      data = text.find('_', tag.end) + 1;
      tags.seek(data + offset);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(arrays, 7u);
  EXPECT_EQ(text.substr(data + offset), "\n</AppendedData>\n</VTKFile>\n");
  // The last two arrays are the one cell of all points: its indices 0 to 6, and its end.
  std::array<u64, 10> cell{};
  std::memcpy(cell.data(), &text[data + offset - sizeof cell], sizeof cell);
  EXPECT_EQ(cell, (std::array<u64, 10>{7 * 8, 0, 1, 2, 3, 4, 5, 6, 8, 7}));
}

// VTK files with zlib-compressed arrays, made here with zlib.

template <class Count>
void append_count(std::string& to, u64 value) {
  const auto count = static_cast<Count>(value);
  to.append(reinterpret_cast<const char*>(&count), sizeof count);
}

/// Header and blocks as VTK writes them: block count, bytes of a block, of a shorter last one, of each compressed
/// block.
struct Packed {
  std::string counts, blocks;
  std::string both() const { return counts + blocks; }
};

Packed packed(const std::string& bytes, std::size_t block) {
  Packed made;
  std::vector<u64> sizes;
  for (std::size_t at = 0; at < bytes.size(); at += block) {
    const std::size_t now = std::min(block, bytes.size() - at);
    std::string to(compressBound(now), '\0');
    uLongf size = to.size();
    if (compress(reinterpret_cast<Bytef*>(to.data()), &size, reinterpret_cast<const Bytef*>(&bytes[at]), now) != Z_OK) {
      throw std::runtime_error("zlib does not compress");
    }
    sizes.push_back(size);
    made.blocks += to.substr(0, size);
  }
  append_count<std::uint64_t>(made.counts, sizes.size());
  append_count<std::uint64_t>(made.counts, block);
  append_count<std::uint64_t>(made.counts, bytes.size() % block);
  for (const u64 size : sizes) append_count<std::uint64_t>(made.counts, size);
  return made;
}

std::string vtp_of(u64 points, const std::string& appended) {
  return "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
         "compressor=\"vtkZLibDataCompressor\"><PolyData><Piece NumberOfPoints=\"" +
         std::to_string(points) +
         "\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points>"
         "</Piece></PolyData><AppendedData encoding=\"raw\">_" +
         appended + "</AppendedData></VTKFile>";
}

std::string bytes_of(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

std::vector<double> places(std::size_t n) {
  SplitMix64 random{5};
  std::vector<double> values;
  for (std::size_t k = 0; k < 3 * n; ++k) values.push_back(random.uniform());
  return values;
}

TEST(VtpZlib, EveryBlockSizeGivesTheSameBodies) {
  TempFolder folder;
  for (const std::size_t n : {1u, 2u, 3u, 1000u}) {
    const std::vector<double> values = places(n);
    for (const std::size_t block : {1u, 7u, 24u, 48u, 1000u, 32768u}) {
      if (block == 1 && n == 1000) continue;
      const std::string path = folder.file("a.vtp", vtp_of(n, packed(bytes_of(values), block).both()));
      const Bodies b = read_bodies(path);
      ASSERT_EQ(b.size(), n);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(b.x[i], values[3 * i]);
        ASSERT_EQ(b.y[i], values[3 * i + 1]);
        ASSERT_EQ(b.z[i], values[3 * i + 2]);
      }
    }
  }
}

TEST(VtpZlib, TruncatedOrDamagedFilesAreRejected) {
  TempFolder folder;
  const Packed good = packed(bytes_of(places(9)), 50);
  const std::string whole = good.both();
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    const std::string head = vtp_of(9, "");
    const std::string path =
        folder.file("a.vtp", head.substr(0, head.find('_', head.find("raw")) + 1) + whole.substr(0, size));
    EXPECT_NE(message_of<FileError>([&] { read_bodies(path); }).find(path), std::string::npos) << "cut at " << size;
  }
  const Bodies bodies = read_bodies(folder.file("a.vtp", vtp_of(9, whole)));
  u64 refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    // The counts or zlib's checksum no longer match; only padding bits may change without effect.
    const std::string path = folder.file("a.vtp", vtp_of(9, damaged));
    try {
      expect_same_bodies(read_bodies(path), bodies);
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() * 9 / 10);
}

TEST(VtpZlib, ImpossibleCountsAllocateNoMemory) {
  TempFolder folder;
  const auto message = [&](u64 points, const std::string& appended) {
    return message_of<FileError>([&] { read_bodies(folder.file("a.vtp", vtp_of(points, appended))); });
  };
  const auto counts = [](std::initializer_list<u64> values) {
    std::string text;
    for (const u64 v : values) append_count<std::uint64_t>(text, v);
    return text;
  };
  const std::string block = packed(std::string(1000, '\0'), 1000).blocks;
  expect_parts(message(1'000'000'000, counts({1, 24'000'000'000, 0, block.size()}) + block),
               {"24000000000 bytes", "cut off or damaged"});
  expect_parts(message(1, counts({u64{1} << 60, 24, 0}) + block), {"compressed blocks", "damaged"});
  expect_parts(message(1, counts({1, 24, 0, ~u64{0}}) + block), {"cut off or damaged"});
  expect_parts(message(1, counts({2, 24, 0, ~u64{0}, 2}) + block), {"cut off or damaged"});
  expect_parts(message(1, counts({1, 24, 25, block.size()}) + block), {"damaged"});
  expect_parts(message(1, counts({1, 1000, 0, block.size()}) + block), {"holds 1000 bytes, but 24 are announced"});
  // At a ratio that zlib can reach, the data are accepted: as many points as the header says, all coincident.
  const Packed bomb = packed(std::string(24 * 20000, '\0'), 1 << 15);
  EXPECT_LT(bomb.both().size(), 2000u);
  EXPECT_EQ(read_bodies(folder.file("a.vtp", vtp_of(20000, bomb.both()))).size(), 20000u);
  expect_parts(message(20001, bomb.both()), {"60000 values", "20001 points"});
}

}  // namespace
}  // namespace tri::test
