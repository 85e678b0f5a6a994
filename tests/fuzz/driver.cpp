// A mutator for compilers without libFuzzer: damages the seeds in a fixed order, so that failures are reproducible.
//
//     TRI_FUZZ=tab fuzz_driver SEED_FOLDER COUNT [FIRST]
//
// Input i depends on the seeds and i only. If an input ends the program, its number is printed.

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sim/base/numbers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

volatile unsigned long long now = 0;  // of the input in progress, for the signal handler

void tell(int signal) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "fuzz: signal %d at input %llu\n", signal, now);
  if (size > 0 && write(2, text, static_cast<std::size_t>(size)) < 0) _exit(3);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::string> seeds_of(const std::string& folder) {
  std::vector<std::string> names, seeds;
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return seeds;
  while (const dirent* entry = readdir(entries)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  closedir(entries);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    std::ifstream in(folder + "/" + name, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// Values at the limits of common types.
const std::string kWords[] = {"-1",
                              "0",
                              "1e999",
                              "nan",
                              "inf",
                              "99999999999",
                              "18446744073709551615",
                              "4294967295",
                              "\n",
                              ",",
                              "\"",
                              "=",
                              " ",
                              "<",
                              ">",
                              "[",
                              "]]",
                              "--",
                              "{",
                              "#",
                              ":",
                              std::string(8, '\xff'),
                              std::string(4, '\0'),
                              std::string("\x7f\xff\xff\xff", 4)};

std::string damaged(std::string bytes, const std::vector<std::string>& seeds, tri::SplitMix64& random) {
  const auto place = [&] { return bytes.empty() ? 0 : random.next() % (bytes.size() + 1); };
  const auto length = [&] { return 1 + random.next() % (1u << (random.next() % 8)); };
  for (tri::u64 wounds = 1 + random.next() % 5; wounds > 0; --wounds) {
    const std::string& other = seeds[random.next() % seeds.size()];
    switch (random.next() % 8) {
      case 0:
        bytes.resize(place());
        break;
      case 1:
        if (!bytes.empty()) bytes[random.next() % bytes.size()] ^= static_cast<char>(1u << (random.next() % 8));
        break;
      case 2:
        if (!bytes.empty()) bytes[random.next() % bytes.size()] = static_cast<char>(random.next());
        break;
      case 3:
        bytes.erase(place(), length());
        break;
      case 4:
        bytes.insert(place(), bytes.substr(place(), length()));
        break;
      case 5:
        bytes.insert(place(), kWords[random.next() % std::size(kWords)]);
        break;
      case 6:
        bytes.replace(place(), length(), kWords[random.next() % std::size(kWords)]);
        break;
      default:
        bytes.insert(place(), other.substr(other.empty() ? 0 : random.next() % other.size(), length()));
        break;
    }
  }
  return bytes;
}

void give(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "TRI_FUZZ=TARGET %s SEED_FOLDER COUNT [FIRST]\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> seeds = seeds_of(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 2;
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map far more than they use
  // Memory that a few kilobytes of input do not justify is a failure.
  const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS}) std::signal(signal, tell);
  for (const std::string& seed : seeds) give(seed);
  const unsigned long long count = std::strtoull(argv[2], nullptr, 10);
  const unsigned long long first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  for (unsigned long long i = first; i < first + count; ++i) {
    now = i;
    tri::SplitMix64 random{i * 0x9E3779B97F4A7C15ull + 1};
    give(damaged(seeds[random.next() % seeds.size()], seeds, random));
  }
  std::printf("%llu inputs from %zu seeds: each ended as it must\n", count, seeds.size());
  return 0;
}
