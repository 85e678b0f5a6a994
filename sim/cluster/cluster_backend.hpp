#pragma once
/// Many ranks as one backend. The first rank leads: it alone has a command line, files and a window, and calls its
/// engine as any other. Each of its calls is broadcast as an order, which every other rank carries out on an engine of
/// the same bodies, so that all of them meet in the sums that they share. The state is the same on every rank, bit for
/// bit; only the work on pairs and triples is divided.

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "sim/backend/backend.hpp"
#include "sim/backend/communicator.hpp"
#include "sim/cluster/rank_places.hpp"

namespace tri {

/// This rank's backend of that name, whose engines share their sums with those of the other ranks. No other rank takes
/// part.
using RankBackendMaker = std::function<std::unique_ptr<Backend>(const std::string& name, Communicator&)>;

/// What the first rank gives orders with: one for each communicator, for as long as there are backends. Any thread.
class RankLeader {
 public:
  /// The communicator must outlive this object.
  explicit RankLeader(Communicator& ranks);
  /// Ends the other ranks: follow() returns there.
  ~RankLeader();
  RankLeader(const RankLeader&) = delete;
  RankLeader& operator=(const RankLeader&) = delete;

  /// The backend of all ranks. Distances, automata, tuning and benches that are not shared (is_shared()) are done by
  /// the first rank alone, and on CPUs collisions. Must not outlive this object, and keeps `owner`, which may own it.
  /// names: of the ranks, for BackendInfo; may be empty.
  std::unique_ptr<Backend> make_backend(const std::string& name, const RankBackendMaker& make,
                                        std::shared_ptr<void> owner = nullptr, std::vector<std::string> names = {});

  /// Where the ranks run; without `device_of` none looks for its GPU.
  std::vector<RankPlace> places(const DeviceOfRank& device_of);

  struct Calls;

 private:
  std::unique_ptr<Calls> calls_;
};

/// Carries out the orders of the first rank until that ends; for every other rank. `interrupted`: a flag that ends the
/// present work of all ranks once it is set, as if the first one had been interrupted; nullptr for none.
void follow(Communicator& ranks, const RankBackendMaker& make, const DeviceOfRank& device_of = {},
            const std::atomic<bool>* interrupted = nullptr);

/// Ranks that are threads of this process, as one backend; for tests, and for several devices. size >= 1.
std::unique_ptr<Backend> make_local_cluster(u32 size, const std::string& name, const RankBackendMaker& make,
                                            std::vector<std::string> names = {});

}  // namespace tri
