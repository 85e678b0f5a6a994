#pragma once
/// Includes all maps. To use one map, include just its header.
///
/// Papers, and the names that the headers give them:
///   LTM     Navarro, Hitschfeld 2014, "GPU Maps for the Space of Computation in Triangular Domain Problems"
///   TRI     Navarro, Bustos, Hitschfeld 2016, "A Non-linear GPU Thread Map for Triangular Domains", arXiv 1609.01490
///   GASKET  Navarro, Bustos, Vega, Hitschfeld 2017, "Block-space GPU Mapping for Embedded Sierpinski Gasket Fractals",
///           arXiv 1706.04552
/// and Jung & O'Leary 2008 (rb), Ries et al. 2009 (rec), Avril et al. 2012 (utm), Navarro et al. 2022, arXiv 2208.11617
/// (h). What they print was checked by brute force; where it is wrong, the header of the map gives the correct form.

#include "any_map.hpp"
#include "fractal_family.hpp"
#include "fractal_tiles.hpp"
#include "gasket_placement.hpp"
#include "launch_counts.hpp"
#include "launch_split.hpp"
#include "map_check.hpp"
#include "map_registry.hpp"
#include "tile_mask.hpp"
#include "triangle_attention.hpp"
#include "triangle_band.hpp"
#include "triangle_batch.hpp"
#include "triangle_blocks.hpp"
#include "work_queue.hpp"
