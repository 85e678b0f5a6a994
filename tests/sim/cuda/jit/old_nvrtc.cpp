// A library that says it is NVRTC 11.8.

extern "C" __attribute__((visibility("default"))) int nvrtcVersion(int* major, int* minor) {
  *major = 11, *minor = 8;
  return 0;
}
