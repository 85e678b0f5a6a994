#pragma once
/// The axes of a bench, from text to values. Pure; errors are ConfigError.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/backend/bench_case.hpp"

namespace tri::app {

/// One range: "1024", "2^10", "a:b:step" (both ends, the last only when it is met) or "2^a:2^b" (powers of two).
/// Lists are ranges parted by commas: "512,2^10:2^14". Values in the order given; a value that appears twice is an
/// error, as is a list of more than 4096.
std::vector<u64> parse_sizes(std::string_view option, std::string_view text);

/// The same for block sides and feature counts: values in [low, high].
std::vector<u32> parse_small_sizes(std::string_view option, std::string_view text, u32 low, u32 high);

std::vector<BenchKernel> parse_kernels(std::string_view text);

/// What the lists of kernels, forms, layouts, dimensions and placements and the names of rec and timing are made of;
/// "all" kernels is not among them.
std::vector<std::string_view> kernel_names();
std::vector<std::string_view> form_names();
std::vector<std::string_view> layout_names();
std::vector<std::string_view> dimension_names();
std::vector<std::string_view> rec_names();
std::vector<std::string_view> timing_names();
std::vector<std::string_view> placement_names();

/// The maps of these domains, each name once.
std::vector<std::string_view> map_names(const std::vector<Domain>& domains);
/// What kernels take as maps: those of their domains and the stand-ins, each name once.
std::vector<std::string_view> map_names(const std::vector<BenchKernel>& kernels);

/// Every kernel in the order of the enum.
const std::vector<BenchKernel>& all_kernels();

/// Lists of forms, layouts of edm, placements of the gasket, and dimensions of collision (1 and 3).
/// Forms are those of dummy and of gasket together, by name; forms_of_dummy() and forms_of_gasket() take each its own.
std::vector<std::string> parse_forms(std::string_view text);
std::vector<DummyForm> forms_of_dummy(const std::vector<std::string>& names);
std::vector<GasketForm> forms_of_gasket(const std::vector<std::string>& names);
std::vector<DistanceLayout> parse_layouts(std::string_view text);
std::vector<u32> parse_dimensions(std::string_view text);
RecForm parse_rec(std::string_view text);
LaunchTiming parse_timing(std::string_view text);
std::vector<GasketPlacement> parse_placements(std::string_view text);

/// As on the command line and in reports.
const char* to_string(DummyForm form);
const char* to_string(GasketForm form);
const char* to_string(DistanceLayout layout);
const char* to_string(RecForm form);
const char* to_string(LaunchTiming timing);

/// What a kernel takes beside the maps of its domain, and what "all" does not hold: gravity and triplet "plain", the
/// cpu backend's plain scalar loop in float64; edm "fill", which writes as many bytes and computes nothing; edm and
/// collision "lambda-alone", the kernel compiled for the map lambda alone. A backend that lacks one refuses it.
const std::vector<std::string>& stand_ins(BenchKernel kernel);

/// Whether counts of blocks say anything of this map: not of a plain loop and of a fill, which have no blocks of the
/// kernel's.
bool has_blocks(std::string_view map);

/// The maps of `wanted` that a kernel takes, in the order given; {"all"} is every map of the kernel's domain. Stand-ins
/// are taken where they are named.
std::vector<std::string> maps_of_kernel(BenchKernel kernel, const std::vector<std::string>& wanted);

/// Throws ConfigError for a name that is a map of none of these kernels, and for a kernel left without any map.
void check_maps(const std::vector<BenchKernel>& kernels, const std::vector<std::string>& wanted);

/// T_bb / T_map by launched blocks alone, B = blocks a side (MAPS.md section 4): pairs 2B/(B+1), triples
/// 6B^2/((B+1)(B+2)), gasket (4/3)^log2(B).
double launch_bound(Domain domain, u64 blocks_a_side);
/// The same for fractals: places of the embedding a cell, (s^d / k)^levels of the tiles. Nothing for a fractal or a
/// side that cannot be.
std::optional<double> fractal_bound(const std::string& fractal, u64 n, u32 block);

}  // namespace tri::app
