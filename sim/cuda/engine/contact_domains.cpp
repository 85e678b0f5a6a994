#include "sim/cuda/engine/contact_domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/base/contracts.hpp"
#include "sim/cuda/runtime/device_memory.hpp"

namespace tri::cuda {
namespace {

/// Bodies that gather() packs at once.
constexpr u32 kPacked = 1u << 22;

/// Cells of a zone that a rank of `cells` has, as ranges of the grid's cells: a zone may go over the fold.
std::array<std::pair<u64, u64>, 2> cells_of_zone(const RankCells& zone, u64 cells_a_layer, u64 layers) {
  const u64 first = zone.layer, end = first + zone.layers;
  return {std::pair(first * cells_a_layer, std::min(end, layers) * cells_a_layer),
          std::pair(u64{0}, (end > layers ? end - layers : 0) * cells_a_layer)};
}

}  // namespace

template <class Real>
ContactDomains<Real>::ContactDomains(const ForceField& field, const EngineConfig& config, const CellGrid<Real>& grid,
                                     u32 n, DeviceRanks& ranks)
    : field_(field), config_(config), grid_(grid), image_(field.box), n_(n), ranks_(ranks) {
  TRI_EXPECTS(field.pair == PairLaw::contact && !field.contact.impulse);
}

template <class Real>
BodyRange ContactDomains<Real>::range(cudaStream_t stream, u32 array) const {
  return places_[array].range.download(stream)[0];
}

template <class Real>
void ContactDomains<Real>::divide(cudaStream_t stream, const StepArrays<Real>& whole) {
  const u32 cells = grid_.count(), cells_a_layer = grid_.cells[0] * grid_.cells[1], layers = grid_.cells[2];
  DeviceBuffer<u32> begin, cuts;
  DeviceBuffer<unsigned char> scan;
  ranks_.all_or_none([&] {
    begin = DeviceBuffer<u32>(u64{cells} + 1), cuts = DeviceBuffer<u32>(ranks_.size() + 1);
    scan = DeviceBuffer<unsigned char>(grid_scan_bytes(cells));
  });
  enqueue_cut_cells(stream, grid_, whole.position, n_, ranks_.size(), begin.data(), scan.data(), cuts.data());
  const std::vector<u32> first = cuts.download(stream);
  own_ = rank_cells(first, ranks_.rank(), cells_a_layer, layers);
  std::vector<RankCells> peers;
  peers_.clear();
  for (u32 r = 0; r < ranks_.size(); ++r) {
    const RankCells theirs = rank_cells(first, r, cells_a_layer, layers);
    if (r != ranks_.rank() && zones_meet(own_, theirs, layers)) peers.push_back(theirs), peers_.push_back(r);
  }
  const auto bodies_before = [&](u64 cell) {
    u32 count = 0;
    TRI_CUDA(cudaMemcpyAsync(&count, begin.data() + cell, sizeof count, cudaMemcpyDeviceToHost, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
    return u64{count};
  };
  // Of the bodies in [low, high): how many are in a zone.
  const auto bodies_of = [&](const RankCells& zone, u64 low, u64 high) {
    u64 count = 0;
    for (const auto& [from, to] : cells_of_zone(zone, cells_a_layer, layers)) {
      const u64 a = std::max(from, low), b = std::min(to, high);
      if (a < b) count += bodies_before(b) - bodies_before(a);
    }
    return count;
  };
  u64 in_a_box = 0;
  for (const RankCells& peer : peers) in_a_box = std::max(in_a_box, bodies_of(peer, own_.low, own_.high));
  in_a_box = ranks_.largest(in_a_box);
  most_bodies_ = ranks_.largest(own_.layers > 0 ? bodies_before(own_.high) - bodies_before(own_.low) : 0);
  const u64 in_zone = bodies_of(own_, 0, cells);
  ranks_.all_or_none([&] {
    allocate(stream, static_cast<u32>(std::min<u64>(n_, in_zone + in_zone / 8 + 4096)),
             static_cast<u32>(std::min<u64>(n_, in_a_box + in_a_box / 4 + 1024)));
    peer_cells_ = DeviceBuffer<RankCells>(peers.size());
    peer_cells_.upload(peers, stream);
  });
  enqueue_take_own(stream, grid_, own_, whole, places_[0].bodies(), acceleration_.data());
  TRI_CUDA(cudaStreamSynchronize(stream));
  evaluated_ = false;
}

template <class Real>
void ContactDomains<Real>::allocate(cudaStream_t stream, u32 capacity, u32 box_capacity) {
  const u64 peers = peers_.size();
  if (capacity > capacity_ || box_capacity > box_capacity_ ||
      peers * BodyBox<Real>::bytes(box_capacity) > boxes_in_.size()) {
    for (Place& place : places_) place.position = {}, place.velocity = {}, place.body = {};
    acceleration_ = {}, out_ = {}, sums_ = {}, boxes_out_ = {}, boxes_in_ = {}, cell_ = {}, slot_ = {};
    sorted_ = {}, pairs_ = {};
    capacity_ = std::max(capacity, capacity_), box_capacity_ = std::max(box_capacity, box_capacity_);
  }
  const u32 cells = domain_arrays(nullptr).cells();
  const u64 pairs = std::max(list_needs_, kListedPairs * capacity_), counted = capacity_ + peers * box_capacity_;
  if (places_[0].position.size() == 0) {
    const u64 a_body = 6 * sizeof(Vec4<Real>) + 2 * sizeof(u32) + sizeof(Sphere<Real>);
    const u64 bytes = capacity_ * a_body + 2 * peers * BodyBox<Real>::bytes(box_capacity_) + counted * 2 * sizeof(u32) +
                      u64{cells} * sizeof(u32) + grid_strips(capacity_, cells) * sizeof(CellStrip) +
                      pairs * sizeof(uint2) + ordered_sums_bytes(config_, capacity_);
    require_device_memory(static_cast<double>(bytes), fmt::format("a share of {} spheres", n_),
                          "Use fewer bodies, or more devices");
    sums_ = SumMemory<Real>(config_.accumulate, capacity_, stream);
  }
  const auto hold = []<class T>(DeviceBuffer<T>& buffer, u64 size) {
    if (buffer.size() >= size) return;
    buffer = {};
    buffer = DeviceBuffer<T>(size);
  };
  for (Place& place : places_) {
    hold(place.position, capacity_), hold(place.velocity, capacity_), hold(place.body, capacity_);
  }
  hold(acceleration_, capacity_), hold(out_, capacity_), hold(sorted_, capacity_), hold(pairs_, pairs);
  hold(boxes_out_, peers * BodyBox<Real>::bytes(box_capacity_)),
      hold(boxes_in_, peers * BodyBox<Real>::bytes(box_capacity_));
  hold(cell_, counted), hold(slot_, counted);
  hold(begin_, u64{cells} + 1), hold(scan_, grid_scan_bytes(cells));
  hold(strips_, grid_strips(capacity_, cells));
}

template <class Real>
DomainArrays<Real> ContactDomains<Real>::domain_arrays(FaultFlag* fault_flag) {
  DomainArrays<Real> arrays{};
  arrays.grid = grid_, arrays.own = own_;
  arrays.peers = peer_cells_.data(), arrays.peer_count = static_cast<u32>(peers_.size());
  arrays.all_peers = peers_.size() + 1 == ranks_.size();
  arrays.capacity = capacity_, arrays.box_capacity = box_capacity_;
  arrays.out = boxes_out_.data(), arrays.in = boxes_in_.data();
  arrays.cell = cell_.data(), arrays.slot = slot_.data(), arrays.begin = begin_.data(), arrays.scan = scan_.data();
  arrays.sorted = sorted_.data(), arrays.domain = domain_.data(), arrays.fault_flag = fault_flag;
  return arrays;
}

template <class Real>
StepArrays<Real> ContactDomains<Real>::arrays(u32 array, FaultFlag* fault_flag) {
  Place& place = places_[array];
  StepArrays<Real> to{
      place.position.data(), place.velocity.data(), out_.data(), acceleration_.data(), fault_flag, capacity_};
  to.own = place.range.data(), to.body = place.body.data();
  return to;
}

template <class Real>
void ContactDomains<Real>::enqueue(cudaStream_t stream, u32 array, FaultFlag* fault_flag, u32 segment, unsigned flags) {
  const DomainArrays<Real> domain = domain_arrays(fault_flag);
  const LocalBodies<Real> from = places_[array].bodies(), to = places_[1 - array].bodies();
  enqueue_leave(stream, domain, from, segment);
  std::vector<Parcel> parcels;
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    const std::size_t at = p * BodyBox<Real>::bytes(box_capacity_);
    parcels.push_back({peers_[p], boxes_out_.data() + at, boxes_in_.data() + at});
  }
  ranks_.enqueue_exchange(stream, parcels, BodyBox<Real>::bytes(box_capacity_));
  own_timer_.start(stream, flags);
  enqueue_arrive(stream, domain, from, to, segment);
  count_.fill_bytes(0, stream), candidates_.fill_bytes(0, stream);
  const GridArrays<Real> sorted{nullptr,       nullptr,        begin_.data(),       sorted_.data(),
                                nullptr,       strips_.data(), strip_count_.data(), scan_.data(),
                                domain_.data()};
  enqueue_strip_search(stream, config_.pair_map, grid_, domain.cells(), capacity_, sorted,
                       CollisionOutput{count_.data(), nullptr, pairs_.data(), pairs_.size()}, image_,
                       candidates_.data());
  const DeviceState<Real> state{to.position, to.velocity, capacity_};
  const PairSums<Real> sums = sums_.begin(out_.data(), capacity_, stream);
  enqueue_contact_forces(stream, field_, state, OverlapList{count_.data(), pairs_.data(), pairs_.size()},
                         config_.accumulate, sums, fault_flag, segment);
  sums_.finish(sums, stream);
  own_timer_.stop(stream, flags);
  evaluated_ = true;
}

template <class Real>
void ContactDomains<Real>::note_lack(cudaStream_t stream) {
  const u64 found = count_.download(stream)[0];
  if (found > pairs_.size()) list_needs_ = found + found / 4;
}

template <class Real>
u32 ContactDomains<Real>::own_bodies(cudaStream_t stream, u32 array) const {
  const BodyRange own = range(stream, array);
  return own.high - own.low;
}

template <class Real>
bool ContactDomains<Real>::crowded(cudaStream_t stream, u32 array) {
  return ranks_.largest(own_bodies(stream, array)) > most_bodies_ + most_bodies_ / 20;
}

template <class Real>
void ContactDomains<Real>::gather(cudaStream_t stream, u32 array, const StepArrays<Real>& whole) {
  const BodyRange own = range(stream, array);
  std::vector<u32> counts;
  for (const double count : ranks_.of_each(own.high - own.low)) counts.push_back(static_cast<u32>(count));
  const u32 at_once = std::min(kPacked, *std::max_element(counts.begin(), counts.end()));
  DeviceBuffer<std::byte> packed;
  ranks_.all_or_none([&] { packed = DeviceBuffer<std::byte>(pack_bytes<Real>(at_once)); });
  for (u32 root = 0; root < ranks_.size(); ++root) {
    for (u32 done = 0; done < counts[root]; done += at_once) {
      const u32 count = std::min(at_once, counts[root] - done);
      if (root == ranks_.rank()) {
        enqueue_pack(stream, places_[array].bodies(), acceleration_.data(), own.low + done, count, packed.data());
      }
      ranks_.enqueue_broadcast(stream, std::span(packed.data(), pack_bytes<Real>(count)), root);
      enqueue_unpack(stream, packed.data(), count, whole);
    }
  }
  TRI_CUDA(cudaStreamSynchronize(stream));
}

template class ContactDomains<float>;
template class ContactDomains<double>;

}  // namespace tri::cuda
