#pragma once
/// The files that this process has read, so that none of them is replaced by a result: those that a command line names,
/// and those that these name in turn.

#include <optional>
#include <string>

namespace tri::io {

/// Of an InputFile: remembers an open regular file. Any thread.
void note_read(int fd, const std::string& path);

/// The name under which the file at `path` was read; nullopt if it was not, or is not there.
std::optional<std::string> read_as(const std::string& path);

}  // namespace tri::io
