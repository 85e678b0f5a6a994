// The eye's ray through a place of the picture (in pixels, as gl_FragCoord), view space, one unit deep.
vec3 ray_at(vec2 at) { return vec3(at * frame.ray.xy + frame.ray.zw, -1); }

// Where the ray passes nearest to the centre of a sphere, from that centre. Not by |centre|^2 minus a square: of a far
// and small sphere that would leave nothing but rounding.
vec3 nearest_to(vec3 centre, vec3 ray) { return dot(ray, centre) / dot(ray, ray) * ray - centre; }
