#pragma once
/// Values of options: numbers, lists, axes of benches, map files.
///
/// From the text of an option to its value. Pure. Each throws ConfigError that names the option, what it takes and
/// what it got.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/support/run_config.hpp"
#include "sim/backend/bench.hpp"
#include "sim/base/user_values.hpp"
#include "sim/text/map_file.hpp"

namespace tri::app {

/// A whole number in [low, high]: in digits, or like 1e3.
u64 whole_number(std::string_view option, std::string_view text, u64 low, u64 high);

/// A finite number in decimal.
double finite_number(std::string_view option, std::string_view text);
/// The same, > 0 or >= 0.
double positive_number(std::string_view option, std::string_view text);
double non_negative_number(std::string_view option, std::string_view text);

/// Seconds > 0, from a number with s, m, h or d behind it, or nothing for seconds: "90", "1.5h".
double duration(std::string_view option, std::string_view text);

/// The position of `text` among `names`; also by a common word for one of them, like gpu for cuda.
std::size_t choice(std::string_view option, std::string_view text, const std::vector<std::string_view>& names);

/// "1280x720": width and height in pixels, each at least `least` and at most 16384.
std::pair<u32, u32> picture_size(std::string_view option, std::string_view text, u64 least);

/// From the name of a recording: FILE.mp4, FILE.png, or a folder, a name without an extension or with a trailing /; of
/// --output FILE.html, too.
FrameTarget frame_target(std::string_view option, const std::string& name);

/// The arguments quoted for a shell; the program name without folders.
std::string command_line(const std::vector<std::string>& argv);

/// "a,b,c" in parts. Empty parts and repeated names are errors.
std::vector<std::string> name_list(std::string_view option, std::string_view text);

/// "0,2,3": numbers of devices; "all": {kAllDevices}.
inline constexpr int kAllDevices = -1;
std::vector<int> device_list(std::string_view option, std::string_view text);

// The axes of a bench, from text to values. Pure; errors are ConfigError.

/// One range: "1024", "2^10", "a:b:step" (both ends, the last if a step reaches it) or "2^a:2^b" (powers of two).
/// Lists are ranges separated by commas: "512,2^10:2^14". Values in the order given; a value that appears twice is an
/// error, as is a list of more than 4096.
std::vector<u64> parse_sizes(std::string_view option, std::string_view text);

/// The same, and "1..64" for every number from 1 to 64; at most 65,536 of them.
std::vector<u64> side_list(std::string_view option, std::string_view text);

/// The same for block sides and feature counts: values in [low, high].
std::vector<u32> parse_small_sizes(std::string_view option, std::string_view text, u32 low, u32 high);

/// The names of an axis' values; none for numbers of a range.
template <class T>
std::vector<std::string_view> axis_names(const BenchAxisInfo& axis) {
  if constexpr (NamedEnum<T>) {
    return kNamesOf<T>.list();
  } else {
    return {axis.choices.begin(), axis.choices.end()};
  }
}

/// Values of an axis of enumerators or small numbers, separated by commas where it takes several.
template <class T>
std::vector<T> parse_axis(const BenchAxisInfo& axis, const std::string& text) {
  const std::string option = std::string("--") + axis.key;
  const std::vector<std::string_view> names = axis_names<T>(axis);
  if constexpr (!NamedEnum<T>) {
    if (names.empty()) return parse_small_sizes(option, text, static_cast<u32>(axis.low), static_cast<u32>(axis.high));
  }
  std::vector<T> values;
  for (const std::string& name : axis.one_value ? std::vector{text} : name_list(option, text)) {
    const std::size_t at = choice(option, name, names);
    if constexpr (NamedEnum<T>) {
      values.push_back(static_cast<T>(at));
    } else {
      values.push_back(static_cast<T>(*whole_number_of(names[at])));
    }
  }
  return values;
}

/// "all", or names in the order given.
std::vector<BenchKernel> parse_kernels(std::string_view text);
std::vector<std::string_view> kernel_names();

/// The maps of a domain, in the order of their ids.
std::span<const MapInfo> maps_of(Domain domain);
/// The maps of these domains, each name once.
std::vector<std::string_view> map_names(const std::vector<Domain>& domains);
/// The maps and the baselines of these kernels, each name once.
std::vector<std::string_view> map_names(const std::vector<BenchKernel>& kernels);

/// Those of `forms` that the kernel has, in the order given.
std::vector<BenchForm> forms_of_kernel(BenchKernel kernel, std::vector<BenchForm> forms);

/// Those of `wanted` that are maps or baselines of the kernel, in the order given; {"all"} is every map of its domain
/// and no baseline.
std::vector<std::string> maps_of_kernel(BenchKernel kernel, const std::vector<std::string>& wanted);

/// Throws ConfigError for a name that is a map or baseline of none of these kernels, and for a kernel left without any.
void check_maps(const std::vector<BenchKernel>& kernels, const std::vector<std::string>& wanted);

// Map files on the command line (sim/text).

/// Whether a word of --map is a file: it ends in .toml or as C++ does, or has a '/'.
bool is_map_file(std::string_view word);

/// Opens a map file, makes it one of the maps, and returns its name. Throws FileError and ConfigError.
std::string open_map(const std::string& path);

/// "a,b.toml": names of maps, with each file opened and in its place its name.
std::vector<std::string> map_list(std::string_view option, std::string_view text);
/// The same of files alone.
std::vector<std::string> map_file_list(std::string_view option, std::string_view text);

}  // namespace tri::app
