#version 450 core
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
layout(std430, binding = 8) readonly buffer Marks { uint marks[]; };  // by number: 1 selected, 2 hidden
layout(binding = 0) uniform sampler1D colours;
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
  if (mark == 1u) rgb = mix(rgb, vec3(0.0, 0.75, 1.0), 0.85), light = min(2.0 * light, kMostLight);
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
