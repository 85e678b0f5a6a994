/// Under sanitizers alone: libraries stay loaded to the end. What a graphics driver keeps is found through its globals;
/// unloaded with its display, it would leave memory that looks lost.

extern "C" int dlclose(void* /*library*/) { return 0; }
