/// HDF5: reading and writing by the library.
///
/// Shared by the HDF5 reader and writer: an owning id, initialisation of the library, and its error messages.

#include "sim/files/hdf5.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <hdf5.h>

#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"

namespace tri::io {

/// Owns an id of the library together with the function that closes it.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }

  hid_t get() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }
  /// Closes now; false when the library fails to.
  bool reset() noexcept { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// An open HDF5 file, whoever reads it.

void fail_hdf5(const std::string& path, const std::string& object, const std::string& what) {
  throw FileError(fmt::format("'{}': {} {}.", path, object, what));
}

Hdf5Input::Hdf5Input(const std::string& path) : file_(path) {
  if (!file_.size()) throw FileError(fmt::format("cannot read '{}': HDF5 needs a file, not a pipe.", path));
  require_hdf5_memory();
  reader_ = start_hdf5_process(file_.descriptor(), path, *file_.size());
  if (reader_ != nullptr) return;
  values_.resize(2 * kMaxHdf5Values);
  reader_ = read_hdf5_here(file_.descriptor(), path, *file_.size(), values_);
}

void Hdf5Input::fail(const std::string& object, const std::string& what) const { fail_hdf5(path(), object, what); }

std::span<const double> Hdf5Input::rows(const std::string& dataset, u64 first, u64 count) const {
  const std::span<const double> values = reader_->rows(dataset, first, count);
  const u64 size = *file_.size(), done = std::min(reader_->bytes_read(), size);  // some are read twice
  report_progress(ProgressKind::reading, path(), static_cast<double>(done), static_cast<double>(size));
  return values;
}

// HDF5 read by the library. Sizes claimed by a file are checked against the file before memory is allocated for them.

namespace {

constexpr std::size_t kMaxNumbers = 64;
constexpr std::size_t kMaxText = 32768;
constexpr double kExactIntegers = 0x1p53;

herr_t first_message(unsigned /*depth*/, const H5E_error2_t* error, void* text) {
  auto& message = *static_cast<std::string*>(text);
  if (message.empty() && error->desc != nullptr) message = error->desc;
  return 0;
}

herr_t collect_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

/// Whether a type is a real or an integer whose bit fields lie within its bytes. The library (1.10) converts by the
/// type in the file; if that is damaged, it overruns its buffers.
bool holds_numbers(hid_t type) {
  constexpr std::size_t kMaxBits = 128, kMaxExponent = 32;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT) return false;
  const std::size_t bits = 8 * H5Tget_size(type);
  const auto within = [bits](std::size_t begin, std::size_t count) {
    return count > 0 && count <= bits && begin <= bits - count;
  };
  const int offset = H5Tget_offset(type);
  if (bits > kMaxBits || offset < 0 || !within(static_cast<std::size_t>(offset), H5Tget_precision(type))) return false;
  if (kind == H5T_INTEGER) return true;
  std::size_t sign = 0, exponent = 0, exponent_size = 0, mantissa = 0, mantissa_size = 0;
  return H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 && within(sign, 1) &&
         within(exponent, exponent_size) && exponent_size <= kMaxExponent && within(mantissa, mantissa_size);
}

/// Initialises the library, turns its own error output off and acquires the global lock.
std::unique_lock<std::mutex> hdf5_lock() {
  static std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  static const bool started = [] {
    H5dont_atexit();  // all files are closed explicitly; an exit handler could only repeat a failed close
    return H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  }();
  static_cast<void>(started);
  return lock;
}

/// The library's innermost message for its last failure; "unknown reason" where it has none.
std::string hdf5_reason() {
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_message, &message);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message.empty() ? "unknown reason" : message;
}

/// Name and number of the dataset's first filter that this library lacks; "" when there is none.
std::string missing_filter(hid_t set) {
  const Hdf5Handle list(H5Dget_create_plist(set), H5Pclose);
  const int count = list ? H5Pget_nfilters(list.get()) : 0;
  for (int k = 0; k < count; ++k) {
    std::array<char, 64> name{};
    std::size_t values = 0;
    unsigned flags = 0, config = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list.get(), static_cast<unsigned>(k), &flags, &values, nullptr,
                                               name.size() - 1, name.data(), &config);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0) {
      return fmt::format("{}, number {}", in_quotes(name.data()), filter);
    }
  }
  return "";
}

/// By the library, in this process.
class Library final : public Hdf5Reader {
 public:
  Library(int fd, const std::string& path, u64 size, std::span<double> values)
      : lock_(hdf5_lock()), storage_{fd, path, size, false, 0, 0}, values_(values) {
    const Hdf5Handle access(hdf5_access(storage_), H5Pclose);
    if (access) id_ = Hdf5Handle(H5Fopen(hdf5_name(storage_).c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!id_) {
      throw FileError(
          fmt::format("cannot read '{}' as HDF5 ({}); is it complete, and in this format?", path, hdf5_reason()));
    }
  }

  bool has(const std::string& object) override {
    // H5Lexists() requires that all parent links exist.
    for (std::size_t at = object.find('/', 1);; at = object.find('/', at + 1)) {
      const std::string part = object.substr(0, at);
      if (H5Lexists(id_.get(), part.c_str(), H5P_DEFAULT) <= 0) return false;
      H5L_info_t link{};
      if (H5Lget_info(id_.get(), part.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_EXTERNAL) {
        fail(part, "is a link to another file; copy its target into this one (h5copy -f ext)");
      }
      if (at == std::string::npos) return true;
    }
  }

  std::vector<std::string> members(const std::string& group) override {
    std::vector<std::string> names;
    const Hdf5Handle g(H5Gopen2(id_.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
    if (!g || H5Literate(g.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names) < 0) {
      fail(group, fmt::format("cannot be read as a group ({}); the file may be damaged", hdf5_reason()));
    }
    return names;
  }

  bool has_attribute(const std::string& object, const std::string& name) override {
    return H5Aexists_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  }

  std::vector<double> numbers(const std::string& object, const std::string& name) override {
    const Hdf5Handle a = attribute(object, name);
    const Hdf5Handle space(H5Aget_space(a.get()), H5Sclose), type(H5Aget_type(a.get()), H5Tclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.get());
    if (count < 1 || count > static_cast<hssize_t>(kMaxNumbers) || !holds_numbers(type.get())) {
      fail(object, fmt::format("has an attribute {} that is not 1 to {} numbers", name, kMaxNumbers));
    }
    std::vector<double> values(static_cast<std::size_t>(count));
    if (H5Aread(a.get(), H5T_NATIVE_DOUBLE, values.data()) < 0) {
      fail(object, fmt::format("has an attribute {} that cannot be read ({})", name, hdf5_reason()));
    }
    const bool integers = H5Tget_class(type.get()) == H5T_INTEGER;
    if (integers && std::any_of(values.begin(), values.end(), [](double v) { return v > kExactIntegers; })) {
      fail(object, fmt::format("has an attribute {} beyond 2^53", name));
    }
    return values;
  }

  u64 integer(const std::string& object, const std::string& name) override {
    const Hdf5Handle a = attribute(object, name);
    const Hdf5Handle space(H5Aget_space(a.get()), H5Sclose), type(H5Aget_type(a.get()), H5Tclose);
    u64 value = 0;
    if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_class(type.get()) != H5T_INTEGER ||
        !holds_numbers(type.get()) || H5Aread(a.get(), H5T_NATIVE_UINT64, &value) < 0) {
      fail(object, fmt::format("has an attribute {} that is not one integer", name));
    }
    return value;
  }

  std::string text(const std::string& object, const std::string& name) override {
    const Hdf5Handle a = attribute(object, name);
    const Hdf5Handle space(H5Aget_space(a.get()), H5Sclose), type(H5Aget_type(a.get()), H5Tclose);
    const std::size_t size = H5Tget_size(type.get());
    const bool is_text = H5Tget_class(type.get()) == H5T_STRING && H5Sget_simple_extent_npoints(space.get()) == 1;
    if (is_text && H5Tis_variable_str(type.get()) > 0) {  // as h5py writes str and bytes
      char* read = nullptr;
      const bool is_read = H5Aread(a.get(), type.get(), static_cast<void*>(&read)) >= 0;
      std::string value(read == nullptr ? "" : std::string(read, strnlen(read, kMaxText + 1)));
      H5free_memory(read);
      if (is_read && value.size() <= kMaxText) return value;
    }
    const bool fits = is_text && H5Tis_variable_str(type.get()) == 0 && size <= kMaxText;
    std::string value(fits ? size : 0, '\0');
    if (!fits || H5Aread(a.get(), type.get(), value.data()) < 0) {
      fail(object, fmt::format("has an attribute {} that is not a string of at most {} bytes", name, kMaxText));
    }
    return value.substr(0, value.find('\0'));
  }

  Hdf5Shape shape(const std::string& name) override {
    const Hdf5Handle set = dataset(name);
    const Hdf5Handle space(H5Dget_space(set.get()), H5Sclose), type(H5Dget_type(set.get()), H5Tclose);
    const Hdf5Handle list(H5Dget_create_plist(set.get()), H5Pclose);
    if (!holds_numbers(type.get())) fail(name, "does not hold numbers of a valid type");
    const int dimensions = H5Sget_simple_extent_ndims(space.get());
    std::array<hsize_t, 2> sizes{0, 1};
    if (dimensions < 1 || dimensions > 2 || H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr) < 0) {
      fail(name, fmt::format("has {} dimensions; only 1 or 2 are read", dimensions));
    }
    if (H5Pget_layout(list.get()) == H5D_VIRTUAL || H5Pget_external_count(list.get()) > 0) {
      fail(name, "keeps its data in another file; copy it into one first (h5repack -l CONTI)");
    }
    const double claimed =
        static_cast<double>(sizes[0]) * static_cast<double>(sizes[1]) * static_cast<double>(H5Tget_size(type.get()));
    const double stored = static_cast<double>(H5Dget_storage_size(set.get()));
    const bool filtered = H5Pget_nfilters(list.get()) > 0;
    const double max_bytes = filtered ? max_expanded(stored) : stored;
    // The library fills in missing bytes of a contiguous dataset, so it must end within the file.
    const bool contiguous = H5Pget_layout(list.get()) == H5D_CONTIGUOUS;
    const haddr_t offset = contiguous ? H5Dget_offset(set.get()) : 0;
    const double end = (offset == HADDR_UNDEF ? 0 : static_cast<double>(offset)) + stored;
    if (claimed > max_bytes || end > static_cast<double>(storage_.end)) {
      fail(name, fmt::format("announces {} x {} values, but the file holds {:.0f} bytes for them: it is cut off or "
                             "damaged; copy it again",
                             sizes[0], sizes[1], stored));
    }
    return {sizes[0], sizes[1], static_cast<u32>(dimensions)};
  }

  std::span<const double> rows(const std::string& name, u64 first, u64 count) override {
    const Hdf5Handle set = dataset(name);
    const Hdf5Handle space(H5Dget_space(set.get()), H5Sclose);
    std::array<hsize_t, 2> sizes{0, 1}, start{first, 0};
    const int dimensions = H5Sget_simple_extent_ndims(space.get());
    if (dimensions < 1 || dimensions > 2 || H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr) < 0 ||
        count > kMaxHdf5Values || (count > 0 && sizes[1] > kMaxHdf5Values / count)) {
      fail(name, "has rows that cannot be read at once");
    }
    second_half_ = !second_half_;
    const std::span<double> to = values_.subspan(second_half_ ? kMaxHdf5Values : 0, kMaxHdf5Values);
    const std::array<hsize_t, 2> part{count, sizes[1]};
    const hsize_t values = count * sizes[1];
    const Hdf5Handle memory(H5Screate_simple(1, &values, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr) < 0 ||
        H5Dread(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, to.data()) < 0) {
      const std::string reason = hdf5_reason(), filter = missing_filter(set.get());
      if (!filter.empty()) {
        fail(name, fmt::format("is compressed by the filter {}, which this HDF5 lacks; write it with gzip, or set "
                               "HDF5_PLUGIN_PATH to the folder that has the filter",
                               filter));
      }
      fail(name, fmt::format("cannot be read ({}); the file may be damaged, copy it again", reason));
    }
    return to.first(static_cast<std::size_t>(values));
  }

  u64 bytes_read() const override { return storage_.read; }

 private:
  [[noreturn]] void fail(const std::string& object, const std::string& what) const {
    fail_hdf5(storage_.path, object, what);
  }
  Hdf5Handle dataset(const std::string& name) const {
    Hdf5Handle set(H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set)
      fail(name, fmt::format("cannot be opened as a dataset ({}); the file may be cut off or damaged", hdf5_reason()));
    return set;
  }
  Hdf5Handle attribute(const std::string& object, const std::string& name) const {
    Hdf5Handle a(H5Aopen_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!a && H5Aexists_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) == 0) {
      fail(object, fmt::format("has no attribute {}; bodies in HDF5 are read in the GADGET layout, so add it", name));
    }
    if (!a) fail(object, fmt::format("cannot be read ({}); the file may be damaged, copy it again", hdf5_reason()));
    return a;
  }

  std::unique_lock<std::mutex> lock_;
  Hdf5Storage storage_;
  std::span<double> values_;
  bool second_half_ = false;
  Hdf5Handle id_;  // last member, so destroyed first
};

}  // namespace

std::unique_ptr<Hdf5Reader> read_hdf5_here(int fd, const std::string& path, u64 size, std::span<double> values) {
  return std::make_unique<Library>(fd, path, size, values);
}

// The HDF5 writer, in the format that every version of the library since 1.0 reads.

namespace {

constexpr u64 kChunkValues = u64{1} << 17;

constexpr u64 kMaxChunks = 4096;

/// Rows of a chunk: kChunkValues or more values, in no more than kMaxChunks chunks.
u64 chunk_rows_of(const Hdf5Shape& shape) {
  const u64 rows = std::max((shape.rows + kMaxChunks - 1) / kMaxChunks, kChunkValues / std::max<u64>(1, shape.columns));
  return std::clamp<u64>(rows, 1, std::max<u64>(1, shape.rows));
}

u64 chunks_of(const Hdf5Shape& shape) { return shape.rows == 0 ? 0 : (shape.rows - 1) / chunk_rows_of(shape) + 1; }

/// The library takes metadata from blocks of this size. With a reserved dataset there is room for the index of its
/// chunks, half full as rising insertions leave it, and for all else, so that nothing comes between the chunks.
u64 metadata_block(const Hdf5Shape& reserved) {
  constexpr u64 kDefault = 2048, kRest = 16384, kIndexBytes = 128;
  return reserved.rows == 0 ? kDefault : kRest + kIndexBytes * chunks_of(reserved);
}

hid_t file_type(Hdf5Type type) {
  switch (type) {
    case Hdf5Type::real32:
      return H5T_IEEE_F32LE;
    case Hdf5Type::real64:
      return H5T_IEEE_F64LE;
    case Hdf5Type::whole32:
      return H5T_STD_U32LE;
  }
  TRI_UNREACHABLE("an Hdf5Type outside its enum");
}

}  // namespace

struct Hdf5Output::State {
  explicit State(OutputFile& to) : file(to), lock(hdf5_lock()) {}
  OutputFile& file;
  std::unique_lock<std::mutex> lock;
  Hdf5Storage storage;
  u64 values = 0, expected = 0;  ///< of datasets
  Hdf5Handle id;

  void require(bool holds) const {
    if (storage.error != 0) file.fail_write(storage.error);
    if (!holds) throw FileError(fmt::format("cannot write '{}' as HDF5 ({}).", file.path(), hdf5_reason()));
  }
  void attribute(const std::string& object, const std::string& name, hid_t type, hid_t memory_type, hid_t space,
                 const void* data) const {
    const Hdf5Handle a(
        H5Acreate_by_name(id.get(), object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    require(a && H5Awrite(a.get(), memory_type, data) >= 0);
  }
  void numbers(const std::string& object, const std::string& name, hid_t type, hid_t memory_type, const void* data,
               std::size_t count) const {
    const hsize_t size = count;
    const Hdf5Handle space(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose);
    attribute(object, name, type, memory_type, space.get(), data);
  }
};

Hdf5Output::Hdf5Output(OutputFile& file, Hdf5Shape reserved) : state_(std::make_unique<State>(file)) {
  require_hdf5_memory();
  State& s = *state_;
  s.storage = {file.descriptor(), file.path(), 0, true, 0, 0};
  const Hdf5Handle access(hdf5_access(s.storage), H5Pclose);
  if (access && H5Pset_meta_block_size(access.get(), metadata_block(reserved)) >= 0) {
    s.id = Hdf5Handle(H5Fcreate(hdf5_name(s.storage).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
  }
  s.require(static_cast<bool>(s.id));
}

Hdf5Output::~Hdf5Output() = default;

void Hdf5Output::group(const std::string& name) {
  const Hdf5Handle g(H5Gcreate2(state_->id.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  state_->require(static_cast<bool>(g));
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, double value) {
  state_->numbers(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, 1);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  state_->numbers(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), values.size());
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, i32 value) {
  state_->numbers(object, name, H5T_STD_I32LE, H5T_NATIVE_INT32, &value, 1);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, u64 value) {
  state_->numbers(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value, 1);
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, std::span<const u32> values) {
  state_->numbers(object, name, H5T_STD_U32LE, H5T_NATIVE_UINT32, values.data(), values.size());
}

void Hdf5Output::attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  // Includes the terminating zero, so that an empty string has a size too.
  state_->require(H5Tset_size(type.get(), text.size() + 1) >= 0 && H5Tset_cset(type.get(), H5T_CSET_UTF8) >= 0);
  state_->attribute(object, name, type.get(), type.get(), space.get(), text.c_str());
}

void Hdf5Output::expect(u64 values) { state_->expected = values; }

void Hdf5Output::dataset(const std::string& name, Hdf5Type type, Hdf5Shape shape, const RowsAt& rows_at) {
  const std::array<hsize_t, 2> sizes{shape.rows, shape.columns};
  const int dimensions = static_cast<int>(shape.dimensions);
  TRI_EXPECTS(dimensions == 2 || (dimensions == 1 && shape.columns == 1));
  const Hdf5Handle space(H5Screate_simple(dimensions, sizes.data(), nullptr), H5Sclose);
  const Hdf5Handle set(
      H5Dcreate2(state_->id.get(), name.c_str(), file_type(type), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  state_->require(static_cast<bool>(set));
  const u64 chunk_rows = std::max<u64>(1, kChunkValues / shape.columns);
  std::vector<double> chunk(static_cast<std::size_t>(std::min(chunk_rows, shape.rows) * shape.columns));
  for (u64 first = 0; first < shape.rows; first += chunk_rows) {
    const u64 count = std::min(chunk_rows, shape.rows - first);
    rows_at(first, count, chunk.data());
    const std::array<hsize_t, 2> start{first, 0}, part{count, shape.columns};
    const hsize_t values = count * shape.columns;
    const Hdf5Handle memory(H5Screate_simple(1, &values, nullptr), H5Sclose);
    state_->require(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr) >=
                        0 &&
                    H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, chunk.data()) >= 0);
    state_->values += values;
    report_progress(ProgressKind::writing, state_->file.path(), static_cast<double>(state_->values),
                    static_cast<double>(state_->expected));
  }
}

u64 Hdf5Output::reserve(const std::string& name, Hdf5Type type, Hdf5Shape shape) {
  const std::array<hsize_t, 2> sizes{shape.rows, shape.columns};
  const int dimensions = static_cast<int>(shape.dimensions);
  const u64 chunk_rows = chunk_rows_of(shape), chunks = chunks_of(shape);
  const u64 chunk_bytes = chunk_rows * shape.columns * (type == Hdf5Type::real64 ? 8 : 4);
  if (chunk_bytes >= u64{1} << 32) {
    throw FileError(
        fmt::format("cannot write '{}': a chunk of it would have {} bytes, and HDF5 allows 4 GiB; use .npy.",
                    state_->file.path(), chunk_bytes));
  }
  const Hdf5Handle space(H5Screate_simple(dimensions, sizes.data(), nullptr), H5Sclose);
  const Hdf5Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const std::array<hsize_t, 2> chunk{chunk_rows, shape.columns};
  state_->require(H5Pset_alloc_time(how.get(), H5D_ALLOC_TIME_EARLY) >= 0 &&
                  H5Pset_fill_time(how.get(), H5D_FILL_TIME_NEVER) >= 0 &&
                  // The same bytes at any time of the day.
                  H5Pset_obj_track_times(how.get(), false) >= 0 &&
                  (chunks == 0 || H5Pset_chunk(how.get(), dimensions, chunk.data()) >= 0));
  const Hdf5Handle set(
      H5Dcreate2(state_->id.get(), name.c_str(), file_type(type), space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT),
      H5Dclose);
  state_->require(static_cast<bool>(set));
  u64 begin = 0;
  for (u64 c = 0; c < chunks; ++c) {
    const std::array<hsize_t, 2> at{c * chunk_rows, 0};
    unsigned filtered_out = 0;
    haddr_t address = 0;
    hsize_t bytes = 0;
    state_->require(H5Dget_chunk_info_by_coord(set.get(), at.data(), &filtered_out, &address, &bytes) >= 0);
    if (c == 0) begin = address;
    TRI_ENSURES(address == begin + c * chunk_bytes);  // metadata_block()
  }
  return begin;
}

void Hdf5Output::close() {
  const bool closed = state_->id.reset();
  state_->require(closed);
}

}  // namespace tri::io
