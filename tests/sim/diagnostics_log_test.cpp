/// The CSV file of a run: its columns, every digit, on disk after every row.

#include "sim/diagnostics_log.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/error_messages.hpp"
#include "tests/support/oracle_backend.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) numbers.push_back(std::stod(field));
  return numbers;
}

class LogFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("tri-log-" + std::to_string(::getpid()) + ".csv")).string();
};

TEST_F(LogFile, HasEveryColumnToTheLastBit) {
  OracleBackend backend;
  Simulation sim(make_scene("plummer:n=50"), backend, {});
  DiagnosticsLog log(path_);
  EXPECT_EQ(lines_of(path_),
            std::vector<std::string>{"step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial_ratio,cx,cy,cz"});
  std::vector<DiagnosticsRow> rows;
  for (int i = 0; i < 3; ++i) {
    rows.push_back(sim.diagnostics());
    log.write(rows.back());
    const auto lines = lines_of(path_);  // the log is still open: rows are written immediately
    ASSERT_EQ(lines.size(), rows.size() + 1);
    const DiagnosticsRow& row = rows.back();
    const Diagnostics& d = row.values;
    const std::vector<double> expected{static_cast<double>(row.step),
                                       row.time,
                                       d.kinetic,
                                       d.potential,
                                       d.kinetic + d.potential,
                                       d.momentum[0],
                                       d.momentum[1],
                                       d.momentum[2],
                                       d.angular_momentum[0],
                                       d.angular_momentum[1],
                                       d.angular_momentum[2],
                                       2 * d.kinetic / std::abs(d.virial),
                                       d.centre[0],
                                       d.centre[1],
                                       d.centre[2]};
    EXPECT_EQ(numbers_of(lines.back()), expected);
    sim.advance(7);
  }
  EXPECT_EQ(rows[2].step, 14u);
  EXPECT_EQ(numbers_of(lines_of(path_)[3])[0], 14.0);
}

TEST_F(LogFile, HasTheLengthsOfAutomaticSteps) {
  DiagnosticsRow row;
  row.step = 3, row.dt = 0.0625;
  DiagnosticsLog(path_, StepKind::automatic).write(row);
  EXPECT_TRUE(lines_of(path_)[0].ends_with(",cz,dt"));
  EXPECT_TRUE(lines_of(path_)[1].ends_with(",0.0625"));
  EXPECT_THROW(DiagnosticsLog(path_, 3), FileError) << "the log of another kind of run";
  const DiagnosticsLog again(path_, 3, StepKind::automatic);
  EXPECT_FALSE(again.is_new());
}

TEST_F(LogFile, StartsEmpty) {
  std::ofstream(path_) << "old\nold\nold\n";
  DiagnosticsLog log(path_);
  EXPECT_EQ(lines_of(path_).size(), 1u);
}

TEST_F(LogFile, HasOneWriterAtATime) {
  {
    DiagnosticsLog log(path_);
    log.write({});
    const auto lines = lines_of(path_);
    const std::vector<std::string> says{path_, "another run", "name another file"};
    expect_parts(message_of<FileError>([&] { DiagnosticsLog other(path_); }), says);
    expect_parts(message_of<FileError>([&] { DiagnosticsLog other(path_, 0); }), says);
    EXPECT_EQ(lines_of(path_), lines);
  }
  EXPECT_NO_THROW(DiagnosticsLog(path_, 0));
  EXPECT_EQ(lines_of(path_).size(), 2u);
}

TEST_F(LogFile, ReportsAnUnwritableFile) {
  expect_parts(message_of<FileError>([] { DiagnosticsLog("/no-such-folder/e.csv"); }),
               {"/no-such-folder/e.csv", "No such file or directory", "check the folder"});
  expect_parts(message_of<FileError>([] { DiagnosticsLog("/dev/full"); }),
               {"/dev/full", "No space left on device", "free some space"});
}

/// A log with rows for these steps, followed by `more`.
void write_log(const std::string& path, const std::vector<int>& steps, const std::string& more = "") {
  std::ofstream out(path);
  out << kDiagnosticsColumns << '\n';
  for (const int step : steps) out << step << ",1,2,3\n";
  out << more;
}

TEST_F(LogFile, ContinuesWithoutDuplicateRows) {
  write_log(path_, {0, 10, 20, 30, 35}, "40,1,2");  // the last row is incomplete after a kill
  {
    DiagnosticsLog log(path_, 20);
    EXPECT_FALSE(log.is_new());
    EXPECT_EQ(log.rows_removed(), 2u);
    DiagnosticsRow row;
    row.step = 30;
    log.write(row);
  }
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], kDiagnosticsColumns);
  EXPECT_EQ(lines[3], "20,1,2,3");
  EXPECT_EQ(numbers_of(lines[4])[0], 30);
  EXPECT_EQ(numbers_of(lines[4]).size(), 15u);
}

TEST_F(LogFile, ContinuesWithANewFile) {
  const DiagnosticsLog log(path_, 20);
  EXPECT_TRUE(log.is_new());
  EXPECT_EQ(lines_of(path_), (std::vector<std::string>{kDiagnosticsColumns}));
}

TEST_F(LogFile, AnIncompleteHeaderIsRejected) {
  std::ofstream(path_) << "step,ti";
  EXPECT_THROW(DiagnosticsLog(path_, 20), FileError);
}

TEST_F(LogFile, AnotherFileIsKept) {
  const std::string others[] = {"x,y,z\n1,2,3\n", std::string(kDiagnosticsColumns) + "\n10,1\nzebra,1\n",
                                std::string(kDiagnosticsColumns) + "\n10,1\n5,1\n"};
  for (const std::string& other : others) {
    std::ofstream(path_) << other;
    expect_parts(message_of<FileError>([&] { DiagnosticsLog log(path_, 7); }), {"name another file"});
    std::ifstream in(path_);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), other);
  }
}

}  // namespace
}  // namespace tri::test
