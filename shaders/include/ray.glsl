// The eye's ray through this pixel, view space, one unit deep.
vec3 pixel_ray() { return vec3(gl_FragCoord.xy * frame.ray.xy + frame.ray.zw, -1); }

// Where the ray passes nearest to the centre of a sphere, from that centre. Not by |centre|^2 minus a square: of a far
// and small sphere that would leave nothing but rounding.
vec3 nearest_to(vec3 centre, vec3 ray) { return dot(ray, centre) / dot(ray, ray) * ray - centre; }
