#version 450 core
// Words of the pixels as they are before anything is splatted. (A driver's own clearing of a buffer took an H200 half a
// millisecond for the 20 MB that are written here in some microseconds.)
layout(local_size_x = 256) in;
layout(std430, binding = 5) writeonly buffer Pixels { uvec4 fours[]; };
layout(location = 0) uniform uvec4 pattern;
layout(location = 1) uniform uint count;  // of four words each

void main() {
  uint threads = gl_NumWorkGroups.x * 256u;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += threads) fours[i] = pattern;
}
