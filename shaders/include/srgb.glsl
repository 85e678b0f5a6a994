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
