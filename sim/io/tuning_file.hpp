#pragma once
/// The tuning file: lines "work precision n choice" under a line "device NAME"; '#' starts a comment.
///
///     device NVIDIA H200
///     gravity fp32 1024 128
///     gravity fp32 16384 384
///
/// One file per user holds all devices of the machine; writing the tuning of one device keeps the others.

#include <string>
#include <vector>

#include "sim/model/tuning.hpp"

namespace tri::io {

/// tuning.txt in the user's configuration folder (user_file.hpp); empty if there is none.
std::string tuning_path();

/// All devices in the file; empty if it does not exist. Throws FileError with file, line and hint.
std::vector<Tuning> read_tunings(const std::string& path);

/// Replaces the tuning of its device, or appends it. Creates missing folders and writes atomically. Throws FileError.
void write_tuning(const std::string& path, const Tuning& tuning);

}  // namespace tri::io
