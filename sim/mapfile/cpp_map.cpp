#include "sim/mapfile/cpp_map.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "cpp_map_driver.hpp"
#include "cpp_map_prelude.hpp"
#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"
#include "sim/base/progress.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/child_process.hpp"
#include "sim/mapfile/cpp_run.hpp"
#include "sim/mapfile/map_file.hpp"
#include "sim/maps/map_check.hpp"

namespace tri::mapfile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEndings[] = {".hpp", ".h", ".cpp", ".cc", ".cu", ".cuh"};
constexpr u64 kCompilerMemory = u64{4} << 30;
constexpr std::size_t kMaxOutput = 1u << 16, kOutputLines = 8;
constexpr u64 kMoreTiles = 1024;  // than twice those of the domain: enough to see what is wrong
constexpr int kCompilePollMs = 50;

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Small letters and digits alone.
std::string squeezed(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) text += static_cast<char>(std::tolower(c));
  }
  return text;
}

/// The class of a text whose name is that of the file, but for capitals and underscores; "" if there is none.
std::string class_named(std::string_view text, const std::string& name) {
  for (const std::string_view key : {"class ", "struct ", "using "}) {
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
      const std::size_t begin = std::min(text.find_first_not_of(' ', at + key.size()), text.size());
      std::size_t end = begin;
      while (end < text.size() && in_word(text[end])) ++end;
      const std::string_view word = text.substr(begin, end - begin);
      if (!word.empty() && squeezed(word) == squeezed(name)) return std::string(word);
    }
  }
  return "";
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string chosen_compiler(const CppSetup& setup) {
  if (!setup.compiler.empty()) return setup.compiler;
  const char* cxx = std::getenv("CXX");
  return cxx != nullptr && *cxx != '\0' ? cxx : "c++";
}

/// What a compiler said, from the first error on.
std::string first_lines(int output) {
  std::string text(kMaxOutput, '\0');
  const ssize_t got = pread(output, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  const std::size_t error = text.find("error");
  std::size_t begin = error == std::string::npos ? 0 : text.rfind('\n', error) + 1, end = begin;  // npos + 1 is 0
  for (std::size_t line = 0; line < kOutputLines && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  text = text.substr(begin, end - begin);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw FileError(fmt::format("{} cannot be written; look at TMPDIR.", path));
}

u64 tiles_of_domain(Domain domain, u32 side) {
  if (domain == Domain::triangle) return TriangleCells{side, false}.count();
  if (domain == Domain::tetrahedron) return TetraCells{side, false}.count();
  return GasketCells{side}.count();
}

}  // namespace

bool is_cpp_map(std::string_view path) {
  return std::any_of(std::begin(kEndings), std::end(kEndings), [&](auto ending) { return path.ends_with(ending); });
}

std::string map_headers_of(const std::string& program) {
  const auto holds = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "maps/map_concepts.hpp", ignored) && fs::exists(folder / "base/platform.hpp", ignored);
  };
  const fs::path folder = fs::path(program).parent_path();
  if (const fs::path installed = folder.parent_path() / "include/triangulum"; holds(installed)) return installed;
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path()) {
    if (holds(above / "sim")) return above / "sim";
  }
  return "";
}

CppMap::CppMap(const std::string& path, const CppSetup& setup)
    : path_(path), name_(fs::path(path).stem().string()), setup_(setup) {
  std::error_code fault;
  const std::string program = fs::read_symlink("/proc/self/exe", fault).string();
  const std::string headers = setup.headers.empty() ? map_headers_of(program) : setup.headers;
  if (headers.empty()) {
    throw FileError(
        fmt::format("{}: a map in C++ is compiled with the map headers, and there is no include/triangulum "
                    "beside {}; install the program with its headers (cmake --install).",
                    path, fs::path(program).parent_path().string()));
  }
  const std::string compiler = chosen_compiler(setup);
  if (words_of(compiler).empty() || io::find_program(words_of(compiler)[0]).empty()) {
    throw ConfigError(fmt::format("{}: there is no C++ compiler {}; install one, or name one in CXX.", path, compiler));
  }
  folder_ = (fs::temp_directory_path(fault) / "triangulum-map-XXXXXX").string();
  if (fault || mkdtemp(folder_.data()) == nullptr) {
    throw FileError(fmt::format("no folder for temporary files can be made ({}); look at TMPDIR.", folder_));
  }
  try {
    compile(compiler, headers);
    const CppAnswers said(folder_ + "/map", 0, setup_, 0);
    if (!said.why_not().empty()) throw FileError(fmt::format("{}: before the first tile {}.", path, said.why_not()));
    const u64 most = said.domain() == Domain::tetrahedron ? kExactTetraSide : kExactTriangleSide;
    info_ = {name_.c_str(),
             said.domain(),
             Space::block,
             "in C++",
             path_.c_str(),
             "each side that is proved",
             said.limit() == 0 ? most : std::min(most, said.limit()),
             nullptr,
             false};
  } catch (...) {
    fs::remove_all(folder_, fault);
    throw;
  }
}

CppMap::~CppMap() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void CppMap::compile(const std::string& compiler, const std::string& headers) {
  io::InputFile file(path_);
  std::string text(kMaxFile + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  if (text.size() > kMaxFile) throw FileError(fmt::format("{}: a map has at most 1 MiB.", path_));
  write_text(folder_ + "/prelude.cpp", embedded::cpp_map_prelude),
      write_text(folder_ + "/driver.cpp", embedded::cpp_map_driver);
  std::error_code fault;
  fs::create_directory_symlink(fs::absolute(headers, fault), folder_ + "/triangulum", fault);

  std::vector<std::string> words = words_of(compiler);
  io::ChildSetup child_setup{io::find_program(words[0]), {words.begin() + 1, words.end()}, {}, {"TMPDIR=" + folder_}};
  std::vector<std::string>& a = child_setup.arguments;
  a.insert(a.end(), {"-std=c++20", "-O1", "-w", "-I", folder_, "-I", headers + "/maps"});
  a.insert(a.end(), {"-include", folder_ + "/prelude.cpp", "-include", path_.starts_with('-') ? "./" + path_ : path_});
  if (const std::string name = class_named(text, name_); !name.empty()) a.push_back("-DTRI_MAP_CLASS=" + name);
  a.insert(a.end(), {folder_ + "/driver.cpp", "-o", folder_ + "/map"});
  const io::Descriptor output(memfd_create("triangulum-compiler", MFD_CLOEXEC));
  if (output.get() < 0) throw FileError(fmt::format("no memory for what {} says.", compiler));
  child_setup.files = {{output.get(), STDOUT_FILENO}, {output.get(), STDERR_FILENO}};
  child_setup.memory = kCompilerMemory, child_setup.seconds = static_cast<u64>(setup_.compile_seconds) + 1;

  io::ChildProcess child(child_setup);
  if (child.error() != 0) {
    throw FileError(fmt::format("{} cannot be started: {}.", compiler, std::strerror(child.error())));
  }
  const std::string task = fmt::format("compiling {}", path_);
  const auto start = std::chrono::steady_clock::now();
  while (!child.ended(kCompilePollMs)) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_progress(ProgressKind::computing, task, elapsed, setup_.compile_seconds);
    if (elapsed > setup_.compile_seconds) {
      throw FileError(fmt::format("{}: {} does not compile it within {} s.", path_, compiler, setup_.compile_seconds));
    }
  }
  const int status = child.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw FileError(fmt::format("{}: {} does not compile it:\n{}", path_, compiler, first_lines(output.get())));
  }
}

std::string CppMap::size_refusal(u32 side) const {
  const u64 tiles = tiles_of_domain(info_.domain, side);
  if (tiles <= kMaxCppTiles) return {};
  return fmt::format("a map in C++ is proved up to {} tiles, and at m = {} there are {}.", kMaxCppTiles, side, tiles);
}

std::shared_ptr<const Answers> CppMap::answers(u32 side) const {
  const u64 tiles = tiles_of_domain(info_.domain, side);
  require_memory(static_cast<double>(tiles * sizeof(CppAnswers::Tile)), fmt::format("the tiles of {}", name_),
                 "Take a smaller side");
  return std::make_shared<CppAnswers>(folder_ + "/map", side, setup_, 2 * tiles + kMoreTiles);
}

}  // namespace tri::mapfile
