// The C++ text of map files: compiled with the compiler of this build, it answers what the bytecode answers.

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

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
  return {cuda_text(*at.map, at.side, name), name, fill};
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
  test::expect_same_lines(test::output_of(test::map_program(cases, in_program)), want);
}

/// Expressions of w, y, a value of the side and earlier names, with numbers near the ends of 32 bits.
class RandomTile {
 public:
  explicit RandomTile(u32 seed) : random_(seed) {}

  std::string text() {
    std::string text;
    for (const char* name : {"a", "b", "c", "d"}) {
      text += std::string(name) + " = " + expression(3) + "\n";
      names_.push_back(name);
    }
    return text + "repeat w % 4 up to 3 {\n a = " + expression(1) + " >> 1\n}\nrow = (" + expression(2) +
           ") & 0xffff\ncol = (a ^ b ^ c ^ d) & 0xffff";
  }

 private:
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  std::string leaf() {
    static const char* const kNumbers[] = {"0",          "1",          "3",          "7",     "31",    "40",     "243",
                                           "2147483647", "2147483648", "4294967295", "65535", "46341", "1000003"};
    return below(3) == 0 ? kNumbers[below(13)] : names_[below(static_cast<u32>(names_.size()))];
  }
  std::string expression(u32 depth) {
    if (depth == 0) return leaf();
    const std::string a = expression(depth - 1), b = expression(below(depth));
    static const char* const kInfix[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "=="};
    switch (below(8)) {
      case 0:
        return "(" + leaf() + " < " + b + " ? " + a + " : " + b + ")";
      case 1:
        return "-" + std::string("(") + a + ")";
      case 2: {
        static const char* const kCalls[] = {"isqrt", "icbrt", "clz", "ctz", "popcount", "abs"};
        return kCalls[below(6)] + ("(" + a + ")");
      }
      case 3:
        return std::string(below(2) == 0 ? "min(" : "max(") + a + ", " + b + ")";
      default:
        return "(" + a + " " + kInfix[below(12)] + " " + b + ")";
    }
  }

  std::mt19937 random_;
  std::vector<std::string> names_ = {"w", "y", "m", "big", "(w - 77)", "(w*97612893)"};
};

TEST(CudaText, ComputesAtTheEndsOf32Bits) {
  std::vector<test::MapAt> cases;
  u32 narrow = 0, wide = 0;
  for (u32 seed = 0; cases.size() < 300 && seed < 100000; ++seed) {
    const auto map = test::map_of("pairs", "[\"m\", \"2\"]", RandomTile(seed).text(), "once = \"big = m << 29\"");
    bool faulty = false;
    for_each_answer(*map, 11, [&](const MetAt&, bool, bool fault) { return !(faulty |= fault); });
    if (faulty) continue;
    cases.push_back({map, 11});
    const std::string text = cuda_text(*map, 11, "Typed");
    narrow += text.find("tri::i32 r") != std::string::npos, wide += text.find("tri::i64 r") != std::string::npos;
  }
  EXPECT_EQ(cases.size(), 300u);
  EXPECT_GT(narrow, 200u);
  EXPECT_GT(wide, 200u);
  const std::string want = test::answers_of(cases);
  // Without warnings: nobody would type `3 < 3`.
  test::expect_same_lines(test::output_of(test::map_program(cases, in_program), "-w"), want);
}

TEST(CudaText, TakesAsFewBitsAsTheSideNeeds) {
  const auto lambda = MapFile::open(TRI_MAP_FILES "/lambda.toml");
  // 8w + 1 is below 2^31 up to 23,169 tiles a side, and below 2^32, where a root of 32 bits does, up to 32,767.
  const auto has = [&](u32 side, const char* part) {
    return cuda_text(*lambda, side, "Typed").find(part) != std::string::npos;
  };
  EXPECT_FALSE(has(23169, "tri::i64 r"));
  EXPECT_TRUE(has(23170, "tri::i64 r"));
  EXPECT_TRUE(has(32767, "floor_sqrt(static_cast<tri::u32>"));
  EXPECT_TRUE(has(32768, "floor_sqrt(static_cast<tri::u64>"));
  EXPECT_EQ(cuda_text(*lambda, 2, "Typed"), cuda_text(*lambda, 23169, "Typed"));
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
