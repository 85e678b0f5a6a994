#pragma once
/// A picture of a map at one side: the domain, each tile in the colour of the position that meets it and with its
/// omega where there is room. Tiles that no position meets are hollow and crossed, tiles that several meet are red, and
/// positions that are sent beyond the domain are listed. Triples are drawn layer beside layer.

#include <string>

#include "sim/mapfile/proof.hpp"

namespace tri::app {

/// Sides up to these are drawn.
inline constexpr u32 kMaxPictureSide = 128, kMaxPictureLayers = 32;

/// Whether a side can be drawn; else why not, in a sentence.
std::string picture_refusal(const mapfile::ProvableMap& map, u64 side);

/// An SVG document. proof: of the same side.
std::string map_picture(const mapfile::ProvableMap& map, const mapfile::Proof& proof);

}  // namespace tri::app
