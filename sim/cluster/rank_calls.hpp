#pragma once
/// How the first rank gives its orders.

#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "sim/cluster/cluster_backend.hpp"
#include "sim/cluster/orders.hpp"
#include "sim/cluster/packet.hpp"

namespace tri {

/// Sends orders, one at a time.
struct RankLeader::Calls {
  explicit Calls(Communicator& communicator) : ranks(communicator) {}

  /// Must be called with `lock` held.
  void send(Order order, u64 number, const Packet& packet) {
    OrderHeader header{order, progress_is_wanted() ? 1U : 0U, number, packet.bytes().size()};
    ranks.broadcast(std::as_writable_bytes(std::span(&header, 1)), 0);
    std::vector<std::byte> bytes = packet.bytes();
    if (!bytes.empty()) ranks.broadcast(bytes, 0);
  }

  /// All ranks carry out the order; `part` is what this one does.
  void call(Order order, u64 number, const Packet& packet, const std::function<void()>& part) {
    const std::scoped_lock one(lock);
    call_locked(order, number, packet, part);
  }

  /// Must be called with `lock` held.
  void call_locked(Order order, u64 number, const Packet& packet, const std::function<void()>& part) {
    send(order, number, packet);
    take_part(ranks, progress_is_wanted(), part);
  }

  /// An order without an answer.
  void tell(Order order, u64 number) {
    const std::scoped_lock one(lock);
    send(order, number, {});
  }

  u64 next_number() {
    const std::scoped_lock one(lock);
    return ++numbers_;
  }

  Communicator& ranks;
  std::mutex lock;

 private:
  u64 numbers_ = 0;
};

template <class... Values>
Packet packet_of(const Values&... values) {
  Packet packet;
  (packet.put(values), ...);
  return packet;
}

}  // namespace tri
