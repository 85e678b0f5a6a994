#!/usr/bin/env python3
"""Each rule of house_rules.py is shown to bite: a small good tree passes, and every bad sample added to it is caught,
by the rule it was made for, at its line."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import house_rules  # noqa: E402

HEAD = "#pragma once\n/// What it is for.\n"
GOOD = {
    "sim/platform.hpp": HEAD + "#if defined(__CUDACC__)\n#endif\n",
    "sim/bodies.hpp": HEAD + '#include <vector>\n#include "platform.hpp"\n',
    "sim/maps/figurate.hpp": HEAD + '#include "../platform.hpp"\n',
    "sim/maps/fold.hpp": HEAD + '#include <cmath>\n#include "../platform.hpp"\n#include "figurate.hpp"\n',
    "sim/cuda/stream.hpp": HEAD + "#include <cuda_runtime.h>\n",
    "sim/cuda/k.cu": "// A kernel.\nvoid f() { k<<<1, 2>>>(); }\n",
    "render/camera.hpp": HEAD + '#include <glm/vec3.hpp>\n#include "sim/bodies.hpp"\n',
    "render/interop/share.cpp": "// Shares a buffer.\n#include <cuda_gl_interop.h>\n",
    "app/session.hpp": HEAD + '#include "sim/bodies.hpp"\n#include <fmt/core.h>\n',
    "app/gui/window.cpp": '// A window.\n#include <GLFW/glfw3.h>\n#include "app/session.hpp"\n#include "render/camera.hpp"\n',
    "docs/a.md": "k<<<1, 2>>> is free to stand in a text.\n",
}
# rule, file, text, line at which it must be caught
BAD = [
    ("layers", "sim/a.hpp", HEAD + '#include "app/session.hpp"\n', 3),
    ("layers", "sim/a.hpp", HEAD + '#include "../app/session.hpp"\n', 3),
    ("layers", "sim/a.hpp", HEAD + '#include "render/camera.hpp"\n', 3),
    ("layers", "sim/a.hpp", HEAD + "#include <GL/gl.h>\n", 3),
    ("layers", "sim/cpu/a.cpp", "// A.\n#include <glm/glm.hpp>\n", 2),
    ("layers", "sim/io/a.cpp", "// A.\n\n#  include <cuda_runtime.h>\n", 3),
    ("layers", "render/a.cpp", '// A.\n#include "app/session.hpp"\n', 2),
    ("layers", "render/a.cpp", "// A.\n#include <cuda_gl_interop.h>\n", 2),
    ("layers", "app/a.cpp", "// A.\n#include <GLFW/glfw3.h>\n", 2),
    ("layers", "app/a.cpp", "// A.\n#include <imgui.h>\n", 2),
    ("layers", "app/a.cpp", '// A.\n#include "glad/glad.h"\n', 2),
    ("layers", "app/a.cpp", '// A.\n#include "render/camera.hpp"\n', 2),
    ("layers", "app/a.cpp", '// A.\n#include "app/gui/window.hpp"\n', 2),
    ("layers", "app/bench/a.cpp", '// A.\n#include "sim/cuda/stream.hpp"\n', 2),
    ("layers", "app/gui/a.cpp", "// A.\n#include <cuda.h>\n", 2),
    ("maps_stand_alone", "sim/maps/rb.hpp", HEAD + '#include "sim/maps/figurate.hpp"\n', 3),
    ("maps_stand_alone", "sim/maps/rb.hpp", HEAD + '#include "../bodies.hpp"\n', 3),
    ("maps_stand_alone", "sim/maps/rb.hpp", HEAD + "#include <fmt/core.h>\n", 3),
    ("compiler_words", "sim/maps/rb.hpp", HEAD + "#ifdef __CUDACC__\n#endif\n", 3),
    ("compiler_words", "tests/device/a.cpp", "// A.\n#if defined(__CUDA_ARCH__)\n#endif\n", 2),
    ("compiler_words", "sim/cuda/a.cuh", HEAD + "inline void f() { k<<<1, 2>>>(); }\n", 3),
    ("compiler_words", "app/a.cpp", "// A.\n#ifdef TRI_HAVE_CUDA\n#endif\n", 2),
    ("length", "sim/a.cpp", "// A.\n" * 401, 401),
    ("words", "sim/a.cpp", "// A.\n// TO" "DO: the rest\n", 2),
    ("words", "app/a.cpp", '// A.\nthrow Error("not ' 'implemented");\n', 2),
    ("words", "docs/b.md", "See /ho" "me/me/notes.\n", 1),
    ("head", "sim/a.cpp", "int f() { return 1; }\n", 1),
    ("head", "sim/a.hpp", "/// What it is for.\nint f();\n", 1),
]


def breaches(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        tree = house_rules.Tree(folder)
        return {(rule, name, line) for rule, f in house_rules.RULES.items() for name, line, _ in f(tree)}


class HouseRules(unittest.TestCase):
    def test_a_good_tree_passes(self):
        self.assertEqual(breaches(GOOD), set())

    def test_every_bad_sample_is_caught(self):
        for rule, name, text, line in BAD:
            with self.subTest(rule=rule, file=name, text=text[-60:]):
                self.assertEqual(breaches({**GOOD, name: text}), {(rule, name, line)})

    def test_every_rule_has_a_bad_sample(self):
        self.assertEqual({rule for rule, *_ in BAD}, set(house_rules.RULES))

    def test_comments_and_strings_are_not_code(self):
        text = '// A.\n/* __CUDACC__\n k<<<1>>> */\nauto s = "<<< \\" __CUDACC__"; // <<<\n'
        self.assertEqual(breaches({**GOOD, "app/b.cpp": text}), set())


if __name__ == "__main__":
    unittest.main()
