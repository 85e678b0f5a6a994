// The view ray through a position in pixels (as gl_FragCoord), in view space, with depth 1.
vec3 ray_at(vec2 at) { return vec3(at * frame.ray.xy + frame.ray.zw, -1); }

// The vector from the centre of a sphere to the nearest point of the ray. Not from |centre|^2 minus a square, which
// would leave only rounding errors for a small distant sphere.
vec3 nearest_to(vec3 centre, vec3 ray) { return dot(ray, centre) / dot(ray, ray) * ray - centre; }
