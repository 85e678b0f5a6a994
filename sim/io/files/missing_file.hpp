#pragma once
/// The sentence about a file that is not there.

#include <string>

namespace tri::io {

/// "there is no file 'a.cvs'. Did you mean 'a.csv'?", after the nearest of the first 10,000 names in its folder.
std::string no_such_file(const std::string& path);

}  // namespace tri::io
