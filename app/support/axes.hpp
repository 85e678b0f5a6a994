#pragma once
/// The axes of a bench, from text to values. Pure; errors are ConfigError.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/backend/bench_kernels.hpp"

namespace tri::app {

/// One range: "1024", "2^10", "a:b:step" (both ends, the last if a step reaches it) or "2^a:2^b" (powers of two).
/// Lists are ranges separated by commas: "512,2^10:2^14". Values in the order given; a value that appears twice is an
/// error, as is a list of more than 4096.
std::vector<u64> parse_sizes(std::string_view option, std::string_view text);

/// The same for block sides and feature counts: values in [low, high].
std::vector<u32> parse_small_sizes(std::string_view option, std::string_view text, u32 low, u32 high);

std::vector<BenchKernel> parse_kernels(std::string_view text);

/// The known names, for completion and errors; "all" kernels is not among them.
std::vector<std::string_view> kernel_names();
std::vector<std::string_view> form_names();
std::vector<std::string_view> layout_names();
std::vector<std::string_view> dimension_names();
std::vector<std::string_view> rec_names();
std::vector<std::string_view> timing_names();
std::vector<std::string_view> placement_names();

/// The maps of a domain, in the order of their ids.
std::span<const MapInfo> maps_of(Domain domain);
/// The maps of these domains, each name once.
std::vector<std::string_view> map_names(const std::vector<Domain>& domains);
/// The maps and the baselines of these kernels, each name once.
std::vector<std::string_view> map_names(const std::vector<BenchKernel>& kernels);

/// Every kernel in the order of the enum.
const std::vector<BenchKernel>& all_kernels();

std::vector<BenchForm> parse_forms(std::string_view text);
/// Those of `forms` that the kernel has, in the order given.
std::vector<BenchForm> forms_of_kernel(BenchKernel kernel, const std::vector<BenchForm>& forms);
std::vector<DistanceLayout> parse_layouts(std::string_view text);
std::vector<u32> parse_dimensions(std::string_view text);
RecForm parse_rec(std::string_view text);
LaunchTiming parse_timing(std::string_view text);
std::vector<GasketPlacement> parse_placements(std::string_view text);

/// As on the command line and in reports.
const char* to_string(BenchForm form);
const char* to_string(DistanceLayout layout);
const char* to_string(RecForm form);
const char* to_string(LaunchTiming timing);

/// Those of `wanted` that are maps or baselines of the kernel, in the order given; {"all"} is every map of its domain
/// and no baseline.
std::vector<std::string> maps_of_kernel(BenchKernel kernel, const std::vector<std::string>& wanted);

/// Throws ConfigError for a name that is a map or baseline of none of these kernels, and for a kernel left without any.
void check_maps(const std::vector<BenchKernel>& kernels, const std::vector<std::string>& wanted);

}  // namespace tri::app
