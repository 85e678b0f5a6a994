#pragma once
/// Bodies that the CUDA backend writes straight into a GL buffer, mapped and unmapped every frame. A build without CUDA
/// links interop_absent.cpp.

#include <memory>
#include <string>

#include "render/instance_buffer.hpp"

namespace tri::render {

/// device: the number of the CUDA device that publishes. Null, and one phrase in `why_not`, where GL and that device
/// cannot share memory (another GPU or software draws). To be called only when a CUDA backend is in use.
std::unique_ptr<InstanceBuffer> make_interop_buffer(std::size_t n, int device, std::string& why_not);

}  // namespace tri::render
