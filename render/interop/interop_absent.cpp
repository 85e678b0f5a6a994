// A build without CUDA has nothing to share with GL.

#include "render/interop/interop_buffer.hpp"

namespace tri::render {

std::unique_ptr<InstanceBuffer> make_interop_buffer(std::size_t, int, std::string& why_not) {
  why_not = "this build has no CUDA";
  return nullptr;
}

}  // namespace tri::render
