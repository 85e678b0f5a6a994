// Glow, from the light of a picture to the screen: histogram, tone curve, blur, tone mapping.

//@ include/exposure.glsl
// Brightness of pixels, that of their brightest channel: its histogram, and the tone curve that follows from it.
const uint kBins = 128u;
const float kBinsPerStop = 3.2, kDarkest = -24.0;  // 40 stops, those of half floats
layout(std430, binding = 6) buffer Exposure {
  uint bins[kBins];  // pixels; empty between frames
  float white;       // brightness that becomes white
  float steepness;   // of the curve, >= 1: how much it lifts the dark part
  uint known;        // 0 before the first frame
};

uint bin_of(float brightness) {
  return uint(clamp((log2(brightness) - kDarkest) * kBinsPerStop, 0.0, float(kBins) - 1.0));
}

//@ gather.comp
// Adds the light summed by glow.comp to the light that was drawn, and counts the pixels of the picture by brightness,
// one thread per pixel. Counts are integers: their order does not matter.
#include "include/frame.glsl"
#include "include/pixels.glsl"
#include "include/exposure.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 3) readonly buffer Lists { uint vertices, instances, first, base, wide, shares; };
layout(location = 0) uniform uint summed;  // 1: there is light summed by glow.comp
layout(location = 7) uniform int first_row;  // of the threads
layout(rgba16f, binding = 0) uniform image2D picture;
shared uint counts[kBins];
const float kMost = 60000.0;  // what half floats hold

void main() {
  uint local = gl_LocalInvocationIndex;
  counts[local] = 0u;
  barrier();
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (all(lessThan(pixel, ivec2(frame.viewport.xy)))) {
    vec3 light = imageLoad(picture, pixel).rgb;
    if (summed != 0u) {
      light = min(light + light_at(pixel, shares), kMost);
      imageStore(picture, pixel, vec4(light, 0));
    }
    float brightest = max(max(light.r, light.g), light.b);
    if (brightest > 0.0) atomicAdd(counts[bin_of(brightest)], 1u);
  }
  barrier();
  if (counts[local] > 0u) atomicAdd(bins[local], counts[local]);
}

//@ expose.comp
// From the histogram to the tone curve, log(1 + a x / white) / log(1 + a): white is the brightness above which a small
// part of all light lies, so that no core burns out, and the steepness a is such that a single body reaches a floor.
// One work group; it empties the histogram.
#include "include/exposure.glsl"
layout(local_size_x = 128) in;
layout(location = 0) uniform float adaptation;  // share of the way from the last frame's curve to that of this one
layout(location = 1) uniform vec2 single;       // brightness of a single body, and the floor that it reaches
const float kAboveWhite = 0.015;                 // of all light
const float kLeast = 4.0, kMost = 3.0e5;        // steepness
shared uint counts[kBins];

float light_in(uint bin) { return float(counts[bin]) * exp2(kDarkest + (float(bin) + 0.5) / kBinsPerStop); }

// The brightness above which this part of all light lies; 0 for a dark picture.
float brightness_below(float part) {
  float all = 0.0, above = 0.0;
  for (uint bin = 0u; bin < kBins; ++bin) all += light_in(bin);
  if (all <= 0.0) return 0.0;
  uint bin = kBins;
  float light = 0.0;
  while (above < part * all && bin > 0u) above += light = light_in(--bin);
  return exp2(kDarkest + (float(bin) + (above - part * all) / light) / kBinsPerStop);
}

float curve(float x, float a) { return log(1.0 + a * x) / log(1.0 + a); }

// The least steepness with which x reaches the floor.
float steepness_for(float x, float floor) {
  float low = log(kLeast), high = log(kMost);
  for (int k = 0; k < 24; ++k) {
    float middle = 0.5 * (low + high);
    if (curve(x, exp(middle)) < floor) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return exp(high);
}

void main() {
  uint local = gl_LocalInvocationIndex;
  counts[local] = bins[local];
  bins[local] = 0u;
  barrier();
  if (local != 0u) return;
  float wanted = brightness_below(kAboveWhite);
  if (wanted <= 0.0) wanted = known != 0u ? white : single.x;
  wanted = max(wanted, single.x);
  float lifted = steepness_for(min(single.x / wanted, 1.0), single.y);
  float part = known != 0u ? adaptation : 1.0;
  white = part >= 1.0 ? wanted : white * pow(wanted / white, part);
  steepness = part >= 1.0 ? lifted : steepness * pow(lifted / steepness, part);
  known = 1u;
}

//@ blur_down.comp
// A picture at half the size: each pixel is the mean of 4 x 4 with the weights 1 3 3 1, as four linear samples.
layout(local_size_x = 16, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D whole;
layout(rgba16f, binding = 0) writeonly uniform image2D half_size;
layout(location = 7) uniform int first_row;  // of the threads

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, imageSize(half_size)))) return;
  vec2 at = vec2(2 * pixel + 1), scale = 1.0 / vec2(textureSize(whole, 0));
  vec4 sum = vec4(0);
  for (int k = 0; k < 4; ++k) {
    vec2 corner = vec2(k % 2, k / 2) * 1.5 - 0.75;
    sum += textureLod(whole, (at + corner) * scale, 0.0);
  }
  imageStore(half_size, pixel, 0.25 * sum);
}

//@ blur_up.comp
// Adds a picture of half the size to this one, as the mean of four linear samples half a pixel away: with blur_down.comp, a
// light of one pixel becomes a smooth and almost round spot, and the sum of all light stays.
layout(local_size_x = 16, local_size_y = 8) in;
layout(location = 0) uniform vec2 weights;  // of this picture, of the other
layout(location = 7) uniform int first_row;  // of the threads
layout(binding = 0) uniform sampler2D half_size;
layout(rgba16f, binding = 0) uniform image2D whole;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, imageSize(whole)))) return;
  vec2 at = 0.5 * (vec2(pixel) + 0.5), scale = 1.0 / vec2(textureSize(half_size, 0));
  vec4 sum = vec4(0);
  for (int k = 0; k < 4; ++k) sum += textureLod(half_size, (at + vec2(k % 2, k / 2) - 0.5) * scale, 0.0);
  imageStore(whole, pixel, weights.x * imageLoad(whole, pixel) + weights.y * 0.25 * sum);
}

//@ tone_glow.comp
// Tone mapping of glow, one thread per pixel: from unbounded light to sRGB, by the curve of expose.comp. The curve maps
// the brightest channel, so that colours stay where much light adds up; only the brightest parts turn pale. Lines are
// drawn over it in their own colour.
#include "include/frame.glsl"
#include "include/exposure.glsl"
#include "include/srgb.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(location = 0) uniform ivec2 corner;      // lower left, in the window
layout(location = 1) uniform int first_column;  // pixels left of it are not written
layout(location = 2) uniform float spread;      // share of the light that is blurred
layout(location = 3) uniform uint transparent;  // 1: over nothing, with alpha
layout(location = 7) uniform int first_row;  // of the threads
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform sampler2D blurred;  // at half the size
layout(binding = 2) uniform sampler2D lines;
layout(binding = 0) writeonly uniform image2D screen;

const float kWhite = 0.94;  // sRGB, of the brightness that is white: brighter light approaches 1

vec3 developed(vec3 light) {
  float brightest = max(max(light.r, light.g), light.b);
  if (brightest <= 0.0) return vec3(0);
  float shade = log(1.0 + steepness * brightest / white) / log(1.0 + steepness);
  shade = kWhite * min(shade, 1.0) + (1.0 - kWhite) * (1.0 - exp(-max(shade - 1.0, 0.0) / (1.0 - kWhite)));
  return mix(light / brightest, vec3(1), 0.7 * smoothstep(0.55, 1.05, shade)) * to_linear(shade);
}

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy) + ivec2(0, first_row);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy))) || pixel.x < first_column) return;
  vec2 at = (vec2(pixel) + 0.5) / vec2(2 * textureSize(blurred, 0));
  vec3 light = mix(texelFetch(picture, pixel, 0).rgb, textureLod(blurred, at, 0.0).rgb, spread);
  light = developed(light * frame.viewport.w);
  // Light covers what is behind it as far as it is bright, and a line as far as that is.
  float covered = max(max(light.r, light.g), light.b);
  if (transparent == 0u) light += frame.background.rgb * (1.0 - covered);
  vec3 line = texelFetch(lines, pixel, 0).rgb;
  light += line * (1.0 - light);
  if (transparent == 0u) {
    imageStore(screen, corner + pixel, vec4(to_srgb(light), 1));
    return;
  }
  covered = 1.0 - (1.0 - covered) * (1.0 - min(max(max(line.r, line.g), line.b), 1.0));
  imageStore(screen, corner + pixel, covered * 65535.0 > 0.5 ? vec4(to_srgb(min(light / covered, 1.0)), covered) : vec4(0));
}
