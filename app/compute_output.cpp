#include "app/compute_output.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "sim/io/atomic_file.hpp"
#include "sim/io/format.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 16;

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

/// Lines of text, handed to the file in pieces.
class LineWriter {
 public:
  explicit LineWriter(const std::string& path) : file_(path) {}

  fmt::memory_buffer& buffer() {
    if (text_.size() >= kFlushBytes) flush();
    return text_;
  }
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

/// Values in rows of `columns`, shortest text that reads back to the same bits.
template <class Real>
void write_csv_rows(const std::string& path, const char* header, std::span<const Real> values, std::size_t columns) {
  LineWriter out(path);
  if (header != nullptr) fmt::format_to(std::back_inserter(out.buffer()), "{}\n", header);
  for (std::size_t i = 0; i < values.size(); ++i) {
    fmt::format_to(std::back_inserter(out.buffer()), FMT_COMPILE("{}{}"), values[i],
                   (i + 1) % columns == 0 ? '\n' : ',');
  }
  out.commit();
}

}  // namespace

void write_distances(const std::string& path, const DistanceResult& result) {
  std::visit(
      [&](const auto& values) {
        using Real = typename std::decay_t<decltype(values)>::value_type;
        const bool square = result.layout == DistanceLayout::square;
        if (is_npy(path)) {
          const std::vector<u64> shape =
              square ? std::vector<u64>{result.n, result.n} : std::vector<u64>{values.size()};
          write_npy(path, std::span<const Real>(values), shape);
        } else {
          write_csv_rows<Real>(path, nullptr, values, square ? result.n : 1);
        }
      },
      result.values);
}

void write_pairs(const std::string& path, const std::vector<std::pair<u32, u32>>& pairs) {
  std::vector<double> flat;
  flat.reserve(2 * pairs.size());
  for (const auto& [i, j] : pairs) flat.push_back(i), flat.push_back(j);
  if (is_npy(path)) {
    write_npy(path, std::span<const double>(flat), std::vector<u64>{pairs.size(), 2});
  } else {
    write_csv_rows<double>(path, "i,j", flat, 2);
  }
}

void write_counts(const std::string& path, const std::vector<u32>& counts) {
  std::vector<double> values;
  if (is_npy(path)) {
    values.assign(counts.begin(), counts.end());
    write_npy(path, std::span<const double>(values), std::vector<u64>{counts.size()});
    return;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) values.push_back(static_cast<double>(i)), values.push_back(counts[i]);
  write_csv_rows<double>(path, "body,contacts", values, 2);
}

void write_forces(const std::string& path, std::span<const double> fx, std::span<const double> fy,
                  std::span<const double> fz) {
  std::vector<double> rows;
  rows.reserve(3 * fx.size());
  for (std::size_t i = 0; i < fx.size(); ++i) rows.insert(rows.end(), {fx[i], fy[i], fz[i]});
  if (is_npy(path)) {
    write_npy(path, std::span<const double>(rows), std::vector<u64>{fx.size(), 3});
  } else {
    write_csv_rows<double>(path, "fx,fy,fz", rows, 3);
  }
}

}  // namespace tri::app
