#pragma once
/// A GL buffer that the CUDA backend writes directly, mapped and unmapped every frame. A build without CUDA links
/// interop_absent.cpp.

#include <memory>
#include <string>

#include "render/instance_buffer.hpp"

namespace tri::render {

/// device: the CUDA device that publishes. Null, with a phrase in `reason`, if GL and that device cannot share memory
/// (another GPU or software renders). Call it only with a CUDA backend.
std::unique_ptr<InstanceBuffer> make_interop_buffer(std::size_t n, int device, std::string& reason);

}  // namespace tri::render
