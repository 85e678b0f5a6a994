// The C++ text of map files: compiled with the compiler of this build, it answers what the bytecode answers.

#include <gtest/gtest.h>

#include <filesystem>

#include "sim/mapfile/cuda_text.hpp"
#include "tests/sim/mapfile/map_program.hpp"
#include "tests/sim/mapfile/map_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::mapfile {
namespace {

namespace fs = std::filesystem;

test::MapInProgram in_program(std::size_t k, const test::MapAt& at) {
  const std::string name = "Typed" + std::to_string(k);
  const DeviceMap values = device_map(*at.map, at.side);
  std::string fill;
  const auto put = [&](const char* member, const auto& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      fill += "    map." + std::string(member) + "[" + std::to_string(i) + "] = " + std::to_string(from[i]) + ";\n";
    }
  };
  put("once", values.once), put("wide", values.wide), put("high", values.high);
  return {cuda_text(*at.map, name), name, fill};
}

TEST(CudaText, AnswersWhatTheBytecodeAnswers) {
  std::vector<test::MapAt> cases;
  for (const auto& entry : fs::directory_iterator(TRI_MAP_FILES)) {
    const auto map = MapFile::open(entry.path().string());
    const bool gasket = map->info().domain == Domain::gasket;
    for (const u32 side : {1u, gasket ? 2u : 7u, gasket ? 32u : 21u, gasket ? 64u : 40u}) cases.push_back({map, side});
  }
  // What no shipped map has: every other operation.
  const std::string all =
      "a = w - 5\nb = ~a ^ -a\nc = abs(a) + min(a, 3) - max(a, 2) + clz(a) + ctz(a) + popcount(b)\n"
      "d = mulhi(a << 40, b << 30) + (a != b) + (a == 5) + (a <= b && c > 0) + (a < 3 || !c)\n"
      "e = odd[w % 3] - -9223372036854775807 / 4\nidle = w % 7 == 3\nk = 0\nrepeat w % 4 up to 3 {\n k = k + d % 3 + "
      "icbrt(w)\n}\n"
      "row = k + d + e & 0xffff; col = c + isqrt(w) | 1; col = col & 0xffff";
  cases.push_back({test::map_of("pairs", "[[\"3\", \"4\", \"5\"], [\"m\"]]", all,
                                "once = \"q = 3*m\"\ntables = {odd = [-1, 3, 500]}"),
                   30});
  const std::string want = test::answers_of(cases);
  EXPECT_GT(want.size(), 10000u);
  EXPECT_EQ(test::output_of(test::map_program(cases, in_program)), want);
}

TEST(CudaText, MorePassesThanADeviceTakesAreRefused) {
  const auto map = test::map_of("pairs", "[\"m\"]", "row = x; col = 0", "passes = \"m\"");
  EXPECT_EQ(device_map(*map, 64).wide.size(), 64u);
  test::expect_parts(test::message_of<ConfigError>([&] { device_map(*map, 65); }), {"65 passes", "--backend cpu"});
  test::expect_parts(
      test::message_of<ConfigError>([&] { device_map(*test::map_of("pairs", "[\"1/0\"]", "row=0;col=0"), 3); }),
      {"by 0"});
}

}  // namespace
}  // namespace tri::mapfile
