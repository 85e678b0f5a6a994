// Bodies that compute shaders splat: the nearest at each pixel, shaded, and its depth; or the sum of all light.

//@ include/pixels.glsl
// Output of the splats per pixel, row by row from the lower left.
// Opaque bodies, two words per pixel: bits of the depth of the nearest (0: none), and its index.
// Glow, four words: red, green and blue in integer units, and one unused.
layout(std430, binding = 5) buffer Pixels { uint pixels[]; };
const uint kNoBody = 0xffffffffu;

uint pixel_at(ivec2 pixel) { return uint(pixel.y) * uint(frame.viewport.x) + uint(pixel.x); }

// Units per light of 1, a power of two. shares: sum over all bodies, in sixteenths. A body adds at most 0.99 of its
// light to a pixel, so the sum fits 32 bits, with room for rounding up.
float light_units(uint shares) { return ldexp(1.0, min(35 - findMSB(max(shares, 1u)), 24)); }

vec3 light_at(ivec2 pixel, uint shares) {
  uint at = 4u * pixel_at(pixel);
  return vec3(pixels[at], pixels[at + 1u], pixels[at + 2u]) / light_units(shares);
}

//@ include/splat.glsl
// Splatting of small bodies by compute shaders: which bodies, and which pixels they may cover. Small ones take one
// thread or a few; wide ones, which would delay their warp, are in a list and take a work group each.
layout(local_size_x = 64) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(std430, binding = 3) readonly buffer Lists {
  uint vertices, instances, first, base;
  uint wide, shares, unused[2];
  uint list[];  // squares; wide splats begin at the number of bodies
};
layout(location = 0) uniform uint pass;  // 0: small bodies; 1: wide ones

bool is_small(Sprite s) { return s.pixels > 0.0 && s.pixels <= frame.splats.y; }

// The pixels whose centres are inside the bounding square of a body: the lowest one, and the size. False if there are
// none.
bool pixel_square(Sprite s, out ivec2 lowest, out ivec2 size) {
  vec2 centre = vec2(frame.projection[0][0], frame.projection[1][1]) * vec2(s.x, s.y) / -s.z;
  vec2 window = (0.5 * centre + 0.5) * frame.viewport.xy;
  // s.pixels includes a margin of a pixel at each end for points, which the driver rounds; here a hundredth suffices.
  float reach = 0.5 * s.pixels - 0.99;
  lowest = max(ivec2(ceil(window - reach - 0.5)), ivec2(0));
  size = min(ivec2(floor(window + reach - 0.5)), ivec2(frame.viewport.xy) - 1) - lowest + 1;
  return size.x > 0 && size.y > 0;
}

//@ clear.comp
// Fills the pixel buffer with a pattern before splatting. (glClearBufferData of 20 MB took half a millisecond on an
// H200; this takes microseconds.)
layout(local_size_x = 256) in;
layout(std430, binding = 5) writeonly buffer Pixels { uvec4 quads[]; };
layout(location = 0) uniform uvec4 pattern;
layout(location = 1) uniform uint count;  // in units of four words

void main() {
  uint threads = gl_NumWorkGroups.x * 256u;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += threads) quads[i] = pattern;
}

//@ nearest.comp
// The nearest small body at each pixel, in two passes over the bodies: first the greatest depth, then the lowest index
// among the bodies with exactly that depth. Neither depends on the order of threads, so pictures are bit-equal.
#include "include/frame.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
#include "include/splat.glsl"
layout(location = 1) uniform uint round;  // 0: depths; 1: indices
layout(location = 2) uniform uint ball;   // 1: spheres; 0: discs

void splat_pixel(ViewSphere it, uint body, ivec2 pixel) {
  vec4 sphere = vec4(it.centre, it.radius);
  vec3 ray = ray_at(vec2(pixel) + 0.5);
  vec4 lit;
  float depth = frame.projection[3][2] / -it.centre.z;
  if (ball != 0u ? !sphere_at(sphere, it.colour.rgb, ray, lit, depth) : !disc_at(sphere, ray)) return;
  // The bits of positive floats have the order of the floats.
  uint bits = floatBitsToUint(depth), at = 2u * pixel_at(pixel);
  if (round == 0u) {
    if (pixels[at] < bits) atomicMax(pixels[at], bits);  // a stale value only costs the atomic
  } else if (pixels[at] == bits) {
    atomicMin(pixels[at + 1u], body);
  }
}

// Splats every `stride`th pixel of a body, from `begin` on.
void splat(uint body, Sprite s, int begin, int stride) {
  ivec2 low, size;
  if (!pixel_square(s, low, size)) return;
  ViewSphere it = view_sphere(s);
  int x = begin % size.x, y = begin / size.x, right = stride % size.x, up = stride / size.x;
  while (y < size.y) {
    splat_pixel(it, body, low + ivec2(x, y));
    x += right, y += up;
    if (x >= size.x) x -= size.x, ++y;
  }
}

//     bodies    0 1 2 3 4 5 ...        wide list    7      9     ...
//     threads   0 1 2 3 4 5 ...        groups      0000   1111       each thread every 64th pixel of the body's square
void main() {
  uint n = uint(frame.style.z);
  if (pass == 0u) {
    for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * 64u) {
      Sprite s = sprites[i];
      if (is_small(s)) splat(i, s, 0, 1);
    }
  } else {
    for (uint k = gl_WorkGroupID.x; k < wide; k += gl_NumWorkGroups.x) {
      uint body = list[n + k];
      splat(body, sprites[body], int(gl_LocalInvocationIndex), 64);
    }
  }
}

//@ shade.comp
// Shades the bodies found by nearest.comp, one thread per pixel, unless something nearer was drawn before. (A fragment
// shader could do this too, but compute cards have few rasterizer units.)
#include "include/frame.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(std430, binding = 2) readonly buffer Sprites { Sprite sprites[]; };
layout(location = 2) uniform uint ball;  // 1: spheres; 0: discs
layout(binding = 1) uniform sampler2D drawn;
layout(rgba16f, binding = 0) writeonly uniform image2D picture;

void main() {
  ivec2 pixel = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(pixel, ivec2(frame.viewport.xy)))) return;
  uint body = pixels[2u * pixel_at(pixel) + 1u];
  if (body == kNoBody) return;
  if (texelFetch(drawn, pixel, 0).r >= uintBitsToFloat(pixels[2u * pixel_at(pixel)])) return;
  ViewSphere it = view_sphere(sprites[body]);
  vec4 light = vec4(it.colour.rgb, 0);
  float depth;
  if (ball != 0u) sphere_at(vec4(it.centre, it.radius), it.colour.rgb, ray_at(vec2(pixel) + 0.5), light, depth);
  imageStore(picture, pixel, light);
}

//@ full.vert
// One triangle that covers the viewport.
layout(location = 0) out vec2 uv;  // 0..1

void main() {
  uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  gl_Position = vec4(uv * 2.0 - 1.0, 0, 1);
}

//@ depth.frag
// Copies the depths of the splats into the depth buffer, for whatever is drawn later.
#include "include/frame.glsl"
#include "include/pixels.glsl"

void main() {
  uint bits = pixels[2u * pixel_at(ivec2(gl_FragCoord.xy))];
  if (bits == 0u) discard;
  gl_FragDepth = uintBitsToFloat(bits);
}

//@ glow.comp
// Sums the light of small bodies in integer units: the sum is bit-equal in any order of threads, and no term is lost
// next to a large sum. Fractions of a unit are rounded stochastically, with a hash of body and pixel as the random
// number, so that light below one unit adds up too. (Sums of more than 32 bits would need the result of each atomic,
// and threads would wait for it.)
#include "include/frame.glsl"
#include "include/look.glsl"
#include "include/sprites.glsl"
#include "include/pixels.glsl"
#include "include/splat.glsl"
layout(binding = 1) uniform sampler2D drawn;  // depth of the lines, which occlude

uint lowbias32(uint x) {  // by Chris Wellons
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

// Light of a body at a pixel, in units; 0 outside its disc and where a line occludes it.
uvec3 units_at(ViewSphere it, uint body, ivec2 pixel) {
  vec3 light;
  if (!glow_at(vec4(it.centre, it.radius), it.colour, ray_at(vec2(pixel) + 0.5), light)) return uvec3(0);
  if (texelFetch(drawn, pixel, 0).r >= frame.projection[3][2] / -it.centre.z) return uvec3(0);
  uint random = lowbias32(body * 0x9e3779b9u ^ pixel_at(pixel));
  return uvec3(light * light_units(shares) + vec3(uvec3(random, random >> 10, random >> 20) & 1023u) / 1024.0);
}

// Every thread of a work group computes the light of one pixel; then groups of four threads take one pixel after
// another and add one channel each. The words of a pixel are adjacent, and the cost of atomics is the number of memory
// sectors that they touch, not of words.
//
//     threads    0     1     2     3     4     5     6     7   ...
//     compute   p0    p1    p2    p3    p4    p5    p6    p7
//     add     r(p0) g(p0) b(p0)   -   r(q0) g(q0) b(q0)   -    then the next pixels, four times
//
// If each four threads have their own body, q0 is p4, the first pixel of the second four. If the work group shares one
// body, q0 is p1, and the group adds a row of 16 pixels at a time.
shared uvec4 lights[64];  // units, and the index of the pixel's first word
shared int max_pixels;     // pixel count of the largest body of the work group

void add_all(uint stride, uint step) {
  uint channel = gl_LocalInvocationIndex % 4u;
  barrier();
  for (uint k = 0u, at = gl_LocalInvocationIndex / 4u * stride; channel < 3u && k < 4u; ++k, at += step) {
    uint units = lights[at][channel];
    if (units != 0u) atomicAdd(pixels[lights[at].w + channel], units);
  }
  barrier();
}

void compute_light(ViewSphere it, uint body, ivec2 low, ivec2 size, int number) {
  uvec4 light = uvec4(0);
  if (number < size.x * size.y) {
    ivec2 pixel = low + ivec2(number % size.x, number / size.x);
    light = uvec4(units_at(it, body, pixel), 4u * pixel_at(pixel));
  }
  lights[gl_LocalInvocationIndex] = light;
}

void splat_small() {
  uint n = uint(frame.style.z), local = gl_LocalInvocationIndex;
  for (uint begin = gl_WorkGroupID.x * 16u; begin < n; begin += gl_NumWorkGroups.x * 16u) {
    uint body = begin + local / 4u;
    ivec2 low = ivec2(0), size = ivec2(0);
    Sprite s = sprites[min(body, n - 1u)];
    if (body >= n || !is_small(s) || !pixel_square(s, low, size)) size = ivec2(0);
    if (local == 0u) max_pixels = 0;
    barrier();
    if (size.x > 0) atomicMax(max_pixels, size.x * size.y);
    barrier();
    ViewSphere it = view_sphere(s);
    for (int p = 0, all = max_pixels; p < all; p += 4) {
      compute_light(it, body, low, size, p + int(local % 4u));
      add_all(4u, 1u);
    }
  }
}

void splat_wide() {
  for (uint k = gl_WorkGroupID.x; k < wide; k += gl_NumWorkGroups.x) {
    uint body = list[uint(frame.style.z) + k];
    Sprite s = sprites[body];
    ivec2 low, size;
    if (!pixel_square(s, low, size)) continue;
    ViewSphere it = view_sphere(s);
    for (int p = 0; p < size.x * size.y; p += 64) {
      compute_light(it, body, low, size, p + int(gl_LocalInvocationIndex));
      add_all(1u, 16u);
    }
  }
}

void main() {
  if (pass == 0u) {
    splat_small();
  } else {
    splat_wide();
  }
}
