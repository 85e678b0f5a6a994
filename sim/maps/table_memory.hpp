#pragma once
/// How much memory the table of a lookup map may take.

#include "../base/platform.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace tri {

/// Half of the machine's memory in bytes; 4 GiB where the system does not say.
inline u64 table_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) return static_cast<u64>(pages) * static_cast<u64>(page) / 2;
#endif
  return u64{4} << 30;
}

}  // namespace tri
