#pragma once
/// Pictures from SVG, and the interface of the module that draws them.
///
/// What the module triangulum-picture exports. C types alone: it shares no code with the program.

#include <cstddef>
#include <string>

#include "sim/base/error.hpp"

extern "C" {

/// Takes a piece of the picture; returns 0 to stop.
using TriPictureSink = int (*)(void* to, const unsigned char* data, std::size_t size);

/// Draws an SVG document of `size` bytes: as PDF of one page if `pdf`, else as PNG at `dpi` dots an inch, on white.
/// Returns 1, or 0 with the reason, a phrase, in error[error_size].
int tri_draw_picture(const char* svg, std::size_t size, int pdf, double dpi, TriPictureSink sink, void* to, char* error,
                     std::size_t error_size);
}

// Figures as PNG and PDF, by a module that not every build has.

namespace tri::app {

/// Whether this build can write them, and its libraries are here; if not, the reason (a phrase without a full stop).
Availability pictures_available();

/// An SVG document as PNG, 300 dots an inch, or as PDF of one page with its text as text. `file` is for errors. Throws
/// ConfigError where pictures_available() says no, or when it cannot be drawn.
std::string png_of(const std::string& svg, const std::string& file);
std::string pdf_of(const std::string& svg, const std::string& file);

}  // namespace tri::app
