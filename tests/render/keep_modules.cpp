/// For sanitizers only: keeps libraries loaded to the end. The leak checker finds a graphics driver's memory through
/// the driver's globals; once unloaded, its memory would look leaked.

extern "C" int dlclose(void* /*library*/) { return 0; }
