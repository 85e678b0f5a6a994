#pragma once
/// Figures as PNG and PDF, by a module that not every build has.

#include <string>

#include "sim/base/error.hpp"

namespace tri::app {

/// Whether this build can write them, and its libraries are here; if not, the reason (a phrase without a full stop).
Availability pictures_available();

/// An SVG document as PNG, 300 dots an inch, or as PDF of one page with its text as text. `file` is for errors. Throws
/// ConfigError where pictures_available() says no, or when it cannot be drawn.
std::string png_of(const std::string& svg, const std::string& file);
std::string pdf_of(const std::string& svg, const std::string& file);

}  // namespace tri::app
