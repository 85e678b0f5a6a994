// What every shader of a frame reads. The same order and layout as struct FrameBlock of render/body_renderer.cpp.
layout(std140, binding = 0) uniform Frame {
  mat4 view;
  mat4 projection;
  vec4 viewport;      // width, height in pixels, scene units a pixel at distance 1, exposure
  vec4 size;          // radius of a body without one, factor on radii, least radius in pixels, glow
  vec4 background;    // linear RGB, and 1 where pictures are toned as light that adds up (glow)
  vec4 limits;        // largest point in pixels; 1 where squares keep the order of the bodies
  vec4 splats;        // 1 where small bodies are splatted; largest splat in pixels of one thread, of a work group
  vec4 ray;           // of a pixel: factors of x and y, and what is added
  ivec4 style;        // what colours: 0 speed, 1 acceleration, 2 mass, 3 radius, 4 index; 1 = logarithmic; bodies; marked
}
frame;
