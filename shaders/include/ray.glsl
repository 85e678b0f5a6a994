// The eye's ray through this pixel, view space, not normalised.
vec3 pixel_ray() {
  vec2 place = gl_FragCoord.xy / frame.viewport.xy * 2.0 - 1.0;
  return vec3(place.x / frame.projection[0][0], place.y / frame.projection[1][1], -1);
}

// Where the ray passes nearest to the centre of a sphere, from that centre.
vec3 nearest_to(vec3 centre, vec3 unit_ray) { return dot(unit_ray, centre) * unit_ray - centre; }
