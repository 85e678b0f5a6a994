#pragma once
/// Decodes a <DataArray> of VTK's XML files: text, base64, or bytes appended at the end of the file.

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::io {

/// Encoding of all arrays of a file.
struct VtkEncoding {
  bool swap = false;          ///< byte order differs from this machine's
  bool wide_header = false;   ///< byte counts before arrays have 64 bits, else 32
  bool zlib = false;          ///< arrays other than text are zlib blocks
  std::string_view appended;  ///< after the '_' of <AppendedData>
  bool appended_base64 = false;
};

struct VtkArray {
  std::string name, type, format;  ///< type: Float32 .. UInt64; format: ascii, binary, appended
  u64 components = 1;
  u64 offset = 0;         ///< into the appended data
  std::string_view text;  ///< between the tags
};

/// All values as float64. Throws std::string with the reason, also for more than max_values values.
std::vector<double> values_of(const VtkArray& array, const VtkEncoding& encoding, u64 max_values);

}  // namespace tri::io
