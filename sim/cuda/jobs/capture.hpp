#pragma once
/// Work that a capture into a CUDA graph cannot hold.

#include <string>

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {

/// Throws ConfigError with that sentence while the stream is being captured.
inline void refuse_capture(cudaStream_t stream, const std::string& sentence) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TRI_CUDA(cudaStreamIsCapturing(stream, &status));
  if (status != cudaStreamCaptureStatusNone) throw ConfigError(sentence);
}

}  // namespace tri::cuda
