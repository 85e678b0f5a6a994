#pragma once
/// Command lines as text, for tests of options.

#include <sstream>
#include <string>
#include <vector>

#include "app/options/options.hpp"

namespace tri::app {

/// What `triangulum LINE` is parsed into; words are separated by blanks. Throws ConfigError.
inline RunConfig parsed(const std::string& line) {
  std::vector<std::string> argv{"triangulum"};
  std::istringstream words(line);
  for (std::string word; words >> word;) argv.push_back(word);
  return parse_options(argv);
}

}  // namespace tri::app
