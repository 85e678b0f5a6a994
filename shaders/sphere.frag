#version 450 core
// The sphere where the eye's ray meets it, with its own depth, which is nearer than that of the square (depth is
// reversed: nearer is greater).
#include "include/frame.glsl"
layout(location = 0) in vec3 at;
layout(location = 1) flat in vec4 sphere;
layout(location = 2) flat in vec4 colour;
layout(location = 3) in vec2 corner;
layout(location = 0) out vec4 light;
layout(depth_greater) out float gl_FragDepth;

void main() {
  vec3 ray = normalize(at);
  float along = dot(ray, sphere.xyz);
  vec3 nearest = along * ray - sphere.xyz;
  float under = sphere.w * sphere.w - dot(nearest, nearest);
  if (under < 0.0) discard;
  vec3 point = (along - sqrt(under)) * ray;
  vec3 normal = (point - sphere.xyz) / sphere.w;
  const vec3 kSun = normalize(vec3(-0.45, 0.65, 0.75));
  float diffuse = 0.5 + 0.5 * dot(normal, kSun);
  float shine = pow(max(dot(reflect(ray, normal), kSun), 0.0), 24.0);
  light = vec4(colour.rgb * (0.12 + 0.88 * diffuse * diffuse) + 0.18 * shine, 1);
  vec4 clip = frame.projection * vec4(point, 1);
  gl_FragDepth = clip.z / clip.w;
}
