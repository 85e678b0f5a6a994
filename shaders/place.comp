#version 450 core
// From bodies to what is drawn of them, one thread a body. Cards for computing have few units that draw and many that
// compute, so all that can be done before drawing is done here. Small bodies become splats (include/splat.glsl), of
// which the wide ones are listed, or else points of one vertex; large ones go to a list of squares, and where points are
// drawn, those over the edge of the picture too (a point goes when its middle does).
#include "include/frame.glsl"
#include "include/bodies.glsl"
#include "include/sprites.glsl"
layout(local_size_x = 256) in;
layout(std430, binding = 1) readonly buffer Stats { uint low, high; };
layout(std430, binding = 2) writeonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) buffer Lists {
  uint vertices, instances, first, base;  // of glDrawArraysIndirect; six vertices a square
  uint wide, shares, unused[2];           // length of the second list; sum of the shares of light, in sixteenths
  uint list[];                            // bodies by number: squares, and from the number of bodies on wide splats
};
layout(binding = 0) uniform sampler1D colours;

float scaled(float value) {
  float a = unordered(low), b = unordered(high);
  if (!(b > a)) return 0.5;
  if (frame.style.y != 0) {
    if (!(value > 0.0)) return 0.0;
    return log(value / a) / log(b / a);
  }
  return (value - a) / (b - a);
}

// Returns the share of its light that the body keeps.
float place(uint i) {
  Instance body = bodies[i];
  vec3 centre = (frame.view * vec4(body.x, body.y, body.z, 1)).xyz;
  float away = length(centre);
  bool glow = frame.size.w > 0.0;
  // Light is no matter: one size for all.
  float own = glow ? frame.size.x * frame.size.w : body.radius > 0.0 ? body.radius : frame.size.x;
  float radius = own * frame.size.y;
  float shown = max(radius, frame.size.z * frame.viewport.z * max(-centre.z, 0.0));
  float share = glow ? (radius * radius) / (shown * shown) : 1.0;
  vec3 rgb = textureLod(colours, (clamp(scaled(quantity(body, frame.style.x)), 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.0).rgb;
  if (int(body.id) == frame.style.w) rgb = mix(rgb, vec3(1), 0.7), share = 1.0;

  Sprite s = Sprite(centre.x, centre.y, centre.z, shown, packHalf2x16(rgb.rg), packHalf2x16(vec2(rgb.b, share)), 0.0, body.id);
  bool square = false;
  bool number = !isnan(away) && !isinf(away);
  if (number && away > shown) {  // else the eye is inside, or there is nothing to see
    float front = -centre.z;
    // Half the side of the picture's square about the cone in which the sphere is seen, and a pixel for rounding.
    float half_pixels = 1e30;
    if (front > 2.0 * shown) half_pixels = shown / sqrt(front * front - shown * shown) * (away / front) / frame.viewport.z + 1.0;
    vec2 middle = vec2(frame.projection[0][0] * centre.x, frame.projection[1][1] * centre.y) / max(front, 1e-30);
    vec2 margin = 2.0 * half_pixels / frame.viewport.xy;
    bool inside = all(lessThanEqual(abs(middle), vec2(1)));
    bool outside = front > 2.0 * shown && any(greaterThan(abs(middle) - margin, vec2(1))) || front < -shown;
    bool splats = frame.splats.x > 0.0;
    outside = outside || splats && front < frame.projection[3][2];  // before the near plane, where nothing is drawn
    if ((splats ? !outside : inside) && 2.0 * half_pixels <= (splats ? frame.splats.z : frame.limits.x)) {
      s.pixels = 2.0 * half_pixels;
      if (splats && s.pixels > frame.splats.y) list[frame.style.z + atomicAdd(wide, 1u)] = i;
    } else if (!outside) {
      square = true;
    }
  }
  if (frame.limits.y > 0.0) {  // every body has its own place, taken or not
    list[i] = square ? i : 0xffffffffu;
  } else if (square) {
    list[atomicAdd(vertices, 6u) / 6u] = i;
  }
  sprites[i] = s;
  return number ? share : 0.0;
}

// What glow.comp sums up must not leave 32 bits at any pixel, so its unit follows from all the light that there is.
shared uint group_shares;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0u) group_shares = 0u;
  barrier();
  if (i < uint(frame.style.z)) atomicAdd(group_shares, uint(ceil(place(i) * 65536.0)));
  barrier();
  if (gl_LocalInvocationIndex == 0u && frame.splats.x > 0.0) atomicAdd(shares, (group_shares + 4095u) / 4096u);
}
