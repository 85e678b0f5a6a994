#pragma once
/// Results of `compute` as files, but for distances (distance_file.hpp): npy or csv, by extension. Written to a
/// temporary file and renamed; failures are FileErrors.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/triple_counts.hpp"

namespace tri::app {

/// Pairs i < j, sorted. csv: with the header i,j; npy: [pairs, 2] int64.
void write_pairs(const std::string& path, const std::vector<std::pair<u32, u32>>& pairs);

/// csv: with the header body,contacts; npy: [n] int64.
void write_counts(const std::string& path, const std::vector<u32>& counts);

/// csv: with the header fx,fy,fz; npy: [n, 3] float64.
void write_forces(const std::string& path, std::span<const double> fx, std::span<const double> fy,
                  std::span<const double> fz);

/// csv: with the header low1,high1,low2,high2,low3,high3,count and one line for each three bins, ascending, that
/// contain a triple; npy: [bins, bins, bins] int64, at [p, q, r] with p <= q <= r; larger counts are FileErrors.
void write_triple_counts(const std::string& path, const SideBins& bins, const TripleCounts& result);

}  // namespace tri::app
