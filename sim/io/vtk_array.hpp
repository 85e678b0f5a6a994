#pragma once
/// The values of a <DataArray> of VTK's XML files: text, base64, or bytes appended at the end of the file.

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::io {

/// What the file as a whole says about its data.
struct VtkEncoding {
  bool swap = false;          ///< other byte order than this machine's
  bool wide_header = false;   ///< the counts of bytes before each array have 64 bits, else 32
  bool zlib = false;          ///< arrays that are no text are blocks compressed by zlib
  std::string_view appended;  ///< behind the '_' of <AppendedData>
  bool appended_base64 = false;
};

struct VtkArray {
  std::string name, type, format;  ///< type: Float32 .. UInt64; format: ascii, binary, appended
  u64 components = 1;
  u64 offset = 0;         ///< into the appended data
  std::string_view text;  ///< between the tags
};

/// All values as float64; at most `most` of them are made. Throws std::string, a reason to stand in a sentence.
std::vector<double> values_of(const VtkArray& array, const VtkEncoding& encoding, u64 most);

}  // namespace tri::io
