// Ranks over MPI: a module of its own, loaded where a launcher of MPI started the program (launch.cpp), so that
// the program itself needs no MPI. Calls are non-blocking underneath; a rank that waits yields its core, since ranks
// may outnumber the cores.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include <mpi.h>

#include "sim/ranks/cluster_backend.hpp"

namespace tri {
namespace {

/// The tag of a request to stop; its value is the number of the call that shall stop.
constexpr int kStop = 1;

void add_wide(void* in, void* to, int* count, MPI_Datatype* /*type*/) {
  const auto* from = static_cast<const Wide*>(in);
  auto* sums = static_cast<Wide*>(to);
  for (int k = 0; k < *count; ++k) sums[k] += from[k];
}

void check(int status) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error("MPI: " + std::string(text, static_cast<std::size_t>(length)));
}

class MpiRanks final : public Communicator {
 public:
  MpiRanks() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided));
    if (provided < MPI_THREAD_SERIALIZED) throw std::runtime_error("this MPI cannot be called from several threads");
    // Copies, so that an MPI program that this becomes a part of keeps its own messages.
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &signals_));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &agreements_));
    for (MPI_Comm each : {world_, signals_, agreements_}) check(MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(world_, &rank_));
    check(MPI_Comm_size(world_, &size_));
    MPI_Comm neighbours = MPI_COMM_NULL;
    check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours));
    check(MPI_Comm_size(neighbours, &host_ranks_));
    check(MPI_Comm_rank(neighbours, &host_rank_));
    check(MPI_Comm_free(&neighbours));
    check(MPI_Type_contiguous(2, MPI_UINT64_T, &wide_));
    check(MPI_Type_commit(&wide_));
    check(MPI_Op_create(add_wide, 1, &add_wide_));
  }
  ~MpiRanks() override { MPI_Finalize(); }

  u32 rank() const override { return static_cast<u32>(rank_); }
  u32 size() const override { return static_cast<u32>(size_); }
  std::string host() const override {
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    check(MPI_Get_processor_name(name, &length));
    return {name, static_cast<std::size_t>(length)};
  }
  u32 host_ranks() const override { return static_cast<u32>(host_ranks_); }
  u32 host_rank() const override { return static_cast<u32>(host_rank_); }

  void max(std::span<u64> values) override {
    each_piece(values.size(), [&](u64 first, int count) {
      complete([&](MPI_Request* done) {
        return MPI_Iallreduce(MPI_IN_PLACE, values.data() + first, count, MPI_UINT64_T, MPI_MAX, world_, done);
      });
    });
  }

  void sum_slices(std::span<double> values) override { scatter(values, MPI_DOUBLE, MPI_SUM); }
  void sum_slices(std::span<u64> values) override { scatter(values, MPI_UINT64_T, MPI_SUM); }
  void sum_slices(std::span<Wide> values) override { scatter(values, wide_, add_wide_); }
  void gather_slices(std::span<double> values) override { gather(values, MPI_DOUBLE); }
  void gather_slices(std::span<u64> values) override { gather(values, MPI_UINT64_T); }

  void broadcast(std::span<std::byte> bytes, u32 root) override {
    each_piece(bytes.size(), [&](u64 first, int count) {
      complete([&](MPI_Request* done) {
        return MPI_Ibcast(bytes.data() + first, count, MPI_BYTE, static_cast<int>(root), world_, done);
      });
    });
  }

  /// Apart from other calls, so that it does not take the place of one that the other ranks wait in.
  bool agree(std::span<u64> values, double within_s) override {
    return complete(
        [&](MPI_Request* done) {
          return MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_MAX,
                                agreements_, done);
        },
        within_s);
  }
  void end_all(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

  void request_stop() override {
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) check(MPI_Send(&stops_, 1, MPI_UINT64_T, r, kStop, signals_));
    }
  }
  bool stop_requested() override {
    int arrived = 0;
    check(MPI_Iprobe(MPI_ANY_SOURCE, kStop, signals_, &arrived, MPI_STATUS_IGNORE));
    while (arrived != 0) {
      u64 call = 0;
      check(MPI_Recv(&call, 1, MPI_UINT64_T, MPI_ANY_SOURCE, kStop, signals_, MPI_STATUS_IGNORE));
      stop_ = stop_ || call == stops_;  // not one that came too late for an earlier call
      check(MPI_Iprobe(MPI_ANY_SOURCE, kStop, signals_, &arrived, MPI_STATUS_IGNORE));
    }
    return stop_;
  }
  void clear_stop() override {
    ++stops_;
    stop_ = false;
  }

 private:
  /// f(first, count) for pieces that MPI can count.
  template <class F>
  static void each_piece(u64 count, const F& f) {
    constexpr u64 kMax = 1 << 30;
    for (u64 first = 0; first < count; first += kMax) f(first, static_cast<int>(std::min(kMax, count - first)));
  }

  /// Starts a call and waits for its end; false if that takes longer than so many seconds, and 0 is for ever.
  template <class Start>
  bool complete(const Start& start, double within_s = 0) const {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    MPI_Request done = MPI_REQUEST_NULL;
    check(start(&done));
    constexpr u32 kSpins = 2000;
    for (u32 spins = 0;; ++spins) {
      int over = 0;
      check(MPI_Test(&done, &over, MPI_STATUS_IGNORE));
      if (over != 0) return true;
      if (within_s > 0 && std::chrono::duration<double>(Clock::now() - begin).count() > within_s) return false;
      if (spins < kSpins) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(std::chrono::microseconds(spins < 2 * kSpins ? 20 : 1000));
      }
    }
  }

  /// The lengths and beginnings of all slices.
  std::pair<std::vector<int>, std::vector<int>> slices(u64 count) const {
    if (count > static_cast<u64>(std::numeric_limits<int>::max())) {
      throw std::length_error("more numbers than MPI can count; use fewer bodies");
    }
    std::vector<int> lengths, begins;
    for (u32 r = 0; r < size(); ++r) {
      const auto [begin, end] = slice(count, r);
      lengths.push_back(static_cast<int>(end - begin)), begins.push_back(static_cast<int>(begin));
    }
    return {lengths, begins};
  }

  template <class Number>
  void scatter(std::span<Number> values, MPI_Datatype type, MPI_Op add) const {
    const auto [lengths, begins] = slices(values.size());
    std::vector<Number> mine(static_cast<std::size_t>(lengths[rank()]) + 1);
    complete([&, &counts = lengths](MPI_Request* done) {
      return MPI_Ireduce_scatter(values.data(), mine.data(), counts.data(), type, add, world_, done);
    });
    std::copy_n(mine.begin(), lengths[rank()], values.begin() + begins[rank()]);
  }

  template <class Number>
  void gather(std::span<Number> values, MPI_Datatype type) const {
    const auto [lengths, begins] = slices(values.size());
    complete([&, &counts = lengths, &starts = begins](MPI_Request* done) {
      return MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), counts.data(), starts.data(), type,
                             world_, done);
    });
  }

  MPI_Comm world_ = MPI_COMM_NULL, signals_ = MPI_COMM_NULL, agreements_ = MPI_COMM_NULL;
  MPI_Datatype wide_ = MPI_DATATYPE_NULL;
  MPI_Op add_wide_ = MPI_OP_NULL;
  int rank_ = 0, size_ = 1, host_ranks_ = 1, host_rank_ = 0;
  u64 stops_ = 0;  ///< calls that ended with a stop so far, the same on every rank
  bool stop_ = false;
};

}  // namespace
}  // namespace tri

extern "C" tri::Communicator* tri_open_mpi() { return new tri::MpiRanks(); }
