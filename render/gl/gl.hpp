#pragma once
/// OpenGL 4.5 core, as declared by the generated loader. Include no other GL header.

#include <glad/gl.h>
