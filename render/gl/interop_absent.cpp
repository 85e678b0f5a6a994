// Stub for builds without CUDA.

#include "render/gl/gl.hpp"

namespace tri::render {

std::unique_ptr<InstanceBuffer> make_interop_buffer(std::size_t, int, std::string& reason) {
  reason = "this build has no CUDA";
  return nullptr;
}

}  // namespace tri::render
