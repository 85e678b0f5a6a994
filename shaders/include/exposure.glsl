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
