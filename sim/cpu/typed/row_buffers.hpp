#pragma once
/// The memory in which the interpreter works: rows of numbers, one row a body against up to `pitch` columns.

#include <span>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/cpu/kernels/memory.hpp"
#include "sim/cpu/typed/program_plan.hpp"

namespace tri::cpu {

/// Where the numbers of a place are: element (row, column) at data[row * rows + column * columns].
template <class Real>
struct Place {
  Real* data = nullptr;
  std::size_t rows = 0;     ///< elements from row to row; 0: the same in all rows
  std::size_t columns = 0;  ///< 1; 0: the same in all columns, and then a whole vector of the value
};

/// The places of a plan for tiles of up to `rows` x `pitch`, in memory of the calling thread: one at a time. Inputs are
/// the caller's to bind and to fill.
template <class Real>
class RowBuffers {
 public:
  static constexpr std::size_t kLanes = ProgramPlan::kLanes<Real>;

  RowBuffers(const ProgramPlan& plan, std::size_t rows, std::size_t pitch) : rows_(rows), pitch_(pitch) {
    Memory& memory = thread_memory();
    const std::size_t buffer = rows * pitch, inputs = plan.inputs(), buffers = plan.buffers();
    const std::size_t needed = (inputs + buffers) * buffer;
    if (memory.values.size() < needed) memory.values.resize(needed);
    if (memory.places.size() < plan.places()) memory.places.resize(plan.places());
    places_ = std::span(memory.places).first(plan.places());
    for (std::size_t p = 0; p < inputs + buffers; ++p) places_[p] = {memory.values.data() + p * buffer, pitch, 1};
    // No step writes a scalar.
    Real* const scalars = const_cast<Real*>(plan.scalar_values<Real>());
    for (std::size_t s = 0; s < plan.scalars(); ++s) places_[inputs + buffers + s] = {scalars + s * kLanes, 0, 0};
  }

  std::span<const Place<Real>> places() const { return places_; }
  const Place<Real>& operator[](std::size_t place) const { return places_[place]; }
  std::size_t pitch() const { return pitch_; }

  /// An input that is the same in all rows: `columns` numbers that stay where they are.
  void bind_columns(u32 input, const Real* columns) { places_[input] = {const_cast<Real*>(columns), 0, 1}; }
  /// An input that is the same in all columns: set_row() gives its values.
  void bind_rows(u32 input) { places_[input].rows = kLanes, places_[input].columns = 0; }
  /// An input that is 0 everywhere.
  void bind_zero(u32 input) {
    places_[input].rows = places_[input].columns = 0;
    set_row(input, 0, 0);
  }
  void set_row(u32 input, std::size_t row, Real value) {
    Real* const to = places_[input].data + row * kLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) to[lane] = value;
  }

 private:
  struct Memory {
    AlignedVector<Real> values;
    std::vector<Place<Real>> places;
  };
  static Memory& thread_memory() {
    static thread_local Memory memory;
    return memory;
  }

  std::span<Place<Real>> places_;
  std::size_t rows_, pitch_;
};

}  // namespace tri::cpu
