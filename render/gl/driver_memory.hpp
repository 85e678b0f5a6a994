#pragma once
/// Drivers of graphics, Mesa's software driver above all, do not look whether they got their memory.

namespace tri::gl {

/// Before a context is made where the memory of the session is limited (ulimit -v, -d): throws MemoryError if the
/// address space that is left is too small for a driver. From then on, a crash of the process ends it with the exit
/// code of a lack of memory and a sentence: that is what it is nearly always.
void require_driver_memory();

}  // namespace tri::gl
