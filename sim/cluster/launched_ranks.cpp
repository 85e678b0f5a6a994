#include "sim/cluster/launched_ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

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
  // Open MPI's mpirun; MPICH's, and srun with PMI-2; srun with or without MPI; torchrun, whose variable others use too.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "WORLD_SIZE"}) {
    if (std::strcmp(name, "WORLD_SIZE") == 0 && get("TORCHELASTIC_RUN_ID") == nullptr) continue;
    if (const char* size = get(name)) return static_cast<u32>(std::strtoul(size, nullptr, 10));
  }
  return 0;
}

std::unique_ptr<Communicator> launched_ranks() {
  const u32 count = launched_count([](const char* name) { return std::getenv(name); });
  if (count <= 1) return nullptr;
  std::string why_not;
  void* module = open_module(why_not);
  auto* open = module == nullptr ? nullptr : reinterpret_cast<decltype(&tri_open_mpi)>(dlsym(module, "tri_open_mpi"));
  try {
    if (open == nullptr) throw std::runtime_error(why_not);
    std::unique_ptr<Communicator> ranks(open());
    if (ranks->size() == count) return ranks;
    throw std::runtime_error(fmt::format(
        "MPI sees {} of them; use the mpirun of the MPI that this program was built with, or srun --mpi=pmix",
        ranks->size()));
  } catch (const std::exception& error) {
    throw BackendError(
        fmt::format("a launcher started {} processes, but they cannot work together: {}. Or start one process, or set "
                    "TRIANGULUM_RANKS=off if each shall work alone.",
                    count, error.what()));
  }
}

}  // namespace tri
