/// The format registry, and file system errors in readers and writers.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "sim/base/progress.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

namespace fs = std::filesystem;

TEST(Formats, AreListedAndFoundByExtension) {
  std::vector<std::string> names;
  for (const FormatInfo& f : list_formats()) names.emplace_back(f.name);
  EXPECT_EQ(names, (std::vector<std::string>{"tab", "csv", "npy", "hdf5", "tipsy", "tipsy-le", "tipsy-64", "xyz", "ply",
                                             "vtp", "pvd"}));
  EXPECT_EQ(format_name("a.h5"), "hdf5");
  EXPECT_EQ(format_name("a.STD"), "tipsy");
  EXPECT_EQ(format_name("a.tipsy-le"), "tipsy-le");
  EXPECT_EQ(format_name("a.le"), "");
  EXPECT_TRUE(has_known_extension("a.csv"));
  EXPECT_TRUE(has_known_extension("/x.y/A.NPY"));
  EXPECT_FALSE(has_known_extension("plummer"));
  EXPECT_FALSE(has_known_extension("dir.csv/file"));
  EXPECT_FALSE(has_known_extension("file."));
  EXPECT_FALSE(has_known_extension("a.cs"));
}

TEST(Formats, AnUnknownExtensionListsTheKnownOnes) {
  const std::vector<std::string> known{
      ".tab, .csv, .npy, .hdf5, .tipsy, .tipsy-le, .tipsy-64, .xyz, .ply, .vtp or .pvd"};
  const Bodies one = awkward_bodies(1, false);
  TempFolder folder;
  const std::string fits = folder.file("stars.fits", ""), bare = folder.file("stars", "");
  for (const std::string& message :
       {message_of<FileError>([&] { read_bodies(fits); }), message_of<FileError>([&] { read_points(fits); }),
        message_of<FileError>([&] { write_bodies(folder.at("new_stars.fits"), one); })}) {
    expect_parts(message, known);
    expect_parts(message, {"stars.fits'", "no format is named .fits"});
  }
  expect_parts(message_of<FileError>([&] { read_bodies(bare); }), {"has no extension", ".tab, .csv, .npy, .hdf5"});
  EXPECT_EQ(folder.names().size(), 2u) << "nothing was written";
}

TEST(Formats, DroppedRadiiAreReported) {
  TempFolder folder;
  const Bodies spheres = awkward_bodies(2, true);
  for (const char* name : {"a.tab", "a.npy", "a.tipsy"}) {
    expect_parts(message_of<FileError>([&] { write_bodies(folder.at(name), spheres); }),
                 {name, "radii", "use .csv, .hdf5, .xyz, .ply or .vtp"});
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(Formats, PointsOfBodiesAreTheirPositions) {
  TempFolder folder;
  const Bodies b = awkward_bodies(3, true);
  for (const char* name : {"a.hdf5", "a.ply", "a.xyz", "a.vtp"}) {
    write_bodies(folder.at(name), b);
    const PointSet p = read_points(folder.at(name));
    EXPECT_EQ(p.values, (std::vector<double>{b.x[0], b.y[0], b.z[0], b.x[1], b.y[1], b.z[1], b.x[2], b.y[2], b.z[2]}));
    EXPECT_EQ(read_points(folder.at(name), {{"r", "vx"}}).values,
              (std::vector<double>{b.r[0], b.vx[0], b.r[1], b.vx[1], b.r[2], b.vx[2]}));
  }
  const std::string path = folder.file("a.tab", "1 0 1 2 0 0 0\n1 0 -1e200 2 0 0 0\n");
  expect_parts(message_of<FileError>([&] { read_points(path, {{"mass"}}); }), {"unknown column 'mass'", "x, y, z, vx"});
  expect_parts(message_of<FileError>([&] {
                 read_points(path, {{}, true});
               }),
               {"a.tab", "body 1", "beyond float32", "--precision fp64"});
}

// A comment that names the columns in another order is believed; one that names others is no m x y z vx vy vz.
TEST(Reading, TheOrderOfColumnsOfATabFileIsThatOfItsComment) {
  TempFolder folder;
  const auto read = [&](const std::string& comment, Notes* notes = nullptr) {
    return read_bodies(folder.file("a.tab", "# by hand\n# " + comment + "\n1 2 3 4 5 6 7\n8 9 10 11 12 13 14\n"),
                       notes);
  };
  for (const char* last :
       {"x y z vx vy vz m", "X, Y, Z, VX, VY, VZ, Mass", "x[pc] y[pc] z[pc] vx[km/s] vy vz m (in Msun)",
        "1:x 2:y 3:z 4:vx 5:vy 6:vz 7:m", "columns: x y z vx vy vz, mass m", "pos_x pos_y pos_z vel_x vel_y vel_z mass",
        "x_pos y_pos z_pos velX velY velZ Mass", "x1 x2 x3 v1 v2 v3 m", "pos1 pos2 pos3 v-x v-y v-z m",
        "pos[1] pos[2] pos[3] vel[1] vel[2] vel[3] mass", "X/kpc Y/kpc Z/kpc VX/km/s VY/km/s VZ/km/s M/Msun",
        "x_kpc y_kpc z_kpc vx_km/s vy_km/s vz_km/s m_msun", "x(1) y(2) z(3) vx(4) vy(5) vz(6) m(7)"}) {
    Notes notes;
    const Bodies b = read(last, &notes);
    EXPECT_EQ(b.m, (std::vector<double>{7, 14})) << last;
    EXPECT_EQ(b.x[1], 8) << last;
    EXPECT_EQ(b.vz[0], 6) << last;
    const bool unit = std::string_view(last).find("[pc]") != std::string_view::npos;
    ASSERT_EQ(notes.size(), unit ? 2u : 1u) << last;
    expect_parts(notes[0], {"a.tab", "the order that its comment names"});
    if (unit) expect_parts(notes[1], {"the unit 'pc' beside columns"});
  }
  for (const char* usual :
       {"m x y z vx vy vz", "mass x y z vx vy vz in SI", "mass px py pz vx vy vz", "x y z in units of kpc",
        "positions x y z and velocities vx vy vz", "the mass m is in units of the sun"}) {
    Notes notes;
    EXPECT_EQ(read(usual, &notes).m[0], 1) << usual;
    const std::string text = usual;
    const bool unit = text.ends_with("in SI") || text.ends_with("kpc");
    EXPECT_EQ(notes.size(), unit ? 1u : 0u) << usual;
    if (unit) expect_parts(notes.at(0), {"the unit", "beside columns"});
  }
  const std::pair<const char*, const char*> units[] = {{"length: kpc, mass: Msun", "'kpc'"},
                                                       {"Mass = Msun", "'Msun'"},
                                                       {"all numbers in SI units", "'SI'"},
                                                       {"in kpc", "'kpc'"},
                                                       {"[units] kpc", "names the units 'kpc'"},
                                                       {"unit: AU", "'AU'"},
                                                       {"x [mpc]", "'mpc'"},
                                                       {"units: mpc_msun_kms", "write Mpc"},
                                                       {"total mass: 3 Msun", nullptr},
                                                       {"mass: 1", nullptr},
                                                       {"a note", nullptr},
                                                       {"virial units", nullptr}};
  for (const auto& [comment, said] : units) {
    Notes notes;
    read(comment, &notes);
    EXPECT_EQ(notes.size(), said != nullptr ? 1u : 0u) << comment;
    if (said != nullptr) expect_parts(notes.at(0), {said});
  }
  for (const char* other :
       {"x y z vx vy vz", "x y z vx vy vz r", "id x y z vx vy vz", "px py pz vx vy vz mass", "x y z m",
        "vx vy vz come before x y z", "x y z vx vy vz x", "pos[0] pos[1] pos[2] vel[0] vel[1] vel[2] mass"}) {
    expect_parts(message_of<FileError>([&] { read(other); }), {"a.tab', line 2: names the columns"});
  }
  const std::string rows = "1 2 3 4 5 6 7\n";
  const auto no = [&](const std::string& text) {
    return message_of<FileError>([&] { read_bodies(folder.file("b.tab", text)); });
  };
  expect_parts(no(rows + "# x y z vx vy vz m\n" + rows), {"line 2", "another order"});
  expect_parts(no("1 2 3 4 5 6 7\r1 2 3 4 5 6 7\r"), {"line 1", "CR alone", "write it with LF"});
  expect_parts(no("# m x y z vx vy vz\n# x y z vx vy vz m\n" + rows), {"line 2", "another order"});
  expect_parts(no("# x y z vx vy vz m\n1 2 3 4 5 6 -7\n"), {"line 2, column 7 (m)", "-7", "negative"});
}

TEST(Reading, MissingFilesAndFolders) {
  TempFolder folder;
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("no.tab")); }),
               {"there is no file '" + folder.at("no.tab") + "'."});
  folder.file("stars.csv", "x,y,z\n0,0,0\n");
  for (const char* misspelt : {"star.csv", "stars.cvs", "stars"}) {
    const std::string sentence =
        "there is no file '" + folder.at(misspelt) + "'. Did you mean '" + folder.at("stars.csv") + "'?";
    EXPECT_EQ(message_of<FileError>([&] { read_points(folder.at(misspelt)); }), sentence);
    EXPECT_EQ(message_of<FileError>([&] { read_bodies(folder.at(misspelt)); }), sentence);
  }
  fs::create_directory(folder.at("folder.tab"));
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("folder.tab")); }), {"folder.tab", "it is a folder"});
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("")); }), {"is a folder"});
  folder.file("file", "");
  expect_parts(message_of<FileError>([&] { read_points(folder.at("file/x.npy")); }),
               {"Not a directory", "check the path"});
  fs::create_symlink("loop.csv", folder.at("loop.csv"));
  expect_parts(message_of<FileError>([&] { read_points(folder.at("loop.csv")); }), {"loop.csv", "symbolic links"});
}

TEST(Reading, WithoutPermission) {
  TempFolder folder;
  const std::string path = folder.file("a.tab", "1 2 3 4 5 6 7\n");
  fs::permissions(path, fs::perms::none);
  const bool root = ::geteuid() == 0;  // root may read everything, so drop to another user temporarily
  const auto become = [&](uid_t user) { return !root || ::seteuid(user) == 0; };
  ASSERT_TRUE(become(65534));
  const std::string message = message_of<FileError>([&] { read_bodies(path); });
  ASSERT_TRUE(become(0));
  expect_parts(message, {path, "Permission denied", "check its permissions"});
}

TEST(Reading, AReadErrorIsNotTheEndOfTheFile) {
  TempFolder folder;
  fs::create_symlink("/proc/self/mem", folder.at("mem.tab"));  // reading its first page fails
  expect_parts(message_of<FileError>([&] { read_bodies(folder.at("mem.tab")); }), {"mem.tab", "Input/output error"});
}

TEST(Reading, FromAPipe) {
  TempFolder folder;
  const std::string path = folder.at("pipe.npy");
  const Bodies b = awkward_bodies(5000, false);
  write_bodies(folder.at("a.npy"), b);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << content_of(folder.at("a.npy")); });
  expect_same_bodies(read_bodies(path), b);
  writer.join();
  const std::string cut = content_of(folder.at("a.npy")).substr(0, 1000);
  std::thread short_writer([&] { std::ofstream(path, std::ios::binary) << cut; });
  expect_parts(message_of<FileError>([&] { read_bodies(path); }), {"ends before its 5000 rows"});
  short_writer.join();
  std::string columns = cut;
  columns.replace(columns.find("False"), 5, "True ");
  std::thread other_writer([&] { std::ofstream(path, std::ios::binary) << columns; });
  expect_parts(message_of<FileError>([&] { read_bodies(path); }), {"Fortran order", "not a pipe", "ascontiguousarray"});
  other_writer.join();
}

TEST(Writing, ReplacesTheOldFileAndLeavesNoTemporaryFile) {
  TempFolder folder;
  folder.file("a.tab", "old and much longer than what comes\n");
  const Bodies b = awkward_bodies(1, false);
  write_bodies(folder.at("a.tab"), b);
  expect_same_bodies(read_bodies(folder.at("a.tab")), b);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.tab"});
}

/// The temporary file of a writer of a.tab, the only such file in the folder.
std::string temporary_of(const TempFolder& folder) {
  for (const std::string& name : folder.names()) {
    if (name.starts_with("a.tab.tmp-") && !fs::is_symlink(folder.at(name))) return name;
  }
  return "";
}

// In a folder that others write to, they may plant what a name that they can predict would open or follow.
TEST(Writing, APlantedLinkOrFileIsNotTouched) {
  for (const bool link : {true, false}) {
    TempFolder folder;
    const std::string planted = "a.tab.tmp-" + std::to_string(::getpid());
    folder.file("victim", "mine");
    if (link) {
      fs::create_symlink("victim", folder.at(planted));
    } else {
      fs::rename(folder.at("victim"), folder.at(planted));
    }
    const Bodies b = awkward_bodies(2, false);
    write_bodies(folder.at("a.tab"), b);
    expect_same_bodies(read_bodies(folder.at("a.tab")), b);
    EXPECT_FALSE(fs::is_symlink(folder.at("a.tab")));
    EXPECT_EQ(content_of(folder.at(planted)), "mine");
    EXPECT_EQ(folder.names().size(), link ? 3u : 2u);
  }
}

// A run that was killed while it wrote leaves its temporary file to the next one that writes into the folder.
TEST(Writing, WhatAKilledRunLeftIsRemovedAndNothingElse) {
  const TempFolder first, folder;
  std::string left;
  {
    const io::OutputFile file(first.at("a.tab"));
    left = temporary_of(first);
  }
  const io::OutputFile held(first.at("a.tab"));  // of a run that goes on
  const std::string goes_on = temporary_of(first);
  fs::rename(first.at(goes_on), folder.at(goes_on));
  const std::vector<std::string> foreign{"a.tab.tmp-1", "a.tab.tmp-0123456789abcdef", "b" + left};
  for (const std::string& name : foreign) folder.file(name, "mine");
  folder.file(left, "half a file");
  write_bodies(folder.at("c.tab"), awkward_bodies(1, false));
  EXPECT_FALSE(fs::exists(folder.at(left)));
  EXPECT_TRUE(fs::exists(folder.at(goes_on)));
  for (const std::string& name : foreign) EXPECT_EQ(content_of(folder.at(name)), "mine") << name;
}

TEST(Writing, AProtectedFileStays) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  TempFolder folder;
  fs::permissions(folder.file("a.tab", "keep me"), fs::perms(0444));
  EXPECT_THROW(io::OutputFile(folder.at("a.tab")), FileError);
  EXPECT_THROW(io::require_writable(folder.at("a.tab")), FileError);
}

TEST(Writing, ALinkToAFileThatIsNotThereYetStaysALink) {
  TempFolder folder;
  fs::create_symlink("real.tab", folder.at("a.tab"));
  write_bodies(folder.at("a.tab"), awkward_bodies(1, false));
  EXPECT_TRUE(fs::is_symlink(folder.at("a.tab")));
  EXPECT_TRUE(fs::is_regular_file(folder.at("real.tab")));
  fs::create_symlink("round", folder.at("round"));
  EXPECT_THROW(io::OutputFile(folder.at("round")), FileError);
  EXPECT_TRUE(fs::is_symlink(folder.at("round")));
}

TEST(Writing, AnOpenFileIsWrittenThroughItsDescriptor) {
  TempFolder folder;
  const int fd = ::open(folder.file("log", "before\n").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(fd, 0);
  io::OutputFile file("/dev/fd/" + std::to_string(fd));
  file.write("after\n");
  file.commit();
  ::close(fd);
  EXPECT_EQ(content_of(folder.at("log")), "before\nafter\n");
}

TEST(Reading, APipeIsNoPlaceForSettings) {
  TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
  expect_parts(message_of<FileError>([&] { io::InputFile(folder.at("pipe"), io::Accepts::files); }),
               {"pipe or a device"});
  EXPECT_THROW(io::InputFile("/dev/zero", io::Accepts::files), FileError);
}

/// Ends what it watches at once.
struct Impatient final : ProgressSink {
  void report(const ProgressReport&) override { throw InterruptedError("interrupted"); }
};

TEST(Reading, AWaitForAPipeWithoutAWriterCanBeCancelled) {
  TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.at("p.csv").c_str(), 0600), 0);
  Impatient sink;
  const ScopedProgressSink bound(sink);
  EXPECT_THROW(read_bodies(folder.at("p.csv")), InterruptedError);
}

TEST(Writing, AWaitForAPipeWithoutAReaderCanBeCancelled) {
  TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.at("p.csv").c_str(), 0600), 0);
  EXPECT_THROW(io::OutputFile(folder.at("p.csv"), io::Accepts::files), FileError);
  Impatient sink;
  const ScopedProgressSink bound(sink);
  expect_parts(message_of<InterruptedError>([&] { io::OutputFile(folder.at("p.csv")); }), {"a reader of", "p.csv"});
  const int reader = ::open(folder.at("p.csv").c_str(), O_RDONLY | O_NONBLOCK);
  io::OutputFile(folder.at("p.csv")).write("");  // does not wait
  ::close(reader);
}

TEST(Writing, TemporaryNamesDifferEachTime) {
  TempFolder folder;
  std::vector<std::string> names;
  for (int k = 0; k < 4; ++k) {
    const io::OutputFile file(folder.at("a.tab"));
    names.push_back(temporary_of(folder));
    EXPECT_EQ(folder.names().size(), 1u);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_NE(names.front(), "");
}

TEST(Writing, PermissionsAreThoseOfTheUmaskOrOfTheEarlierFile) {
  TempFolder folder;
  const auto mode_of = [&](const std::string& name) { return fs::status(folder.at(name)).permissions(); };
  const mode_t before = ::umask(027);
  {
    io::OutputFile file(folder.at("a.tab"));
    EXPECT_EQ(mode_of(temporary_of(folder)), fs::perms(0640));
    file.commit();
  }
  EXPECT_EQ(mode_of("a.tab"), fs::perms(0640));
  fs::permissions(folder.at("a.tab"), fs::perms(0604));
  {
    io::OutputFile file(folder.at("a.tab"));
    EXPECT_EQ(mode_of(temporary_of(folder)), fs::perms(0604));
    file.commit();
  }
  EXPECT_EQ(mode_of("a.tab"), fs::perms(0604));
  ::umask(before);
}

TEST(Writing, KeepsPermissionsAndSymbolicLinks) {
  TempFolder folder;
  folder.file("real.csv", "old");
  fs::permissions(folder.at("real.csv"), fs::perms(0640));
  fs::create_symlink("real.csv", folder.at("link.csv"));
  const Bodies b = awkward_bodies(2, true);
  write_bodies(folder.at("link.csv"), b);
  EXPECT_TRUE(fs::is_symlink(folder.at("link.csv")));
  expect_same_bodies(read_bodies(folder.at("real.csv")), b);
  EXPECT_EQ(fs::status(folder.at("real.csv")).permissions(), fs::perms(0640));
}

TEST(Writing, ToInvalidPaths) {
  TempFolder folder;
  const Bodies b = awkward_bodies(1, false);
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("no/a.tab"), b); }),
               {"no/a.tab", "No such file or directory", "create the folder first"});
  fs::create_directory(folder.at("folder.tab"));
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("folder.tab"), b); }),
               {"folder.tab", "it is a folder"});
}

TEST(Writing, ToADeviceIsDirectAndAFullOneIsReported) {
  TempFolder folder;
  const Bodies b = awkward_bodies(1, false);
  fs::create_symlink("/dev/null", folder.at("null.tab"));
  write_bodies(folder.at("null.tab"), b);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/full", folder.at("full.npy"));
  expect_parts(message_of<FileError>([&] { write_bodies(folder.at("full.npy"), b); }),
               {"full.npy", "No space left on device", "free some space"});
}

/// While it exists, no file of this process grows beyond `bytes`, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST(Writing, AFullDiskKeepsTheEarlierFile) {
  TempFolder folder;
  const Bodies large = awkward_bodies(20000, false);
  for (const char* name : {"a.tab", "a.csv", "a.npy", "a.hdf5"}) {
    const Bodies small = awkward_bodies(3, false);
    write_bodies(folder.at(name), small);
    {
      const FileSizeLimit limit(100000);
      expect_parts(message_of<FileError>([&] { write_bodies(folder.at(name), large); }),
                   {name, "File too large", "free some space", "earlier file of that name is untouched"});
    }
    expect_same_bodies(read_bodies(folder.at(name)), small);
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.csv", "a.hdf5", "a.npy", "a.tab"}));
}

TEST(Writing, WithoutCommitTheOldFileStays) {
  TempFolder folder;
  const std::string path = folder.file("a.tab", "old");
  {
    io::OutputFile file(path);
    file.write("new");
    EXPECT_EQ(folder.names().size(), 2u);
    EXPECT_EQ(content_of(path), "old");
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.tab"});
  EXPECT_EQ(content_of(path), "old");
}

// Progress of file work: every reader and writer reports to the sink, and stops when the sink throws.

constexpr std::size_t kBodies = 130'000;  // some megabytes in every format

struct Seen {
  ProgressKind kind;
  std::string name;
  double done, whole;
};

/// Records all reports, and throws at a fraction of the work.
class Recorder final : public ProgressSink {
 public:
  explicit Recorder(double end_at = 2) : end_at_(end_at) {}
  void report(const ProgressReport& r) override {
    seen.push_back({r.kind, r.name, r.done, r.total});
    if (r.done >= end_at_ * r.total) throw InterruptedError("stopped by the test.");
  }
  std::vector<Seen> seen;

 private:
  double end_at_;
};

class ProgressOfFormats : public testing::TestWithParam<const char*> {};

TEST_P(ProgressOfFormats, IsReported) {
  TempFolder folder;
  const std::string path = folder.at(std::string("a") + GetParam());
  Bodies bodies = awkward_narrow_bodies(kBodies);
  make_storable(path, bodies, 0);
  Recorder recorder;
  {
    const ScopedProgressSink scope(recorder);
    write_bodies(path, bodies);
    expect_same_bodies(read_bodies(path), bodies);
  }
  for (const ProgressKind kind : {ProgressKind::writing, ProgressKind::reading}) {
    std::vector<Seen> of_kind;
    for (const Seen& one : recorder.seen) {
      if (one.kind == kind) of_kind.push_back(one);
    }
    ASSERT_GE(of_kind.size(), 3u);
    double before = 0;
    for (const Seen& one : of_kind) {
      EXPECT_EQ(one.name, path);
      EXPECT_EQ(one.whole, of_kind[0].whole);
      EXPECT_LE(before, one.done);
      before = one.done;
    }
    EXPECT_LE(of_kind.front().done, 0.5 * of_kind[0].whole);
    EXPECT_GE(before, 0.5 * of_kind[0].whole);
    EXPECT_LE(before, of_kind[0].whole);
  }
  const std::size_t reports = recorder.seen.size();
  read_bodies(path);
  EXPECT_EQ(recorder.seen.size(), reports) << "the scope has ended";
}

TEST_P(ProgressOfFormats, SinkCanStopTheWork) {
  TempFolder folder;
  const std::string path = folder.file(std::string("a") + GetParam(), "an earlier file");
  Bodies bodies = awkward_narrow_bodies(kBodies);
  make_storable(path, bodies, 0);
  Recorder stopper(0.4);
  const std::string before = content_of(path);
  {
    const ScopedProgressSink scope(stopper);
    EXPECT_THROW(write_bodies(path, bodies), InterruptedError);
  }
  EXPECT_EQ(content_of(path), before);
  EXPECT_EQ(folder.names().size(), 1u) << "no temporary file";
  write_bodies(path, bodies);
  {
    const ScopedProgressSink scope(stopper);
    EXPECT_THROW(read_bodies(path), InterruptedError);
  }
  expect_same_bodies(read_bodies(path), bodies);  // a file left open would block this
}

INSTANTIATE_TEST_SUITE_P(Every, ProgressOfFormats,
                         testing::Values(".tab", ".csv", ".npy", ".hdf5", ".tipsy", ".tipsy-le", ".tipsy-64", ".xyz",
                                         ".ply", ".vtp"),
                         [](const auto& one) {
                           std::string name = one.param + 1;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ScopedProgressSink, RestoresTheOuterSink) {
  Recorder outer, inner;
  const std::string name = "work";
  const ScopedProgressSink first(outer);
  {
    const ScopedProgressSink second(inner);
    report_progress(ProgressKind::computing, name, 1, 2);
  }
  report_progress(ProgressKind::computing, name, 2, 2);
  ASSERT_EQ(inner.seen.size(), 1u);
  ASSERT_EQ(outer.seen.size(), 1u);
  EXPECT_EQ(outer.seen[0].done, 2);
}

TEST(LoopProgress, ReportsNamedWorkAboutAHundredTimes) {
  Recorder recorder;
  const ScopedProgressSink scope(recorder);
  LoopProgress nameless(1000);
  for (u64 i = 1; i <= 1000; ++i) nameless.at(i);
  EXPECT_TRUE(recorder.seen.empty());
  const ScopedTask name("counting");
  for (const u64 whole : {u64{5}, u64{1000}, u64{1'000'000}}) {
    recorder.seen.clear();
    LoopProgress loop(whole);
    for (u64 i = 1; i <= whole; ++i) loop.at(i);
    EXPECT_GE(recorder.seen.size(), std::min<u64>(whole, 100));
    EXPECT_LE(recorder.seen.size(), 150u);
    EXPECT_EQ(recorder.seen[0].name, "counting");
    EXPECT_EQ(recorder.seen.back().whole, static_cast<double>(whole));
    EXPECT_GE(recorder.seen.back().done, 0.98 * static_cast<double>(whole));
  }
}

/// Work of hours is not told a hundred times, but so often that it can be cancelled soon.
TEST(LoopProgress, LongWorkIsReportedEveryTenthOfASecond) {
  Recorder recorder;
  const ScopedProgressSink scope(recorder);
  const ScopedTask name("waiting");
  LoopProgress loop(1'000'000'000);
  for (u64 i = 1; i <= 300; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    loop.at(20 * i);
  }
  EXPECT_GE(recorder.seen.size(), 8u) << "in 0.6 s";
}

}  // namespace
}  // namespace tri::test

// Valid files with random damage: every reader returns valid bodies or throws FileError, nothing else.

/// The sanitizers look these functions up by name. On a file with damaged tables HDF5 1.10 leaks some bytes, and
/// requests more memory than exists, which it tolerates.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }

namespace tri::test {
namespace {

constexpr int kRounds = 1500;

/// Cuts, flips, swaps, doubles or blanks a random part.
std::string damaged(std::string bytes, SplitMix64& random) {
  const auto place = [&] { return random.next() % bytes.size(); };
  const u64 wounds = 1 + random.next() % 4;
  for (u64 w = 0; w < wounds && !bytes.empty(); ++w) {
    switch (random.next() % 6) {
      case 0:
        bytes.resize(place());
        break;
      case 1:
        bytes[place()] ^= static_cast<char>(1u << (random.next() % 8));
        break;
      case 2:
        bytes[place()] = static_cast<char>(random.next());
        break;
      case 3:
        bytes.insert(place(), bytes.substr(place(), random.next() % 40));
        break;
      case 4:
        bytes.erase(place(), random.next() % 40);
        break;
      default:
        std::swap(bytes[place()], bytes[place()]);
        break;
    }
  }
  return bytes;
}

struct Outcome {
  int read = 0, refused = 0;
};

Outcome survive(const TempFolder& folder, const std::string& name, const std::function<void()>& read) {
  const std::string path = folder.at(name), bytes = content_of(path);
  SplitMix64 random{2024};
  Outcome outcome;
  for (int round = 0; round < kRounds; ++round) {
    folder.file(name, damaged(bytes, random));
    try {
      read();
      ++outcome.read;
    } catch (const FileError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      ++outcome.refused;
    }
  }
  return outcome;
}

class DamagedBodies : public testing::TestWithParam<const char*> {};
class DamagedPoints : public testing::TestWithParam<const char*> {};

TEST_P(DamagedBodies, AreValidOrRejected) {
  TempFolder folder;
  const std::string name = std::string("a.") + GetParam(), path = folder.at(name);
  const std::string format = GetParam();
  write_bodies(path, format == "tipsy" ? awkward_narrow_bodies(12) : awkward_bodies(12, format == "csv"));
  const Outcome outcome = survive(folder, name, [&] { check(read_bodies(path)); });
  EXPECT_GT(outcome.read, 10);
  EXPECT_GT(outcome.refused, 100);
}

TEST_P(DamagedPoints, AreValidOrRejected) {
  TempFolder folder;
  const std::string name = std::string("a.") + GetParam(), path = folder.at(name);
  write_bodies(path, awkward_bodies(12, false));
  const Outcome outcome = survive(folder, name, [&] {
    const PointSet p = read_points(path);
    ASSERT_EQ(p.values.size(), std::size_t{p.n} * p.features);
    ASSERT_TRUE(p.n > 0 && p.features > 0 && p.features <= 16);
    for (const double v : p.values) ASSERT_TRUE(std::isfinite(v));
  });
  EXPECT_GT(outcome.read, 10);
  EXPECT_GT(outcome.refused, 100);
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedBodies,
                         testing::Values("tab", "csv", "npy", "tipsy", "hdf5", "xyz", "ply", "vtp"), CaseName{});
INSTANTIATE_TEST_SUITE_P(Formats, DamagedPoints, testing::Values("csv", "npy"), CaseName{});

// A file truncated at any byte: never a crash, and never an incomplete row.
TEST(Truncation, AtEveryByte) {
  TempFolder folder;
  for (const char* name : {"a.tab", "a.csv", "a.npy"}) {
    const Bodies whole = awkward_bodies(3, false);
    write_bodies(folder.at(name), whole);
    const std::string bytes = content_of(folder.at(name));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      folder.file(name, bytes.substr(0, size));
      try {
        const Bodies b = read_bodies(folder.at(name));
        ASSERT_STRNE(name, "a.npy") << size;  // its header knows the size
        ASSERT_LE(b.size(), 3u);
        for (std::size_t i = 0; i + 1 < b.size(); ++i) ASSERT_EQ(b.x[i], whole.x[i]);
      } catch (const FileError&) {
      }
    }
  }
}

}  // namespace
}  // namespace tri::test
