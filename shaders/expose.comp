#version 450 core
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
