// Chooses among the backends of this build, at run time and by name. CUDA is probed only when it is asked about.

#include <array>

#include "sim/backend/backend.hpp"
#include "sim/base/suggest.hpp"
#include "sim/cpu/cpu_backend.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri {

std::vector<BackendEntry> list_backends() {
  return {{"cpu", {true, ""}, true}, {"cuda", cuda_available(), cuda_simulates().ok, cuda_simulates_triples().ok}};
}

BackendNeed need_of(const ForceField& field) {
  return field.triple == TripleLaw::none ? BackendNeed::simulation : BackendNeed::triples;
}

std::unique_ptr<Backend> make_backend(const std::string& name, int device, BackendNeed need, std::string* passed_over) {
  if (name == "cpu") return make_cpu_backend();
  if (name == "cuda") return make_cuda_backend(device);
  if (name == "auto") {
    // Asked first, so that the driver is not started for what it will not do.
    Availability cuda = need == BackendNeed::triples      ? cuda_simulates_triples()
                        : need == BackendNeed::simulation ? cuda_simulates()
                        : need == BackendNeed::gasket     ? cuda_has_gasket()
                                                          : Availability{true, ""};
    if (cuda) cuda = cuda_available();
    if (cuda) return make_cuda_backend(device);
    if (passed_over != nullptr) *passed_over = "cuda: " + cuda.reason;
    return make_cpu_backend();
  }
  static constexpr std::array<const char*, 3> kNames{"auto", "cpu", "cuda"};
  throw ConfigError("--backend: " + unknown_name("backend", name, kNames));
}

}  // namespace tri
