#pragma once
/// 128-bit integers.

namespace tri {

/// A sum of any number of 64-bit terms.
__extension__ typedef __int128 Wide;

}  // namespace tri
