// What each frame begins with: the range of all bodies, then the sprite of each, and the list that draws it.

//@ include/bodies.glsl
// Bodies as the backend publishes them (tri::Instance), and helpers for the statistics of stats.comp.
struct Instance {
  float x, y, z, radius, speed, acceleration, mass;
  uint id;
};
layout(std430, binding = 0) readonly buffer Bodies { Instance bodies[]; };

// Maps floats to unsigned integers of the same order, for atomicMin and atomicMax.
uint ordered(float value) {
  uint bits = floatBitsToUint(value);
  return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}
float unordered(uint bits) { return uintBitsToFloat((bits & 0x80000000u) != 0u ? bits & 0x7fffffffu : ~bits); }

float quantity(Instance body, int which) {
  switch (which) {
    case 0: return body.speed;
    case 1: return body.acceleration;
    case 2: return body.mass;
    case 3: return body.radius;
    default: return float(body.id);
  }
}

//@ include/sprites.glsl
// Output of place.comp: position, size and colour of each body.
struct Sprite {
  float x, y, z, radius;  // view space; radius as drawn
  uint rg, bs;            // linear RGB and, for glow, light per area at the centre, as half floats
  float pixels;           // side of its bounding square; 0: neither a point nor a splat
  uint id;
};

struct ViewSphere {
  vec3 centre;
  float radius;
  vec4 colour;  // linear RGB and light
};

ViewSphere view_sphere(Sprite s) {
  return ViewSphere(vec3(s.x, s.y, s.z), s.radius, vec4(unpackHalf2x16(s.rg), unpackHalf2x16(s.bs)));
}

//@ stats.comp
// Range of the coloured quantity and bounding box of all bodies: a tree reduction over each work group of 256 bodies,
// then atomics on the totals. Skips bodies with non-finite positions.
#include "include/frame.glsl"
#include "include/bodies.glsl"
layout(local_size_x = 256) in;
layout(std430, binding = 1) buffer Stats {
  uint low, high;          // of the quantity; if logarithmic, of its positive values
  uint box_low[3], box_high[3];
  float marked[4];         // position and radius of the marked body
  uint finite;             // bodies with finite positions
};
shared vec4 lows[256], highs[256];  // x, y, z and the quantity
shared uint counts[256];

void main() {
  const float kInfinity = uintBitsToFloat(0x7f800000u);
  uint local = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
  vec4 least = vec4(kInfinity), most = vec4(-kInfinity);
  uint number = 0u;
  if (i < uint(frame.style.z)) {
    Instance body = bodies[i];
    float value = quantity(body, frame.style.x);
    vec3 at = vec3(body.x, body.y, body.z);
    if (!any(isnan(at)) && !any(isinf(at))) {
      least.xyz = most.xyz = at;
      number = 1u;
    }
    if (!isnan(value) && !isinf(value) && (frame.style.y == 0 || value > 0.0)) least.w = most.w = value;
    if (int(i) == frame.style.w) {
      marked[0] = body.x;
      marked[1] = body.y;
      marked[2] = body.z;
      marked[3] = body.radius;
    }
  }
  lows[local] = least, highs[local] = most, counts[local] = number;
  for (uint half_size = 128u; half_size > 0u; half_size /= 2u) {
    barrier();
    if (local < half_size) {
      lows[local] = min(lows[local], lows[local + half_size]);
      highs[local] = max(highs[local], highs[local + half_size]);
      counts[local] += counts[local + half_size];
    }
  }
  if (local != 0u) return;
  for (int k = 0; k < 3 && counts[0] > 0u; ++k) {
    atomicMin(box_low[k], ordered(lows[0][k]));
    atomicMax(box_high[k], ordered(highs[0][k]));
  }
  if (lows[0].w <= highs[0].w) {
    atomicMin(low, ordered(lows[0].w));
    atomicMax(high, ordered(highs[0].w));
  }
  atomicAdd(finite, counts[0]);
}

//@ place.comp
// From bodies to draw lists, one thread per body. Compute cards have few rasterizer units, so this shader does
// everything that can be done before rasterization. Small bodies become splats (include/splat.glsl), the wide ones
// listed, or else points of one vertex. Large bodies become squares; so do points across the edge of the picture,
// because a point is clipped as soon as its centre is outside.
#include "include/frame.glsl"
#include "include/bodies.glsl"
#include "include/sprites.glsl"
layout(local_size_x = 256) in;
layout(std430, binding = 1) readonly buffer Stats { uint low, high; };
layout(std430, binding = 2) writeonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) buffer Lists {
  uint vertices, instances, first, base;  // of glDrawArraysIndirect; six vertices per square
  uint wide, shares, unused[2];           // length of the second list; sum of the light of all bodies, in sixteenths
  uint list[];                            // indices of bodies: squares; wide splats begin at the number of bodies
};
layout(std430, binding = 7) readonly buffer Luminosities { float luminosity[]; };  // of each body, by its number
layout(std430, binding = 8) readonly buffer Marks { uint marks[]; };  // by number: 1 selected, 2 hidden, 3 dim
layout(binding = 0) uniform sampler1D colours;
const float kDim = 0.15;           // of a body beside those that are selected
const float kMostLight = 200.0;  // of a body: the sum of a work group, in units of 2^-16, fits 32 bits

float scaled(float value) {
  float a = unordered(low), b = unordered(high);
  if (!(b > a)) return 0.5;
  if (frame.style.y != 0) {
    if (!(value > 0.0)) return 0.0;
    return log(value / a) / log(b / a);
  }
  return (value - a) / (b - a);
}

// Returns the light of the body, if it glows: per area at its centre. A body drawn larger is as much dimmer.
float classify(uint i) {
  Instance body = bodies[i];
  vec3 centre = (frame.view * vec4(body.x, body.y, body.z, 1)).xyz;
  float range = length(centre);
  bool glow = frame.size.w > 0.0;
  // Glowing bodies have one size.
  float base_radius = glow ? frame.size.x * frame.size.w : body.radius > 0.0 ? body.radius : frame.size.x;
  float radius = base_radius * frame.size.y;
  float pixel = frame.viewport.z * max(-centre.z, 0.0);
  float drawn = max(glow ? min(radius, frame.light.z * pixel) : radius, frame.size.z * pixel);
  float own = frame.light.y > 0.0 ? luminosity[body.id] : 1.0;
  float light = glow ? min(own * frame.light.x / (drawn * drawn), kMostLight) : 1.0;
  float position = clamp(scaled(quantity(body, frame.style.x)), 0.0, 1.0);
  vec3 rgb = textureLod(colours, (position * 255.0 + 0.5) / 256.0, 0.0).rgb;
  uint mark = frame.limits.z > 0.0 ? marks[body.id] : 0u;
  // Hues are of the legend: what is selected keeps its own, and the others step back.
  if (mark == 1u) light = min(2.0 * light, kMostLight);
  if (mark == 3u && glow) light *= kDim;
  if (mark == 3u && !glow) rgb *= kDim;
  if (int(body.id) == frame.style.w) rgb = mix(rgb, vec3(1), 0.7), light = min(8.0 * light, kMostLight);

  Sprite s = Sprite(centre.x, centre.y, centre.z, drawn, packHalf2x16(rgb.rg), packHalf2x16(vec2(rgb.b, light)),
                    0.0, body.id);
  bool square = false;
  bool finite = !isnan(range) && !isinf(range) && mark != 2u;
  if (finite && range > drawn) {  // else the camera is inside the body, or its radius is 0
    float front = -centre.z;
    // Half the side of the bounding square of the sphere's tangent cone, plus a pixel for rounding.
    float half_pixels = 1e30;
    if (front > 2.0 * drawn) {
      half_pixels = drawn / sqrt(front * front - drawn * drawn) * (range / front) / frame.viewport.z + 1.0;
    }
    vec2 ndc = vec2(frame.projection[0][0] * centre.x, frame.projection[1][1] * centre.y) / max(front, 1e-30);
    vec2 margin = 2.0 * half_pixels / frame.viewport.xy;
    bool inside = all(lessThanEqual(abs(ndc), vec2(1)));
    bool outside = front > 2.0 * drawn && any(greaterThan(abs(ndc) - margin, vec2(1))) || front < -drawn;
    bool splats = frame.splats.x > 0.0;
    outside = outside || splats && front < frame.projection[3][2];  // in front of the near plane
    if ((splats ? !outside : inside) && 2.0 * half_pixels <= (splats ? frame.splats.z : frame.limits.x)) {
      s.pixels = 2.0 * half_pixels;
      if (splats && s.pixels > frame.splats.y) list[frame.style.z + atomicAdd(wide, 1u)] = i;
    } else if (!outside) {
      square = true;
    }
  }
  if (frame.limits.y > 0.0) {  // every body has its own slot, used or not
    list[i] = square ? i : 0xffffffffu;
  } else if (square) {
    list[atomicAdd(vertices, 6u) / 6u] = i;
  }
  sprites[i] = s;
  return finite ? light : 0.0;
}

// The sums of glow.comp must fit 32 bits at every pixel, so its unit follows from the total light.
shared uint group_shares;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0u) group_shares = 0u;
  barrier();
  if (i < uint(frame.style.z)) atomicAdd(group_shares, uint(ceil(classify(i) * 65536.0)));
  barrier();
  if (gl_LocalInvocationIndex == 0u && frame.splats.x > 0.0) atomicAdd(shares, (group_shares + 4095u) / 4096u);
}
