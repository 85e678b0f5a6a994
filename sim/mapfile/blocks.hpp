#pragma once
/// The lines of a map file's text, split where a repeat begins and ends. Internal to the compiler.

#include <string>
#include <vector>

#include "sim/mapfile/compile.hpp"

namespace tri::mapfile {

struct Block {
  enum class Kind : u8 { statements, repeat, end } kind = Kind::statements;
  /// As long as the whole text, with everything else as blanks, so that offsets are those of the file: the statements,
  /// or the expression with the number of rounds.
  std::string text;
  u32 offset = 0;  ///< of the line
  u32 limit = 0;   ///< of a repeat
};

/// Comments (from '#' on) are blanks. Throws ConfigError for a repeat that is not written as compile.hpp says, and
/// where ends and beginnings do not match. Blocks without statements are left out.
std::vector<Block> blocks_of(const FileText& text);

}  // namespace tri::mapfile
