#include "sim/cuda/engine/contacts.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/cuda/engine/kernel_choice.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// Bodies per cell, if the radii permit.
constexpr double kOccupancy = 6;

/// Whether the configuration requests the grid, or leaves the choice to the backend, which prefers it for this many
/// bodies.
bool wants_grid(const EngineConfig& config, u64 n) {
  if (config.broad_phase != BroadPhase::automatic) return config.broad_phase == BroadPhase::grid;
  return n >= tuned_grid_bodies(config.precision, current_device());
}

u64 first_capacity(u64 n) { return std::max<u64>(1, std::min(triangular(n - 1), kListedPairs * n)); }

}  // namespace

template <class Real>
u64 overlap_search_bytes(const EngineConfig& config, u64 n) {
  u64 bytes = n * sizeof(Sphere<Real>) + first_capacity(n) * sizeof(uint2);
  // Twice as many cells as the mean occupancy suggests, doubled again for rounding to powers of two.
  const u64 cells = static_cast<u64>(4 * static_cast<double>(n) / kOccupancy) + 64;
  if (wants_grid(config, n)) {
    bytes +=
        n * (3 * sizeof(u32) + sizeof(Sphere<Real>)) + cells * sizeof(u32) + grid_strips(n, cells) * sizeof(CellStrip);
  }
  return bytes;
}

template <class Real>
OverlapSearch<Real>::OverlapSearch(const Bodies& bodies, const Box& box, const EngineConfig& config,
                                   cudaStream_t stream, const GridShare& share, bool alone)
    : config_(config),
      share_(share),
      alone_(alone),
      n_(static_cast<u32>(bodies.size())),
      grid_(wants_grid(config, bodies.size())),
      image_(box),
      spheres_(n_),
      count_(1),
      candidates_(1) {
  count_.fill_bytes(0, stream);
  candidates_.fill_bytes(0, stream);
  TRI_CUDA(cudaStreamSynchronize(stream));
  if (grid_) make_grid(bodies, box);
  if (!grid_) {
    const KernelChoice kernel = choose_kernel(config.pair_map, n_, config.pair_block,
                                              tuned_overlap_tile(config.precision, n_, current_device()),
                                              {kCollisionTileSmall, kCollisionTileLarge});
    block_ = kernel.block;
    tiles_ = kernel.tiles;
  }
  prepare(first_capacity(n_));
}

template <class Real>
void OverlapSearch<Real>::make_grid(const Bodies& bodies, const Box& box) {
  const GridChoice<Real> choice = make_cell_grid<Real>(bodies, box, kOccupancy);
  if (!choice.usable) {
    if (config_.broad_phase == BroadPhase::grid) refuse_grid();
    grid_ = false;
    return;
  }
  cells_ = choice.grid;
  const u32 cells = cells_.count();
  cell_ = DeviceBuffer<u32>(n_), slot_ = DeviceBuffer<u32>(n_), body_ = DeviceBuffer<u32>(n_);
  begin_ = DeviceBuffer<u32>(u64{cells} + 1);
  strip_count_ = DeviceBuffer<u32>(1);
  sorted_ = DeviceBuffer<Sphere<Real>>(n_);
  strips_ = DeviceBuffer<CellStrip>(grid_strips(n_, cells));
  scan_ = DeviceBuffer<unsigned char>(grid_scan_bytes(cells));
  if (share_.ranks > 1) domain_ = DeviceBuffer<GridDomain>(1);
}

template <class Real>
void OverlapSearch<Real>::prepare(u64 capacity) {
  pairs_ = {};
  require_device_memory(static_cast<double>(capacity) * sizeof(uint2),
                        fmt::format("the list of {} overlapping pairs", capacity), "Use fewer bodies or smaller radii");
  pairs_ = DeviceBuffer<uint2>(capacity);
  if (grid_) return;
  const CollisionOutput out{count_.data(), nullptr, pairs_.data(), capacity};
  slices_ = tiles_ && alone_ ? slices_for(config_, n_, current_device()) : 1;
  search_ = tiles_
                ? prepare_collision_tiles<Real>(config_.pair_map, n_, block_, 3, spheres_.data(), out, image_, slices_)
                : prepare_collision_elements<Real>(config_.pair_map, n_, block_, 3, spheres_.data(), out, image_);
}

template <class Real>
void OverlapSearch<Real>::enqueue(cudaStream_t stream, const DeviceState<Real>& state) {
  enqueue_spheres(stream, state, spheres_.data());
  enqueue_spheres_as_they_are(stream);
}

template <class Real>
void OverlapSearch<Real>::enqueue_spheres_as_they_are(cudaStream_t stream) {
  count_.fill_bytes(0, stream);
  if (!grid_) {
    return enqueue_watched(search_, slices_, stream);
  }
  candidates_.fill_bytes(0, stream);
  const GridArrays<Real> arrays{cell_.data(),   slot_.data(),        begin_.data(), sorted_.data(), body_.data(),
                                strips_.data(), strip_count_.data(), scan_.data(),  domain_.data()};
  enqueue_grid_search(stream, config_.pair_map, cells_, n_, spheres_.data(), arrays,
                      CollisionOutput{count_.data(), nullptr, pairs_.data(), pairs_.size()}, image_, candidates_.data(),
                      share_);
}

template <class Real>
u64 OverlapSearch<Real>::looked_at(cudaStream_t stream) const {
  return grid_ ? candidates_.download(stream)[0] : triangular(u64{n_} - 1);
}

template <class Real>
void OverlapSearch<Real>::grow(cudaStream_t stream) {
  const u64 count = found(stream);
  prepare(std::max<u64>(pairs_.size(), std::min(triangular(u64{n_} - 1), count + count / 4)));
}

template u64 overlap_search_bytes<float>(const EngineConfig&, u64);
template u64 overlap_search_bytes<double>(const EngineConfig&, u64);
template class OverlapSearch<float>;
template class OverlapSearch<double>;

namespace {

/// Impulses need all contacts, since each depends on those before it.
GridShare share_of(const ForceField& field, const DeviceRanks* ranks) {
  return ranks == nullptr || field.contact.impulse ? GridShare{} : GridShare{ranks->rank(), ranks->size()};
}

}  // namespace

template <class Real>
u64 contacts_bytes(const ForceField& field, const EngineConfig& config, u64 n) {
  return overlap_search_bytes<Real>(config, n) +
         (field.contact.impulse ? n * 2 * sizeof(unsigned long long) : ordered_sums_bytes(config, n));
}

template <class Real>
Contacts<Real>::Contacts(const ForceField& field, const Bodies& bodies, const EngineConfig& config, cudaStream_t stream,
                         DeviceRanks* ranks)
    : field_(field),
      ranks_(ranks),
      accumulate_(config.accumulate),
      n_(static_cast<u32>(bodies.size())),
      search_(bodies, field.box, config, stream, share_of(field, ranks), ranks == nullptr),
      sums_(field.contact.impulse ? Accumulate::fast : config.accumulate, n_, stream) {
  TRI_EXPECTS(field.pair == PairLaw::contact);
  if (field.contact.impulse) {
    blocks_ = impulse_blocks<Real>(n_);
    turn_ = DeviceBuffer<unsigned long long>(2 * u64{n_});
    turn_.fill_bytes(0xff, stream);
    round_ = DeviceBuffer<u32>(1), waiting_ = DeviceBuffer<u32>(3), deep_ = DeviceBuffer<u32>(1);
    round_.fill_bytes(0, stream), waiting_.fill_bytes(0, stream), deep_.fill_bytes(0, stream);
  } else {
    energy_words_ = DeviceBuffer<unsigned long long>(kContactEnergyWords);
    energy_ = DeviceBuffer<double>(2);
  }
  TRI_CUDA(cudaStreamSynchronize(stream));
}

template <class Real>
void Contacts<Real>::enqueue_forces(cudaStream_t stream, const DeviceState<Real>& state, FaultFlag* fault_flag,
                                    u32 segment, Vec4<Real>* out) {
  TRI_EXPECTS(!field_.contact.impulse && state.n == n_);
  if (ranks_ == nullptr || search_.is_shared() || ranks_->rank() == 0) {
    search_.enqueue(stream, state);
    const PairSums<Real> sums = sums_.begin(out, n_, stream);
    enqueue_contact_forces(stream, field_, state, search_.list(), accumulate_, sums, fault_flag, segment);
    sums_.finish(sums, stream);
  } else {
    clear_sums(out, n_, stream);
  }
  if (ranks_ == nullptr) return;
  // A body's sum is complete on one rank and zero on the others, so no bit changes.
  ranks_->enqueue_sum(stream, std::span(&out->x, 4 * std::size_t{n_}));
  if (fault_flag != nullptr) ranks_->enqueue_min(stream, std::span(&fault_flag->first, 1));
}

template <class Real>
void Contacts<Real>::agree() const {
  if (ranks_ != nullptr) ranks_->agree("the broad phase", search_.uses_grid() ? 1 : 0);
}

template <class Real>
u64 Contacts<Real>::looked_at(cudaStream_t stream) const {
  const u64 own = search_.looked_at(stream);
  return search_.is_shared() ? ranks_->total(own) : own;
}

template <class Real>
void Contacts<Real>::enqueue_impulses(cudaStream_t stream, const StepArrays<Real>& arrays,
                                      const laws::ImpulseRule<Real>& rule, u32 segment) {
  TRI_EXPECTS(field_.contact.impulse && arrays.n == n_);
  search_.enqueue(stream, DeviceState<Real>{arrays.position, arrays.velocity, n_});
  const ImpulseTurns turns{turn_.data(), round_.data(), waiting_.data(), deep_.data()};
  cuda::enqueue_impulses(stream, arrays, search_.list(), turns, blocks_, rule, segment);
}

template <class Real>
bool Contacts<Real>::search(cudaStream_t stream, const DeviceState<Real>& state) {
  search_.enqueue(stream, state);
  const u64 more = search_.found(stream) > search_.list().capacity ? 1 : 0;
  if ((ranks_ != nullptr ? ranks_->largest(more) : more) == 0) return false;
  grow(stream);
  search_.enqueue(stream, state);
  return true;
}

template <class Real>
PairEnergy Contacts<Real>::energy(cudaStream_t stream, const DeviceState<Real>& state) {
  if (field_.contact.impulse) return {};
  enqueue_contact_energy(stream, field_, state, search_.list(), energy_words_.data());
  if (search_.is_shared()) ranks_->enqueue_sum(stream, std::span(energy_words_.data(), energy_words_.size()));
  enqueue_contact_energy_total(stream, energy_words_.data(), energy_.data());
  double values[2];
  energy_.download(std::span<double>(values), stream);
  return {values[0], values[1]};
}

template u64 contacts_bytes<float>(const ForceField&, const EngineConfig&, u64);
template u64 contacts_bytes<double>(const ForceField&, const EngineConfig&, u64);
template class Contacts<float>;
template class Contacts<double>;

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
