#include "app/gui/frame/page.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "app/gui/base/settings.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/frame/scene_picture.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/json.hpp"
#include "app/support/text_table.hpp"
#include "page_run.hpp"
#include "render/view.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/model/units.hpp"
#include "tri_version.hpp"

namespace tri::app::gui {
namespace {

constexpr std::size_t kValues = 4;  // x, y, z, quantity
constexpr std::size_t kPlanes = 7;  // bytes of a body in a frame
constexpr u32 kColours = 256;

/// A zlib stream, to which bytes are added.
class Deflated {
 public:
  explicit Deflated(std::string& out) : out_(out) {
    // Residues are noise with runs of zeros: matches cost time and find nothing.
    if (deflateInit2(&stream_, 6, Z_DEFLATED, 15, 9, Z_RLE) != Z_OK) throw MemoryError("zlib has no memory.");
  }
  ~Deflated() { deflateEnd(&stream_); }
  Deflated(const Deflated&) = delete;
  Deflated& operator=(const Deflated&) = delete;

  void add(const void* bytes, std::size_t count) {
    stream_.next_in = static_cast<Bytef*>(const_cast<void*>(bytes));
    stream_.avail_in = static_cast<uInt>(count);
    while (stream_.avail_in > 0) write(Z_NO_FLUSH);
  }
  void finish() {
    while (write(Z_FINISH) != Z_STREAM_END) {
    }
  }

 private:
  int write(int flush) {
    stream_.next_out = room_.data(), stream_.avail_out = static_cast<uInt>(room_.size());
    const int result = deflate(&stream_, flush);
    out_.append(reinterpret_cast<const char*>(room_.data()), room_.size() - stream_.avail_out);
    return result;
  }
  std::string& out_;
  z_stream stream_{};
  std::array<Bytef, 1 << 16> room_{};
};

/// Small numbers of either sign become small ones without: 0, -1, 1, -2, 2 are 0 to 4. bits: of the number's range.
u32 zigzag(u32 difference, u32 bits) {
  const auto value = static_cast<i32>(difference << (32 - bits)) >> (32 - bits);
  return static_cast<u32>(value) << 1 ^ static_cast<u32>(value >> 31);
}

void put_floats(Deflated& out, std::span<const float> values) {
  static_assert(std::endian::native == std::endian::little, "the browser reads little-endian numbers");
  out.add(values.data(), values.size_bytes());
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t i) { return k + i < bytes.size() ? static_cast<u8>(bytes[k + i]) : 0u; };
    const u32 three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (u32 i = 0; i < 4; ++i) text += k + i > bytes.size() ? '=' : kDigits[three >> (18 - 6 * i) & 63u];
  }
  return text;
}

/// Of a colour: fewer with coarse places, so that the whole has a bound.
u32 colour_bits(u32 bits) { return bits / 2; }

/// Where a value stands in its range, from 0 to `most`, as in shaders/place.glsl.
u32 shade(float value, const std::array<float, 2>& range, bool logarithmic, u32 most) {
  const auto [low, high] = range;
  if (!(high > low)) return most / 2;
  if (logarithmic && !(value > 0)) return 0;
  const float t = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::isnan(t) ? 0 : static_cast<u32>(std::lround(std::clamp(t, 0.0f, 1.0f) * static_cast<float>(most)));
}

/// The steps of a coordinate.
struct Grid {
  double low = 0, step = 0;
  u32 at(float value) const {
    return step > 0 ? static_cast<u32>(std::lround((static_cast<double>(value) - low) / step)) : 0;
  }
};

Grid grid_of(std::span<const float> values, std::size_t n, std::size_t axis, u32 bits) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t first = axis * n; first < values.size(); first += kValues * n) {
    const auto [a, b] = std::minmax_element(values.data() + first, values.data() + first + n);
    low = std::min(low, static_cast<double>(*a)), high = std::max(high, static_cast<double>(*b));
  }
  return {low, (high - low) / ((1u << bits) - 1)};
}

}  // namespace

RunTrack::RunTrack(std::size_t bodies, u64 frames) : n_(bodies) {
  if (frames * bodies > kMaxPlaces) {
    throw ConfigError(fmt::format(
        "a page holds {} bodies times frames, as 65,536 bodies in 300 frames, and these are {} bodies in {} "
        "frames; give fewer --frames, or more --steps-per-frame.",
        grouped(kMaxPlaces), grouped(bodies), grouped(frames)));
  }
  const double bytes = static_cast<double>(frames * bodies) * (sizeof(float) * kValues);
  require_memory(bytes, "the page of the run", "Give fewer --frames.");
  values_.reserve(frames * bodies * kValues);
}

void RunTrack::add(std::span<const Instance> bodies, render::Quantity quantity) {
  if (bodies.size() != n_) {
    throw ConfigError(
        fmt::format("frame {} has {} bodies and those before have {}; a page shows the same bodies in all "
                    "frames.",
                    frames_ + 1, bodies.size(), n_));
  }
  for (const Instance& body : bodies) {
    if (std::isfinite(body.x) && std::isfinite(body.y) && std::isfinite(body.z)) continue;
    throw NumericalError(fmt::format("frame {}: the place of body {} is not finite.", frames_ + 1, body.id));
  }
  for (const auto axis : {&Instance::x, &Instance::y, &Instance::z}) {
    for (const Instance& body : bodies) values_.push_back(body.*axis);
  }
  for (const Instance& body : bodies) values_.push_back(quantity_of(body, quantity));
  if (frames_++ > 0) return;
  for (const Instance& body : bodies) radii_.push_back(body.radius);
}

std::array<float, 2> RunTrack::range(bool logarithmic) const {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (u64 f = 0; f < frames_; ++f) {
    for (std::size_t i = (kValues * f + 3) * n_, k = 0; k < n_; ++i, ++k) {
      if (!std::isfinite(values_[i]) || (logarithmic && !(values_[i] > 0))) continue;
      low = std::min(low, values_[i]), high = std::max(high, values_[i]);
    }
  }
  return low <= high ? std::array{low, high} : std::array{0.0f, 0.0f};
}

namespace {

/// The frames of a track, packed one after another.
class Packer {
 public:
  Packer(std::span<const float> values, std::size_t n, u32 bits, std::array<float, 2> range, bool logarithmic)
      : values_(values), n_(n), bits_(bits), range_(range), logarithmic_(logarithmic) {
    for (std::size_t a = 0; a < 3; ++a) grids_[a] = grid_of(values, n, a, bits);
  }

  /// The order of prediction whose residues are shorter, of a part of the bodies.
  u32 better_order() {
    constexpr std::size_t kEvery = 17;
    double bits[2] = {};
    for (std::size_t first = 2 * kValues * n_; first < values_.size(); first += kValues * n_) {
      for (std::size_t i = 0; i < 3 * n_; i += kEvery) {
        const auto q = [&](std::size_t back) { return grids_[i / n_].at(values_[first + i - back * kValues * n_]); };
        bits[0] += std::log2(1.0 + zigzag(q(0) - q(1), bits_));
        bits[1] += std::log2(1.0 + zigzag(q(0) - 2 * q(1) + q(2), bits_));
      }
    }
    return bits[1] < bits[0] ? 2 : 1;
  }

  PackedRun packed(std::span<const float> radii, std::span<const float> light) {
    PackedRun run;
    run.bits = bits_, run.order = better_order();
    double largest = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      run.low[a] = grids_[a].low, run.step[a] = grids_[a].step;
      largest = std::max({largest, std::abs(run.low[a]), std::abs(run.low[a] + run.step[a] * ((1u << bits_) - 1))});
      run.error = std::max(run.error, 0.5 * run.step[a]);
    }
    run.error += largest * static_cast<double>(std::numeric_limits<float>::epsilon());  // the browser adds in float32
    Deflated out(run.bytes);
    put_floats(out, radii);
    put_floats(out, light.empty() ? std::vector<float>(n_, 1) : std::vector<float>(light.begin(), light.end()));
    std::vector<u8> planes(kPlanes * n_);
    for (u64 f = 0; f * kValues * n_ < values_.size(); ++f) {
      pack(values_.subspan(f * kValues * n_, kValues * n_), f, run.order, planes);
      out.add(planes.data(), planes.size());
    }
    out.finish();
    return run;
  }

 private:
  void pack(std::span<const float> frame, u64 number, u32 order, std::vector<u8>& planes) {
    if (before_.empty()) before_.assign(kValues * n_, 0), earlier_ = before_;
    const bool line = order == 2 && number >= 2;
    const u32 shades = colour_bits(bits_);
    for (std::size_t i = 0; i < kValues * n_; ++i) {
      const std::size_t value = i / n_, body = i % n_;
      const bool place = value < 3;
      const u32 now = place ? grids_[value].at(frame[i]) : shade(frame[i], range_, logarithmic_, (1u << shades) - 1);
      const u32 guess = line && place ? 2 * before_[i] - earlier_[i] : before_[i];
      const u32 left = zigzag(now - guess, place ? bits_ : shades);
      earlier_[i] = before_[i], before_[i] = now;
      planes[2 * value * n_ + body] = static_cast<u8>(left);
      if (place) planes[(2 * value + 1) * n_ + body] = static_cast<u8>(left >> 8);
    }
  }

  std::span<const float> values_;
  std::size_t n_;
  u32 bits_;
  std::array<float, 2> range_;
  bool logarithmic_;
  std::array<Grid, 3> grids_;
  std::vector<u32> before_, earlier_;  ///< numbers of the frames before
};

}  // namespace

PackedRun RunTrack::packed(bool logarithmic, std::span<const float> light, u64 most) const {
  TRI_EXPECTS(frames_ > 0 && (light.empty() || light.size() == n_));
  const auto colours = range(logarithmic);
  for (u32 bits = kMaxBits;;) {
    PackedRun run = Packer(values_, n_, bits, colours, logarithmic).packed(radii_, light);
    if (run.bytes.size() <= most || bits <= kMinBits) return run;
    // A bit less makes every coordinate about a bit shorter.
    const double over = static_cast<double>(run.bytes.size() - most) * 8,
                 each = 3.0 * static_cast<double>(frames_ * n_);
    bits = std::max(kMinBits, bits - std::max(1u, static_cast<u32>(std::min(over / each, 9.0))));
  }
}

void RunPage::add(std::span<const Instance> bodies, render::Quantity quantity, double time) {
  if (times_.empty() && render::scalar_of(quantity) == InstanceScalar::mass) light_ = luminosities(bodies);
  track_.add(bodies, quantity);
  times_.push_back(time);
}

namespace {

using Json = nlohmann::ordered_json;

/// The template up to a mark, which is left out with that.
std::string_view part_before(std::string_view& rest, std::string_view mark) {
  const std::size_t at = rest.find(mark);
  TRI_EXPECTS(at != std::string_view::npos);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at + mark.size());
  return part;
}

/// For text between tags, and inside a script element, which ends at its end tag alone.
std::string without_tags(const std::string& text, std::string_view less) {
  std::string safe;
  for (const char c : text) c == '<' ? safe += less : safe += c;
  return safe;
}

Json camera_json(const render::Camera& camera) {
  const auto three = [](const glm::vec3& v) { return Json::array({v.x, v.y, v.z}); };
  return {{"target", three(camera.pose.target)},
          {"distance", camera.pose.distance},
          {"yaw", camera.pose.yaw},
          {"pitch", camera.pose.pitch},
          {"up", three(camera.up)},
          {"field_of_view", camera.field_of_view}};
}

Json lines_json(const std::vector<render::Line>& lines) {
  Json rows = Json::array();
  for (const render::Line& l : lines) {
    rows.push_back({l.from.x, l.from.y, l.from.z, l.to.x, l.to.y, l.to.z, l.colour[0], l.colour[1], l.colour[2]});
  }
  return rows;
}

std::string colour_text(const std::array<float, 3>& rgb) {
  std::string text;
  for (const float c : rgb) text += fmt::format("{:02x}", std::lround(std::clamp(c, 0.0f, 1.0f) * 255));
  return text;
}

/// Names and colours of the groups; none where a bar stands for them.
Json groups_json(const SessionModel& model, const render::BodyStyle& style, const std::array<float, 2>& range) {
  Json rows = Json::array();
  const auto [low, high] = range;
  if (style.quantity != render::Quantity::group || high - low >= kListedGroups) return rows;
  for (float k = low; k <= high; ++k) {
    const auto group = static_cast<std::size_t>(k);
    const auto& names = model.scene.groups;
    rows.push_back({group < names.size() && !names[group].empty() ? names[group] : fmt::format("group {}", group),
                    colour_text(colour_at(style, high > low ? (k - low) / (high - low) : 0))});
  }
  return rows;
}

/// How bodies and lines are drawn.
void add_look(Json& head, const SessionModel& model, const SceneView& view, std::size_t bodies) {
  constexpr int kUsualHeight = 1080;
  const render::BodyStyle& style = view.style;
  const render::GlowSize lamp = render::glow_size(bodies, kUsualHeight);
  const render::FrameView frame = SceneDisplay::frame_of(model, view, kUsualHeight, kUsualHeight);
  head["shape"] = to_string(style.shape);
  head["size"] = style.size, head["exposure"] = style.exposure, head["point_pixels"] = style.point_pixels;
  std::string colours;
  for (u32 k = 0; k < kColours; ++k) colours += colour_text(colour_at(style, static_cast<float>(k) / (kColours - 1)));
  head["background"] = style.background, head["colours"] = colours;
  head["body_radius"] = view.lengths.body_radius, head["extent"] = view.lengths.extent;
  head["lamp"] = {{"radii", lamp.radii},
                  {"least_pixels", lamp.least_pixels},
                  {"most_pixels", lamp.most_pixels},
                  {"floor", lamp.floor}};
  head["camera"] = camera_json(view.camera);
  head["lines"] = lines_json(frame.lines);
}

}  // namespace

std::string RunPage::finish(const SessionModel& model, const SceneView& view, const std::string& source,
                            const std::string& command, u32 fps) {
  if (track_.frames() == 0) return "";
  constexpr u64 kHead = 64'000;  // what colours, lines and texts take at most, beside the times
  std::string_view rest = embedded::page_run;
  const u64 beside = rest.size() + kHead + 24 * times_.size() + command.size();
  const PackedRun run =
      track_.packed(view.style.logarithmic, light_, (kMaxBytes - std::min(kMaxBytes / 2, beside)) / 4 * 3);
  const UnitSystem* units = find_unit_system(model.scene.units);
  const ClockUnit clock = clock_unit(units);
  const std::string length = unit_behind(units, "length");
  const auto period = period_of(model.scene.field.box);
  Json head;
  const bool recorded = model.timeline.recorded;
  const std::string title = recorded ? std::filesystem::path(source).filename().string() : model.scene.title;
  head["title"] = title, head["command"] = command;
  head["software"] = fmt::format("Triangulum {}", kVersionFull);
  head["bodies"] = track_.bodies(), head["frames"] = track_.frames(), head["fps"] = fps;
  head["low"] = run.low, head["step"] = run.step, head["bits"] = run.bits, head["order"] = run.order;
  head["error"] = run.error;
  head["period"] = Json::array();  // in steps
  for (std::size_t a = 0; a < 3; ++a)
    head["period"].push_back(run.step[a] > 0 ? static_cast<double>(period[a]) / run.step[a] : 0);
  head["length_unit"] = length, head["time_unit"] = clock.behind;
  head["times"] = Json::array();
  for (const double time : times_) head["times"].push_back(clock.size * time);
  head["quantity"] = view.style.colours == render::ColourMap::plain ? "" : colour_bar_title(view.style, units);
  const auto range = track_.range(view.style.logarithmic);
  head["range"] = range, head["groups"] = groups_json(model, view.style, range);
  add_look(head, model, view, track_.bodies());
  file_.write(part_before(rest, "{{title}}"));
  file_.write(without_tags(title, "&lt;"));
  file_.write(part_before(rest, "{{head}}"));
  file_.write(without_tags(json_line(head), "\\u003c"));
  file_.write(part_before(rest, "{{data}}"));
  file_.write(base64(run.bytes));
  file_.write(rest);
  const u64 bytes = file_.position();
  file_.commit();
  return fmt::format("{} frames of {} bodies in {}: {:.1f} MB, {} bits a coordinate, places within {:.2g}{}\n",
                     track_.frames(), grouped(track_.bodies()), file_.path(), static_cast<double>(bytes) / 1e6,
                     run.bits, run.error, length);
}

}  // namespace tri::app::gui
