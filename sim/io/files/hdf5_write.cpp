/// The HDF5 writer, in the format that every version of the library since 1.0 reads.

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "sim/base/contracts.hpp"
#include "sim/io/files/hdf5_file.hpp"
#include "sim/io/files/hdf5_handle.hpp"
#include "sim/io/files/hdf5_storage.hpp"

namespace tri::io {

namespace {

constexpr u64 kChunkValues = u64{1} << 17;

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

Hdf5Output::Hdf5Output(OutputFile& file) : state_(std::make_unique<State>(file)) {
  State& s = *state_;
  s.storage = {file.descriptor(), file.path(), 0, true, 0, 0};
  const Hdf5Handle access(hdf5_access(s.storage), H5Pclose);
  if (access) {
    s.id = Hdf5Handle(H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose);
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

void Hdf5Output::close() {
  const bool closed = state_->id.reset();
  state_->require(closed);
}

}  // namespace tri::io
