#pragma once
/// Compiled kernels in files, one each, so that the next start does not compile them again.
///
///     folder   $TRI_CACHE/kernels, else $XDG_CACHE_HOME/triangulum/kernels, else ~/.cache/triangulum/kernels
///     file     the key in hexadecimal digits; magic, layout, key, length, checksum, code
///
/// A file that is damaged, cut off or of another layout counts as missing, and the next keep() replaces it. Files
/// appear whole under their names, so several processes may share a folder. Nothing here throws, and nothing fails:
/// without a folder that can be written, kernels are compiled at each start. Files of others in the folder, told by
/// name and magic, are neither counted nor removed.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// A hash of all that a kernel's code depends on: FNV-1a, 128 bits (see state_hash.hpp).
struct KernelKey {
  u64 high = 0x6c62272e07bb0142ull, low = 0x62b821756295c58dull;

  /// Continues the hash over a text and its length, so that the parts of a sum of texts count.
  void add(std::string_view text);
  std::string name() const;  ///< 32 hexadecimal digits
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
  friend bool operator<(const KernelKey& a, const KernelKey& b) {
    return a.high != b.high ? a.high < b.high : a.low < b.low;
  }
};

/// Any thread may use it.
class KernelCache {
 public:
  /// Bytes of all files, beyond which those that were used longest ago are removed.
  static constexpr u64 kMostBytes = u64{64} << 20;

  /// Empty: nothing is kept.
  explicit KernelCache(std::string folder, u64 most_bytes = kMostBytes);

  const std::string& folder() const { return folder_; }
  /// The code with that key, if there is a sound file of it, which then counts as used now.
  std::optional<std::vector<char>> find(const KernelKey& key) const;
  /// Keeps the code. Returns the reason why it could not, else an empty string.
  std::string keep(const KernelKey& key, const std::vector<char>& code) const;

 private:
  void remove_oldest(const std::string& but) const;

  std::string folder_;
  u64 most_bytes_;
};

/// See above; empty if no variable names a folder.
std::string kernel_folder();

}  // namespace tri::cuda
