#include "app/commands/distance_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "app/support/axes.hpp"
#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/format.hpp"
#include "sim/io/npy_header.hpp"

namespace tri::app {

DistanceFile::DistanceFile(const std::string& path, u32 n, DistanceLayout layout, Precision precision,
                           const std::optional<io::PartFile::Facts>& facts)
    : n_(n),
      layout_(layout),
      format_(format_name(path) == "npy"    ? Format::npy
              : format_name(path) == "hdf5" ? Format::hdf5
                                            : Format::csv),
      file_(path, n, facts) {
  if (file_.done() > 0) return;
  write_head(precision);
  file_.head_is_written();
}

void DistanceFile::write_head(Precision precision) {
  const bool fp32 = precision == Precision::fp32, square = layout_ == DistanceLayout::square;
  const u64 count = distance_count(n_, layout_);
  if (format_ == Format::npy) {
    const std::vector<u64> shape = square ? std::vector<u64>{n_, n_} : std::vector<u64>{count};
    io::write_npy_header(file_.file(), fp32 ? "<f4" : "<f8", shape);
  } else if (format_ == Format::hdf5) {
    const io::Hdf5Shape shape = square ? io::Hdf5Shape{n_, n_, 2} : io::Hdf5Shape{count, 1, 1};
    io::Hdf5Output output(file_.file(), shape);
    const u64 begin = output.reserve("distances", fp32 ? io::Hdf5Type::real32 : io::Hdf5Type::real64, shape);
    output.attribute("distances", "points", n_);
    output.attribute("distances", "layout", std::string(to_string(layout_)));
    output.close();
    if (begin > 0) file_.file().go_to(begin);
  }
}

template <class Real>
void DistanceFile::write_piece(const Real* values, u64 count) {
  if (format_ != Format::csv) return file_.write(values, count * sizeof(Real));
  const u64 columns = layout_ == DistanceLayout::square ? n_ : 1;
  fmt::memory_buffer text;
  for (u64 k = 0; k < count; ++k) {
    column_ = column_ + 1 == columns ? 0 : column_ + 1;
    fmt::format_to(fmt::appender(text), FMT_COMPILE("{}{}"), values[k], column_ == 0 ? '\n' : ',');
  }
  file_.write(text.data(), text.size());
}

void DistanceFile::write(const DistanceValues& values, u32 last, const std::function<void()>& before_piece) {
  constexpr u64 kPiece = u64{1} << 16;
  std::visit(
      [&](const auto& all) {
        for (u64 first = 0; first < all.size(); first += kPiece) {
          before_piece();
          write_piece(all.data() + first, std::min<u64>(kPiece, all.size() - first));
        }
      },
      values);
  file_.count(last);
}

}  // namespace tri::app
