/// tipsy (N-Body Shop, University of Washington): a header, then gas, dark and star particles as records of float32.
///
///     header   time f64, total count i32, dimensions i32, gas i32, dark i32, star i32  (28 bytes; 32 with the word of
///              padding that 64-bit compilers and the XDR form of the format add)
///     gas      m x y z vx vy vz  rho temperature smoothing metals potential                  48 bytes
///     dark     m x y z vx vy vz  softening potential                                         36 bytes
///     star     m x y z vx vy vz  metals time-of-birth softening potential                    44 bytes
///
/// The file does not name its dialect: the byte order is the one in which the counts are consistent, the header length
/// the one that matches the file size. Some programs (Bonsai) store an id instead of the potential; if the padding word
/// is 2, a 64-bit id instead of softening and potential. Mass, position and velocity are the same in all dialects. A
/// file with more than one kind of particle gives groups: 0 gas, 1 dark, 2 star.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "sim/io/formats.hpp"

namespace tri::io {

namespace {

constexpr std::size_t kShortHeader = 28, kLongHeader = 32;
constexpr std::size_t kChunkRecords = 8192;
constexpr std::size_t kKept = 7;  // m x y z vx vy vz, at the start of every record
constexpr std::array<const char*, kKept> kFieldNames{"m", "x", "y", "z", "vx", "vy", "vz"};
constexpr i32 kWideIds = 2;  // Bonsai's version word for 64-bit ids

struct Kind {
  const char* name;
  std::size_t bytes;
};
constexpr std::array<Kind, 3> kKinds{{{"gas", 48}, {"dark", 36}, {"star", 44}}};

struct TipsyHeader {
  double time = 0;
  bool big = false;
  std::size_t bytes = kLongHeader;
  std::array<u64, 3> counts{};  ///< gas, dark, star
  u32 dimensions = 3;
  i32 padding = 0;                    ///< the word after a short header; in a file without padding, the first mass
  std::array<char, 4> raw_padding{};  ///< its bytes in the file
  u64 total() const { return counts[0] + counts[1] + counts[2]; }
  u64 body_bytes() const {
    u64 sum = 0;
    for (std::size_t k = 0; k < kKinds.size(); ++k) sum += counts[k] * kKinds[k].bytes;
    return sum;
  }
};

/// The header in this byte order; nullopt if its counts are inconsistent.
std::optional<TipsyHeader> parsed(const std::array<char, kLongHeader>& raw, bool big) {
  const auto word = [&](std::size_t at) { return item_at<u32>(&raw[at], is_swapped(big)); };
  TipsyHeader h;
  h.big = big;
  h.time = item_at<double>(raw.data(), is_swapped(big));
  h.dimensions = word(12);
  for (std::size_t k = 0; k < 3; ++k) h.counts[k] = word(16 + 4 * k);
  h.padding = static_cast<i32>(word(kShortHeader));
  std::copy(raw.begin() + kShortHeader, raw.end(), h.raw_padding.begin());
  constexpr u64 kMax = 0x7FFFFFFF;
  const bool valid =
      word(8) == h.total() && h.total() > 0 && h.total() <= kMax && h.dimensions >= 1 && h.dimensions <= 3;
  return valid ? std::optional<TipsyHeader>(h) : std::nullopt;
}

TipsyHeader read_header(InputFile& file) {
  const std::string& path = file.path();
  if (!file.size()) throw FileError(fmt::format("cannot read '{}': tipsy needs a file, not a pipe.", path));
  std::array<char, kLongHeader> raw{};
  const std::size_t got = file.read(raw.data(), raw.size());
  const std::optional<TipsyHeader> big = got >= kShortHeader ? parsed(raw, true) : std::nullopt;
  const std::optional<TipsyHeader> little = got >= kShortHeader ? parsed(raw, false) : std::nullopt;
  if (!big && !little) {
    throw FileError(
        fmt::format("'{}' does not start with a tipsy header in either byte order; does it have another format, or is "
                    "it cut off?",
                    path));
  }
  TipsyHeader h = big ? *big : *little;
  if (h.dimensions != 3) {
    throw FileError(fmt::format("'{}' has {} dimensions; bodies need 3.", path, h.dimensions));
  }
  const u64 size = *file.size();
  if (size != h.body_bytes() + kShortHeader && size != h.body_bytes() + kLongHeader) {
    throw FileError(
        fmt::format("'{}' announces {} gas, {} dark and {} star particles, {} bytes with the header, but has {}: it is "
                    "cut off, or in a dialect with other records; write it again.",
                    path, h.counts[0], h.counts[1], h.counts[2], h.body_bytes() + kLongHeader, size));
  }
  h.bytes = static_cast<std::size_t>(size - h.body_bytes());
  return h;
}

/// Guesses what the last words of dark and star particles are: potentials are floats of any magnitude and sign, ids are
/// integers not much larger than the count.
std::string ids_of(const TipsyHeader& h, u32 largest_last_word) {
  if (h.bytes == kLongHeader && h.padding == kWideIds) return ", 64-bit ids";
  const bool ids = largest_last_word > 0 && largest_last_word < std::max<u64>(u64{1} << 23, 4 * h.total());
  const bool padded = h.bytes == kLongHeader && h.padding != 0;
  return fmt::format("{}{}", ids ? ", 32-bit ids" : "", padded ? ", non-zero padding" : "");
}

std::string note_of(const std::string& path, const TipsyHeader& h, u32 largest_last_word) {
  return fmt::format(
      "'{}' is read as {}-endian tipsy with a header of {} bytes{}: {} gas, {} dark, {} star particles. Only mass, "
      "position and velocity are used.",
      path, h.big ? "big" : "little", h.bytes, ids_of(h, largest_last_word), h.counts[0], h.counts[1], h.counts[2]);
}

/// Reads the records of a file sequentially.
class Records {
 public:
  Records(InputFile& file, const TipsyHeader& h) : file_(file), swapped_(is_swapped(h.big)) {}

  /// `before`: the bytes of the first record that were already read.
  void read(const Kind& kind, u64 count, std::span<const char> before, Bodies& to) {
    std::vector<char> chunk(kChunkRecords * kind.bytes);
    for (u64 done = 0; done < count;) {
      const u64 now = std::min<u64>(kChunkRecords, count - done);
      const std::size_t bytes = static_cast<std::size_t>(now) * kind.bytes;
      std::copy(before.begin(), before.end(), chunk.begin());
      const std::size_t got = file_.read(chunk.data() + before.size(), bytes - before.size());
      if (got != bytes - before.size()) {
        throw FileError(
            fmt::format("'{}' ends in its {} particles; it changed while being read.", file_.path(), kind.name));
      }
      before = {};
      for (u64 i = 0; i < now; ++i, ++done) add(&chunk[i * kind.bytes], kind, done, to);
    }
  }

  /// Of the dark and star particles so far.
  u32 largest_last_word() const { return largest_last_word_; }

 private:
  void add(const char* record, const Kind& kind, u64 index, Bodies& to) {
    std::array<double, kKept> v{};
    for (std::size_t c = 0; c < kKept; ++c) {
      v[c] = static_cast<double>(item_at<float>(record + 4 * c, swapped_));
      if (std::isfinite(v[c]) && (c > 0 || v[0] >= 0)) continue;
      throw FileError(
          fmt::format("'{}', {} particle {} (from 0): {} is {}; every value must be finite, and a mass 0 or "
                      "more.",
                      file_.path(), kind.name, index, kFieldNames[c], v[c]));
    }
    to.add(v[1], v[2], v[3], v[4], v[5], v[6], v[0]);
    if (&kind != &kKinds[0]) {
      largest_last_word_ = std::max(largest_last_word_, item_at<u32>(record + kind.bytes - sizeof(u32), swapped_));
    }
  }

  InputFile& file_;
  bool swapped_;
  u32 largest_last_word_ = 0;
};

/// The value as float32; throws FileError if it is not representable.
float exact(const OutputFile& file, double value, const char* column, std::size_t body) {
  const auto narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) != value) {
    throw FileError(fmt::format(
        "cannot write '{}': {} = {:.17g} of body {} is not a float32, which tipsy stores; use .hdf5, or run "
        "with --precision fp32.",
        file.path(), column, value, body));
  }
  return narrow;
}

enum class Ids : u8 { none, word, wide };

void write_tipsy(OutputFile& file, const Bodies& b, double time, bool big, Ids ids) {
  if (b.size() > 0x7FFFFFFF) {
    throw FileError(fmt::format("cannot write '{}': tipsy counts at most 2147483647 bodies; use .hdf5.", file.path()));
  }
  std::array<char, kLongHeader> header{};  // no gas, no stars
  const bool swapped = is_swapped(big);
  put_item(header.data(), time, swapped);
  const auto n = static_cast<u32>(b.size());
  put_item(&header[8], n, swapped), put_item(&header[12], 3, swapped), put_item(&header[20], n, swapped);
  if (ids == Ids::wide) put_item(&header[kShortHeader], kWideIds, swapped);
  file.write(header.data(), header.size());
  const std::array<const std::vector<double>*, kKept> columns{&b.m, &b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz};
  for (std::size_t i = 0; i < b.size(); ++i) {
    file.progress(i, b.size());
    std::array<char, 36> record{};  // softening and potential stay 0 without ids
    static_assert(record.size() == kKinds[1].bytes);
    for (std::size_t c = 0; c < kKept; ++c) {
      put_item(&record[4 * c], exact(file, (*columns[c])[i], kFieldNames[c], i), swapped);
    }
    // A 64-bit id spans softening and potential; little-endian, so its low word comes first.
    if (ids != Ids::none) put_item(&record[ids == Ids::wide ? 28 : 32], static_cast<u32>(i), swapped);
    file.write(record.data(), record.size());
  }
}

}  // namespace

Bodies read_tipsy(const std::string& path, ReadReport& reading) {
  InputFile file(path);
  const TipsyHeader h = read_header(file);
  Bodies bodies;
  reserve(bodies, h.total());  // checked against the file size
  // With a short header, the first four bytes of the first record were read with it.
  std::span<const char> before(h.raw_padding.data(), kLongHeader - h.bytes);
  Records records(file, h);
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (h.counts[k] == 0) continue;
    const std::size_t first = bodies.size();
    records.read(kKinds[k], h.counts[k], before, bodies);
    if (h.counts[k] < h.total()) bodies.set_group(first, static_cast<std::uint16_t>(k));
    before = {};
  }
  reading.notes.push_back(note_of(path, h, records.largest_last_word()));
  if (std::isfinite(h.time)) {
    reading.time = h.time;
  } else {
    reading.notes.push_back(fmt::format("'{}': the time {} is no finite number and is not used.", path, h.time));
  }
  return bodies;
}

void write_tipsy_standard(OutputFile& file, const Bodies& bodies, const StateInfo& state) {
  write_tipsy(file, bodies, state.time, true, Ids::none);
}
void write_tipsy_native(OutputFile& file, const Bodies& bodies, const StateInfo& state) {
  write_tipsy(file, bodies, state.time, false, Ids::word);
}
void write_tipsy_wide_ids(OutputFile& file, const Bodies& bodies, const StateInfo& state) {
  write_tipsy(file, bodies, state.time, false, Ids::wide);
}

}  // namespace tri::io
