/// For sanitizers only: graphics drivers, which are not ours and not instrumented.

/// Keeps libraries loaded to the end. The leak checker finds a driver's memory through the driver's globals; once
/// unloaded, its memory would look leaked.
extern "C" int dlclose(void* /*library*/) { return 0; }

/// Mesa destroys a mutex that its own thread has just left: reports with a frame of its driver are dropped.
extern "C" const char* __tsan_default_suppressions() { return "race:swrast_dri.so\nrace:libgallium\n"; }
