#pragma once
/// Values as bytes, in the order in which they are put in and taken out.

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/backend/bench_case.hpp"
#include "sim/base/contracts.hpp"
#include "sim/cluster/orders.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri {

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
    for (const auto* column : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m, &b.r, &b.q, &b.rest}) put(*column);
    put(b.group);
    put(b.species);
  }
  void put(const BenchSpec& spec) {
    for_each_field(spec, [this](const auto& field) { put(field); });
  }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void take(T& value) { take_bytes(&value, sizeof value); }
  template <class T>
  void take(std::vector<T>& values) {
    values.resize(take<u64>());
    take_bytes(values.data(), values.size() * sizeof(T));
  }
  void take(std::string& text) {
    text.resize(take<u64>());
    take_bytes(text.data(), text.size());
  }
  void take(BackendOfRanks& b) { take(b.number), take(b.name); }
  void take(ForceField& f) {
    for_each_of_field(f, [this](auto& field) { take(field); });
    const auto take_law = [this](expression::TypedLaw& law, expression::Over over) {
      const auto text = take<std::string>();
      auto values = take<std::vector<double>>();
      law = text.empty() ? expression::TypedLaw{} : expression::typed_law(text, over);
      law.values = std::move(values);
    };
    take_law(f.typed_pair, expression::Over::pairs), take_law(f.typed_triple, expression::Over::triples);
  }
  void take(Bodies& b) {
    for (auto* column : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz, &b.m, &b.r, &b.q, &b.rest}) take(*column);
    take(b.group);
    take(b.species);
  }
  void take(BenchSpec& spec) {
    for_each_field(spec, [this](auto& field) { take(field); });
  }
  template <class T>
  T take() {
    T value;
    take(value);
    return value;
  }

 private:
  /// Does not compile when BenchSpec has another field.
  template <class Spec, class F>
  static void for_each_field(Spec& spec, const F& f) {
    auto& [kernel, map, n, block, features, precision, accumulate, arithmetic, tolerance, placement, threads, seed,
           form, layout, dimensions, fractal, rec, timing, law] = spec;
    f(kernel), f(map), f(n), f(block), f(features), f(precision), f(accumulate), f(arithmetic), f(tolerance);
    f(placement), f(threads), f(seed), f(form), f(layout), f(dimensions), f(fractal), f(rec), f(timing), f(law);
  }
  /// All but the typed laws. Does not compile when ForceField has another field.
  template <class Field, class F>
  static void for_each_of_field(Field& field, const F& f) {
    auto& [pair, triple, gravity, lennard_jones, contact, axilrod_teller, typed_pair, typed_triple, box, uniform] =
        field;
    static_cast<void>(typed_pair), static_cast<void>(typed_triple);
    f(pair), f(triple), f(gravity), f(lennard_jones), f(contact), f(axilrod_teller), f(box), f(uniform);
  }
  void put_bytes(const void* from, std::size_t count) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }
  void take_bytes(void* to, std::size_t count) {
    TRI_EXPECTS(count <= bytes_.size() - taken_);
    if (count != 0) std::memcpy(to, bytes_.data() + taken_, count);
    taken_ += count;
  }

  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;
};

}  // namespace tri
