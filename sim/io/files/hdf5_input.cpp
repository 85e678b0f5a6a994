/// An open HDF5 file, whoever reads it.

#include <fmt/core.h>
#include <algorithm>

#include "sim/io/files/hdf5_reader.hpp"

namespace tri::io {

void fail_hdf5(const std::string& path, const std::string& object, const std::string& what) {
  throw FileError(fmt::format("'{}': {} {}.", path, object, what));
}

struct Hdf5Input::State {
  explicit State(const std::string& path) : file(path) {
    if (!file.size()) throw FileError(fmt::format("cannot read '{}': HDF5 needs a file, not a pipe.", path));
    require_hdf5_memory();
    reader = start_hdf5_process(file.descriptor(), path, *file.size());
    if (reader != nullptr) return;
    values.resize(2 * kMaxHdf5Values);
    reader = read_hdf5_here(file.descriptor(), path, *file.size(), values);
  }

  InputFile file;
  std::vector<double> values;  ///< of a reader in this process
  std::unique_ptr<Hdf5Reader> reader;
};

Hdf5Input::Hdf5Input(const std::string& path) : state_(std::make_unique<State>(path)) {}
Hdf5Input::~Hdf5Input() = default;

const std::string& Hdf5Input::path() const noexcept { return state_->file.path(); }

void Hdf5Input::fail(const std::string& object, const std::string& what) const { fail_hdf5(path(), object, what); }

bool Hdf5Input::has(const std::string& object) const { return state_->reader->has(object); }

std::vector<std::string> Hdf5Input::members(const std::string& group) const { return state_->reader->members(group); }

bool Hdf5Input::has_attribute(const std::string& object, const std::string& name) const {
  return state_->reader->has_attribute(object, name);
}

std::vector<double> Hdf5Input::numbers(const std::string& object, const std::string& name) const {
  return state_->reader->numbers(object, name);
}

u64 Hdf5Input::integer(const std::string& object, const std::string& name) const {
  return state_->reader->integer(object, name);
}

std::string Hdf5Input::text(const std::string& object, const std::string& name) const {
  return state_->reader->text(object, name);
}

Hdf5Shape Hdf5Input::shape(const std::string& dataset) const { return state_->reader->shape(dataset); }

std::span<const double> Hdf5Input::rows(const std::string& dataset, u64 first, u64 count) const {
  const std::span<const double> values = state_->reader->rows(dataset, first, count);
  const u64 size = *state_->file.size(), done = std::min(state_->reader->bytes_read(), size);  // some are read twice
  report_progress(ProgressKind::reading, path(), static_cast<double>(done), static_cast<double>(size));
  return values;
}

}  // namespace tri::io
