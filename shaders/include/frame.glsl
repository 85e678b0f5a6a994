// Constants of a frame. The same order and layout as struct FrameBlock in render/body_renderer.cpp.
layout(std140, binding = 0) uniform Frame {
  mat4 view;
  mat4 projection;
  vec4 viewport;      // width, height in pixels, scene units per pixel at distance 1, exposure
  vec4 size;          // radius of point bodies, scale of radii, minimum radius in pixels, size of glow (0: none)
  vec4 background;    // linear RGB; unused
  vec4 light;         // of a body of luminosity 1: light times squared radius; 1: luminosities are bound; largest radius in
                      // pixels; reach of occlusion, scene units
  vec4 limits;        // largest point in pixels; 1: squares keep the order of the bodies
  vec4 splats;        // 1: small bodies are splatted; largest splat in pixels for one thread, for a work group
  vec4 ray;           // of a pixel: scale of x and y, offset of x and y
  ivec4 style;        // quantity to colour by (bodies.glsl); 1: logarithmic; number of bodies; marked body
}
frame;

// The view ray through a position in pixels (as gl_FragCoord), in view space, with depth 1.
vec3 ray_at(vec2 at) { return vec3(at * frame.ray.xy + frame.ray.zw, -1); }

// The vector from the centre of a sphere to the nearest point of the ray. Not from |centre|^2 minus a square, which
// would leave only rounding errors for a small distant sphere.
vec3 nearest_to(vec3 centre, vec3 ray) { return dot(ray, centre) / dot(ray, ray) * ray - centre; }
