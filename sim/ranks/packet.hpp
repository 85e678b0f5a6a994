#pragma once
/// Orders of the first rank, their packets, and the calls that send them.
///
/// What the first rank sends to the others (cluster_backend.hpp): a header, then the bytes of a packet.

#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/backend/bench.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/model/bodies.hpp"
#include "sim/ranks/cluster_backend.hpp"

namespace tri {

enum class Order : u32 {
  end,
  make_engine,   ///< backend (BackendOfRanks), field, configuration, bodies
  drop_engine,   ///< no answer
  configure,     ///< configuration
  set_field,     ///< field
  advance,       ///< integrator, dt, steps
  advance_auto,  ///< integrator, AutoStep
  diagnose,
  forces,
  jerks,
  make_whole,
  save_state,     ///< number of the kept state; an earlier one of that number is reused
  restore_state,  ///< number of the kept state
  drop_kept,      ///< no answer
  drop_backend,   ///< no answer
  places,         ///< whether with devices (gather_places())
  collisions,     ///< backend, configuration, bodies
  triplets,       ///< backend, configuration, n, features and values of the points, edges of the bins
  make_bench,     ///< backend, specification; from here on all orders are those of benches
  drop_bench,     ///< no answer
  run_bench,
  run_bench_for,  ///< seconds
  check_bench,
  corrupt_bench,
};

/// A backend that every rank has. The others make theirs with the first order that needs it.
struct BackendOfRanks {
  u64 number = 0;
  std::string name;
};

struct OrderHeader {
  Order order = Order::end;
  u32 watched = 0;  ///< whether the first rank may be interrupted, so that all must be able to stop
  u64 number = 0;   ///< of the engine, or of what to drop
  u64 bytes = 0;    ///< of the packet
};

/// Reports to `outer`, if any, and ends loops when another rank asks for it.
class RankStopSink final : public ProgressSink {
 public:
  RankStopSink(Communicator& ranks, ProgressSink* outer) : ranks_(ranks), outer_(outer) {}
  void report(const ProgressReport& report) override {
    if (outer_ != nullptr) outer_->report(report);
    if (ranks_.stop_requested()) throw RankStopped();
  }

 private:
  Communicator& ranks_;
  ProgressSink* outer_;
};

/// Does this rank's part of a call that all ranks make, and agrees on its end (end_call()). watched: whether another
/// rank may end loops of the part.
inline void participate(Communicator& ranks, bool watched, const std::function<void()>& part) {
  std::exception_ptr failure;
  RankStopSink stop(ranks, progress_sink());
  std::optional<ScopedProgressSink> bound;
  if (watched) bound.emplace(stop);
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  end_call(ranks, failure);
}

/// After a call: throws on every rank if they hold different states, which would be an error of this program or of a
/// machine.
void check_same_state(Communicator& ranks, u64 hash);

// Values as bytes, in the order in which they are put in and taken out.

class Packet {
 public:
  Packet() = default;
  explicit Packet(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  const std::vector<std::byte>& bytes() const { return bytes_; }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_bytes(&value, sizeof value); }
  template <class T>
  void put(const std::vector<T>& values) {
    put(u64{values.size()});
    put_bytes(values.data(), values.size() * sizeof(T));
  }
  void put(const std::string& text) {
    put(u64{text.size()});
    put_bytes(text.data(), text.size());
  }
  void put(const BackendOfRanks& b) { put(b.number), put(b.name); }
  void put(const expression::TypedLaw& law) {
    put(law ? law.law->text() : std::string());
    put(law.values);
  }
  /// Typed laws as their texts, which the other rank reads again.
  void put(const ForceField& f) {
    for_each_of_field(f, [this](const auto& field) { put(field); });
    put(f.typed_pair), put(f.typed_triple);
  }
  void put(const Bodies& b) {
    for_each_column(b, [this](const ColumnInfo&, const auto& column) { put(column); });
  }
  void put(const BenchSpec& spec) {
    for_each_bench_field([this](const auto& field) { put(field); }, spec);
  }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void take(T& value) { read_bytes(&value, sizeof value); }
  template <class T>
  void take(std::vector<T>& values) {
    values.resize(take<u64>());
    read_bytes(values.data(), values.size() * sizeof(T));
  }
  void take(std::string& text) {
    text.resize(take<u64>());
    read_bytes(text.data(), text.size());
  }
  void take(BackendOfRanks& b) { take(b.number), take(b.name); }
  void take(ForceField& f) {
    for_each_of_field(f, [this](auto&& field) { take(field); });
    const auto read_law = [this](expression::TypedLaw& law, expression::Over over) {
      const auto text = take<std::string>();
      auto values = take<std::vector<double>>();
      law = text.empty() ? expression::TypedLaw{} : expression::typed_law(text, over);
      law.values = std::move(values);
    };
    read_law(f.typed_pair, expression::Over::pairs), read_law(f.typed_triple, expression::Over::triples);
  }
  void take(Bodies& b) {
    for_each_column(b, [this](const ColumnInfo&, auto& column) { take(column); });
  }
  void take(BenchSpec& spec) {
    for_each_bench_field([this](auto& field) { take(field); }, spec);
  }
  template <class T>
  T take() {
    T value;
    take(value);
    return value;
  }

 private:
  /// All but the typed laws. Parameters are those of the table, which has them all.
  template <class Field, class F>
  static void for_each_of_field(Field& field, const F& f) {
    f(field.pair), f(field.triple), f(field.box), f(field.field);
    for (const LawInfo& law : all_laws()) {
      for (const LawParameter& p : law.parameters) {
        if (p.real != nullptr) {
          f(p.value(field));
        } else {
          f(p.is_set(field));
        }
      }
    }
  }
  void put_bytes(const void* from, std::size_t count) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }
  void read_bytes(void* to, std::size_t count) {
    TRI_EXPECTS(count <= bytes_.size() - taken_);
    if (count != 0) std::memcpy(to, bytes_.data() + taken_, count);
    taken_ += count;
  }

  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;
};

// How the first rank gives its orders.

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
    participate(ranks, progress_is_wanted(), part);
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

// A bench case that all ranks share.

/// Makes a case on every rank, here by `make`, and passes its calls on. packet: as for Order::make_bench.
std::unique_ptr<BenchCase> make_cluster_bench(RankLeader::Calls& calls, const Packet& packet,
                                              const std::function<std::unique_ptr<BenchCase>()>& make);

/// This rank's part of Order::run_bench; returns the time of the slowest rank.
double run_with_all(Communicator& ranks, BenchCase& own);
/// This rank's part of Order::check_bench: every rank checks its own output, and the worst of them counts.
BenchCheck check_with_all(Communicator& ranks, BenchCase& own);

}  // namespace tri
