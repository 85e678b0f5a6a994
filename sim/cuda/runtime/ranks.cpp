#include "sim/cuda/runtime/ranks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/cuda/runtime/device.hpp"

namespace tri::cuda {
namespace {

/// Through the host, where numbers of 32 bits travel as ones of 64.
class HostRanks final : public DeviceRanks {
 public:
  using DeviceRanks::DeviceRanks;

  std::string means() const override { return "host memory"; }
  bool may_be_captured() const override { return false; }
  void enqueue_sum(cudaStream_t stream, std::span<float> values) override { sum<double>(stream, values); }
  void enqueue_sum(cudaStream_t stream, std::span<double> values) override { sum<double>(stream, values); }
  void enqueue_sum(cudaStream_t stream, std::span<unsigned long long> values) override { sum<u64>(stream, values); }
  void enqueue_max(cudaStream_t stream, std::span<u32> values) override { reduce_max(stream, values); }
  void enqueue_max(cudaStream_t stream, std::span<unsigned long long> values) override { reduce_max(stream, values); }
  void enqueue_min(cudaStream_t stream, std::span<unsigned long long> values) override {
    reduce<u64>(stream, values, [&](std::span<u64> all) {
      for (u64& value : all) value = ~value;
      ranks_.max(all);
      for (u64& value : all) value = ~value;
    });
  }
  void enqueue_broadcast(cudaStream_t stream, std::span<std::byte> bytes, u32 root) override {
    const bool gives = root == rank();
    pass_on(stream, gives ? bytes.data() : nullptr, gives ? nullptr : bytes.data(), bytes.size(), root);
  }
  /// Every rank hears all parcels and keeps its own: simple, and slow.
  void enqueue_exchange(cudaStream_t stream, std::span<const Parcel> parcels, std::size_t bytes) override {
    const auto with = [&](u32 peer) {
      return std::find_if(parcels.begin(), parcels.end(), [&](const Parcel& p) { return p.peer == peer; });
    };
    for (u32 from = 0; from < size(); ++from) {
      for (u32 to = 0; to < size(); ++to) {
        if (to == from) continue;
        const auto parcel = with(from == rank() ? to : from);
        const bool peers = parcel != parcels.end();
        pass_on(stream, peers && from == rank() ? parcel->out : nullptr, peers && to == rank() ? parcel->in : nullptr,
                bytes, from);
      }
    }
  }

 private:
  /// Bytes of device memory of `root` to device memory of the others; null: nothing to give, nowhere to put them.
  void pass_on(cudaStream_t stream, const void* from, void* to, std::size_t bytes, u32 root) {
    std::vector<std::byte> here(bytes);
    all_or_none([&] {
      if (from == nullptr) return;
      TRI_CUDA(cudaMemcpyAsync(here.data(), from, bytes, cudaMemcpyDeviceToHost, stream));
      TRI_CUDA(cudaStreamSynchronize(stream));
    });
    ranks_.broadcast(here, root);
    if (to == nullptr) return;
    TRI_CUDA(cudaMemcpyAsync(to, here.data(), bytes, cudaMemcpyHostToDevice, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
  }
  template <class Sum, class Number>
  void sum(cudaStream_t stream, std::span<Number> values) {
    reduce<Sum>(stream, values, [&](std::span<Sum> all) { ranks_.sum(all); });
  }
  template <class Number>
  void reduce_max(cudaStream_t stream, std::span<Number> values) {
    reduce<u64>(stream, values, [&](std::span<u64> all) { ranks_.max(all); });
  }
  template <class Sum, class Number, class Reduce>
  void reduce(cudaStream_t stream, std::span<Number> values, const Reduce& reduce) {
    std::vector<Number> here(values.size());
    all_or_none([&] {
      TRI_CUDA(cudaMemcpyAsync(here.data(), values.data(), values.size_bytes(), cudaMemcpyDeviceToHost, stream));
      TRI_CUDA(cudaStreamSynchronize(stream));
    });
    std::vector<Sum> all(here.begin(), here.end());
    reduce(std::span<Sum>(all));
    std::transform(all.begin(), all.end(), here.begin(), [](Sum x) { return static_cast<Number>(x); });
    TRI_CUDA(cudaMemcpyAsync(values.data(), here.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
  }
};

class NcclRanks final : public DeviceRanks {
 public:
  NcclRanks(Communicator& ranks, const nccl::Api& api, const nccl::UniqueId& id) : DeviceRanks(ranks), api_(api) {
    check(api_.comm_init_rank(&comm_, static_cast<int>(size()), id, static_cast<int>(rank())));
  }
  ~NcclRanks() override {
    if (comm_ != nullptr) (void)api_.comm_abort(comm_);
  }

  std::string means() const override { return nccl::name_of(api_); }
  bool may_be_captured() const override { return true; }
  void enqueue_sum(cudaStream_t stream, std::span<float> values) override {
    reduce(stream, values, nccl::kFloat32, nccl::kSum);
  }
  void enqueue_sum(cudaStream_t stream, std::span<double> values) override {
    reduce(stream, values, nccl::kFloat64, nccl::kSum);
  }
  void enqueue_sum(cudaStream_t stream, std::span<unsigned long long> values) override {
    reduce(stream, values, nccl::kUint64, nccl::kSum);
  }
  void enqueue_max(cudaStream_t stream, std::span<u32> values) override {
    reduce(stream, values, nccl::kUint32, nccl::kMax);
  }
  void enqueue_max(cudaStream_t stream, std::span<unsigned long long> values) override {
    reduce(stream, values, nccl::kUint64, nccl::kMax);
  }
  void enqueue_min(cudaStream_t stream, std::span<unsigned long long> values) override {
    reduce(stream, values, nccl::kUint64, nccl::kMin);
  }
  void enqueue_broadcast(cudaStream_t stream, std::span<std::byte> bytes, u32 root) override {
    check(
        api_.broadcast(bytes.data(), bytes.data(), bytes.size(), nccl::kUint8, static_cast<int>(root), comm_, stream));
  }
  void enqueue_exchange(cudaStream_t stream, std::span<const Parcel> parcels, std::size_t bytes) override {
    check(api_.group_start());
    for (const Parcel& parcel : parcels) {
      const int peer = static_cast<int>(parcel.peer);
      check(api_.send(parcel.out, bytes, nccl::kUint8, peer, comm_, stream));
      check(api_.recv(parcel.in, bytes, nccl::kUint8, peer, comm_, stream));
    }
    check(api_.group_end());
  }

 private:
  void check(nccl::Status status) const {
    if (status != nccl::kSuccess) {
      throw BackendError(
          fmt::format("NCCL, by which devices add up their sums: {}. NCCL_DEBUG=WARN in the environment "
                      "tells more.",
                      api_.error_string(status)));
    }
  }
  template <class Number>
  void reduce(cudaStream_t stream, std::span<Number> values, int type, int operation) const {
    check(api_.all_reduce(values.data(), values.data(), values.size(), type, operation, comm_, stream));
  }

  const nccl::Api& api_;
  nccl::Comm comm_ = nullptr;
};

/// Whether no two ranks have the same device.
bool apart(Communicator& ranks, int device) {
  cudaDeviceProp properties{};
  TRI_CUDA(cudaGetDeviceProperties(&properties, device));
  // [ranks, 2] the number of the device that each has.
  std::vector<u64> ids(2 * std::size_t{ranks.size()}, 0);
  std::array<u64, 2> own{};
  std::memcpy(own.data(), &properties.uuid, sizeof own);
  std::copy(own.begin(), own.end(), ids.begin() + 2 * static_cast<std::ptrdiff_t>(ranks.rank()));
  ranks.max(ids);
  for (u32 r = 0; r < ranks.size(); ++r) {
    if (r != ranks.rank() && ids[2 * r] == own[0] && ids[2 * r + 1] == own[1]) return false;
  }
  return true;
}

}  // namespace

Availability nccl_available() {
  const nccl::Loaded& nccl = nccl::loaded();
  return nccl.found.ok ? Availability{true, nccl::name_of(nccl.api)} : nccl.found;
}

void DeviceRanks::agree(const std::string& what, u64 number) {
  std::array<u64, 2> both{number, ~number};
  ranks_.max(both);
  if (both[0] != ~both[1])
    throw BackendError("the devices differ in " + what + ". Use devices of one kind, or --block.");
}

u64 DeviceRanks::largest(u64 value) {
  ranks_.max({&value, 1});
  return value;
}

u64 DeviceRanks::total(u64 value) {
  ranks_.sum(std::span(&value, 1));
  return value;
}

void DeviceRanks::gather(std::vector<uint2>& values) {
  std::vector<u64> counts(size(), 0);
  counts[rank()] = values.size();
  ranks_.max(counts);
  std::vector<uint2> all;
  for (u32 r = 0; r < size(); ++r) {
    std::vector<uint2> theirs = r == rank() ? values : std::vector<uint2>(counts[r]);
    ranks_.broadcast(std::as_writable_bytes(std::span(theirs)), r);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  values = std::move(all);
}

std::vector<double> DeviceRanks::of_each(double number) {
  std::vector<u64> bits(size(), 0);
  bits[rank()] = std::bit_cast<u64>(number);
  ranks_.max(bits);
  std::vector<double> numbers;
  for (const u64 each : bits) numbers.push_back(std::bit_cast<double>(each));
  return numbers;
}

std::unique_ptr<DeviceRanks> make_device_ranks(Communicator& ranks, int device) {
  const nccl::Loaded& nccl = nccl::loaded();
  const bool own_device = apart(ranks, device);
  nccl::UniqueId id{};
  const bool named = nccl.found.ok && (ranks.rank() != 0 || nccl.api.get_unique_id(&id) == nccl::kSuccess);
  std::array<u64, 1> obstacles{named && own_device ? u64{0} : u64{1}};
  ranks.max(obstacles);
  if (obstacles[0] != 0) return std::make_unique<HostRanks>(ranks);
  ranks.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  return std::make_unique<NcclRanks>(ranks, nccl.api, id);
}

}  // namespace tri::cuda
