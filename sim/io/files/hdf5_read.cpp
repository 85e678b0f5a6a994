/// HDF5 read by the library. Sizes claimed by a file are checked against the file before memory is allocated for them.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sim/io/files/atomic_file.hpp"
#include "sim/io/files/hdf5_handle.hpp"
#include "sim/io/files/hdf5_reader.hpp"
#include "sim/io/files/hdf5_storage.hpp"
#include "sim/io/files/text_input.hpp"

namespace tri::io {

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

}  // namespace

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

std::string hdf5_reason() {
  std::string message;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_message, &message);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message.empty() ? "unknown reason" : message;
}

namespace {

/// By the library, in this process.
class Library final : public Hdf5Reader {
 public:
  Library(int fd, const std::string& path, u64 size, std::span<double> values)
      : lock_(hdf5_lock()), storage_{fd, path, size, false, 0, 0}, values_(values) {
    const Hdf5Handle access(hdf5_access(storage_), H5Pclose);
    if (access) id_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!id_) {
      throw FileError(
          fmt::format("cannot read '{}' as HDF5 ({}); is it complete, and in this format?", path, hdf5_reason()));
    }
  }

  bool has(const std::string& object) override;
  std::vector<std::string> members(const std::string& group) override;
  bool has_attribute(const std::string& object, const std::string& name) override;
  std::vector<double> numbers(const std::string& object, const std::string& name) override;
  u64 integer(const std::string& object, const std::string& name) override;
  std::string text(const std::string& object, const std::string& name) override;
  Hdf5Shape shape(const std::string& dataset) override;
  std::span<const double> rows(const std::string& dataset, u64 first, u64 count) override;
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

bool Library::has(const std::string& object) {
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

std::vector<std::string> Library::members(const std::string& group) {
  std::vector<std::string> names;
  const Hdf5Handle g(H5Gopen2(id_.get(), group.c_str(), H5P_DEFAULT), H5Gclose);
  if (!g || H5Literate(g.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names) < 0) {
    fail(group, fmt::format("cannot be read as a group ({}); the file may be damaged", hdf5_reason()));
  }
  return names;
}

bool Library::has_attribute(const std::string& object, const std::string& name) {
  return H5Aexists_by_name(id_.get(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<double> Library::numbers(const std::string& object, const std::string& name) {
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

u64 Library::integer(const std::string& object, const std::string& name) {
  const Hdf5Handle a = attribute(object, name);
  const Hdf5Handle space(H5Aget_space(a.get()), H5Sclose), type(H5Aget_type(a.get()), H5Tclose);
  u64 value = 0;
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tget_class(type.get()) != H5T_INTEGER ||
      !holds_numbers(type.get()) || H5Aread(a.get(), H5T_NATIVE_UINT64, &value) < 0) {
    fail(object, fmt::format("has an attribute {} that is not one integer", name));
  }
  return value;
}

std::string Library::text(const std::string& object, const std::string& name) {
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

Hdf5Shape Library::shape(const std::string& name) {
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

std::span<const double> Library::rows(const std::string& name, u64 first, u64 count) {
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

}  // namespace

std::unique_ptr<Hdf5Reader> read_hdf5_here(int fd, const std::string& path, u64 size, std::span<double> values) {
  return std::make_unique<Library>(fd, path, size, values);
}

}  // namespace tri::io
