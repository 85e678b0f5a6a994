"""The folders of the tree: what the code of each may include, and which external libraries it may use.

A folder that is not here is a breach, and so is an include that is not: a new room, or a new door between two, is a line
of this table, and a sentence in docs/architecture.md. The table has no cycle, and neither may the includes.
"""

NUMBERS = ("sim/base", "sim/expression", "sim/maps", "sim/laws", "sim/model")
CORE = (*NUMBERS, "sim/io", "sim/io/files", "sim/mapfile", "sim/fractal", "sim/scene", "sim/backend")
# The part of sim that commands and the window may include: they reach backends through sim/backend and sim itself.
SIM = (*CORE, "sim")

CPU = ("sim/cpu/kernels", "sim/cpu/typed", "sim/cpu/sums", "sim/cpu/engine", "sim/cpu/bench")
# From texts to compiled kernels, and the room of the functions that launch both these and nvcc's.
JIT = ("sim/cuda/runtime", "sim/cuda/jit")
CUDA_KERNELS = ("sim/cuda/kernels", "sim/cuda/kernels/bodies", "sim/cuda/kernels/collisions",
                "sim/cuda/kernels/distances", "sim/cuda/kernels/fractal", "sim/cuda/kernels/pairs",
                "sim/cuda/kernels/plain", "sim/cuda/kernels/tensor", "sim/cuda/kernels/triples")
CUDA = ("sim/cuda/runtime", "sim/cuda/ranks", "sim/cuda/jit", *CUDA_KERNELS, "sim/cuda/engine", "sim/cuda/jobs",
        "sim/cuda/bench", "sim/cuda/meter")

ROOMS = {
    "sim/base": (),
    "sim/maps": ("sim/base",),
    "sim/expression": ("sim/base",),
    "sim/laws": ("sim/base", "sim/expression"),
    "sim/model": ("sim/base", "sim/expression", "sim/maps", "sim/laws"),
    "sim/reference": NUMBERS,
    "sim/io/files": NUMBERS,
    "sim/io": (*NUMBERS, "sim/io/files"),
    "sim/mapfile": ("sim/base", "sim/expression", "sim/maps", "sim/io/files"),
    "sim/fractal": ("sim/base", "sim/maps", "sim/io/files"),
    "sim/scene": (*NUMBERS, "sim/io", "sim/io/files"),
    "sim/backend": (*NUMBERS, "sim/fractal"),
    "sim/cpu/kernels": (*NUMBERS, "sim/fractal", "sim/backend"),
    "sim/cpu/typed": (*NUMBERS, "sim/backend", "sim/cpu/kernels"),
    "sim/cpu/sums": (*NUMBERS, "sim/backend", "sim/cpu/kernels", "sim/cpu/typed"),
    "sim/cpu/engine": (*NUMBERS, "sim/fractal", "sim/backend", "sim/cpu/kernels", "sim/cpu/sums"),
    "sim/cpu/bench": (*NUMBERS, "sim/fractal", "sim/backend", "sim/cpu/kernels", "sim/cpu/sums", "sim/cpu/engine"),
    "sim/cpu": (*NUMBERS, "sim/fractal", "sim/backend", *CPU),
    "sim/cuda/runtime": NUMBERS,
    "sim/cuda/ranks": ("sim/base", "sim/backend", "sim/cuda/runtime"),
    "sim/cuda/jit": (*NUMBERS, "sim/io/files", "sim/mapfile", "sim/backend", "sim/cuda/runtime"),
    "sim/cuda/kernels": (*NUMBERS, "sim/fractal", "sim/backend", *JIT),
    "sim/cuda/kernels/fractal": (*NUMBERS, "sim/fractal", *JIT, "sim/cuda/kernels"),
    "sim/cuda/kernels/pairs": (*NUMBERS, "sim/backend", *JIT, "sim/cuda/kernels"),
    "sim/cuda/kernels/collisions": (*NUMBERS, "sim/backend", *JIT, "sim/cuda/kernels", "sim/cuda/kernels/pairs"),
    "sim/cuda/kernels/distances": (*NUMBERS, "sim/backend", *JIT, "sim/cuda/kernels", "sim/cuda/kernels/pairs"),
    "sim/cuda/kernels/plain": (*NUMBERS, "sim/cuda/runtime", "sim/cuda/kernels", "sim/cuda/kernels/collisions",
                               "sim/cuda/kernels/distances", "sim/cuda/kernels/pairs"),
    "sim/cuda/kernels/bodies": (*NUMBERS, "sim/backend", *JIT, "sim/cuda/kernels", "sim/cuda/kernels/collisions",
                                "sim/cuda/kernels/pairs"),
    "sim/cuda/kernels/tensor": (*NUMBERS, *JIT, "sim/cuda/kernels", "sim/cuda/kernels/pairs",
                                "sim/cuda/kernels/bodies"),
    "sim/cuda/kernels/triples": (*NUMBERS, *JIT, "sim/cuda/kernels", "sim/cuda/kernels/pairs",
                                 "sim/cuda/kernels/bodies"),
    "sim/cuda/engine": (*NUMBERS, "sim/io", "sim/backend", "sim/cuda/runtime", "sim/cuda/ranks", *CUDA_KERNELS,
                        "sim/cuda/jit"),
    "sim/cuda/jobs": (*NUMBERS, "sim/fractal", "sim/backend", "sim/cuda/runtime", "sim/cuda/ranks", *CUDA_KERNELS,
                      "sim/cuda/engine"),
    "sim/cuda/bench": (*NUMBERS, "sim/reference", "sim/fractal", "sim/backend", "sim/cuda/runtime", "sim/cuda/ranks",
                       *CUDA_KERNELS, "sim/cuda/jit", "sim/cuda/engine", "sim/cuda/jobs"),
    "sim/cuda/meter": ("sim/base", "sim/backend", "sim/cuda/runtime"),
    "sim/cuda": (*NUMBERS, "sim/fractal", "sim/backend", *CUDA),
    "sim/cluster": (*NUMBERS, "sim/fractal", "sim/backend"),
    "sim": (*CORE, "sim/cluster", "sim/cpu", "sim/cuda", "sim/cuda/runtime"),
    "render/gl": ("sim/base", "sim/io/files"),
    "render": ("sim/base", "sim/backend", "sim/io/files", "render/gl"),
    "render/interop": ("sim/base", "sim/backend", "render", "render/gl"),
    "app/support": SIM,
    "app/plot": (*SIM, "app/support"),
    "app/bench": (*SIM, "app/support", "app/plot"),
    "app/views": (*SIM, "app/support"),
    "app/options": (*SIM, "app/support", "app/plot", "app/bench", "app/views"),
    "app/session": (*SIM, "app/support"),
    "app/verify": (*SIM, "sim/reference", "app/support"),
    "app/commands": (*SIM, "app/support", "app/plot", "app/bench", "app/options", "app/session", "app/views",
                     "app/verify"),
    "app/python": (*SIM, "app/support", "app/bench", "app/options", "app/verify", "sim/cuda/jobs"),
    "app/gui/look": ("sim/base", "app/support"),
    "app/gui/camera": ("sim/base", "sim/io/files", "render"),
    "app/gui/base": (*SIM, "render", "render/gl", "app/support", "app/plot", "app/bench", "app/session", "app/views",
                     "app/gui/look", "app/gui/camera"),
    "app/gui/views": (*SIM, "render", "render/gl", "app/support", "app/session", "app/views", "app/gui/look",
                      "app/gui/base"),
    "app/gui/charts": (*SIM, "app/support", "app/plot", "app/session", "app/gui/look", "app/gui/base"),
    "app/gui/editor": (*SIM, "app/support", "app/session", "app/views", "app/gui/look", "app/gui/base"),
    "app/gui/start": (*SIM, "render", "render/gl", "app/support", "app/session", "app/views", "app/gui/look",
                      "app/gui/base", "app/gui/views"),
    "app/gui/film": (*SIM, "render", "app/support", "app/session", "app/gui/look", "app/gui/camera", "app/gui/base"),
    "app/gui/panel": (*SIM, "render", "app/support", "app/session", "app/views", "app/gui/look", "app/gui/base",
                      "app/gui/views", "app/gui/charts", "app/gui/start", "app/gui/film", "app/gui/editor"),
    "app/gui/script": (*SIM, "render", "app/support", "app/session", "app/views", "app/gui/camera", "app/gui/base",
                       "app/gui/views", "app/gui/film", "app/gui/panel"),
    "app/gui/frame": (*SIM, "render", "render/gl", "render/interop", "app/support", "app/session", "app/gui/look",
                      "app/gui/base"),
    "app/gui": (*SIM, "render", "render/gl", "app/support", "app/bench", "app/session", "app/views", "app/gui/look",
                "app/gui/camera", "app/gui/base", "app/gui/views", "app/gui/charts", "app/gui/start", "app/gui/film",
                "app/gui/editor", "app/gui/panel", "app/gui/script", "app/gui/frame"),
    "app": (*SIM, "sim/cluster", "app/support", "app/options", "app/commands", "app/gui"),
    "docs/manual": (),
}

# Folders whose code may include OpenGL, GLFW, ImGui and GLM; and those that may include CUDA's headers.
DRAWING = ("render", "app/gui")
CUDA_HEADERS = ("sim/cuda", "render/interop")
MAX_FILES = 40  # sources in a folder, headers included; sim/maps is exempt: one header per map
EXEMPT = ("sim/maps",)
