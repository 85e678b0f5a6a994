#include "sim/cuda/ranks/nccl_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace tri::cuda::nccl {

Availability load(Api& api, const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {false, fmt::format("{} is missing; it comes with NCCL", library)};
  std::string missing;
  const auto resolve = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  resolve(api.get_version, "ncclGetVersion");
  resolve(api.get_unique_id, "ncclGetUniqueId");
  resolve(api.comm_init_rank, "ncclCommInitRank");
  resolve(api.comm_abort, "ncclCommAbort");
  resolve(api.all_reduce, "ncclAllReduce");
  resolve(api.broadcast, "ncclBroadcast");
  resolve(api.send, "ncclSend");
  resolve(api.recv, "ncclRecv");
  resolve(api.group_start, "ncclGroupStart");
  resolve(api.group_end, "ncclGroupEnd");
  resolve(api.error_string, "ncclGetErrorString");
  if (missing.empty()) return {true, ""};
  return {false, fmt::format("{} has no function {}", library, missing)};
}

}  // namespace tri::cuda::nccl
