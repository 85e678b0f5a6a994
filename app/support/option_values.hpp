#pragma once
/// From the text of an option to its value. Pure. Each throws ConfigError that names the option, what it takes and
/// what it got.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/support/run_config.hpp"

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

/// From the name of a recording: FILE.mp4, FILE.png, or a folder, a name without an extension or with a trailing /.
FrameTarget frame_target(std::string_view option, const std::string& name);

/// "a,b,c" in parts. Empty parts and repeated names are errors.
std::vector<std::string> name_list(std::string_view option, std::string_view text);

/// "0,2,3": numbers of devices; "all": {kAllDevices}.
inline constexpr int kAllDevices = -1;
std::vector<int> device_list(std::string_view option, std::string_view text);

}  // namespace tri::app
