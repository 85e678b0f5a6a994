#include "render/view.hpp"

#include <algorithm>
#include <cmath>

#include <glm/geometric.hpp>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/mat3x3.hpp>

#include "sim/base/error.hpp"

namespace tri::render {
namespace {

constexpr float kMaxPitch = 1.5533f;  // 89 degrees: yaw is undefined at 90
constexpr float kStillSpeed = 1e-3f;
constexpr float kInertia = 0.25f;  // seconds until a speed has fallen to 1/e

/// The directions from which yaw and pitch are measured: two across `up`, and `up`. Those of z are x, y and z.
glm::mat3 frame_of(const glm::vec3& up) {
  const glm::vec3 beside = std::abs(up.z) > 0.999f ? glm::vec3(1, 0, 0) : glm::normalize(glm::cross(up, {0, 0, 1}));
  return {beside, glm::cross(up, beside), up};
}

}  // namespace

void Camera::clamp_pitch() { pose.pitch = std::clamp(pose.pitch, -kMaxPitch, kMaxPitch); }

void Camera::turn(float yaw, float pitch, float seconds) {
  pose.yaw = std::remainder(pose.yaw + yaw, 2 * 3.14159265f);
  pose.pitch += pitch;
  clamp_pitch();
  if (seconds > 0) yaw_speed_ = yaw / seconds, pitch_speed_ = pitch / seconds;
}

void Camera::drift(float seconds, bool held) {
  if (held || mode != CameraMode::orbit || std::hypot(yaw_speed_, pitch_speed_) < kStillSpeed) {
    if (!held) stop();
    return;
  }
  pose.yaw = std::remainder(pose.yaw + yaw_speed_ * seconds, 2 * 3.14159265f);
  pose.pitch += pitch_speed_ * seconds;
  clamp_pitch();
  const float decay = std::exp(-seconds / kInertia);
  yaw_speed_ *= decay, pitch_speed_ *= decay;
}

glm::vec3 Camera::forward() const {
  const glm::vec3 back(std::cos(pose.pitch) * std::cos(pose.yaw), std::cos(pose.pitch) * std::sin(pose.yaw),
                       std::sin(pose.pitch));
  return -(frame_of(up) * back);
}

glm::vec3 Camera::eye() const { return pose.target - pose.distance * forward(); }

void Camera::pan(float right, float up_part, float aspect) {
  const glm::vec3 side = glm::normalize(glm::cross(forward(), up));
  const float height = 2 * pose.distance * std::tan(field_of_view / 2);
  pose.target += side * (right * height * aspect) + glm::cross(side, forward()) * (up_part * height);
}

void Camera::zoom(float factor) { pose.distance = std::clamp(pose.distance * factor, 1e-6f, 1e12f); }

void Camera::fly(float right, float up_part, float ahead, float seconds) {
  const glm::vec3 side = glm::normalize(glm::cross(forward(), up));
  pose.target += (side * right + up * up_part + forward() * ahead) * (pose.distance * seconds);
}

void Camera::fit(const Bounds& bounds, float aspect) {
  pose.target = 0.5f * (bounds.low + bounds.high);
  const float radius = std::max(0.5f * glm::length(bounds.high - bounds.low), 1e-6f);
  const float half = field_of_view / 2;
  const float narrower = aspect < 1 ? std::atan(std::tan(half) * aspect) : half;
  pose.distance = radius / std::sin(narrower);
  stop();
}

glm::mat4 Camera::view() const {
  const glm::vec3 at = eye();
  return glm::lookAt(at, at + forward(), up);
}

glm::mat4 Camera::projection(float aspect) const {
  const float near = pose.distance * 1e-3f;
  const float f = 1 / std::tan(field_of_view / 2);
  glm::mat4 p(0);
  p[0][0] = f / aspect;
  p[1][1] = f;
  p[2][3] = -1;
  p[3][2] = near;  // depth = near / distance
  return p;
}

double round_length(double most) {
  TRI_EXPECTS(most > 0);
  constexpr double kRounding = 1 + 1e-12;  // 0.3 is three times 0.1
  const double power = std::pow(10.0, std::floor(std::log10(most * kRounding)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= most * kRounding) return factor * power;
  }
  return power;
}

ScaleBar scale_bar(const Camera& camera, float height, float most_pixels) {
  TRI_EXPECTS(height > 0 && most_pixels > 0);
  const double across = 2 * std::tan(static_cast<double>(camera.field_of_view) / 2);
  const double pixel = across * static_cast<double>(camera.pose.distance) / static_cast<double>(height);
  const double length = round_length(pixel * static_cast<double>(most_pixels));
  return {length, static_cast<float>(length / pixel)};
}

namespace {

constexpr u32 kViridis[] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
constexpr u32 kInferno[] = {0x000004, 0x1f0c48, 0x550f6d, 0x88226a, 0xba3655, 0xe35933, 0xf98c0a, 0xf9c932, 0xfcffa4};
constexpr u32 kCividis[] = {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173,
                            0x8a8678, 0xa59c74, 0xc3b369, 0xe1cc55, 0xfee838};
constexpr u32 kOrangeBlue[] = {0xf09a3a, 0xece4dc, 0x4a98f7};
constexpr u32 kPlain[] = {0xfff6ea, 0xfff6ea};
constexpr float kCoolest = 2000, kHottest = 20000;  // kelvin

std::span<const u32> knots(ColourMap map) {
  switch (map) {
    case ColourMap::viridis:
      return kViridis;
    case ColourMap::inferno:
      return kInferno;
    case ColourMap::cividis:
      return kCividis;
    case ColourMap::orange_blue:
      return kOrangeBlue;
    case ColourMap::plain:
      return kPlain;
    case ColourMap::black_body:
      break;  // computed
  }
  TRI_UNREACHABLE("a ColourMap outside its enum");
}

}  // namespace

bool begins_dark(ColourMap map) {
  return map != ColourMap::black_body && map != ColourMap::orange_blue && map != ColourMap::plain;
}

std::array<float, 2> black_body_chromaticity(float kelvin) {
  const double t = std::clamp(static_cast<double>(kelvin), 1667.0, 25000.0), k = 1000 / t;
  const double x = t <= 4000 ? ((-0.2661239 * k - 0.2343589) * k + 0.8776956) * k + 0.179910
                             : ((-3.0258469 * k + 2.1070379) * k + 0.2226347) * k + 0.240390;
  const double y = t <= 2222   ? ((-1.1063814 * x - 1.34811020) * x + 2.18555832) * x - 0.20219683
                   : t <= 4000 ? ((-0.9549476 * x - 1.37418593) * x + 2.09137015) * x - 0.16748867
                               : ((3.0817580 * x - 5.87338670) * x + 3.75112997) * x - 0.37001483;
  return {static_cast<float>(x), static_cast<float>(y)};
}

std::array<float, 3> black_body(float kelvin) {
  const auto [x, y] = black_body_chromaticity(kelvin);
  const float X = x / y, Z = (1 - x - y) / y;
  // From XYZ to linear RGB with the primaries of sRGB (IEC 61966-2-1); a colour outside them loses its negative part.
  std::array<float, 3> rgb{3.2406f * X - 1.5372f - 0.4986f * Z, -0.9689f * X + 1.8758f + 0.0415f * Z,
                           0.0557f * X - 0.2040f + 1.0570f * Z};
  const float brightest = *std::max_element(rgb.begin(), rgb.end());
  for (float& channel : rgb) channel = to_srgb(std::max(channel, 0.0f) / brightest);
  return rgb;
}

std::array<float, 3> sample(ColourMap map, float t) {
  if (map == ColourMap::black_body) {
    return black_body(kCoolest * std::pow(kHottest / kCoolest, std::clamp(t, 0.0f, 1.0f)));
  }
  const std::span<const u32> points = knots(map);
  const float x = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(points.size() - 1);
  const std::size_t left = std::min(static_cast<std::size_t>(x), points.size() - 2);
  const float fraction = x - static_cast<float>(left);
  std::array<float, 3> rgb{};
  for (u32 k = 0; k < 3; ++k) {
    const auto channel = [&](u32 hex) { return static_cast<float>((hex >> (16 - 8 * k)) & 255u) / 255.0f; };
    rgb[k] = channel(points[left]) * (1 - fraction) + channel(points[left + 1]) * fraction;
  }
  return rgb;
}

float to_linear(float s) { return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f); }
float to_srgb(float l) { return l <= 0.0031308f ? l * 12.92f : 1.055f * std::pow(l, 1 / 2.4f) - 0.055f; }

namespace {

constexpr float kGlowFloor = 0.6f, kMatterFloor = 0.3f;  // of the brightest channel

/// Quantities that tell bodies apart, of which none is less than another.
bool is_name(Quantity quantity) { return quantity == Quantity::group || quantity == Quantity::index; }

}  // namespace

InstanceScalar scalar_of(Quantity quantity) {
  return quantity == Quantity::group      ? InstanceScalar::group
         : quantity == Quantity::contacts ? InstanceScalar::contacts
                                          : InstanceScalar::mass;
}

std::array<float, 3> colour_at(const BodyStyle& style, float t) {
  constexpr float kFirst = 0.3f;
  const bool skips = is_name(style.quantity) && begins_dark(style.colours);
  std::array<float, 3> rgb = sample(style.colours, skips ? kFirst + (1 - kFirst) * t : t);
  const float floor = to_linear(style.shape == BodyShape::glow ? kGlowFloor : kMatterFloor);
  const float brightest = to_linear(*std::max_element(rgb.begin(), rgb.end()));
  if (brightest >= floor) return rgb;
  for (float& channel : rgb) channel = brightest > 0 ? to_srgb(to_linear(channel) * floor / brightest) : to_srgb(floor);
  return rgb;
}

GlowSize glow_size(std::size_t bodies, int height) {
  constexpr float kUsualHeight = 1080, kAllPixels = 2.5e6f;
  const float n = static_cast<float>(std::max<std::size_t>(bodies, 1));
  const float picture = std::max(1.0f, static_cast<float>(height) / kUsualHeight);
  const float affordable = std::sqrt(kAllPixels / n);
  GlowSize size{};
  size.radii = std::clamp(6 * std::pow(20 / n, 0.3f), 1.2f, 6.0f);
  size.least_pixels = std::clamp(affordable, 1.5f, 2 * picture);
  size.most_pixels = std::max(std::min(4.2f * size.radii * picture, 2 * affordable), size.least_pixels);
  size.floor = std::clamp(0.66f * std::pow(8192 / n, 0.3f), 0.1f, 0.66f);
  return size;
}

}  // namespace tri::render
