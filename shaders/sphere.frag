#version 450 core
// The sphere where the eye's ray meets it, with its own depth, which is nearer than that of the square through its
// centre (depth is reversed: nearer is greater).
#include "include/frame.glsl"
#include "include/ray.glsl"
layout(location = 0) flat in vec4 sphere;  // centre and radius, view space
layout(location = 1) flat in vec4 colour;
layout(location = 0) out vec4 light;
layout(depth_greater) out float gl_FragDepth;

void main() {
  vec3 ray = pixel_ray();
  vec3 nearest = nearest_to(sphere.xyz, ray);
  float under = sphere.w * sphere.w - dot(nearest, nearest);
  if (under < 0.0) discard;
  ray *= inversesqrt(dot(ray, ray));
  vec3 normal = (nearest - sqrt(under) * ray) / sphere.w;
  const vec3 kSun = normalize(vec3(-0.45, 0.65, 0.75));
  float diffuse = 0.5 + 0.5 * dot(normal, kSun);
  float shine = pow(max(dot(reflect(ray, normal), kSun), 0.0), 24.0);
  light = vec4(colour.rgb * (0.12 + 0.88 * diffuse * diffuse) + 0.18 * shine, 1);
  float front = -(sphere.z + sphere.w * normal.z);
  gl_FragDepth = frame.projection[3][2] / front;
}
