// VTK files with zlib-compressed arrays, made here with zlib.

#include <zlib.h>

#include <bit>

#include "sim/io/format.hpp"
#include "tests/sim/io/io_support.hpp"

namespace tri::test {
namespace {

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
