#pragma once
/// Published formulas from a linear index to a row of the triangle or a layer of the tetrahedron, and the first index
/// at which each is wrong: `list failures`. Each is written here anew, operation by operation with the rounding of its
/// source, and its failure is searched for and not written down.
///
/// Pure functions: any thread may call them. A search takes up to a second.

#include <optional>
#include <span>
#include <string>

#include "sim/base/platform.hpp"

namespace tri::app {

/// Where a formula is wrong for the first time.
struct IndexFailure {
  bool found = false;        ///< otherwise only `scanned` counts
  u64 side = 0;              ///< n of a formula that depends on it, the smallest that fails; 0 for one that does not
  u64 index = 0;             ///< the first wrong index (of that n), from 0
  std::optional<i64> given;  ///< row, of triples layer, that it gives, from 0; nothing: the root of a negative number
  u64 right = 0;             ///< the right one
  std::string scanned;       ///< what was tried, in words
};

struct IndexFormula {
  const char* name;
  const char* numbers;  ///< of its root and products
  const char* formula;
  const char* project;  ///< repository or paper
  const char* place;    ///< file and line, with the commit or version; section of a paper
  IndexFailure (*find)();
  /// A command line for a shell that prints what the formula gives at the failure, and the right row by integers.
  std::string (*command)(const IndexFailure& failure);
};

/// All of them; those of papers come first.
std::span<const IndexFormula> index_formulas();

/// The formulas themselves, for tests: row of index k of n elements, kNoRow (index_search.hpp) where there is none.
namespace index_rows {
i64 pytorch_float(u64 n, u64 k);
i64 pytorch_int(u64 n, u64 k);
i64 cutlass(u64 t);
i64 sunplin(u64 n, u64 k);
i64 condensed_numpy(u64 n, u64 k);
i64 condensed_r(u64 n, u64 k);
i64 utm(u64 n, u64 k);
}  // namespace index_rows

}  // namespace tri::app
