"""The rooms of the house: what the code of each may include, and which external libraries it may use.

A folder that is not here is a breach, and so is an include that is not: a new room, or a new door between two, is a line
of this table, and a sentence in docs/architecture.md. Rooms stand in order: each includes from those before it, so there is
no cycle. A door that nothing uses is a breach too.
"""

ROOMS = {
    "sim/base": (),
    "sim/maps": ("sim/base",),
    "sim/files": ("sim/base",),
    "sim/text": ("sim/base", "sim/maps", "sim/files"),
    "sim/laws": ("sim/base", "sim/text"),
    "sim/model": ("sim/base", "sim/maps", "sim/text", "sim/laws"),
    "sim/reference": ("sim/base", "sim/laws", "sim/model"),
    "sim/io": ("sim/base", "sim/files", "sim/laws", "sim/model"),
    "sim/fractal": ("sim/base", "sim/maps", "sim/files"),
    "sim/scene": ("sim/base", "sim/files", "sim/laws", "sim/model", "sim/io"),
    "sim/backend": ("sim/base", "sim/maps", "sim/laws", "sim/model", "sim/fractal"),
    "sim/ranks": ("sim/base", "sim/laws", "sim/model", "sim/backend"),
    "sim/cpu": ("sim/base", "sim/maps", "sim/text", "sim/laws", "sim/model", "sim/fractal", "sim/backend"),
    "sim/cuda/runtime": ("sim/base", "sim/maps", "sim/model", "sim/backend"),
    "sim/cuda/jit": ("sim/base", "sim/maps", "sim/files", "sim/text", "sim/laws", "sim/model", "sim/cuda/runtime"),
    "sim/cuda/kernels": ("sim/base", "sim/maps", "sim/laws", "sim/model", "sim/fractal", "sim/backend",
                         "sim/cuda/runtime", "sim/cuda/jit"),
    "sim/cuda/engine": ("sim/base", "sim/maps", "sim/laws", "sim/model", "sim/io", "sim/fractal", "sim/backend",
                        "sim/cuda/runtime", "sim/cuda/jit", "sim/cuda/kernels"),
    "sim/cuda": ("sim/base", "sim/maps", "sim/model", "sim/reference", "sim/backend", "sim/cuda/runtime",
                 "sim/cuda/jit", "sim/cuda/kernels", "sim/cuda/engine"),
    "sim": ("sim/base", "sim/files", "sim/laws", "sim/model", "sim/io", "sim/scene", "sim/backend", "sim/ranks",
            "sim/cpu", "sim/cuda/runtime", "sim/cuda"),
    "render/gl": ("sim/base", "sim/backend"),
    "render": ("sim/base", "sim/files", "sim/backend", "render/gl"),
    "app/support": ("sim/base", "sim/maps", "sim/files", "sim/text", "sim/laws", "sim/model", "sim/io", "sim/scene",
                    "sim/backend", "sim"),
    "app/plot": ("sim/base", "sim/maps", "sim/files", "sim/text", "app/support"),
    "app/bench": ("sim/base", "sim/maps", "sim/files", "sim/text", "sim/laws", "sim/model", "sim/reference", "sim/io",
                  "sim/fractal", "sim/scene", "sim/backend", "app/support", "app/plot"),
    "app/session": ("sim/base", "sim/maps", "sim/text", "sim/laws", "sim/model", "sim/io", "sim/fractal", "sim/scene",
                    "sim/backend", "sim", "app/support"),
    "app/options": ("sim/base", "sim/laws", "sim/model", "sim/io", "sim/fractal", "sim/scene", "app/support",
                    "app/bench", "app/session"),
    "app/commands": ("sim/base", "sim/maps", "sim/files", "sim/text", "sim/laws", "sim/model", "sim/io", "sim/fractal",
                     "sim/scene", "sim/backend", "sim", "app/support", "app/plot", "app/bench", "app/options"),
    "app/python": ("sim/base", "sim/maps", "sim/files", "sim/laws", "sim/model", "sim/scene", "sim/backend",
                   "sim/cuda/engine", "sim", "app/support", "app/bench", "app/options"),
    "app/gui/base": ("sim/base", "sim/maps", "sim/files", "sim/io", "sim/scene", "sim/backend", "render/gl", "render",
                     "app/support", "app/plot", "app/bench", "app/session"),
    "app/gui/panels": ("sim/base", "sim/maps", "sim/files", "sim/laws", "sim/scene", "sim/backend", "render/gl",
                       "render", "app/support", "app/plot", "app/session", "app/gui/base"),
    "app/gui/frame": ("sim/base", "sim/maps", "sim/files", "sim/laws", "sim/model", "sim/fractal", "sim/scene",
                      "render/gl", "render", "app/support", "app/bench", "app/session", "app/gui/base",
                      "app/gui/panels"),
    "app": ("sim/base", "sim/maps", "sim/files", "sim/backend", "sim/ranks", "sim", "app/support", "app/options"),
    "docs/manual": (),
}
MAX_ROOMS, MAX_DOORS = 34, 220

# Folders whose code may include OpenGL, GLFW, ImGui and GLM; and those that may include CUDA's headers.
DRAWING = ("render", "app/gui")
CUDA_HEADERS = ("sim/cuda", "render/gl")
MAX_FILES = 40  # sources in a room, headers included; sim/maps is exempt: one header per map
EXEMPT = ("sim/maps",)
