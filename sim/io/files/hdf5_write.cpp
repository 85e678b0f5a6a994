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
