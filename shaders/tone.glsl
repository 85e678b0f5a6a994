// Spheres, points and lines, from light to the screen: occlusion, tone mapping.

//@ include/srgb.glsl
// Between linear light and sRGB.
vec3 to_srgb(vec3 light) {
  vec3 low = light * 12.92, high = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
  return mix(high, low, lessThan(light, vec3(0.0031308)));
}

float to_linear(float s) { return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4); }

// Unchanged up to 0.8, compressed above.
vec3 compress(vec3 x) {
  vec3 over = max(x - 0.8, 0.0);
  return min(x, 0.8) + 0.2 * (1.0 - exp(-over / 0.2));
}

//@ occlusion.comp
// Ambient occlusion and contact shadows of spheres, from their depths and normals, at half the size: one thread looks
// around a pixel of the picture and writes how much of its light it keeps, and its depth. The directions turn from pixel
// to pixel, with a period of 4 x 4, over which tone.comp averages. A sphere alone keeps all its light: none of it lies
// in front of its own surface.
#include "include/frame.glsl"
#include "include/look.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform sampler2D drawn;  // depth
layout(rg16f, binding = 0) writeonly uniform image2D shade;
layout(location = 7) uniform int first_row;  // of the threads

const float kLeast = 0.012, kMost = 0.2;  // reach, in heights of the picture
const float kSteepest = 0.06;  // sine of the angle above the surface below which nothing occludes: normals are rounded
const int kSamples = 16, kSteps = 12;

vec3 position_at(vec2 at, float depth) { return ray_at(at) * (frame.projection[3][2] / depth); }

float depth_at(vec2 at) { return texelFetch(drawn, ivec2(at), 0).r; }

bool in_picture(vec2 at) { return all(greaterThanEqual(at, vec2(0))) && all(lessThan(at, frame.viewport.xy)); }

// 0..1, all sixteenths in each 4 x 4 pixels.
float turn_of(ivec2 pixel) {
  int x = pixel.x & 3, y = pixel.y & 3;
  return float(((x ^ y) & 1) * 8 + (y & 1) * 4 + ((x ^ y) >> 1 & 1) * 2 + (y >> 1)) / 16.0;
}

float openness(vec2 at, vec3 place, vec3 normal, float turn, float reach, float pixels) {
  float sum = 0.0;
  for (int k = 0; k < kSamples; ++k) {
    float part = (float(k) + 0.5 + 0.5 * turn) / float(kSamples + 1), angle = 2.399963 * float(k) + 6.283185 * turn;
    vec2 there = at + pixels * part * part * vec2(cos(angle), sin(angle));  // more of them nearby
    if (!in_picture(there)) continue;
    float depth = depth_at(there);
    if (depth <= 0.0) continue;
    vec3 to = position_at(floor(there) + 0.5, depth) - place;
    float away = length(to);
    if (away > 0.0) sum += max(dot(to, normal) / away - kSteepest, 0.0) / (1.0 + away * away / (reach * reach));
  }
  return exp(-9.0 * sum / float(kSamples));
}

// 1 in the sun, less where something near is in front of it.
float sunlight(vec3 place, vec3 normal, float turn, float reach) {
  float facing = dot(normal, kSun);
  if (facing <= 0.0) return 1.0;
  vec2 scale = vec2(frame.projection[0][0], frame.projection[1][1]) * 0.5 * frame.viewport.xy;
  for (int k = 0; k < kSteps; ++k) {
    float part = (float(k) + 0.25 + 0.75 * turn) / float(kSteps);
    vec3 on = place + (0.02 * normal + part * kSun) * reach;
    if (on.z >= -frame.projection[3][2]) return 1.0;
    vec2 there = scale * on.xy / -on.z + 0.5 * frame.viewport.xy;
    if (!in_picture(there)) return 1.0;
    float depth = depth_at(there);
    if (depth <= 0.0) continue;
    float before = -on.z - frame.projection[3][2] / depth;  // of what is there, in front of the ray
    if (before > 0.03 * reach && before < reach) return 1.0 - (1.0 - part * part) * smoothstep(0.0, 0.35, facing);
  }
  return 1.0;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, imageSize(shade)))) return;
  ivec2 whole = min(2 * pixel, ivec2(frame.viewport.xy) - 1);
  float alpha = texelFetch(picture, whole, 0).a, depth = depth_at(vec2(whole));
  float kept = 1.0, front = 0.0;
  if (alpha > 0.0 && depth > 0.0) {
    vec2 at = vec2(whole) + 0.5;
    vec3 place = position_at(at, depth), normal = unpacked_normal(alpha);
    front = -place.z;
    float scale = frame.viewport.z * front, turn = turn_of(pixel);
    float pixels = clamp(frame.light.w / scale, kLeast * frame.viewport.y, kMost * frame.viewport.y);
    float reach = pixels * scale;
    kept = openness(at, place, normal, turn, reach, pixels) * mix(0.3, 1.0, sunlight(place, normal, turn, reach));
  }
  imageStore(shade, pixel, vec4(kept, front, 0, 0));
}

//@ tone.comp
// Tone mapping of spheres, points and lines, one thread per pixel: their occlusion, then from light to sRGB. Light is
// unchanged up to 0.8 and compressed above.
#include "include/frame.glsl"
#include "include/srgb.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(location = 0) uniform ivec2 corner;      // lower left, in the window
layout(location = 1) uniform int first_column;  // pixels left of it are not written
layout(location = 2) uniform uint occluded;     // 1: there is a result of occlusion.comp
layout(location = 3) uniform uint transparent;  // 1: what is not drawn has alpha 0
layout(location = 7) uniform int first_row;  // of the threads
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform sampler2D drawn;  // depth
layout(binding = 2) uniform sampler2D shade;
layout(binding = 0) writeonly uniform image2D screen;

// The mean over 8 x 8 pixels around this one, 4 x 4 results, that are about as far away. Between two pixels with a
// result there are four on each axis; at a pixel with one there are five, of which the outer two count half.
//
//     result     0   1   2   3   4        pixel 4: 0/2 1 2 3 4/2
//     pixel      0 1 2 3 4 5 6 7 8        pixel 5: 1 2 3 4
float light_kept(ivec2 pixel, float depth) {
  float front = frame.projection[3][2] / depth, near = 0.02 * front;
  ivec2 odd = pixel & 1, first = pixel / 2 - 2 + odd, most = 4 - odd, last = textureSize(shade, 0) - 1;
  float sum = 0.0, weights = 0.0;
  for (int y = 0; y <= most.y; ++y) {
    for (int x = 0; x <= most.x; ++x) {
      vec2 there = texelFetch(shade, clamp(first + ivec2(x, y), ivec2(0), last), 0).rg;
      float weight = there.g > 0.0 ? near / (near + abs(there.g - front)) : 0.0;
      weight *= weight * weight;
      if (odd.x == 0 && (x == 0 || x == 4)) weight *= 0.5;
      if (odd.y == 0 && (y == 0 || y == 4)) weight *= 0.5;
      sum += weight * there.r, weights += weight;
    }
  }
  return weights > 0.0 ? sum / weights : 1.0;
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy))) || pixel.x < first_column) return;
  vec4 light = texelFetch(picture, pixel, 0);
  if (occluded != 0u && light.a > 0.0) light.rgb *= light_kept(pixel, texelFetch(drawn, pixel, 0).r);
  bool nothing = transparent != 0u && texelFetch(drawn, pixel, 0).r <= 0.0;
  vec4 shown = vec4(to_srgb(compress(max(light.rgb, 0.0) * frame.viewport.w)), 1);
  imageStore(screen, corner + pixel, nothing ? vec4(0) : shown);
}
