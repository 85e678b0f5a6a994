#pragma once
/// How much a compressed block may expand: a file that announces more is damaged, and no memory is taken for it.

namespace tri::io {

/// The most bytes that `compressed` bytes of deflate hold: its limit is 1032 to 1, with room for partial blocks.
constexpr double max_expanded(double compressed) { return 1100 * compressed + 65536; }

}  // namespace tri::io
