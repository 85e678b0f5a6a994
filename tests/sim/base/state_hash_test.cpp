/// FNV-1a against its authors' test vectors.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/state_hash.hpp"

namespace tri {
namespace {

u64 hash_of(std::string_view text) { return fnv1a(kFnvOffset, text.data(), text.size()); }

TEST(StateHash, KnownVectors) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8ull);
}

TEST(StateHash, PiecesGiveTheWhole) {
  EXPECT_EQ(fnv1a(hash_of("foo"), "bar", 3), hash_of("foobar"));
  const std::vector<float> values{1.0f, -0.0f, 3.5f};
  const std::span<const float> all(values);
  EXPECT_EQ(fnv1a(fnv1a(kFnvOffset, all.first(1)), all.subspan(1)), fnv1a(kFnvOffset, all));
}

TEST(StateHash, EveryBitCounts) {
  const std::vector<float> zero{0.0f}, minus_zero{-0.0f};
  EXPECT_NE(fnv1a(kFnvOffset, std::span<const float>(zero)), fnv1a(kFnvOffset, std::span<const float>(minus_zero)));
}

TEST(WordHashes, PiecesGiveTheWholeAndEveryBitAndTheLengthCount) {
  std::string text = "the quick brown fox jumps over the lazy dog";
  const auto hash = [](const std::string& bytes, std::size_t piece) {
    WordHash all;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      all.add(bytes.data() + at, std::min(piece, bytes.size() - at));
    return all.value();
  };
  const u64 whole = hash(text, text.size());
  for (const std::size_t piece : {1, 3, 7, 8, 9, 16}) EXPECT_EQ(hash(text, piece), whole) << piece;
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(hash(text, text.size()), whole) << bit;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
  }
  EXPECT_NE(hash(text + '\0', 5), whole);
}

TEST(StateHash, SixteenDigits) {
  EXPECT_EQ(hash_text(0x0123456789abcdefull), "0123456789abcdef");
  EXPECT_EQ(hash_text(7), "0000000000000007");
}

}  // namespace
}  // namespace tri
