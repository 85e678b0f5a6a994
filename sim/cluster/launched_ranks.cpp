#include "sim/cluster/launched_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/cluster/mpi_module.hpp"

namespace tri {
namespace {

constexpr const char* kModule = "libtriangulum-mpi.so";

/// Beside the program in a build folder, below lib/triangulum once installed.
void* open_module(std::string& why_not) {
  std::error_code none;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (const auto& path : {folder / kModule, folder / "../lib/triangulum" / kModule}) {
    if (!std::filesystem::exists(path, none)) continue;
    // Global: the parts that MPI itself loads look for its symbols.
    if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
    why_not = dlerror();
    return nullptr;
  }
  why_not = fmt::format("{} is missing; install libopenmpi-dev and build again", kModule);
  return nullptr;
}

}  // namespace

u32 launched_count(const std::function<const char*(const char*)>& get) {
  if (const char* wish = get("TRIANGULUM_RANKS"); wish != nullptr && std::strcmp(wish, "off") == 0) return 0;
  // Open MPI; MPICH, and srun with PMI-2. srun with PMIx tells the rank alone, and the number by Slurm's own variable.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* size = get(name)) return static_cast<u32>(std::strtoul(size, nullptr, 10));
  }
  if (get("PMIX_RANK") == nullptr) return 0;
  const char* tasks = get("SLURM_STEP_NUM_TASKS");
  return tasks != nullptr ? static_cast<u32>(std::strtoul(tasks, nullptr, 10)) : 0;
}

std::unique_ptr<Communicator> launched_ranks() {
  const u32 count = launched_count([](const char* name) { return std::getenv(name); });
  if (count <= 1) return nullptr;
  std::string why_not;
  void* module = open_module(why_not);
  auto* open = module == nullptr ? nullptr : reinterpret_cast<decltype(&tri_open_mpi)>(dlsym(module, "tri_open_mpi"));
  if (open == nullptr) {
    throw BackendError(
        fmt::format("a launcher started {} processes, but they cannot work together: {}. Start one "
                    "process, or set TRIANGULUM_RANKS=off if each shall work alone.",
                    count, why_not));
  }
  try {
    return std::unique_ptr<Communicator>(open());
  } catch (const std::exception& error) {
    throw BackendError(
        fmt::format("a launcher started {} processes, but they cannot work together: {}", count, error.what()));
  }
}

}  // namespace tri
