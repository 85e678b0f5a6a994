#include "sim/cuda/ranks/nccl_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "sim/base/clock.hpp"

namespace tri::cuda {
namespace {

constexpr double kFarewell = 5;  // seconds for what is on its way when a line ends

double end_of(double within_s) { return within_s > 0 ? clock_s() + within_s : std::numeric_limits<double>::infinity(); }

}  // namespace

NcclLine::NcclLine(const nccl::Api& api, const nccl::UniqueId& id, u32 rank, u32 ranks, std::size_t bytes,
                   double within_s)
    : api_(api), memory_(bytes) {
  nccl::Config config;
  config.blocking = 0;
  config.min_ctas = config.max_ctas = 1;  // one that waits takes little of the GPU
  try {
    check(api_.comm_init_rank_config(&comm_, static_cast<int>(ranks), id, static_cast<int>(rank), &config));
    wait([this] { return settled(); }, end_of(within_s));
  } catch (const NcclTimeout&) {
    throw;  // aborting would wait for the same
  } catch (...) {
    if (comm_ != nullptr) (void)api_.comm_abort(comm_);
    throw;
  }
  broken_ = false;
}

NcclLine::~NcclLine() {
  if (!broken_) {
    try {
      check(api_.comm_finalize(comm_));
      wait([this] { return settled(); }, end_of(kFarewell));
      (void)api_.comm_destroy(comm_);
      return;
    } catch (const Error&) {
    }
  }
  (void)api_.comm_abort(comm_);
}

void NcclLine::pass(std::span<std::byte> bytes, const Call& call, double within_s, bool sends, bool receives) {
  const double end = end_of(within_s);
  for (std::size_t at = 0; at < bytes.size(); at += memory_.size()) {
    const std::span<std::byte> piece = bytes.subspan(at, std::min(memory_.size(), bytes.size() - at));
    if (sends) memory_.upload(piece, stream_);
    broken_ = true;
    check(call(memory_.data(), piece.size(), comm_, stream_));
    wait([this] { return settled(); }, end);
    done_.record(stream_);
    const auto arrived = [this] {
      (void)settled();
      const cudaError_t status = cudaEventQuery(done_);
      if (status == cudaErrorNotReady) {
        (void)cudaGetLastError();  // the next launch would report it
        return false;
      }
      throw_if_failed(status, "cudaEventQuery, for messages of ranks");
      return true;
    };
    wait(arrived, end);
    broken_ = false;
    if (receives) memory_.download(piece, stream_);
  }
}

void NcclLine::check(nccl::Status status) {
  if (status != nccl::kSuccess && status != nccl::kInProgress) {
    throw BackendError(nccl_sentence(api_, status, comm_));
  }
}

/// Whether NCCL itself has nothing left to do.
bool NcclLine::settled() {
  nccl::Status status = nccl::kSuccess;
  check(api_.comm_get_async_error(comm_, &status));
  check(status);
  return status == nccl::kSuccess;
}

void NcclLine::wait(const std::function<bool()>& done, double end_s) {
  constexpr u32 kSpins = 2000;
  for (u32 spins = 0; !done(); ++spins) {
    if (clock_s() > end_s) throw NcclTimeout("the other ranks do not come.");
    if (spins < kSpins) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(spins < 2 * kSpins ? 20 : 1000));
    }
  }
}

std::string nccl_sentence(const nccl::Api& api, nccl::Status status, nccl::Comm comm) {
  const char* const detail = api.last_error(comm);
  std::string text = fmt::format("NCCL, which carries the messages of the ranks: {}", api.error_string(status));
  if (detail != nullptr && *detail != 0) text += fmt::format(" ({})", detail);
  return text + (status == nccl::kInvalidUsage
                     ? ". Two ranks cannot have one GPU: start as many ranks on a machine as it has GPUs."
                     : ". NCCL_DEBUG=WARN in the environment tells more.");
}

}  // namespace tri::cuda
