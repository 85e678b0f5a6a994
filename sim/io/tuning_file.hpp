#pragma once
/// Tunings in a file: lines "work precision n choice" under a line "device NAME" each, '#' begins a comment.
///
///     device NVIDIA H200
///     gravity fp32 1024 128
///     gravity fp32 16384 384
///
/// The file belongs to the user and to all devices of the machine: writing one device's tuning leaves the others.

#include <string>
#include <vector>

#include "sim/model/tuning.hpp"

namespace tri::io {

/// tuning.txt among the user's files (user_file.hpp); empty where they have no place.
std::string tuning_path();

/// All devices of the file; none when it is not there. Throws FileError with file, line and cure.
std::vector<Tuning> read_tunings(const std::string& path);

/// Puts the tuning in the place of the one of its device, or behind the others. Makes folders that are missing. Written
/// beside and renamed. Throws FileError.
void write_tuning(const std::string& path, const Tuning& tuning);

}  // namespace tri::io
