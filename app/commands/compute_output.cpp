#include "app/commands/compute_output.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sim/io/files/atomic_file.hpp"
#include "sim/io/format.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

bool is_npy(const std::string& path) { return format_name(path) == "npy"; }

/// Lines of text, written to the file in chunks.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path) : file_(path) {}

  fmt::memory_buffer& buffer() {
    if (text_.size() >= kFlushBytes) flush();
    return text_;
  }
  void progress(u64 done, u64 total) const { file_.progress(done, total); }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(text_.data(), text_.size());
    text_.clear();
  }

  io::OutputFile file_;
  fmt::memory_buffer text_;
};

/// `rows` rows of `columns` values each, with the shortest text that reads back to the same bits.
template <class At>
void write_csv_rows(const std::string& path, const char* header, u64 rows, u64 columns, const At& at) {
  LineWriter out(path);
  if (header != nullptr) fmt::format_to(std::back_inserter(out.buffer()), "{}\n", header);
  for (u64 r = 0; r < rows; ++r) {
    out.progress(r, rows);
    for (u64 c = 0; c < columns; ++c) {
      fmt::format_to(fmt::appender(out.buffer()), FMT_COMPILE("{}{}"), at(r, c), c + 1 == columns ? '\n' : ',');
    }
  }
  out.commit();
}

/// The same as npy, [rows] or [rows, columns] of Value; neither needs a second copy of the values.
template <class Value, class At>
void write_table(const std::string& path, const char* header, u64 rows, u64 columns, const At& at) {
  if (!is_npy(path)) return write_csv_rows(path, header, rows, columns, at);
  const std::vector<u64> shape = columns == 1 ? std::vector<u64>{rows} : std::vector<u64>{rows, columns};
  write_npy(path, shape, [&](u64 first, u64 count, Value* to) {
    for (u64 i = first; i < first + count; ++i) *to++ = static_cast<Value>(at(i / columns, i % columns));
  });
}

}  // namespace

void write_pairs(const std::string& path, const std::vector<std::pair<u32, u32>>& pairs) {
  write_table<i64>(path, "i,j", pairs.size(), 2,
                   [&](u64 r, u64 c) { return c == 0 ? pairs[r].first : pairs[r].second; });
}

void write_counts(const std::string& path, const std::vector<u32>& counts) {
  const u64 columns = is_npy(path) ? 1 : 2;
  write_table<i64>(path, "body,contacts", counts.size(), columns,
                   [&](u64 r, u64 c) { return c + 1 == columns ? u64{counts[r]} : r; });
}

void write_triple_counts(const std::string& path, const SideBins& bins, const TripleCounts& result) {
  const u64 b = result.bins;
  if (is_npy(path)) {
    constexpr auto kLargest = static_cast<u64>(std::numeric_limits<i64>::max());
    if (const u64 most = *std::max_element(result.counts.begin(), result.counts.end()); most > kLargest) {
      throw FileError(fmt::format("cannot write '{}': the count {} is beyond int64; use .csv.", path, most));
    }
    write_npy(path, std::array<u64, 3>{b, b, b}, [&](u64 first, u64 count, i64* to) {
      for (u64 c = first; c < first + count; ++c) *to++ = static_cast<i64>(result.counts[c]);
    });
    return;
  }
  LineWriter out(path);
  fmt::format_to(std::back_inserter(out.buffer()), "low1,high1,low2,high2,low3,high3,count\n");
  for (u64 c = 0; c < result.counts.size(); ++c) {
    if (result.counts[c] == 0) continue;
    for (const u64 side : {c / (b * b), c / b % b, c % b}) {
      fmt::format_to(std::back_inserter(out.buffer()), "{},{},", bins.edges[side], bins.edges[side + 1]);
    }
    fmt::format_to(std::back_inserter(out.buffer()), "{}\n", result.counts[c]);
  }
  out.commit();
}

void write_forces(const std::string& path, std::span<const double> fx, std::span<const double> fy,
                  std::span<const double> fz) {
  const std::array<std::span<const double>, 3> axes{fx, fy, fz};
  write_table<double>(path, "fx,fy,fz", fx.size(), 3, [&](u64 r, u64 c) { return axes[c][r]; });
}

}  // namespace tri::app
