#pragma once
/// The names of files that are not finished: TARGET.SORT-NUMBER, 16 hexadecimal digits. Half of them are random, so
/// that nobody can put a file or a link there in advance; the other half follow from the name, the host and the first
/// half, so that a file of another program is never taken for ours. Whoever writes one holds a lock on it: without a
/// lock, it is of a run that was killed.

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace tri::io {

inline constexpr std::string_view kTemporarySort = ".tmp-", kPartSort = ".part-";
inline constexpr const char* kStateEnding = "-state";  ///< of the state of a part (part_file.hpp)

/// Creates a file that was not there, beside the target, locks it and sets its name. Returns the descriptor, for
/// reading and writing; -1, with errno, on failure.
int create_unfinished(const std::string& target, std::string_view sort, mode_t mode, std::string& name);

/// The files of that sort for this target, or those whose names are theirs with an ending, sorted.
std::vector<std::string> unfinished_of(const std::string& target, std::string_view sort, std::string_view ending = "");

/// Opens one that was found, if it is a regular file of this user that has no other name. Returns the descriptor; -1 if
/// not, or if another process writes it: then `written_now` is set.
int open_unfinished(const std::string& name, int flags, bool& written_now);

/// Removes what killed runs of this user left in the target's folder, once for each folder and process: temporary
/// files, and parts without a state.
void remove_leftovers_beside(const std::string& target);

}  // namespace tri::io
