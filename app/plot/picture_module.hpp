#pragma once
/// What the module triangulum-picture exports. C types alone: it shares no code with the program.

#include <cstddef>

extern "C" {

/// Takes a piece of the picture; returns 0 to stop.
using TriPictureSink = int (*)(void* to, const unsigned char* data, std::size_t size);

/// Draws an SVG document of `size` bytes: as PDF of one page if `pdf`, else as PNG at `dpi` dots an inch, on white.
/// Returns 1, or 0 with the reason, a phrase, in error[error_size].
int tri_draw_picture(const char* svg, std::size_t size, int pdf, double dpi, TriPictureSink sink, void* to, char* error,
                     std::size_t error_size);
}
