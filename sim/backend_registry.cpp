// The backends of this build, by name. Only "cuda" and "auto" probe the CUDA driver.

#include <array>

#include "sim/backend/backend.hpp"
#include "sim/backend_ranks.hpp"
#include "sim/base/suggest.hpp"
#include "sim/cpu/cpu_backend.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/runtime/device_info.hpp"

namespace tri {

std::vector<BackendEntry> list_backends() { return {{"cpu", {true, ""}}, {"cuda", cuda_available()}}; }

std::unique_ptr<Backend> make_backend(const std::string& name, int device) {
  if (name == "auto" || name == "cpu" || name == "cuda") {
    if (auto shared = make_ranks_backend(name)) return shared;
  }
  if (name == "cpu") return make_cpu_backend();
  if (name == "cuda") return make_cuda_backend(device);
  if (name == "auto") return cuda_available() ? make_cuda_backend(device) : make_cpu_backend();
  static constexpr std::array<const char*, 3> kNames{"auto", "cpu", "cuda"};
  throw ConfigError("--backend: " + unknown_name("backend", name, kNames));
}

void finish_backends() noexcept { finish_cuda_work(); }

}  // namespace tri
