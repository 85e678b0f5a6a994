#pragma once
/// OpenGL 4.5 core as the generated loader declares it. No other GL header is included anywhere.

#include <glad/gl.h>
